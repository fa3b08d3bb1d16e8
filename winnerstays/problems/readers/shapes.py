"""JSON in the shapes that people give it: each becomes a table, rankings, or the fields of a matrix.

- a matrix by names, `{"A": {"B": 3}}`: the outer name beats the inner one; with names on the diagonal, too, it may be
  a frame of pandas, whose outer names are columns, and is asked about;
- pairs with counts, `{"A>B": 3}`, `{"A vs B": {"A": 3, "B": 1}}`;
- rankings, `[["a", "b"]]`, `{"ballots": [...]}`, `[{"ranking": [...], "count": 5}]`;
- tables: lists of objects or of lists, pandas' `split`, `index` and `table`.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.cells import cell_of
from winnerstays.problems.readers.columns import count_column, duel_columns
from winnerstays.problems.readers.json_values import loads
from winnerstays.problems.readers.matrix import COUNTED, FIELDS, NAMES
from winnerstays.problems.readers.opening import Source
from winnerstays.problems.readers.order_tables import BALLOTS
from winnerstays.problems.readers.orders import groups_of, is_order, named_rankings
from winnerstays.problems.readers.table import Table, json_table, records_table
from winnerstays.problems.readers.versus import BOTH
from winnerstays.problems.readers.vocabulary import OWN_LOSSES, OWN_WINS, words_of
from winnerstays.problems.readers.voting import Groups, Order, Rankings

Fields = dict[str, Any]
BALLOT_FIELDS = BALLOTS - {"rank", "ranks"}
SAMPLE = 50
"""Records that are looked at."""
TIES = {"tie", "ties", "tied", "draw", "draws"}


def is_shaped(source: Source) -> bool:
    """Tell objects, one per line, that are more than rows of a table: one alone, or with a list in a ballot's field."""
    with source.text() as file:
        lines = list(islice((line for line in file if line.strip()), 2))
    first = loads(lines[0])
    ballots = any(BALLOTS & {*words_of(key)} and _is_order(value) for key, value in first.items())
    return len(lines) == 1 or (ballots and duel_columns(list(first)) is None)


def shape_of(data: Any, *, rows_known: bool = False) -> Table | Rankings | Fields:
    """Return the table, the rankings or the matrix in JSON data; `rows_known` if it was said whether rows win."""
    if isinstance(data, dict):
        return _object(data, rows_known)
    if not isinstance(data, list):
        return {}
    if data and all(isinstance(one, dict) for one in data):
        return _ballot_records(data) or _duels_within(data) or records_table(data)
    if data and all(isinstance(one, str) for one in data):
        return _ballots(data, None)
    if not data or not all(isinstance(one, list) and one for one in data):
        return {"": data}
    flat = [value for one in data for value in one if not isinstance(value, list)]
    if any(isinstance(value, str) for value in flat):
        if all(isinstance(name, str) for name in data[0]) and duel_columns(data[0]) is not None:
            return list_table(data[0], data[1:])
        if all(isinstance(value, str) for value in flat):
            return json_orders(data)
        return list_table(data[0], data[1:], named=False)
    return {"": data}


def list_table(header: Sequence[Any], rows: Sequence[Sequence[Any]], *, named: bool = True) -> Table:
    """Return the table of lists of cells; where its first row is no header for sure, it is the first record."""
    start = 1 if named else 2
    return Table(
        [cell_of(name) for name in header],
        lambda: ((number, list(map(cell_of, row))) for number, row in enumerate(rows, start=start)),
        unit="record",
        named=named,
    )


def _object(data: Mapping[str, Any], rows_known: bool) -> Table | Rankings | Fields:
    if isinstance(data.get("comparisons"), list):
        return _comparisons(data["comparisons"])
    if isinstance(data.get("columns"), list) and isinstance(data.get("data"), list):  # pandas, split
        columns = [str(name) for name in data["columns"]]
        if columns == [str(name) for name in data.get("index", [])] and _all_numbers(data["data"]):
            return {"": data["data"], "items": columns}
        return list_table(columns, data["data"])
    if "schema" in data and isinstance(data.get("data"), list):  # pandas, table
        return shape_of([{key: value for key, value in one.items() if key != "index"} for one in data["data"]])
    ballots = [key for key, value in data.items() if BALLOT_FIELDS & {*words_of(key)} and _are_ballots(key, value)]
    if len(ballots) == 1:
        return _ballots(data[ballots[0]], next((data[name] for name in ("items", *NAMES) if name in data), None))
    for name in ("", *COUNTED, "preferences", "matrix", "probabilities"):
        nested = data.get(name) if name else data
        if isinstance(nested, dict) and (name or not data.keys() & {*FIELDS, *COUNTED}):
            found = _pairs(nested) or _square(nested, name, rows_known)
            if found is not None:
                return found
    if data.keys() & {*FIELDS, *COUNTED} and not isinstance(next(iter(data.values())), dict):
        return dict(data)
    values = list(data.values())
    if len(values) == 1 and isinstance(values[0], dict):
        return _object(values[0], rows_known)
    if values and all(isinstance(value, dict) for value in values):
        _refuse_totals(data)
        if all(key.isdecimal() for key in data) or _are_duels(values):
            return records_table(values)  # pandas, index
        _refuse_numbers_by_name(data)
    if values and not any(isinstance(value, list | dict) for value in values):
        return records_table([data])
    return _duels_within(data) or json_table(data) or (records_table([data]) if _are_duels([data]) else dict(data))


def _duels_within(data: Any) -> Table | None:
    """Return the one list of duels in the records of other lists, as the matches of rounds; None if there is none."""
    found: dict[tuple[str, ...], list[Any]] = {}

    def look(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                look(inner, (*path, key))
        elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            records = found.setdefault(path, [])
            records += value
            for one in value if not _are_duels(value) else ():
                look(one, path)

    look(data, ())
    duels = [records for records in found.values() if _are_duels(records)]
    return records_table(duels[0]) if len(duels) == 1 else None


def _refuse_numbers_by_name(data: Mapping[str, Mapping[str, Any]]) -> None:
    """Ask about the same numbers for each of some names, of which either may be voters and items."""
    name, first = next(iter(data.items()))
    numbers = [value for one in data.values() for value in one.values()]
    same = len(first) > 1 and all(one.keys() == first.keys() for one in data.values())
    if same and not any(key.isdecimal() for key in first) and all(isinstance(one, int | float) for one in numbers):
        record = json.dumps({"voter": name, **dict(islice(first.items(), 2))}, ensure_ascii=False)
        raise WinnerstaysError(
            f"{name!r} has numbers for {', '.join(first)[:60]}; if these are items, write a list with a record for "
            f"each voter, {record}, and say --cells ranks or --cells ratings (cells= in Python)."
        )


def _are_duels(records: Sequence[Mapping[str, Any]]) -> bool:
    try:
        return duel_columns(records_table(records[:SAMPLE]).header) is not None
    except WinnerstaysError:  # which asks what is what among them
        return True


def _refuse_totals(data: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse what each item has won and lost in all: it does not say against whom."""
    name, first = next(iter(data.items()))
    words = {word for key in first for word in words_of(key)}
    if len(data) > 1 and words & OWN_WINS and words & OWN_LOSSES and not data.keys() & first.keys():
        raise WinnerstaysError(
            f"{name!r} has {', '.join(first)}, which is what it won and lost in all; duels need who met whom, such as "
            f"{json.dumps({name: {next(islice(data, 1, None)): 3}}, ensure_ascii=False)} for three wins over the other."
        )


def _comparisons(pairs: list[Any]) -> Table:
    for number, pair in enumerate(pairs, start=1):
        if not (isinstance(pair, list) and len(pair) == 2):
            raise WinnerstaysError(f"Comparison {number} is {pair!r}, but it must be a (winner, loser) pair.")
    return list_table(["winner", "loser"], pairs)


def _all_numbers(rows: Any) -> bool:
    cells = [cell for row in rows if isinstance(row, list) for cell in row]
    return bool(cells) and all(cell is None or isinstance(cell, int | float) for cell in cells)


def _pairs(data: Mapping[str, Any]) -> Table | Rankings | None:
    """Return the duels of an object whose names are pairs, `A>B` or `A vs B`; of longer ones, the rankings."""
    if not data:
        return None
    if all(is_order(key) and isinstance(value, int | float) for key, value in data.items()):
        orders = [groups_of(key) for key in data]
        if all(len(groups) == 2 and len(groups[0]) == len(groups[1]) == 1 for groups in orders):
            rows = [[*groups[0], *groups[1], value] for groups, value in zip(orders, data.values(), strict=True)]
            return list_table(["winner", "loser", "count"], rows)
        times = map(cell_of, data.values())
        ranked = (Order(number, *one) for number, one in enumerate(zip(times, orders, strict=True), start=1))
        return named_rankings(ranked, "with counts", unit="record")
    sides = [BOTH.fullmatch(key) for key in data]
    if not all(sides):
        return None
    rows = []
    for both, value in zip(sides, data.values(), strict=True):
        first, second = both.groups() if both else ("", "")
        if not isinstance(value, dict) or not {first, second} <= value.keys() <= {first, second, *TIES}:
            raise WinnerstaysError(
                f"{both[0] if both else ''!r} has {value!r}, but it must be how often each won, such as "
                f"{json.dumps({first: 3, second: 1})}."
            )
        rows.append([first, second, value[first], value[second], *(value[key] for key in value if key in TIES)])
    widest = max(map(len, rows))
    return list_table(["item_a", "item_b", "wins_a", "wins_b", "ties"][:widest], [
        [*row, *[0] * (widest - len(row))] for row in rows
    ])  # fmt: skip


def _square(data: Mapping[str, Any], name: str, rows_known: bool) -> Fields | None:
    """Return the matrix of an object of objects of numbers, whose inner names are outer ones, too."""
    if len(data) < 2 or not all(isinstance(row, dict) for row in data.values()):
        return None
    inner = {key for row in data.values() for key in row}
    numbers = [value for row in data.values() for value in row.values()]
    if not inner & data.keys() or not all(value is None or isinstance(value, int | float) for value in numbers):
        return None
    items = list(dict.fromkeys([*data, *(key for row in data.values() for key in row)]))
    if not rows_known and all(row.keys() == data.keys() for row in data.values()):
        first, second = items[:2]
        raise WinnerstaysError(
            f"the number of {second!r} in {first!r} may say how {first} does against {second}, or, as pandas writes a "
            "frame, the reverse; say --rows winners if the outer names beat the inner ones, and --rows losers if they "
            "are beaten (rows= in Python)."
        )
    nan = float("nan")
    table = [[nan if (value := data.get(row, {}).get(key)) is None else value for key in items] for row in items]
    counted = name in COUNTED or all(float(value).is_integer() for value in numbers if value is not None)
    return {"counts" if counted else "preferences": table, "items": items}


def _are_ballots(key: str, value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    numbers = isinstance(value[0], list) and not any(isinstance(name, str | list) for name in value[0])
    return isinstance(value[0], list | dict | str) and not (numbers and key in FIELDS)


def _ballots(ballots: list[Any], names: Any) -> Rankings | Table:
    if all(isinstance(one, dict) for one in ballots):
        return _ballot_records(ballots) or records_table(ballots)
    if all(isinstance(one, str) and is_order(one) for one in ballots):
        orders = (Order(number, "1", groups_of(one)) for number, one in enumerate(ballots, start=1))
        return named_rankings(orders, "a list", unit="record")
    if not all(isinstance(one, list) for one in ballots):
        raise WinnerstaysError(
            f"the file holds a list with {ballots[0]!r}, but it must hold rankings, such as 'a > b' or ['a', 'b'], "
            "duels as objects with winner and loser, or the rows of a matrix."
        )
    numbers = [name for one in ballots for name in one if not isinstance(name, list)]
    if isinstance(names, list) and numbers and all(isinstance(number, int) for number in numbers):
        return json_orders([[_called(names, number, numbers) for number in one] for one in ballots])
    return json_orders(ballots)


def _called(names: list[Any], number: int, numbers: Sequence[int]) -> str:
    """Return the name of a candidate that is given by its number, from 0 or from 1."""
    if min(numbers) not in (0, 1) or max(numbers) > len(names) - (min(numbers) == 0):
        raise WinnerstaysError(f"ballots rank candidates {min(numbers)} to {max(numbers)} of {len(names)}.")
    if min(numbers) == 1 and max(numbers) < len(names):
        raise WinnerstaysError(
            f"ballots rank candidates 1 to {max(numbers)} of {len(names)}, which may be counted from 0 or from 1; "
            "write their names instead."
        )
    return str(names[number - min(numbers)])


def _ballot_records(records: Sequence[Mapping[str, Any]]) -> Rankings | None:
    """Return the rankings of objects with a list of names in a field called like a ballot."""
    keys = list(dict.fromkeys(key for one in records for key in one))
    found = [key for key in keys if BALLOTS & {*words_of(key)} and all(_is_order(one.get(key)) for one in records)]
    if len(found) != 1:
        return None
    count = count_column(keys, {keys.index(found[0])}).get("count")
    times = [cell_of(one.get(keys[count], 1)) if count is not None else "1" for one in records]
    orders = (
        Order(number, count, _groups(one[found[0]]))
        for number, (one, count) in enumerate(zip(records, times, strict=True), start=1)
    )
    said = "" if count is None else f"each record counts {keys[count]} times"
    return named_rankings(orders, "lists, the best first", said, "record")


def _is_order(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str | list) for name in value)


def _groups(order: Sequence[Any]) -> Groups:
    return [[cell_of(name) for name in place] if isinstance(place, list) else [cell_of(place)] for place in order]


def json_orders(data: Sequence[Sequence[Any]]) -> Rankings:
    """Return the rankings of lists of names, the best first; a list within one holds names that are tied."""
    orders = (Order(number, "1", _groups(order)) for number, order in enumerate(data, start=1))
    return named_rankings(orders, "lists, the best first", unit="record")
