"""The settings of an arena, declared once: for the library, as the body of an HTTP request, and for the command line.

Every error is a WinnerstaysError with a sentence; inside a larger pydantic model it becomes a ValidationError.
"""

import json
import math
import secrets
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Annotated, Any, Literal, TypeGuard

from winnerstays.algorithms.parameters import Value
from winnerstays.algorithms.registry import algorithm as find_algorithm
from winnerstays.algorithms.registry import check_regret, default_algorithm
from winnerstays.arena.errors import DifferentArenaError
from winnerstays.arena.text import MAX_CHARACTERS, check_storable, check_text
from winnerstays.errors import WinnerstaysError, missing_extra, unknown
from winnerstays.item_names import check_different, check_list

try:
    from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
except ImportError:
    raise missing_extra("An arena", "arena") from None

Audience = Literal["user", "everyone"]
TieTeaching = Literal["nothing", "coin", "halves"]
NoneTeaching = Literal["nothing", "coin", "losses"]
Pairs = Literal["learner", "caller"]
CHANGEABLE = (
    "name", "sets", "max_open", "give_up", "expires_after", "answers_per_minute", "crowd", "holdout", "control",
    "closed", "public",
)  # fmt: skip
"""Settings on which nothing depends that was learned."""
DEFAULT_ALGORITHM = "ws-root"
"""Of arenas for everyone by docs/traffic.md, of those for each user by `python -m benchmarks single_user`."""
MAX_OPEN = 1000
"""The largest number of duels that one user may be allowed to hold open."""
_CHOICES = {
    "audience": ("user", "everyone"),
    "pairs": ("learner", "caller"),
    "ties": ("nothing", "coin", "halves"),
    "nones": ("nothing", "coin", "losses"),
}

_stored: ContextVar[bool] = ContextVar("stored", default=False)
"""Whether settings are read from a database: then what they say of their algorithm is taken as it is."""


class _Model(BaseModel):
    """A model whose fields may be given by position and whose errors are sentences."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def __init__(self, *values: Any, **named: Any) -> None:
        fields = list(type(self).model_fields)[: len(values)]
        try:
            super().__init__(**dict(zip(fields, values, strict=True)), **named)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            sentence = first.get("ctx", {}).get("error") or f"{where}: {first['msg']}, but it is {first['input']!r}."
            raise sentence if isinstance(sentence, WinnerstaysError) else WinnerstaysError(str(sentence)) from None


def _check_id(value: object) -> str:
    return check_text("The id of an item", value)


def _check_shown(value: object, field: ValidationInfo) -> str:
    if not isinstance(value, str):
        raise WinnerstaysError(f"{_of_item(field)} must be a text, but is {value!r}.")
    return check_storable(f"{_of_item(field)}:", value)


def _of_item(field: ValidationInfo) -> str:
    return f"The {field.field_name} of item {field.data.get('id')!r}"


def _check_features(values: Any, field: ValidationInfo) -> tuple[float, ...]:
    try:
        features = (math.nan,) if isinstance(values, str | Mapping) else tuple(map(_number, values))
    except (TypeError, ValueError):
        features = (math.nan,)
    if not all(map(math.isfinite, features)):
        raise WinnerstaysError(f"{_of_item(field)} must be finite numbers, not {values!r}.")
    return features


def _number(value: Any) -> float:
    return math.nan if isinstance(value, str | bytes | bool) else float(value)


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
    features: Annotated[tuple[float, ...], BeforeValidator(_check_features)] = ()
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


def _check_choice(value: object, field: ValidationInfo) -> object:
    choices = _CHOICES[str(field.field_name)]
    if value not in choices:
        raise WinnerstaysError(f"{field.field_name} is {value!r}, but must be one of {', '.join(choices)}.")
    return value


def _check_patience(value: object) -> int:
    if not (_is_whole(value) and value >= 1):
        raise WinnerstaysError(f"patience is {value!r}, but must be a whole number of at least 1.")
    return value


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_expires_after(value: object) -> float:
    if isinstance(value, bool) or not (isinstance(value, int | float) and 0 < value < 1e10):
        raise WinnerstaysError(f"expires_after is {value!r}, but must be seconds above 0.")
    return float(value)


def _check_seed(value: object) -> int:
    if not (_is_whole(value) and 0 <= value < 2**63):
        raise WinnerstaysError(f"seed is {value!r}, but must be a whole number from 0 to 2**63 - 1.")
    return value


def _check_sets(values: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(values, Mapping):
        raise WinnerstaysError(f"sets must map names to lists of ids, not {values!r}.")
    found = {}
    for name, ids in values.items():
        check_text("The name of a set", name)
        if isinstance(ids, str) or not isinstance(ids, Sequence) or not all(isinstance(id_, str) for id_ in ids):
            raise WinnerstaysError(f"The set {name!r} must be a list of ids, not {ids!r}.")
        found[str(name)] = tuple(ids)
    return found


def _check_max_open(value: object) -> int:
    if not (_is_whole(value) and 1 <= value <= MAX_OPEN):
        raise WinnerstaysError(f"max_open is {value!r}, but must be a whole number from 1 to {MAX_OPEN}.")
    return value


def _check_give_up(value: object) -> float | None:
    if value is not None and (isinstance(value, bool) or not (isinstance(value, int | float) and 0 < value < 1e10)):
        raise WinnerstaysError(f"give_up is {value!r}, but must be seconds above 0, or left out.")
    return None if value is None else float(value)


def _check_answers_per_minute(value: object) -> int | None:
    if value is not None and not (_is_whole(value) and 1 <= value < 2**31):
        raise WinnerstaysError(f"answers_per_minute is {value!r}, but must be a whole number above 0, or left out.")
    return value


def _check_holdout(value: object) -> float:
    if isinstance(value, bool) or not (isinstance(value, int | float) and 0 <= value < 1):
        raise WinnerstaysError(f"holdout is {value!r}, but must be a share of the people, from 0 to below 1.")
    return float(value)


def _check_control(values: Any) -> tuple[str, ...]:
    ids = values if isinstance(values, Sequence) and not isinstance(values, str) else [None]
    if not all(isinstance(id_, str) for id_ in ids) or len(ids) == 1 or len(set(ids)) < len(ids):
        raise WinnerstaysError(
            f"control is {values!r}, but must be a list of two or more different ids, or empty for random pairs."
        )
    return tuple(values)


def _check_horizon(value: object) -> int | None:
    if value is not None and not (_is_whole(value) and 1 <= value < 2**63):
        raise WinnerstaysError(f"horizon is {value!r}, but must be a whole number from 1 to 2**63 - 1.")
    return value


def _check_public(value: object) -> bool:
    if not isinstance(value, bool):
        raise WinnerstaysError(f"public is {value!r}, but must be true or false.")
    return value


_AnyItem = Annotated[Item, BeforeValidator(Item.of, json_schema_input_type=str | Item)]
_Seed = Annotated[int, Field(json_schema_extra={"minimum": 0, "exclusiveMaximum": 2**63})]
_Horizon = Annotated[int, Field(json_schema_extra={"minimum": 1})]


class Settings(_Model):
    """What an arena is: its items, its algorithm, whom it learns about, and its rules."""

    name: Annotated[str, BeforeValidator(_check_name), Field(json_schema_extra={**_LENGTHS, "pattern": "^[^/]+$"})]
    items: Annotated[tuple[_AnyItem, ...], BeforeValidator(_check_items), Field(json_schema_extra={"minItems": 2})]
    algorithm: Annotated[str, BeforeValidator(_check_algorithm)] = DEFAULT_ALGORITHM
    params: Annotated[dict[str, bool | Value], BeforeValidator(_check_params)] = {}
    version: Annotated[int | None, Field(strict=True)] = None
    """Of the algorithm's State; the installed one, if left out."""
    audience: Annotated[Audience, BeforeValidator(_check_choice)] = "user"
    """`user`: a learner for each person. `everyone`: one learner for all."""
    pairs: Annotated[Pairs, BeforeValidator(_check_choice)] = "learner"
    """Who chooses the two items and their sides: the learner, or whoever asks (in an arena for everyone)."""
    ties: Annotated[TieTeaching, BeforeValidator(_check_choice)] = "nothing"
    """What a tie teaches: nothing, the result of a fair coin, or half a win to each."""
    nones: Annotated[NoneTeaching, BeforeValidator(_check_choice)] = "nothing"
    """What choosing none of the two teaches: nothing, the result of a fair coin, or a loss of each to the favourite."""
    patience: Annotated[int, BeforeValidator(_check_patience), Field(json_schema_extra={"minimum": 1})] = 3
    """The learner moves on after this many answers in a row that taught nothing about the same pair."""
    expires_after: Annotated[
        float, BeforeValidator(_check_expires_after), Field(json_schema_extra={"exclusiveMinimum": 0})
    ] = 86400.0
    """Seconds after which an answer is too late."""
    seed: Annotated[int, BeforeValidator(_check_seed, json_schema_input_type=_Seed | None)] = Field(
        default_factory=lambda: secrets.randbits(63)
    )
    """Names all randomness of the arena; drawn at random if left out."""
    horizon: Annotated[_Horizon | None, BeforeValidator(_check_horizon)] = None
    """The number of duels, for algorithms that must know it."""
    sets: Annotated[dict[str, tuple[str, ...]], BeforeValidator(_check_sets)] = {}
    """Lists of ids by name, such as the items of a country; a duel can be asked for among the items of a set."""
    max_open: Annotated[int, BeforeValidator(_check_max_open), Field(json_schema_extra={"minimum": 1})] = 10
    """The most duels that one user may hold open."""
    give_up: Annotated[
        float | None, BeforeValidator(_check_give_up), Field(json_schema_extra={"exclusiveMinimum": 0})
    ] = None
    """Seconds after which a user who has not answered gets another duel; the old one can still be answered."""
    answers_per_minute: Annotated[
        int | None, BeforeValidator(_check_answers_per_minute), Field(json_schema_extra={"minimum": 1})
    ] = None
    """The most answers of one user that are accepted in a minute of the clock; no bound, if left out."""
    crowd: Annotated[bool, Field(strict=True)] = True
    """Whether new users start from what the others taught, where the algorithm can (`ws-root`)."""
    holdout: Annotated[
        float, BeforeValidator(_check_holdout), Field(json_schema_extra={"minimum": 0, "exclusiveMaximum": 1})
    ] = 0.0
    """The share of people who get pairs that nothing learned has chosen, for comparison (`uplift`)."""
    control: Annotated[tuple[str, ...], BeforeValidator(_check_control)] = ()
    """The ids of items that they get two by two, in this order; empty: two items at random."""
    closed: Annotated[bool, Field(strict=True)] = False
    """Whether no more duels are served; those that are open can still be answered."""
    changes: Annotated[int, Field(ge=0, strict=True)] = 0
    """How often items came or went; counted by the arena."""
    first_items: Annotated[int | None, Field(strict=True)] = None
    """With how many items the arena began, if items came since; counted by the arena."""
    public: Annotated[bool, BeforeValidator(_check_public)] = False
    """Whether strangers may play on the pages of a service that has keys."""

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
            return cls(**json.loads(text))
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
        if self.holdout and self.pairs == "caller":
            raise WinnerstaysError("holdout is for an arena that chooses the pairs itself, not for pairs='caller'.")
        if _stored.get():
            return self

        algorithm = find_algorithm(self.algorithm, **self.params)
        if self.pairs == "caller" and not (self.audience == "everyone" and algorithm.serving.any_pair):
            raise WinnerstaysError(
                "pairs='caller' is for an arena with audience='everyone' and an algorithm that learns from any pair, "
                f"such as 'random'; this one is for {self.audience!r} with {self.algorithm!r}."
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
        return Settings(**{**dict(self), **new})

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


def algorithm_for(regret: str, named: str | None = None) -> str:
    """Return the name of the algorithm of an arena that should keep a regret small, weak or strong.

    One that is `named` is refused if it is not made for that.

    >>> algorithm_for("weak"), algorithm_for("strong")
    ('ws-root', 'ws-t')
    """
    default = DEFAULT_ALGORITHM if regret == "weak" else default_algorithm(regret)
    if named is not None:
        check_regret(find_algorithm(named), regret)
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
