"""Which column of a table is what, by the names people give them; where that is not beyond doubt, it is asked.

Names are compared by their words: `Winner_Name`, `winnerName` and `winner name` are the same. `columns=` (on the
command line `--columns left=home,right=away,winner=result`) decides for some or all roles; a column is given by its
name, in quotes if that holds a comma, or by its number in a table without a header. A role that is given nothing
(`count=`) is not used.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.column_pairs import Pair, pairs_like, pairs_of
from winnerstays.problems.readers.contents import Contents
from winnerstays.problems.readers.given import RATING_ROLES, Given, parse_columns
from winnerstays.problems.readers.item_pairs import item_pair
from winnerstays.problems.readers.outcome_columns import ids, is_decided, outcome_roles, result, scores, tie
from winnerstays.problems.readers.vocabulary import (
    COUNTED_ALONE,
    FAMILIES,
    MEASURES,
    WINNERS,
    counts_rows,
)


def duel_columns(header: Sequence[str], given: Given = None, contents: Contents | None = None) -> dict[str, int] | None:
    """Return the place of each role in a table of duels; None if this header is of no such table.

    `contents`: what is in the first rows, which may be needed where names alone leave it open.

    >>> duel_columns(["id", "score_a", "score_b", "team_a", "team_b", "winner"])
    {'left': 3, 'right': 4, 'winner': 5, 'left_score': 1, 'right_score': 2}
    """
    chosen, contents = parse_columns(given, header), contents or Contents()
    if chosen.keys() & set(RATING_ROLES):
        return None
    fixed = {role: place for role, place in chosen.items() if place is not None}
    roles = dict(fixed)
    if not fixed.keys() & {"left", "right"}:
        roles = _winner_and_loser(header, chosen, contents) | roles
    if "loser" not in roles:
        roles = _sides(header, chosen, contents) | roles
    roles = {role: place for role, place in roles.items() if chosen.get(role, place) is not None}
    if not ({"winner", "loser"} <= roles.keys() or is_decided(roles)):
        return None
    if "count" not in chosen:
        roles |= count_column(header, set(roles.values()))
    known = {role: place for role, place in roles.items() if place is not None}
    _check_once(header, known.values())
    return known


def _check_once(header: Sequence[str], used: Iterable[int]) -> None:
    """Refuse a column whose name another one has, too, if it is not known which of them is meant."""
    names, used = [re.sub(r"[\s_.-]+", "", name.lower()) for name in header], set(used)
    for place in used:
        same = [k for k, name in enumerate(names) if name == names[place]]
        if not used.issuperset(same):
            raise WinnerstaysError(f"{len(same)} columns are called {header[place]}; rename all but one.")


def _winner_and_loser(header: Sequence[str], chosen: Mapping[str, int | None], contents: Contents) -> dict[str, int]:
    if "winner" in chosen and "loser" not in chosen:
        return {}
    pairs = pairs_of(header, [WINNERS])
    able = [pair for pair in pairs if not _counts_games(pair, contents)]
    found = None if "winner" in chosen else item_pair(header, able, ("winner", "loser"), contents)
    roles = {} if found is None else {"winner": found.first, "loser": found.second}
    if not roles and "winner" not in chosen:
        return {}
    taken = {*roles.values(), *chosen.values()}
    roles |= tie(header, taken)
    says = result(header, taken)
    roles |= says | ({"score": says["result"]} if says else {})
    return roles | ids(pairs, taken) | scores(header, pairs, {**roles, **chosen}, contents)


def _counts_games(pair: Pair, contents: Contents) -> bool:
    """Tell columns of a table of standings, `W` and `L`, from those that name a winner and a loser."""
    if pair.words[0] not in COUNTED_ALONE:
        return False
    return pair.places <= contents.numbers and "id" not in pair.stem if contents.rows else not pair.stem


def _sides(header: Sequence[str], chosen: Mapping[str, int | None], contents: Contents) -> dict[str, int]:
    pairs = pairs_of(header, FAMILIES)
    left, right = chosen.get("left"), chosen.get("right")
    if left is not None and right is not None:
        named = [pair for pair in pairs if pair.places == {left, right}]
        like = pairs_like(header, left, right)
        found = next(iter(named), None) or next((pair for pair in like if pair.places == {left, right}), None)
        items = found or Pair((), left, right, (header[left], header[right]), ())
        items = items._replace(first=left, second=right)
        beside = [pair for pair in (pairs if named else like) if pair.family == items.family]
        turned = found is not None and found.first != left
        return outcome_roles(header, items, [_turned(pair) for pair in beside] if turned else beside, chosen, contents)
    by_name = item_pair(header, pairs, ("left", "right"), contents)
    if by_name is None:
        return _by_contents(header, chosen, contents)
    beside = [pair for pair in pairs if pair.family == by_name.family]
    return {
        "left": by_name.first, "right": by_name.second, **outcome_roles(header, by_name, beside, chosen, contents)
    }  # fmt: skip


def _turned(pair: Pair) -> Pair:
    return pair._replace(first=pair.second, second=pair.first, words=pair.words[::-1])


def _by_contents(header: Sequence[str], chosen: Mapping[str, int | None], contents: Contents) -> dict[str, int]:
    """Return the sides whose columns hold the same names, if another column says who won."""
    found = {}
    for left, right in contents.meetings():
        beside = pairs_like(header, left, right)
        items = next((pair for pair in beside if pair.places == {left, right}), None)
        if items is not None and not MEASURES.intersection(items.stem):
            roles = {"left": left, "right": right, **outcome_roles(header, items, beside, chosen, contents)}
            if is_decided(roles):
                found[items] = roles
    items = item_pair(header, [*found], ("left", "right"), contents)
    return {} if items is None else found[items]


def count_column(header: Sequence[str], taken: set[int]) -> dict[str, int]:
    """Return the column that says how often a row counts, if there is one; an error if there are several."""
    found = [k for k, name in enumerate(header) if counts_rows(name) and k not in taken]
    if len(found) > 1:
        names = " or ".join(header[k] for k in found)
        raise WinnerstaysError(
            f"how often a row counts may be in {names}; say which (--columns count={header[found[0]]}), or count= for "
            "none."
        )
    return {"count": found[0]} if found else {}
