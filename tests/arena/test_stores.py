"""One contract on every store: memory, SQLite, PostgreSQL."""

import pytest

from winnerstays.arena.conformance import CHECKS
from winnerstays.arena.store import open_store


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(check, address):
    store = open_store(address)
    check(store)
    store.close()
