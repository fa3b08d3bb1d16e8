"""docs/algorithms.md is what its command makes of the registry and of the table of published values."""

import re
from pathlib import Path

from benchmarks import algorithms as page
from tests.reference.measured_elsewhere import BY_OTHERS, BY_OURSELVES, DISAGREEING, UNTOLD, Published
from winnerstays import registered

TEXT = (Path(__file__).parents[2] / "docs" / "algorithms.md").read_text()


def lines(heading):
    """The rows of the first table under a heading."""
    table = TEXT.split(f"\n## {heading}\n")[1].split("\n|---")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]


def test_the_catalogue_is_the_registry():
    assert page.catalogue() in TEXT


def test_every_algorithm_has_a_speed():
    found = {cells[0]: cells[1:4] for cells in lines("Speed")}
    assert set(found) == {f"`{name}`" for name in registered()}
    assert all(re.fullmatch(r"[\d.,]+( \(10\^\d\))?", cells[1]) for cells in found.values()), "a speed on fifty"


def shown(heading) -> list[tuple[str, ...]]:
    return [(cells[0], cells[1].strip("`"), cells[2], cells[3], cells[6]) for cells in lines(heading)]


def named(one: Published) -> tuple[str, ...]:
    return one.problem, one.label, one.regret, page.power(one.horizon), one.source


def test_every_published_value_is_shown_with_its_verdict():
    heading = page.REGRETS.removeprefix("## ")
    found = lines(heading)
    assert shown(heading) == [named(one) for one in BY_OTHERS]
    disagreeing = [one.source == UNTOLD and (one.problem, one.name) in DISAGREEING for one in BY_OTHERS]
    assert [cells[8] for cells in found] == ["disagrees" if one else "agrees" for one in disagreeing]
    assert all((abs(float(cells[7])) > 4) == one for cells, one in zip(found, disagreeing, strict=True))


def test_our_own_oracles_have_a_table_of_their_own():
    heading = page.OWN_REGRETS.removeprefix("## ")
    assert shown(heading) == [named(one) for one in BY_OURSELVES]
    assert {cells[8] for cells in lines(heading)} == {"agrees"}
    assert page.literal_section() in TEXT


def test_all_but_the_regrets_is_made_anew_around_speeds_that_are_kept():
    assert page.document(page.speed_section_of(TEXT), "") == TEXT.split(page.REGRETS)[0]


def test_the_document_says_how_it_is_made():
    assert page.COMMAND in TEXT and "not edited by hand" in TEXT
