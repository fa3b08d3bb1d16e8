"""Every route of the service, and at the end the list of them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Query
from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from winnerstays.arena import Answer, Ask, Bias, Duel, Erased, Event, Receipt, Settings, Standing
from winnerstays.arena.records import Result
from winnerstays.errors import WinnerstaysError
from winnerstays.service import errors as problems
from winnerstays.service import metrics
from winnerstays.service.errors import RequestError
from winnerstays.service.routing import Route, Service
from winnerstays.service.schemas import (
    AnswerAndNext,
    AnswerBody,
    ArenaBody,
    ArenaList,
    ArenaName,
    AskBody,
    BatchBody,
    BatchResults,
    Best,
    DuelId,
    EventsQuery,
    NextBody,
    Refusal,
    StandingQuery,
    State,
    UserName,
    UserQuery,
    given,
)

NDJSON = "application/x-ndjson"
EVENTS_AT_ONCE = 500
READY_SECONDS = 2.0
Given = Annotated[Service, Depends(lambda: None)]
"""FastAPI must not take it for a part of the request; `Route` fills it in."""


_JSON = "application/json"
duel_json = TypeAdapter(Duel).serializer.to_json
receipt_json = TypeAdapter(Receipt).serializer.to_json


def reply(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(to_json(content), status, headers, _JSON)


async def create_arena(service: Given, body: ArenaBody) -> Response:
    """Create an arena; doing so again is harmless."""
    arenas = service.arenas

    def create() -> tuple[bool, Settings]:
        new = body.name not in arenas.names()
        return new, arenas.create(**given(body)).settings

    new, settings = await run_in_threadpool(create)
    headers = {"Location": f"/v1/arenas/{quote(settings.name, safe='')}"}
    return reply(settings, 201 if new else 200, headers)


async def list_arenas(service: Given) -> Response:
    """All arenas."""
    found = await run_in_threadpool(lambda: [arena.settings for arena in service.arenas])
    return reply({"arenas": found})


async def get_arena(service: Given, name: ArenaName) -> Response:
    """An arena: its items, its algorithm, its rules."""
    return reply((await run_in_threadpool(service.arenas.get, name)).settings)


async def ask(service: Given, name: ArenaName, body: AskBody) -> Response:
    """Two items to show; `Location` says where the answer goes."""
    (duel,) = await service.line.perform([Ask(name, body.user)])
    if isinstance(duel, WinnerstaysError):
        raise duel
    metrics.count_duels(1)
    assert isinstance(duel, Duel)
    return Response(duel_json(duel), 201, {"Location": f"/v1/duels/{duel.id}/outcome"}, _JSON)


async def tell(service: Given, duel: DuelId, body: AnswerBody) -> Response:
    """Answer a duel. The same answer again is a duplicate, another one a conflict, one after expiry is late."""
    (receipt,) = await service.line.perform([_tell(duel, body)])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    return Response(receipt_json(receipt), media_type=_JSON) if receipt.accepted else problems.refuse(receipt)


async def tell_and_ask(service: Given, duel: DuelId, body: NextBody) -> Response:
    """Answer a duel and get the next one, also if the answer was late or contradicts an earlier one."""
    receipt, new = await service.line.perform([_tell(duel, body), Ask(body.arena, body.user)])
    if isinstance(receipt, WinnerstaysError):
        raise receipt
    assert isinstance(receipt, Receipt)
    metrics.count_answer(receipt.status)
    if isinstance(new, WinnerstaysError):
        return problems.respond(*problems.kind_of(new), str(new), receipt=receipt)
    metrics.count_duels(1)
    if receipt.accepted:
        return reply({"receipt": receipt, "next": new})
    return problems.refuse(receipt, next=new)


async def batch(service: Given, body: BatchBody) -> Response:
    """Many questions and answers in one transaction; each has its own result."""
    works: list[Ask | Answer] = []
    for place, work in enumerate(body.works):
        if work.ask is not None and work.tell is None:
            works.append(Ask(work.ask.arena, work.ask.user))
        elif work.tell is not None and work.ask is None:
            works.append(_tell(work.tell.duel, work.tell))
        else:
            raise RequestError(422, "invalid", f"works.{place} must hold either `ask` or `tell`.")
    results = await service.line.perform(works) if works else []
    return reply({"results": list(map(_result, results))})


def _tell(duel: str, body: AnswerBody) -> Answer:
    return Answer(duel, body.winner, body.outcome, body.reason, body.user, body.arena)


def _result(result: Result) -> dict[str, Any]:
    if isinstance(result, Duel):
        metrics.count_duels(1)
        return {"duel": result}
    if isinstance(result, Receipt):
        metrics.count_answer(result.status)
        return {"receipt": result}
    return {"problem": problems.body(*problems.kind_of(result), str(result))}


async def best(service: Given, name: ArenaName, query: Annotated[UserQuery, Query()]) -> Response:
    """The favourite so far."""
    favourite = await run_in_threadpool(lambda: service.arenas.get(name).best(query.user))
    return reply({"arena": name, "user": query.user, "favourite": favourite})


async def standing(service: Given, name: ArenaName, query: Annotated[StandingQuery, Query()]) -> Response:
    """The favourite and how sure it is."""
    arenas = service.arenas
    return reply(await run_in_threadpool(lambda: arenas.get(name).standing(query.user, p=query.p, level=query.level)))


async def bias(service: Given, name: ArenaName) -> Response:
    """How often people chose the left item."""
    return reply(await run_in_threadpool(lambda: service.arenas.get(name).bias()))


async def erase(service: Given, name: ArenaName, user: UserName) -> Response:
    """Remove a user's learner, rows and name from the arena."""
    return reply(await run_in_threadpool(lambda: service.arenas.get(name).erase(user)))


async def arena_events(service: Given, name: ArenaName, query: Annotated[EventsQuery, Query()]) -> Response:
    """The log of an arena, one JSON object a line."""
    return await _stream(service.arenas.events(name, after=query.after))


async def events(service: Given, query: Annotated[EventsQuery, Query()]) -> Response:
    """The log of all arenas, one JSON object a line."""
    return await _stream(service.arenas.events(after=query.after))


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


async def healthz(service: Given) -> Response:
    """The process is alive."""
    return reply({"status": "ok"})


async def readyz(service: Given) -> Response:
    """The database can be used."""
    if service.probe is None or service.probe.done():
        service.probe = asyncio.ensure_future(run_in_threadpool(service.arenas.database.ping))
    try:
        await asyncio.wait_for(asyncio.shield(service.probe), READY_SECONDS)
    except TimeoutError:
        raise RequestError(503, "store", f"The database has not answered within {READY_SECONDS:g} seconds.") from None
    return reply({"status": "ready"})


async def show_metrics(service: Given) -> Response:
    """Figures for Prometheus."""
    return Response(await run_in_threadpool(metrics.render), media_type=metrics.MEDIA_TYPE)


def _ok(model: Any, status: int = 200, **more: Any) -> dict[int, dict[str, Any]]:
    return {status: {"model": model, **more}}


_LOCATION = {"headers": {"Location": {"schema": {"type": "string"}}}}
_LINES = {200: {"content": {NDJSON: {"schema": {"type": "string"}}}, "description": "One event a line."}}
_TEXT = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Prometheus text."}}
_REFUSED = {status: {"model": Refusal} for status in (404, 409, 410)}

ROUTES = [
    Route("GET", "/healthz", healthz, scope=None, responses=_ok(State)),
    Route("POST", "/v1/arenas/{name}/duels", ask, scope="serve", problems=(404,), status_code=201,
          responses=_ok(Duel, 201, **_LOCATION)),
    Route("PUT", "/v1/duels/{duel}/outcome", tell, scope="serve", problems=(404, 409, 410),
          responses={**_ok(Receipt), **_REFUSED}),
    Route("POST", "/v1/duels/{duel}/outcome+next", tell_and_ask, scope="serve", problems=(404, 409, 410),
          responses={**_ok(AnswerAndNext), **_REFUSED}),
    Route("POST", "/v1/arenas", create_arena, scope="admin", problems=(409,), status_code=201,
          responses={**_ok(Settings, 201, **_LOCATION), **_ok(Settings, description="It existed already.")}),
    Route("GET", "/v1/arenas", list_arenas, scope="read", responses=_ok(ArenaList)),
    Route("GET", "/v1/arenas/{name}", get_arena, scope="read", problems=(404,), responses=_ok(Settings)),
    Route("POST", "/v1/batch", batch, scope="serve", responses=_ok(BatchResults)),
    Route("GET", "/v1/arenas/{name}/best", best, scope="read", problems=(404,), responses=_ok(Best)),
    Route("GET", "/v1/arenas/{name}/standing", standing, scope="read", problems=(404,), responses=_ok(Standing)),
    Route("GET", "/v1/arenas/{name}/bias", bias, scope="read", problems=(404,), responses=_ok(Bias)),
    Route("GET", "/v1/arenas/{name}/events", arena_events, scope="read", problems=(404,), responses=_LINES,
          response_class=StreamingResponse),
    Route("GET", "/v1/events", events, scope="read", responses=_LINES, response_class=StreamingResponse),
    Route("DELETE", "/v1/arenas/{name}/users/{user:path}", erase, scope="admin", problems=(404,),
          responses=_ok(Erased)),
    Route("GET", "/readyz", readyz, scope=None, problems=(503,), responses=_ok(State)),
    Route("GET", "/metrics", show_metrics, scope="read", responses=_TEXT, response_class=Response),
]  # fmt: skip
