"""What goes into an arena and what comes out of it: plain values, checked when they are made."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from winnerstays.algorithms.parameters import Value
from winnerstays.algorithms.registry import algorithm as find_algorithm
from winnerstays.errors import WinnerstaysError

MOST_CHARACTERS = 200
Audience = Literal["user", "everyone"]
Teaching = Literal["nothing", "coin"]


class UnknownArenaError(WinnerstaysError):
    """There is no arena of that name."""


class UnknownDuelError(WinnerstaysError):
    """No such duel was served, or its user was erased."""


class UnknownUserError(WinnerstaysError):
    """Nobody of that name was ever served."""


class WrongUserError(WinnerstaysError):
    """A duel was answered by somebody else than the one it was served to."""


class DifferentArenaError(WinnerstaysError):
    """An arena of that name exists, with other items or rules."""


class StoreError(WinnerstaysError):
    """The database cannot be used (now); nothing that was acknowledged is lost."""


class BusyError(StoreError):
    """The database must be waited for; nothing was done."""


def check_text(kind: str, value: object) -> str:
    """A name that every database can hold: not empty, of decent length, proper Unicode."""
    if not isinstance(value, str):
        raise WinnerstaysError(f"{kind} must be a text, but is {value!r}.")
    if not value.strip() or len(value) > MOST_CHARACTERS:
        raise WinnerstaysError(f"{kind} must have 1 to {MOST_CHARACTERS} characters, but {value[:40]!r} does not.")
    return _storable(kind, value)


def _storable(kind: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise WinnerstaysError(f"{kind} {value[:40]!r} is not proper Unicode text.") from None
    if "\0" in value:
        raise WinnerstaysError(f"{kind} {value[:40]!r} must not contain the character NUL.")
    return value


def storable_scrap(value: object) -> str:
    """Whatever was sent, as a short text that can be kept in the log: a proper text as it is.

    >>> storable_scrap("it's"), storable_scrap("a\\0"), storable_scrap(7)
    ("it's", "'a\\\\x00'", '7')
    """
    try:
        return _storable("", value)[:MOST_CHARACTERS] if isinstance(value, str) else repr(value)[:MOST_CHARACTERS]
    except WinnerstaysError:
        return repr(value)[:MOST_CHARACTERS]


@dataclass(frozen=True)
class Item:
    """One of the things people choose between. Everything but `id` is only shown; `features` is for algorithms."""

    id: str
    title: str = ""
    picture: str = ""
    link: str = ""
    text: str = ""
    features: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_text("The id of an item", self.id)
        if not self.title:
            object.__setattr__(self, "title", self.id)
        for name in ("title", "picture", "link", "text"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise WinnerstaysError(f"The {name} of item {self.id!r} must be a text, but is {value!r}.")
            _storable(f"The {name} of item {self.id!r}:", value)
        try:
            features = tuple(map(float, self.features))
        except (TypeError, ValueError):
            features = (math.nan,)
        if not all(map(math.isfinite, features)):
            raise WinnerstaysError(f"The features of item {self.id!r} must be finite numbers, not {self.features!r}.")
        object.__setattr__(self, "features", features)

    @classmethod
    def of(cls, value: "str | Item | Mapping[str, Any]") -> "Item":
        """An item from its id, or from a mapping with the fields of an Item."""
        if isinstance(value, Item):
            return value
        if isinstance(value, Mapping):
            extra = set(value) - set(cls.__dataclass_fields__)
            if extra or "id" not in value:
                raise WinnerstaysError(
                    f"An item has the fields {', '.join(cls.__dataclass_fields__)} (id is needed), not {dict(value)!r}."
                )
            return cls(**value)
        return cls(value)


@dataclass(frozen=True)
class Settings:
    """What an arena is: its items, its algorithm, whom it learns about, and its rules."""

    name: str
    items: tuple[Item, ...]
    algorithm: str = "ws-w"
    params: Mapping[str, Value] = field(default_factory=dict)
    version: int = 0
    """Of the algorithm's State; 0 stands for the installed one."""
    audience: Audience = "user"
    """`user`: a learner for each person. `everyone`: one learner for all."""
    ties: Teaching = "nothing"
    """What a tie teaches: nothing, or the fall of a fair coin."""
    nones: Teaching = "nothing"
    """What it teaches that nothing was chosen: nothing, or the fall of a fair coin."""
    patience: int = 3
    """After so many answers in a row that taught nothing on the same pair, the learner moves on."""
    expires_after: float = 86400.0
    """Seconds after which an answer is too late."""
    seed: int = 0
    horizon: int | None = None

    def __post_init__(self) -> None:
        check_text("The name of an arena", self.name)
        if "/" in self.name:
            raise WinnerstaysError(f"The name of an arena must not contain '/', but {self.name!r} does.")
        object.__setattr__(self, "items", tuple(map(Item.of, self.items)))
        object.__setattr__(self, "params", dict(self.params))
        ids = [item.id for item in self.items]
        if len(ids) < 2:
            raise WinnerstaysError(f"An arena needs at least 2 items to choose from, but {self.name!r} got {len(ids)}.")
        if len(set(ids)) < len(ids):
            twice = next(one for one in ids if ids.count(one) > 1)
            raise WinnerstaysError(f"The item {twice!r} is listed twice; items must differ.")
        for name, options in (("audience", ("user", "everyone")), ("ties", _TEACHINGS), ("nones", _TEACHINGS)):
            if getattr(self, name) not in options:
                raise WinnerstaysError(f"{name} is {getattr(self, name)!r}, but must be one of {', '.join(options)}.")
        if not (isinstance(self.patience, int) and self.patience >= 1):
            raise WinnerstaysError(f"patience is {self.patience!r}, but must be a whole number of at least 1.")
        if not (isinstance(self.expires_after, int | float) and 0 < self.expires_after < 1e10):
            raise WinnerstaysError(f"expires_after is {self.expires_after!r}, but must be seconds above 0.")
        object.__setattr__(self, "expires_after", float(self.expires_after))
        if not (isinstance(self.seed, int) and 0 <= self.seed < 2**63):
            raise WinnerstaysError(f"seed is {self.seed!r}, but must be a whole number from 0 to 2**63 - 1.")
        if self.horizon is not None and not (isinstance(self.horizon, int) and 1 <= self.horizon < 2**63):
            raise WinnerstaysError(f"horizon is {self.horizon!r}, but must be a whole number from 1 to 2**63 - 1.")
        known = find_algorithm(self.algorithm, **self.params)
        object.__setattr__(self, "params", dict(known.params))
        object.__setattr__(self, "version", self.version or known.version)
        for item in self.items:
            if len(item.features) != len(self.items[0].features):
                first = self.items[0]
                raise WinnerstaysError(
                    f"All items must have equally many features, but {first.id!r} has {len(first.features)} and "
                    f"{item.id!r} has {len(item.features)}."
                )

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Settings":
        """Settings from plain values; refuses fields that do not exist."""
        extra = sorted(set(values) - set(cls.__dataclass_fields__))
        if extra:
            raise WinnerstaysError(
                f"An arena has no setting {extra[0]!r}; it has {', '.join(cls.__dataclass_fields__)}."
            )
        if "name" not in values or "items" not in values:
            raise WinnerstaysError("An arena needs a name and items.")
        if not isinstance(values["items"], Sequence) or isinstance(values["items"], str):
            raise WinnerstaysError(f"items must be a list of items, not {values['items']!r}.")
        return cls(**values)


_TEACHINGS = ("nothing", "coin")
OUTCOMES = ("winner", "tie", "skip", "none")


@dataclass(frozen=True, slots=True)
class Duel:
    """Two items to show, by their ids. `expires_at` is a Unix time; answers after it teach nothing."""

    id: str
    left: str
    right: str
    expires_at: float
    arena: str = ""
    user: str | None = None

    def __contains__(self, item: str) -> bool:
        return item in (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person did with a duel: a winner, or a `tie`, a `skip`, or `none` of the two."""

    duel: str
    winner: str | None = None
    outcome: str = "winner"
    reason: str | None = None
    user: str | None = None

    @classmethod
    def of(cls, value: "Answer | Mapping[str, Any] | Sequence[Any]") -> "Answer":
        """An answer from (duel, winner), or from a mapping with the fields of an Answer."""
        if isinstance(value, Answer):
            return value
        if isinstance(value, Mapping):
            extra = sorted(set(value) - set(cls.__dataclass_fields__))
            if extra or "duel" not in value:
                raise WinnerstaysError(
                    f"An answer has the fields {', '.join(cls.__dataclass_fields__)} (duel is needed), not {value!r}."
                )
            values = dict(value)
            if values.get("outcome") is None:
                values.pop("outcome", None)
            return cls(**values)
        if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
            duel, winner = value
            return cls(duel.id if isinstance(duel, Duel) else duel, winner)
        raise WinnerstaysError(f"An answer is (duel, winner) or an Answer, not {value!r}.")


Status = Literal["learned", "noted", "duplicate", "conflict", "late", "unknown", "wrong-user", "invalid"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an answer; all but `duplicate` are durable rows of the log.

    `learned`: accepted and learned. `noted`: accepted, but it teaches nothing, for the `reason` given.
    `duplicate`: the same answer was accepted before. Refused: `conflict` (another answer was accepted before), `late`
    (after expiry) and, from `tell_many`, `unknown`, `wrong-user` and `invalid`.
    """

    duel: str
    status: Status
    reason: str | None = None
    moved_on: bool = False
    """The pair was passed over so often that the learner went on to another."""
    arena: str = ""

    @property
    def accepted(self) -> bool:
        return self.status in ("learned", "noted", "duplicate")


@dataclass(frozen=True)
class Rival:
    """The favourite's record against one other item. `evidence` is the e-value that it is the better of the two."""

    item: str
    won: int
    lost: int
    evidence: float


@dataclass(frozen=True)
class Standing:
    """What a learner knows: its favourite, and how sure that is."""

    arena: str
    user: str | None
    favourite: str
    learned: int
    """Outcomes learned so far."""
    round: int | None
    """The round of WS-W and WS-S."""
    confidence: float
    """With this probability or more the favourite is the best item; right at any time, however often one looks."""
    rivals: tuple[Rival, ...]
    duels_needed: int | None
    """About so many more duels until `confidence` reaches `level`; None if the record says nothing about it."""
    level: float
    certificate: float | None = None
    """If p was given and the algorithm has rounds: the paper's bound on the chance that the favourite is wrong."""

    @property
    def sure(self) -> bool:
        return self.confidence >= self.level

    def __str__(self) -> str:
        how = f"{self.favourite} is the favourite after {self.learned} learned outcomes"
        how += f" (round {self.round})" if self.round is not None else ""
        sure = f"; it is the best with confidence {self.confidence:.1%}"
        if self.sure:
            return how + sure + "."
        more = "unknown" if self.duels_needed is None else f"about {self.duels_needed}"
        return f"{how}{sure}, and {more} more duels are needed for {self.level:.0%}."


@dataclass(frozen=True)
class Bias:
    """How often the left item was chosen, with a confidence interval; without bias the share is 1/2."""

    left: int
    right: int
    share: float
    low: float
    high: float
    confidence: float = 0.95


@dataclass(frozen=True)
class Event:
    """A row of the log, with names instead of numbers.

    `kind` is `created`, `served`, `learned`, `noted`, `erased`, or the reason why an answer was refused: `late`,
    `conflict`, `unknown`, `wrong-user`, `invalid`.
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

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Replay:
    """The log played again: how much of it, and every learner whose stored state is not the fold of its rows."""

    learners: int
    served: int
    accepted: int
    differences: tuple[str, ...]

    @property
    def equal(self) -> bool:
        return not self.differences


@dataclass(frozen=True)
class Erased:
    """What erasing a user removed."""

    user: str
    rows: int
    learners: int
