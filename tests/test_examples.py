"""The examples run, and show what they are there to show."""

import importlib.util
import itertools
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

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


def test_the_best_of_several_attempts_is_found():
    module = load(EXAMPLES / "best_of_n.py")
    result = module.best_of_n(module.ATTEMPTS)
    assert result.name == "attempt 1" and result.certified


def test_the_best_inspect_log_is_found(monkeypatch):
    """With a stub of inspect_ai: the grader prefers the longer answer, and speaks nonsense at each ninth call."""
    calls = itertools.count(1)

    class Grader:
        async def generate(self, asked):
            left, right = re.findall(r"Answer [AB]:\n(.*)\n", asked)
            said = " A\n" if len(left) > len(right) else "B"
            return SimpleNamespace(completion=said if next(calls) % 9 else "Well")

    def read_eval_log(path):
        samples = [SimpleNamespace(id=k, input=f"task {k}", output=SimpleNamespace(completion="x" * (len(path) + k)))
                   for k in range(9)]  # fmt: skip
        return SimpleNamespace(samples=samples)

    stubs = {"inspect_ai": {}, "inspect_ai.log": {"read_eval_log": read_eval_log},
             "inspect_ai.model": {"get_model": lambda name: Grader()}}  # fmt: skip
    for name, content in stubs.items():
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**content))
    result = load(EXAMPLES / "inspect_logs.py").best_log("any/model", "which is longer?", ["a", "bb", "ccc"], backoff=0)
    assert result.best[0].output.completion == "xxx" and result.certified and result.retries > 0


def test_the_best_promptfoo_output_is_found(tmp_path):
    rows = [
        {"provider": {"id": provider}, "promptIdx": prompt, "testIdx": test, "vars": {"topic": test},
         "response": {"output": f"{provider} {'very ' * prompt}long"}}
        for provider in ("small", "tiny") for prompt in (0, 1) for test in range(9)
    ] + [{"provider": {"id": "tiny"}, "promptIdx": 0, "testIdx": 9, "vars": {}, "response": None}]  # fmt: skip
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"results": {"results": rows}}))
    module = load(EXAMPLES / "promptfoo_output.py")
    result = module.best_output(path, lambda left, right, task: "left" if len(left) > len(right) else "right")
    assert result.name == "small, prompt 1" and result.certified
