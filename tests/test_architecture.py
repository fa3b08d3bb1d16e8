"""The import graph of the package, read from its source: no cycle, and no arrow against the layers."""

import ast
from functools import cache
from pathlib import Path

import pytest

import winnerstays

ROOT = Path(winnerstays.__file__).parent
FOUNDATION = {
    "_types", "codec", "compiling", "errors", "evidence", "files", "intervals", "item_names", "listings", "numbers",
    "theme", "probit", "progress", "randomness", "regret_names", "specs", "wording",
}  # fmt: skip
LAYERS = {
    "algorithms": FOUNDATION,
    "problems": FOUNDATION,
    "tastes": FOUNDATION,
    "simulation": FOUNDATION | {"algorithms", "problems"},
    "interleaving": FOUNDATION | {"problems", "simulation"},
    "theory": FOUNDATION | {"algorithms", "problems", "simulation"},
    "league": FOUNDATION | {"algorithms", "problems", "simulation"},
    "paper": FOUNDATION | {"algorithms", "problems", "simulation", "theory"},
    "learner": FOUNDATION | {"algorithms"},
    "arena": FOUNDATION | {"algorithms", "interleaving", "stores", "tastes"},
    "stores": FOUNDATION,
    "advice": FOUNDATION | {"arena", "stores", "tastes"},
    "picking": FOUNDATION | {"algorithms", "arena", "problems", "simulation", "tastes"},
    "service": FOUNDATION | {"arena", "interleaving", "stores"},
    "web": FOUNDATION
    | {"algorithms", "arena", "interleaving", "problems", "service", "simulation", "theory", "stores"},
    "testing": FOUNDATION | {"algorithms", "problems", "simulation"},
}
"""What each part may import besides itself; `cli` and the package's own front may import everything."""
STORES = "winnerstays.arena.stores"
"""A layer of its own below the rest of the arena: drivers and statements."""


def module_of(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in ROOT.rglob("*.py") if "versions" not in path.parts}


@cache
def nodes_of(path):
    return list(ast.walk(ast.parse(path.read_text())))


def imported(name, nodes):
    """The modules that a module imports anywhere: at the top, in functions, for types only, through strings."""
    groups = {node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == "group"}
    for node in nodes:
        if node in groups:
            continue  # the name of a group of entry points
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively; write the whole name"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value.partition(":")[0]
    if any(isinstance(node, ast.Name) and node.id == "iter_modules" for node in nodes):
        yield from (one for one in MODULES if one.rpartition(".")[0] == name)


@cache
def graph():
    found = {}
    for name, path in MODULES.items():
        arrows = set(imported(name, nodes_of(path)))
        found[name] = {one for one in arrows if one in MODULES and one != name}
    return found


def cycle(arrows):
    """Return some cycle as a list of modules, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        path.append(name)
        found = next(filter(None, map(visit, sorted(arrows[name]))), None)
        path.pop()
        done.add(name)
        return found

    return next(filter(None, map(visit, sorted(arrows))), None)


def test_a_cycle_is_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


def test_strings_and_functions_count_as_imports():
    tree = ast.parse("def f():\n    import_module('winnerstays.errors')\n    from winnerstays import codec")
    assert set(imported("x", list(ast.walk(tree)))) >= {"winnerstays.errors", "winnerstays.codec"}


def test_no_module_imports_itself_through_others():
    assert cycle(graph()) is None, "imports go round: " + " -> ".join(cycle(graph()))


def part(name):
    if name == STORES or name.startswith(f"{STORES}."):
        return "stores"
    return name.split(".")[1] if "." in name else ""


@pytest.mark.parametrize("layer", LAYERS)
def test_arrows_point_one_way(layer):
    own = {name: arrows for name, arrows in graph().items() if part(name) == layer}
    assert own, f"there is no {layer}; LAYERS is out of date"
    wrong = {
        f"{name} -> {arrow}"
        for name, arrows in own.items()
        for arrow in arrows
        if part(arrow) not in {layer, *LAYERS[layer]}
    }
    assert not wrong, f"{layer} may import {', '.join(sorted(LAYERS[layer]))} only, but: {', '.join(sorted(wrong))}"


def test_foundation_stands_alone():
    wrong = {
        f"{name} -> {arrow}" for name, arrows in graph().items() if part(name) in FOUNDATION
        for arrow in arrows if part(arrow) not in FOUNDATION
    }  # fmt: skip
    assert not wrong, f"the foundation imports what stands on it: {', '.join(sorted(wrong))}"


def test_every_part_has_a_layer():
    assert {part(name) for name in MODULES} == {"", "__main__", "cli", *FOUNDATION, *LAYERS}


def test_sql_is_in_the_stores_alone():
    """Statements begin with their verb; the words alone may stand in a sentence."""
    verbs = ("SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "PRAGMA ", "CREATE TABLE ")
    may = ("winnerstays.arena.stores", "winnerstays.picking.store")
    wrong = {
        f"{name}: {node.value[:40]!r}"
        for name, path in MODULES.items() if not name.startswith(may)
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lstrip().startswith(verbs)
    }  # fmt: skip
    assert not wrong, f"SQL outside of the stores: {', '.join(sorted(wrong))}"
