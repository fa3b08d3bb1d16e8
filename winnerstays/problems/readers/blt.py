"""Ballots of elections in the format BLT: `3 1 2 0` means that three voters put candidate 1 before candidate 2."""

import re
import shlex

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.opening import Source
from winnerstays.problems.readers.orders import named_rankings
from winnerstays.problems.readers.voting import Order, Rankings

COMMENT = re.compile(r"#.*")


def blt_rankings(source: Source) -> Rankings:
    """Return the rankings of a file; those who withdrew stay in it."""
    with source.text() as file:
        lines = [(number, COMMENT.sub("", line).strip()) for number, line in enumerate(file, start=1)]
    lines = [(number, line) for number, line in lines if line]
    start = lines[0][1] if lines else ""
    if not re.fullmatch(r"\d+ +\d+", start):
        raise WinnerstaysError(
            f"the first line is {start[:40]!r}, but a file of ballots (BLT) begins with how many candidates and seats "
            "there are, such as 4 2."
        )
    candidates = int(start.split()[0])
    end = next((k for k, (_, line) in enumerate(lines[1:], start=1) if line == "0"), len(lines))
    ballots = [(number, line) for number, line in lines[1:end] if not line.startswith("-")]
    names = [part for _, line in lines[end + 1 :] for part in shlex.split(line)][:candidates]
    if len(names) < candidates:
        raise WinnerstaysError(
            f"there are {candidates} candidates, but behind the ballots, which end with a line 0, {len(names)} names."
        )
    return named_rankings((_order(number, line, names) for number, line in ballots), "BLT")


def _order(number: int, line: str, names: list[str]) -> Order:
    """Return a ballot: its weight, the candidates from the best on, and a 0."""
    times, *places = re.sub(r"^\([^)]*\)\s*", "", line).split()
    groups = []
    for place in places:
        numbers = place.split("=")
        if place in ("0", "-"):
            continue
        if not all(one.isdecimal() and 0 < int(one) <= len(names) for one in numbers):
            wrong = f"has the candidate {place!r}, but they are numbered from 1 to {len(names)}"
            return Order(number, times, [], wrong)
        groups.append([names[int(one) - 1] for one in numbers])
    return Order(number, times, groups)
