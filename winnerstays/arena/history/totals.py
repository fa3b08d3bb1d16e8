"""Keeping the running totals up to date, apart from the transactions that are counted."""

import threading
from contextlib import suppress

from winnerstays.arena.errors import StoreError
from winnerstays.arena.stores import totals
from winnerstays.arena.stores.base import Store
from winnerstays.arena.stores.totals import ROWS_AT_ONCE


class TotalsKeeper:
    """Moves the mark of the totals on, in a thread, whenever this process has appended enough rows."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._appended = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def appended(self, rows: int) -> None:
        """Note that this many rows were appended to the log."""
        self._appended += rows
        if self._appended >= ROWS_AT_ONCE and (self._thread is None or not self._thread.is_alive()):
            self._appended = 0
            self._thread = threading.Thread(target=self._catch_up, name="totals", daemon=True)
            self._thread.start()

    def _catch_up(self) -> None:
        with suppress(StoreError):  # readers count what is not in the totals yet; the next thread tries again
            self.catch_up()

    def catch_up(self) -> None:
        """Add all rows to the totals that no transaction can come before any more."""
        last = self._store.settled()
        while self._store.run(lambda transaction: totals.advance(transaction, last)) and not self._closed:
            pass

    def close(self) -> None:
        """Let the thread end, and wait for it; what it leaves is done the next time."""
        self._closed = True
        if self._thread is not None:
            self._thread.join()
