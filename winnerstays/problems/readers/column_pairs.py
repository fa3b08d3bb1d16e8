"""Pairs of columns that say the same of two sides: `team_a` and `team_b`, `PtsW` and `PtsL`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from winnerstays.problems.readers.vocabulary import THIRD, Family, words_of

Words = tuple[str, ...]
SHORTEST = 3
"""Letters of a part of a name that is known anywhere in another name."""


class Pair(NamedTuple):
    """Two columns that say the same of the two sides: `team_a` and `team_b`."""

    stem: Words
    """The words that both have."""
    first: int
    second: int
    words: tuple[str, str]
    """The words in which they differ."""
    family: Family

    @property
    def places(self) -> frozenset[int]:
        return frozenset((self.first, self.second))


def pairs_of(header: Sequence[str], families: Sequence[Family]) -> list[Pair]:
    """Return the pairs of columns whose names differ in words of one family alone, and of which no third is.

    Words that are listed as a pair come first; a column without such a partner may have another of the family, though
    a letter goes with a letter.
    """
    names, found = _by_words(header), list[Pair]()
    for family in families:
        listed = list(_pairs(names, family, family))
        taken = frozenset(place for pair in listed for place in pair.places)
        firsts, seconds = (dict.fromkeys(words) for words in zip(*family, strict=True))
        mixed = [(one, other) for one, other in product(firsts, seconds) if (len(one) == 1) == (len(other) == 1)]
        found += listed
        found += (pair for pair in _pairs(names, (*mixed,), family) if not pair.places & taken)
    both_ways = {(pair.first, pair.second) for pair in found}
    return [pair for pair in found if pair.first < pair.second or (pair.second, pair.first) not in both_ways]


def _pairs(names: Mapping[Words, int], opposites: Family, family: Family) -> Iterator[Pair]:
    with_word: dict[str, list[Words]] = {}
    for words in sorted(names, key=lambda some: names[some]):
        for word in words:
            with_word.setdefault(word, []).append(words)
    for one, other in opposites:
        for words in with_word.get(one, ()):
            if words.count(one) == 1:
                at = words.index(one)
                partner, third = (
                    names.get((*words[:at], word, *words[at + 1 :])) for word in (other, THIRD.get((one, other), ""))
                )
                if partner is not None and third is None:
                    yield Pair((*words[:at], *words[at + 1 :]), names[words], partner, (one, other), family)


def pairs_like(header: Sequence[str], first: int, second: int) -> list[Pair]:
    """Return the pairs of columns whose names differ as those of two do, whatever the words: `radiant_win`, `dire_win`.

    >>> [pair.stem for pair in pairs_like(["radiant_name", "dire_name", "radiant_score", "dire_score"], 0, 1)]
    [('name',), ('score',)]
    """
    one, other = _difference(header[first], header[second])
    family = ((one, other),)
    found = {pair.places: pair for pair in _pairs(_by_words(header), family, family)}
    lower = {name.lower(): place for place, name in reversed(list(enumerate(header)))}
    for name, place in lower.items() if len(one) >= SHORTEST else ():
        partner = lower.get(name.replace(one, other, 1)) if one in name else None
        if partner is not None:
            pair = Pair(words_of(name.replace(one, " ", 1)), place, partner, (one, other), family)
            found.setdefault(pair.places, pair)
    return list(found.values())


def _by_words(header: Sequence[str]) -> dict[Words, int]:
    return {words_of(name): place for place, name in reversed(list(enumerate(header))) if name}


def _difference(one: str, other: str) -> tuple[str, str]:
    """Return the parts in which two names differ: whole words, or what stands between a common beginning and end."""
    words, others = words_of(one), words_of(other)
    differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(words) == len(others) and len(differing) == 1:
        return differing[0]
    return one.lower(), other.lower()
