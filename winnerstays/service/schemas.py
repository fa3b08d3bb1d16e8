"""The models of request bodies, queries and responses.

Types are checked here; what values mean is checked by the arena, which logs what it refuses.
"""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field

from winnerstays.arena import Ask, Duel, Receipt, Settings
from winnerstays.arena.operations import Body, Group, Ids, Query, User
from winnerstays.arena.records import MAX_REQUESTS, MAX_SHOWN, OUTCOMES, UNDO, Answer
from winnerstays.arena.settings import AnyItem
from winnerstays.interleaving.interleaved import MAX_LENGTH, MAX_SIZE
from winnerstays.service.errors import Problem
from winnerstays.service.tokens import DEFAULT_SECONDS, MAX_SECONDS


class Wanted(Body):
    """Which items may be shown in a duel, and to whom."""

    user: User | None = None
    """In an arena for everyone it may be left out."""
    among: Ids | str | None = None
    """The ids of the items that may be shown, or the name of a set of the arena; all, if left out."""
    without: Ids | str = Field(default_factory=list)
    """The ids of items that may not be shown, or the name of a set."""
    group: Group | None = None
    """The user's group, such as a country: a new user starts from what it taught."""
    show: Annotated[int, Field(ge=2, le=MAX_SHOWN)] = 2
    """How many items are shown at once; the chosen one is better than each of the others."""

    def ask(self, arena: str) -> Ask:
        return Ask(arena, self.user, _fixed(self.among), _fixed(self.without), group=self.group, show=self.show)


def _fixed(ids: Any) -> Any:
    return tuple(ids) if isinstance(ids, list) else ids


class AskBody(Wanted):
    """Who asks, and for what."""

    fresh: bool = False
    """Ask for another duel than the one that the user holds open."""
    place: Annotated[int, Field(ge=0)] | None = None
    """For several open duels of a user: the one at this place, from 0."""

    def ask(self, arena: str) -> Ask:
        return replace(super().ask(arena), fresh=self.fresh, place=self.place)


class SessionBody(Body):
    """A list of results of both rankers, as `POST /v1/interleave` made it of the left and the right one, and clicks."""

    page: dict[str, Any]
    clicks: list[int]
    """Positions, counted from 1, in the order in which they were clicked."""
    rule: str = "clicks"
    """Who wins: the ranker whose results got more `clicks`, or the `first-click`."""


class InterleaveBody(Body):
    """The results of two rankers, the best first."""

    first: Annotated[list[str | int], Field(max_length=MAX_SIZE)]
    second: Annotated[list[str | int], Field(max_length=MAX_SIZE)]
    length: Annotated[int, Field(ge=1, le=MAX_LENGTH)] = 10
    method: str = "team_draft"


class AnswerBody(Body):
    """What a person did with a duel."""

    winner: str | None = None
    """The id of the chosen item, or left or right if no item is called so; left out if the outcome is another one."""
    outcome: Annotated[str, Field(json_schema_extra={"enum": [*OUTCOMES, UNDO]})] = "winner"
    reason: str | None = None
    """Why, in words; kept in the log."""
    user: User | None = None
    """If given, it must be the one to whom the duel was served."""
    arena: str | None = None
    """If given, the duel must be of this arena."""
    session: SessionBody | None = None
    """Of two rankers: its clicks say who won, in the place of a winner."""

    def answer(self, duel: str) -> Answer:
        session = None if self.session is None else self.session.model_dump()
        return Answer(duel, self.winner, self.outcome, self.reason, self.user, self.arena, session)


class NextBody(AnswerBody, Wanted):
    """An answer, and in which arena (and for whom) the next duel is wanted."""

    arena: str


class BatchAsk(AskBody):
    arena: str


class BatchAnswer(AnswerBody):
    duel: str
    outcome: str = "winner"
    """As in a single answer; what is none of these gets a receipt that says so."""


class BatchEntry(Body):
    """Either a request for a duel or an answer to one."""

    ask: BatchAsk | None = None
    tell: BatchAnswer | None = None


class BatchBody(Body):
    """Asks and answers, executed in this order in one transaction."""

    works: Annotated[list[BatchEntry], Field(max_length=MAX_REQUESTS)]


class NewItems(Body):
    """Items to add."""

    items: Annotated[list[AnyItem], Field(fail_fast=True)]


class VisitorBody(Body):
    """For whom a token is wanted, and for how long."""

    user: User
    seconds: Annotated[float, Field(gt=0, le=MAX_SECONDS)] = DEFAULT_SECONDS
    """Until it expires."""
    among: Ids | str | None = None
    """The ids of the only items that exist for the visitor, or the name of a set of the arena; all, if left out."""
    group: Group | None = None
    """The visitor's group, such as a country."""

    def ask(self, arena: str) -> Ask:
        return Ask(arena, self.user, _fixed(self.among), group=self.group)


class EventsQuery(Query):
    after: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """The `seq` of the last event that is known already."""
    limit: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """How many at most; without it, all."""


class ArenaEventsQuery(EventsQuery):
    user: User | None = None
    """Only the events of this user."""


class ArenaList(BaseModel):
    arenas: list[Settings]


class ShownItem(BaseModel):
    """What is shown of an item."""

    id: str
    title: str
    picture: str
    link: str
    text: str


class ItemList(BaseModel):
    items: list[ShownItem]


class VisitorToken(BaseModel):
    token: str
    arena: str
    user: str
    expires_at: float
    warning: str | None
    """Which items were passed over."""


class AnswerAndNext(BaseModel):
    receipt: Receipt
    next: Duel


class Refusal(Problem):
    """An answer that was refused. Its row in the log has the same reason."""

    receipt: Receipt | None = None
    next: Duel | None = None


class BatchResult(BaseModel):
    """A duel for an ask, a receipt for an answer, or a problem."""

    duel: Duel | None = None
    receipt: Receipt | None = None
    problem: Problem | None = None


class BatchResults(BaseModel):
    results: list[BatchResult]


class State(BaseModel):
    status: str
