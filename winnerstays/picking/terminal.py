"""A person at the terminal as judge: two texts side by side, one key for each answer, and a way back.

An answer is kept when the next one is given: until then `u` takes it back. So two questions are always open.
"""

import os
import re
import sys
import termios
import tty
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.items import as_text
from winnerstays.picking.judging import LEFT, RIGHT, SHARES, SKIP, TIE, Question, Reply
from winnerstays.picking.picker import Picker
from winnerstays.picking.progress_line import progress_text

OPEN = 2
"""Questions that are open at once."""
ANSWERS = {
    "\x1b[D": LEFT, "\x1bOD": LEFT, "1": LEFT, "\x1b[C": RIGHT, "\x1bOC": RIGHT, "2": RIGHT, "=": TIE, "s": SKIP,
}  # fmt: skip
UNDO, QUIT, INTERRUPT = "u", ("q", "\x04", ""), "\x03"
KEY = re.compile("\x1b[\\[O].|.", re.DOTALL)
"""A key as a terminal sends it: an arrow is three characters."""
KEYS = "← or 1 left   → or 2 right   = tie   s skip   u undo   q stop"


def check_terminal() -> None:
    """Refuse to ask where nobody can answer."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WinnerstaysError("--judge me asks in a terminal, but this is none; give a command as judge instead.")


def run_in_terminal(picker: Picker, examples: tuple[Any, ...] | None) -> None:
    """Ask the person at the terminal until the picker ends or they have had enough."""
    console = Console()
    given: tuple[Question, Reply] | None = None
    back: deque[Question] = deque()
    with _single_keys() as keys:
        while True:
            question = back.popleft() if back else next(iter(picker.ask(1)), None)
            if question is None:
                if given is None:
                    break
                picker.learn([given])
                given = None
                continue
            _show(console, picker, question, examples, can_undo=given is not None)
            key = next(keys)
            while key not in ANSWERS and key not in (*QUIT, INTERRUPT) and not (key == UNDO and given is not None):
                wrong = "There is nothing to take back." if key == UNDO else "That key means nothing here."
                _show(console, picker, question, examples, can_undo=given is not None, notice=wrong)
                key = next(keys)
            if key == UNDO and given is not None:
                back.extendleft((question, given[0]))
                given = None
            elif key in ANSWERS:
                if given is not None:
                    picker.learn([given])
                given = question, Reply(ANSWERS[key], SHARES.get(ANSWERS[key]))
            else:
                if given is not None:
                    picker.learn([given])
                picker.end("interrupted" if key == INTERRUPT else "stopped")
                break
    console.clear()


@contextmanager
def _single_keys() -> Iterator[Iterator[str]]:
    """Yield keys as they are pressed; Ctrl-C is a key like others, so that nothing is lost by it."""
    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)

    def keys() -> Iterator[str]:
        while data := os.read(file, 64).decode(errors="replace"):
            yield from KEY.findall(data)
        while True:
            yield ""  # the terminal is gone

    try:
        tty.setraw(file, termios.TCSADRAIN)
        mode = termios.tcgetattr(file)
        mode[1] = before[1]  # line ends are written as before
        termios.tcsetattr(file, termios.TCSADRAIN, mode)
        yield keys()
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def _show(
    console: Console,
    picker: Picker,
    question: Question,
    examples: tuple[Any, ...] | None,
    *,
    can_undo: bool,
    notice: str = "",
) -> None:
    table = Table.grid(expand=True, padding=(0, 1))
    table.add_column(ratio=1)
    table.add_column(ratio=1)
    values = dict(zip(picker.items.names, picker.items.values, strict=True))
    sides = [Panel(_text(values[name])) for name in (question.left, question.right)]
    table.add_row(*sides)
    waiting = "; the latest is learned with the next" if can_undo else ""
    parts: list[Any] = [Text(progress_text(picker, int(can_undo)) + waiting, style="dim")]
    if examples is not None and question.example is not None:
        parts.append(Panel(_text(examples[question.example]), title="example"))
    keys = KEYS if can_undo else KEYS.replace("   u undo", "")
    console.clear()
    console.print(Group(*parts, Text("Which is better?", style="bold"), table, Text(notice, style="bold"), Text(keys)))


def _text(value: Any) -> Text:
    return Text(as_text(value) or str(value))
