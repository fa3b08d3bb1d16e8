"""Tables as blocks of rows: CSV, JSON with an object for each row, Parquet, and data that are in memory.

Only the columns that are asked for are looked at. A cell is its text; one that is empty, null or NaN is "".
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from winnerstays.errors import WinnerstaysError, extra
from winnerstays.problems.readers.source import Source
from winnerstays.wording import counted

ROWS_AT_ONCE = 1 << 14
BAD_SHOWN = 5
DELIMITERS = ",;\t"


@dataclass
class BadRows:
    """The rows that cannot be read: the first one is an error, unless they are to be left out."""

    skip: bool
    number: int = 0
    shown: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        """Count a row, or refuse it."""
        if not self.skip:
            raise WinnerstaysError(f"{sentence}; --skip-bad leaves such rows out (skip_bad= in Python).")
        self.number += 1
        if len(self.shown) < BAD_SHOWN:
            self.shown.append(sentence)

    @property
    def full(self) -> bool:
        """Whether no further row is shown."""
        return len(self.shown) == BAD_SHOWN

    @property
    def note(self) -> str:
        """Say how many rows were left out, and which came first."""
        more = ", ..." if self.number > len(self.shown) else ""
        return f"{counted(self.number, 'bad row')} left out ({', '.join(self.shown)}{more})" if self.number else ""


class Block(NamedTuple):
    """Some rows: the cells of each column that was asked for, and where the k-th of them stands in the file."""

    cells: list[list[str]]
    where: Callable[[int], str]


@dataclass(frozen=True)
class Table:
    """The names of the columns, and the rows of the columns at some places, as often as they are wanted."""

    header: list[str]
    blocks: Callable[[Sequence[int], BadRows], Iterator[Block]]
    delimiter: str = ""
    """Of a CSV file."""


def text(value: object) -> str:
    """Return the text of a value: as JSON writes it, without quotes.

    >>> text("a"), text(3), text(2.5), text(True), text(None), text(float("nan"))
    ('a', '3', '2.5', 'true', '', '')
    """
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def number(cell: str) -> float:
    """Return the number that a cell holds, or NaN.

    >>> number("0.5"), number("1e3"), number("1,5"), number("")
    (0.5, 1000.0, nan, nan)
    """
    try:
        return float(cell)
    except ValueError:
        return np.nan


def delimiter_of(line: str) -> str:
    """Return what parts the names of columns: the comma, semicolon or tab that is most frequent outside of quotes.

    >>> delimiter_of('winner;"lost, alas"'), delimiter_of("a")
    (';', ',')
    """
    bare = "".join(line.split('"')[::2])
    return max(DELIMITERS, key=bare.count)


def delimited(source: Source, delimiter: str | None) -> Table:
    """Return the table of a CSV file, whose first line that is not blank is the header."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"'):
        raise WinnerstaysError(f"delimiter is {delimiter!r}, but it must be one character, such as ;.")
    with source.text() as file:
        first = next((line for line in file if line.strip()), "")
    if not first:
        raise WinnerstaysError("the file is empty.")
    chosen = delimiter or delimiter_of(first)
    header = next(csv_blocks(source, chosen, 1))[0][0]

    def blocks(places: Sequence[int], bad: BadRows) -> Iterator[Block]:
        width, start = len(header), 1
        for rows, line in csv_blocks(source, chosen, ROWS_AT_ONCE):
            where = partial(_line_of, rows, line)
            good: Sequence[int] = range(start, len(rows))
            if {*map(len, rows)} != {width}:
                good = _of_width(rows, start, width, bad, where)
            whole = start == 0 and isinstance(good, range)
            chosen_rows = rows if whole else [rows[k] for k in good]
            cells = [[row[place] for row in chosen_rows] for place in places]
            yield Block(cells, lambda k, good=good, where=where: where(good[k]))  # type: ignore[misc]
            start = 0

    return Table(header, blocks, chosen)


def csv_blocks(source: Source, delimiter: str, size: int) -> Iterator[tuple[list[list[str]], int]]:
    """Yield so many rows of a CSV file at once, and the number of lines before them; the first row is not blank."""
    with source.text() as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        number, line = 0, 0
        try:
            rows = [next(row for row in reader if row)]
            line = reader.line_num - _height(rows[0])
            while rows:
                rows += islice(reader, size - len(rows))
                yield rows, line
                number += len(rows)
                source.limits.check("rows", number)
                line, rows = reader.line_num, list(islice(reader, 1))
        except csv.Error as error:
            raise WinnerstaysError(f"line {reader.line_num}: {error}.") from None


def _of_width(rows: list[list[str]], start: int, width: int, bad: BadRows, where: Callable[[int], str]) -> list[int]:
    """Return which rows have as many cells as the header; blank lines are nothing."""
    for k in range(start, len(rows)):
        if len(rows[k]) not in (0, width):
            cells = counted(len(rows[k]), "cell")
            bad.add(
                ""
                if bad.full
                else f"{where(k)} has {cells}, but the header has {width}; write a cell with a delimiter in quotes"
            )
    return [k for k in range(start, len(rows)) if len(rows[k]) == width]


def _height(row: list[str]) -> int:
    return 1 + sum(cell.count("\n") or cell.count("\r") for cell in row)


def _line_of(rows: list[list[str]], before: int, k: int) -> str:
    return f"line {before + sum(map(_height, rows[:k])) + 1}"


def json_lines(source: Source) -> Table:
    """Return the table of a file with one JSON object a line; the first one's fields are the columns."""

    def records() -> Iterator[tuple[int, Any]]:
        with source.text() as file:
            for line_number, line in enumerate(file, start=1):
                source.limits.check("rows", line_number)
                if line.strip():
                    yield line_number, loads(line, f"line {line_number}")

    return records_table(records, "line")


def records_table(records: Callable[[], Iterable[tuple[int, Any]]], unit: str = "row") -> Table:
    """Return the table of numbered objects; the first one's fields are the columns."""
    first = next(iter(records()), (1, None))[1]
    if not isinstance(first, Mapping):
        raise WinnerstaysError(f"the first {unit} is {repr(first)[:40]}, but it must be an object with fields.")
    fields = list(first)

    def blocks(places: Sequence[int], bad: BadRows) -> Iterator[Block]:
        names, numbered = [fields[place] for place in places], iter(records())
        while block := list(islice(numbered, ROWS_AT_ONCE)):
            for k, record in block:
                if not isinstance(record, Mapping):
                    bad.add(f"{unit} {k} is {repr(record)[:40]}, but it must be an object like the first")
            good = [record for record in block if isinstance(record[1], Mapping)]
            cells = [[text(record.get(name)) for _, record in good] for name in names]
            yield Block(cells, lambda k, good=good: f"{unit} {good[k][0]}")  # type: ignore[misc]

    return Table(list(map(str, fields)), blocks)


def loads(line: str | bytes, where: str) -> Any:
    """Return the value of JSON."""
    try:
        return json.loads(line)
    except RecursionError:
        raise WinnerstaysError(f"{where} holds lists within lists, too deep to be read.") from None
    except ValueError as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise WinnerstaysError(f"{where} is not JSON ({error}).") from None


def parquet(source: Source) -> Table:
    """Return the table of a Parquet file, read some rows at a time; what its footer claims is checked first."""
    with extra("Reading Parquet", "tables"):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

    def attempt(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (ArrowException, OSError, IndexError, ValueError) as error:
            raise WinnerstaysError(f"the Parquet file is damaged ({str(error).partition(chr(10))[0]}).") from None

    with source.seekable() as file:
        about = attempt(lambda: ParquetFile(file))
        header = attempt(lambda: list(about.schema_arrow.names))
        groups = attempt(lambda: [about.metadata.row_group(k) for k in range(about.metadata.num_row_groups)])
        source.limits.check("rows", about.metadata.num_rows)
        columns = attempt(lambda: [group.column(k) for group in groups for k in range(group.num_columns)])
        source.limits.check("bytes", sum(column.total_uncompressed_size for column in columns))

    def blocks(places: Sequence[int], bad: BadRows) -> Iterator[Block]:
        names, row = [header[place] for place in places], 0
        with source.seekable() as file:
            content = attempt(lambda: ParquetFile(file, read_dictionary=names))
            batches = content.iter_batches(ROWS_AT_ONCE, columns=names)
            while (batch := attempt(lambda: next(batches, None))) is not None:
                source.check_time()
                columns = attempt(partial(_columns, batch, names))
                yield Block(columns, partial(_row, row))
                row += batch.num_rows

    return Table(header, blocks)


def _columns(batch: Any, names: Sequence[str]) -> list[list[str]]:
    return [_cells(batch.column(name)) for name in names]


def _cells(column: Any) -> list[str]:
    """Return the cells of a column of Arrow's; a text that is there many times is made once."""
    if not hasattr(column, "dictionary"):
        return list(map(text, column.to_pylist()))
    values = list(map(text, column.dictionary.to_pylist()))
    return ["" if k is None else values[k] for k in column.indices.to_pylist()]


def frame(data: Any) -> Table:
    """Return a data frame of pandas or polars as a table."""

    def blocks(places: Sequence[int], bad: BadRows) -> Iterator[Block]:
        for low in range(0, len(data), ROWS_AT_ONCE):
            part = data[low : low + ROWS_AT_ONCE]
            if hasattr(part, "iloc"):  # pandas has several values for one that is missing
                part = part.astype(object).where(part.notna(), None)
            columns = [part.iloc[:, place] if hasattr(part, "iloc") else part.to_series(place) for place in places]
            yield Block([list(map(text, column.to_list())) for column in columns], partial(_row, low))

    return Table([str(name) for name in data.columns], blocks)


def _row(before: int, k: int) -> str:
    return f"row {before + k + 1}"
