"""Hashes of the rows of the log, and running totals.

The rows that are there get their hashes now: from here on they are proved like any later row. (A chain that began here
would leave everything learned before without proof.) About 20 seconds for a million rows.
"""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from winnerstays.arena.history import chain
from winnerstays.arena.history.chain import LogEntry

revision = "0003"
down_revision = "0002"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ROWS_AT_ONCE = 5000
COLUMNS = LogEntry._fields[: LogEntry._fields.index("reason") + 1]


def upgrade() -> None:
    op.add_column("arenas", sa.Column("head", sa.LargeBinary))
    op.add_column("learners", sa.Column("head", sa.LargeBinary))
    op.add_column("log", sa.Column("data", sa.Text))
    for name in ("salt", "digest", "hash"):
        op.add_column("log", sa.Column(name, sa.LargeBinary))
    op.create_table(
        "totals",
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("measure", sa.Text, primary_key=True),
        sa.Column("label", sa.Text, primary_key=True),
        sa.Column("first", Id, primary_key=True, autoincrement=False),
        sa.Column("second", Id, primary_key=True, autoincrement=False),
        sa.Column("count", Id, nullable=False),
    )
    op.create_index("totals_second", "totals", ["arena_id", "measure", "second"])
    op.create_table("marks", sa.Column("name", sa.Text, primary_key=True), sa.Column("seq", Id, nullable=False))
    op.execute("INSERT INTO marks (name, seq) VALUES ('totals', 0)")
    _hash_all_rows(op.get_bind())


def _hash_all_rows(connection: sa.Connection) -> None:
    settings = {}
    heads = {}
    for id_, name, created_at, text in connection.execute(sa.text("SELECT id, name, created_at, settings FROM arenas")):
        settings[id_] = json.dumps({"settings": chain.settings_hash(name, text)})
        heads["arena", id_] = chain.first_of_arena(id_, created_at)
    for id_, arena_id, username in connection.execute(sa.text("SELECT id, arena_id, username FROM learners")):
        heads["learner", id_] = chain.first_of_learner(id_, arena_id, username)
    changed = set()
    for rows in _rows(connection):
        updates = []
        for seq, *values in rows:
            entry = LogEntry(*values)
            if entry.kind == "created":
                entry = entry._replace(data=settings[entry.arena_id])
            elif entry.kind == "erased":
                entry = entry._replace(learner_id=None)  # the learner is gone: the row is one of the arena
            owner: Any = ("learner", entry.learner_id)
            if entry.learner_id is None:
                owner = None if entry.arena_id is None or entry.kind == chain.UNKNOWN else ("arena", entry.arena_id)
            sealed = chain.seal(entry, heads[owner] if owner else chain.NO_ROW)
            if owner:
                heads[owner] = sealed[-1]
                changed.add(owner)
            updates.append(
                {"seq": seq, "learner": entry.learner_id, "data": entry.data, "salt": sealed[-3], "hash": sealed[-1]}
            )
        connection.execute(_UPDATE, updates)
    for table, kind in (("arenas", "arena"), ("learners", "learner")):
        new = [{"id": id_, "head": heads[kind, id_]} for one, id_ in changed if one == kind]
        if new:
            connection.execute(sa.text(f"UPDATE {table} SET head = :head WHERE id = :id"), new)


_UPDATE = sa.text("UPDATE log SET learner_id = :learner, data = :data, salt = :salt, hash = :hash WHERE seq = :seq")


def _rows(connection: sa.Connection) -> Iterator[list[Any]]:
    """Yield the rows of the log in their order, some at a time."""
    statement = sa.text(
        f"SELECT seq, {', '.join(COLUMNS)} FROM log WHERE seq > :after ORDER BY seq LIMIT {ROWS_AT_ONCE}"
    )
    after = 0
    while rows := connection.execute(statement, {"after": after}).fetchall():
        yield list(rows)
        after = rows[-1][0]
