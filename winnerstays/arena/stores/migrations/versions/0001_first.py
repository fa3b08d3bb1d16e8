"""The first version: arenas, learners, log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "arenas",
        sa.Column("id", Number, primary_key=True, autoincrement=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "learners",
        sa.Column("id", Number, primary_key=True, autoincrement=True),
        sa.Column("arena", Number, nullable=False),
        sa.Column("username", sa.Text, nullable=False),
        sa.Column("open", sa.Text),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("arena", "username", name="one_learner_each"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "log",
        sa.Column("seq", Number, primary_key=True, autoincrement=True),
        sa.Column("arena", Number),
        sa.Column("learner", Number),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("duel", sa.Text),
        sa.Column("once", sa.SmallInteger),
        sa.Column("first", sa.Integer),
        sa.Column("second", sa.Integer),
        sa.Column("flipped", sa.SmallInteger),
        sa.Column("step", Number),
        sa.Column("expires_at", sa.Double),
        sa.Column("outcome", sa.Text),
        sa.Column("winner", sa.Integer),
        sa.Column("username", sa.Text),
        sa.Column("reason", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("once_for_a_duel", "log", ["duel", "once"], unique=True)
    op.create_index("of_a_learner", "log", ["learner", "seq"])
    named = sa.text("username IS NOT NULL")
    op.create_index("of_a_name", "log", ["arena", "username"], sqlite_where=named, postgresql_where=named)
