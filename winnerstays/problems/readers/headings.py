"""Headers of surveys that take more than one line: the question once, and what each column is about below it.

SurveyMonkey writes a question above the first of its columns and the items in a second line; Qualtrics writes codes
(`Q1_1`) and below them each question with its item, `Please rank the snacks - Chips`. Both become `question [item]`.
"""

from collections import defaultdict
from collections.abc import Sequence

from winnerstays.problems.readers.dialect import Row
from winnerstays.problems.readers.digits import GROUPS_OF_THREE

BETWEEN = " - "


def two_lines(first: Sequence[Row]) -> list[str] | None:
    """Return the header of a table whose second line goes on with it; None if that is a row like others.

    >>> two_lines([(1, ["ID", "Rank these:", ""]), (2, ["", "Paris", "Rome"]), (3, ["7", "1", "2"])])
    ['ID', 'Rank these: [Paris]', 'Rank these: [Rome]']
    """
    if len(first) < 3:
        return None
    top, below = first[0][1], [*first[1][1], *[""] * len(first[0][1])][: len(first[0][1])]
    open_cells = [k for k, cell in enumerate(top) if not cell]
    if not top[0] or below[0] or not open_cells or not all(below[k] for k in open_cells):
        return None
    if any(cell and _is_number(cell) for cell in below):
        return None
    header, question = [], ""
    for k, (name, item) in enumerate(zip(top, below, strict=True)):
        question = name or question
        spans = not name or (k + 1 < len(top) and not top[k + 1])
        header.append(f"{question} [{item}]" if spans and item else name)
    return header


def _is_number(cell: str) -> bool:
    return GROUPS_OF_THREE.fullmatch(cell) is not None or cell.replace(".", "", 1).replace(",", "", 1).isdecimal()


def with_items(header: Sequence[str], questions: Sequence[str]) -> list[str]:
    """Return the header in which codes of questions about several items are replaced by these.

    >>> with_items(["Age", "Q1_1", "Q1_2"], ["Your age - in years", "Rank these - Tea", "Rank these - Milk"])
    ['Age', 'Rank these [Tea]', 'Rank these [Milk]']
    """
    stems: dict[str, dict[int, str]] = defaultdict(dict)
    for k, question in enumerate(questions[: len(header)]):
        stem, parted, item = question.rpartition(BETWEEN)
        if parted and item.strip():
            stems[stem.strip()][k] = item.strip()
    named = {
        k: f"{stem} [{item}]"
        for stem, items in stems.items()
        if len({*items.values()}) == len(items) > 1
        for k, item in items.items()
    }
    return [named.get(k, name) for k, name in enumerate(header)]
