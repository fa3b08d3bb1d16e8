"""Keys for some arenas only, the secret that signs visitor tokens, a count of refused answers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("arenas", sa.Text))
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
    )
    op.create_table(
        "refusals",
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("count", Id, nullable=False),
        sa.Column("logged", Id, nullable=False),
    )
    op.execute(
        "INSERT INTO refusals (arena_id, kind, count, logged)"
        " SELECT COALESCE(arena_id, 0), kind, COUNT(*), COUNT(*) FROM log"
        " WHERE phase IS NULL AND duel_id IS NOT NULL GROUP BY COALESCE(arena_id, 0), kind"
    )
