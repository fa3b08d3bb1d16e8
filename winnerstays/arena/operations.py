"""The operations on an arena, each stated once: its arguments, its reply, who may do it, whether it reads or writes.

The database (`LocalBackend`) has a method of the same name for each, the client of a service sends each over HTTP, and
the service and its OpenAPI document take their routes from this table. Asks, answers and the stream of events have ways
of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar

from winnerstays.arena.figures.uplift import Uplift
from winnerstays.arena.records import (
    MAX_REQUESTS,
    Bias,
    Deleted,
    Erased,
    Event,
    Popularity,
    Request,
    Result,
    Rewarded,
    Standing,
    Summary,
    Totals,
)
from winnerstays.arena.settings import CHANGEABLE, AnyItem, Settings
from winnerstays.arena.text import MAX_CHARACTERS, check_text
from winnerstays.errors import missing_extra

try:
    from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, create_model
except ImportError:
    raise missing_extra("An arena", "arena") from None

T = TypeVar("T")
Scope = Literal["serve", "read", "admin"]
_LENGTHS = {"minLength": 1, "maxLength": MAX_CHARACTERS}
User = Annotated[
    str, AfterValidator(lambda value: check_text("A user's name", value)), Field(json_schema_extra=_LENGTHS)
]
Group = Annotated[
    str, AfterValidator(lambda value: check_text("A user's group", value)), Field(json_schema_extra=_LENGTHS)
]
Ids = Annotated[list[str], Field(fail_fast=True)]
"""Of a long list of what is wrong, the first is said."""
Level = Annotated[float, Field(json_schema_extra={"exclusiveMinimum": 0, "exclusiveMaximum": 1})]


class Query(BaseModel):
    """Arguments in an address."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Body(BaseModel):
    """Arguments in a JSON document."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class UserQuery(Query):
    user: User | None = None
    """Whose favourite; left out in an arena for everyone."""


class StandingQuery(UserQuery):
    p: Annotated[float, Field(json_schema_extra={"exclusiveMinimum": 0.5, "exclusiveMaximum": 1})] | None = None
    """The least chance with which a better item is chosen, if known."""
    level: Level = 0.95
    """The confidence to be reached."""


class LevelQuery(Query):
    level: Level = 0.95
    """The confidence of the intervals, or the one that counts as sure."""


class BiasQuery(Query):
    group: Group | None = None
    """Only of the users of this group."""


class TotalsQuery(Query):
    robots: bool = False
    """What robots did, instead of what people did."""


class NewestQuery(Query):
    limit: Annotated[int, Field(ge=1, le=MAX_REQUESTS)] = 50
    """How many."""


class TopBody(Body):
    """Whose favourites, how many, and of which items."""

    user: User | None = None
    count: Annotated[int, Field(ge=1)] = 10
    among: Ids | str | None = None
    """The ids of items, or the name of a set of the arena."""


class RewardBody(Body):
    """A reward of a user."""

    user: User | None = None
    """Left out, the visitor's own."""
    value: float = 1.0
    """At least 0; 1 for a conversion, or an amount."""
    key: Annotated[str, Field(json_schema_extra=_LENGTHS)] | None = None
    """With the same key again, nothing more is logged."""


class ItemsBody(Body):
    """Changes of items that are made together: all of them, or none."""

    add: Annotated[list[AnyItem], Field(fail_fast=True)] = []
    retire: Ids = []
    restore: Ids = []
    edit: dict[str, dict[str, str]] = {}
    """By id: new values of title, picture, link, text."""


class _SomeSettings(Body):
    """Settings that can be changed; what is left out stays as it is. The arena says which cannot."""

    model_config = ConfigDict(extra="allow")


SettingsBody: type[BaseModel] = create_model(
    "SettingsBody",
    __base__=_SomeSettings,
    __doc__=_SomeSettings.__doc__,
    **{name: (Settings.model_fields[name].annotation | None, None) for name in CHANGEABLE},  # type: ignore[call-overload, operator]
)


class Best(BaseModel):
    arena: str
    user: str | None
    favourite: str


class Top(BaseModel):
    arena: str
    user: str | None
    favourites: list[str]


class PopularItems(BaseModel):
    items: list[Popularity]


class NewestEvents(BaseModel):
    events: list[Event]


@dataclass(frozen=True)
class Operation(Generic[T]):
    """One operation. Its reply is sent alone, or as the last field of a `document` that also holds arguments."""

    name: str
    summary: str
    method: str
    path: str
    """Behind the path of the arena."""
    scope: Scope
    reply: type[T]
    arguments: type[BaseModel] | None = None
    document: type[BaseModel] | None = None
    visitors: bool = False
    """Visitors may do it as their own user."""
    conflicts: bool = False
    """It may contradict what is there."""

    @property
    def writes(self) -> bool:
        return self.scope != "read"

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.reply)

    def read_reply(self, document: Any) -> T:
        """Return the reply that a JSON document holds."""
        if self.document is not None:
            document = document[list(self.document.model_fields)[-1]]
        return self._adapter.validate_python(document)

    def write_reply(self, reply: T, arena: str, arguments: dict[str, Any]) -> Any:
        """Return the content of the JSON document that holds a reply."""
        if self.document is None:
            return reply
        *echoed, last = self.document.model_fields
        known = {"arena": arena, **arguments}
        return {**{name: known.get(name) for name in echoed}, last: reply}


GET_ARENA = Operation("get_arena", "Return an arena: its items, its algorithm, its rules.", "GET", "", "read", Settings)
CHANGE_ARENA = Operation(
    "change_arena", "Rename an arena, close it, or change its sets and limits.", "PATCH", "", "admin", Settings,
    SettingsBody, conflicts=True,
)  # fmt: skip
DELETE_ARENA = Operation(
    "delete_arena", "Delete an arena, with everything that was learned and logged in it.", "DELETE", "", "admin",
    Deleted,
)  # fmt: skip
CHANGE_ITEMS = Operation(
    "change_items", "Add, retire, restore and edit items of an arena, all or none.", "PATCH", "/items", "admin",
    Settings, ItemsBody,
)  # fmt: skip
BEST = Operation("best", "Return the favourite so far.", "GET", "/best", "read", str, UserQuery, Best, visitors=True)
TOP = Operation(
    "top", "Return the favourites so far, the best first.", "POST", "/top", "read", list[str], TopBody, Top,
    visitors=True,
)  # fmt: skip
STANDING = Operation(
    "standing", "Return the favourite and how sure it is.", "GET", "/standing", "read", Standing, StandingQuery,
    visitors=True,
)  # fmt: skip
BIAS = Operation(
    "bias", "Return how often people chose the left item: all people, or those of a group.", "GET", "/bias", "read",
    Bias, BiasQuery,
)  # fmt: skip
TOTALS = Operation(
    "totals", "Return how often what happened in an arena: by kind, by hour, by side, by pair.", "GET", "/totals",
    "read", Totals, TotalsQuery,
)  # fmt: skip
POPULAR = Operation(
    "popular", "Return the items by how often people chose them when shown.", "GET", "/popular", "read",
    list[Popularity], LevelQuery, PopularItems,
)  # fmt: skip
UPLIFT = Operation(
    "uplift", "Compare the people of an arena with its control group.", "GET", "/uplift", "read", Uplift, LevelQuery
)
SUMMARY = Operation(
    "summary", "Return what the people of an arena like, over all its learners.", "GET", "/summary", "read", Summary,
    LevelQuery,
)  # fmt: skip
NEWEST = Operation(
    "newest", "Return the newest events of an arena, the oldest of them first.", "GET", "/newest", "read", list[Event],
    NewestQuery, NewestEvents,
)  # fmt: skip
REWARD = Operation(
    "reward", "Log what a user did that counts, such as an order; with a key, once.", "POST", "/rewards", "serve",
    Rewarded, RewardBody, visitors=True,
)  # fmt: skip
ERASE = Operation(
    "erase", "Remove a user's learner, rows and name from the arena.", "DELETE", "/users/{user:path}", "admin", Erased
)
OPERATIONS: tuple[Operation[Any], ...] = (
    GET_ARENA, CHANGE_ARENA, DELETE_ARENA, CHANGE_ITEMS, TOP, BEST, STANDING, BIAS, TOTALS, POPULAR, UPLIFT, SUMMARY,
    NEWEST, REWARD, ERASE,
)  # fmt: skip


class Backend(Protocol):
    """Everything that all arenas need. An arena is named by its name."""

    address: str
    """Where the arenas are, as given when they were opened."""

    def names(self) -> list[str]:
        """Return the names of all arenas, in alphabetical order."""

    def create(self, settings: Settings) -> Settings:
        """Make an arena, unless one of this name exists; return its settings.

        DifferentArenaError if it exists and differs in a setting that was given (`settings.model_fields_set`).
        """

    def call(self, operation: Operation[T], arena: str, /, **arguments: Any) -> T:
        """Do one of the operations on an arena; UnknownArenaError if there is none of this name."""

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        """Return a result for each request, in the same order, once all of them are durable."""

    def events(
        self, arena: str | None, after: int, user: str | None = None, limit: int | None = None
    ) -> Iterator[Event]:
        """Yield the rows of the log after the sequence number `after`; of one arena (and one user of it) or of all."""

    def close(self) -> None:
        """Close all connections."""
