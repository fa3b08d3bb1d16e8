"""Which settings should an arena have? A site is simulated, or the log of an arena is replayed, with each of them.

Beside them are what an engineer would write without an arena: random pairs, the two most popular items, and
Bradley-Terry of the crowd, without and with each visitor's own taste.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from winnerstays.advice.policies import BradleyTerry, Catalogue, Learners, Popular, Random
from winnerstays.advice.site import Played, Site, World, play
from winnerstays.arena import Arena
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.intervals import anytime
from winnerstays.randomness import check_seed

TASTES = {"common": (2.0, 0.0, 0.7), "half": (1.5, 0.0, 1.5), "cuisine": (1.0, 1.6, 0.7), "own": (0.0, 0.0, 2.1)}
"""Standard deviations of utilities: how good items are for all, tastes of four kinds, what is one's own."""
WAYS: dict[str, dict[str, Any]] = {
    "each user, tastes": {"audience": "user", "algorithm": "tastes"},
    "each user, ws-root, with the crowd": {"audience": "user", "algorithm": "ws-root", "crowd": True},
    "each user, ws-root, alone": {"audience": "user", "algorithm": "ws-root", "crowd": False},
    "everyone, ws-root": {"audience": "everyone", "algorithm": "ws-root"},
}
"""Ways to set up an arena, by name: the settings in which they differ."""
BASELINES: dict[str, Callable[[Catalogue], Random]] = {
    "random pairs": Random,
    "the two most popular": Popular,
    "Bradley-Terry of the crowd": BradleyTerry,
    "Bradley-Terry, crowd and own": partial(BradleyTerry, own=1.0),
}
"""What is played beside them."""
ERROR, MIN_POPULATIONS, MAX_POPULATIONS = 3.0, 4, 40
"""Populations are played until no standard error is above this many points."""
MAX_DUELS = 60_000
"""Played of one population at most; of more visitors only the first are."""
MIN_RANDOM = 200
"""So many answers to random pairs a log must have."""
GIVE_UP_SECONDS = 60
"""A rule of thumb, not simulated: whoever has not answered by then looks at something else."""
CONTROL_SPREAD, CONTROL_WIDTH, MAX_HOLDOUT = 0.25, 0.05, 0.5
"""A control group is large enough if the mean of shares with this deviation is known up to this many."""
LIMITS = {
    "items": (2, 10_000), "visitors": (1, 10**9), "answers": (1, 1000), "open": (1, 10_000), "change": (0, 10_000),
    "zones": (0, 1), "slips": (0, 1), "bounces": (0, 0.99),
}  # fmt: skip


class Outcome(NamedTuple):
    """What to expect of one way, in percent; errors are standard errors."""

    way: str
    share: float
    """Of a site: duels that show the visitor's favourite. Of a log: random pairs of which it recommends the chosen."""
    error: float
    behind: float
    """Points behind the best settings."""
    behind_error: float
    seen: float | None = None
    """Of a site: people who saw their favourite at least once."""

    @property
    def is_setting(self) -> bool:
        return self.way in WAYS


@dataclass(frozen=True)
class Advice:
    """What to expect of each way, and which settings to take."""

    case: str
    measure: str
    """What the share is."""
    outcomes: tuple[Outcome, ...]
    best: Outcome
    """Of the settings of an arena."""
    settings: dict[str, Any]
    unknown: tuple[str, ...]
    """What this does not say."""

    def __str__(self) -> str:
        settings, others = ([each for each in self.outcomes if each.is_setting is kind] for kind in (True, False))
        close = [each.way for each in settings if 0 < each.behind <= 2 * each.behind_error]
        lead = f"; {' and '.join(map(repr, close))} may be as good" if close else ""
        better = [each for each in others if each.behind < -2 * each.behind_error]
        warning = "".join(f" {each.way} does better: {each.share:.1f} %." for each in better)
        return f"{self.case}: take {self.best.way!r} ({self.best.share:.1f} ± {self.best.error:.1f} %){lead}.{warning}"

    def as_dict(self) -> dict[str, Any]:
        outcomes = [outcome._asdict() for outcome in self.outcomes]
        return asdict(self) | {"outcomes": outcomes, "best": self.best._asdict(), "advice": str(self)}


def advise(
    items: int,
    visitors: int,
    answers: tuple[int, int] | int,
    *,
    tastes: str = "half",
    open: int = 20,
    change: int = 0,
    zones: float = 0.0,
    slips: float = 0.1,
    bounces: float = 0.05,
    seed: int = 0,
    error: float = ERROR,
    max_duels: int = MAX_DUELS,
) -> Advice:
    """Simulate a site with every way to set up an arena, and name the best.

    Each visitor answers from `answers[0]` to `answers[1]` times. When half of them have come, `change` items are
    replaced. `zones` is the share of visitors who may have only a fifth of the items, `slips` the share of answers at
    random, `bounces` that of visitors who answer nothing; `open` visitors are there at once.

    >>> advise(5, 30, 6, tastes="own", error=50).best.way in WAYS
    True
    """
    clicks = (answers, answers) if isinstance(answers, int) else tuple(answers)
    for name, value in (
        ("items", items), ("visitors", visitors), *(("answers", number) for number in clicks), ("open", open),
        ("change", change), ("zones", zones), ("slips", slips), ("bounces", bounces),
    ):  # fmt: skip
        _check(name, value)
    if len(clicks) != 2 or clicks[0] > clicks[1]:
        raise WinnerstaysError(f"answers is {answers!r}, but it must be a number, or two: the fewest and the most.")
    if tastes not in TASTES:
        raise unknown("kind of tastes", tastes, TASTES)
    if change > items:
        raise WinnerstaysError(f"change is {change}, but there are only {items} items to replace.")
    check_seed(seed)
    each = (clicks[0] + clicks[1]) / 2
    played = min(visitors, max(2, int(max_duels / each)))
    site = Site(
        "yours", *TASTES[tastes], visitors=played, items=items, change=change, open=min(open, played), zones=zones,
        bounces=bounces, slips=slips, clicks=(clicks[0], clicks[1]),
    )  # fmt: skip
    ways = _ways(visitors == 1)
    runs: dict[str, list[Played]] = {way: [] for way in ways}
    for population in range(MAX_POPULATIONS):
        world = World(site, seed * MAX_POPULATIONS + population)
        for way, policy in ways.items():
            runs[way].append(play(world, policy(world)))
        shares = {way: np.array([run.favourite for run in runs[way]]) for way in ways}
        worst = max(map(_error, shares.values()))
        if population + 1 >= MIN_POPULATIONS and worst <= error:
            break
    spread = f"{clicks[0]}" if clicks[0] == clicks[1] else f"{clicks[0]} to {clicks[1]}"
    case = f"{items:,} items, {visitors:,} visitors with {spread} answers each, tastes {tastes!r}"
    missing = ["whether tastes are like that: compare several kinds, and measure with a control group"]
    if played < visitors:
        missing.append(f"what becomes of later visitors: the first {played:,} were played")
    if worst > error:
        missing.append(f"the shares more exactly than ± {worst:.1f} points")
    measure = "share of duels that show the visitor's own favourite"
    seen = {way: float(np.mean([run.seen for run in runs[way]])) for way in ways}
    return _advice(case, measure, _outcomes(shares, seen), visitors, each, missing)


def advise_from_log(arena: Arena) -> Advice:
    """Replay the log of an arena with every way to set it up, and name the best.

    Each learns from all answers in the log, in their order. Before each answer to a random pair of the control group,
    which no way has chosen, each says which of the two it would recommend to this person.
    """
    catalogue = Catalogue([item.id for item in arena.items], seed=0)
    place = {name: number for number, name in enumerate(catalogue.names)}
    people: dict[str, int] = {}
    ways = {way: policy(catalogue) for way, policy in _ways(False).items()}
    right: dict[str, dict[int, list[bool]]] = {way: {} for way in ways}
    answers = random = 0
    for event in arena.events():
        if event.kind not in ("learned", "noted") or event.winner is None or event.left is None or event.right is None:
            continue
        answers += 1
        pair = np.array([place[event.left], place[event.right]])
        visitor, winner = people.setdefault(event.user or str(event.duel), len(people)), place[event.winner]
        if event.arm == "random":
            random += 1
            for way, policy in ways.items():
                right[way].setdefault(visitor, []).append(policy.best(visitor, pair) == winner)
        loser = int(pair.sum()) - winner
        for policy in ways.values():
            policy.tell(visitor, winner, loser, True)
    if random < MIN_RANDOM:
        raise WinnerstaysError(
            f"The log of {arena.name!r} has {random} answers to random pairs, but {MIN_RANDOM} are needed to compare "
            "settings. Keep a control group (holdout=0.1), or simulate your numbers with --items, --visitors and "
            "--answers-each."
        )
    case = f"{answers:,} answers of {len(people):,} people, {random:,} of them to random pairs"
    measure = "share of random pairs of which the recommended item was chosen, as a mean over people"
    shares = {way: np.array([100 * np.mean(hits) for hits in each.values()]) for way, each in right.items()}
    missing = ["what these people would have answered to the pairs that another way had shown them"]
    each_answers = answers / max(1, len(people))
    return _advice(case, measure, _outcomes(shares, {}), len(people), each_answers, missing)


def _ways(alone: bool) -> dict[str, Callable[[Catalogue], Random]]:
    """Return everything that is compared; one visitor needs no arena for everyone."""
    ways: dict[str, Callable[[Catalogue], Random]] = {}
    for way, settings in WAYS.items():
        if not (alone and settings["audience"] == "everyone"):
            ways[way] = partial(Learners, **settings)
    return ways | BASELINES


def _outcomes(shares: dict[str, Any], seen: dict[str, float]) -> tuple[Outcome, ...]:
    """Return what the shares come to, given for the same populations or people."""
    best = max((way for way in shares if way in WAYS), key=lambda way: float(shares[way].mean()))
    return tuple(
        Outcome(
            way, float(share.mean()), _error(share), float((shares[best] - share).mean()),
            _error(shares[best] - share), seen.get(way),
        )
        for way, share in shares.items()
    )  # fmt: skip


def _advice(
    case: str, measure: str, outcomes: tuple[Outcome, ...], visitors: int, each: float, missing: list[str]
) -> Advice:
    best = max((outcome for outcome in outcomes if outcome.is_setting), key=lambda outcome: outcome.share)
    settings = {**WAYS[best.way], "holdout": _holdout(visitors)}
    if settings["audience"] == "user":
        settings |= {"give_up": GIVE_UP_SECONDS, "max_open": max(1, min(10, round(each)))}
    return Advice(case, measure, outcomes, best, settings, tuple(missing))


def _holdout(visitors: int) -> float:
    """Return the share of visitors that makes a control group large enough; 0 where there are too few for one."""
    needed = 10
    while anytime(needed, needed / 2, needed * (0.25 + CONTROL_SPREAD**2), 0.975)[1] - 0.5 > CONTROL_WIDTH:
        needed += 10
    share = math.ceil(100 * needed / visitors) / 100
    return share if share <= MAX_HOLDOUT else 0.0


def _error(values: Any) -> float:
    return float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else math.inf


def _check(name: str, value: object) -> None:
    low, high = LIMITS[name]
    kinds: tuple[type, ...] = (int, float) if name in ("zones", "slips", "bounces") else (int,)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:  # type: ignore[operator]
        kind = "a number" if float in kinds else "a whole number"
        raise WinnerstaysError(f"{name} is {value!r}, but must be {kind} from {low} to {high}.")
