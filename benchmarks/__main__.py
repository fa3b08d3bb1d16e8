"""Run every benchmark, or those named: `python -m benchmarks [NAME ...]`. Writes out/benchmarks.json."""

import json
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks._timing import machine


def main(names: list[str]) -> None:
    found = [module.name for module in iter_modules(benchmarks.__path__) if not module.name.startswith("_")]
    unknown = [name for name in names if name not in found]
    if unknown:
        sys.exit(f"There is no benchmark {unknown[0]!r}; there are: {', '.join(found)}.")
    print(machine())
    table = Table(box=SIMPLE)
    for column in ("benchmark", "measured", "target", "note"):
        table.add_column(column, overflow="fold")
    results = []
    for name in names or found:
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
