"""`winnerstays arena items` and `arena change`: items over time, from the command line and from files."""

import pytest

from winnerstays.arena import Arena


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "lunch.db")
    Arena.open(path, items=["ramen", "tacos", "pho"]).close()
    return path


def there(database):
    with Arena.open(database) as arena:
        return {item.id: item.title for item in arena.items if not item.retired}


def test_items_come_and_go(run, database):
    assert run("arena", "items", "add", database, "sushi", "pizza")[:2] == (0, "2 added\n")
    assert run("arena", "items", "retire", database, "tacos")[:2] == (0, "1 retired\n")
    assert list(there(database)) == ["ramen", "pho", "sushi", "pizza"]
    assert run("arena", "items", "restore", database, "tacos")[0] == 0
    assert run("arena", "items", "edit", database, "pizza", "--title", "Pizza margherita")[0] == 0
    assert there(database)["pizza"] == "Pizza margherita" and "tacos" in there(database)
    code, _, error = run("arena", "items", "edit", database, "pizza")
    assert code == 2 and "Nothing to edit" in error


def test_an_arena_gets_the_items_of_a_file(run, database, tmp_path):
    file = tmp_path / "recipes.csv"
    file.write_text("id,title\nramen,Ramen!\npho,pho\nsushi,Sushi\n")
    code, text, _ = run("arena", "items", "sync", database, str(file), "--yes")
    assert code == 0 and text.split("\n")[:-1] == [
        "+ sushi",
        "- tacos",
        "~ ramen  title: Ramen!",
        "1 added, 1 retired, 1 edited",
    ]
    assert there(database) == {"ramen": "Ramen!", "pho": "pho", "sushi": "Sushi"}
    assert "nothing to do" in run("arena", "items", "sync", database, str(file))[1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("items.txt", "ramen\n\n pho \nsushi, the best\n"),
        ("items", "\ufefframen\r\npho\r\nsushi, the best"),
        ("items.json", '["ramen", {"id": "pho"}, "sushi, the best"]'),
        ("items.jsonl", '"ramen"\n{"id": "pho"}\n"sushi, the best"\n'),
        ("items.csv", 'id\nramen\npho\n"sushi, the best"\n'),
        ("table.txt", 'id,title\nramen,ramen\npho,pho\n"sushi, the best","sushi, the best"\n'),
    ],
)
def test_a_list_in_a_file_makes_an_arena_and_changes_one(run, database, tmp_path, name, content):
    file = tmp_path / name
    file.write_text(content, encoding="utf-8", newline="")
    wanted = ["ramen", "pho", "sushi, the best"]
    new = str(tmp_path / "new.db")
    assert run("arena", "create", new, str(file))[0] == 0 and list(there(new)) == wanted
    assert run("arena", "items", "sync", database, str(file), "--yes")[0] == 0 and list(there(database)) == wanted


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("one.txt", "ramen\n", "at least 2 items"),
        ("empty.txt", "", "at least 2 items"),
        ("twice.txt", "ramen\npho\nramen\n", "listed twice"),
        ("bad.json", '{"ramen": 1}', "a list in"),
        ("numbers.json", "[1, 2]", "must be a text, but is 1"),
        ("bad.jsonl", '"ramen"\n{\n', "line 2 is not JSON"),
        ("ramen.csv", "ramen\npho\n", ".txt"),
    ],
)
def test_lists_that_are_wrong_make_no_arena(run, tmp_path, name, content, sentence):
    (tmp_path / name).write_text(content)
    code, _, error = run("arena", "create", str(tmp_path / "new.db"), str(tmp_path / name))
    assert code == 2 and sentence in error and not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("name\nRamen\n", "a column 'name'"),
        ("id,colour\nramen,red\n", "a column 'colour'"),
        ("id,title\nramen\n", "line 2"),
        ("id\nramen\nramen\n", "listed twice"),
        ("id\nramen\n", "2"),
    ],
)
def test_files_that_are_wrong_change_nothing(run, database, tmp_path, content, sentence):
    file = tmp_path / "recipes.csv"
    file.write_text(content)
    code, _, error = run("arena", "items", "sync", database, str(file), "--yes")
    assert code == 2 and sentence in error
    assert list(there(database)) == ["ramen", "tacos", "pho"]


def test_an_arena_is_renamed_and_closed(run, database):
    assert run("arena", "change", database, "--new-name", "dinner", "--close")[0] == 0
    code, _, error = run("arena", "ask", database, "--arena", "dinner", "--user", "ada")
    assert code == 2 and "closed" in error
    assert run("arena", "change", database, "--arena", "dinner", "--reopen", "--max-open", "3")[0] == 0
    assert run("arena", "ask", database, "--arena", "dinner", "--user", "ada")[0] == 0
    assert "Nothing to change" in run("arena", "change", database, "--arena", "dinner")[2]
