"""The endpoints of the service: a handler for each, and at the end the table of all."""

from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from winnerstays.arena import (
    Answer,
    Ask,
    Bias,
    Deleted,
    Duel,
    Erased,
    Event,
    Receipt,
    Settings,
    Standing,
    Summary,
    Totals,
    UnknownArenaError,
)
from winnerstays.arena.figures.uplift import Uplift
from winnerstays.arena.items import ItemChanges
from winnerstays.arena.records import Request, Result
from winnerstays.errors import WinnerstaysError
from winnerstays.service import errors, metrics
from winnerstays.service.arena_json import arena_json, arenas_json, list_json
from winnerstays.service.callers import Caller
from winnerstays.service.errors import Problem, RequestError
from winnerstays.service.routing import Endpoint, Success
from winnerstays.service.runtime import Service
from winnerstays.service.schemas import (
    AnswerAndNext,
    AnswerBody,
    ArenaEventsQuery,
    ArenaList,
    AskBody,
    BatchBody,
    BatchEntry,
    BatchResults,
    Best,
    BiasQuery,
    EventsQuery,
    ItemList,
    ItemsBody,
    NewestEvents,
    NewestQuery,
    NewItems,
    NextBody,
    PopularItems,
    PopularQuery,
    Refusal,
    SettingsBody,
    ShownItem,
    StandingQuery,
    State,
    SummaryQuery,
    Top,
    TopBody,
    TotalsQuery,
    UpliftQuery,
    UserQuery,
    VisitorBody,
    VisitorToken,
)

JSON = "application/json"
NDJSON = "application/x-ndjson"
EVENTS_AT_ONCE = 500
duel_to_json = TypeAdapter(Duel).serializer.to_json
receipt_to_json = TypeAdapter(Receipt).serializer.to_json


def respond(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(to_json(content), status, headers, JSON)


async def create_arena(service: Service, caller: Caller, body: Settings) -> Response:
    """Create an arena; doing so again is harmless."""
    if not caller.sees(body.name):
        caller.check_all_arenas()

    def create() -> Response:
        new = body.name not in service.database.names()
        settings = service.database.create(body)
        headers = {"Location": f"/v1/arenas/{quote(settings.name, safe='')}"}
        return Response(arena_json(settings), 201 if new else 200, headers, JSON)

    return await service.changes.run(create)


async def list_arenas(service: Service, caller: Caller) -> Response:
    """List the arenas that the key is for."""

    def read() -> Response:
        found = [service.database.settings(name) for name in service.database.names() if caller.sees(name)]
        return Response(arenas_json(found), media_type=JSON)

    return await service.reads.run(read)


async def get_arena(service: Service, caller: Caller, name: str) -> Response:
    """Return an arena: its items, its algorithm, its rules."""
    return await service.reads.run(lambda: Response(arena_json(service.database.settings(name)), media_type=JSON))


async def change_arena(service: Service, caller: Caller, name: str, body: SettingsBody) -> Response:
    """Rename an arena, close it, or change its sets and limits."""
    changed = body.model_dump(exclude_unset=True)
    if "name" in changed and not caller.sees(str(changed["name"])):
        caller.check_all_arenas()

    def change() -> Response:
        return Response(arena_json(service.database.change_settings(name, changed)), media_type=JSON)

    return await service.changes.run(change)


async def delete_arena(service: Service, caller: Caller, name: str) -> Response:
    """Delete an arena, with everything that was learned and logged in it."""
    return respond(await service.changes.run(service.database.delete, name))


async def add_items(service: Service, caller: Caller, name: str, body: NewItems) -> Response:
    """Add items to an arena."""
    return await _change_items(service, name, ItemChanges.of(add=body.items), 201)


async def change_items(service: Service, caller: Caller, name: str, body: ItemsBody) -> Response:
    """Add, retire, restore and edit items of an arena, all or none."""
    return await _change_items(service, name, ItemChanges.of(body.add, body.retire, body.restore, body.edit))


async def retire_item(service: Service, caller: Caller, name: str, item: str) -> Response:
    """Retire an item: it is shown no more, what was learned about it is kept."""
    return await _change_items(service, name, ItemChanges.of(retire=[item]))


async def _change_items(service: Service, name: str, changes: ItemChanges, status: int = 200) -> Response:
    def change() -> Response:
        return Response(arena_json(service.database.change_items(name, changes)), status, media_type=JSON)

    return await service.changes.run(change)


async def top(service: Service, caller: Caller, name: str, body: TopBody) -> Response:
    """Return the favourites so far, the best first."""
    user = caller.acting_as(body.user)
    among = body.set if body.set is not None else body.among
    found = await service.reads.run(service.database.top, name, user, body.count, among)
    return respond({"arena": name, "user": user, "favourites": found})


async def get_items(service: Service, caller: Caller, name: str) -> Response:
    """Return the items of an arena, for whoever shows them."""

    def find() -> Response:
        fields, items = tuple(ShownItem.model_fields), service.database.settings(name).items
        shown = ({field: getattr(item, field) for field in fields} for item in items if not item.retired)
        return Response(b'{"items":' + list_json(shown) + b"}", media_type=JSON)

    return await service.reads.run(find)


async def ask(service: Service, caller: Caller, name: str, body: AskBody) -> Response:
    """Return two items to show; `Location` says where the answer goes."""
    (duel,) = await service.requests.execute([caller.ask(body.ask(name))])
    if isinstance(duel, WinnerstaysError):
        raise duel
    metrics.count_duels(1)
    assert isinstance(duel, Duel)
    return Response(duel_to_json(duel), 201, {"Location": f"/v1/duels/{duel.id}/outcome"}, JSON)


async def tell(service: Service, caller: Caller, duel: str, body: AnswerBody) -> Response:
    """Answer a duel. The same answer again is a duplicate, another one a conflict, one after expiry is late."""
    (receipt,) = await service.requests.execute([caller.answer(_answer(duel, body))])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    return Response(receipt_to_json(receipt), media_type=JSON) if receipt.accepted else errors.refuse(receipt)


async def tell_and_ask(service: Service, caller: Caller, duel: str, body: NextBody) -> Response:
    """Answer a duel and get the next one, also if the answer was late or contradicts an earlier one."""
    requests: list[Request] = [
        caller.answer(_answer(duel, body)),
        caller.ask(Ask(body.arena, body.user, group=body.group)),
    ]
    service.auth.charge(caller, len(requests) - 1)
    receipt, new = await service.requests.execute(requests)
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    if isinstance(new, WinnerstaysError):
        return errors.respond_to(caller.hide(new), receipt=receipt)
    metrics.count_duels(1)
    if receipt.accepted:
        return respond({"receipt": receipt, "next": new})
    return errors.refuse(receipt, next=new)


async def batch(service: Service, caller: Caller, body: BatchBody) -> Response:
    """Execute many asks and answers in one transaction; each has its own result."""
    requests = [_request(caller, place, entry) for place, entry in enumerate(body.works)]
    service.auth.charge(caller, len(requests) - 1)
    executed: list[Request] = [request for request in requests if isinstance(request, Ask | Answer)]
    found = iter(await service.requests.execute(executed) if executed else [])
    results = [next(found) if isinstance(request, Ask | Answer) else request for request in requests]
    return respond({"results": [_result(caller, result) for result in results]})


def _request(caller: Caller, place: int, entry: BatchEntry) -> Request | UnknownArenaError:
    """Return what a caller asks or answers; an arena that does not exist for the caller is an error of its own."""
    try:
        if entry.ask is not None and entry.tell is None:
            return caller.ask(entry.ask.ask(entry.ask.arena))
        if entry.tell is not None and entry.ask is None:
            return caller.answer(_answer(entry.tell.duel, entry.tell))
    except UnknownArenaError as error:
        return error
    raise RequestError("invalid", f"works.{place} must hold either `ask` or `tell`.")


def _answer(duel: str, body: AnswerBody) -> Answer:
    return Answer(duel, body.winner, body.outcome, body.reason, body.user, body.arena)


def _result(caller: Caller, result: Result) -> dict[str, Any]:
    if isinstance(result, Duel):
        metrics.count_duels(1)
        return {"duel": result}
    if isinstance(result, Receipt):
        metrics.count_answer(result.status)
        return {"receipt": result}
    return {"problem": errors.document(result.code, str(caller.hide(result)))}


async def issue_token(service: Service, caller: Caller, name: str, body: VisitorBody) -> Response:
    """Return a token with which a visitor asks and answers as one user of the arena, until it expires."""
    await service.reads.run(service.database.settings, name)
    token, visitor = service.auth.issue(name, body.user, body.seconds, caller.key)
    return respond({"token": token, "arena": name, "user": body.user, "expires_at": visitor.expires_at}, 201)


async def best(service: Service, caller: Caller, name: str, query: UserQuery) -> Response:
    """Return the favourite so far."""
    user = caller.acting_as(query.user)
    favourite = await service.reads.run(service.database.best, name, user)
    return respond({"arena": name, "user": user, "favourite": favourite})


async def standing(service: Service, caller: Caller, name: str, query: StandingQuery) -> Response:
    """Return the favourite and how sure it is."""
    user = caller.acting_as(query.user)
    return respond(await service.reads.run(service.database.standing, name, user, query.p, query.level))


async def bias(service: Service, caller: Caller, name: str, query: BiasQuery) -> Response:
    """Return how often people chose the left item: all people, or those of a group."""
    return respond(await service.reads.run(service.database.bias, name, query.group))


async def totals(service: Service, caller: Caller, name: str, query: TotalsQuery) -> Response:
    """Return how often what happened in an arena: by kind, by hour, by side, by pair."""
    return respond(await service.reads.run(service.database.totals, name, query.robots))


async def popular(service: Service, caller: Caller, name: str, query: PopularQuery) -> Response:
    """Return the items by how often people chose them when shown."""
    return respond({"items": await service.reads.run(service.database.popular, name, query.level)})


async def summary(service: Service, caller: Caller, name: str, query: SummaryQuery) -> Response:
    """Return what the people of an arena like, over all its learners."""
    return respond(await service.reads.run(service.database.summary, name, query.level))


async def uplift(service: Service, caller: Caller, name: str, query: UpliftQuery) -> Response:
    """Compare the people of an arena with its control group."""
    return respond(await service.reads.run(service.database.uplift, name, query.level))


async def erase(service: Service, caller: Caller, name: str, user: str) -> Response:
    """Remove a user's learner, rows and name from the arena."""
    return respond(await service.changes.run(service.database.erase, name, user))


async def arena_events(service: Service, caller: Caller, name: str, query: ArenaEventsQuery) -> Response:
    """Stream the log of an arena, or of one of its users, one JSON object a line."""
    return await _stream(service, service.database.events(name, query.after, query.user))


async def newest(service: Service, caller: Caller, name: str, query: NewestQuery) -> Response:
    """Return the newest events of an arena, the oldest of them first."""
    return respond({"events": await service.reads.run(service.database.newest_events, name, query.limit)})


async def events(service: Service, caller: Caller, query: EventsQuery) -> Response:
    """Stream the log of all arenas, one JSON object a line."""
    return await _stream(service, service.database.events(None, query.after))


async def _stream(service: Service, rows: Iterator[Event]) -> Response:
    def lines() -> bytes:
        return b"".join([to_json(event) + b"\n" for event in islice(rows, EVENTS_AT_ONCE)])

    async def parts(part: bytes) -> AsyncIterator[bytes]:
        try:
            while part:
                yield part
                part = await service.reads.run(lines)
        finally:
            rows.close()  # type: ignore[attr-defined]

    first = await service.reads.run(lines)  # before the status is sent: the arena may not exist
    return StreamingResponse(parts(first), media_type=NDJSON)


async def healthz(service: Service, caller: Caller) -> Response:
    """Say that the process is alive."""
    return respond({"status": "ok"})


async def readyz(service: Service, caller: Caller) -> Response:
    """Say whether the database can be written to."""
    await service.check_ready()
    return respond({"status": "ready"})


async def show_metrics(service: Service, caller: Caller) -> Response:
    """Return the metrics of all workers as Prometheus reads them."""
    return Response(await service.reads.run(metrics.render), media_type=metrics.MEDIA_TYPE)


_LINES = {200: Success(str, "One event a line.", NDJSON)}
_TEXT = {200: Success(str, "Prometheus text.", "text/plain")}
_UNKNOWN = {404: Problem}
_REFUSED = {404: Refusal, 409: Refusal, 410: Refusal}

ENDPOINTS = [
    Endpoint("GET", "/healthz", healthz, None, {200: Success(State)}),
    Endpoint("POST", "/v1/arenas/{name}/duels", ask, "serve", {201: Success(Duel, headers=("Location",))},
             body=AskBody, visitors=True, problems=_UNKNOWN),
    Endpoint("PUT", "/v1/duels/{duel}/outcome", tell, "serve", {200: Success(Receipt)},
             body=AnswerBody, visitors=True, problems=_REFUSED),
    Endpoint("POST", "/v1/duels/{duel}/outcome+next", tell_and_ask, "serve", {200: Success(AnswerAndNext)},
             body=NextBody, visitors=True, problems=_REFUSED),
    Endpoint("POST", "/v1/arenas/{name}/visitors", issue_token, "serve", {201: Success(VisitorToken)},
             body=VisitorBody, problems=_UNKNOWN),
    Endpoint("POST", "/v1/arenas", create_arena, "admin",
             {201: Success(Settings, headers=("Location",)), 200: Success(Settings, "It existed already.")},
             body=Settings, problems={409: Problem}),
    Endpoint("GET", "/v1/arenas", list_arenas, "read", {200: Success(ArenaList)}),
    Endpoint("GET", "/v1/arenas/{name}", get_arena, "read", {200: Success(Settings)}, problems=_UNKNOWN),
    Endpoint("PATCH", "/v1/arenas/{name}", change_arena, "admin", {200: Success(Settings)}, body=SettingsBody,
             problems={404: Problem, 409: Problem}),
    Endpoint("DELETE", "/v1/arenas/{name}", delete_arena, "admin", {200: Success(Deleted)}, problems=_UNKNOWN),
    Endpoint("POST", "/v1/arenas/{name}/items", add_items, "admin", {201: Success(Settings)}, body=NewItems,
             problems=_UNKNOWN),
    Endpoint("PATCH", "/v1/arenas/{name}/items", change_items, "admin", {200: Success(Settings)}, body=ItemsBody,
             problems=_UNKNOWN),
    Endpoint("DELETE", "/v1/arenas/{name}/items/{item:path}", retire_item, "admin", {200: Success(Settings)},
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/items", get_items, "read", {200: Success(ItemList)}, visitors=True,
             problems=_UNKNOWN),
    Endpoint("POST", "/v1/arenas/{name}/top", top, "read", {200: Success(Top)}, body=TopBody, visitors=True,
             problems=_UNKNOWN),
    Endpoint("POST", "/v1/batch", batch, "serve", {200: Success(BatchResults)}, body=BatchBody),
    Endpoint("GET", "/v1/arenas/{name}/best", best, "read", {200: Success(Best)}, query=UserQuery, visitors=True,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/standing", standing, "read", {200: Success(Standing)},
             query=StandingQuery, visitors=True, problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/bias", bias, "read", {200: Success(Bias)}, query=BiasQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/totals", totals, "read", {200: Success(Totals)}, query=TotalsQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/popular", popular, "read", {200: Success(PopularItems)}, query=PopularQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/uplift", uplift, "read", {200: Success(Uplift)}, query=UpliftQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/summary", summary, "read", {200: Success(Summary)}, query=SummaryQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/events", arena_events, "read", _LINES, query=ArenaEventsQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/newest", newest, "read", {200: Success(NewestEvents)}, query=NewestQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/events", events, "read", _LINES, query=EventsQuery, all_arenas=True),
    Endpoint("DELETE", "/v1/arenas/{name}/users/{user:path}", erase, "admin", {200: Success(Erased)},
             problems=_UNKNOWN),
    Endpoint("GET", "/readyz", readyz, None, {200: Success(State)}, problems={503: Problem}),
    Endpoint("GET", "/metrics", show_metrics, "read", _TEXT, all_arenas=True),
]  # fmt: skip
