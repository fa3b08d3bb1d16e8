"""PrefLib's files of rankings: `.soc`, `.soi` (strict orders), `.toc`, `.toi` (with ties), complete or incomplete.

How they become duels is said in `winnerstays.problems.readers.voting`.
"""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.opening import Source, file_errors
from winnerstays.problems.readers.selection import check_items
from winnerstays.problems.readers.voting import Order, Rankings, Unranked, check_unranked, rankings_problem

SUFFIXES = (".soc", ".soi", ".toc", ".toi")
_HEADER = re.compile(r"#\s*(?:ALTERNATIVE NAME (?P<number>\d+)|(?P<key>[A-Z ]+?))\s*:\s*(?P<value>.*)")
_GROUP = re.compile(r"\{([^{}]*)\}|([^,{}]+)")


def read_preflib(
    path: str | Path, *, unranked: Unranked = "unknown", encoding: str | None = None, **options: Any
) -> Problem:
    """The problem of a random voter's choices between two alternatives.

    `unranked` says what becomes of items that a voter leaves out: "unknown" or "below". `items`, `min_duels`,
    `skip_bad`, `prior` and `fit` are as of `read_duels`; `encoding` is how the file's letters are written.
    """
    check_unranked(unranked)
    with file_errors(Path(path)):
        source = Source(path, encoding)
        problem = rankings_problem(preflib_rankings(source), unranked=unranked, **options)
        problem.name = source.stem
    return problem


def preflib_rankings(source: Source) -> Rankings:
    """Return the rankings of a file of PrefLib's."""
    return _open(_lines(source))._replace(note=source.note)


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    with source.text() as file:
        yield from ((number, line.strip()) for number, line in enumerate(file, start=1) if line.strip())


def _open(lines: Iterator[tuple[int, str]]) -> Rankings:
    first = next(lines, None)
    if first is None:
        raise WinnerstaysError("the file is empty.")
    return _present(chain([first], lines)) if first[1].startswith("#") else _older(*first, lines)


def _present(lines: Iterator[tuple[int, str]]) -> Rankings:
    """`# KEY: value` lines, then `count: order` lines."""
    names: dict[int, str] = {}
    said = {"NUMBER ALTERNATIVES": 0, "NUMBER VOTERS": 0}
    for number, text in lines:
        header = _HEADER.match(text)
        if header and header["number"]:
            names[int(header["number"])] = header["value"]
        elif header and header["key"] in said:
            said[header["key"]] = _whole(number, header["value"], header["key"].lower())
        elif not text.startswith("#"):
            lines = chain([(number, text)], lines)
            break
    declared = said["NUMBER ALTERNATIVES"]
    check_items(max(declared, len(names)))
    named = {arm: names.get(arm, str(arm)) for arm in range(1, declared + 1)} | names
    orders = (_order(number, text, ":") for number, text in lines if not text.startswith("#"))
    return Rankings(_labelled(named), orders, "PrefLib", said["NUMBER VOTERS"] or None)


def _labelled(names: dict[int, str]) -> dict[str, str]:
    return {str(number): name or str(number) for number, name in names.items()}


def _older(number: int, text: str, lines: Iterator[tuple[int, str]]) -> Rankings:
    """The number of alternatives, a line for each, a line of totals, then `count,order` lines."""
    declared = _whole(number, text, "number of alternatives")
    check_items(declared)
    names: dict[int, str] = {}
    for _ in range(declared):
        number, text = next(lines, (0, ""))
        label, comma, name = text.partition(",")
        if not comma:
            raise WinnerstaysError("the file ends before all its alternatives are named.")
        names[_whole(number, label, "alternative")] = name.strip()
    number, totals = next(lines, (0, "0"))
    voters = _whole(number, totals.partition(",")[0], "number of voters")
    orders = (_order(number, text, ",") for number, text in lines)
    return Rankings(_labelled(names), orders, "PrefLib", voters or None)


def _order(number: int, text: str, mark: str) -> Order:
    count, found, order = text.partition(mark)
    if not found:
        return Order(number, "", [], f"is {text[:40]!r}, but it must be a count, {mark!r} and an order")
    if "{" in order:
        groups = [(braced or single).split(",") for braced, single in _GROUP.findall(order)]
    else:
        groups = [[cell] for cell in order.split(",")]
    labels = [[cell.strip() for cell in group if cell.strip()] for group in groups]
    numbers = [cell for group in labels for cell in group]
    word = next((cell for cell in numbers if not cell.isdecimal()), None)
    if word is not None:
        return Order(number, "", [], f"has {word[:40]!r} as alternative, but it must be a whole number")
    if len({int(cell) for cell in numbers}) < len(numbers):
        return Order(number, "", [], f"ranks an alternative twice: {order.strip()[:40]!r}")
    return Order(number, count, [[str(int(cell)) for cell in group] for group in labels if group])


def _whole(number: int, text: str, what: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise WinnerstaysError(f"line {number} has {text.strip()[:40]!r} as {what}, but it must be a whole number.")
    return value
