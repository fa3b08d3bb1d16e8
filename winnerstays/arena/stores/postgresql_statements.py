"""Statements in PostgreSQL: how they are written, and how few messages a transaction of them takes."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from winnerstays.arena.stores.base import POSTGRESQL, Row, Statement, count_parameters, write


def _unnest(types: str) -> str:
    """Return rows to be read from, given as an array for each column: sent one by one they cost twice the time."""
    return f"unnest({', '.join(f'?::{each}[]' for each in types.split(', '))})"


@cache
def insert_all(table: str, columns: str, unless_there: bool) -> str:
    """Return the statement that adds many rows."""
    rest = " ON CONFLICT DO NOTHING" if unless_there else ""
    return f"INSERT INTO {table} ({columns}) SELECT * FROM {_rows(table, columns)}{rest}"


@cache
def update_all(table: str, columns: str) -> str:
    """Return the statement that updates many rows.

    >>> update_all("arenas", "name, id")
    'UPDATE arenas SET name = n.name FROM unnest(?::TEXT[], ?::BIGINT[]) AS n(name, id) WHERE arenas.id = n.id'
    """
    *changed, key = columns.split(", ")
    values = ", ".join(f"{column} = n.{column}" for column in changed)
    return f"UPDATE {table} SET {values} FROM {_rows(table, columns)} WHERE {table}.{key} = n.{key}"


@cache
def update_one(table: str, columns: str) -> str:
    """Return the statement that updates one row.

    >>> update_one("arenas", "name, id")
    'UPDATE arenas SET name = ?::TEXT WHERE id = ?::BIGINT'
    """
    values = [f"{column} = ?::{each}" for column, each in zip(columns.split(", "), _types(table, columns), strict=True)]
    return f"UPDATE {table} SET {', '.join(values[:-1])} WHERE {values[-1]}"


def _rows(table: str, columns: str) -> str:
    """Return rows with these columns of a table, to be read from."""
    return f"{_unnest(', '.join(_types(table, columns)))} AS n({columns})"


def _types(table: str, columns: str) -> list[str]:
    from sqlalchemy.dialects.postgresql import dialect

    from winnerstays.arena.stores.schema import metadata

    own = dialect()  # type: ignore[no-untyped-call]
    return [metadata.tables[table].c[column].type.compile(own) for column in columns.split(", ")]


def _arrays(rows: Sequence[Row]) -> list[str]:
    """Return each column's values as PostgreSQL writes an array; Psycopg's own way almost doubles a transaction's time.

    >>> _arrays([(1, "x", None), (2, 'a "b"', b"c")])
    ['{1,2}', '{"x","a \\\\"b\\\\""}', '{NULL,"\\\\\\\\x63"}']
    """
    return [f"{{{','.join(map(_literal, column))}}}" for column in zip(*rows, strict=True)]


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], tuple)


def _plain(value: Any) -> Any:
    """Return a value as it is sent alone; bytes as the text that PostgreSQL reads them from."""
    return f"\\x{value.hex()}" if isinstance(value, bytes) else value


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f'"\\\\x{value.hex()}"' if isinstance(value, bytes) else str(value)


class Statements:
    """A transaction on a connection. Statements without a result are sent with the next one that has one: an ask or an
    answer takes two round trips.

    Statements are prepared under a name: the server plans them once for a connection.
    """

    def __init__(self, connection: Any, lock_timeout: int) -> None:
        self._connection = connection
        self._pending = ["BEGIN"]
        if lock_timeout != connection.lock_timeout:
            self._pending.append(f"SET lock_timeout = {lock_timeout}")
        self._values: list[Any] = []

    def commit(self) -> None:
        """Send everything that is pending, and commit."""
        self._pending.append("COMMIT")
        self._send()

    def rows(self, statement: str | Statement, *values: Any) -> list[Row]:
        return self.together((statement, *values))[0]

    def stream(self, statement: str | Statement, *values: Any) -> Iterator[Row]:
        yield from self.rows(statement, *values)

    def together(self, *questions: tuple[Any, ...]) -> list[list[Row]]:
        asked = [question for question in questions if question[-1] != []]
        before = len(self._pending)
        for question in asked:
            self._later(*question)
        answers = self._results(before) if asked else iter(())
        return [next(answers) if question[-1] != [] else [] for question in questions]

    def _results(self, skipped: int) -> Iterator[list[Row]]:
        cursor = self._send()
        for number in itertools.count():
            if number >= skipped:
                yield cursor.fetchall()
            if not cursor.nextset():
                break

    def change(self, statement: str | Statement, *values: Any) -> int:
        self._later(statement, *values)
        cursor = self._send()
        while cursor.nextset():
            pass
        return cursor.rowcount  # type: ignore[no-any-return]

    def lock_tables(self, *tables: str) -> None:
        self._pending.append(f"LOCK TABLE {', '.join(tables)} IN SHARE ROW EXCLUSIVE MODE")

    def insert(self, table: str, columns: str, rows: Sequence[Row], *, unless_there: bool = False) -> None:
        self._later(insert_all(table, columns, unless_there), *_arrays(rows))

    def update(self, table: str, columns: str, rows: Sequence[Row]) -> None:
        if len(rows) == 1:
            self._later(update_one(table, columns), *map(_plain, rows[0]))
        else:
            self._later(update_all(table, columns), *_arrays(rows))

    def _later(self, statement: str | Statement, *given: Any) -> None:
        """Prepare a statement and leave it pending."""
        text, given = write(statement, given, POSTGRESQL)
        values = [value for each in given for value in (_arrays(each) if _is_rows(each) else (each,))]
        names = self._connection.prepared
        name = names.get(text)
        if name is None:
            name = f"statement{len(names)}"
            self._connection.execute(f"PREPARE {name} AS {count_parameters(text)}")
            names[text] = name
        self._pending.append(f"EXECUTE {name}({', '.join(['%s'] * len(values))})" if values else f"EXECUTE {name}")
        self._values += values

    def _send(self) -> Any:
        pending, values = self._pending, self._values
        self._pending, self._values = [], []
        return self._connection.execute("; ".join(pending), values or None)


class SnapshotReader:
    """Reads on a connection, in a transaction that only reads."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._cursors: list[Any] = []

    def rows(self, statement: str | Statement, *values: Any) -> list[Row]:
        import psycopg

        text, values = write(statement, values, POSTGRESQL)
        given = [value for each in values for value in (_arrays(each) if _is_rows(each) else (each,))]
        return psycopg.RawCursor(self._connection).execute(count_parameters(text), given, prepare=False).fetchall()

    def stream(self, statement: str | Statement, *values: Any) -> Iterator[Row]:
        cursor = self._connection.cursor(name=f"stream{len(self._cursors)}")
        self._cursors.append(cursor)
        text, values = write(statement, values, POSTGRESQL)
        cursor.execute(count_parameters(text), values)
        yield from cursor

    def close(self) -> None:
        """Close all cursors: the connection will be used for something else, and none may close itself on it later."""
        import psycopg

        for cursor in self._cursors:
            with suppress(psycopg.Error):
                cursor.close()
