"""The tables, the same on SQLite and PostgreSQL. The migrations must lead to exactly these; a test compares them."""

import sqlalchemy as sa

metadata = sa.MetaData()
Number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""On SQLite only a column of type INTEGER counts by itself."""

arenas = sa.Table(
    "arenas",
    metadata,
    sa.Column("id", Number, primary_key=True, autoincrement=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sqlite_autoincrement=True,
)

learners = sa.Table(
    "learners",
    metadata,
    sa.Column("id", Number, primary_key=True, autoincrement=True),
    sa.Column("arena", Number, nullable=False),
    sa.Column("username", sa.Text, nullable=False),
    sa.Column("open", sa.Text),
    sa.Column("state", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("arena", "username", name="one_learner_each"),
    sqlite_autoincrement=True,
)

_SERVED, _NAMED = sa.text("kind = 'served'"), sa.text("username IS NOT NULL")
log = sa.Table(
    "log",
    metadata,
    sa.Column("seq", Number, primary_key=True, autoincrement=True),
    sa.Column("arena", Number),
    sa.Column("learner", Number),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("duel", sa.Text),
    sa.Column("once", sa.SmallInteger, doc="0 served, 1 accepted: each once for a duel; empty for what was refused"),
    sa.Column("first", sa.Integer),
    sa.Column("second", sa.Integer),
    sa.Column("flipped", sa.SmallInteger, doc="1 if first was shown on the right"),
    sa.Column("step", Number, doc="outcomes the learner had learned when the duel was served"),
    sa.Column("expires_at", sa.Double),
    sa.Column("outcome", sa.Text),
    sa.Column("winner", sa.Integer),
    sa.Column("username", sa.Text, doc="who did it, unless the learner's row says so"),
    sa.Column("reason", sa.Text),
    sa.Index("once_for_a_duel", "duel", "once", unique=True),
    sa.Index("of_a_learner", "learner", "seq", sqlite_where=_SERVED, postgresql_where=_SERVED),
    sa.Index("of_a_name", "arena", "username", sqlite_where=_NAMED, postgresql_where=_NAMED),
    sqlite_autoincrement=True,
)

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("rate", sa.Double),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("revoked_at", sa.Double),
)
