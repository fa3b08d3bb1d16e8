"""All tables of release 0.1.0."""

import sqlalchemy as sa
from alembic import op

from winnerstays.arena.stores.schema import PARTITIONS

revision = "1.0"
down_revision = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FREE = "fillfactor = 80"
"""A learner that is saved is written beside its old row, which needs room on the page; else its indexes change, too."""


def upgrade() -> None:
    op.create_table(
        "arenas",
        sa.Column("id", Id, primary_key=True, autoincrement=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("head", sa.LargeBinary),
        sqlite_autoincrement=True,
    )
    _create_learners()
    _create_log()
    _create_totals()
    _create_refusals()
    op.create_table(
        "models",
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("version", Id, primary_key=True, autoincrement=False),
        sa.Column("seq", Id, nullable=False),
        sa.Column("answers", Id, nullable=False),
        sa.Column("items", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("stale", sa.SmallInteger, nullable=False),
        sa.Column("digest", sa.LargeBinary),
        sa.Column("data", sa.LargeBinary),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("rate", sa.Double),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("revoked_at", sa.Double),
        sa.Column("arenas", sa.Text),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
    )


def _create_learners() -> None:
    op.create_table(
        "usernames",
        sa.Column("learner_id", Id, primary_key=True, autoincrement=True),
        sa.Column("arena_id", Id, nullable=False),
        sa.Column("username", sa.Text, nullable=False),
        sa.UniqueConstraint("arena_id", "username", name="usernames_arena_username"),
        sqlite_autoincrement=True,
    )
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
    _create_partitions("learners", f" WITH ({FREE})")
    op.create_index("usernames_arena_learner", "usernames", ["arena_id", "learner_id"])
    _create_index_where("learners_arena_group", "learners", ["arena_id", "user_group", "id"], "user_group IS NOT NULL")


def _create_log() -> None:
    lite = op.get_bind().dialect.name == "sqlite"
    op.create_table(
        "log",
        sa.Column("seq", Id, primary_key=True, autoincrement=True),
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
        sa.Column("arm", sa.SmallInteger),
        postgresql_partition_by="HASH (learner_id)",
        sqlite_autoincrement=True,
    )
    _create_partitions("log")
    op.create_index("log_arena_seq", "log", ["arena_id", "seq"])
    op.create_index("log_duel_phase", "log", ["duel_id", "learner_id", "phase"], unique=True)
    _create_index_where("log_served_to_learner", "log", ["learner_id", "seq"], "kind = 'served'")
    _create_index_where("log_arena_username", "log", ["arena_id", "username"], "username IS NOT NULL")


def _create_totals() -> None:
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


def _create_refusals() -> None:
    op.create_table(
        "refusals",
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("count", Id, nullable=False),
        sa.Column("logged", Id, nullable=False),
    )
    op.create_table(
        "answer_rates",
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("username", sa.Text, primary_key=True),
        sa.Column("minute", Id, nullable=False),
        sa.Column("count", Id, nullable=False),
    )


def _create_partitions(table: str, options: str = "") -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    for number in range(PARTITIONS):
        values = f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
        op.execute(f"CREATE TABLE {table}_{number} PARTITION OF {table} {values}{options}")


def _create_index_where(name: str, table: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
