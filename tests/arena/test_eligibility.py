"""Any sequence of requests for some items, pairs or feeds, while items come and go: only eligible items are shown."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.arena.contract import Clock
from winnerstays.arena import Arena
from winnerstays.errors import WinnerstaysError

ITEMS = [f"item {number}" for number in range(7)]
SETS = {"few": ITEMS[:3], "many": ITEMS[1:6]}
USERS = st.sampled_from(["ada", "bob"])
LISTS = st.one_of(st.sampled_from(list(SETS)), st.lists(st.sampled_from([*ITEMS, "nothing"]), max_size=7, unique=True))
MAX_OPEN = 3


class EligibilityMachine(RuleBasedStateMachine):
    @initialize(holdout=st.sampled_from([0.0, 0.5]), algorithm=st.sampled_from(["tastes", "tastes", "ws-root"]))
    def start(self, holdout, algorithm):
        self.clock, self.duels, self.gone, self.answered = Clock(), {}, set(), {}
        self.pairs_only = algorithm == "ws-root"
        self.arena = Arena.open(
            "memory:", items=ITEMS, sets=SETS, algorithm=algorithm, seed=5, max_open=MAX_OPEN, holdout=holdout,
            probes=0.3, expires_after=100, clock=self.clock,
        )  # fmt: skip

    def eligible(self, among, without):
        items = set(ITEMS if among is None else SETS.get(among, []) if isinstance(among, str) else among)
        return (items & set(ITEMS)) - set(SETS[without] if isinstance(without, str) else without) - self.gone

    @rule(
        user=USERS, among=st.none() | LISTS, without=LISTS | st.just([]), show=st.integers(2, 5), fresh=st.booleans(),
        count=st.integers(0, MAX_OPEN),
    )  # fmt: skip
    def ask(self, user, among, without, show, fresh, count):
        show = 2 if self.pairs_only or count else show
        eligible = self.eligible(among, without)
        try:
            if count:
                duels = self.arena.ask_many(user, count, among=among, without=without)
            else:
                duels = [self.arena.ask(user, among=among, without=without, show=show, fresh=fresh)]
        except WinnerstaysError:
            assert len(eligible) < show
            return
        asked = {item for list_ in (among, without) if isinstance(list_, list) for item in list_}
        for duel in duels:
            assert len(duel.items) == len(set(duel.items)) == show and set(duel.items) <= eligible
            assert bool(duel.warning) >= ("nothing" in asked) and duel.user == user
            assert self.duels.setdefault(duel.id, duel).items == duel.items and duel.id not in self.answered
        assert len({duel.id for duel in duels}) == len(duels)
        if not (fresh or count):
            again = self.arena.ask(user, among=among, without=without, show=show)
            assert again.id == duels[0].id

    @precondition(lambda self: self.duels)
    @rule(data=st.data())
    def tell(self, data):
        duel = self.duels[data.draw(st.sampled_from(list(self.duels)))]
        winner = data.draw(st.sampled_from(duel.items))
        before = self.answered.get(duel.id)
        status = self.arena.tell(duel.id, winner=winner).status
        if before is None:
            assert status in ("learned", "noted", "late")
            self.answered[duel.id] = winner if status != "late" else None
        else:
            assert status == ("duplicate" if winner == before else "conflict")
        if self.answered[duel.id] is None:
            del self.answered[duel.id], self.duels[duel.id]

    @rule(item=st.sampled_from(ITEMS))
    def retire_or_restore(self, item):
        if item in self.gone:
            self.arena.restore([item])
            self.gone.discard(item)
        elif len(ITEMS) - len(self.gone) > 3:
            self.arena.retire([item])
            self.gone.add(item)

    @rule(seconds=st.sampled_from([1, 60]))
    def wait(self, seconds):
        self.clock.now += seconds

    @invariant()
    def replays(self):
        if hasattr(self, "arena"):
            replay = self.arena.arenas.replay()
            assert replay.equal, replay.differences

    def teardown(self):
        if hasattr(self, "arena"):
            learned = [event.duel for event in self.arena.events() if event.kind in ("learned", "noted")]
            assert len(learned) == len(set(learned)) == len(self.answered)
            self.arena.close()


TestEligibilityMachine = EligibilityMachine.TestCase
TestEligibilityMachine.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
