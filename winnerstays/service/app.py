"""The application: routes, middleware, lifespan."""

import gc
import os
import signal
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from pydantic.json_schema import models_json_schema
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response

from winnerstays.arena import Arenas, Settings
from winnerstays.service import errors as problems
from winnerstays.service import metrics
from winnerstays.service.auth import Keyring
from winnerstays.service.config import Config
from winnerstays.service.endpoints import ROUTES
from winnerstays.service.errors import Problem
from winnerstays.service.request_queue import Line
from winnerstays.service.routing import Door, Service
from winnerstays.service.schemas import Refusal

VERSION = "1"
SECONDS_BETWEEN_LOOKS = 1.0
OBJECTS_BEFORE_COLLECTION = 10_000
"""Looking for garbage after every 700 objects, among all that was imported, took a third of the time of a request."""


def create_app(config: Config, arenas: Arenas | None = None) -> FastAPI:
    """The service on a database, or on arenas that are open already (and stay so)."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opened = await run_in_threadpool(_open, config.database) if arenas is None else arenas
        line = Line(opened.database.execute_now, opened.execute, opened.database.writers)
        app.state.service = Service(config, opened, line, Door(config, Keyring(opened.keys, config.workers)))
        try:
            yield
        finally:
            await run_in_threadpool(line.close)
            if arenas is None:
                opened.close()

    app = FastAPI(
        title="winnerstays",
        version=VERSION,
        description="Show two. Learn the favourite.",
        routes=list(ROUTES),
        middleware=_middleware(config),
        exception_handlers={HTTPException: _no_route},
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    describe = app.openapi
    app.openapi = lambda: _with_problems(describe())  # type: ignore[method-assign]
    return app


def _open(database: str) -> Arenas:
    """The arenas, all of them looked at before the first visitor comes: algorithms are loaded at their first use."""
    arenas = Arenas.open(database)
    Settings(name="any", items=("this", "that"))  # type: ignore[arg-type]
    for _ in arenas:
        pass
    return arenas


def from_environment() -> FastAPI:
    """What a worker process of `winnerstays serve` runs."""
    config = Config.from_environment()
    app = create_app(config)
    if config.workers > 1:
        threading.Thread(target=_end_with, args=(config.parent,), daemon=True).start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    return app


def _end_with(parent: int) -> None:
    """A worker whose parent was killed would keep the port for ever."""
    while os.getppid() == parent:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os.kill(os.getpid(), signal.SIGTERM)


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


async def _no_route(request: Request, error: Exception) -> Response:
    """No such path, or no such method on it."""
    assert isinstance(error, HTTPException)
    metrics.count_request(request.method, "", error.status_code, 0.0)
    kind = {404: "no-route", 405: "no-method"}.get(error.status_code, "http")
    said = f"There is no {request.method} {request.url.path}; /openapi.json lists what there is."
    return problems.respond(error.status_code, kind, said, dict(error.headers or {}))


def _with_problems(document: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document with the schemas of problems, which have a media type of their own."""
    models = [(model, "serialization") for model in (Problem, Refusal)]
    _, found = models_json_schema(models, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]
    schemas = document["components"]["schemas"]
    for name, schema in found["$defs"].items():
        schemas.setdefault(name, schema)
    return document
