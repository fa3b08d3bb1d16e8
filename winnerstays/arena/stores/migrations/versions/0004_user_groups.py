"""Groups of users, and how many answers of a user were accepted in the current minute."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
GROUPED = sa.text("user_group IS NOT NULL")


def upgrade() -> None:
    op.add_column("learners", sa.Column("user_group", sa.Text))
    op.add_column("log", sa.Column("user_group", sa.Text))
    op.create_index(
        "learners_arena_group",
        "learners",
        ["arena_id", "user_group", "id"],
        sqlite_where=GROUPED,
        postgresql_where=GROUPED,
    )
    op.create_table(
        "answer_rates",
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("username", sa.Text, primary_key=True),
        sa.Column("minute", Id, nullable=False),
        sa.Column("count", Id, nullable=False),
    )
