"""Errors people can read: each is one sentence with the bad value and what would be right."""

import sys
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

MAX_LISTED, NEAREST = 60, 8
"""The longest list of names in a sentence, and how many stand for a longer one."""


class WinnerstaysError(ValueError):
    """Something the caller can put right; the message says what and how."""

    code = "invalid"
    """Names the kind of error where there are no classes, as over HTTP; stays the same from release to release."""


def unknown(kind: str, name: object, known: Iterable[str]) -> WinnerstaysError:
    """The error for a name that does not exist, with the nearest one that does.

    >>> print(unknown("algorithm", "ws-v", ["ws-w", "rucb"]))
    There is no algorithm 'ws-v'; did you mean 'ws-w'? Known: rucb, ws-w.
    """
    names, asked = sorted(one for one in known if one.strip()), str(name).lower()
    near = [one for one in names if asked and one.startswith(asked)] or get_close_matches(asked, names, cutoff=0.55)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    if len(names) > MAX_LISTED:
        names = [*get_close_matches(asked, names, n=NEAREST, cutoff=0.0), f"{len(names) - NEAREST} more"]
    return WinnerstaysError(f"There is no {kind} {str(name)!r}{hint} Known: {', '.join(names) or 'none'}.")


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
    places = [one for one in frames if file is None or Path(one.filename) == Path(file)]
    return f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""


def check_extra(what: str, module: str, extra: str) -> None:
    """Refuse now, before any work is done, what needs an optional dependency that is not installed."""
    if find_spec(module) is None:
        raise missing_extra(what, extra)


def missing_extra(what: str, extra: str) -> WinnerstaysError:
    """The error for a feature whose optional dependency is not installed."""
    return WinnerstaysError(f"{what} needs an optional part: {install_command(extra)}.")


def install_command(extra: str) -> str:
    """Return what installs an optional part: from the clone, if the package runs from one.

    >>> install_command("tables").endswith("[tables]'")
    True
    """
    root = Path(__file__).resolve().parent.parent
    place = str(root) if (root / "pyproject.toml").is_file() else "winnerstays"
    return f"{sys.executable} -m pip install '{place}[{extra}]'"
