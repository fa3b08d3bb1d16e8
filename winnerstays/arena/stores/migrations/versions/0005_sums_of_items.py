"""Running totals of each item: the sums of those of its pairs."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    for measure, item in (("won", "first"), ("lost", "second")):
        op.execute(
            "INSERT INTO totals (arena_id, measure, label, first, second, count)"
            f" SELECT arena_id, '{measure}', label, {item}, 0, SUM(count) FROM totals WHERE measure = 'win'"
            f" GROUP BY arena_id, label, {item}"
        )
