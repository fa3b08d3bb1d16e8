"""Databases of every earlier version open, are brought up to date, replay and go on."""

import shutil
import sqlite3
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from winnerstays.arena import Arenas, StoreError
from winnerstays.arena.stores import migrations
from winnerstays.arena.stores.schema import metadata

STORED = sorted((Path(__file__).parent.parent / "data").glob("arena-*.sql"))


NUMBERED = (("arenas", "id"), ("usernames", "learner_id"), ("learners", "id"), ("log", "seq"))


def stored(path, text):
    with sqlite3.connect(path) as connection:
        connection.executescript(text)
    connection.close()
    return str(path)


def version(path):
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    connection.close()
    return found


@pytest.mark.parametrize("dump", STORED, ids=lambda dump: dump.stem)
def test_old_database_is_upgraded(dump, tmp_path):
    path = stored(tmp_path / "old.db", dump.read_text())
    assert version(path) == dump.stem.removeprefix("arena-")
    with Arenas.open(path, upgrade=True) as arenas:
        assert arenas.names() == ["everyone", "lunch"]
        replay = arenas.replay()
        assert replay.equal and (replay.learners, replay.served, replay.accepted) == (3, 61, 60)
        duel = arenas["lunch"].ask("ada")
        assert arenas["lunch"].tell(duel, winner=duel.left).status == "learned"
        assert arenas["everyone"].best() == "tacos"
        assert arenas.replay().equal
    assert version(path) == migrations.HEAD


@pytest.mark.parametrize("dump", STORED, ids=lambda dump: dump.stem)
def test_old_postgresql_is_upgraded(dump, tmp_path, postgres):
    """The stored databases hold the same on PostgreSQL."""
    address = postgres.database()
    migrations.upgrade(address.replace("postgresql://", "postgresql+psycopg://"))
    engines = [
        sa.create_engine(url, poolclass=sa.pool.NullPool)
        for url in (
            f"sqlite:///{stored(tmp_path / 'old.db', dump.read_text())}",
            address.replace("postgresql://", "postgresql+psycopg://"),
        )
    ]
    with engines[0].connect() as old, engines[1].begin() as new:
        there = [one for one in NUMBERED if sa.inspect(new).has_table(one[0])]
        for name, column in there:
            table = sa.Table(name, sa.MetaData(), autoload_with=new)
            rows = [dict(row) for row in old.execute(sa.text(f"SELECT * FROM {name}")).mappings()]
            new.execute(table.insert(), rows)
            number = f"SELECT setval(pg_get_serial_sequence('{name}', '{column}'), {len(rows)})"
            new.execute(sa.text(number))
    for engine in engines:
        engine.dispose()
    with Arenas.open(address, upgrade=True) as arenas:
        replay = arenas.replay()
        assert replay.equal and (replay.learners, replay.served, replay.accepted) == (3, 61, 60)
        duel = arenas["lunch"].ask("ada")
        assert arenas["lunch"].tell(duel, winner=duel.left).status == "learned"
        assert arenas["lunch"].erase("ada").learners == 1
        assert arenas["everyone"].standing().favourite == "tacos"
        assert arenas.replay().equal


def test_every_version_has_a_stored_database():
    versions = [script.revision for script in ScriptDirectory(str(Path(migrations.__file__).parent)).walk_revisions()]
    assert versions[0] == migrations.HEAD
    assert {f"arena-{one}" for one in versions} == {dump.stem for dump in STORED}


def url_of(address):
    return address.replace("postgresql://", "postgresql+psycopg://") if "://" in address else f"sqlite:///{address}"


def is_no_partition(name, kind, _):
    return kind != "table" or not name.rpartition("_")[2].isdecimal()


def test_new_tables_are_those_of_the_schema(durable):
    url = url_of(durable)
    migrations.upgrade(url)
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_no_partition})
        found = compare_metadata(context, metadata)
        columns = {
            table: [column["name"] for column in sa.inspect(connection).get_columns(table)] for table in metadata.tables
        }
    assert found == []
    assert columns == {name: [column.name for column in table.columns] for name, table in metadata.tables.items()}
    engine.dispose()


def test_newer_database_is_refused(tmp_path):
    path = stored(tmp_path / "new.db", STORED[-1].read_text())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9.0'")
    connection.close()
    with pytest.raises(StoreError, match="newer winnerstays"):
        Arenas.open(path)
    assert version(path) == "9.0"


def test_damaged_version_is_a_sentence(tmp_path):
    path = stored(tmp_path / "damaged.db", STORED[-1].read_text())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0  x'")
    connection.close()
    with pytest.raises(StoreError, match="no version that is known"):
        Arenas.open(path)


def test_newer_postgresql_is_refused(postgres):
    address = postgres.database()
    with Arenas.open(address) as arenas:
        arenas.database.store.run(
            lambda transaction: transaction.change("UPDATE alembic_version SET version_num = '9.0'")
        )
    with pytest.raises(StoreError, match="newer winnerstays"):
        Arenas.open(address)


NEXT_MINOR = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{next}", "{head}"


def upgrade():
    op.add_column("log", sa.Column("city", sa.Text))
    op.add_column("learners", sa.Column("seen", sa.Double, server_default="0"))
    op.create_table("notes", sa.Column("id", sa.Text, primary_key=True))
"""


@pytest.fixture
def next_release(tmp_path, monkeypatch):
    """Make this release the next one, whose tables have another minor version."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations.FOLDER, folder)
    head = migrations.HEAD
    next_ = f"{head.partition('.')[0]}.{int(head.partition('.')[2]) + 1}"
    (folder / "versions" / "next.py").write_text(NEXT_MINOR.format(next=next_, head=head))

    @contextmanager
    def become():
        with monkeypatch.context() as patch:
            patch.setattr(migrations, "HEAD", next_)
            patch.setattr(migrations, "FOLDER", folder)
            patch.setattr("winnerstays.arena.stores.sqlite.HEAD", next_)
            patch.setattr("winnerstays.arena.stores.postgresql.HEAD", next_)
            yield next_

    return become


def version_of(address):
    engine = sa.create_engine(url_of(address), poolclass=sa.pool.NullPool)
    with engine.connect() as connection:
        found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    engine.dispose()
    return found


def visit(arena, user):
    duel = arena.ask(user)
    assert arena.tell(duel, winner=duel.left).status == "learned"


def test_only_upgrade_upgrades(durable, next_release, run, tmp_path):
    """Whatever else a newer release is asked to do, it leaves the tables alone and says how to upgrade them."""
    with Arenas.open(durable) as arenas:
        visit(arenas.create("lunch", ["ramen", "tacos", "pho"]), "ada")
    before = version_of(durable)
    commands = (
        "list {}", "standing {}", "report {}", "export {}", "replay {}", "ask {} --user ada", "keys list {}",
        "change {} --close", "erase {} ada", "create {} --arena dinner a b", "prune {} --vacuum",
    )  # fmt: skip
    with next_release() as newer:
        for command in commands:
            code, _, said = run("arena", *command.format(durable).split())
            assert (code, version_of(durable)) == (2, before) and "--upgrade" in said, command
        with pytest.raises(StoreError, match=f"version {before} of the tables, this one needs {newer}"):
            Arenas.open(durable)
        code, said, _ = run("arena", "replay", durable, "--upgrade")
        assert code == 0 and "byte for byte" in said and version_of(durable) == newer
        with Arenas.open(durable) as arenas:
            visit(arenas["lunch"], "ada")
            assert arenas.replay().equal


def test_the_last_release_reads_and_writes_a_newer_minor_version(durable, next_release):
    with Arenas.open(durable) as arenas:
        visit(arenas.create("lunch", ["ramen", "tacos", "pho"]), "ada")
        with next_release():
            Arenas.open(durable, upgrade=True).close()
        visit(arenas["lunch"], "ada")  # a process that ran meanwhile
    with Arenas.open(durable) as arenas:
        visit(arenas["lunch"], "bob")
        assert arenas["lunch"].standing("bob").learned == 1 and len(arenas["lunch"].popular()) == 3
        assert [event.kind for event in arenas.events()].count("learned") == 3
        arenas["lunch"].add(["sushi"])
        arenas.create("dinner", ["a", "b"])
        for refused in (arenas.replay, lambda: arenas.prune(0.0), lambda: arenas["lunch"].erase("ada")):
            with pytest.raises(StoreError, match="install a newer winnerstays"):
                refused()
    with next_release(), Arenas.open(durable) as arenas:
        assert arenas.replay().equal


@pytest.mark.parametrize("content", [b"", b"not a database, but a text that is long enough" * 9])
def test_other_files_are_refused_or_filled(content, tmp_path):
    path = tmp_path / "some.db"
    path.write_bytes(content)
    if content:
        with pytest.raises(StoreError, match="not a database"):
            Arenas.open(str(path))
        assert path.read_bytes() == content
    else:
        Arenas.open(str(path)).close()
        assert version(path) == migrations.HEAD


def test_foreign_database_is_left_alone(tmp_path):
    path = stored(tmp_path / "music.db", "CREATE TABLE songs (title TEXT);")
    before = Path(path).read_bytes()
    with pytest.raises(StoreError, match="something else"):
        Arenas.open(path)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("{tmp}", "folder"),
        ("{tmp}/no/such.db", "no folder"),
        ("postgresql://nobody@127.0.0.1:1/nothing", "PostgreSQL"),
        ("", "path of a file"),
    ],
)
def test_unusable_address_is_a_sentence(address, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        Arenas.open(address.format(tmp=tmp_path))
