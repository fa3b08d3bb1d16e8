"""The index of a learner's rows holds the served duels only; the answers are found through their duels."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.drop_index("of_a_learner", "log")
    served = sa.text("kind = 'served'")
    op.create_index("of_a_learner", "log", ["learner", "seq"], sqlite_where=served, postgresql_where=served)
