"""Rankings by the names of the items, one a line: `a > b > c`, `a = b > c`, `{a, b} > c`; and duels, `a beats b`.

How many voters say so may stand in front, `12: a > b`, or behind, `a > b: 12`. What only numbers the lines (`1.`, 1, 2,
3, `voter 7:`) is left out, and the note says so.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.opening import Source
from winnerstays.problems.readers.sentences import SAID, in_words, sentence
from winnerstays.problems.readers.table import Table
from winnerstays.problems.readers.voting import Groups, Order, Rankings

VOTERS = r"(?:voters?|votes?|ballots?|people|times)"
FRONT = re.compile(rf"(\d+)(?:\s*(?:{VOTERS}\s*)?([:;,x*\t.)])\s*|\s+)(?=[^\s>=])", re.IGNORECASE)
LABEL = re.compile(r"([^>=:]*[^>=:\d\s][^>=:]*):\s*(?=\S)")
"""Words in front, as `voter 7:`."""
BACK = re.compile(r"\s*[:;,\t|]\s*(\d+)$|\s+[x*\N{MULTIPLICATION SIGN}]\s*(\d+)$|\s*\((\d+)\)$")
TIED_FIRST = re.compile(r'[{[][^][{}":]*[]}]\s*>')
"""A ranking that begins with items that are tied, and not the beginning of JSON."""
ARROW = re.compile("-+>|=+>|[\u2192\u21d2\u27f6\u227b\u00bb]")
"""What people write for `>`."""
FIRST = 8
"""Items of an order that are looked at."""
SAMPLE = 300
"""Lines that are looked at."""


def text_orders(source: Source) -> Rankings | Table | None:
    """Return the rankings, or duels, of a text file whose every line is one; None if it holds anything else."""
    sample = [text for _, text, _ in islice(_lines(source), SAMPLE)]
    titled = len(sample) > 1 and not sentence(sample[0]) and not is_order(sample[0])
    said = all(map(sentence, sample[titled:]))
    if not sample or not (said or (is_order(sample[0]) and _may_be_orders(sample))):
        return None
    lines = list(_lines(source))[titled:]
    found = _orders([(number, text) for number, text, _ in lines], len(sample), said)
    if found is None:
        return None
    orders, notes = found
    notes += dict.fromkeys(how for _, _, how in lines)
    if said:
        return _duels(orders, "; ".join(filter(None, [SAID + ", below the first" * titled, *notes, source.note])))
    return named_rankings(orders, "one a line", "; ".join(filter(None, [*notes, source.note])))


def _orders(lines: Sequence[tuple[int, str]], sampled: int, said: bool) -> tuple[list[Order], list[str]] | None:
    """Return what each line says, and what was assumed; `said`: they are sentences such as `a beats b`."""
    texts, fronts, notes = _without_front([text for _, text in lines])
    if said:
        texts = [sentence(text) or text for text in texts]
    texts, backs = _without_back(texts)
    if any(fronts) and any(backs):
        raise WinnerstaysError(
            f"line {lines[0][0]} has a number in front and one behind, and one of them says how many voters rank so; "
            "leave the other out."
        )
    counts = [front or back or "1" for front, back in zip(fronts, backs, strict=True)]
    orders = [groups_of(text) for text in texts]
    known = {name for groups in orders if len(groups) > 1 for group in groups for name in group if name}
    if any(len(groups) == 1 and not said and not _known(groups, known) for groups in orders[:sampled]):
        return None
    return [
        Order(number, "", [], wrong) if (wrong := _wrong(text, groups, known)) else Order(number, count, groups)
        for (number, _), text, count, groups in zip(lines, texts, counts, orders, strict=True)
    ], notes


def _duels(orders: Sequence[Order], note: str) -> Table:
    """Return orders of two items as a table of duels; a line that is none lacks its winner."""
    header = ["winner", "loser", "tie"] + ["count"] * any(order.times != "1" for order in orders if not order.wrong)
    rows = []
    for line, times, groups, wrong in orders:
        names = [name for group in groups for name in group]
        cells = [""] * 4 if wrong else [*names, str(int(len(groups) == 1)), times]
        rows.append((line, cells[: len(header)]))
    return Table(header, lambda: iter(rows), note=note)


def _lines(source: Source) -> Iterator[tuple[int, str, str]]:
    """Yield the number of each line, its order or sentence, and what was assumed about how it is written."""
    with source.text() as file:
        for number, line in enumerate(file, start=1):
            text = re.sub(r"\s+#\s.*", "", line.strip()).rstrip(",;\t ")
            text = re.sub(r"^\((\d+)\)\s*", r"\1: ", re.sub(r"^[-*\u2022]\s+", "", text))
            whole = text[:1] == text[-1:] == '"' and text.count('"') == 2
            if text and not text.startswith("#"):
                bare = text.strip('"').strip() if whole else text
                plain = without_arrows(bare)
                said, how = in_words(plain)
                yield number, said, how or arrow_in(bare)


def without_arrows(order: str) -> str:
    """Return an order with `>` in place of arrows.

    >>> without_arrows("Ann -> Bob => Cy"), without_arrows("\u00aba\u00bb > b")
    ('Ann > Bob > Cy', '\u00aba\u00bb > b')
    """
    return ARROW.sub(">", order) if arrow_in(order) else order


def arrow_in(order: str) -> str:
    """Say what is read in place of `>`; nothing if it stands there itself, or `\u00bb` is a quotation mark."""
    found = ARROW.search(order)
    return f"{found[0]} is read as >" if found and "\u00ab" not in order and "<" not in order else ""


def is_order(cell: str) -> bool:
    """Tell a ranking from other text with a `>` in it, such as HTML or JSON."""
    cell = without_arrows(cell)
    text = ">" in cell and "<" not in cell and (cell[:1] not in ("{", "[") or TIED_FIRST.match(cell) is not None)
    return text and all(name for group in groups_of(cell) for name in group)


def _may_be_orders(texts: Sequence[str]) -> bool:
    """Tell rankings, or names alone, of voters who rank one item, from other text; few may be damaged."""
    if any("<" in text or (text[:1] in ("{", "[") and not is_order(text)) for text in texts):
        return False
    return sum(">" in text and not is_order(text) for text in texts) < len(texts) / 2


def _wrong(text: str, groups: Groups, known: set[str]) -> str:
    """Say what is wrong with a line; nothing if it is a ranking."""
    if not is_order(text) and not _known(groups, known):
        return f"is {text[:40]!r}, but it must be a ranking such as a > b"
    names = [name for group in groups for name in group if "," in name]
    two = next((name for name in names if all(part.strip() in known for part in name.split(","))), None)
    return f"has {two!r}, which may be items that are tied; write = between these" if two else ""


def _known(groups: Groups, known: set[str]) -> bool:
    return all(name in known for group in groups for name in group)


def groups_of(order: str) -> Groups:
    """Return the groups of a ranking.

    >>> groups_of("a > b = c > d"), groups_of("{a, b} > c")
    ([['a'], ['b', 'c'], ['d']], [['a', 'b'], ['c']])
    """
    return [_tied(group.strip()) for group in without_arrows(order).split(">")]


def _tied(group: str) -> list[str]:
    """Return the names of one place: with `=` between them, or with commas and brackets around."""
    listed = group[:1] + group[-1:] in ("{}", "[]", "()") and not {group[0], group[-1]} & {*group[1:-1]}
    if listed and (group[0] == "{" or "," in group):
        return [name.strip() for name in re.split("[,=]", group[1:-1])]
    return [name.strip() for name in group.split("=")]


Marks = Sequence[re.Match[str] | None]


def _without_front(texts: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the lines without what stands in front of the rankings, the counts in front, and what was assumed."""
    none = [""] * len(texts)
    inner = [name.strip() for text in texts for name in re.split("[>=]", text)[1:]]
    numbered = any(map(FRONT.match, inner))  # then a number is part of a name
    fronts: Marks = [None if numbered else FRONT.match(text) for text in texts]
    if any(front and not front[2] for front in fronts) and not _names_recur(texts, fronts, inner):  # as in `7 Up`
        fronts = [front if front and front[2] else None for front in fronts]
    numbers = [front[1] if front else "" for front in fronts]
    if all(fronts) and is_running(numbers):
        said = f"the numbers {numbers[0]} to {numbers[-1]} in front are those of the lines" if len(texts) > 1 else ""
        return _cut(texts, fronts), none, [said]
    labels: Marks = [LABEL.match(text) for text in texts]
    if not any(fronts) and _are_labels(texts, labels, inner):
        return _cut(texts, labels), none, [f"{labels[0][1]!r} and the like in front are left out" if labels[0] else ""]
    counts: Marks = [front if front and front[2] not in (".", ")") else None for front in fronts]
    return _cut(texts, counts), [front[1] if front else "" for front in counts], []


def _cut(texts: Sequence[str], fronts: Marks) -> list[str]:
    return [text[front.end() :] if front else text for text, front in zip(texts, fronts, strict=True)]


def _names_recur(texts: Sequence[str], fronts: Marks, inner: Sequence[str]) -> bool:
    """Tell whether, without what stands in front of every line, a first name is one that stands elsewhere, too."""
    names = {*inner}
    return all(fronts) and any(re.split("[>=]", text)[0].strip() in names for text in _cut(texts, fronts))


def _are_labels(texts: Sequence[str], labels: Marks, inner: Sequence[str]) -> bool:
    """Tell voters in front of every line, `Ann:` or `voter 7:`, from the beginning of names, `Alien: Covenant`."""
    words = [label[1] for label in labels if label]
    if len({*words}) < len(texts) or any(":" in BACK.sub("", name) for name in inner):
        return False
    alike = len({re.sub(r"\d+", "", word) for word in words}) == 1
    if not alike and not _names_recur(texts, labels, inner):
        return False
    counted = next((word for word in words if re.search(rf"\d+\s*{VOTERS}|\(\d+\)", word, re.IGNORECASE)), None)
    if counted:
        raise WinnerstaysError(
            f"{counted!r} stands in front of a ranking; if a number in it says how many voters rank so, write that "
            "alone, as 3: a > b."
        )
    return True


def _without_back(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines without the counts behind the rankings, and these counts."""
    backs = [BACK.search(text) for text in texts]
    none = [""] * len(texts)
    inner = [name for text in texts for name in re.split("[>=]", text)[:-1]]
    if not any(backs) or any(BACK.search(name.strip()) for name in inner):
        return list(texts), none
    bare = [text[: back.start()] if back else text for text, back in zip(texts, backs, strict=True)]
    if not all(backs):
        names = {name.strip() for name in (*inner, *(re.split("[>=]", text)[-1] for text in texts))}
        asked = [k for k, back in enumerate(backs) if back and re.split("[>=]", bare[k])[-1].strip() in names]
        if not asked:
            return list(texts), none
        count = next(filter(None, backs[asked[0]].groups()))  # type: ignore[union-attr]
        raise WinnerstaysError(
            f"{texts[asked[0]]!r} ends with a number, which may say how many voters rank so, or be part of a name; "
            f"write it in front, as {count + ': ' + bare[asked[0]]!r}, or at the end of every line."
        )
    return bare, [next(filter(None, back.groups())) for back in backs if back]


def is_running(numbers: Sequence[str]) -> bool:
    """Tell numbers that only count the lines, from 0 or 1."""
    return numbers[0] in ("0", "1") and list(numbers) == [str(k + int(numbers[0])) for k in range(len(numbers))]


def named_rankings(orders: Iterable[Order], kind: str, note: str = "", unit: str = "line") -> Rankings:
    """Return rankings whose alternatives are known by their names, in the order in which these appear."""
    kept = list(orders)
    names = {name: name for order in kept for group in order.groups for name in group}
    return Rankings(names, kept, kind, note=note, unit=unit)


def disagree(orders: Iterable[Groups]) -> bool:
    """Tell whether two orders put two items the other way round, as those of people do and paths in a menu do not."""
    before = set()
    for groups in orders:
        names = [name for group in groups for name in group][:FIRST]
        before |= {(name, other) for k, name in enumerate(names) for other in names[k + 1 :]}
    return any((other, name) in before for name, other in before)


def repeats(orders: Iterable[Groups]) -> bool:
    """Tell whether different orders name the same items, as they do in rankings and not in sentences with a `>`."""
    distinct = {tuple(name for group in groups for name in group) for groups in orders}
    often = Counter(name for names in distinct for name in names)
    return 2 * sum(times > 1 for times in often.values()) > len(often)
