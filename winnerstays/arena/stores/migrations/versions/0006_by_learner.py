"""Tables laid out by learner: every unique key holds it, and on PostgreSQL learners and log are hash partitions by it.

Names of users lead to learners in a table of their own; a row of the log without a learner has 0 instead of NULL. Rows,
their numbers and hashes stay as they are: they are copied, so that the disk needs room for both tables meanwhile. About
20 seconds for a million rows on PostgreSQL.
"""

import sqlalchemy as sa
from alembic import op

from winnerstays.arena.stores.schema import PARTITIONS

revision = "0006"
down_revision = "0005"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
GROUPED, SERVED, NAMED = (
    sa.text(condition) for condition in ("user_group IS NOT NULL", "kind = 'served'", "username IS NOT NULL")
)
LEARNERS = "id, arena_id, username, open_duel_id, state, head, user_group"
LOG = (
    "seq, arena_id, {learner_id}, at, kind, duel_id, phase, first, second, flipped, step, expires_at, outcome, winner,"
    " username, reason, data, salt, digest, hash, user_group"
)
FREE = "fillfactor = 80"
"""A learner that is saved is written beside its old row, which needs room on the page; else its indexes change, too."""


def upgrade() -> None:
    lite = op.get_bind().dialect.name == "sqlite"
    op.drop_index("learners_arena_group", "learners")
    for name in ("log_duel_phase", "log_served_to_learner", "log_arena_username"):
        op.drop_index(name, "log")
    for table in ("learners", "log"):
        op.rename_table(table, f"{table}_before")
        if not lite:
            op.execute(f"ALTER TABLE {table}_before RENAME CONSTRAINT {table}_pkey TO {table}_before_pkey")
    _create_usernames(lite)
    _create_learners(lite)
    _create_log(lite)
    op.execute(
        "INSERT INTO usernames (learner_id, arena_id, username) SELECT id, arena_id, username FROM learners_before"
    )
    op.execute(f"INSERT INTO learners ({LEARNERS}) SELECT {LEARNERS} FROM learners_before")
    columns, values = (LOG.format(learner_id=one) for one in ("learner_id", "COALESCE(learner_id, 0)"))
    op.execute(f"INSERT INTO log ({columns}) SELECT {values} FROM log_before ORDER BY seq")
    for old, new, column in (("learners", "usernames", "learner_id"), ("log", "log", "seq")):
        _go_on_numbering(lite, f"{old}_before", new, column)
    for table in ("learners", "log"):
        op.drop_table(f"{table}_before")
    _create_indexes()


def _create_usernames(lite: bool) -> None:
    op.create_table(
        "usernames",
        sa.Column("learner_id", Id, primary_key=lite, autoincrement=lite, nullable=False),
        sa.Column("arena_id", Id, nullable=False),
        sa.Column("username", sa.Text, nullable=False),
        sa.UniqueConstraint("arena_id", "username", name="usernames_arena_username"),
        sqlite_autoincrement=True,
    )


def _create_learners(lite: bool) -> None:
    op.create_table(
        "learners",
        sa.Column("id", Id, primary_key=True, autoincrement=False),
        sa.Column("arena_id", Id, nullable=False),
        sa.Column("username", sa.Text, nullable=False),
        sa.Column("open_duel_id", sa.Text),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("head", sa.LargeBinary),
        sa.Column("user_group", sa.Text),
        postgresql_partition_by="HASH (id)",
    )
    if not lite:
        _create_partitions("learners", f" WITH ({FREE})")


def _create_log(lite: bool) -> None:
    op.create_table(
        "log",
        sa.Column("seq", Id, primary_key=True, autoincrement=lite),
        sa.Column("arena_id", Id),
        sa.Column("learner_id", Id, primary_key=not lite, autoincrement=False, nullable=False, server_default="0"),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("duel_id", sa.Text),
        sa.Column("phase", sa.SmallInteger),
        sa.Column("first", sa.Integer),
        sa.Column("second", sa.Integer),
        sa.Column("flipped", sa.SmallInteger),
        sa.Column("step", Id),
        sa.Column("expires_at", sa.Double),
        sa.Column("outcome", sa.Text),
        sa.Column("winner", sa.Integer),
        sa.Column("username", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("data", sa.Text),
        sa.Column("salt", sa.LargeBinary),
        sa.Column("digest", sa.LargeBinary),
        sa.Column("hash", sa.LargeBinary),
        sa.Column("user_group", sa.Text),
        postgresql_partition_by="HASH (learner_id)",
        sqlite_autoincrement=True,
    )
    if not lite:
        _create_partitions("log")


def _create_partitions(table: str, options: str = "") -> None:
    for number in range(PARTITIONS):
        values = f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
        op.execute(f"CREATE TABLE {table}_{number} PARTITION OF {table} {values}{options}")


def _go_on_numbering(lite: bool, old: str, new: str, column: str) -> None:
    """Let a table number its rows from where the old one was: no number comes back, also not that of an erased row."""
    if lite:
        op.execute(f"DELETE FROM sqlite_sequence WHERE name = '{new}'")
        op.execute(
            f"INSERT INTO sqlite_sequence (name, seq) SELECT '{new}', seq FROM sqlite_sequence WHERE name = '{old}'"
        )
        return
    sequence, before = f"{new}_{column}_seq", f"{old.removesuffix('_before')}_{'seq' if column == 'seq' else 'id'}_seq"
    if sequence != before:
        op.execute(f"ALTER SEQUENCE {before} RENAME TO {sequence}")
    op.execute(f"ALTER SEQUENCE {sequence} OWNED BY {new}.{column}")
    op.execute(f"ALTER TABLE {new} ALTER COLUMN {column} SET DEFAULT nextval('{sequence}')")


def _create_indexes() -> None:
    op.create_index("usernames_arena_learner", "usernames", ["arena_id", "learner_id"])
    op.create_index(
        "learners_arena_group",
        "learners",
        ["arena_id", "user_group", "id"],
        sqlite_where=GROUPED,
        postgresql_where=GROUPED,
    )
    op.create_index("log_duel_phase", "log", ["duel_id", "learner_id", "phase"], unique=True)
    op.create_index("log_served_to_learner", "log", ["learner_id", "seq"], sqlite_where=SERVED, postgresql_where=SERVED)
    op.create_index("log_arena_username", "log", ["arena_id", "username"], sqlite_where=NAMED, postgresql_where=NAMED)
