"""The contract of arenas, as checks for every way to reach them: on each store, and through a service.

Each check takes a Subject with an empty database and raises AssertionError if the contract is broken. Seeds are fixed.
"""

from collections.abc import Callable

from tests.arena.contract import answers, figures, items, people
from tests.arena.contract.subject import Clock, Subject, on_store

__all__ = ["CHECKS", "Clock", "Subject", "on_store"]

CHECKS: list[Callable[[Subject], None]] = [
    check
    for module in (answers, people, items, figures)
    for name, check in vars(module).items()
    if name.startswith("check_") and check.__module__ == module.__name__
]
