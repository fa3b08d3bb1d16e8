"""The endpoints of the service: a handler for each, and at the end the table of all."""

import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from winnerstays.arena import Answer, Ask, Duel, Event, Receipt, Settings, UnknownArenaError
from winnerstays.arena.items import ItemChanges
from winnerstays.arena.operations import CHANGE_ARENA, CHANGE_ITEMS, OPERATIONS, REWARD, STANDING, TOP, Operation
from winnerstays.arena.records import Request, Result
from winnerstays.errors import WinnerstaysError
from winnerstays.interleaving import Interleaved, interleave
from winnerstays.service import errors, metrics
from winnerstays.service.auth import Caller
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
    EventsQuery,
    InterleaveBody,
    ItemList,
    NewItems,
    NextBody,
    Refusal,
    ShownItem,
    State,
    VisitorBody,
    VisitorToken,
)  # fmt: skip
from winnerstays.service.tokens import Visitor

JSON = "application/json"
NDJSON = "application/x-ndjson"
EVENTS_AT_ONCE = 500
ITEMS_AT_ONCE = 1000
"""Of a list that is written as JSON: one call for 100,000 items would keep every other thread waiting."""
duel_to_json = TypeAdapter(Duel).serializer.to_json
receipt_to_json = TypeAdapter(Receipt).serializer.to_json


def respond(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(to_json(content), status, headers, JSON)


def list_json(values: Iterable[Any]) -> bytes:
    rest, parts = iter(values), []
    while part := list(islice(rest, ITEMS_AT_ONCE)):
        parts.append(to_json(part)[1:-1])
    return b"[" + b",".join(parts) + b"]"


def arena_json(settings: Settings) -> bytes:
    parts = [
        to_json(name) + b":" + (list_json(settings.items) if name == "items" else to_json(getattr(settings, name)))
        for name in Settings.model_fields
    ]
    return b"{" + b",".join(parts) + b"}"


def arenas_json(arenas: Sequence[Settings]) -> bytes:
    return b'{"arenas":[' + b",".join(map(arena_json, arenas)) + b"]}"


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
        seen = [settings for settings in service.database.arenas() if caller.sees(settings.name)]
        return Response(arenas_json(seen), media_type=JSON)

    return await service.reads.run(read)


async def add_items(service: Service, caller: Caller, name: str, body: NewItems) -> Response:
    """Add items to an arena."""
    return await _change_items(service, name, ItemChanges.of(add=body.items), 201)


async def retire_item(service: Service, caller: Caller, name: str, item: str) -> Response:
    """Retire an item: it is shown no more, what was learned about it is kept."""
    return await _change_items(service, name, ItemChanges.of(retire=[item]))


async def _change_items(service: Service, name: str, changes: ItemChanges, status: int = 200) -> Response:
    def change() -> Response:
        settings = service.database.call(CHANGE_ITEMS, name, **changes.arguments())
        return Response(arena_json(settings), status, media_type=JSON)

    return await service.changes.run(change)


async def get_items(service: Service, caller: Caller, name: str) -> Response:
    """Return the items of an arena, for whoever shows them."""

    def find() -> Response:
        service.database.permitted(name, caller.permit)
        fields, ids = tuple(ShownItem.model_fields), set(service.database.eligible(name, caller.permit))
        items = service.database.get_arena(name).items
        shown = ({field: getattr(item, field) for field in fields} for item in items if item.id in ids)
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
    (receipt,) = await service.requests.execute([caller.answer(body.answer(duel))])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    return Response(receipt_to_json(receipt), media_type=JSON) if receipt.accepted else errors.refuse(receipt)


async def tell_and_ask(service: Service, caller: Caller, duel: str, body: NextBody) -> Response:
    """Answer a duel and get the next one, also if the answer was late or contradicts an earlier one."""
    requests: list[Request] = [
        caller.answer(body.answer(duel)),
        caller.ask(body.ask(body.arena)),
    ]
    service.auth.charge(caller, len(requests) - 1)
    receipt, new = await service.requests.execute(requests)
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    if isinstance(new, WinnerstaysError):
        return errors.respond_to(new, receipt=receipt)
    metrics.count_duels(1)
    if receipt.accepted:
        return respond({"receipt": receipt, "next": new})
    return errors.refuse(receipt, next=new)


async def batch(service: Service, caller: Caller, body: BatchBody) -> Response:
    """Execute many asks and answers in one transaction; each has its own result."""
    requests = [_request(caller, place, entry) for place, entry in enumerate(body.works)]
    service.auth.charge(caller, len(requests) - 1)
    executed: list[Request] = [request for request in requests if isinstance(request, Ask | Answer)]
    receipts = iter(await service.requests.execute(executed) if executed else [])
    results = [next(receipts) if isinstance(request, Ask | Answer) else request for request in requests]
    return respond({"results": list(map(_result, results))})


def _request(caller: Caller, place: int, entry: BatchEntry) -> Request | UnknownArenaError:
    """Return what a caller asks or answers; an arena that does not exist for the caller is an error of its own."""
    try:
        if entry.ask is not None and entry.tell is None:
            return caller.ask(entry.ask.ask(entry.ask.arena))
        if entry.tell is not None and entry.ask is None:
            return caller.answer(entry.tell.answer(entry.tell.duel))
    except UnknownArenaError as error:
        return error
    raise RequestError("invalid", f"works.{place} must hold either `ask` or `tell`.")


def _result(result: Result) -> dict[str, Any]:
    if isinstance(result, Duel):
        metrics.count_duels(1)
        return {"duel": result}
    if isinstance(result, Receipt):
        metrics.count_answer(result.status)
        return {"receipt": result}
    return {"problem": errors.document(result.code, str(result))}


async def interleave_results(service: Service, caller: Caller, body: InterleaveBody) -> Response:
    """Make one list of the results of two rankers, with what gives credit for clicks on it."""
    given = body.method, body.first, body.second, body.length
    return respond((await service.reads.run(interleave, *given)).to_json())


async def issue_token(service: Service, caller: Caller, name: str, body: VisitorBody) -> Response:
    """Return a token with which a visitor asks and answers as one user of the arena, until it expires."""
    arena_id = await service.reads.run(service.database.permitted, name, caller.permit)
    warning = await service.reads.run(service.database.check_eligible, body.ask(name))
    visitor = Visitor(arena_id, body.user, time.time() + body.seconds, caller.key, body.among, body.group)
    made = {"token": service.auth.issue(visitor), "arena": name, "user": body.user}
    return respond({**made, "expires_at": visitor.expires_at, "warning": warning}, 201)


async def arena_events(service: Service, caller: Caller, name: str, query: ArenaEventsQuery) -> Response:
    """Stream the log of an arena, or of one of its users, one JSON object a line."""
    return await _stream(service, service.database.events(name, query.after, query.user, query.limit))


async def events(service: Service, caller: Caller, query: EventsQuery) -> Response:
    """Stream the log of all arenas, one JSON object a line."""
    return await _stream(service, service.database.events(None, query.after, limit=query.limit))


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
    return Response(await service.reads.run(metrics.render, lambda: service.database), media_type=metrics.MEDIA_TYPE)


_LINES = {200: Success(str, "One event a line.", NDJSON)}
_TEXT = {200: Success(str, "Prometheus text.", "text/plain")}
_UNKNOWN = {404: Problem}
_REFUSED = {404: Refusal, 409: Refusal, 410: Refusal}


def endpoint(operation: Operation[Any]) -> Endpoint:
    """Return the endpoint of an operation on an arena."""

    async def handler(
        service: Service,
        caller: Caller,
        name: str,
        body: BaseModel | None = None,
        query: BaseModel | None = None,
        **arguments: Any,
    ) -> Response:
        given = body or query
        if given is not None:
            arguments |= {field: getattr(given, field) for field in _given(operation, given)}
        if operation is CHANGE_ARENA and not caller.sees(str(arguments.get("name", name))):
            caller.check_all_arenas()
        if operation.visitors:
            arguments["user"] = caller.acting_as(arguments["user"])

        def call() -> Response:
            if caller.user is not None:
                service.database.permitted(name, caller.permit)
            if caller.permit.items is None:
                reply = service.database.call(operation, name, **arguments)
            else:
                reply = _call_bound(service, caller, operation, name, arguments)
            if isinstance(reply, Settings):
                return Response(arena_json(reply), media_type=JSON)
            return respond(operation.write_reply(reply, name, arguments))

        return await (service.changes if operation.writes else service.reads).run(call)

    handler.__name__, handler.__doc__ = operation.name, operation.summary
    in_body = operation.method != "GET"
    return Endpoint(
        operation.method, f"/v1/arenas/{{name}}{operation.path}", handler, operation.scope,
        {200: Success(operation.document or operation.reply)}, body=operation.arguments if in_body else None,
        query=None if in_body else operation.arguments, visitors=operation.visitors,
        problems={404: Problem, 409: Problem} if operation.conflicts else _UNKNOWN,
    )  # fmt: skip


def _call_bound(
    service: Service, caller: Caller, operation: Operation[Any], name: str, arguments: dict[str, Any]
) -> Any:
    """Do an operation for a visitor for whom only some items exist."""
    if operation is STANDING:
        raise RequestError("scope", f"{caller.name} may see some items only, and this names others; ask for the `top`.")
    if operation is REWARD:
        return service.database.call(operation, name, **arguments)
    among = service.database.eligible(name, caller.permit, arguments.pop("among", None))
    found = service.database.call(TOP, name, **{"count": 1, **arguments, "among": among})
    return found if operation is TOP else found[0]


def _given(operation: Operation[Any], arguments: BaseModel) -> Iterable[str]:
    """Return the names of the arguments; of changed settings only those that were sent."""
    if operation is CHANGE_ARENA:
        return arguments.model_fields_set
    return type(arguments).model_fields


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
    Endpoint("POST", "/v1/arenas/{name}/items", add_items, "admin", {201: Success(Settings)}, body=NewItems,
             problems=_UNKNOWN),
    Endpoint("DELETE", "/v1/arenas/{name}/items/{item:path}", retire_item, "admin", {200: Success(Settings)},
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/items", get_items, "read", {200: Success(ItemList)}, visitors=True,
             problems=_UNKNOWN),
    Endpoint("POST", "/v1/interleave", interleave_results, "serve", {200: Success(Interleaved)}, body=InterleaveBody),
    Endpoint("POST", "/v1/batch", batch, "serve", {200: Success(BatchResults)}, body=BatchBody),
    Endpoint("GET", "/v1/arenas/{name}/events", arena_events, "read", _LINES, query=ArenaEventsQuery,
             problems=_UNKNOWN),
    Endpoint("GET", "/v1/events", events, "read", _LINES, query=EventsQuery, all_arenas=True),
    *map(endpoint, OPERATIONS),
    Endpoint("GET", "/readyz", readyz, None, {200: Success(State)}, problems={503: Problem}),
    Endpoint("GET", "/metrics", show_metrics, "read", _TEXT, all_arenas=True),
]  # fmt: skip
