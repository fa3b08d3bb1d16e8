"""`winnerstays arena` on the command line, and the exports."""

import csv
import io
import json
import random
import sys
from inspect import signature

import polars
import pytest

from tests.arena.contract import Clock
from winnerstays.arena import Arenas, Settings
from winnerstays.arena.history.events import COLUMNS
from winnerstays.arena.settings import algorithm_for
from winnerstays.cli import main
from winnerstays.cli.arena.settings import create

ITEMS = ["ramen", "tacos", "pho"]


@pytest.fixture
def played(tmp_path):
    """A small database with every kind of row."""
    path = str(tmp_path / "played.db")
    clock = Clock()
    rng = random.Random(1)
    with Arenas.open(path, clock=clock) as arenas:
        arena = arenas.create("lunch", ITEMS, seed=1, expires_after=50)
        arenas.create("all", ITEMS, audience="everyone", seed=2)
        for user in ("ada", "bob"):
            for _ in range(8):
                duel = arena.ask(user)
                arena.tell(duel, winner=rng.choice((duel.left, duel.right)))
        late = arena.ask("ada")
        clock.now += 60
        arena.tell(late, winner=late.left)
        arenas["all"].tell(arenas["all"].ask(), outcome="tie")
    return path


@pytest.fixture
def command(capsys, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["winnerstays", "arena", *words])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_command_from_create_to_erase(command, tmp_path):
    path = str(tmp_path / "lunch.db")
    assert command("create", path, *ITEMS)[0] == 0
    duel, left = command("ask", path, "--user", "ada")[1].split()[:2]
    assert command("tell", path, duel, left)[1] == "learned\n"
    assert command("tell", path, duel, left)[1] == "duplicate\n"
    code, out, _ = command("tell", path, duel, "--outcome", "skip")
    assert code == 1 and out.startswith("conflict")
    assert f"{left} is the favourite" in command("standing", path, "--user", "ada", "--p", "0.8")[1]
    assert "share of left 1.000" in command("report", path)[1]
    assert "tastes" in command("list", path)[1]
    code, out, _ = command("replay", path)
    assert code == 0 and "1 learner, 1 served duel, 1 accepted outcome" in out and "byte for byte" in out
    assert "3 rows, 1 learner, in 1 arena" in command("erase", path, "ada")[1]
    assert command("erase", path, "ada")[0] == 2
    assert "0 learners" in command("replay", path)[1]
    command("create", path, *ITEMS, "--arena", "other")
    code, _, sentence = command("delete", path, "default")
    assert code == 2 and "--force" in sentence
    assert "deleted default: " in command("delete", path, "default", "--force")[1]
    assert command("delete", path, "default", "--force")[0] == 2 and "default" not in command("list", path)[1]


def test_which_items_are_asked_for_what_is_popular_and_answers_taken_back(command, tmp_path):
    path = str(tmp_path / "lunch.db")
    command("create", path, *ITEMS)
    first, second, third = ITEMS[:3]
    words = command("ask", path, "--user", "ada", "--among", first, "--among", second)[1].split()
    assert {words[1], words[3]} == {first, second}
    other = command("ask", path, "--user", "ada", "--fresh", "--without", first)[1].split()
    assert first not in other and other[0] != words[0]
    assert "no set 'soups'" in command("ask", path, "--user", "ada", "--set", "soups")[2]
    assert command("ask", path, "--among", first, "--set", "soups")[0] == 2
    assert "'caviar'" in command("ask", path, "--user", "ada", "--among", "caviar")[2]
    command("tell", path, words[0], first)
    shown = command("standing", path)[1]
    assert shown.index(first) < shown.index(second) and "1.000" in shown and third in shown
    assert f"and {len(ITEMS) - 1} more" in command("standing", path, "--count", "1")[1]
    unshown = next(line for line in shown.split("\n") if third in line)
    assert unshown.split()[-2:] == ["-", "-"]
    assert command("tell", path, "--undo", "--user", "ada")[1] == "undone\n"
    code, _, sentence = command("tell", path, "--undo", "--user", "ada")
    assert code == 2 and "no answer of 'ada' to take back" in sentence
    assert "Whose answer?" in command("tell", path, "--undo")[2] and "no answers yet" in command("report", path)[1]
    assert "1.000" not in command("standing", path)[1].replace("to 1.000", "")


def test_standing_without_a_user(command, tmp_path):
    """Where everyone has one learner, its favourite is shown above what people choose."""
    path = str(tmp_path / "lunch.db")
    command("create", path, *ITEMS, "--audience", "everyone")
    duel, left = command("ask", path)[1].split()[:2]
    command("tell", path, duel, left)
    shown = command("standing", path)[1]
    assert f"{left} is the favourite" in shown and shown.index("evidence") < shown.index("rank")
    other = str(tmp_path / "other.db")
    command("create", other, *ITEMS)
    assert "favourite" not in command("standing", other)[1]
    assert "which user" in command("standing", other, "--p", "0.8")[2]


def test_a_told_answer_is_taken_back_by_its_duel(command, tmp_path):
    path = str(tmp_path / "lunch.db")
    command("create", path, *ITEMS)
    duel, left = command("ask", path, "--user", "ada")[1].split()[:2]
    command("tell", path, duel, left)
    assert "leave out the winner" in command("tell", path, duel, left, "--undo")[2]
    assert command("tell", path, duel, "--undo")[1] == "undone\n"
    assert "Which duel?" in command("tell", path)[2]


def test_the_only_arena_is_meant(command, tmp_path, monkeypatch):
    """Whatever it is called. Of several it is the one called default; else they are named, and how to say which."""
    path, file = str(tmp_path / "lunch.db"), tmp_path / "items.txt"
    command("create", path, *ITEMS, "--arena", "lunch")
    file.write_text("\n".join(ITEMS))
    commands = [
        ["ask", path, "--user", "ada"], ["standing", path, "--user", "ada"], ["standing", path], ["report", path],
        ["items", "add", path, "soup"], ["items", "retire", path, "soup"], ["items", "restore", path, "soup"],
        ["items", "edit", path, "soup", "--title", "Soup"], ["change", path, "--close"],
        ["items", "sync", path, str(file), "--yes"], ["report", path, "--html", str(tmp_path / "report.html")],
    ]  # fmt: skip
    for words in commands:
        assert command(*words)[0] == 0, words
    assert (
        command("report", path, "--html", str(tmp_path / "report.html"))[2]
        .rstrip()
        .endswith("exists already; use --force to overwrite it, or another name.")
    )
    command("create", path, *ITEMS, "--arena", "dinner")
    for words in commands[:-1]:
        code, _, err = command(*words)
        assert code == 2 and "Which arena? Say it with --arena: 'dinner', 'lunch'." in err
    command("create", path, *ITEMS)
    assert command("ask", path, "--user", "ada")[0] == 0
    monkeypatch.setenv("WINNERSTAYS_DB", path)
    assert "dinner" in command("list")[1] and command("ask", "--user", "ada")[0] == 0


def test_a_winner_is_an_item_or_a_side(command, tmp_path):
    path = str(tmp_path / "lunch.db")
    command("create", path, *ITEMS)
    for side, place in (("left", 1), ("right", 3)) * 4:
        words = command("ask", path, "--user", "ada")[1].split()
        code, _, err = command("tell", path, words[0])
        assert code == 2 and "Who won? Give the chosen item, left or right, or --outcome" in err
        assert command("tell", path, words[0], side)[1] == "learned\n"
        assert command("tell", path, words[0], words[place])[1] == "duplicate\n"
    assert "left 4, right 4" in command("report", path)[1] and "invalid" not in command("export", path)[1]


def test_an_item_called_left_is_that_item(command, tmp_path):
    path = str(tmp_path / "sides.db")
    command("create", path, "left", "right", "--arena", "sides")
    for _ in range(6):
        command("tell", path, command("ask", path, "--user", "ada")[1].split()[0], "left")
    assert "left is the favourite" in command("standing", path, "--user", "ada")[1]


def test_hashes_of_a_backup_are_expected_by_replay(command, played, tmp_path):
    lines = [line.split("  ") for line in command("backup", played)[1].splitlines()]
    assert [name for _, name in lines] == ["all arenas", "arena lunch", "arena all"]
    assert command("backup", played, str(tmp_path / "copy.db"))[1].strip() == lines[0][0]
    for head, _ in lines:
        code, out, _ = command("replay", played, "--expect", head)
        assert code == 0 and "not checked: API keys" in out and "no head" not in out
    with Arenas.open(played) as arenas:
        arenas["lunch"].ask("zoe")
    code, out, _ = command("replay", played, "--expect", lines[0][0])
    assert code == 1 and "DIFFERENT" in out and lines[0][0] in out.replace("\n", "")
    empty = tmp_path / "empty.db"
    empty.touch()
    code, _, err = command("replay", str(empty))
    assert code == 2 and "is empty" in err and not empty.stat().st_size


def test_prune_and_vacuum_commands(command, played):
    """The clock of this database is in 1970; a duel that can still be answered is kept."""
    code, out, _ = command("prune", played, "--before", "2026-01-31")
    assert code == 0 and "36 rows of 3 learners" in out
    assert command("prune", played, "--vacuum")[1] == "the database was rewritten\n"
    assert "Nothing to prune" in command("prune", played)[2]
    code, out, _ = command("replay", played)
    assert code == 0 and "36 rows that were pruned" in out
    code, _, err = command("prune", played, "--before", "2999-01-01")
    assert code == 2 and "past" in err


def test_list_says_what_is_retired_and_what_is_closed(command, tmp_path):
    path = str(tmp_path / "lunch.db")
    with Arenas.open(path) as arenas:
        arenas.create("lunch", ITEMS).retire(ITEMS[:1])
        arenas.create("tea", ITEMS[:2], audience="everyone").change(closed=True)
    code, out, _ = command("list", path)
    _, lunch, tea = (line.split() for line in out.splitlines() if line.strip(" ─"))
    assert code == 0 and lunch[:5] == ["lunch", str(len(ITEMS) - 1), "(and", "1", "retired)"] and lunch[-1] == "user"
    assert tea[:2] == ["tea", "2"] and tea[-2:] == ["everyone,", "closed"]


def test_names_are_printed_as_text(command, tmp_path):
    """Markup, emoji codes, terminal escapes and marks of direction are text to the console."""
    path, name, odd = str(tmp_path / "odd.db"), "[b]\x1b[31m", "[/b][red]:cat:\x1b[31m\u202e"
    shown = "[/b][red]:cat:\\x1b[31m\\u202e"
    assert command("create", path, odd, "tacos", "--arena", name)[0] == 0
    duel = command("ask", path, "--arena", name, "--user", odd)[1].split()[0]
    assert command("tell", path, duel, "tacos")[1] == "learned\n"
    for words in (["list", path], ["standing", path, "--arena", name, "--user", odd], ["backup", path]):
        code, out, _ = command(*words)
        assert code == 0 and "\x1b" not in out, out
        assert (shown if words[0] == "standing" else "[b]\\x1b[31m") in out.replace("\n", ""), out
    code, _, err = command("ask", path, "--arena", "unknown")
    assert code == 2 and "[b]\\x1b[31m" in err and "\x1b" not in err
    assert shown in command("erase", path, odd)[1]


def test_no_text_of_a_csv_is_a_formula(command, tmp_path):
    path = str(tmp_path / "formulas.db")
    formulas = ["=1+1", "+1", "-1", "@x", "\t=1"]
    assert command("create", path, "--", *formulas)[0] == 0
    with Arenas.open(path) as arenas:
        for user in formulas:
            duel = arenas["default"].ask(user)
            arenas["default"].tell(duel, winner=duel.left, reason=user)
    table = list(csv.DictReader(io.StringIO(command("export", path)[1])))
    texts = [row[column] for row in table for column in ("user", "left", "right", "winner", "reason") if row[column]]
    assert texts and all(text.lstrip("\t")[0] == "'" and text.replace("'", "", 1) in formulas for text in texts)
    lines = [json.loads(line) for line in command("export", path, "--format", "ndjson")[1].splitlines()]
    assert {line["user"] for line in lines[1:]} == set(formulas)


def test_replay_command_fails_where_states_differ(command, played):
    with Arenas.open(played) as arenas:
        arenas.database.store.run(
            lambda transaction: transaction.change("UPDATE learners SET state = ? WHERE id = 1", b"\1" * 9)
        )
    code, out, _ = command("replay", played)
    assert code == 1 and "not what its rows give" in " ".join(out.split()) and "'ada'" in out and "NOT EQUAL" in out


def test_exports_agree(command, played, tmp_path):
    text = command("export", played)[1]
    table = list(csv.DictReader(io.StringIO(text)))
    lines = [json.loads(line) for line in command("export", played, "--format", "ndjson")[1].splitlines()]
    target = tmp_path / "log.parquet"
    assert command("export", played, "--format", "parquet", "--output", str(target))[0] == 0
    frame = polars.read_parquet(target).to_dicts()
    assert list(table[0]) == COLUMNS and frame == lines
    assert [{key: "" if value is None else str(value) for key, value in line.items()} for line in lines] == table
    kinds = [line["kind"] for line in lines]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "created": 2, "served": 18, "learned": 16, "late": 1, "noted": 1,
    }  # fmt: skip
    assert len(command("export", played, "--arena", "all")[1].splitlines()) == 4
    assert "exists already" in command("export", played, "--format", "parquet", "--output", str(target))[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["replay", "nowhere.db"], "no database nowhere.db"),
        (["export", "{db}", "--format", "xml"], "no format 'xml'"),
        (["export", "{db}", "--format", "parquet"], "--output"),
        (["export", "{db}", "--arena", "lunhc"], "did you mean 'lunch'"),
        (["ask", "{db}", "--arena", "lunch"], "which user"),
        (["tell", "{db}", "nonsense", "ramen"], "nonsense"),
        (["standing", "{db}", "--arena", "lunch", "--user", "zoe"], "'zoe'"),
        (["standing", "{db}", "--arena", "lunch", "--user", "ada", "--p", "0.3"], "p is 0.3"),
        (["create", "{db}", "ramen"], "2 items"),
        (["create", "{db}", "a", "b", "--algorithm", "ws-w", "--regret", "strong"], "ws-w is made for weak regret"),
    ],
)
def test_wrong_commands_are_sentences(words, said, command, played):
    code, output, err = command(*(word.format(db=played) for word in words))
    assert code == 2 and said in err and "Traceback" not in err and not output


def test_creating_an_arena_again_says_that_nothing_changed(command, tmp_path):
    again = "create", str(tmp_path / "new.db"), *ITEMS
    first, second = command(*again)[1].strip(), command(*again)[1].strip()
    assert "already" not in first and second == f"{first} (it was there already; nothing changed)"


def test_a_refused_arena_leaves_no_file(command, tmp_path):
    path = tmp_path / "new.db"
    assert "holdout is 3.0" in command("create", str(path), *ITEMS, "--holdout", "3")[2] and not path.exists()


def test_defaults_of_the_command_are_those_of_the_settings():
    options = signature(create).parameters
    declared = {name: field.default for name, field in Settings.model_fields.items()}
    declared["algorithm"] = Settings("any", ["a", "b"]).algorithm
    shared = declared.keys() & options.keys() - {"name", "items", "control"}
    assert len(shared) == 10
    used = {name: options[name].default for name in shared} | {"algorithm": algorithm_for(options["regret"].default)}
    assert options["algorithm"].default is None and used == {name: declared[name] for name in shared}
