"""Counts kept pair by pair: the same answers as tables, in less memory; fits; who wins where nobody does."""

import tracemalloc

import numpy as np
import pytest

from winnerstays import Problem, WinnerstaysError, simulate
from winnerstays.problems import estimation, load
from winnerstays.problems.chances import PAIRS
from winnerstays.problems.description import evidence_sentence, winner_sentences
from winnerstays.problems.estimation import fit_strengths
from winnerstays.problems.pair_counts import ROWS_AT_ONCE, PairCounts, PairCountsBuilder


def random_duels(n_arms, duels, seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_arms, duels)
    second = (first + rng.integers(1, n_arms, duels)) % n_arms
    return np.stack([first, second], axis=1)


def test_a_builder_counts_what_a_table_counts():
    """More duels than are gathered at once, in rows and in blocks, with ties."""
    duels = random_duels(9, 3 * ROWS_AT_ONCE, 4)
    builder, table = PairCountsBuilder(), np.zeros((9, 9))
    won = np.where(np.arange(len(duels)) % 7 == 0, 0.5, 1.0)
    for low in range(0, len(duels), 1000):
        part = slice(low, low + 1000)
        builder.add(*duels[part].T, won[part], 1 - won[part])
    np.add.at(table, tuple(duels.T), won)
    np.add.at(table, tuple(duels.T[::-1]), 1 - won)
    arms, block = np.array([5, 2, 7]), np.array([[0.0, 1, 2], [3, 0, 0], [0, 0.5, 0]])
    builder.add_block(arms, block)
    table[np.ix_(arms, arms)] += block
    counts = builder.result(9)
    assert np.array_equal(counts.table(), table) and counts.duels == table.sum()
    assert np.array_equal(counts.met(), (table + table.T).sum(axis=1))
    some = np.array([7, 0, 5])
    assert np.array_equal(counts.among(some).table(), table[np.ix_(some, some)])


def test_few_of_many_pairs_give_the_same_problem(monkeypatch):
    """The pairs that met and the whole matrix: every property, and every run of a simulation."""
    wins = np.zeros((30, 30))
    np.add.at(wins, tuple(random_duels(30, 60, 1).T), 1)
    wins[3] += 2  # a Condorcet winner
    wins[3, 3] = 0
    dense = Problem.from_counts(wins)
    monkeypatch.setattr(estimation, "SMALL", 10)
    sparse = Problem.from_counts(wins)
    assert sparse.chances.kind == PAIRS != dense.chances.kind
    assert np.array_equal(sparse.preferences, dense.preferences) and np.array_equal(sparse.counts, dense.counts)
    for name in ("best_arm", "totally_ordered", "p", "p1", "tie"):
        assert getattr(sparse, name) == getattr(dense, name), name
    assert sparse.borda_scores == pytest.approx(dense.borda_scores)
    assert np.array_equal(sparse.copeland_scores, dense.copeland_scores)
    runs = [simulate(one, "ws-w", horizon=200, runs=3, seed=5).records[0] for one in (sparse, dense)]
    assert np.array_equal(*runs)


def test_memory_is_that_of_the_pairs_that_met(tmp_path):
    """3000 players, each of whom met ten others: less than a tenth of one table of their pairs (72 MB)."""
    rows = "".join(f"p{first},p{(first + step) % 3000}\n" for first in range(3000) for step in range(1, 6))
    path = tmp_path / "games.csv"
    path.write_text("winner,loser\n" + rows)
    tracemalloc.start()
    one = load(path)
    winner_sentences(one)
    evidence_sentence(one.pair_counts)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert one.n_arms == 3000 and most < 7_000_000


@pytest.mark.parametrize(
    ("options", "items", "note"),
    [
        ({"items": 2}, ["a", "b"], "2 of 4 items, those that met most"),
        ({"min_duels": 2}, ["a", "b", "c"], "3 of 4 items that took part in at least 2 duels"),
        ({"min_duels": 2, "items": 2}, ["a", "b"], "2 of 4 items, those that met most"),
        ({}, ["a", "b", "c", "d"], ""),
    ],
)
def test_items_that_met_most(tmp_path, options, items, note):
    path = tmp_path / "t.csv"
    path.write_text("winner,loser\na,b\na,b\nb,a\na,c\nc,b\nd,a\n")
    one = load(path, **options)
    assert one.items == items and note in one.note


def test_items_of_rankings_and_bad_choices(tmp_path):
    path = tmp_path / "v.soi"
    path.write_text("# NUMBER ALTERNATIVES: 3\n5: 1,2\n1: 3,1\n")
    assert load(path, items=2).items == ["1", "2"]
    assert load(path, min_duels=2).items == ["1", "2"]
    with pytest.raises(WinnerstaysError, match=r"0 of 3 items had 9 duels \(most: 6\); lower min_duels"):
        load(path, min_duels=9)
    with pytest.raises(WinnerstaysError, match="min_duels is -1"):
        load(path, min_duels=-1)
    with pytest.raises(WinnerstaysError, match="there are 1 items to compare"):
        load(path, items=1)


def test_more_items_than_are_taken(tmp_path, monkeypatch):
    monkeypatch.setattr("winnerstays.problems.selection.MAX_ITEMS", 3)
    path = tmp_path / "t.csv"
    path.write_text("winner,loser\n" + "a,b\n" * 3 + "c,a\nb,d\n")
    one = load(path)
    assert one.items == ["a", "b", "c"] and "3 of 4 items, those that met most" in one.note


def test_bradley_terry_by_hand():
    """Where every pair met equally often and a model fits exactly, the fit is that model."""
    strengths = np.array([1.0, 0.2, -1.2])
    chance = 1 / (1 + np.exp(strengths - strengths[:, None]))
    wins = 1000 * chance
    np.fill_diagonal(wins, 0)
    assert fit_strengths(PairCounts.from_table(wins), prior=1e-6) == pytest.approx(strengths, abs=1e-4)


def test_bradley_terry_speaks_of_pairs_that_never_met():
    """a beats b 3 of 4 times, b beats c 3 of 4 times: the odds multiply, 9 to 1, and the prior draws them together."""
    wins = np.array([[0.0, 300, 0], [100, 0, 300], [0, 100, 0]])
    counted = Problem.from_counts(wins)
    assert counted.preferences[0, 2] == 0.5 and counted.best_arm is None
    fitted = Problem.from_counts(wins, fit="bradley-terry")
    assert fitted.preferences[0, 2] == pytest.approx(0.9, abs=0.005) and fitted.best_arm == 0
    assert fitted.fitted == "bradley-terry" and "1 pairs never met; all chances are fitted" in fitted.note
    filled = Problem.from_counts(wins, fit="bradley-terry-unmet")
    assert filled.preferences[0, 2] == pytest.approx(fitted.preferences[0, 2])
    assert filled.preferences[0, 1] == counted.preferences[0, 1]
    with pytest.raises(WinnerstaysError, match="no fit 'bt'"):
        Problem.from_counts(wins, fit="bt")
    with pytest.raises(WinnerstaysError, match="needs one above 0"):
        Problem.from_counts(wins, fit="bradley-terry", prior=0)


def test_a_fit_recovers_strengths_from_few_meetings():
    """60 items, each pair meets with chance 0.15, in 20 duels; seed fixed. True and fitted strengths correlate above
    0.95."""
    rng = np.random.default_rng(8)
    truth = rng.normal(size=60)
    wins = np.zeros((60, 60))
    for i in range(60):
        for j in range(i):
            if rng.random() < 0.15:
                won = rng.binomial(20, 1 / (1 + np.exp(truth[j] - truth[i])))
                wins[i, j], wins[j, i] = won, 20 - won
    found = Problem.from_counts(wins, fit="bradley-terry").chances.strength
    assert np.corrcoef(truth, found)[0, 1] > 0.95


def test_who_is_nearest_where_nobody_beats_everybody(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("winner,loser,count\na,b,6\nb,a,4\nb,c,7\nc,b,3\nc,a,9\na,c,1\na,d,5\nb,d,5\nc,d,5\n")
    said = winner_sentences(load(path))
    assert said[0] == "no Condorcet winner: no arm beats every other arm"
    assert said[1] == "nearest (Copeland): a, b, c, each beat 2 of 3 others; a tie counts half"
    assert said[2] == "a loses to c"
    assert said[3].startswith("highest mean chance (Borda): c, ")


def test_a_tie_is_no_loss():
    one = Problem([[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]], items=["a", "b", "c"])
    assert winner_sentences(one)[2] == "a loses to none"


def test_rankings_are_counted_alike_in_a_table_and_pair_by_pair(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    orders = "".join(f"{k + 1}: {','.join(map(str, rng.permutation(8)[: 3 + k % 5] + 1))}\n" for k in range(20))
    path = tmp_path / "v.soi"
    path.write_text("# NUMBER ALTERNATIVES: 8\n" + orders + "2: {1,3},2\n")
    for unranked in ("unknown", "below"):
        table = load(path, unranked=unranked).counts
        monkeypatch.setattr("winnerstays.problems.votes.LARGEST_TABLE", 3)
        assert np.array_equal(load(path, unranked=unranked).counts, table)
        monkeypatch.undo()
