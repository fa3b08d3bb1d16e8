"""Measure the pages: the first one, robots, the dashboard, and duels while many watch."""

import json
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import sync_playwright

from benchmarks._timing import row
from benchmarks.service import ITEMS, hasty_person, served
from tests.service.serving import command
from tests.web import chromium
from winnerstays.arena import Arenas

ANSWERS = 1_000_000
USERS = 1000
VIEWERS, RATE, TURNS = 480, 300.0, 5
OPENINGS = 5
ANSWERS_OF_VISITOR = 200


def robots() -> float:
    """Return the duels per second that 20 robots play through a service on SQLite."""
    with tempfile.TemporaryDirectory() as folder, served(f"{folder}/lunch.db") as server:
        form = {"robots": "20", "duels": "300", "p": "0.8"}
        address = f"http://127.0.0.1:{server.port}/play/lunch/robots"
        response = httpx.post(address, data=form, timeout=120, trust_env=False)
        return float(json.loads(response.text.splitlines()[-1])["duels_per_second"])


def first_page() -> tuple[float, float]:
    """Return the median seconds until a pair can be chosen in a browser that was never here, and the KB it took."""
    seconds, sizes = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        served(f"{folder}/lunch.db") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.FLAGS)
        for _ in range(OPENINGS + 1):  # the first opening also starts the browser's own processes
            context = browser.new_context()
            page, size = context.new_page(), []
            page.on("requestfinished", lambda request, size=size: size.append(request.sizes()["responseBodySize"]))
            start = time.perf_counter()
            page.goto(f"http://127.0.0.1:{server.port}/play/lunch", wait_until="load")
            page.locator("[data-choice=left]").wait_for()
            seconds.append(time.perf_counter() - start)
            page.wait_for_load_state("networkidle")
            sizes.append(sum(size) / 1000)
            context.close()
        browser.close()
    return statistics.median(seconds[1:]), max(sizes)


def next_pair() -> float:
    """Return the median milliseconds from an answer on the play page to the next pair."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(f"{folder}/lunch.db", "--visitor-rate", "0") as server,
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=30, trust_env=False) as client,
    ):
        page, seconds = client.post("/play/lunch", data={"ask": "pair"}, headers={"X-Fragment": "board"}).text, []
        for _ in range(ANSWERS_OF_VISITOR):
            duel, winner = (part.partition('"')[0] for part in page.split('value="')[1:3])
            start = time.perf_counter()
            answer = {"duel": duel, "winner": winner}
            page = client.post("/play/lunch", data=answer, headers={"X-Fragment": "board"}).raise_for_status().text
            seconds.append(time.perf_counter() - start)
    return 1000 * statistics.median(seconds)


def dashboard() -> float:
    """Return the median seconds in which the dashboard of this many answers opens."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/lunch.db"
        with Arenas.open(database) as arenas:
            arena = arenas.create("lunch", ITEMS)
            users = [f"user{number}" for number in range(USERS)]
            for _ in range(ANSWERS // USERS):
                arena.tell_many([(duel, min(duel.left, duel.right)) for duel in arena.ask_many(users)])
        with (
            command(database, log=Path(folder) / "log") as process,
            httpx.Client(base_url=process.url, timeout=120, trust_env=False) as client,
        ):
            seconds = []
            for _ in range(OPENINGS):
                start = time.perf_counter()
                client.get("/arenas/lunch").raise_for_status()
                seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@contextmanager
def viewers(port: int) -> Iterator[None]:
    """Keep this many live dashboards open, and read what they get."""
    request = b"GET /arenas/lunch/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
    open_ones = [socket.create_connection(("127.0.0.1", port)) for _ in range(VIEWERS)]
    ended = threading.Event()
    with selectors.DefaultSelector() as selector:
        for one in open_ones:
            one.sendall(request)
            selector.register(one, selectors.EVENT_READ)

        def read() -> None:
            while not ended.is_set():
                for key, _ in selector.select(0.1):
                    key.fileobj.recv(1 << 20)  # type: ignore[union-attr]

        reader = threading.Thread(target=read)
        reader.start()
        try:
            yield
        finally:
            ended.set()
            reader.join()
            for one in open_ones:
                one.close()


def watching() -> float:
    """Return the share of a core that live viewers take while duels go on at a fixed rate.

    A service on SQLite uses one core: where it has no other work left to do, duels lose this share.
    """
    with tempfile.TemporaryDirectory() as folder, served(f"{folder}/lunch.db") as server:

        def used() -> float:
            before, start = server.cpu_seconds(), time.perf_counter()
            server.play(hasty_person, RATE)
            return (server.cpu_seconds() - before) / (time.perf_counter() - start)

        used()
        alone, watched = [], []
        for _ in range(TURNS):
            alone.append(used())
            with viewers(server.port):
                watched.append(used())
    return statistics.median(watched) - statistics.median(alone)


def rows() -> Iterator[dict[str, Any]]:
    if chromium.find():
        seconds, kilobytes = first_page()
        yield row("the play page, in a browser that was never here", seconds, "s", "<= 1", "until one can choose")
        yield row("what that page transfers", kilobytes, "KB", "<= 150")
    else:
        print(chromium.MISSING, file=sys.stderr)
    yield row("the next pair on the play page", next_pair(), "ms", "<= 100", "of the server; median of 200")
    yield row("20 robots", robots(), "duels per second", ">= 300")
    yield row(f"{VIEWERS} live dashboards while duels go on", watching(), "of a core", "<= 0.2")
    yield row(f"dashboard of {ANSWERS:,} answers", dashboard(), "s", "<= 1")
