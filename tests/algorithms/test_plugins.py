"""Algorithms from files and from installed packages: what is wrong with them is one sentence, with its line."""

import re
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint

import pytest

from winnerstays import Choice, Number, Whole, WinnerstaysError, algorithm, kernel, registered, simulate
from winnerstays.algorithms import Facts, registry, ws_w
from winnerstays.cli.plugins import load_plugin

OWN = """
from winnerstays import Algorithm, register
from winnerstays.algorithms import random_pairs as r

own = register(Algorithm("NAME", "Random pairs again", r.init, r.choose, r.update, r.best))
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import nosuchmodule", "ModuleNotFoundError: No module named 'nosuchmodule' (FILE, line 1)."),
        ("\n1 / 0", "ZeroDivisionError: division by zero (FILE, line 2)."),
        ("x = (1", "SyntaxError: '(' was never closed (FILE, line 1)."),
        ("raise SystemExit(3)", "SystemExit: 3 (FILE, line 1)."),
        ("assert False", "AssertionError (FILE, line 1)."),
        ("from .consts import A", "it imports relatively, but a file by itself is in no package; write `from consts"),
        ("import winnerstays\n@winnerstays.kernel()\ndef f():\n    pass", "without brackets (FILE, line 2)."),
        ("from winnerstays import register\nregister('mine')", "'mine' cannot be registered; an Algorithm"),
        (
            "from winnerstays import Choice\nChoice('abc', 'x')",
            "The words of a Choice are 'abc', but they must be texts",
        ),
        ("x = 1", "registers no algorithm; end it with register(Algorithm(...))."),
        ("from winnerstays.algorithms import ws_w\nws_w.best(3)", ""),
    ],
)
def test_a_file_that_cannot_be_loaded(tmp_path, text, sentence, run):
    path = tmp_path / f"unloadable{abs(hash(text))}.py"
    path.write_text(text)
    code, _, errors = run("simulate", "mslr", "ws-w", "--plugin", path)
    assert code == 2 and errors.count("\n") == 1 and sentence.replace("FILE", path.name) in errors
    assert "line" in errors or "registers no" in errors


def test_what_a_file_prints_does_not_spoil_the_result(tmp_path, capsys):
    path = tmp_path / "printing.py"
    path.write_text(f"print('hello'){OWN.replace('NAME', 'printing')}")
    assert [one.name for one in load_plugin(path)] == ["printing"]
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == "hello\n"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parameters": ["eps"]}, "the parameters are ['eps'], but they must be a dict"),
        (
            {"parameters": {"my eps": Number(1.0, "x")}},
            "a parameter is called 'my eps', but it must be a name for Python",
        ),
        ({"parameters": {"rng": Number(1.0, "x")}}, "a parameter is called 'rng'"),
        (
            {"parameters": {"eps": Number(1.5, "x", below=1)}},
            "the default of eps is 1.5, but it must be a finite number b",
        ),
        ({"parameters": {"eps": Number("a", "x")}}, "the default of eps is a, but"),
        (
            {"parameters": {"eps": Whole(0.5, "x", minimum=0)}},
            "the default of eps is 0.5, but it must be a whole number",
        ),
        ({"needs": {"horizn"}}, "There is no need of ws-w 'horizn'; did you mean 'horizon'?"),
        ({"needs": "horizon"}, "There is no need of ws-w"),
        ({"best": 3}, "best is 3, but it must be a function"),
        ({"init": int}, "init is <class 'int'>, but it must be a function"),
    ],
)
def test_a_declaration_that_cannot_be_meant(changes, sentence):
    with pytest.raises(WinnerstaysError, match=re.escape(sentence)):
        replace(algorithm("ws-w"), params={}, **changes)


@pytest.mark.parametrize("words", ["abc", (), (1, 2)])
def test_a_choice_is_one_of_some_words(words):
    with pytest.raises(WinnerstaysError, match="but they must be texts"):
        Choice(words, "x")


def test_init_may_be_partial():
    own = replace(
        algorithm("ws-w"), name="part", init=partial(ws_w.init, first_challenger="literal"), parameters={}, params={}
    )
    literal = simulate("mslr", algorithm("ws-w", first_challenger="literal"), horizon=50, runs=2)
    assert (simulate("mslr", own, horizon=50, runs=2).records[0] == literal.records[0]).all()


def test_facts_are_words_that_are_known():
    with pytest.raises(WinnerstaysError, match="There is no winner of an algorithm 'condorcer'; did you mean 'condorc"):
        Facts(winner="condorcer")
    with pytest.raises(WinnerstaysError, match="There is no regret of an algorithm 'big'"):
        Facts(regret="big")


def test_kernel_is_written_without_brackets():
    for given in ((), (3,)):
        with pytest.raises(WinnerstaysError, match="@kernel is written above a function, without brackets"):
            kernel(*given)


def entry(name, value, monkeypatch):
    monkeypatch.setattr(registry, "entry_points", lambda group: [EntryPoint(name, value, group)])
    registry._loaded.discard("plugins")


def test_installed_packages_offer_an_algorithm_or_a_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name, value in (("offered", "offering:own"), ("itself", "registering")):
        (tmp_path / f"{value.partition(':')[0]}.py").write_text(OWN.replace("NAME", name))
        entry(name, value, monkeypatch)
        assert name in registered()


@pytest.mark.parametrize("text", ["1 / 0", "raise SystemExit(3)", "own = 3"])
def test_an_installed_package_that_cannot_be_loaded_is_named(tmp_path, monkeypatch, text):
    """And the others work all the same."""
    module = f"failing{abs(hash(text))}"
    (tmp_path / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    entry("mine", f"{module}:own", monkeypatch)
    with pytest.warns(
        UserWarning, match=f"The algorithm mine = '{module}:own' of the package .* could not be loaded: "
    ) as said:
        assert "ws-w" in registered()
    assert said[0].filename == __file__
