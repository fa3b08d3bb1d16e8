"""Which two columns of a table name the items that met, by their names; where these leave it open, by their cells."""

from collections.abc import Sequence, Set

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.column_pairs import Pair
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.vocabulary import (
    ATTRIBUTES,
    BELONGING,
    FAMILIES,
    ITEM_WORDS,
    KINDS_OF_NAMES,
    MEASURES,
    NO_ITEMS,
    OWNERS,
)

NO_NAMES = (MEASURES - {"text"}) | {"slug", "url", "crest", "logo"}
"""Words of columns that have something for each id, but no name."""
ALL_DIFFERENT, COME_BACK = 1.0, 0.8
"""How many names there are for each cell that has one."""


def item_pair(header: Sequence[str], pairs: Sequence[Pair], roles: tuple[str, str], contents: Contents) -> Pair | None:
    """Return the one pair that names the items; an error with the candidates if there are several."""
    able = [pair for pair in pairs if not MEASURES.intersection(pair.stem) and not NO_ITEMS.intersection(pair.words)]
    able = [pair for pair in able if not (contents.rows and all(map(contents.holds_yes_or_no, pair.places)))]
    with_ids = {pair.stem[:-1] for pair in able if pair.stem[-1:] == ("id",)}
    tiers = {pair: _tier(pair, with_ids) for pair in able}
    texts = [pair for pair in able if not pair.places <= contents.numbers]
    able = [pair for pair in able if tiers[pair] < 3 or pair in texts or not texts]
    able = [pair for pair in able if not contents.are_often_equal(pair.first, pair.second)] or able
    surest = min((tiers[pair] for pair in able), default=0)
    best = _coming_back([pair for pair in able if tiers[pair] == surest], contents)
    best = _plainest(best, contents.numbers) if best else []
    distinct = list({pair.places: pair for pair in reversed(best)}.values())[::-1]
    different = [pair for k, pair in enumerate(distinct) if not any(_same(pair, one, contents) for one in distinct[:k])]
    different = _named(different, contents)
    if len(different) == 1:
        return _names_of(different[0], pairs, contents)
    if len(different) > 1:
        raise _which_items(header, different, roles)
    return None


def _named(pairs: list[Pair], contents: Contents) -> list[Pair]:
    """Return the pairs without those of numbers for which another pair has a name each."""
    names = [pair for pair in pairs if not pair.places & contents.numbers]
    return [
        pair
        for pair in pairs
        if not (pair.places <= contents.numbers and any(_one_to_one(pair, one, contents) for one in names))
    ]


def _names_of(ids: Pair, pairs: Sequence[Pair], contents: Contents) -> Pair:
    """Return the pair that has a name for each id, where the best pair holds ids and there is one such."""
    if ids.stem[-1:] != ("id",) or not contents.rows:
        return ids
    able = [pair for pair in pairs if pair.family == ids.family and not pair.places & contents.numbers]
    able = [pair for pair in able if not NO_NAMES.intersection(pair.stem) and _one_to_one(ids, pair, contents)]
    return able[0] if len(able) == 1 else ids


def _one_to_one(ids: Pair, names: Pair, contents: Contents) -> bool:
    """Tell whether each id has one name and each name one id, and some come back."""
    pairs = contents.pairs_one_to_one((ids.first, names.first), (ids.second, names.second))
    return 1 < pairs < 2 * len(contents.rows)


def _which_items(header: Sequence[str], pairs: Sequence[Pair], roles: tuple[str, str]) -> WinnerstaysError:
    """The error for a table in which several pairs of columns may name the items."""
    named = dict.fromkeys(f"{header[pair.first]} and {header[pair.second]}" for pair in pairs)
    first, second = header[pairs[0].first], header[pairs[0].second]
    return WinnerstaysError(
        f"the items may be {' or '.join(named)}; say which with columns "
        f"(--columns {roles[0]}={first},{roles[1]}={second})."
    )


def _core(pair: Pair) -> tuple[str, ...]:
    """Return whom a pair of columns is about: `home_team`, `home_team_name` and `home_team_id` are about teams."""
    core = pair.stem[:-1] if pair.stem[-1:] in (("name",), ("id",)) else pair.stem
    return core[:-1] if pair.stem[-1:] == ("name",) and core[-1:] and core[-1] in KINDS_OF_NAMES else core


def _tier(pair: Pair, with_ids: Set[tuple[str, ...]]) -> int:
    """How surely a pair holds the items: 1 by a known word, 2 by the id of such, 3 by the name of who knows what.

    4 are others, and 5 what many items have in common.
    """
    core = _core(pair)
    if ATTRIBUTES.intersection(core):
        return 5
    if not core or core in with_ids or ITEM_WORDS.intersection(core):
        return 2 if pair.stem[-1:] == ("id",) else 1
    return 3 if pair.stem[-1:] == ("name",) else 4


def _plainest(pairs: Sequence[Pair], numbers: Set[int]) -> list[Pair]:
    """Return the pairs of fewest words, of which one that is called `name` stands for the same without it.

    Where these are numbers and others are texts, both may be meant.
    """
    if len({pair.family for pair in pairs if pair.family in FAMILIES}) > 1:
        return list(pairs)
    fewest = min(len(_core(pair)) for pair in pairs)
    best = [pair for pair in pairs if len(_core(pair)) == fewest]
    if any(OWNERS.issuperset(_core(pair)) for pair in best):
        best = [pair for pair in best if not BELONGING.intersection(_core(pair))]
    named = {_core(pair) for pair in best if pair.stem[-1:] == ("name",)}
    best = [pair for pair in best if pair.stem[-1:] == ("name",) or _core(pair) not in named]
    texts = [pair for pair in pairs if not pair.places <= numbers]
    of_text = [pair for pair in best if pair in texts]
    return of_text or [*best, *texts]


def _coming_back(pairs: list[Pair], contents: Contents) -> list[Pair]:
    """Return the pairs whose names come back, where others are all different, as the texts of answers are."""
    kept = [pair for pair in pairs if contents.share_of_names(*pair.places) < ALL_DIFFERENT]
    come_back = any(contents.share_of_names(*pair.places) <= COME_BACK for pair in kept)
    return kept if come_back else pairs


def _same(one: Pair, other: Pair, contents: Contents) -> bool:
    """Tell whether two pairs hold the same, whichever column of them comes first."""
    return any(
        contents.are_equal(one.first, first) and contents.are_equal(one.second, second)
        for first, second in ((other.first, other.second), (other.second, other.first))
    )
