"""The tables of release 0.1.0. A new database gets them from schema.py and is marked as being of the newest version."""

revision = "1.0"
down_revision = None


def upgrade() -> None:
    """Nothing: no release had other tables."""
