"""The endpoints of the service: a handler for each, and at the end the table of all."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from winnerstays.arena import Answer, Ask, Bias, Duel, Erased, Event, Receipt, Settings, Standing
from winnerstays.arena.records import Request, Result
from winnerstays.errors import WinnerstaysError
from winnerstays.service import errors, metrics
from winnerstays.service.errors import Problem, RequestError
from winnerstays.service.routing import Endpoint, Service, Success
from winnerstays.service.schemas import (
    AnswerAndNext,
    AnswerBody,
    ArenaList,
    AskBody,
    BatchBody,
    BatchEntry,
    BatchResults,
    Best,
    EventsQuery,
    NextBody,
    Refusal,
    StandingQuery,
    State,
    UserQuery,
)

JSON = "application/json"
NDJSON = "application/x-ndjson"
EVENTS_AT_ONCE = 500
duel_to_json = TypeAdapter(Duel).serializer.to_json
receipt_to_json = TypeAdapter(Receipt).serializer.to_json


def respond(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(to_json(content), status, headers, JSON)


async def create_arena(service: Service, body: Settings) -> Response:
    """Create an arena; doing so again is harmless."""

    def create() -> tuple[bool, Settings]:
        new = body.name not in service.database.names()
        return new, service.database.create(body)

    new, settings = await run_in_threadpool(create)
    headers = {"Location": f"/v1/arenas/{quote(settings.name, safe='')}"}
    return respond(settings, 201 if new else 200, headers)


async def list_arenas(service: Service) -> Response:
    """List all arenas."""

    def read() -> list[Settings]:
        return [service.database.settings(name) for name in service.database.names()]

    return respond({"arenas": await run_in_threadpool(read)})


async def get_arena(service: Service, name: str) -> Response:
    """Return an arena: its items, its algorithm, its rules."""
    return respond(await run_in_threadpool(service.database.settings, name))


async def ask(service: Service, name: str, body: AskBody) -> Response:
    """Return two items to show; `Location` says where the answer goes."""
    (duel,) = await service.requests.execute([body.request(name)])
    if isinstance(duel, WinnerstaysError):
        raise duel
    metrics.count_duels(1)
    assert isinstance(duel, Duel)
    return Response(duel_to_json(duel), 201, {"Location": f"/v1/duels/{duel.id}/outcome"}, JSON)


async def tell(service: Service, duel: str, body: AnswerBody) -> Response:
    """Answer a duel. The same answer again is a duplicate, another one a conflict, one after expiry is late."""
    (receipt,) = await service.requests.execute([_answer(duel, body)])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    return Response(receipt_to_json(receipt), media_type=JSON) if receipt.accepted else errors.refuse(receipt)


async def tell_and_ask(service: Service, duel: str, body: NextBody) -> Response:
    """Answer a duel and get the next one, also if the answer was late or contradicts an earlier one."""
    receipt, new = await service.requests.execute([_answer(duel, body), Ask(body.arena, body.user)])
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


async def batch(service: Service, body: BatchBody) -> Response:
    """Execute many asks and answers in one transaction; each has its own result."""
    requests = [_request(place, entry) for place, entry in enumerate(body.works)]
    results = await service.requests.execute(requests) if requests else []
    return respond({"results": list(map(_result, results))})


def _request(place: int, entry: BatchEntry) -> Request:
    if entry.ask is not None and entry.tell is None:
        return entry.ask.request(entry.ask.arena)
    if entry.tell is not None and entry.ask is None:
        return _answer(entry.tell.duel, entry.tell)
    raise RequestError("invalid", f"works.{place} must hold either `ask` or `tell`.")


def _answer(duel: str, body: AnswerBody) -> Answer:
    return Answer(duel, body.winner, body.outcome, body.reason, body.user, body.arena)


def _result(result: Result) -> dict[str, Any]:
    if isinstance(result, Duel):
        metrics.count_duels(1)
        return {"duel": result}
    if isinstance(result, Receipt):
        metrics.count_answer(result.status)
        return {"receipt": result}
    return {"problem": errors.document(result.code, str(result))}


async def best(service: Service, name: str, query: UserQuery) -> Response:
    """Return the favourite so far."""
    favourite = await run_in_threadpool(service.database.best, name, query.user)
    return respond({"arena": name, "user": query.user, "favourite": favourite})


async def standing(service: Service, name: str, query: StandingQuery) -> Response:
    """Return the favourite and how sure it is."""
    return respond(await run_in_threadpool(service.database.standing, name, query.user, query.p, query.level))


async def bias(service: Service, name: str) -> Response:
    """Return how often people chose the left item."""
    return respond(await run_in_threadpool(service.database.bias, name))


async def erase(service: Service, name: str, user: str) -> Response:
    """Remove a user's learner, rows and name from the arena."""
    return respond(await run_in_threadpool(service.database.erase, name, user))


async def arena_events(service: Service, name: str, query: EventsQuery) -> Response:
    """Stream the log of an arena, one JSON object a line."""
    return await _stream(service.database.events(name, query.after))


async def events(service: Service, query: EventsQuery) -> Response:
    """Stream the log of all arenas, one JSON object a line."""
    return await _stream(service.database.events(None, query.after))


async def _stream(rows: Iterator[Event]) -> Response:
    def lines() -> bytes:
        return b"".join([to_json(event) + b"\n" for event in islice(rows, EVENTS_AT_ONCE)])

    async def parts(part: bytes) -> AsyncIterator[bytes]:
        try:
            while part:
                yield part
                part = await run_in_threadpool(lines)
        finally:
            rows.close()  # type: ignore[attr-defined]

    first = await run_in_threadpool(lines)  # before the status is sent: the arena may not exist
    return StreamingResponse(parts(first), media_type=NDJSON)


async def healthz(service: Service) -> Response:
    """Say that the process is alive."""
    return respond({"status": "ok"})


async def readyz(service: Service) -> Response:
    """Say whether the database can be used."""
    if service.ping is None or service.ping.done():
        service.ping = asyncio.ensure_future(run_in_threadpool(service.database.ping))
    seconds = service.config.ready_seconds
    try:
        await asyncio.wait_for(asyncio.shield(service.ping), seconds)
    except TimeoutError:
        raise RequestError("store", f"The database has not answered within {seconds:g} seconds.") from None
    return respond({"status": "ready"})


async def show_metrics(service: Service) -> Response:
    """Return the metrics of all workers as Prometheus reads them."""
    return Response(await run_in_threadpool(metrics.render), media_type=metrics.MEDIA_TYPE)


_LINES = {200: Success(str, "One event a line.", NDJSON)}
_TEXT = {200: Success(str, "Prometheus text.", "text/plain")}
_UNKNOWN = {404: Problem}
_REFUSED = {404: Refusal, 409: Refusal, 410: Refusal}

ENDPOINTS = [
    Endpoint("GET", "/healthz", healthz, None, {200: Success(State)}),
    Endpoint("POST", "/v1/arenas/{name}/duels", ask, "serve", {201: Success(Duel, headers=("Location",))},
             body=AskBody, problems=_UNKNOWN),
    Endpoint("PUT", "/v1/duels/{duel}/outcome", tell, "serve", {200: Success(Receipt)},
             body=AnswerBody, problems=_REFUSED),
    Endpoint("POST", "/v1/duels/{duel}/outcome+next", tell_and_ask, "serve", {200: Success(AnswerAndNext)},
             body=NextBody, problems=_REFUSED),
    Endpoint("POST", "/v1/arenas", create_arena, "admin",
             {201: Success(Settings, headers=("Location",)), 200: Success(Settings, "It existed already.")},
             body=Settings, problems={409: Problem}),
    Endpoint("GET", "/v1/arenas", list_arenas, "read", {200: Success(ArenaList)}),
    Endpoint("GET", "/v1/arenas/{name}", get_arena, "read", {200: Success(Settings)}, problems=_UNKNOWN),
    Endpoint("POST", "/v1/batch", batch, "serve", {200: Success(BatchResults)}, body=BatchBody),
    Endpoint("GET", "/v1/arenas/{name}/best", best, "read", {200: Success(Best)}, query=UserQuery, problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/standing", standing, "read", {200: Success(Standing)},
             query=StandingQuery, problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/bias", bias, "read", {200: Success(Bias)}, problems=_UNKNOWN),
    Endpoint("GET", "/v1/arenas/{name}/events", arena_events, "read", _LINES, query=EventsQuery, problems=_UNKNOWN),
    Endpoint("GET", "/v1/events", events, "read", _LINES, query=EventsQuery),
    Endpoint("DELETE", "/v1/arenas/{name}/users/{user:path}", erase, "admin", {200: Success(Erased)},
             problems=_UNKNOWN),
    Endpoint("GET", "/readyz", readyz, None, {200: Success(State)}, problems={503: Problem}),
    Endpoint("GET", "/metrics", show_metrics, "read", _TEXT),
]  # fmt: skip
