"""What goes into an arena and what comes out of it: requests, results and records, as plain values."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from winnerstays.arena.stores.rows import ROBOT_PREFIX as ROBOT_PREFIX
from winnerstays.errors import WinnerstaysError
from winnerstays.intervals import Bias as Bias

OUTCOMES = ("winner", "tie", "skip", "none")
UNDO = "undo"
"""What stands for the outcome where an answer is taken back."""
SESSION_PREFIX = '{"page":'
"""How the reason of an answer begins that was a session of two rankers (engine/clicks.py); no other reason does."""
MAX_SHOWN = 20
"""The most items that a feed may show at once."""
MAX_REQUESTS = 1000
"""The most requests that one HTTP request may hold."""


@dataclass(frozen=True, slots=True)
class Permit:
    """What exists for whoever sends a request: the arenas of these names, or the one with this id, and which items."""

    names: frozenset[str] | None = None
    id: int | None = None
    public: bool = False
    """Whether it exists for them only as long as it is public."""
    items: tuple[str, ...] | str | None = None
    """The ids of the only items that exist for them, or the name of a set; None stands for all."""

    def covers(self, id_: int, name: str, public: bool) -> bool:
        """Whether the arena with this id and name exists for them."""
        return (
            (self.names is None or name in self.names)
            and (self.id is None or id_ == self.id)
            and (public or not self.public)
        )


ALL = Permit()


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for a duel of an arena; `user` may be left out if the arena is for everyone.

    `among` are the ids of the items that may be shown, or the name of a set of the arena; `without` those that may not.
    Ids that are unknown or retired are passed over, with a warning in the duel.
    `fresh` asks for another duel than the one that the user holds open; `place` is for several open duels of a user: it
    asks for the one at this place. `group` is the user's, such as a country: a new user of an arena for each user
    starts from what it taught. `show` is how many items are shown at once. `avoid` are pairs that are not shown while
    there is another, such as one that was just skipped; the pair `instead` is shown where the learner would show one of
    them. `permit` is what exists for whoever asks.
    """

    arena: str
    user: str | None = None
    among: tuple[str, ...] | str | None = None
    without: tuple[str, ...] | str = ()
    fresh: bool = False
    place: int | None = None
    group: str | None = None
    show: int = 2
    avoid: tuple[tuple[str, str], ...] = ()
    instead: tuple[str, str] | None = None
    permit: Permit = field(default=ALL, repr=False)

    def may_be_for(self, id_: int, name: str, public: bool) -> bool:
        """Whether this may be asked of the arena with this id and name."""
        return self.arena == name and self.permit.covers(id_, name, public)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows of an item."""

    title: str
    picture: str = ""
    link: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two items to show, by their ids. `expires_at` is a Unix time; answers after it teach nothing."""

    id: str
    left: str
    right: str
    expires_at: float
    arena: str = ""
    user: str | None = None
    left_item: Shown | None = None
    right_item: Shown | None = None
    arm: str | None = None
    """Where people are compared: `learner`, or `random` or `fixed` for the control group."""
    warning: str | None = None
    """Which items of the request's lists were passed over."""
    more: tuple[str, ...] = ()
    """Further items, where more than two are shown at once."""
    more_items: tuple[Shown, ...] = ()

    @property
    def items(self) -> tuple[str, ...]:
        """All items, in the order in which to show them."""
        return (self.left, self.right, *self.more)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Duel":
        """Return a duel made from its JSON."""
        shown = {side: Shown(**fields[side]) for side in ("left_item", "right_item") if fields.get(side)}
        more = {"more": tuple(fields["more"]), "more_items": tuple(Shown(**item) for item in fields["more_items"])}
        return cls(**{**fields, **shown, **more})

    def __contains__(self, item: str) -> bool:
        return item in self.items


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer to a duel: a winner, or a `tie`, a `skip`, or `none` of the two; `undo` takes it back.

    If `user` or `arena` is given, the duel must have been served to that user, or by that arena. A `session` of two
    rankers says by its clicks who won (`page`, `clicks` and `rule`, as `Session.to_json()` has them).
    """

    duel: str
    winner: str | None = None
    outcome: str = "winner"
    reason: str | None = None
    user: str | None = None
    arena: str | None = None
    session: Mapping[str, Any] | None = None
    permit: Permit = field(default=ALL, repr=False)

    def may_be_for(self, id_: int, name: str, public: bool) -> bool:
        """Whether this may be an answer to a duel of the arena with this id and name."""
        return self.arena in (None, name) and self.permit.covers(id_, name, public)

    @classmethod
    def of(cls, value: "Answer | Mapping[str, Any] | Sequence[Any]", arena: str | None = None) -> "Answer":
        """Return an answer made from (duel, winner), or from a mapping with the fields of an Answer.

        If `arena` is given, the answer is to a duel of this arena.
        """
        if isinstance(value, Mapping):
            fields = [name for name in cls.__dataclass_fields__ if name != "permit"]
            if not {"duel"} <= set(value) <= set(fields):
                raise WinnerstaysError(f"An answer has the fields {', '.join(fields)} (duel is needed), not {value!r}.")
            answer = cls(**{name: given for name, given in value.items() if name != "outcome" or given is not None})
        elif isinstance(value, Answer):
            answer = value
        elif isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
            duel, winner = value
            return cls(duel.id if isinstance(duel, Duel) else duel, winner, arena=arena)
        else:
            raise WinnerstaysError(f"An answer is (duel, winner) or an Answer, not {value!r}.")
        if arena is None or answer.arena == arena:
            return answer
        if answer.arena is not None:
            raise WinnerstaysError(f"This is the arena {arena!r}, but an answer is for {answer.arena!r}.")
        return replace(answer, arena=arena)


Status = Literal[
    "learned", "noted", "undone", "duplicate", "conflict", "late", "busy", "unknown", "wrong-user", "invalid"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an answer; all but a `duplicate` is a durable row of the log.

    `learned`: accepted and learned. `noted`: accepted, but it teaches nothing, for the `reason` given.
    `undone`: the answer was taken back.
    `duplicate`: the same answer was accepted before. Refused: `conflict` (another answer was accepted before), `late`
    (after expiry) and, from `tell_many`, `busy` (more answers than the user may give in a minute), `unknown`,
    `wrong-user` and `invalid`.
    """

    duel: str
    status: Status
    reason: str | None = None
    moved_on: bool = False
    """Whether the learner went on to another pair, after `patience` answers that taught nothing."""
    arena: str = ""

    @property
    def accepted(self) -> bool:
        return self.status in ("learned", "noted", "undone", "duplicate")


Request = Ask | Answer
Result = Duel | Receipt | WinnerstaysError
"""What a request is answered with: a duel, a receipt, or the error in it."""


@dataclass(frozen=True)
class Rival:
    """The favourite's record against one other item. `evidence` is the e-value that it is the better of the two."""

    item: str
    won: int
    lost: int
    evidence: float


@dataclass(frozen=True)
class Place:
    """What the model of tastes expects of one item: the chance that it is the best, and its rank."""

    item: str
    best: float
    top: float
    """The chance that it is among the best five."""
    rank: float
    """The rank to expect."""
    low: int
    high: int
    """Its rank is from `low` to `high` with chance 90 %."""


NOTHING_SURE = 0.001
"""A confidence below this is not worth a number."""


@dataclass(frozen=True)
class Standing:
    """The favourite of a learner, and how sure it is."""

    arena: str
    user: str | None
    favourite: str
    learned: int
    """Outcomes learned so far."""
    round: int | None
    """The round of WS-W and WS-S."""
    likely: float | None
    """The chance that the favourite is the best item, by a calibrated model of how people choose; None if there are
    not enough answers yet, or if they do not fit together."""
    certified: float
    """A lower bound on that chance for every possible person, valid however often one looks; without any model."""
    rivals: tuple[Rival, ...]
    duels_needed: int | None
    """About how many more duels `certified` needs to reach `level`; None if the record says nothing about it."""
    level: float
    certificate: float | None = None
    """If p was given and the algorithm has rounds: the paper's bound on the chance that the favourite is wrong."""
    answers: int = 0
    """Answers from which `likely` and `places` follow; neither skips nor coins are among them."""
    people: int = 0
    """The number of people who gave them."""
    places: tuple[Place, ...] = ()
    """The items in the order of their chances to be the best."""

    @property
    def sure(self) -> bool:
        return self.certified >= self.level

    def __str__(self) -> str:
        outcomes = "1 learned outcome" if self.learned == 1 else f"{self.learned} learned outcomes"
        how = f"{self.favourite} is the favourite after {outcomes}"
        how += f" (round {self.round})" if self.round is not None else ""
        if self.likely is not None:
            how += f"; it is the best with a chance of {min(self.likely, 0.99):.0%}"
        if self.certified < NOTHING_SURE:
            return f"{how}; it is too early for a certificate."
        sure = f"; certified {self.certified:.1%}"
        if self.sure:
            return how + sure + "."
        if self.duels_needed is None:
            return f"{how}{sure}; how many more duels {self.level:.0%} needs cannot be told yet."
        return f"{how}{sure}, and about {self.duels_needed} more duels are needed for {self.level:.0%}."


@dataclass(frozen=True)
class Event:
    """A row of the log, with names instead of ids.

    `kind` is `created`, `items` (some came, went or were edited), `changed` (other settings), `served`, `learned`,
    `noted`, `undone`, `rewarded`, `erased`, or the reason why an answer was refused: `late`, `conflict`, `busy`,
    `unknown`, `wrong-user`, `invalid`.
    """

    seq: int
    at: float
    arena: str
    user: str | None
    kind: str
    duel: str | None = None
    left: str | None = None
    right: str | None = None
    outcome: str | None = None
    winner: str | None = None
    reason: str | None = None
    expires_at: float | None = None
    arm: str | None = None
    """Who chose the pair, in an arena with a control group: `learner`, or `random` or `fixed` for the control group."""
    group: str | None = None
    """Of the user to whom the duel was served."""
    probe: str | None = None
    """In a probe: the item that was recommended; the other one was drawn at random."""
    value: float | None = None
    """Of a reward."""
    key: str | None = None
    """Of a reward, as the caller gave it."""
    model: int | None = None
    """The version of the model that chose the pair, also in the rows of its answers."""
    chance: float | None = None
    """The chance with which a random pair was drawn, or the random item of a probe; None where the learner chose."""
    shown: tuple[str, ...] | None = None
    """Where more than two items are shown: all of them, in their order. Left and right are two of them; in the row of
    an answer, the chosen one and another one."""

    def __post_init__(self) -> None:
        if self.shown is not None:  # a list, where it comes from JSON
            object.__setattr__(self, "shown", tuple(self.shown))

    @property
    def session(self) -> dict[str, Any] | None:
        """The page, the clicks and the rule of an answer that was a session of two rankers."""
        return json.loads(self.reason) if self.reason and self.reason.startswith(SESSION_PREFIX) else None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


EVENTS_AT_ONCE = 1000
"""Events are read this many at a time: nobody who reads slowly keeps the database from tidying up."""


def in_pages(fetch: Callable[[int, int], list[Event]], after: int, limit: int | None) -> Iterator[Event]:
    """Yield the events after `after`, at most `limit`; `fetch(after, size)` returns the next ones, `size` if it can."""
    if limit is not None and not (isinstance(limit, int) and limit >= 1):
        raise WinnerstaysError(f"limit is {limit!r}, but it must be at least 1.")
    while limit is None or limit > 0:
        size = EVENTS_AT_ONCE if limit is None else min(limit, EVENTS_AT_ONCE)
        page = fetch(after, size)
        yield from page
        if len(page) < size:
            return
        after = page[-1].seq
        limit = None if limit is None else limit - size


@dataclass(frozen=True)
class Heads:
    """Hashes, in hexadecimal digits, that change with every row: kept elsewhere, they prove that none is missing."""

    database: str
    arenas: dict[str, str]
    """By the names of the arenas."""


@dataclass(frozen=True)
class Win:
    """How often one item was chosen over another."""

    winner: str
    loser: str
    times: int


@dataclass(frozen=True)
class Popularity:
    """How often an item was chosen in the duels in which it was shown, over all people, with an interval.

    Items share a rank if their intervals do not tell them apart; the interval takes answers as independent.
    """

    rank: int
    item: str
    won: int
    lost: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Totals:
    """How often what happened in an arena, over all its learners: of people, or of robots."""

    kinds: dict[str, int]
    """Rows of the log by kind (see Event)."""
    hours: dict[str, dict[int, int]]
    """The same by kind and hour since 1970 (a Unix time divided by 3600)."""
    left: int
    """How often the left item was chosen."""
    right: int
    wins: tuple[Win, ...]
    """How often an item was chosen over another, where it ever was."""
    groups: dict[str, tuple[int, int]] = field(default_factory=dict)
    """How often the left and the right item was chosen in each group of users."""


@dataclass(frozen=True)
class Summary:
    """What the people of an arena like, over all its learners; robots are left out."""

    learners: int
    summarised: int
    """The favourites and rounds are those of this many learners, the newest."""
    favourites: dict[str, int]
    """Of how many learners an item is the favourite, where it is of any."""
    rounds: dict[int, int]
    """How many learners are in which round of Winner Stays."""
    looked_at: int
    """`sure` is the number among this many learners, the newest."""
    sure: int
    """Learners whose favourite has reached the confidence `level`."""
    level: float
    newest: tuple[str, ...]
    """The newest users."""
    refused: dict[str, int]
    """Refused answers by reason, in the log or only counted."""


@dataclass(frozen=True)
class Pruned:
    """How many rows were removed, and how many learners have a snapshot instead."""

    rows: int
    learners: int


@dataclass(frozen=True)
class Replay:
    """The result of replaying the log: how much was replayed, what differs, and what could not be checked."""

    learners: int
    served: int
    accepted: int
    differences: tuple[str, ...]
    """Where the database contradicts itself, its own check, or the head that was expected."""
    unchecked: tuple[str, ...] = ()
    """What this replay says nothing about."""
    rows: int = 0
    """Rows of the log whose hashes were computed again."""
    heads: Heads | None = None

    @property
    def equal(self) -> bool:
        return not self.differences


@dataclass(frozen=True)
class Rewarded:
    """A reward that is in the log."""

    arena: str
    user: str
    value: float
    key: str | None
    arm: str | None
    """As in the duels of the user."""
    duplicate: bool
    """Whether it was there before, with this key."""


@dataclass(frozen=True)
class Deleted:
    """How many rows and learners were removed with an arena."""

    arena: str
    rows: int
    learners: int
    left: tuple[str, ...] = ()
    """Where copies of what was removed may still be, until the operator does what is said here."""


@dataclass(frozen=True)
class Erased:
    """How many rows and learners were removed with a user."""

    user: str
    rows: int
    learners: int
    left: tuple[str, ...] = ()
    """Where copies of what was removed may still be, until the operator does what is said here."""
