"""What can be seen in the source of an algorithm of one's own, before any of it runs."""

import builtins
import dis
import inspect
import random
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from winnerstays.compiling import COMPILED, OURS, bindings, codes, is_kernel, is_library, plain, reached

CLOCKS, DRAWING = ("time", "datetime"), ("random", "numpy.random", "secrets", "uuid")
"""Modules whose functions give something else each time."""
FROM_RNG = "draw all randomness from rng: uniform(rng), below(rng, n), shuffle(array, rng)"
OUTSIDE = "keep it in the State"
STATEMENTS = {
    "IMPORT_NAME": "has an import, which kernels may not; import at the top of the file",
    "BEFORE_WITH": "has a `with`, which kernels may not",
    "PUSH_EXC_INFO": "has a `try`, which kernels may not; look with an `if` before it",
    "STORE_GLOBAL": f"changes a global name, which lives on from run to run; {OUTSIDE}",
    "DELETE_GLOBAL": f"deletes a global name, which lives on from run to run; {OUTSIDE}",
}
"""What is said of statements that a kernel may not have."""
DROPPED = "makes a new State and drops it; write `return state._replace(...)`"
KINDS = {
    inspect.CO_GENERATOR: "has a `yield`, which kernels may not",
    inspect.CO_COROUTINE: "is async, which kernels may not be",
    inspect.CO_VARKEYWORDS: "takes **keywords, which kernels may not; name each of them",
}
_NOTHING = object()


class Use(NamedTuple):
    """A name from outside that a function uses, with its attributes if it is a module."""

    name: str
    value: Any
    line: int | None


def place_of(function: Any, line: int | None = None) -> str:
    """Return where a function is written, or a line of it."""
    code = plain(function).__code__
    return f"{Path(code.co_filename).name}, line {line or code.co_firstlineno}"


def wrong_in_kernels(step: Callable[..., Any]) -> str | None:
    """Say what is wrong with the source of a kernel or of one that it reaches; None if nothing can be seen."""
    for function in reached(step):
        if not function.__module__.startswith(OURS):
            said = _wrong_form(function) or _first(_wrong_use(one) for one in uses(function))
            if said:
                return f"{function.__name__} ({place_of(function, said[1])}) {said[0]}."
    return _calls_in_a_circle(step)


def wrong_in_init(init: Callable[..., Any], *, alike: bool = False) -> str | None:
    """Say where `init`, or a function that it calls, draws from a generator that all runs share.

    Where all runs begin `alike` that is also one which it makes itself, always with the same seed.
    """
    for function in reached(init):
        for use in uses(function) if not function.__module__.startswith(OURS) else ():
            shared = isinstance(getattr(use.value, "__self__", None), random.Random | np.random.RandomState)
            if shared or (alike and _draws(use.value)):
                return f"{function.__name__} ({place_of(function, use.line)}) uses {use.name}; {FROM_RNG}."
    return None


def uses(function: Callable[..., Any]) -> Iterator[Use]:
    """Yield the names from outside that a function, as it is written, uses."""
    scope = {**vars(builtins), **function.__globals__}
    enclosed = {one.key: one.value for one in bindings(function) if one.key in function.__code__.co_freevars}
    for code in codes(function.__code__):
        steps = list(dis.get_instructions(code))
        for place, step in enumerate(steps):
            if step.opname == "LOAD_GLOBAL":
                value = scope.get(step.argval, _NOTHING)
            elif step.opname == "LOAD_DEREF" and step.argval in enclosed:
                value = enclosed[step.argval]
            else:
                continue
            name = str(step.argval)
            for following in steps[place + 1 :]:
                if following.opname not in ("LOAD_ATTR", "LOAD_METHOD") or not isinstance(value, ModuleType):
                    break
                name, value = f"{name}.{following.argval}", getattr(value, following.argval, _NOTHING)
            yield Use(name, value, step.positions.lineno if step.positions else None)


def _first(said: Iterator[tuple[str, int | None] | None]) -> tuple[str, int | None] | None:
    return next((one for one in said if one is not None), None)


def _wrong_form(function: Any) -> tuple[str, int | None] | None:
    for flag, said in KINDS.items():
        if function.__code__.co_flags & flag:
            return said, None
    for code in codes(function.__code__):
        steps = list(dis.get_instructions(code))
        for place, step in enumerate(steps):
            if step.opname in STATEMENTS:
                lines = (one.positions.lineno for one in steps[place:] if one.positions)
                return STATEMENTS[step.opname], next((line for line in lines if line), None)
        dropped = _drops_a_state(steps)
        if dropped:
            return dropped
    return None


def _drops_a_state(steps: list[dis.Instruction]) -> tuple[str, int | None] | None:
    """Say where `_replace` is called and nobody reads what it returns."""
    attributes: dict[Any, Any] = {}
    read = {step.argval for step in steps if step.opname.startswith(("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE"))}
    for step, following in pairwise(steps):
        at = step.positions
        if at is None or at.col_offset is None:
            continue
        begin = at.lineno, at.col_offset  # where an expression begins, so do what it calls and the attributes before
        if step.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            attributes[begin] = step.argval
        dropped = following.opname == "POP_TOP" or (following.opname == "STORE_FAST" and following.argval not in read)
        if step.opname.startswith("CALL") and dropped and attributes.get(begin) == "_replace":
            return DROPPED, at.lineno
    return None


def _wrong_use(use: Use) -> tuple[str, int | None] | None:
    name, value, line = use
    owner = name.rpartition(".")[0]
    said = None
    if value is _NOTHING and owner:
        said = f"uses {name}, which {owner} does not have{_near(use)}"
    elif value is _NOTHING:
        said = f"uses {name}, which is not defined"
    elif _draws(value):
        said = f"uses {name}; {FROM_RNG}"
    elif _home(value) in CLOCKS:
        said = f"uses {name}, but one seed names one experiment, whatever the time"
    elif value is print and COMPILED:
        said = "prints, which kernels may not; with WINNERSTAYS_COMPILE=0 they may"
    elif isinstance(value, list | dict | set | bytearray):
        said = f"uses {name}, a {type(value).__name__} outside of the State; {OUTSIDE}, as an array"
    elif isinstance(value, FunctionType) and not is_kernel(value) and not is_library(value.__module__):
        said = f"calls {name}, which is not marked as a kernel; write @kernel above it"
    return None if said is None else (said, line)


def _draws(value: Any) -> bool:
    """Tell whether something is, or is from, a module that draws from generators of its own."""
    return any(f"{_home(value)}.".startswith(f"{module}.") for module in DRAWING)


def _home(value: Any) -> str:
    """Return the name of a module, the module of a function; of a method, that of the object's class."""
    if isinstance(value, ModuleType):
        return value.__name__
    held = getattr(value, "__self__", None)
    of_class = type(held).__module__ if held is not None and not isinstance(held, ModuleType) else None
    return str(of_class or getattr(value, "__module__", None) or "") if callable(value) else ""


def _near(use: Use) -> str:
    owner, _, attribute = use.name.rpartition(".")
    known = dir(np) if owner == "np" else []
    near = get_close_matches(attribute, known, n=1, cutoff=0.6)
    return f"; it has {owner}.{near[0]}" if near else ""


def _calls_in_a_circle(step: Callable[..., Any]) -> str | None:
    """Say which kernels call each other, which would crash the compiler; one may call itself."""

    def visit(function: Any, path: list[Any]) -> list[Any] | None:
        if function in path:
            return [*path[path.index(function) :], function]
        inner = {plain(one.value): None for one in bindings(function) if is_kernel(one.value)}
        others = (one for one in inner if one is not function and not one.__module__.startswith(OURS))
        found = (visit(one, [*path, function]) for one in others)
        return next((circle for circle in found if circle), None)

    circle = visit(plain(step), [])
    if circle is None:
        return None
    names = " calls ".join(one.__name__ for one in circle)
    return f"{circle[0].__name__} ({place_of(circle[0])}) calls itself through others ({names}); write a loop."
