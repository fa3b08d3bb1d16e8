"""The application: routes, middleware, lifespan."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache

from pydantic_core import to_json
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ExceptionHandler

from winnerstays.arena import Arenas, Settings
from winnerstays.service import errors, metrics, openapi
from winnerstays.service.auth import Authenticator
from winnerstays.service.config import Config
from winnerstays.service.endpoints import ENDPOINTS
from winnerstays.service.request_queue import RequestQueue
from winnerstays.service.routing import Service
from winnerstays.service.routing import routes as endpoint_routes


def create_app(
    config: Config,
    arenas: Arenas | None = None,
    *,
    routes: Sequence[BaseRoute] = (),
    no_route: ExceptionHandler | None = None,
) -> Starlette:
    """Make the service on a database, or on arenas that are open already (and stay so).

    `routes` are served besides the endpoints, and `no_route` answers requests for what does not exist.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        opened = await run_in_threadpool(_open, config.database) if arenas is None else arenas
        database = opened.database
        requests = RequestQueue(database.execute_now, database.execute, database.writers)
        auth = Authenticator(database.keys.credentials, config)
        app.state.service = Service(config, database, requests, auth)
        try:
            yield
        finally:
            await run_in_threadpool(requests.close)
            auth.close()
            if arenas is None:
                opened.close()

    app = Starlette(
        routes=[*endpoint_routes(ENDPOINTS), Route("/openapi.json", show_openapi), *routes],
        middleware=_middleware(config),
        exception_handlers=dict.fromkeys((404, 405), no_route or say_no_route),
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


def _open(database: str) -> Arenas:
    """Open the arenas and look at each before the first visitor comes: algorithms are loaded at their first use."""
    arenas = Arenas.open(database)
    Settings.model_validate({"name": "any", "items": ["this", "that"]})
    for _ in arenas:
        pass
    return arenas


def _middleware(config: Config) -> list[Middleware]:
    if not config.cors:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(config.cors),
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Location", "Retry-After"],
        )
    ]


async def say_no_route(request: Request, error: Exception) -> Response:
    """Answer a request for a path that does not exist, or a method that the path does not have."""
    assert isinstance(error, HTTPException)
    metrics.count_request(request.method, "", error.status_code, 0.0)
    code = "no-route" if error.status_code == 404 else "no-method"
    detail = f"There is no {request.method} {request.url.path}; /openapi.json lists what there is."
    return errors.respond(code, detail, dict(error.headers or {}))


async def show_openapi(request: Request) -> Response:
    """The OpenAPI document of the service."""
    return Response(_openapi(), media_type="application/json")


@cache
def _openapi() -> bytes:
    return to_json(openapi.document(ENDPOINTS))
