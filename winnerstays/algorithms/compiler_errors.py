"""What the compiler says of an algorithm of one's own, as one sentence in the words of this package."""

import re
from pathlib import Path
from typing import Any

from numba import typeof, types

from winnerstays.algorithms.state_fields import kinds, no_such_field, part_called
from winnerstays.compiling import allocates, compile_error, plain, returned_type

MUST_RETURN = {
    "choose": "two arms, whole numbers",
    "update": "the State",
    "best": "an arm, a whole number",
    "certain": "a whole number",
    "leap": "the State",
}
STATEMENTS = {"IMPORT_NAME": "import", "STORE_GLOBAL": "global", "DELETE_GLOBAL": "global", "BEFORE_WITH": "with"}
"""What is written in Python where the compiler meets these."""


def first_line(text: str) -> str:
    """Return the first line of what the compiler says that tells something, without its full stop."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and "Failed in" not in line), "").rstrip(".:")


def compiler_error(function: Any, name: str, arguments: tuple[Any, ...], home: str) -> str | None:
    """Compile a kernel, the State being its first argument; return what is wrong with it, None if nothing is.

    `name` is what the algorithm calls the function, `home` where it is written.
    """
    error = compile_error(function, arguments)
    if error is None:
        return _wrong_return(function, name, arguments, f" ({home})")
    text, state = str(error), arguments[0]
    own = Path(plain(function).__code__.co_filename).name
    lines = re.findall(rf'{re.escape(own)}(?:", line | \()(\d+)', text)
    place = f" ({own}, line {lines[0]})" if lines else f" ({home})"
    return (
        _wrong_field(text, name, state, place)
        or _wrong_statement(text, name, place)
        or _new_object(function, name, arguments, text, place)
        or f"{name}{place} cannot be compiled: {first_line(text)}."
    )


def _wrong_field(text: str, name: str, state: Any, place: str) -> str | None:
    """Say which field is read or set that does not exist, or gets what it cannot hold."""
    read = re.search(r"Unknown attribute '(?P<field>\w+)' of type (?P<holder>\w+)\(", text)
    found = read or re.search(r"no field '(?P<field>\w+)' in (?P<holder>\w+)", text)
    holder = part_called(state, found["holder"]) if found else None
    if found and holder is not None:
        return no_such_field(name, place, holder, found["field"])
    fraction = re.search(r"a fraction for (\w+)\.(\w+)", text)
    if fraction:
        holder = part_called(state, fraction[1])
        field = ".".join(fraction.groups())
        was = kinds(holder, fraction[1])[field]
        return f"{name}{place} puts a fraction into {field}, but init made it {was}; it must stay that."
    return None


def _wrong_statement(text: str, name: str, place: str) -> str | None:
    """Say what is written that a kernel may not hold."""
    unmarked = re.search(r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>", text)
    if unmarked:
        return f"{name}{place} calls {unmarked[1]}, which is not marked as a kernel; write @kernel above it."
    if "Can't unify return type" in text:
        return _not_always(name, place)
    opcode = re.search(r"unsupported opcode \((\w+)\)", text)
    if opcode:
        return f"{name}{place} has a statement that kernels may not have ({STATEMENTS.get(opcode[1], opcode[1])})."
    both = re.search(r"Cannot unify (\S+) and (\S+) for", text)
    if both:
        two = " and ".join(re.sub(r"Literal\[(\w+)\].*", r"\1", kind) for kind in both.groups())
        return f"{name}{place} gives one variable values of two types, {two}; in a kernel it has one."
    return None


def _new_object(function: Any, name: str, arguments: tuple[Any, ...], text: str, place: str) -> str | None:
    if "imprecise type" in text or allocates(function, arguments, text):
        return (
            f"{name}{place} makes a new array, list or text, which kernels may not; let init make it and keep it in "
            "the State."
        )
    return None


def _not_always(name: str, place: str) -> str:
    return f"{name}{place} does not always return {MUST_RETURN[name]}; look at each of its ends."


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
