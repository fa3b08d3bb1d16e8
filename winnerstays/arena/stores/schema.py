"""The tables, the same on SQLite and PostgreSQL. A new database gets them as they stand here; older ones are migrated.

`learners` and `log` are laid out by learner: every unique key of theirs holds the learner's id, and on PostgreSQL they
are hash partitions by it. Only SQLite's key of the log is `seq` alone, because it numbers rows in no other column.
"""

import sqlalchemy as sa

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""SQLite numbers rows by itself only in a column of type INTEGER."""
PARTITIONS = 4
"""Of `learners` and of `log` on PostgreSQL, in a database that is made or upgraded now."""

_LEARNERS_OPTIONS = " WITH (fillfactor = 80)"
"""A learner that is saved is written beside its old row, which needs room on the page; else its indexes change, too."""


def make_metadata(*, lite: bool = False) -> sa.MetaData:
    """Return the tables, as PostgreSQL has them or as SQLite does (`lite`)."""
    metadata = sa.MetaData()
    sa.Table(
        "arenas",
        metadata,
        sa.Column("id", Id, primary_key=True, autoincrement=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("head", sa.LargeBinary, doc="the hash of the latest row in the arena's own chain (chain.py)"),
        sqlite_autoincrement=True,
    )

    sa.Table(
        "usernames",
        metadata,
        sa.Column("learner_id", Id, primary_key=True, autoincrement=True, doc="here a learner gets its id"),
        sa.Column("arena_id", Id, nullable=False),
        sa.Column("username", sa.Text, nullable=False, doc="empty for the learner of everyone"),
        sa.UniqueConstraint("arena_id", "username", name="usernames_arena_username"),
        sa.Index("usernames_arena_learner", "arena_id", "learner_id"),
        sqlite_autoincrement=True,
    )

    grouped = sa.text("user_group IS NOT NULL")
    sa.Table(
        "learners",
        metadata,
        sa.Column("id", Id, primary_key=True, autoincrement=False),
        sa.Column("arena_id", Id, nullable=False),
        sa.Column("username", sa.Text, nullable=False, doc="as in usernames"),
        sa.Column("open_duel_id", sa.Text),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("head", sa.LargeBinary, doc="the hash of the learner's latest row; NULL if it has none"),
        sa.Column("user_group", sa.Text, doc="the group in which the user last asked, if one was ever said"),
        sa.Index(
            "learners_arena_group", "arena_id", "user_group", "id", sqlite_where=grouped, postgresql_where=grouped
        ),
        postgresql_partition_by="HASH (id)",
    )

    served, named = sa.text("kind = 'served'"), sa.text("username IS NOT NULL")
    sa.Table(
        "log",
        metadata,
        sa.Column("seq", Id, primary_key=True, autoincrement=True),
        sa.Column("arena_id", Id),
        sa.Column("learner_id", Id, primary_key=not lite, nullable=False, server_default="0", doc="0: no learner"),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("duel_id", sa.Text),
        sa.Column(
            "phase",
            sa.SmallInteger,
            doc="each logged once for a duel: 0 served, 1 answered, 2 refused as late, 3 taken back; else NULL",
        ),
        sa.Column("first", sa.Integer),
        sa.Column("second", sa.Integer),
        sa.Column("flipped", sa.SmallInteger, doc="1 if first was shown on the right"),
        sa.Column(
            "step", Id, doc="outcomes that the learner had learned when the duel was served; -1: not its own pair"
        ),
        sa.Column("expires_at", sa.Double),
        sa.Column("outcome", sa.Text),
        sa.Column("winner", sa.Integer),
        sa.Column("username", sa.Text, doc="whoever asked or answered, unless the learner's row says so"),
        sa.Column("reason", sa.Text),
        sa.Column("data", sa.Text, doc="whatever else a row of this kind says, as JSON"),
        sa.Column(
            "salt", sa.LargeBinary, doc="of the digest of username and reason, if there is a username (chain.py)"
        ),
        sa.Column("digest", sa.LargeBinary, doc="of a username and a reason that were erased, or of a snapshot"),
        sa.Column("hash", sa.LargeBinary, doc="of this row and the one before it in its chain"),
        sa.Column("user_group", sa.Text, doc="the group of the user to whom the duel was served"),
        sa.Column(
            "arm",
            sa.SmallInteger,
            doc="who chose the pair, and if it is a probe, where there is a control group (holdout.py)",
        ),
        sa.Index("log_arena_seq", "arena_id", "seq"),
        sa.Index("log_duel_phase", "duel_id", "learner_id", "phase", unique=True),
        sa.Index("log_served_to_learner", "learner_id", "seq", sqlite_where=served, postgresql_where=served),
        sa.Index("log_arena_username", "arena_id", "username", sqlite_where=named, postgresql_where=named),
        postgresql_partition_by="HASH (learner_id)",
        sqlite_autoincrement=True,
    )

    sa.Table(
        "totals",
        metadata,
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("measure", sa.Text, primary_key=True, doc="what is counted (totals.py)"),
        sa.Column("label", sa.Text, primary_key=True),
        sa.Column("first", Id, primary_key=True, autoincrement=False),
        sa.Column("second", Id, primary_key=True, autoincrement=False),
        sa.Column("count", Id, nullable=False),
        sa.Index("totals_second", "arena_id", "measure", "second"),
    )

    sa.Table(
        "marks",
        metadata,
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("seq", Id, nullable=False, doc="the rows of the log up to this one are in what has this name"),
    )

    sa.Table(
        "models",
        metadata,
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("version", Id, primary_key=True, autoincrement=False),
        sa.Column("seq", Id, nullable=False, doc="the answers in the log up to this row were used"),
        sa.Column("answers", Id, nullable=False, doc="how many those were"),
        sa.Column("items", sa.Integer, nullable=False, doc="how many items the arena had"),
        sa.Column("at", sa.Double, nullable=False, doc="when a process began to make it"),
        sa.Column("stale", sa.SmallInteger, nullable=False, doc="1 if a user was erased since"),
        sa.Column("digest", sa.LargeBinary, doc="of the bytes; NULL until they are made"),
        sa.Column("data", sa.LargeBinary, doc="its bytes; NULL until they are made, or if they were deleted"),
    )

    sa.Table(
        "api_keys",
        metadata,
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("rate", sa.Double),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("revoked_at", sa.Double),
        sa.Column("arenas", sa.Text, doc="names of the only arenas it is for, as JSON; NULL for all"),
    )

    sa.Table(
        "secrets",
        metadata,
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
    )

    sa.Table(
        "refusals",
        metadata,
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False, doc="0 for answers of no arena"),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("count", Id, nullable=False, doc="of all refused answers"),
        sa.Column("logged", Id, nullable=False, doc="of those that are, or were, in the log"),
    )

    sa.Table(
        "answer_rates",
        metadata,
        sa.Column("arena_id", Id, primary_key=True, autoincrement=False),
        sa.Column("username", sa.Text, primary_key=True),
        sa.Column("minute", Id, nullable=False, doc="the minute since 1970 in which the user last answered"),
        sa.Column("count", Id, nullable=False, doc="answers accepted in it"),
    )
    partitions = {"learners": _LEARNERS_OPTIONS, "log": ""}
    for table, options in partitions.items():
        for number in range(PARTITIONS):
            values = f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
            create = f"CREATE TABLE {table}_{number} PARTITION OF {table} {values}{options}"
            _execute_after(metadata.tables[table], create, "postgresql")
    _execute_after(
        metadata.tables["marks"], "INSERT INTO marks (name, seq) VALUES ('totals', 0)", "sqlite", "postgresql"
    )
    return metadata


def _execute_after(table: sa.Table, statement: str, *dialects: str) -> None:
    """Executes a statement after the table is created, in databases of the dialects."""

    def execute(_: sa.Table, connection: sa.Connection, **__: object) -> None:
        if connection.dialect.name in dialects:
            connection.exec_driver_sql(statement)

    sa.event.listen(table, "after_create", execute)


metadata = make_metadata()
