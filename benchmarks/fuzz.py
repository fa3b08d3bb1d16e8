"""Send the service requests, and the readers files, that make no sense: no 5xx and no traceback may come of them.

`python -m benchmarks fuzz --requests 50000 --files 20000` runs as many as are wanted.
"""

import argparse
import json
import multiprocessing
import random
import re
import socket
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._timing import row
from tests.service.serving import command
from winnerstays.arena import Arenas
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import load
from winnerstays.service.endpoints import ENDPOINTS
from winnerstays.service.keys import ApiKeys
from winnerstays.web.app import PAGES
from winnerstays.web.computation import LIMITS

REQUESTS, FILES, AT_ONCE = 5000, 2000, 100
SECONDS = 0.5
"""The service waits longer for the end of a request that was cut off."""
ODD: list[Any] = [
    None, True, -1, 0, 2**63, 10**400, 1e308, "", "x" * 300, "\0", "\ud800", "²", "=1+1", "../..", "%00", [], [[]], {},
    {"id": "a"}, {"": {}}, ["a", "a"], "lunch", "ada", "left", "winner", "undo",
]  # fmt: skip
FIELDS = (
    "user", "among", "show", "without", "fresh", "place", "group", "winner", "outcome", "reason", "arena", "works",
    "items", "name", "public", "seconds", "count", "add", "retire", "edit", "sets", "params", "features", "algorithm",
    "duel", "ask", "undo", "key", "to", "rename", "delete", "file", "data", "problem", "algorithms", "runs", "robots",
    "likes",
)  # fmt: skip
HEADERS = (
    "Host: a\r\n", "Content-Length: 5\r\n", f"Content-Length: {'0' * 5000}\r\n", "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: x\r\n", "Expect: 100-continue\r\n", "Upgrade: websocket\r\nConnection: Upgrade\r\n",
    "Last-Event-ID: \xb2\r\n", "Cookie: visitor=wsv_x; session=wsv_y; last=\xff\r\n", "X-Fragment: board\r\n",
    "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n", "Authorization: Bearer wsv_a.b.c\r\n", "X\r\n", ": y\r\n",
)  # fmt: skip


def request(rng: random.Random, credentials: str, duel: str) -> bytes:
    """Return a request that is nearly right."""
    targets = [(one.method, one.path) for one in ENDPOINTS] + [(m, page.path) for page in PAGES for m in page.handlers]
    method, path = rng.choice(targets)
    names = {
        "name": ["lunch", "lunch", "nope"],
        "duel": [duel, "x"],
        "user": ["ada", "%00"],
        "format": ["csv", "parquet"],
    }
    path = re.sub(r"{(\w+)[^}]*}", lambda found: rng.choice(names.get(found[1], ["a", "%ff"])), path)
    if rng.random() < 0.4:
        path += f"?{rng.choice(FIELDS)}={rng.choice(['1', 'nan', '%C2%B2', '9' * 400, 'yes', ''])}"
    form = path.startswith(("/play", "/new", "/arenas", "/sign", "/keys", "/lab"))
    fields = {rng.choice(FIELDS): rng.choice(ODD) for _ in range(rng.choice([0, 1, 2, 3, 101]))}
    text = "&".join(f"{name}={value}" for name, value in fields.items()) if form else json.dumps(fields)
    body = text.encode("utf-8", "replace")
    kind = "application/x-www-form-urlencoded" if form else "application/json"
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n"
    head += f"Content-Length: {len(body)}\r\n" if rng.random() < 0.9 else ""
    head += credentials if rng.random() < 0.9 else ""
    head += rng.choice(HEADERS) if rng.random() < 0.3 else ""
    whole = head.encode("latin-1", "replace") + b"\r\n" + body
    return damaged(rng, whole) if rng.random() < 0.3 else whole


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Return the bytes with some changed, cut off or repeated."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        if found:
            found[rng.randrange(len(found))] = rng.randrange(256)
    kind = rng.random()
    cut = rng.randrange(len(found) + 1)
    return bytes(found[:cut] if kind < 0.2 else found + found[cut:] if kind < 0.3 else found)


def exchange(port: int, sent: bytes) -> str:
    """Return the status with which a request is answered; nothing if the connection was closed without one."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=SECONDS)) as connection:
        try:
            connection.sendall(sent)
            return connection.recv(65536)[9:12].decode("latin-1")
        except OSError:
            return ""


def fuzz_requests(count: int, seed: int) -> tuple[Counter[str], int]:
    """Return how often each status came, and the tracebacks in the log of the service."""
    rng, statuses = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        address, log = str(Path(folder) / "fuzz.db"), Path(folder) / "log"
        with Arenas.open(address) as arenas:
            arenas.create("lunch", ["a", "b", "c"], public=True)
            key, _ = ApiKeys.of(arenas).create(["admin"])
        with command(address, "--visitor-rate", "0", log=log) as service:
            port = int(service.url.rpartition(":")[2])
            for number in range(count):
                if number % 500 == 0:  # the arena may have been renamed, closed or deleted, and the session ended
                    with Arenas.open(address) as arenas:
                        if "lunch" in arenas.names():
                            arenas.delete("lunch")
                        duel = arenas.create("lunch", ["a", "b", "c"], public=True).ask("ada").id
                    with service.client() as client:
                        while not (session := client.post("/sign-in", data={"key": key}).cookies.get("session")):
                            time.sleep(1.0)  # odd requests sign in, too: that is limited
                    credentials = f"Authorization: Bearer {key}\r\nCookie: session={session}\r\n"
                sent = request(rng, credentials, duel)
                status = exchange(port, sent)
                statuses[status] += 1
                if status.startswith("5"):
                    print(status, sent[:300])
        tracebacks = log.read_text().count("Traceback")
        if tracebacks:
            print(log.read_text()[:5000])
    return statuses, tracebacks


def good_files(folder: Path) -> list[Path]:
    """Write a small file of each kind."""
    import pyarrow as pa
    from pyarrow import parquet

    matrix = np.array([[0.5, 0.7, 0.8], [0.3, 0.5, 0.6], [0.2, 0.4, 0.5]])
    duels = {"winner": ["a", "b", "a", "c"] * 9, "loser": ["b", "c", "c", "a"] * 9}
    np.save(folder / "matrix.npy", matrix)
    np.savez(folder / "matrix.npz", preferences=matrix)
    parquet.write_table(pa.table(duels), folder / "duels.parquet")
    texts = {
        "duels.csv": "winner,loser\n" + "a,b\nb,c\n" * 9, "matrix.csv": ",a,b\na,.5,.7\nb,.3,.5\n",
        "ratings.csv": "user,item,rating\n" + "u,a,5\nu,b,3\nv,b,4\nv,a,2\n" * 3,
        "matrix.json": json.dumps(matrix.tolist()),
        "duels.jsonl": '{"winner": "a", "loser": "b"}\n' * 9,
        "votes.soc": "# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 3\n2: 1,2,3\n1: 3,{1,2}\n",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    return sorted(folder.iterdir())


def read_damaged(seed: int, count: int) -> None:
    """Read damaged files; print the traceback of what is no sentence."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        files = [(path.suffix, path.read_bytes()) for path in good_files(Path(folder))]
        for _ in range(count):
            suffix, data = rng.choice(files)
            path = Path(folder) / f"damaged{suffix}"
            path.write_bytes(damaged(rng, data))
            try:
                load(path, limits=LIMITS)
            except WinnerstaysError:
                pass
            except BaseException:
                print(path.suffix, path.read_bytes()[:200])
                traceback.print_exc()
                raise SystemExit(1) from None


def fuzz_files(count: int, seed: int, read: Callable[[int, int], None] = read_damaged) -> tuple[int, int]:
    """Return how many lots of files ended with a traceback, and with the end of the process (in a library)."""
    context, ends = multiprocessing.get_context("fork"), Counter[int]()
    for lot in range(0, count, AT_ONCE):
        process = context.Process(target=read, args=(seed + lot, min(AT_ONCE, count - lot)))
        process.start()
        process.join()
        ends[process.exitcode or 0] += 1
    return ends[1], sum(number for code, number in ends.items() if code not in (0, 1))


def rows(requests: int = REQUESTS, files: int = FILES, seed: int = 1) -> list[dict[str, Any]]:
    statuses, tracebacks = fuzz_requests(requests, seed)
    unread, ended = fuzz_files(files, seed)
    failed = sum(number for status, number in statuses.items() if status.startswith("5"))
    counts = ", ".join(f"{status or 'closed'} {number}" for status, number in sorted(statuses.items()))
    return [
        row(f"5xx among {requests} odd requests", failed, "", "0", counts),
        row(f"tracebacks in the log after {requests} odd requests", tracebacks, "", "0"),
        row(f"tracebacks among {files} damaged files", unread, "", "0", f"{ended} processes ended within a library"),
    ]


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks fuzz", description=__doc__)
    for name, default in (("requests", REQUESTS), ("files", FILES), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for found in rows(**vars(parser.parse_args(words))):
        print(found)
