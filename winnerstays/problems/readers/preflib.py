"""PrefLib's files of rankings: `.soc`, `.soi` (strict orders), `.toc`, `.toi` (with ties), complete or incomplete.

The rules by which rankings become duels:

- a voter who ranks i above j counts as one duel that i won;
- items tied by a voter (in braces) count as half a win for both;
- items a voter leaves out are below all that the voter ranks, as where PrefLib completes such orders itself, but
  are not compared with each other. With `unranked="unknown"` they are not compared with anything: right where
  voters were shown only some of the items.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.item_names import distinct_names
from winnerstays.problems.problem import Floats, Problem
from winnerstays.problems.readers.table import check_items, file_errors

SUFFIXES = (".soc", ".soi", ".toc", ".toi")
Unranked = Literal["below", "unknown"]

_HEADER = re.compile(r"#\s*(?:ALTERNATIVE NAME (?P<number>\d+)|(?P<key>[A-Z ]+?))\s*:\s*(?P<value>.*)")
_GROUP = re.compile(r"\{([^{}]*)\}|([^,{}]+)")


def read_preflib(path: str | Path, *, unranked: Unranked = "below", prior: float = 1.0) -> Problem:
    """The problem of a random voter's choices between two alternatives; see the rules above."""
    if unranked not in ("below", "unknown"):
        raise WinnerstaysError(f"unranked is {unranked!r}, but it must be 'below' or 'unknown'.")
    path = Path(path)
    with file_errors(path), path.open(encoding="utf-8-sig") as file:
        lines = ((number, line.strip()) for number, line in enumerate(file, start=1) if line.strip())
        opened = _open(lines)
        wins, voters = _count(opened.names, opened.orders, unranked)
    cut = f", but the file declares {opened.voters}" if opened.voters not in (None, voters) else ""
    rule = "are below ranked ones" if unranked == "below" else "are not compared"
    note = f"{voters} voters (PrefLib){cut}; ties are half a win, unranked items {rule}"
    return Problem.from_counts(wins, prior=prior, items=distinct_names(opened.names), name=path.stem, note=note)


class _File(NamedTuple):
    names: dict[int, str]
    voters: int | None  # as the file declares
    orders: Iterable[tuple[int, str, str]]  # (line, count, order)


def _open(lines: Iterator[tuple[int, str]]) -> _File:
    first = next(lines, None)
    if first is None:
        raise WinnerstaysError("the file is empty.")
    return _present(chain([first], lines)) if first[1].startswith("#") else _older(*first, lines)


def _present(lines: Iterator[tuple[int, str]]) -> _File:
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
    orders = ((number, *_halves(number, text, ":")) for number, text in lines if not text.startswith("#"))
    return _File(named, said["NUMBER VOTERS"] or None, orders)


def _older(number: int, text: str, lines: Iterator[tuple[int, str]]) -> _File:
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
    return _File(names, voters or None, ((number, *_halves(number, text, ",")) for number, text in lines))


def _halves(number: int, text: str, mark: str) -> tuple[str, str]:
    count, found, order = text.partition(mark)
    if not found:
        raise WinnerstaysError(f"line {number} is {text[:40]!r}, but it must be a count, {mark!r} and an order.")
    return count, order


def _count(names: dict[int, str], orders: Iterable[tuple[int, str, str]], unranked: Unranked) -> tuple[Floats, int]:
    check_items(len(names))
    arms = {label: arm for arm, label in enumerate(names)}
    wins, voters = np.zeros((len(names), len(names))), 0
    for number, count, order in orders:
        times = _whole(number, count, "count of voters")
        voters += times
        below = np.ones(len(names), dtype=bool)
        groups = []
        for braced, single in _GROUP.findall(order):
            labels = [_whole(number, cell, "alternative") for cell in (braced or single).split(",") if cell.strip()]
            for label in labels:
                if label not in arms:
                    raise WinnerstaysError(f"line {number} ranks alternative {label}, which the file does not name.")
            group = np.array([arms[label] for label in labels], dtype=np.int64)
            if not below[group].all() or np.unique(group).size < group.size:
                raise WinnerstaysError(f"line {number} ranks an alternative twice: {order.strip()[:40]!r}.")
            below[group] = False
            groups.append(group)
        if unranked == "unknown":
            below[:] = False
        for group in reversed(groups):
            wins[np.ix_(group, below)] += times
            wins[np.ix_(group, group)] += times / 2
            below[group] = True
    if not voters:
        raise WinnerstaysError("the file holds no orders.")
    np.fill_diagonal(wins, 0)
    return wins, voters


def _whole(number: int, text: str, what: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise WinnerstaysError(f"line {number} has {text.strip()[:40]!r} as {what}, but it must be a whole number.")
    return value
