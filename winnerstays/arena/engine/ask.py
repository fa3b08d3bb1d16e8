"""Asks: the duel that a user holds open already, or the next pair of the learner.

Before a new pair is chosen, the learner is told what happened since: items came or went, duels were given up. A new
learner starts from what the others taught.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from winnerstays.algorithms import registered
from winnerstays.arena.engine.cache import ArenaRuntime
from winnerstays.arena.engine.crowd import MAX_LEARNERS, MIN_LEARNERS, NEW_LEARNERS, Crowd, Taste, crowd
from winnerstays.arena.engine.duels import DuelData
from winnerstays.arena.engine.holdout import ARMS, FIXED, LEARNER, PROBE, choose_arm, chooser, draw, draws, fixed_items
from winnerstays.arena.engine.learner import BETWEEN, LearnerState
from winnerstays.arena.engine.tastes import TASTES
from winnerstays.arena.engine.transaction import LockedLearner, LockedRows, TransactionLog
from winnerstays.arena.errors import UnknownArenaError, too_many_open
from winnerstays.arena.items import check_ids
from winnerstays.arena.records import MAX_SHOWN, ROBOT_PREFIX, Ask, Duel
from winnerstays.arena.stores import learner_statements
from winnerstays.arena.stores.base import Row, Transaction
from winnerstays.arena.stores.rows import SERVED, ServedDuel
from winnerstays.errors import WinnerstaysError, unknown

MAX_EXPIRED = 8
"""A transaction looks at this many duels of everyone, and twice as many as it serves, for those that expired."""


class Serving:
    """Serves the duels that are asked for in one transaction."""

    def __init__(self, rows: LockedRows, log: TransactionLog, asks: int) -> None:
        self._rows = rows
        self._log = log
        self._asks = asks

    def serve(self, ask: Ask, arena: ArenaRuntime, username: str) -> Duel | WinnerstaysError:
        """Return the duel that is asked for, or what is wrong with the request."""
        learner = self._rows.learners[self._rows.learner_ids[arena.id, username]]
        arena = learner.arena  # as it was when the learner was locked
        if arena.fault is not None:
            return arena.fault
        if not ask.may_be_for(arena.id, arena.name, arena.settings.public):
            return UnknownArenaError.of(ask.arena)
        if arena.settings.closed:
            return WinnerstaysError(f"The arena {ask.arena!r} is closed: it serves no more duels.")
        try:
            check_shown(arena, ask.show)
            eligible, warning = find_eligible(arena, ask)
            may_show = arena.there if eligible is None else set(eligible)
            held = self._held(ask, learner, may_show)
        except WinnerstaysError as error:
            return error
        if held is not None:
            return _duel(arena, held, ask.user, warning)
        rules = arena.rules
        id_ = self._rows.duel_ids.new(self._rows.now, learner.id)
        group = ask.group if arena.shared or ask.group is not None else learner.group
        arm = self._arm(ask, learner, eligible, id_)
        new = not (learner.data or learner.state.step or learner.open) and chooser(arm) in (None, LEARNER)
        closed, passed = self._close(learner, may_show)
        data = rules.changes(learner.state)._replace(
            prior=find_prior(self._rows.transaction, arena, group) if new else (),
            passed=passed,
            closed=closed,
            eligible=eligible,
            model=rules.model(self._rows.newest_model(arena), group),
        )
        if arena.shared:
            data = self._look_for_expired(learner, data)
        state = rules.prepare(learner.state, data)
        fixed = self._fixed_items(learner, eligible, id_, arm, ask.show) if chooser(arm) == FIXED else None
        if ask.show == 2 and fixed is None:
            data = self._other_pair(learner, state, data, arm, ask, id_)
        if draws(arm) and data.eligible == eligible:
            data = data._replace(drawn=len(eligible or arena.there))
        if ask.show == 2:
            first, second, flipped = rules.serve(state, data.eligible, arm, fixed)
        else:
            first, second, *shown = rules.serve_feed(state, ask.show, eligible, arm, fixed)
            flipped, data = shown.index(first) > shown.index(second), data._replace(shown=tuple(shown))
        served = ServedDuel(
            id_, arena.id, learner.id, first, second, int(flipped), rules.step(state, data.eligible, arm),
            self._rows.now + arena.expires_after, ask.user if arena.shared else None, False, arm, group, data.shown,
        )  # fmt: skip
        self._rows.add_duel(served)
        learner.state = rules.show(state, first, second, arm)
        data = data._replace(adds=rules.added(state, learner.state, arm))
        if not arena.shared:
            learner.group = group
            learner.open = [*learner.open, served.id] if rules.counts_open else [served.id]
        learner.changed = True
        self._log.append(served, "served", phase=SERVED, username=served.username, data=data, arm=arm)
        return _duel(arena, served, ask.user, warning)

    def _held(self, ask: Ask, learner: LockedLearner, may_show: set[int]) -> ServedDuel | None:
        """Return the duel that a user holds open already, if that is what is asked for.

        One with an item that was retired since, or that is not eligible now, is not shown again.
        """
        arena = learner.arena
        live = [self._rows.served[id_] for id_ in learner.open if self._is_live(id_)]
        live = [served for served in live if len(served.items) == ask.show and may_show.issuperset(served.items)]
        if ask.place is not None:
            if arena.shared or not arena.rules.counts_open:
                raise WinnerstaysError(
                    f"The arena {arena.name!r} keeps one duel open for a user; several need an arena for each user "
                    "with an algorithm that counts open duels, such as 'ws-root'."
                )
            if not 0 <= ask.place < arena.max_open:
                raise too_many_open(arena.name, arena.max_open, ask.place + 1)
            return live[ask.place] if ask.place < len(live) else None
        if not live or ask.fresh:
            return None
        newest = live[-1]
        given_up = (
            arena.give_up is not None and self._rows.now >= newest.expires_at - arena.expires_after + arena.give_up
        )
        return None if given_up else newest

    def _close(self, learner: LockedLearner, may_show: set[int]) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        """Close the duels of a user that expired, and of too many those that do not fit, then the oldest.

        Return their places, and their pairs. Where the algorithm does not count open duels a user holds one, and it is
        given up for the new one.
        """
        arena, duels = learner.arena, [self._rows.served.get(id_) for id_ in learner.open]
        live = [place for place, id_ in enumerate(learner.open) if self._is_live(id_)]
        live.sort(key=lambda place: may_show.issuperset(self._rows.served[learner.open[place]].items))
        limit = arena.max_open if arena.rules.counts_open else 1
        kept = set(live[max(0, len(live) - limit + 1) :])
        closed = tuple(place for place in range(len(duels)) if place not in kept)
        pairs = [
            pair
            for place in closed
            if (duel := duels[place]) is not None
            and (arena.rules.counts_open or (place in live and duel.arm in (None, LEARNER) and duel.step != BETWEEN))
            for pair in duel.pairs
        ]
        learner.open = [id_ for place, id_ in enumerate(learner.open) if place in kept]
        return closed, tuple(pairs)

    def _is_live(self, duel_id: str) -> bool:
        """Whether a duel that a user holds open has not expired; the row of one that has may be pruned."""
        return duel_id in self._rows.served and self._rows.now < self._rows.served[duel_id].expires_at

    def _look_for_expired(self, learner: LockedLearner, data: DuelData) -> DuelData:
        """Add the pairs of everyone's duels that expired without an answer."""
        if learner.looked or not learner.arena.rules.counts_open:
            return data
        learner.looked = True
        limit = MAX_EXPIRED + 2 * self._asks
        pairs, up_to = learner_statements.expired(
            self._rows.transaction, learner.id, learner.state.up_to, self._rows.now, limit
        )
        return data._replace(passed=tuple(pairs), up_to=up_to)

    def _other_pair(
        self, learner: LockedLearner, state: LearnerState, data: DuelData, arm: int | None, ask: Ask, duel_id: str
    ) -> DuelData:
        """Exclude items while the next pair is one that the user holds open, or avoids, and there is another.

        An algorithm that cannot choose among some items waits while its user sees another pair.
        """
        arena, rules, items = learner.arena, learner.arena.rules, sorted(data.eligible or learner.arena.there)
        able = rules.algorithm.serving.among is not None
        held = [self._rows.served[id_] for id_ in learner.open if id_ in self._rows.served and able]
        pairs = [frozenset((duel.first, duel.second)) for duel in held]
        pairs += [frozenset(arena.arms[item] for item in pair if item in arena.arms) for pair in ask.avoid]
        shunned = {pair: -place for place, pair in enumerate(pairs)}

        def next_pair() -> tuple[int, int]:
            return rules.serve(state._replace(rng=state.rng.copy()), data.eligible, arm)[:2]

        pair = next_pair() if shunned else (0, 0)
        instead = tuple(sorted(arena.arms.get(item, -1) for item in ask.instead or ()))
        if frozenset(pair) in shunned and arm in (None, LEARNER) and instead and set(instead) <= set(items):
            return data._replace(eligible=instead)
        while frozenset(pair) in shunned and (able or arm not in (None, LEARNER)):
            others = tuple(sorted(set(data.eligible or items) - {pair[1]}))
            if len(others) < 2:
                break
            data = data._replace(eligible=others)
            pair = next_pair()
        if frozenset(pair) not in shunned:
            return data
        turn = int(draw(arena.settings.seed, duel_id, b"pair") * len(items))
        order = items[turn:] + items[:turn]
        candidates = list(combinations(order, 2))
        if chooser(arm) in (None, LEARNER):  # of a probe the recommended item stays
            favourite = rules.recommended(state, items)
            candidates = [pair for pair in candidates if favourite in pair]
        other = min(candidates, key=lambda pair: shunned.get(frozenset(pair), -len(shunned)))
        return data._replace(eligible=tuple(sorted(other)))

    def _arm(self, ask: Ask, learner: LockedLearner, eligible: tuple[int, ...] | None, duel_id: str) -> int | None:
        """Return who chooses the pair for whoever asks, and whether it is a probe; None where nothing is compared.

        Robots are not compared with the control group, nor those who came before there was one.
        """
        arena = learner.arena
        if not arena.holdout or (ask.user or "").startswith(ROBOT_PREFIX):
            return None
        person = learner.state.person
        if person is not None:
            control = person.control
        elif not arena.shared and learner.data:
            return None
        else:
            control = draw(arena.settings.seed, ask.user or duel_id) < arena.holdout
        fixed = len(self._fixed_order(arena, eligible)) >= ask.show
        probes = arena.probes if ask.show == 2 else 0.0
        who, turn = (duel_id, 0) if arena.shared else (learner.username, person.served if person else 0)
        return choose_arm(control, fixed, arena.settings.seed, who, turn, probes)

    def _fixed_order(self, arena: ArenaRuntime, eligible: tuple[int, ...] | None) -> list[int]:
        """Return the items of the list that the control group gets, those that may be shown."""
        return [item for item in arena.control if item in (eligible or arena.there)]

    def _fixed_items(
        self, learner: LockedLearner, eligible: tuple[int, ...] | None, duel_id: str, arm: int | None, count: int
    ) -> tuple[int, ...]:
        """Return the next items of that list, for a probe the first two; for everyone it begins anywhere."""
        arena, person = learner.arena, learner.state.person
        order = self._fixed_order(arena, eligible)
        if arm != FIXED:
            return fixed_items(order, 0)
        turn = person.served if person else 0
        if arena.shared:
            turn = int(draw(arena.settings.seed, f"turn of {duel_id}") * len(order))
        return fixed_items(order, turn, count)


def _duel(arena: ArenaRuntime, served: ServedDuel, user: str | None, warning: str | None) -> Duel:
    left, right, *more = (arena.item_ids[item] for item in served.items)
    left_item, right_item, *more_items = (arena.shown[item] for item in served.items)
    arm = None if served.arm is None else ARMS[served.arm % PROBE]
    return Duel(
        served.id, left, right, served.expires_at, arena.name, user, left_item, right_item, arm, warning,
        tuple(more), tuple(more_items),
    )  # fmt: skip


def check_shown(arena: ArenaRuntime, count: object) -> None:
    """Raise an error if an arena cannot show this many items at once."""
    if not (type(count) is int and 2 <= count <= MAX_SHOWN):
        raise WinnerstaysError(f"show is {count!r}, but it must be a whole number from 2 to {MAX_SHOWN}.")
    if count > 2 and arena.settings.algorithm != TASTES:
        raise WinnerstaysError(
            f"The algorithm {arena.settings.algorithm!r} of the arena {arena.name!r} learns from two items at a time, "
            f"so it cannot show {count}; {TASTES!r} can."
        )
    if count > len(arena.there):
        raise WinnerstaysError(f"show is {count}, but the arena {arena.name!r} has {len(arena.there)} items to show.")


SAID = 5
"""So many ids of a list are said in an error."""


def find_eligible(arena: ArenaRuntime, ask: Ask) -> tuple[tuple[int, ...] | None, str | None]:
    """Return the items of which two may be shown, None if these are all that are not retired; and a warning.

    The warning names the ids of the lists that were passed over.
    """
    if ask.among is None and not ask.without and ask.permit.items is None:
        return None, None
    passed_over: list[str] = []
    eligible = find_items(arena, ask.among, ask.permit.items, passed_over)
    if ask.without:
        eligible -= find_items(arena, ask.without)
        passed_over += [id_ for id_ in ask.without if id_ not in arena.arms] if not isinstance(ask.without, str) else []
    if len(eligible) < ask.show:
        raise WinnerstaysError(
            f"A duel needs {ask.show} items, but of those asked for the arena {arena.name!r} may show {len(eligible)}: "
            f"among={_short(ask.among)}, without={_short(ask.without)}."
        )
    warning = (
        f"The arena {arena.name!r} passed over items that it does not have or may not show: {_short(passed_over)}."
        if passed_over
        else None
    )
    if eligible == arena.there:
        return None, warning
    if arena.rules.algorithm.serving.among is None:
        able = ", ".join([TASTES, *(name for name, one in registered().items() if one.serving.among is not None)])
        raise WinnerstaysError(
            f"The algorithm {arena.settings.algorithm!r} of the arena {arena.name!r} cannot choose among some of the "
            f"items; these can: {able}."
        )
    return tuple(sorted(eligible)), warning


def _short(ids: Sequence[str] | str | None) -> str:
    """Return what was asked for, of long lists the beginning."""
    if ids is None or isinstance(ids, str) or len(ids) <= SAID:
        return repr(ids)
    return f"{list(ids[:SAID])!r} and {len(ids) - SAID:,} more"


def find_items(arena: ArenaRuntime, wanted: Any, allowed: Any = None, passed_over: list[str] | None = None) -> set[int]:
    """Return the items with these ids, or of the set of this name, that may be shown; None stands for all.

    `allowed` are the only ones that exist for whoever asks, in the same way. Ids of a list that are unknown, retired or
    not allowed are added to `passed_over`.
    """
    there = arena.there if allowed is None else find_items(arena, allowed)
    if wanted is None:
        return set(there)
    if isinstance(wanted, str):
        sets = arena.settings.sets
        if wanted not in sets:
            raise WinnerstaysError(f"The arena {arena.name!r} has no such set. {unknown('set', wanted, sets)}")
        return {arena.arms[id_] for id_ in sets[wanted]} & there
    ids = check_ids(wanted, "a list of ids or the name of a set")
    found = {arena.arms[id_] for id_ in ids if id_ in arena.arms} & there
    if passed_over is not None:
        passed_over += [id_ for id_ in ids if arena.arms.get(id_) not in found]
    return found


Points = tuple[tuple[int, int], ...]


def find_prior(transaction: Transaction, arena: ArenaRuntime, group: str | None) -> Points:
    """Return the points with which the learner of a new user starts: (item, points).

    They are kept for the next new users of the group; what a learner started with is in the row of its first duel.
    """
    if arena.shared or not arena.settings.crowd or arena.rules.algorithm.serving.believe is None:
        return ()
    prior, births = arena.crowds.get(group) or (None, 0)
    if prior is None or births >= NEW_LEARNERS + prior.learners // 20:
        of_group = [] if group is None else learner_statements.newest_states(transaction, arena.id, MAX_LEARNERS, group)
        if group is not None and len(of_group) < MIN_LEARNERS:  # names of groups may be anything: few are kept
            return find_prior(transaction, arena, None)
        prior, births = _look(transaction, arena, of_group), -1
    arena.crowds.put(group, (prior, births + 1))
    return prior.points


def _look(transaction: Transaction, arena: ArenaRuntime, of_group: list[Row]) -> Crowd:
    """Look at the newest learners of an arena, and at those of a group."""
    newest = learner_statements.newest_states(transaction, arena.id, MAX_LEARNERS)
    return crowd(_tastes(arena, newest), arena.there, _tastes(arena, of_group))


def _tastes(arena: ArenaRuntime, newest: list[Row]) -> list[Taste]:
    states = (arena.rules.load(learner_id, data) for _, learner_id, data in newest if data)
    return [taste for taste in map(arena.rules.taste, states) if taste is not None]
