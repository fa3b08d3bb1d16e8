"""The tables of release 0.1.0."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "arenas",
        sa.Column("id", Id, primary_key=True, autoincrement=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "learners",
        sa.Column("id", Id, primary_key=True, autoincrement=True),
        sa.Column("arena_id", Id, nullable=False),
        sa.Column("username", sa.Text, nullable=False),
        sa.Column("open_duel_id", sa.Text),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("arena_id", "username", name="learners_arena_username"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "log",
        sa.Column("seq", Id, primary_key=True, autoincrement=True),
        sa.Column("arena_id", Id),
        sa.Column("learner_id", Id),
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
        sqlite_autoincrement=True,
    )
    served, named = sa.text("kind = 'served'"), sa.text("username IS NOT NULL")
    op.create_index("log_duel_phase", "log", ["duel_id", "phase"], unique=True)
    op.create_index("log_served_to_learner", "log", ["learner_id", "seq"], sqlite_where=served, postgresql_where=served)
    op.create_index("log_arena_username", "log", ["arena_id", "username"], sqlite_where=named, postgresql_where=named)
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("rate", sa.Double),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("revoked_at", sa.Double),
    )
