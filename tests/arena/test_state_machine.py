"""Any sequence of asks, answers, expiries, restarts and erasures, against a model of plain dictionaries."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.arena.contract import Clock
from winnerstays.arena import Arena, UnknownDuelError, UnknownUserError, WrongUserError

ITEMS = ["ramen", "tacos", "pho"]
USERS = ["ada", "bob", "cleo"]
EXPIRES_AFTER = 10.0
PATIENCE = 2


class ArenaMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = Clock()
        self.duels = {}  # id -> (duel, the accepted answer or None)
        self.open = {}  # user -> id
        self.passes = {}  # user -> answers in a row that taught nothing
        self.learned = {}  # user -> outcomes learned, if no coins were thrown since
        self.kinds = {"created": 1}
        self.gone = []

    @initialize()
    def start(self):
        rules = {"expires_after": EXPIRES_AFTER, "patience": PATIENCE, "seed": 3}
        self.arena = Arena.open(str(self.folder / "arena.db"), items=ITEMS, clock=self.clock, **rules)

    def count(self, kind):
        self.kinds[kind] = self.kinds.get(kind, 0) + 1

    @rule(user=st.sampled_from(USERS))
    def ask(self, user):
        duel = self.arena.ask(user)
        held = self.open.get(user)
        if held is not None and self.clock.now < self.duels[held][0].expires_at:
            assert duel == self.duels[held][0]
            return
        assert duel.id not in self.duels and duel.left != duel.right and duel.user == user
        assert duel.expires_at == self.clock.now + EXPIRES_AFTER
        self.duels[duel.id] = (duel, None)
        self.open[user] = duel.id
        self.learned.setdefault(user, 0)
        self.passes.setdefault(user, 0)
        self.count("served")

    @precondition(lambda self: self.duels)
    @rule(data=st.data(), answer=st.sampled_from(["left", "right", "tie", "skip", "none"]))
    def tell(self, data, answer):
        duel, before = self.duels[data.draw(st.sampled_from(list(self.duels)))]
        if answer in ("left", "right"):
            receipt = self.arena.tell(duel.id, winner=getattr(duel, answer), user=data.draw(self.teller(duel)))
        else:
            receipt = self.arena.tell(duel.id, outcome=answer)
        assert receipt.status == self.expected(duel, before, answer), (receipt, before, answer)

    def teller(self, duel):
        return st.sampled_from([None, duel.user])

    def expected(self, duel, before, answer):
        if before is not None:
            if before == answer:
                return "duplicate"
            self.count("conflict")
            return "conflict"
        if self.clock.now >= duel.expires_at:
            self.count("late")
            return "late"
        self.duels[duel.id] = (duel, answer)
        assert self.open.pop(duel.user) == duel.id
        if answer in ("left", "right"):
            self.passes[duel.user] = 0
            if self.learned[duel.user] is not None:
                self.learned[duel.user] += 1
            self.count("learned")
            return "learned"
        self.passes[duel.user] += 1
        if self.passes[duel.user] == PATIENCE:
            self.passes[duel.user], self.learned[duel.user] = 0, None
        self.count("noted")
        return "noted"

    @precondition(lambda self: self.duels)
    @rule(data=st.data())
    def tell_as_somebody_else(self, data):
        duel, _ = self.duels[data.draw(st.sampled_from(list(self.duels)))]
        with pytest.raises(WrongUserError):
            self.arena.tell(duel.id, winner=duel.left, user="eve")
        self.count("wrong-user")

    @precondition(lambda self: self.gone)
    @rule(data=st.data())
    def tell_what_was_erased(self, data):
        with pytest.raises(UnknownDuelError):
            self.arena.tell(data.draw(st.sampled_from(self.gone)), winner="ramen")
        self.count("unknown")

    @rule(seconds=st.sampled_from([0.5, 4.0, EXPIRES_AFTER]))
    def wait(self, seconds):
        self.clock.now += seconds

    @rule()
    def restart(self):
        self.arena.close()
        self.arena = Arena.open(str(self.folder / "arena.db"), clock=self.clock)

    @rule(user=st.sampled_from(USERS))
    def erase(self, user):
        if user not in self.learned:
            with pytest.raises(UnknownUserError):
                self.arena.erase(user)
            return
        assert self.arena.erase(user).learners == 1
        self.open.pop(user, None)
        del self.learned[user], self.passes[user]
        mine = [duel for duel, _ in self.duels.values() if duel.user == user]
        for duel in mine:
            del self.duels[duel.id]
            self.gone.append(duel.id)
        kept = {"created", "erased", "unknown"}
        logged = [event for event in self.arena.events() if event.kind not in kept]
        assert user not in {event.user for event in logged}
        self.kinds = {kind: count for kind, count in self.kinds.items() if kind in kept}
        for event in logged:
            self.count(event.kind)
        served = {event.duel for event in logged if event.kind == "served"}
        assert served == set(self.duels)
        self.count("erased")

    @invariant()
    def favourites_are_items(self):
        for user, learned in self.learned.items():
            standing = self.arena.standing(user)
            assert standing.favourite in ITEMS
            assert learned is None or standing.learned == learned

    def teardown(self):
        if hasattr(self, "arena"):
            kinds = {}
            for event in self.arena.events():
                kinds[event.kind] = kinds.get(event.kind, 0) + 1
            replay = self.arena.arenas.replay()
            self.arena.close()
            assert kinds == self.kinds
            assert replay.equal, replay.differences
            assert replay.served == len(self.duels)
        shutil.rmtree(self.folder)


TestArenaMachine = ArenaMachine.TestCase
TestArenaMachine.settings = settings(
    max_examples=25,
    stateful_step_count=25,
    suppress_health_check=list(HealthCheck),
)
