"""The studies of benchmarks/: attacks, ablation, the league, and pages that say what the results say."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import _results, ablation, attack, league
from benchmarks._problems import ATTACKING, LOOKED_AT, TUNING, find_problems
from benchmarks._results import parts_of, read_results
from benchmarks._shop import People, grades_of
from benchmarks.ablation import LOCKED, VARIANTS, ablate, measure, smallest_slope, variant
from benchmarks.attack import MARGIN, Search, search
from benchmarks.pages import PAGES
from benchmarks.shop import play_people
from tests.cli.test_cli import PLUGIN
from tests.league.test_league import played
from winnerstays import algorithm, registered
from winnerstays.league.play import Plan
from winnerstays.league.problems import SETS
from winnerstays.problems import total_order

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("page", "part"), [(page, part) for page, parts in PAGES.items() for part in parts])
def test_tables_of_pages_are_those_of_the_results(page, part):
    assert parts_of(page)[part] == PAGES[page][part](), "python -m benchmarks pages writes them anew"


@pytest.mark.parametrize("page", PAGES)
def test_no_part_of_a_page_is_written_by_hand(page):
    assert parts_of(page).keys() == PAGES[page].keys()


def test_problems_are_of_one_kind_each():
    found = find_problems([*ATTACKING, *TUNING])
    assert all(one.best_arm is not None for one in found.values())
    playing = {name for members in SETS.values() for name in members}
    assert not playing & set(TUNING) and playing >= LOOKED_AT


def test_a_league_is_written(tmp_path, monkeypatch):
    """Every table of results and the picture; the names of problems are those of the league, to be found again."""
    monkeypatch.setattr(_results, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(_results, "ROOT", tmp_path)
    monkeypatch.setattr(league, "RESULTS", tmp_path / "results")
    cells = played(tmp_path, names=("ws-t", "dts", "random"))
    name = "total-order:n_arms=4,p=0.8"
    plan = Plan(times=(100, 1000), runs=12, regrets=("strong-average", "strong-binary"))
    league.write_league({name: cells}, plan)
    written = (tmp_path / "results" / "league").glob("*.csv")
    tables = {path.stem: read_results(f"league/{path.stem}") for path in written}
    assert set(tables) == {"first", "ranks", "tails", "growth", "left-out"}
    assert {row["place"] for row in tables["first"]} == {"1", "2", "3"} and not tables["left-out"]
    assert [row["algorithm"] for row in tables["tails"]] == ["ws-t", "dts"]
    assert (tmp_path / "results" / "league" / "league.png").stat().st_size > 5000


def test_the_smallest_slope_by_hand():
    """Two arms, p = .6: (0 + .1) / (2 kl(.4, .5))."""
    kl = 0.4 * math.log(0.8) + 0.6 * math.log(1.2)
    assert smallest_slope(total_order(2, 0.6)) == pytest.approx(0.1 / (2 * kl))


def test_every_variant_differs_and_the_first_is_ws_t(tmp_path):
    settings = [tuple(variant(**changed).settings.values()) for changed in VARIANTS.values()]
    assert len(set(settings)) == len(VARIANTS)
    where, rows = total_order(3, 0.7), {}
    for row in ablate(where, (100, 1000), 4, 1, str(tmp_path), 1):
        rows[row.name] = row
    plain = measure(registered()["ws-t"], "ws-t", where, (100, 1000), 4, 1, None, 1)
    assert rows["as it is"].stats == plain.stats and rows["as it is"].locked == plain.locked


def test_a_run_without_the_best_arm_is_locked(tmp_path):
    """Random pairs of 30 arms: the best is in 1 duel of 15 or so, so every run counts as locked."""
    found = measure(algorithm("random"), "random", total_order(30, 0.8), (1000,), 5, 1, None, 1)
    assert found.locked == {1000: 1.0} and LOCKED == 0.9


def test_an_attack_finds_a_matrix_with_a_winner_and_measures_it_anew():
    plan = Search(algorithm("ws-t"), algorithm("ws-s"), horizon=300, runs=4, steps=3, workers=1)
    found = search(plan, 3)
    assert found.preferences.shape == (3, 3) and (found.preferences[0, 1:] >= 0.5 + MARGIN).all()
    assert found.ratio > 0 and found.error > 0
    assert found.preferences + found.preferences.T == pytest.approx(1.0)
    again = search(plan, 3)
    assert again.ratio == found.ratio, "the same seed, the same search"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(study, *words):
        with pytest.raises(SystemExit) as stop:
            study.main([str(word) for word in words])
        said = capsys.readouterr()
        return stop.value.code or 0, said.out, said.err

    return call


def test_an_attack_prints_the_matrix(run, tmp_path):
    words = ("--arms", 3, "--steps", 1, "--horizon", 100, "--workers", 1)
    code, output, _ = run(attack, "--rival", "ws-s", *words)
    assert code == 0 and "3 arms: regret" in output and output.count(".500") >= 3
    (tmp_path / "stubborn.py").write_text(PLUGIN)
    code, output, _ = run(attack, "stubborn", "--rival", "random", *words, "--plugin", tmp_path / "stubborn.py")
    assert code == 0 and output.startswith("3 arms: regret ")


def test_an_ablation_of_some_variants(run):
    words = ("total-order:n_arms=3,p=0.8", "--horizon", 1000, "--runs", 4, "--workers", 1)
    code, output, _ = run(ablation, *words, "--variant", "as it is", "--variant", "no third arms")
    assert code == 0 and "as it is" in output and "no root of N" not in output


@pytest.mark.parametrize(
    ("study", "words", "sentence"),
    [
        (attack, ("--workers", -1), "workers is -1, but it must be above 0"),
        (attack, ("ws-t", "--rival", "ws-t"), "ws-t is its own rival; name another algorithm"),
        (attack, ("--arms", "3,x"), "--arms is '3,x', but it must be whole numbers, as 3,4,5"),
        (attack, ("--arms", "1e9"), "--arms is '1e9', but it must be whole numbers from 2 to 1000, as 3,4,5"),
        (attack, ("--seed", -1), "seed is -1, but it must be a whole number of at least 0"),
        (attack, ("--horizon", "ten"), "'ten' is not a whole number"),
        (ablation, ("mslr", "--workers", 0), "workers is 0, but it must be above 0"),
        (ablation, ("mslr", "--runs", -1), "runs is -1, but it must be above 0"),
        (ablation, ("mslr", "--variant", "no root of M"), "did you mean 'no root of N'?"),
        (league, ("--runs", 0), "runs is 0, but it must be above 0"),
    ],
)
def test_bad_options_of_a_study_are_sentences(run, study, words, sentence):
    code, _, errors = run(study, *words)
    assert code == 2 and sentence in errors and "Traceback" not in errors


def test_help_names_every_benchmark_and_study():
    done = subprocess.run([sys.executable, "-m", "benchmarks", "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and all(f"  {name} " in done.stdout for name in ("core", "service", "attack", "league"))
    unknown = subprocess.run([sys.executable, "-m", "benchmarks", "cores"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 1 and "There is no benchmark 'cores'" in unknown.stderr


def test_real_people_are_read_and_played(tmp_path):
    """Whoever ranks is a visitor who may have what they ranked, and likes best what they ranked first."""
    (tmp_path / "a.soi").write_text("# TITLE: six\n40: 1,2,3,4,5\n20: 6,{5,4},3,2\n3: 1,2\n")
    table = "userId,movieId,rating,timestamp\n" + "".join(
        f"u{k},m{m},{5 - m / 2},0\n" for k in range(9) for m in range(6)
    )
    (tmp_path / "b.csv").write_text(table)
    orders, ratings = (grades_of(tmp_path / name) for name in ("a.soi", "b.csv"))
    assert len(orders) == 60 and orders[50]["5"] == orders[50]["4"] > orders[50]["2"]
    assert len(ratings) == 9 and max(ratings[0], key=ratings[0].get) == "m0"
    world = People(orders, seed=1)
    for visitor, places in enumerate(world.zone):
        eligible = world.eligible(visitor, 0)
        best = world.names[eligible[world.utilities[places, eligible].argmax()]]
        assert len(eligible) == 5 and best in "16"
    shares = {line[2]: line[3] for line in play_people(tmp_path / "a.soi", 1)}
    assert shares["tastes"] > 60 > shares["random"]
