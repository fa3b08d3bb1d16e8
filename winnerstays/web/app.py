"""The service together with its pages."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount

from winnerstays.arena import Arenas
from winnerstays.service import app as service_app
from winnerstays.service import server
from winnerstays.service.config import Config
from winnerstays.service.errors import RequestError
from winnerstays.web import dashboard, editing, home, keys, lab, new, play, robots, sessions, sushi
from winnerstays.web.pages import STATIC, Files, Visit, show_error

PAGES = [
    page for part in (home, play, robots, new, dashboard, editing, keys, lab, sessions, sushi) for page in part.PAGES
]


def create_app(config: Config, arenas: Arenas | None = None) -> Starlette:
    """Make the service with its pages, on a database or on arenas that are open already (and stay so)."""
    app = service_app.create_app(config, arenas, routes=routes(), no_route=no_route)
    app.state.pages = {}
    return app


def create_worker() -> Starlette:
    """Make the application of one process of `winnerstays serve`."""
    return server.create_worker(create_app)


def routes() -> list[BaseRoute]:
    return [
        Mount("/static", Files(directory=STATIC, packages=[("winnerstays", "assets")])),
        *(page.route() for page in PAGES),
    ]


async def no_route(request: Request, error: Exception) -> Response:
    """Answer a request for what does not exist: a page to a person, a problem document to a program."""
    if request.url.path.startswith("/v1") or "text/html" not in request.headers.get("accept", ""):
        return await service_app.say_no_route(request, error)
    assert isinstance(error, HTTPException)
    code = "no-route" if error.status_code == 404 else "no-method"
    words = f"There is no {request.method} {request.url.path}."
    return show_error(Visit(request), RequestError(code, words, dict(error.headers or {})))
