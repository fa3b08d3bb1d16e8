"""docs/traffic.md is its template with tables, and says how it is made."""

import re
from pathlib import Path

from benchmarks import traffic

TEXT = (Path(__file__).parents[2] / "docs" / "traffic.md").read_text()


def test_the_page_is_the_template_with_tables():
    parts = re.split(r"\{\{\w+\}\}", traffic.TEMPLATE.read_text())
    place = 0
    for part in parts:
        found = TEXT.find(part, place)
        assert found >= 0, f"docs/traffic.md lacks {part[:80]!r}"
        place = found + len(part)
    assert traffic.COMMAND in TEXT and "{{" not in TEXT


def test_every_case_has_its_line():
    for case in (
        *traffic.OPEN,
        *traffic.PROBLEMS,
        *traffic.ITEMS,
        *traffic.ELIGIBLE,
        *traffic.DRIFT,
        *traffic.TIES,
        *traffic.NONES,
    ):
        assert f"| {case.name} | " in TEXT
