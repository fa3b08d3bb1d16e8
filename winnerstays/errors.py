"""Errors people can read: each is one sentence with the bad value and what would be right."""

import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

MAX_LISTED, NEAREST = 60, 8
"""The longest list of names in a sentence, and how many stand for a longer one."""


class WinnerstaysError(ValueError):
    """Something the caller can put right; the message says what and how."""

    code = "invalid"
    """The name of this kind of error over HTTP; it stays the same from release to release."""


def unknown(kind: str, name: object, known: Iterable[str], of: str = "") -> WinnerstaysError:
    """Return the error for a name that does not exist; it suggests the nearest one that does.

    >>> print(unknown("algorithm", "ws-v", ["ws-w", "rucb"]))
    There is no algorithm 'ws-v'; did you mean 'ws-w'? Known: rucb, ws-w.
    """
    names, asked = sorted(text for text in known if text.strip()), str(name).lower()
    near = [text for text in names if asked and text.startswith(asked)] or get_close_matches(asked, names, cutoff=0.55)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    if len(names) > MAX_LISTED:
        names = [*get_close_matches(asked, names, n=NEAREST, cutoff=0.0), f"{len(names) - NEAREST} more"]
    whose = f" of {of}" if of else ""
    return WinnerstaysError(f"There is no {kind} {str(name)!r}{whose}{hint} Known: {', '.join(names) or 'none'}.")


def place_in(error: BaseException, file: str | Path | None = None) -> str:
    """Return the line of a file where an error came from, in brackets; without a file, of the innermost one.

    >>> try:
    ...     1 / 0
    ... except ZeroDivisionError as error:
    ...     place_in(error).endswith(", line 2)")
    True
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({Path(error.filename).name}, line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if file is None or Path(frame.filename) == Path(file)]
    return f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""


def callers_level() -> int:
    """Return the `stacklevel` with which a warning names the line of whoever called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    return level


def check_extra(what: str, module: str, extra: str) -> None:
    """Raise an error, before any work is done, if an optional dependency is not installed."""
    if find_spec(module) is None:
        raise missing_extra(what, extra)


@contextmanager
def extra(what: str, name: str) -> Iterator[None]:
    """Say which optional part must be installed if an import inside fails."""
    try:
        yield
    except ImportError:
        raise missing_extra(what, name) from None


def missing_extra(what: str, extra: str) -> WinnerstaysError:
    """Return the error for a feature whose optional dependency is not installed."""
    return WinnerstaysError(f"{what} needs an optional part: {install_command(extra)}.")


def install_command(extra: str) -> str:
    """Return the command that installs an optional part; it names the clone if the package runs from one.

    >>> install_command("tables").endswith("[tables]'")
    True
    """
    root = Path(__file__).resolve().parent.parent
    place = str(root) if (root / "pyproject.toml").is_file() else "winnerstays"
    return f"{sys.executable} -m pip install '{place}[{extra}]'"
