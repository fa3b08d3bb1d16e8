"""The progress of a pick on stderr: a line that is written over, or, where that is no terminal, a line now and then."""

import shutil
import sys
import threading
import time
from typing import TextIO

from winnerstays.picking import procedure
from winnerstays.picking.picker import Picker
from winnerstays.picking.words import count, short, sure

SECONDS = 0.1
"""The least time between two lines that are written over each other."""
PIPED_SECONDS, MOST_PIPED_SECONDS = 5.0, 60.0
"""The least time before the first of the lines that stay; before each next one it is twice as long, up to the most."""
WAIT_SECONDS = 5.0
"""A call that takes longer is named."""


def progress_text(picker: Picker, pending: int = 0) -> str:
    """Return the favourite, its confidence, the calls, about how many are left, and how many items are still in.

    `pending` answers were given and are not learned yet.
    """
    left = procedure.calls_left(picker.state)
    more = "" if left is None else f", about {left * (2 if picker.both else 1)} left"
    names, certain = picker.items.names, procedure.confidence(picker.state, picker.favourite)
    return (
        f"{short(names[picker.favourite])[:30]}: {sure(certain)}, "
        f"{count(picker.calls + pending, 'call')}{more}, {len(picker.remaining)} of {len(names)} items in"
    )


def waiting_text(picker: Picker) -> str:
    """Return which call of the judge is waited for, if one takes long."""
    longest = picker.longest_call()
    if longest is None or time.monotonic() - longest[1] < WAIT_SECONDS:
        return ""
    question, since = longest
    left, right = (short(name)[:20] for name in (question.left, question.right))
    return f"waiting for the judge for {time.monotonic() - since:.0f} s: {left} or {right}; "


class ProgressLine:
    """Writes how a pick is going, also while nothing happens."""

    def __init__(self, picker: Picker, file: TextIO | None = None) -> None:
        self._picker = picker
        self._file = file or sys.stderr
        self._over = self._file.isatty()
        self._pause = SECONDS if self._over else PIPED_SECONDS
        self._next = time.monotonic() + (0.0 if self._over else PIPED_SECONDS)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        picker.on_progress = lambda _: self._show()
        picker.on_notice = self.note
        threading.Thread(target=self._tick, daemon=True, name="progress of a pick").start()

    def note(self, sentence: str) -> None:
        """Write a sentence that stays."""
        with self._lock:
            self._write(f"{sentence}\n")

    def close(self) -> None:
        """Clear the line; nothing is written after that."""
        self._closed.set()
        with self._lock:
            self._write("")

    def _tick(self) -> None:
        while not self._closed.wait(1.0):
            self._show()

    def _show(self) -> None:
        with self._lock:
            now = time.monotonic()
            if now >= self._next and not self._closed.is_set():
                self._pause = self._pause if self._over else min(2 * self._pause, MOST_PIPED_SECONDS)
                self._next = now + self._pause
                text = waiting_text(self._picker) + progress_text(self._picker)
                width = shutil.get_terminal_size().columns - 1  # a line that wraps cannot be written over
                self._write(text[:width] if self._over else f"{text}\n")

    def _write(self, text: str) -> None:
        self._file.write(f"\r\x1b[K{text}" if self._over else text)
        self._file.flush()
