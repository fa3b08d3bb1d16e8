"""Fixtures for tests with processes that end badly."""

import multiprocessing

import pytest

collect_ignore = ["crash_preload.py"]
"""Imported, it does what forked processes shall find done."""


@pytest.fixture(scope="session")
def forks():
    """Start processes in milliseconds: forked from one that has imported everything and started nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.arena.crash_preload", "psycopg"])
    return context
