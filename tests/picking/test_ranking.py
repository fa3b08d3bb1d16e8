"""`rank` on boards small enough to solve by hand, and beside choix and evalica where they are installed."""

import json
import math

import numpy as np
import pytest

from winnerstays import WinnerstaysError, pick
from winnerstays.picking import rank


def scores(board):
    return {place.item: place.score for place in board.places}


def simulated(n_items, n_votes, *, side=0.0, ties=0.0, seed=0):
    """Votes by strengths from 1 to -1, as (left, right, outcome)."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, -1, n_items)
    votes = []
    for _ in range(n_votes):
        left, right = rng.choice(n_items, 2, replace=False)
        chance = 1 / (1 + math.exp(-(strength[left] - strength[right] + side)))
        outcome = "tie" if rng.random() < ties else "left" if rng.random() < chance else "right"
        votes.append((f"m{left}", f"m{right}", outcome))
    return votes


def test_two_items_by_hand():
    """30 to 10: log odds log 3 between them, with variance 1/30 + 1/10; a score is half of that from the mean."""
    board = rank([("a", "b")] * 30 + [("b", "a")] * 10)
    assert scores(board) == pytest.approx({"a": math.log(3) / 2, "b": -math.log(3) / 2})
    half = 1.959964 * math.sqrt(1 / 30 + 1 / 10) / 2
    assert board.places[0].low == pytest.approx(math.log(3) / 2 - half, abs=1e-6) and board.side == 0
    assert [place.rank for place in board.places] == [1, 2] and board.votes == 40


def test_what_cannot_be_told_apart_shares_a_rank():
    """a and b are even, and both beat c 30 to 10."""
    even = [("a", "b"), ("b", "a")] * 20
    board = rank(even + [("a", "c"), ("b", "c")] * 30 + [("c", "a"), ("c", "b")] * 10)
    assert [(place.rank, place.item) for place in board.places] == [(1, "a"), (1, "b"), (3, "c")]
    assert "rank" in str(board) and " 3  c" in str(board)


def test_a_tie_is_half_a_vote_or_has_a_chance_of_its_own():
    votes = [("a", "b", "left")] * 20 + [("b", "a", "right")] * 20 + [("a", "b", "right"), ("b", "a", "left")] * 10
    tied = [*votes, *[("a", "b", "tie"), ("b", "a", "tie")] * 10]
    half, davidson = rank(tied), rank(tied, ties="davidson")
    assert scores(half)["a"] == pytest.approx(math.log(50 / 30) / 2)
    assert scores(davidson)["a"] == pytest.approx(math.log(40 / 20) / 2)
    nu = 20 / math.sqrt(40 * 20)  # with two items the model fits the shares exactly
    assert davidson.tie_share == pytest.approx(nu / (2 + nu)) and half.tie_share is None


def test_the_side_is_fitted_beside_the_scores():
    """Left adds 0.5 to the log odds; strengths are found although one item always stands left. 4 standard errors."""
    board = rank(simulated(5, 4000, side=0.5, seed=1))
    error = (board.side_high - board.side_low) / (2 * 1.96)
    assert abs(board.side - 0.5) <= 4 * error < 0.2 and "the left one is chosen in 6" in str(board)
    assert [place.item for place in board.places] == ["m0", "m1", "m2", "m3", "m4"]


def test_intervals_hold_the_truth_as_often_as_they_say():
    """95 % intervals of 5 items over 60 boards: 300 in all; at least 95 % less 4 standard errors."""
    truth = np.linspace(1, -1, 5)
    held = 0
    for seed in range(60):
        board = rank(simulated(5, 300, seed=seed))
        held += sum(place.low <= truth[int(place.item[1])] <= place.high for place in board.places)
    assert held / 300 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 300)


def test_the_bootstrap_agrees_where_votes_are_independent_and_not_where_people_repeat_themselves(tmp_path):
    votes = simulated(4, 400, seed=3)
    path = tmp_path / "votes.csv"
    rows = [f"{left},{right},{outcome},u{k}" for k, (left, right, outcome) in enumerate(votes) for _ in range(9)]
    path.write_text("left,right,winner,user\n" + "\n".join(rows))

    def width(board):
        return board.places[0].high - board.places[0].low

    single, repeated = rank(votes, bootstrap=200), rank(path)
    assert width(single) == pytest.approx(width(rank(votes)), rel=0.25)
    assert width(rank(path, bootstrap=200, by="user")) == pytest.approx(3 * width(repeated), rel=0.25)


def test_the_store_of_a_pick_is_ranked(tmp_path):
    store = str(tmp_path / "run.db")
    pick(["a", "b", "c"], lambda left, right, example: sorted((left, right))[example % 4 == 0], store=store,
         examples=range(40), seed=1)  # fmt: skip
    assert rank(store, prior=0.1).places[0].item == "a"


def test_a_board_is_written_and_drawn(tmp_path):
    board = rank(simulated(3, 200))
    assert json.loads(board.to_json(tmp_path / "b.json"))["places"][0]["item"] == "m0"
    board.plot(tmp_path / "b.png")
    assert (tmp_path / "b.png").stat().st_size > 1000


def test_from_the_shell(tmp_path, run):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\n" + "\n".join(map(",".join, simulated(3, 300))))
    code, out, err = run("rank", str(path), "--plot", str(tmp_path / "b.svg"))
    assert code == 0 and out.split("\n")[1].split()[:2] == ["1", "m0"] and (tmp_path / "b.svg").exists(), err
    assert json.loads(run("rank", str(path), "--json", "-", "--ties", "davidson")[1])["votes"] == 300
    code, _, err = run("rank", str(path), "--by", "user")
    assert code == 2 and "There is no column 'user'" in err


@pytest.mark.parametrize(
    ("votes", "options", "sentence"),
    [
        ([("a", "b"), ("b", "c"), ("c", "b")], {}, "'a' won or lost all votes"),
        ([], {}, "There are no votes"),
        ([("a", "b", "c")], {}, "outcome must be 'left', 'right' or 'tie'"),
        (["ab"], {}, "A vote is 'ab'"),
        ([("a", "b")], {"level": 2}, "level is 2"),
        ([("a", "b")], {"ties": "no"}, "ties is 'no'"),
        ([("a", "b")], {"prior": -1}, "prior is -1"),
        ([("a", "b")], {"by": "user"}, "these votes are in memory"),
        ([("a", "b", "left"), ("b", "a", "left")], {}, "All votes are for the same side"),
    ],
)
def test_bad_votes_get_a_sentence(votes, options, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        rank(votes, **options)


def test_a_small_prior_hardly_changes_a_clear_board():
    """Two items, 3,000 votes to 1,000: the interval is that of the log odds, halved."""
    board = rank([("a", "b")] * 3000 + [("b", "a")] * 1000, prior=0.1)
    half = 1.959964 * math.sqrt(1 / 3000 + 1 / 1000) / 2
    assert (board.places[0].high - board.places[0].low) / 2 == pytest.approx(half, rel=0.01)
    assert rank([("a", "b", "left"), ("b", "a", "left")] * 9, prior=0.1).side > 1


def test_it_agrees_with_choix():
    choix = pytest.importorskip("choix", reason="choix is not installed: pip install choix")
    votes = [vote[:2] if vote[2] == "left" else vote[1::-1] for vote in simulated(8, 600, seed=4)]
    theirs = choix.ilsr_pairwise(8, [(int(winner[1]), int(loser[1])) for winner, loser in votes])
    mine = scores(rank(votes))
    assert [mine[f"m{k}"] for k in range(8)] == pytest.approx(list(theirs - theirs.mean()), abs=1e-5)


def test_it_agrees_with_evalica():
    evalica = pytest.importorskip("evalica", reason="evalica is not installed: pip install evalica")
    votes = simulated(8, 600, ties=0.2, seed=5)
    winners = [
        {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}[vote[2]] for vote in votes
    ]
    found = evalica.bradley_terry([vote[0] for vote in votes], [vote[1] for vote in votes], winners, tolerance=1e-12)
    theirs = {name: math.log(score) for name, score in found.scores.items()}
    mean = sum(theirs.values()) / 8
    sideless = [
        row for left, right, outcome in votes for row in ((left, right, outcome), (right, left, FLIPPED[outcome]))
    ]
    mine = scores(rank(sideless))
    assert mine == pytest.approx({name: score - mean for name, score in theirs.items()}, abs=1e-5)


FLIPPED = {"left": "right", "right": "left", "tie": "tie"}


@pytest.mark.parametrize("last", ["c", "tie"])
def test_votes_that_only_the_sides_explain_have_no_board_without_a_prior(last, tmp_path):
    """Each pair is won from both sides in turn, so some scores grow without end beside that of the side."""
    rows = ["a,b,a", "a,c,a", "b,c,b", "a,b,b", "c,a,a", f"b,c,{last}"]
    (tmp_path / "votes.csv").write_text("\n".join(["left,right,winner", *rows]))
    for ties in ("half", "davidson"):
        with pytest.raises(WinnerstaysError, match=r"no most likely scores.*--prior 0\.1"):
            rank(tmp_path / "votes.csv", ties=ties)
    assert rank(tmp_path / "votes.csv", prior=0.1).places[0].item in "ab"


def test_no_votes_and_few_samples_are_refused(tmp_path):
    (tmp_path / "none.csv").write_text("winner,loser\n")
    (tmp_path / "one.csv").write_text("winner,loser\na,a\n")
    for name in ("none.csv", "one.csv"):
        with pytest.raises(WinnerstaysError, match="There are no votes"):
            rank(tmp_path / name, prior=1.0)
    for samples in (-5, 1):
        with pytest.raises(WinnerstaysError, match=f"bootstrap is {samples}"):
            rank([("a", "b"), ("b", "a")], bootstrap=samples)
