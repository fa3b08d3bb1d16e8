"""The application: routes, middleware, lifespan."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache

from pydantic_core import to_json
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ExceptionHandler

from winnerstays.arena import Arenas
from winnerstays.service import errors, metrics, openapi
from winnerstays.service.config import Config
from winnerstays.service.endpoints import ENDPOINTS
from winnerstays.service.routing import routes as endpoint_routes
from winnerstays.service.runtime import Service


def create_app(
    config: Config,
    arenas: Arenas | None = None,
    *,
    routes: Sequence[BaseRoute] = (),
    no_route: ExceptionHandler | None = None,
) -> Starlette:
    """Make the service on a database, which need not be there yet, or on arenas that are open already (and stay so).

    `routes` are served besides the endpoints, and `no_route` answers requests for what does not exist.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.service = Service(config, arenas)
        await app.state.service.start()
        try:
            yield
        finally:
            await app.state.service.stop()

    app = Starlette(
        routes=[*endpoint_routes(ENDPOINTS), Route("/openapi.json", show_openapi), *routes],
        middleware=_middleware(config),
        exception_handlers=dict.fromkeys((404, 405), no_route or say_no_route),
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


def _middleware(config: Config) -> list[Middleware]:
    if not config.cors:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(config.cors),
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Location", "Retry-After", errors.REQUEST_ID],
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
