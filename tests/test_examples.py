"""The examples run, and show what they are there to show."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
RECIPES = EXAMPLES / "recipes" / "recipes.py"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_most_visitors_of_the_recipe_site_see_their_favourite_soon():
    """More than half of the visitors, from the second week on, within 10 answers; the example has at most 60 lines."""
    shares = load(RECIPES).main()
    assert min(shares[1:]) > 0.5
    assert len(RECIPES.read_text().splitlines()) <= 60


def test_the_recipe_site_opens():
    recipes = load(RECIPES)
    recipes.WEEKS, recipes.VISITORS_A_WEEK, recipes.RECIPES = 2, 2, 20
    assert len(recipes.main()) == 2


def test_searchers_find_the_best_of_eight_rankers(tmp_path, capsys):
    """Before an A/B test of the eight would; `bm25 + title` beats each other one by 0.067 or more."""
    picture = tmp_path / "rankers.png"
    best, mixed, needed = load(EXAMPLES / "rankers.py").main(picture)
    assert best == "bm25 + title" and mixed < needed
    assert picture.stat().st_size and "best: bm25 + title" in capsys.readouterr().out
