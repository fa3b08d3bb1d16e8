"""What the compiler says of an algorithm of one's own, as one sentence in the words of this package."""

import linecache
import re
from pathlib import Path
from typing import Any

from numba import typeof, types

from winnerstays.algorithms.source_check import place_of
from winnerstays.algorithms.state_fields import kinds, no_such_field, part_called
from winnerstays.compiling import allocates, compile_error, plain, reached, returned_type

MUST_RETURN = {
    "choose": "two arms, whole numbers",
    "update": "the State",
    "best": "an arm, a whole number",
    "certain": "a whole number",
    "leap": "the State",
}
SAID = {
    "in a function that may escape": "has a function in it that uses its variables; kernels may not; write a loop",
    "Cannot modify readonly array": "writes to an array outside of the State; keep it in the State",
    "reflected list": "uses a list, which kernels may not; let init make an array and keep it in the State",
}
"""Words of the compiler, and what is wrong where it says them."""
SAID_OF_MUCH = {
    "Cannot bind": "calls a kernel with other arguments than it takes",
    "built-in function getitem": "looks something up by what is no index of it",
    "built-in function setitem": "writes to an array what it cannot hold, or at what is no index of it",
}
"""The same, of words that the compiler also says where something new is made."""
EXTREME = "of an array, which kernels may not; write {0}(w) or w[np.arg{0}(w)], or a loop"
AT_ONCE = "changes a part of an array at once, which makes a new one; write a loop over its elements"
NEW_INSIDE = (
    "median|percentile|quantile|ptp|count_nonzero|nanmax|nanmin|clip|cumsum|cumprod|unique|bincount|array_equal|diff"
)
INSTEAD = {
    r"\bnp\.a?(max|min)\(": f"uses np.{{0}} {EXTREME}",
    r"\.(max|min)\(": f"uses .{{0}}() {EXTREME}",
    r"\.(sort|argsort)\(|\b(sorted)\(": "sorts, which kernels may not; write a loop, as of insertion sort",
    r"\[[^\]]*:[^\]]*\]\s*(\*\*|//|[-+*/%&|^])=": AT_ONCE,
    r"\]\s*(\*\*|//|[-+*/%&|^])=[^(\[]*$": AT_ONCE,
    r"\[[^\]]*:[^\]]*\]\s*=(?!=)": "writes an array into another, which makes a new one; write a loop over them",
    rf"\bnp\.({NEW_INSIDE}|linalg\.norm)\(": "uses np.{0}, which makes a new array, as no kernel may; write a loop",
}
"""Patterns of lines that make something new, and what is said of them."""
FUNCTION_WORDS = (
    r"Untyped global name '(?P<name>[\w.]+)': Cannot determine Numba type of",
    r"Use of unsupported NumPy function '(?P<name>[\w.]+)'",
    r"Unknown attribute '(?P<name>\w+)' of type Module",
)


def first_line(text: str) -> str:
    """Return the first line of what the compiler says that tells something, without its full stop."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and "Failed in" not in line), "").rstrip(".:")


def compiler_error(function: Any, role: str, arguments: tuple[Any, ...], state: Any) -> str | None:
    """Compile a kernel; return what is wrong with it, None if nothing is.

    `role` is what the algorithm calls the function; nothing for those that it calls itself.
    """
    error = compile_error(function, arguments)
    if error is None:
        return _wrong_return(function, role, arguments, f" ({place_of(function)})") if role else None
    text = str(error)
    name, place = _innermost(function, text)
    return (
        _wrong_field(text, name, state, place)
        or _wrong_statement(text, name, place)
        or _new_object(function, name, arguments, text, place)
        or f"{name}{place} {_translated(SAID_OF_MUCH, text) or _untranslated(error)}."
    )


def _translated(sayings: dict[str, str], text: str) -> str | None:
    return next((said for words, said in sayings.items() if words in text), None)


def _untranslated(error: Exception) -> str:
    return f"cannot be compiled: {first_line(str(error)) or type(error).__name__}"


def _innermost(function: Any, text: str) -> tuple[str, str]:
    """Return the name and, in brackets, the place of the kernel that the compiler speaks of first, the innermost."""
    for file, line in re.findall(r'([^\s"/]+\.py|<[^>]+>)(?:", line | \()(\d+)', text):
        for one in reached(function):
            code = one.__code__
            lines = [number for _, _, number in code.co_lines() if number]
            if Path(code.co_filename).name == file and min(lines) <= int(line) <= max(lines):
                return one.__name__, f" ({file}, line {line})"
    return plain(function).__name__, f" ({place_of(function)})"


def _wrong_field(text: str, name: str, state: Any, place: str) -> str | None:
    """Say which field is read or set that does not exist, or gets what it cannot hold."""
    read = re.search(r"Unknown attribute '(?P<field>\w+)' of type (?P<holder>\w+)\(", text)
    found = read or re.search(r"no field '(?P<field>\w+)' in (?P<holder>\w+)", text)
    holder = part_called(state, found["holder"]) if found else None
    if found and holder is not None:
        return no_such_field(name, place, holder, found["field"])
    put = re.search(r"(a fraction|something else) for (\w+)\.(\w+)", text)
    holder = part_called(state, put[2]) if put else None
    if put and holder is not None:
        field = f"{put[2]}.{put[3]}"
        was = kinds(holder, put[2])[field]
        return f"{name}{place} puts {put[1]} into {field}, but init made it {was}; it must stay that."
    return None


def _wrong_statement(text: str, name: str, place: str) -> str | None:
    """Say what is written that a kernel may not hold."""
    for words in FUNCTION_WORDS:
        found = re.search(words, text)
        if found:
            return f"{name}{place} uses {found['name']}, which cannot be compiled; write what it does as a kernel."
    said = _translated(SAID, text)
    if said:
        return f"{name}{place} {said}."
    if "Can't unify return type" in text:
        return _not_always(name, place)
    both = re.search(r"Cannot unify (\S+) and (\S+) for", text)
    if both:
        two = " and ".join(re.sub(r"Literal\[(\w+)\].*", r"\1", kind) for kind in both.groups())
        return f"{name}{place} gives one variable values of two types, {two}; in a kernel it has one."
    return None


def _new_object(function: Any, name: str, arguments: tuple[Any, ...], text: str, place: str) -> str | None:
    if "imprecise type" in text or allocates(function, arguments, text):
        line = _source(function, place)
        for pattern, said in INSTEAD.items():
            found = re.search(pattern, line)
            if found:
                return f"{name}{place} {said.format(*filter(None, found.groups()))}."
        return (
            f"{name}{place} makes a new array, list or text, which kernels may not; let init make it and keep it in "
            "the State."
        )
    return None


def _source(function: Any, place: str) -> str:
    """Return the line of source at a place, without what is behind a #."""
    file, _, line = place.strip(" ()").rpartition(", line ")
    paths = (one.__code__.co_filename for one in reached(function))
    path = next((path for path in paths if Path(path).name == file), "")
    return linecache.getline(path, int(line)).partition("#")[0]


def _not_always(name: str, place: str) -> str:
    return f"{name}{place} does not always return {MUST_RETURN.get(name, 'the same type')}; look at each of its ends."


def _wrong_return(function: Any, name: str, arguments: tuple[Any, ...], place: str) -> str | None:
    """Say where a kernel that can be compiled returns something else than it must, at least sometimes."""
    found, state = returned_type(function, arguments), arguments[0]
    if name in ("update", "leap"):
        right = found == typeof(state)
    elif name == "choose":
        right = isinstance(found, types.BaseTuple) and len(found) == 2 and all(map(_is_whole, found))
    else:
        right = _is_whole(found)
    return None if right else _not_always(name, place)


def _is_whole(kind: Any) -> bool:
    return isinstance(kind, types.Integer)
