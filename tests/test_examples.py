"""The examples run, and show what they are there to show."""

import importlib.util
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[1] / "examples" / "recipes" / "recipes.py"


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
