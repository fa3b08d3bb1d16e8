"""PrefLib's rankings: `.soc`, `.soi` (strict orders), `.toc`, `.toi` (with ties), complete or incomplete.

How rankings count as duels is said in `winnerstays.problems.votes`.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.item_names import distinct_names
from winnerstays.problems.problem import Problem
from winnerstays.problems.readers.limits import Limits
from winnerstays.problems.readers.source import Source
from winnerstays.problems.readers.table import BadRows
from winnerstays.problems.selection import check_items, check_selection, select
from winnerstays.problems.votes import Votes
from winnerstays.wording import counted

SUFFIXES = (".soc", ".soi", ".toc", ".toi")
OTHER_SUFFIXES = (".cat", ".wmd")
"""PrefLib's files that hold no rankings: categories and graphs."""
UNRANKED = ("unknown", "below")
LONGEST_NUMBER = 18
GROUP = re.compile(r"\{([^{}]*)\}|([^,{}]+)")


def rankings_problem(
    source: Source,
    *,
    unranked: str = "unknown",
    items: int | None = None,
    min_duels: int = 0,
    skip_bad: bool = False,
    prior: float = 1.0,
    fit: str | None = None,
) -> Problem:
    """Return the problem of a random voter's choices between two alternatives."""
    if unranked not in UNRANKED:
        raise unknown("value of unranked", unranked, UNRANKED)
    check_selection(items, min_duels)
    if source.suffix in OTHER_SUFFIXES:
        raise WinnerstaysError(f"{source.suffix} files of PrefLib hold no rankings; {', '.join(SUFFIXES)} do.")
    bad = BadRows(skip_bad)
    with source.text() as text:
        lines = ((number, line.strip()) for number, line in enumerate(text, start=1) if line.strip())
        alternatives, voters, orders = _opened(lines)
        source.limits.check("items", len(alternatives))
        votes = Votes(len(alternatives), below=unranked == "below")
        arms = {str(number): arm for arm, number in enumerate(sorted(alternatives))}
        for number, order in orders:
            source.check_time()
            wrong = _add(votes, arms, order, source.limits)
            if wrong:
                bad.add(f"line {number} {wrong}")
    if not votes.voters:
        raise WinnerstaysError(f"no ranking can be read: {bad.note}." if bad.number else "the file holds no orders.")
    labels = distinct_names({number: alternatives[number] for number in sorted(alternatives)})
    pairs, names, chosen = select(votes.counts(), labels, items, min_duels)
    cut = f", but the file declares {voters}" if voters not in (0, votes.voters) else ""
    notes = [f"{counted(votes.voters, 'voter')} (PrefLib){cut}", "ties are half a win", votes.rule, bad.note, chosen]
    return Problem.from_counts(pairs, prior=prior, fit=fit, items=names, note="; ".join(filter(None, notes)))


def _opened(lines: Iterator[tuple[int, str]]) -> tuple[dict[int, str], int, Iterator[tuple[int, str]]]:
    """Return the names of the alternatives, the number of voters, and the lines with orders."""
    names: dict[int, str] = {}
    declared = {"NUMBER ALTERNATIVES": 0, "NUMBER VOTERS": 0}
    number, text = next(lines, (0, ""))
    if not text.startswith("#"):
        raise WinnerstaysError("the file does not begin with `#`, as PrefLib's files have done since 2022.")
    while text.startswith("#"):
        key, _, value = (part.strip() for part in text[1:].partition(":"))
        if key in declared:
            declared[key] = _whole(number, value, key.lower())
        elif key.startswith("ALTERNATIVE NAME "):
            names[_whole(number, key.removeprefix("ALTERNATIVE NAME "), "alternative")] = value
        number, text = next(lines, (0, ""))
    check_items(declared["NUMBER ALTERNATIVES"] or len(names))
    named = dict.fromkeys(range(1, declared["NUMBER ALTERNATIVES"] + 1), "") | names
    return named, declared["NUMBER VOTERS"], chain([(number, text)] if text else [], lines)


def _whole(number: int, text: str, what: str) -> int:
    if not (text.strip().isdecimal() and len(text) < LONGEST_NUMBER):
        raise WinnerstaysError(f"line {number} has {text.strip()[:40]!r} as {what}, but it must be a whole number.")
    return int(text)


def _add(votes: Votes, arms: Mapping[str, int], line: str, limits: Limits) -> str:
    """Count an order such as `12: 1,{2,3}`, and return nothing; or return what is wrong with it."""
    count, colon, order = line.partition(":")
    if not (colon and count.strip().isdecimal() and len(count) < LONGEST_NUMBER):
        return f"is {line[:40]!r}, but it must be a count of voters, a colon and an order"
    groups = [
        [cell.strip() for cell in (tied or alone).split(",") if cell.strip()] for tied, alone in GROUP.findall(order)
    ]
    ranked = [label for group in groups for label in group]
    limits.check("ranked", len(arms) if votes.below else len(ranked))
    strange = next((label for label in ranked if label not in arms), None)
    if strange is not None:
        return f"ranks the alternative {strange[:40]!r}, which the file does not name"
    if not ranked or len({*ranked}) < len(ranked):
        return f"ranks {'an alternative twice' if ranked else 'nothing'}: {line[:40]!r}"
    votes.add(int(count), [[arms[label] for label in group] for group in groups])
    return ""
