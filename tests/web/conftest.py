"""A browser, and a service with pages for it."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.service.conftest import _stop_shared_server  # noqa: F401
from tests.service.serving import client_of, shared_server
from tests.waiting import PATIENCE_SECONDS
from tests.web import chromium
from winnerstays.arena import Arenas
from winnerstays.service.config import Config
from winnerstays.web import jobs
from winnerstays.web.app import create_app


@contextmanager
def pages(address="memory:", **config):
    """A client of a service with pages; `client.arenas` are the arenas behind it, `client.url` is its address."""
    with (
        Arenas.open(address) as arenas,
        shared_server().host(create_app(Config(address, **{"visitor_rate": None, **config}), arenas)) as url,
        client_of(url) as client,
    ):
        client.arenas, client.url = arenas, url
        yield client


@pytest.fixture(autouse=True)
def _simulations_have_the_usual_priority(monkeypatch):
    """Beside other work those with a low one may take any time."""
    monkeypatch.setattr(jobs, "NICENESS", 0)


@pytest.fixture
def site():
    with pages() as client:
        yield client


@pytest.fixture(scope="package")
def browser():
    """A browser for the tests of this folder alone: while it is driven, its event loop runs in this thread."""
    path = chromium.find()
    if path is None:
        pytest.skip(chromium.MISSING)
    expect.set_options(timeout=1000 * PATIENCE_SECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """A function that opens an address in a browser of its own; afterwards no page may have complained."""
    contexts, complaints = [], []

    def open_page(address, **options):
        context = browser.new_context(reduced_motion="reduce", **options)
        context.set_default_timeout(1000 * PATIENCE_SECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.complaints = complaints
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints
