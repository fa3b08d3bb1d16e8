"""The progress of a pick as one line on stderr."""

import sys
import time
from typing import TextIO

from winnerstays.picking import procedure
from winnerstays.picking.session import Session
from winnerstays.picking.words import percent, short

SECONDS = 0.1
"""The least time between two lines."""


def progress_text(session: Session) -> str:
    """Return the favourite, its confidence, the calls, about how many are left, and how many items are still in."""
    left = procedure.calls_left(session.state)
    more = "" if left is None else f", about {left * (2 if session.both else 1)} left"
    names = session.items.names
    return (
        f"{short(names[session.favourite])[:30]}: confidence {percent(procedure.confidence(session.state))}, "
        f"{session.calls} calls{more}, {len(session.remaining)} of {len(names)} items in"
    )


class ProgressLine:
    """Writes a line over the last one."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file or sys.stderr
        self._next = 0.0

    def __call__(self, session: Session) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + SECONDS
            self._file.write(f"\r\x1b[K{progress_text(session)}")
            self._file.flush()

    def close(self) -> None:
        """Clear the line."""
        self._file.write("\r\x1b[K")
        self._file.flush()
