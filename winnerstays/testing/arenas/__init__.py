"""The contract of arenas, as checks for any way to reach them: on a store of one's own, or through a service.

    import pytest
    from winnerstays.testing.arenas import CHECKS, on_store

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_arenas(check):
        check(on_store(open_my_store()))

Each check takes a Subject with an empty database and raises AssertionError if the contract is broken. Seeds are fixed.
"""

from collections.abc import Callable

from winnerstays.testing.arenas import answers, figures, items, people
from winnerstays.testing.arenas.subject import Clock, Subject, on_store

__all__ = ["CHECKS", "Clock", "Subject", "on_store"]

CHECKS: list[Callable[[Subject], None]] = [
    check
    for module in (answers, people, items, figures)
    for name, check in vars(module).items()
    if name.startswith("check_") and check.__module__ == module.__name__
]
