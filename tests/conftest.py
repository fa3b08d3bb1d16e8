"""Fixtures that several test modules share."""

import gc
import math
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.postgres import Postgres
from winnerstays import progress
from winnerstays.algorithms import registry
from winnerstays.arena.engine import models
from winnerstays.cli import main
from winnerstays.picking import progress_line

settings.register_profile(
    "same everywhere", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same everywhere")
LONGEST = ("tests/test_readme.py", "tests/simulation/test_workers.py::test_a_ray_cluster")


def pytest_collection_modifyitems(items):
    """Begin with the longest tests: begun last, they would go on alone."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish():
    """Let the collector of garbage pass over everything that was imported: it stays until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _registry_as_it_was(monkeypatch):
    """Let no test see the algorithms that another one has registered."""
    monkeypatch.setattr(registry, "_registry", registry.registered())


@pytest.fixture(autouse=True)
def _no_models_by_the_clock(monkeypatch):
    """Let tests make versions of models of tastes when they want them: in the background they come at any moment."""
    monkeypatch.setattr(models, "PAUSE_SECONDS", 1e6)


@pytest.fixture
def run(monkeypatch, capsys):
    """A function that runs a `winnerstays` command in this process: its exit code, and what it printed where.

    It prints no progress, which would depend on how long the command takes.
    """
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_WORDS", math.inf)
    monkeypatch.setattr(progress_line, "PIPED_SECONDS", math.inf)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["winnerstays", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


@pytest.fixture(scope="session")
def postgres():
    server = Postgres(Path(tempfile.mkdtemp(prefix="winnerstays-postgres-")))
    yield server
    server.stop()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def address(request, tmp_path):
    """The address of an empty database of each kind."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres").arenas()
    return "memory:" if request.param == "memory" else str(tmp_path / "arena.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def durable(request, tmp_path):
    """The address of an empty database that outlives its process."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres").arenas()
    return str(tmp_path / "arena.db")
