"""Pages as data, and how a request reaches one: who may see it, its answer, its errors as a page."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

from anyio import create_task_group
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from winnerstays.arena import Arena, Arenas, Item
from winnerstays.errors import WinnerstaysError
from winnerstays.service import errors, metrics
from winnerstays.service.auth import ANYBODY, Caller, check_host
from winnerstays.service.config import Config
from winnerstays.service.errors import STATUSES, RequestError
from winnerstays.service.limits import MAX_DIGITS, network
from winnerstays.service.runtime import Service
from winnerstays.service.tokens import Session, TokenError
from winnerstays.theme import ASSETS
from winnerstays.web.items import Card, card
from winnerstays.web.jobs import Jobs

log = logging.getLogger("winnerstays.web")
STATIC = Path(__file__).parent / "static"
Handler = Callable[["Visit"], Awaitable[Response]]
MAX_FIELDS = 100
"""Of a form."""
SESSION_COOKIE = "session"
LINKS = (("/", "Play"), ("/new", "Make one"), ("/arenas", "Arenas"), ("/lab", "Lab"), ("/docs", "Docs"))
"""The pages that every page links to: path, label."""
T = TypeVar("T")


@dataclass(frozen=True)
class Page:
    """One path: a handler for each method, and the scope that whoever opens it needs (None: everybody may)."""

    path: str
    handlers: Mapping[str, Handler]
    scope: str | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        handler = self.handlers.get(method)
        if handler is None:
            raise HTTPException(405, headers={"Allow": ", ".join(self.handlers)})
        visit = Visit(Request(scope, receive))
        try:
            if await admit(visit, self.scope):
                response = await handler(visit)
            else:
                to = quote(visit.request.url.path)
                response = RedirectResponse(f"/sign-in?to={to}", 303, headers(visit.config))
        except WinnerstaysError as error:
            response = show_error(visit, error)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:  # it waited too long after SIGTERM
            response = show_error(visit, RequestError("store", "The service is being stopped; try again soon."))
        except Exception:
            response = show_error(visit, RequestError("defect", "The service has a defect; its log says more."))
        await response(scope, receive, send)
        metrics.count_request(method, self.path, response.status_code, time.perf_counter() - start)

    def route(self) -> Route:
        return Route(self.path, self)


class Visit:
    """One request for a page."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.service: Service = request.app.state.service
        self.caller: Caller | None = None
        """Whoever signed in; everybody on this machine, as long as there are no keys."""
        self.session: Session | None = None
        self.pictures = self.config.pictures
        """Origins from which this page may load pictures."""

    @property
    def config(self) -> Config:
        return self.service.config

    @cached_property
    def arenas(self) -> Arenas:
        return Arenas(self.service.database)

    @property
    def is_fragment(self) -> bool:
        """Whether a script of ours asks for a part of the page."""
        return "x-fragment" in self.request.headers

    async def arena(self) -> Arena:
        """Return the arena that the path names, if it exists for whoever signed in."""
        name: str = self.request.path_params["name"]
        if self.caller is not None:
            self.caller.check_arena(name)
        return Arena(self.arenas, await self.service.reads.run(self.service.database.get_arena, name))

    def remembered_arena(self) -> Arena | None:
        """Return the same as this process last read it, without asking the database."""
        name: str = self.request.path_params["name"]
        if self.caller is not None:
            self.caller.check_arena(name)
        settings = self.service.database.remembered(name)
        return None if settings is None else Arena(self.arenas, settings)

    def may(self, scope: str) -> bool:
        """Whether whoever visits may do what needs this scope."""
        return self.caller is not None and self.caller.may(scope)

    def check_all_arenas(self) -> None:
        """Refuse whoever signed in with a key for some arenas only."""
        if self.caller is not None:
            self.caller.check_all_arenas()

    def state(self, name: str, make: Callable[[], T]) -> T:
        """Return what this process remembers under a name; it is made at its first use."""
        kept: dict[str, Any] = self.request.app.state.pages
        value: T = kept.setdefault(name, make()) if name not in kept else kept[name]
        return value

    @property
    def jobs(self) -> Jobs:
        return self.state("jobs", Jobs)

    def charge_address(self, what: str, rate: float) -> None:
        """Count one of `what` for the address of whoever visits; refuse it if there are more than `rate` per second."""
        self.service.auth.charge(Caller(f"{what} from {self.network}", frozenset(), rate), 1)

    @property
    def network(self) -> str:
        """Where the request comes from, as limits count it."""
        return network(self.request.client.host) if self.request.client else ""

    async def form(self) -> dict[str, str]:
        length = self.request.headers.get("content-length", "")
        if not length.isdecimal() or len(length) > MAX_DIGITS or int(length) > self.config.max_body:
            raise RequestError("too-large", f"A form must have its length, at most {self.config.max_body} bytes.")
        body = (await self.request.body()).decode("utf-8", "replace")
        try:
            return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FIELDS))
        except ValueError:
            raise RequestError("invalid", f"A form must not have more than {MAX_FIELDS} fields.") from None

    def link_to_play(self, arena: str) -> str:
        """Return the whole address of an arena's play page, to share it."""
        return str(self.request.base_url).rstrip("/") + play_path(arena)

    def cards(self, arena: Arena) -> Callable[[str], Card]:
        """Return the function that makes the card of an item by its id; one that came meanwhile shows only that."""
        items = {item.id: item for item in arena.items}
        self.pictures = (*self.pictures, *arena.settings.pictures)
        return lambda id_: card(items.get(id_) or Item(id=id_), self.pictures)

    def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a template as a page."""
        signed_in = self.caller is not None and self.caller is not ANYBODY
        shown = {"links": LINKS, "here": self.request.url.path, "signed_in": signed_in, "may": self.may, **values}
        html = templates().get_template(template).render(shown)
        return HTMLResponse(html, status, headers=headers(self.config, self.pictures))


async def admit(visit: Visit, scope: str | None) -> bool:
    """Find out who visits. False if they should sign in first; forms that another site sends are refused."""
    auth = visit.service.auth
    if auth.stale:
        await auth.refresh()
    if visit.request.method not in ("GET", "HEAD"):
        check_same_site(visit.request)
    if auth.keyless:
        check_host(dict(visit.request.headers.raw))
        visit.caller = ANYBODY
    elif SESSION_COOKIE in visit.request.cookies:
        with suppress(TokenError):
            visit.caller, visit.session = auth.check_session(visit.request.cookies[SESSION_COOKIE])
    if scope is None or visit.may(scope):
        return True
    if visit.caller is not None:
        raise RequestError("scope", f"This needs a key with the scope {scope!r}, which {visit.caller.name} lacks.")
    if visit.request.method not in ("GET", "HEAD") or visit.is_fragment:
        raise RequestError("no-key", "You are not signed in, or no longer; sign in and try again.")
    return False


def check_same_site(request: Request) -> None:
    """Refuse a form that a page of another site has sent. Every browser says where a form comes from."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    ours = (
        site in ("same-origin", "none")
        if site
        else origin is None or origin == f"{request.url.scheme}://{request.headers.get('host')}"
    )
    if not ours:
        raise RequestError("scope", f"The form came from another site ({origin or site}); send it from this one.")


def show_error(visit: Visit, error: WinnerstaysError) -> Response:
    """Return the page that says what the error says."""
    status, words = STATUSES[error.code], errors.public(error)
    if status >= 500:
        where = f"{visit.request.method} {visit.request.url.path}"
        words += f" (Request {errors.report(error, where, errors.request_id(dict(visit.request.headers.raw)))}.)"
    heading = "This page does not exist" if status == 404 else "This did not work"
    response = visit.render("message.html", status, heading=heading, words=words)
    if isinstance(error, RequestError) and error.headers:
        response.headers.update(error.headers)
    return response


def headers(config: Config, pictures: Iterable[str] | None = None) -> dict[str, str]:
    """Return the headers of every page: no script but ours, no request to another host, no frame around it."""
    origins = " ".join(dict.fromkeys(("'self'", "data:", *(config.pictures if pictures is None else pictures))))
    policy = (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src {origins}; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }


@cache
def templates() -> Environment:
    """Return the templates: every value is escaped, and a missing one is an error."""
    environment = Environment(
        loader=PackageLoader("winnerstays.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        static=static_address, play_path=play_path, arena_path=arena_path,
        when=lambda at: datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M"),
    )  # fmt: skip
    return environment


@cache
def static_address(name: str) -> str:
    """Return the address of a file of ours, which changes with its content."""
    file = next(folder / name for folder in (STATIC, ASSETS) if (folder / name).exists())
    return f"/static/{name}?v={sha256(file.read_bytes()).hexdigest()[:10]}"


class Files(StaticFiles):
    """Files of ours. A browser keeps them: another content has another address."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        keep = "max-age=31536000, immutable" if scope["query_string"] else "no-cache"
        response.headers.update({"Cache-Control": keep, "X-Content-Type-Options": "nosniff"})
        return response


class Stream(StreamingResponse):
    """A response that comes bit by bit, and ends as soon as nobody listens any more, also between two bits."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with create_task_group() as tasks:

            async def run(work: Callable[[], Awaitable[None]]) -> None:
                await work()
                tasks.cancel_scope.cancel()

            tasks.start_soon(run, partial(self.stream_response, send))
            await run(partial(self.listen_for_disconnect, receive))


def play_path(arena: str) -> str:
    return f"/play/{quote(arena, safe='')}"


def arena_path(arena: str) -> str:
    return f"/arenas/{quote(arena, safe='')}"
