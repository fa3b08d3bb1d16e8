"""The confidence of a favourite: by hand, and by simulation with a stated margin."""

import math

import pytest

from winnerstays import WinnerstaysError
from winnerstays.arena import Item, Settings
from winnerstays.arena.engine.learner import LearningRules
from winnerstays.arena.figures import standing as confidence
from winnerstays.compiling import COMPILED
from winnerstays.evidence import log_evidence
from winnerstays.randomness import stream, uniform


def items(count):
    return tuple(Item(id=f"item{k}") for k in range(count))


def test_evidence_by_hand():
    assert log_evidence(0, 0) == 0
    assert math.exp(log_evidence(1, 0)) == pytest.approx(1.5)  # 2 * integral of 2x over (1/2, 1)
    assert math.exp(log_evidence(0, 1)) == pytest.approx(0.5)
    assert math.exp(log_evidence(1, 1)) == pytest.approx(2 / 3)  # 2 * integral of 4x(1-x)
    # under 1/2 the next value is on average the present one
    for won, lost in ((3, 1), (10, 12), (0, 5)):
        records = ((won, lost), (won + 1, lost), (won, lost + 1))
        now, up, down = (math.exp(log_evidence(*record)) for record in records)
        assert (up + down) / 2 == pytest.approx(now)


def test_confidence_holds_at_every_moment():
    """Three items, p = 0.6: a wrong item is called best with 80 % in at most 20 % of runs, looking all the time."""
    runs, duels = (200, 600) if COMPILED else (40, 300)
    rules = LearningRules(Settings(name="any", items=items(3), seed=4))
    wrong = sure = 0
    for run in range(runs):
        state, rng, wins, named = rules.fresh(run), stream(9, run), {}, set()
        for _ in range(duels):
            first, second, _ = rules.serve(state)
            better, worse = min(first, second), max(first, second)
            winner, loser = (better, worse) if uniform(rng) < 0.6 else (worse, better)
            wins[winner, loser] = wins.get((winner, loser), 0) + 1
            state = rules.learn(state, first, second, state.step, "winner", winner).state
            favourite = rules.best(state)
            if confidence.confidence(confidence.rivals(["0", "1", "2"], favourite, wins)) >= 0.8:
                named.add(favourite)
        wrong += bool(named - {0})
        sure += 0 in named
    margin = 4 * math.sqrt(0.2 * 0.8 / runs)
    print(f"of {runs} runs, the best item was named in {sure}, a wrong one in {wrong}")
    assert wrong / runs <= 0.2 + margin
    assert sure > wrong


def test_certificate_and_needed_duels():
    assert confidence.certificate(3, 0.8) == pytest.approx(1 / 16)
    assert confidence.certificate(None, 0.8) is None
    with pytest.raises(WinnerstaysError, match=r"0\.5"):
        confidence.certificate(3, 0.5)
    weak = confidence.rivals(["a", "b", "c"], 0, {(0, 1): 6, (0, 2): 5, (2, 0): 1})
    strong = confidence.rivals(["a", "b", "c"], 0, {(0, 1): 12, (0, 2): 11, (2, 0): 1})
    assert confidence.duels_needed(weak, 0.95) > confidence.duels_needed(strong, 0.95) >= 0
    assert confidence.duels_needed(confidence.rivals(["a", "b"], 0, {(1, 0): 3}), 0.95) is None
