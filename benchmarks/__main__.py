"""Measure speed, or run a study of the algorithms: `python -m benchmarks --help` lists both."""

import ast
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benchmarks._timing import machine

USAGE = """Usage: python -m benchmarks [NAME ...]           measure everything, or what is named
       python -m benchmarks STUDY [OPTIONS]     run one study; --help shows its options

Measured speeds are printed and written to out/benchmarks.json. Studies write tables to results/."""


class Module(NamedTuple):
    """A benchmark, a study, or both."""

    about: str
    measured: bool
    study: bool


def modules() -> dict[str, Module]:
    """Return what each module is, read from its source: some need extras that others do without."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        about = (ast.get_docstring(tree) or "").splitlines()[0]
        found[path.stem] = Module(about, "rows" in names, "main" in names)
    return found


def main(words: list[str]) -> None:
    known = modules()
    measured = [name for name, one in known.items() if one.measured]
    if words in (["--help"], ["-h"]):
        studies = [name for name, one in known.items() if one.study]
        for title, names in (("Measured", measured), ("Studies", studies)):
            print(f"{USAGE}\n" if title == "Measured" else "", f"{title}:", sep="\n")
            print("\n".join(f"  {name:<12} {known[name].about}" for name in names))
        return
    for name in words[:1]:
        one = known.get(name)
        if one is not None and one.study and (not one.measured or any(word.startswith("-") for word in words)):
            import_module(f"benchmarks.{name}").main(words[1:])
            return
    for name in words:
        if name not in measured:
            sys.exit(f"There is no benchmark {name!r}; there are: {', '.join(known)}.")
    _measure(words or measured)


def _measure(names: list[str]) -> None:
    print(machine())
    table = Table(box=SIMPLE)
    for column in ("benchmark", "measured", "target", "note"):
        table.add_column(column, overflow="fold")
    results = []
    for name in names:
        print(f"running {name} ...", file=sys.stderr)
        for row in import_module(f"benchmarks.{name}").rows():
            results.append(row)
            print(f"  {row['name']}: {row['value']:.4g} {row['unit']}", file=sys.stderr, flush=True)
            table.add_row(
                row["name"], f"{row['value']:.4g} {row['unit']}", str(row.get("target", "")), row.get("note", "")
            )
    Console(width=110).print(table)
    Path("out").mkdir(exist_ok=True)
    Path("out/benchmarks.json").write_text(json.dumps({"machine": machine(), "rows": results}, indent=1) + "\n")
    print("written: out/benchmarks.json")


if __name__ == "__main__":
    main(sys.argv[1:])
