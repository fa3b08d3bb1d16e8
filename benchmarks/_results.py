"""Results: tables in results/ that a command writes, and the parts of pages that are made from them."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from winnerstays.files import write_whole

ROOT = Path(__file__).parent.parent
DOCS, RESULTS = ROOT / "docs", ROOT / "results"


def write_results(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table of results; numbers have at most six digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    path = RESULTS / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.getvalue(), force=True)
    print(f"written: {path.relative_to(ROOT)}")


def read_results(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of results, by column."""
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    rows = ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([f"| {' | '.join(header)} |", "|---" * len(header) + "|", *rows])


def power(t: int) -> str:
    """Return a number as a power of ten where it is one.

    >>> power(1000), power(2000)
    ('10^3', '2,000')
    """
    return f"10^{len(str(t)) - 1}" if str(t).strip("0") == "1" else f"{t:,}"


def parts_of(page: str) -> dict[str, str]:
    """Return what stands on a page between `<!-- name -->` and `<!-- /name -->`, by name."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return dict(re.findall(r"<!-- ([\w-]+) -->\n(.*?)\n<!-- /\1 -->", text, re.DOTALL))


def replace_part(page: str, name: str, text: str) -> None:
    """Put a text in place of the part of that name of a page of the documentation."""
    path = DOCS / page
    part = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    changed, count = part.subn(lambda _: text + "\n", path.read_text(encoding="utf-8"))
    if count != 1:
        raise SystemExit(f"{page} has {count} parts called {name!r}, but there must be one.")
    write_whole(path, changed, force=True)
