"""Errors people can read: each is one sentence with the bad value and what would be right."""

import inspect
import sys
import traceback
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MAX_LISTED, NEAREST = 60, 8
"""The longest list of names in a sentence, and how many stand for a longer one."""


class WinnerstaysError(ValueError):
    """Something the caller can put right; the message says what and how."""

    code = "invalid"
    """Names the kind of error where there are no classes, as over HTTP; stays the same from release to release."""


class WrongCallError(WinnerstaysError, TypeError):
    """A call with an argument that does not exist, or without one that is needed."""


def unknown(kind: str, name: object, known: Iterable[str], of: str = "") -> WinnerstaysError:
    """The error for a name that does not exist, with the nearest one that does.

    >>> print(unknown("algorithm", "ws-v", ["ws-w", "rucb"]))
    There is no algorithm 'ws-v'; did you mean 'ws-w'? Known: rucb, ws-w.
    """
    names, asked = sorted(one for one in known if one.strip()), str(name).lower()
    near = [one for one in names if asked and one.startswith(asked)] or get_close_matches(asked, names, cutoff=0.55)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    if len(names) > MAX_LISTED:
        names = [*get_close_matches(asked, names, n=NEAREST, cutoff=0.0), f"{len(names) - NEAREST} more"]
    whose = f" of {of}" if of else ""
    return WinnerstaysError(f"There is no {kind} {str(name)!r}{whose}{hint} Known: {', '.join(names) or 'none'}.")


def checks_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function answer a call that does not fit it with a sentence, which names what is nearest.

    >>> @checks_arguments
    ... def serve(dish, *, spicy=False): ...
    >>> serve("pho", spicey=True)
    Traceback (most recent call last):
    winnerstays.errors.WrongCallError: There is no argument 'spicey' of serve; did you mean 'spicy'? Known: dish, spicy.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*given: P.args, **named: P.kwargs) -> T:
        try:
            signature.bind(*given, **named)
        except TypeError as error:
            raise _wrong_call(function, signature, given, named, error) from None
        return function(*given, **named)

    return call


def checks_fields(made: type[T]) -> type[T]:
    """Make a class answer a call that does not fit it with a sentence."""
    setattr(made, "__init__", checks_arguments(made.__init__))  # noqa: B010
    return made


def _wrong_call(
    function: Any, signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any], error: TypeError
) -> WrongCallError:
    owner, _, method = function.__qualname__.rpartition(".")
    owner = {"__init__": owner, "__call__": owner.lower()}.get(method, function.__qualname__)
    known = {name: one for name, one in signature.parameters.items() if name not in ("self", "cls")}
    for name in named:
        if name not in known:
            return WrongCallError(unknown("argument", name, known, of=owner))
    try:
        bound = signature.bind_partial(*given, **named).arguments
    except TypeError:
        return WrongCallError(f"{owner}: {error}; it takes ({', '.join(known)}).")
    needed = [name for name, one in known.items() if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    lacking = ", ".join(name for name in needed if name not in bound)
    return WrongCallError(f"{owner} lacks {lacking}; it is called as {owner}({', '.join(needed)}, ...).")


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


def callers_level() -> int:
    """Return the `stacklevel` with which a warning names the line of whoever called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    return level


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
