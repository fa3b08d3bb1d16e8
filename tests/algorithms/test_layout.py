"""Every file of an algorithm has the same parts in the same order, and makes its State with keywords."""

import ast
from pathlib import Path

import pytest

from winnerstays import algorithms

FOLDER = Path(algorithms.__file__).parent
ORDER = (
    "docstring", "import", "constant", "State", "init", "choose", "update", "best", "certain", "leap", "round_of",
    "show", "pass_", "tie", "join", "leave", "present", "rank", "believe", "seen",
    "among", "reserve", "stored", "restored", "helper", "registered Algorithm",
)  # fmt: skip
"""As the docstring of winnerstays/algorithms/base.py says; classes that State is made of stand before it."""


def registers(node):
    return (
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "register"
    )


def part(node):
    if isinstance(node, ast.Expr):
        return "docstring"  # of the module, or of a constant
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "import"
    if registers(node):
        return "registered Algorithm"
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return "constant"
    if isinstance(node, ast.ClassDef):
        return "State"
    assert isinstance(node, ast.FunctionDef), ast.unparse(node)
    name = "init" if node.name.startswith("init_") else node.name
    return name if name in ORDER else "helper"


def parts(tree):
    found = [part(node) for node in tree.body]
    return [found[0], *(one for one in found[1:] if one != "docstring")]


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


TREES = {
    str(path.relative_to(FOLDER)): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.rglob("*.py"))
    if path.name not in ("__init__.py", "base.py", "registry.py", "parameters.py")
}
FILES = {name: tree for name, tree in TREES.items() if any(map(registers, tree.body))}
"""The files that register an algorithm."""


def test_every_algorithm_is_in_one_of_these_files():
    names = [
        keyword.value.value
        for tree in FILES.values()
        for call in calls(tree)
        for keyword in call.keywords
        if keyword.arg == "name" and isinstance(keyword.value, ast.Constant)
    ]
    ours = [one.name for one in algorithms.registered().values() if one.init.__module__.startswith("winnerstays.")]
    assert sorted(names) == ours


@pytest.mark.parametrize("name", FILES)
def test_parts_are_in_the_same_order_in_every_file(name):
    found = parts(FILES[name])
    assert found[0] == "docstring"
    assert found == sorted(found, key=ORDER.index)


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_what_it_registers_or_imports_it(name):
    """`init` is its own, since the file is looked up by it; the rest may be another algorithm's."""
    assert "init" in parts(FILES[name])


@pytest.mark.parametrize("name", TREES)
def test_states_are_made_with_keywords(name):
    """No NamedTuple of several fields is made by position, unless whole from another one."""
    for call in calls(TREES[name]):
        if isinstance(call.func, ast.Name) and call.func.id in (
            "State",
            "Lists",
            "Schedule",
            "Machines",
            "Pairs",
            "Race",
        ):
            assert all(isinstance(given, ast.Starred) for given in call.args), ast.unparse(call)


def test_a_part_out_of_order_is_found():
    tree = ast.parse('"""Doc."""\ndef choose(state, rng): ...\ndef init(n_arms, rng): ...\n')
    assert parts(tree) != sorted(parts(tree), key=ORDER.index)
