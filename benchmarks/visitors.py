"""Measure the memory of a service to which new visitors of a large arena come, each with a learner of their own.

`python -m benchmarks visitors --visitors 10000` takes some minutes.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._timing import row
from tests.service.serving import command
from winnerstays.arena import Arenas

VISITORS, ALGORITHM, ITEMS = 1000, "ws-root", 100_000


def peak(pid: int) -> float:
    """Return the most megabytes of memory that a process ever had, as Linux counts them."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def rows(visitors: int = VISITORS, algorithm: str = ALGORITHM, items: int = ITEMS) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        address = str(Path(folder) / "large.db")
        with Arenas.open(address) as arenas:
            arenas.create("large", [f"item{number}" for number in range(items)], algorithm=algorithm)
        with command(address, log=Path(folder) / "log") as service, service.client() as client:
            pid = service.process.pid
            before = peak(pid)
            for number in range(visitors):
                asked = client.post("/v1/arenas/large/duels", json={"user": f"visitor{number}"})
                assert asked.status_code == 201, asked.text
            after = peak(pid)
    name = f"memory after {visitors} visitors, {algorithm} with {items} items"
    return [row(name, after, "MB", "", f"{before:.0f} MB before")]


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, default=VISITORS)
    parser.add_argument("--algorithm", default=ALGORITHM)
    parser.add_argument("--items", type=int, default=ITEMS)
    for found in rows(**vars(parser.parse_args(words))):
        print(found)
