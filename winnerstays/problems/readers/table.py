"""Tables of any kind, row by row: text with any delimiter, JSON, one JSON object per line, Parquet."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from json import JSONDecodeError
from typing import Any

from winnerstays.errors import WinnerstaysError, missing_extra
from winnerstays.problems.readers.asides import asides_of
from winnerstays.problems.readers.cells import cell_of, composed
from winnerstays.problems.readers.dialect import (
    Row,
    comments_that_fit,
    is_comment,
    preamble,
    sniff,
    split,
    title_lines,
    unruled,
)
from winnerstays.problems.readers.digits import GROUPS_OF_THREE, clean, decimal_commas
from winnerstays.problems.readers.fields import Column, fields_of
from winnerstays.problems.readers.given import COLUMN, Given, entries
from winnerstays.problems.readers.json_values import loads, read_values
from winnerstays.problems.readers.opening import PARQUET, Source
from winnerstays.wording import counted

SAMPLE_LINES = 300
ROWS_OF_PARQUET = 50_000
PANDAS_INDEX = "__index_level_0__"
POINTS_OF_THREE = re.compile(r"[1-9]\d{0,2}\.\d{3}")
"""One point with three digits behind it: decimals, or thousands."""
RULE = re.compile(r"-{3,}|:-+:?|-+:")
"""A cell of the line below the header of a Markdown table."""


@dataclass(frozen=True)
class Table:
    """A header and rows, which can be read several times; `unit` is what a row's number counts."""

    header: list[str]
    """The names of the columns as they are written; of a text file simply its first row."""
    rows: Callable[[], Iterator[Row]]
    """The rows below the header."""
    unit: str = "line"
    named: bool = True
    """Whether the header is one for sure."""
    line: int = 1
    """Where the header stands."""
    note: str = ""
    open_points: bool = False
    """Whether 1.234 may be 1234: cells are cut by semicolons, and no number has other decimals behind a point."""
    remarks: Mapping[int, str] = field(default_factory=dict)
    """What was assumed about single columns, to be said where they are used."""
    whole: "Table | None" = None
    """The same with columns that have to be asked for."""

    def holding(self, given: Given) -> "Table":
        """Return the table with the columns that were asked for, where it has them."""
        asked = [name for _, name in entries(given, "columns", COLUMN) if name not in self.header]
        return self.whole if self.whole is not None and {*asked} & {*self.whole.header} else self

    def without_header(self) -> "Table":
        """Return the table whose first row is a row like others; columns are numbered from 1."""
        first = (self.line, self.header)
        names = [str(number) for number in range(1, len(self.header) + 1)]
        return replace(self, header=names, rows=lambda: _chain(first, self.rows()), named=True)


def _chain(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def read_table(source: Source) -> Table:
    """Return the table that a file holds."""
    if source.head.startswith(PARQUET):
        return _parquet(source)
    start = source.beginning.lstrip()
    if not start:
        raise WinnerstaysError("the file is empty.")
    if is_json_lines(source):
        return _objects(source)
    if start[0] in "[{":
        table = json_table(read_values(source))
        if table is None:
            raise WinnerstaysError("the file holds JSON, but no list of objects; a table is one.")
        return table
    return _text(source)


def is_json_lines(source: Source) -> bool:
    """Tell whether each line is a JSON object: the first is, and more follow or it holds no lists and objects."""
    if source.beginning.lstrip()[:1] != "{":
        return False
    with source.text() as file:
        lines = list(islice((line for line in file if line.strip()), 2))
    try:
        found = loads(lines[0])
    except JSONDecodeError:
        return False
    flat = not any(isinstance(value, list | dict) for value in found.values())
    return flat or len(lines) > 1


def _text(source: Source) -> Table:
    with source.text() as file:
        count, comment, declared = preamble(file)
    with source.text() as file:
        sample = list(unruled(islice(file, count, count + SAMPLE_LINES)))
    titles = 0 if declared else title_lines(sample)
    count, sample = count + titles, sample[titles:]
    delimiter = declared or sniff([line for line in sample if not line.startswith("# ")])
    line, header = next(split(sample, delimiter), (1, []))
    line += count
    first = list(split(sample, delimiter))
    below = [cells for _, cells in first[1:] if not is_comment(cells, len(header))]
    row_names = len(below) > 0 and all(len(cells) == len(header) + 1 for cells in below)
    spare = [cells for _, cells in split([comment], delimiter)]
    hidden = bool(spare) and len(spare[0]) == len(header) > 1
    decimals = decimal_commas(source, delimiter)
    grouped = delimiter == ","
    open_points = delimiter == ";" and _open_points(source)
    aside = asides_of(source, count, delimiter, [(number + count, cells) for number, cells in first])

    def rows() -> Iterator[Row]:
        with source.text() as file:
            for number, cells in islice(split(unruled(islice(file, count, None)), delimiter, whole=True), 1, None):
                if number + count in aside.lines or (not cells[0][:1].isalnum() and _is_no_row(cells, len(header))):
                    continue
                yield (
                    number + count,
                    [
                        cell if cell.isascii() and cell.isidentifier() else clean(cell, grouped, k in decimals)
                        for k, cell in enumerate(cells)
                    ],
                )

    header = ["", *header] if row_names else header  # as R writes tables
    with source.text() as file:
        commented = comments_that_fit(islice(file, line, None), delimiter, len(header))
    said = [f"{counted(titles, 'line')} before the table left out"] if titles else []
    said += [f"{counted(commented, 'row')} behind # left out"] if commented else []
    note = "; ".join(filter(None, [*said, *aside.notes, source.note]))
    remarks = {k: f"in {header[k]} a comma stands before decimals" for k in decimals if k < len(header)}
    table = Table(
        list(map(composed, header)), rows, named=False, line=line, note=note, open_points=open_points, remarks=remarks
    )
    if aside.header and len(aside.header) == len(header) and aside.header != header:
        return replace(table, header=list(map(composed, aside.header)), whole=table)
    if hidden and _numeric(header):  # a header behind `#`, as NumPy writes it
        return replace(table, header=spare[0], rows=table.without_header().rows)
    return table


def _is_no_row(cells: list[str], width: int) -> bool:
    """Tell a comment, and the line below the header of a Markdown table."""
    return is_comment(cells, width) or all(map(RULE.fullmatch, filter(None, cells)))


def _open_points(source: Source) -> bool:
    """Tell whether a point may stand between thousands: in no number with one there are other decimals behind it."""
    with source.text() as file:
        cells = (cell.strip(' "\r\n') for line in file if "." in line for cell in line.split(";") if "." in cell)
        return all(POINTS_OF_THREE.fullmatch(cell) or number_or_none(cell) is None for cell in cells)


def _numeric(cells: Sequence[str]) -> bool:
    return any(number_or_none(cell) is not None for cell in cells)


def number_or_none(cell: str) -> float | None:
    """Return the number in a cell, with a decimal point or comma; None if there is none, or if it could be two.

    >>> number_or_none("0,25"), number_or_none("7"), number_or_none("x"), number_or_none("1_000")
    (0.25, 7.0, None, None)
    >>> number_or_none("1,234,567"), number_or_none("1,200")
    (1234567.0, None)
    """
    if GROUPS_OF_THREE.fullmatch(cell):  # a single group of three may also be decimals
        return float(cell.replace(",", "")) if cell.count(",") > 1 or "." in cell else None
    try:
        return float(cell if "," not in cell else cell.replace(",", ".", 1)) if "_" not in cell else None
    except ValueError:
        return None


def _objects(source: Source) -> Table:
    """A table of one JSON object per line; its columns are the fields of all of them."""

    def objects() -> Iterator[tuple[int, dict[str, Any]]]:
        with source.text() as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    try:
                        found = loads(line)
                    except JSONDecodeError as error:
                        raise WinnerstaysError(f"line {number} is no JSON object ({error}).") from None
                    except WinnerstaysError as error:
                        raise WinnerstaysError(f"line {number}: {error}") from None
                    if not isinstance(found, dict):
                        raise WinnerstaysError(f"line {number} is {line[:40].strip()!r}, but it must be a JSON object.")
                    yield number, found

    return _of_objects(objects, "line", source.note)


def _of_objects(objects: Callable[[], Iterable[tuple[int, Mapping[str, Any]]]], unit: str, note: str = "") -> Table:
    """Return the table of numbered records."""
    fields = fields_of(one for _, one in objects())

    def table(columns: list[Column], whole: Table | None) -> Table:
        return Table(
            [column.name for column in columns],
            lambda: ((number, [column.cell(one) for column in columns]) for number, one in objects()),
            unit=unit,
            note=note,
            remarks=fields.remarks(columns),
            whole=whole,
        )

    return table(fields.shown, table([*fields.shown, *fields.hidden], None) if fields.hidden else None)


def json_table(data: Any) -> Table | None:
    """Return the table in JSON data: a list of objects, alone or in one field, or columns; None if there is none."""
    if isinstance(data, dict):
        lists = list(_lists_of_objects(data))
        data = lists[0] if len(lists) == 1 else _by_columns(data)
    if isinstance(data, list) and data and all(isinstance(record, dict) for record in data):
        return records_table(data)
    return None


def _lists_of_objects(data: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the lists of objects in the fields of an object, and in those of objects there."""
    for value in data.values():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield value
        elif isinstance(value, dict):
            yield from _lists_of_objects(value)


def _by_columns(data: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return a table that is stored by columns, as pandas writes it, as a list of objects; None if it is no table."""
    columns = [list(value.values()) if isinstance(value, dict) else value for value in data.values()]
    if len(columns) < 2 or not all(isinstance(column, list) for column in columns):
        return None
    if len({len(column) for column in columns}) != 1 or any(isinstance(cell, list) for cell in columns[0]):
        return None
    return [dict(zip(data, row, strict=True)) for row in zip(*columns, strict=True)]


def records_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """Return a list of objects as a table."""
    return _of_objects(lambda: enumerate(records, start=1), "record")


def _parquet(source: Source) -> Table:
    try:
        import polars
    except ImportError:
        raise missing_extra("Reading Parquet", "tables") from None
    frame = polars.scan_parquet(source.file)
    try:
        header = frame.collect_schema().names()
        height = frame.select(polars.len()).collect().item()
    except polars.exceptions.PolarsError as error:
        raise WinnerstaysError(f"the file is damaged or cut off ({str(error).splitlines()[0]}).") from None

    def rows() -> Iterator[Row]:
        for low in range(0, height, ROWS_OF_PARQUET):
            part = frame.slice(low, ROWS_OF_PARQUET).collect()
            for number, row in enumerate(part.iter_rows(), start=low + 1):
                yield number, list(map(cell_of, row))

    return _index_first(Table(header, rows, unit="row"), square=height == len(header) - 1)


def _index_first(table: Table, square: bool) -> Table:
    """Return a frame of pandas, which writes its index last, with the index in front."""
    *names, last = table.header
    if not (last == PANDAS_INDEX or (square and {row[-1] for _, row in table.rows()} == {*names})):
        return table
    return replace(
        table,
        header=["" if last == PANDAS_INDEX else last, *names],
        rows=lambda: ((number, [row[-1], *row[:-1]]) for number, row in table.rows()),
    )
