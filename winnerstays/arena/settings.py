"""The settings of an arena, declared once: for the library, as the body of an HTTP request, and for the command line.

Every error is a WinnerstaysError with a sentence; inside a larger pydantic model it becomes a ValidationError.
"""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Annotated, Any, Literal

from winnerstays.algorithms.parameters import Value
from winnerstays.algorithms.registry import check_regret, default_algorithm
from winnerstays.arena.engine.tastes import TASTES, arena_algorithm
from winnerstays.arena.errors import DifferentArenaError
from winnerstays.arena.text import MAX_CHARACTERS, check_storable, check_text
from winnerstays.errors import WinnerstaysError, missing_extra, unknown
from winnerstays.item_names import check_different, check_list

try:
    from pydantic import (
        AfterValidator,
        BaseModel,
        BeforeValidator,
        ConfigDict,
        Field,
        ValidationError,
        ValidationInfo,
        model_validator,
    )
except ImportError:
    raise missing_extra("An arena", "arena") from None

Audience = Literal["user", "everyone"]
TieTeaching = Literal["nothing", "coin", "halves"]
NoneTeaching = Literal["nothing", "coin", "losses"]
CHANGEABLE = (
    "name", "sets", "max_open", "give_up", "expires_after", "answers_per_minute", "crowd", "holdout", "probes",
    "control", "closed", "public", "question", "goal", "enough", "pictures",
)  # fmt: skip
"""Settings on which nothing depends that was learned."""
DEFAULT_ALGORITHM = "ws-root"
"""Of arenas for everyone by docs/traffic.md, of those for each user by `python -m benchmarks single_user`."""
MAX_VALUE = 80
"""So many characters of a wrong value are said."""
MAX_FEATURE = 1e100
"""Squares of larger numbers cannot be added up."""
MAX_OPEN = 1000
"""The largest number of duels that one user may be allowed to hold open."""
_stored: ContextVar[bool] = ContextVar("stored", default=False)
"""Whether settings are read from a database: then what they say of their algorithm is taken as it is."""


def first_error(error: ValidationError, item: object = None) -> WinnerstaysError:
    """Return the first mistake that pydantic found (in an item with this id), as a sentence."""
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, WinnerstaysError):
        return cause
    where, value = ".".join(map(str, first["loc"])) or "The request", repr(first["input"])
    where += "" if item is None else f" of item {item!r}"
    value = value if len(value) <= MAX_VALUE else f"{value[:MAX_VALUE]}..."
    said = str(cause or first["msg"]).replace("Input should", "it should").rstrip(".")
    return WinnerstaysError(f"{where} is {value}, but {said[0].lower()}{said[1:]}.")


class _Model(BaseModel):
    """A model whose fields may be given by position and whose errors are sentences."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = list(type(self).model_fields)[: len(values)]
        try:
            given = dict(zip(fields, values, strict=True)) | named
            super().__init__(**given)
        except ValidationError as error:
            raise first_error(error, given.get("id")) from None


def _check_id(value: object) -> str:
    return check_text("The id of an item", value)


def _check_shown(value: object, field: ValidationInfo) -> str:
    if not isinstance(value, str):
        raise WinnerstaysError(f"{_of_item(field)} must be a text, but is {value!r}.")
    return check_storable(f"{_of_item(field)}:", value)


def _check_feature(value: object, field: ValidationInfo) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_FEATURE:
        said = "a number of too many digits" if type(value) is int else repr(value)[:MAX_VALUE]
        raise WinnerstaysError(
            f"A feature of item {field.data.get('id')!r} is {said}, but must be a number from -1e100 to 1e100."
        )
    return float(value)


def _of_item(field: ValidationInfo) -> str:
    return f"The {field.field_name} of item {field.data.get('id')!r}"


_Shown = Annotated[str, BeforeValidator(_check_shown)]
_LENGTHS = {"minLength": 1, "maxLength": MAX_CHARACTERS}


class Item(_Model):
    """Something to choose. All but the id is only shown, as text; `features` are for algorithms that use them."""

    id: Annotated[str, BeforeValidator(_check_id), Field(json_schema_extra=_LENGTHS)]
    title: _Shown = ""
    """The id, if left out."""
    picture: _Shown = ""
    link: _Shown = ""
    text: _Shown = ""
    features: tuple[Annotated[float, BeforeValidator(_check_feature)], ...] = ()
    retired: Annotated[bool, Field(strict=True)] = False
    """Whether it is no longer shown; what was learned about it is kept."""

    @model_validator(mode="before")
    @classmethod
    def _check_fields(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and (set(values) - set(cls.model_fields) or "id" not in values):
            raise WinnerstaysError(
                f"An item has the fields {', '.join(cls.model_fields)} (id is needed), not {dict(values)!r}."
            )
        return values

    @model_validator(mode="after")
    def _complete(self) -> "Item":
        if not self.title:
            object.__setattr__(self, "title", self.id)
        return self

    @classmethod
    def of(cls, value: "str | Item | Mapping[str, Any]") -> "Item":
        """Return an item made from its id, or from a mapping with the fields of an Item."""
        if isinstance(value, Item):
            return value
        return cls(**value) if isinstance(value, Mapping) else cls(id=value)


def _check_name(value: object) -> str:
    name = check_text("The name of an arena", value)
    if "/" in name:
        raise WinnerstaysError(f"The name of an arena must not contain '/', but {name!r} does.")
    return name


def _check_items(values: Any) -> tuple[Any, ...]:
    return tuple(check_list(values))


def _check_algorithm(value: object) -> str:
    if not isinstance(value, str):
        raise WinnerstaysError(f"algorithm must be the name of an algorithm, not {value!r}.")
    return value


def _check_params(values: Any) -> dict[str, Value]:
    if not isinstance(values, Mapping) or not all(isinstance(value, Value) for value in values.values()):
        raise WinnerstaysError(f"params must map the names of parameters to numbers or texts, not {values!r}.")
    return dict(values)


def _check_control(ids: tuple[str, ...]) -> tuple[str, ...]:
    if len(ids) == 1 or len(set(ids)) < len(ids):
        raise WinnerstaysError(
            f"control is {ids!r}, but must be a list of two or more different ids, or empty for random pairs."
        )
    return ids


def _check_question(question: str) -> str:
    return check_storable("The question", question)


def _check_origin(origin: str) -> str:
    if not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?", origin):
        raise WinnerstaysError(f"An origin of pictures is like https://img.example, not {origin!r}.")
    return origin


Whole = Annotated[int, Field(strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Seconds = Annotated[float, Field(strict=True, gt=0, lt=1e10)]
_Seed = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
_SetName = Annotated[str, AfterValidator(lambda name: check_text("The name of a set", name))]
AnyItem = Annotated[Item, BeforeValidator(Item.of, json_schema_input_type=str | Item)]


class Settings(_Model):
    """What an arena is: its items, its algorithm, whom it learns about, and its rules."""

    name: Annotated[str, BeforeValidator(_check_name), Field(json_schema_extra={**_LENGTHS, "pattern": "^[^/]+$"})]
    items: Annotated[tuple[AnyItem, ...], BeforeValidator(_check_items), Field(json_schema_extra={"minItems": 2})]
    audience: Audience = "user"
    """`user`: a learner for each person. `everyone`: one learner for all."""
    algorithm: Annotated[str, BeforeValidator(_check_algorithm)] = Field(
        default_factory=lambda data: algorithm_for("weak", audience=data.get("audience", "user"))
    )
    """`tastes` for each person, `ws-root` for everyone, if left out."""
    params: Annotated[dict[str, bool | Value], BeforeValidator(_check_params)] = {}
    version: Annotated[int | None, Field(strict=True)] = None
    """Of the algorithm's State; the installed one, if left out."""
    ties: TieTeaching = "nothing"
    """What a tie teaches: nothing, the result of a fair coin, or half a win to each."""
    nones: NoneTeaching = "nothing"
    """What choosing none of the two teaches: nothing, the result of a fair coin, or a loss of each to the favourite."""
    patience: Annotated[Whole, Field(ge=1)] = 3
    """The learner moves on after this many answers in a row that taught nothing about the same pair."""
    expires_after: Seconds = 86400.0
    """Seconds after which an answer is too late."""
    seed: Annotated[_Seed, BeforeValidator(lambda seed: seed, json_schema_input_type=_Seed | None)] = Field(
        default_factory=lambda: secrets.randbits(63)
    )
    """Names all randomness of the arena; drawn at random if left out."""
    horizon: Annotated[Whole, Field(ge=1, lt=2**63)] | None = None
    """The number of duels, for algorithms that must know it."""
    sets: dict[_SetName, tuple[Annotated[str, Field(strict=True)], ...]] = {}
    """Lists of ids by name, such as the items of a country; a duel can be asked for among the items of a set."""
    max_open: Annotated[Whole, Field(ge=1, le=MAX_OPEN)] = 10
    """The most duels that one user may hold open."""
    give_up: Seconds | None = None
    """Seconds after which a user who has not answered gets another duel; the old one can still be answered."""
    answers_per_minute: Annotated[Whole, Field(ge=1, lt=2**31)] | None = None
    """The most answers of one user that are accepted in a minute of the clock; no bound, if left out."""
    crowd: Switch = True
    """Whether new users start from what the others taught, where the algorithm can (`ws-root`)."""
    holdout: Annotated[float, Field(strict=True, ge=0, lt=1)] = 0.0
    """The share of people who get pairs that nothing learned has chosen, for comparison (`uplift`)."""
    probes: Annotated[float, Field(strict=True, ge=0, le=1)] = 0.1
    """Where there is a control group: the share of duels, in both, of an item that is recommended and a random one."""
    control: Annotated[tuple[Annotated[str, Field(strict=True)], ...], AfterValidator(_check_control)] = ()
    """The ids of items that they get two by two, in this order; empty: two items at random."""
    closed: Switch = False
    """Whether no more duels are served; those that are open can still be answered."""
    changes: Annotated[int, Field(ge=0, strict=True)] = 0
    """How often items came or went; counted by the arena."""
    first_items: Annotated[int | None, Field(strict=True)] = None
    """With how many items the arena began, if items came since; counted by the arena."""
    public: Switch = False
    """Whether strangers may play on the pages of a service that has keys."""
    question: Annotated[str, AfterValidator(_check_question)] = ""
    """What the page asks; "Which do you like better?", if left out."""
    goal: Annotated[Whole, Field(ge=1, le=1000)] | None = None
    """Answers of a person after which the game on the page ends; by the number of items, if left out."""
    enough: Annotated[float, Field(strict=True, gt=0.5, lt=1)] = 0.9
    """How likely the favourite must be for the game to end before."""
    pictures: tuple[Annotated[str, AfterValidator(_check_origin)], ...] = ()
    """Origins, such as https://img.example, from which the pages may load this arena's pictures."""

    @model_validator(mode="before")
    @classmethod
    def _check_fields(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        unknown = sorted(set(values) - set(cls.model_fields))
        if unknown:
            raise _no_setting(unknown[0])
        if "name" not in values or "items" not in values:
            raise WinnerstaysError("An arena needs a name and items.")
        return {name: value for name, value in values.items() if name != "seed" or value is not None}

    @classmethod
    def stored(cls, text: str) -> "Settings":
        """Return settings (JSON) as a database holds them; their algorithm need not be installed."""
        token = _stored.set(True)
        try:
            values = json.loads(text)
            values.pop("pairs", None)  # a setting that databases of version 0.1 have
            return cls(**values)
        except (ValueError, TypeError) as error:
            raise WinnerstaysError(f"Its settings are damaged: {error}") from None
        finally:
            _stored.reset(token)

    @model_validator(mode="after")
    def _complete(self) -> "Settings":
        ids = [item.id for item in self.items]
        if len(ids) < 2:
            raise WinnerstaysError(f"An arena needs at least 2 items to choose from, but {self.name!r} got {len(ids)}.")
        check_different(ids)
        first = self.items[0]
        for item in self.items:
            if len(item.features) != len(first.features):
                raise WinnerstaysError(
                    f"All items must have equally many features, but {first.id!r} has {len(first.features)} and "
                    f"{item.id!r} has {len(item.features)}."
                )
        known = set(ids)
        for name, members in self.sets.items():
            stranger = next((id_ for id_ in members if id_ not in known), None)
            if stranger is not None:
                raise WinnerstaysError(f"The set {name!r} holds {stranger!r}, which is no item of {self.name!r}.")
        stranger = next((id_ for id_ in self.control if id_ not in known), None)
        if stranger is not None:
            raise WinnerstaysError(f"control holds {stranger!r}, which is no item of {self.name!r}.")
        if _stored.get():
            return self

        algorithm = arena_algorithm(self.algorithm, self.params)
        if self.algorithm == TASTES and self.audience != "user":
            raise WinnerstaysError(
                f"The algorithm {TASTES!r} is for audience='user': it learns the taste of each visitor."
            )
        object.__setattr__(self, "params", dict(algorithm.params))
        object.__setattr__(self, "version", self.version or algorithm.version)
        return self

    def given(self) -> dict[str, Any]:
        """Return the settings that were given, the name aside; the others have their defaults."""
        return {name: getattr(self, name) for name in self.model_fields_set if name != "name"}

    def changed(self, new: Mapping[str, Any]) -> "Settings":
        """Return the settings with other values of those that may be changed; an error for the others."""
        for name in new:
            if name not in type(self).model_fields:
                raise _no_setting(name)
            if name not in CHANGEABLE:
                raise WinnerstaysError(
                    f"The setting {name!r} of an arena is fixed, because what was learned depends on it; these can be "
                    f"changed: {', '.join(CHANGEABLE)}."
                )
        token = _stored.set(True)  # the algorithm, which stays, need not be installed
        try:
            return Settings(**{**dict(self), **new})
        finally:
            _stored.reset(token)

    def check_same(self, wanted: Mapping[str, Any]) -> None:
        """Raise DifferentArenaError if a wanted value differs from the setting."""
        for name, value in sorted(wanted.items()):
            if name not in type(self).model_fields:
                raise _no_setting(name)
            if name == "items" and self.first_items and _ids(value) == _ids(self.items[: self.first_items]):
                continue  # it began with these; what became of them since is known to the arena
            if getattr(self, name) != value:
                raise DifferentArenaError(
                    f"The arena {self.name!r} exists with {name}={_shown(getattr(self, name))}, "
                    f"not {_shown(value)}; use another name, or leave {name} out."
                )


def algorithm_for(regret: str, named: str | None = None, audience: str = "user") -> str:
    """Return the name of the algorithm of an arena that should keep a regret small, weak or strong.

    One that is `named` is refused if it is not made for that.

    >>> algorithm_for("weak"), algorithm_for("strong")
    ('tastes', 'ws-t')
    """
    weak = DEFAULT_ALGORITHM if audience == "everyone" else TASTES
    default = weak if regret == "weak" else default_algorithm(regret)
    if named is not None:
        check_regret(arena_algorithm(named, {}), regret)
    return named or default


def _ids(items: Sequence[Item]) -> list[str]:
    return [item.id for item in items]


def _no_setting(name: str) -> WinnerstaysError:
    return unknown("setting of an arena", name, Settings.model_fields)


def _shown(value: Any) -> str:
    """Return a setting as whoever made the arena would have written it: an item without more as its id."""
    if isinstance(value, tuple) and value and isinstance(value[0], Item):
        items = []
        for item in value:
            fields = item.model_dump(exclude_defaults=True)
            if item.title == item.id:
                del fields["title"]
            items.append(fields if len(fields) > 1 else item.id)
        return repr(items)
    return repr(value)
