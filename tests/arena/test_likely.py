"""How likely a favourite is the best: few answers, skips, contradictions, many items, groups. Never a false 95 %."""

from random import Random

import pytest

from winnerstays.arena import Arena
from winnerstays.arena.figures.likely import MAX_CONTENDERS, answers_of, contenders
from winnerstays.web.game import progress

ITEMS = [f"item {number}" for number in range(8)]


def open_arena(items=ITEMS, **settings):
    return Arena.open("memory:", items=items, seed=1, **settings)


def play(arena, user, duels, choose):
    """Play duels as the page serves them; `choose` returns the winner, or None for a skip."""
    for _ in range(duels):
        duel = arena.ask(user, among=arena.arenas.database.turn(arena.name, user).pair)
        winner = choose(duel)
        arena.tell(duel, winner=winner) if winner else arena.tell(duel, outcome="skip")


def earlier(duel):
    return min(duel.left, duel.right)


@pytest.mark.parametrize("algorithm", ["ws-root", "ws-w"])
def test_a_consistent_person_is_known_after_few_answers(algorithm):
    with open_arena(algorithm=algorithm) as arena:
        play(arena, "ada", 40, earlier)
        standing = arena.standing("ada")
        assert standing.favourite == standing.places[0].item == "item 0"
        assert standing.likely > 0.9 and standing.certified < 0.5
        assert sum(place.best for place in standing.places) == pytest.approx(1)
        assert standing == arena.standing("ada")


@pytest.mark.parametrize("algorithm", ["ws-root", "ws-w"])
def test_skips_and_their_coins_are_no_answers(algorithm):
    with open_arena(algorithm=algorithm) as arena:
        play(arena, "ada", 30, lambda duel: None)
        standing = arena.standing("ada")
        assert standing.likely is None and standing.answers == 0


def test_an_answer_that_is_taken_back_is_none():
    with open_arena() as arena:
        play(arena, "ada", 3, earlier)
        before = arena.standing("ada")
        duel = arena.ask("ada")
        arena.tell(duel, winner=duel.left)
        arena.undo(duel)
        assert arena.standing("ada").places == before.places


@pytest.mark.parametrize("choose", ["left", "later", "coin"])
def test_contradictions_are_never_95_percent(choose):
    """Somebody who always clicks left, who never chooses twice alike, or who throws coins."""
    seen = set()

    def contradict(duel):
        pair = frozenset((duel.left, duel.right))
        seen.symmetric_difference_update({pair})
        return min(pair) if pair in seen else max(pair)

    rng = Random(1)
    rules = {
        "left": lambda duel: duel.left,
        "later": contradict,
        "coin": lambda duel: rng.choice((duel.left, duel.right)),
    }
    for seed in range(5):
        with Arena.open("memory:", items=ITEMS, seed=seed) as arena:
            play(arena, "ada", 40, rules[choose])
            assert (arena.standing("ada").likely or 0) < 0.95


def test_a_thousand_items_are_not_enough_yet():
    with open_arena([f"{number:04}" for number in range(1000)]) as arena:
        play(arena, "ada", 30, earlier)
        assert arena.standing("ada").likely is None


def test_items_beyond_the_contenders_must_have_lost():
    few = tuple(ITEMS)
    lost = answers_of([])
    assert contenders(few, lost, MAX_CONTENDERS) == (few, True)
    assert contenders(few, lost, 7)[1] is False


def test_one_voter_is_no_group():
    with open_arena(audience="everyone") as arena:
        play(arena, "ada", 10, earlier)
        assert arena.standing().likely is None
        play(arena, "ben", 10, earlier)
        standing = arena.standing()
        assert standing.likely > 0.5 and (standing.people, standing.answers) == (2, 20)


def test_a_group_that_is_divided_has_no_winner():
    with open_arena(audience="everyone") as arena:
        for voter in range(6):
            play(arena, f"voter {voter}", 12, earlier if voter % 2 else lambda duel: max(duel.left, duel.right))
        assert arena.standing().likely < 0.95


def test_no_pair_comes_three_times_in_a_row_and_skipped_ones_come_later():
    with open_arena() as arena:
        pairs, skipped = [], []
        for at in range(60):
            duel = arena.ask("ada", among=arena.arenas.database.turn(arena.name, "ada").pair)
            pair = frozenset((duel.left, duel.right))
            assert pairs[-2:] != [pair, pair] and pair not in skipped[-5:]
            pairs.append(pair)
            skipped.append(pair if at % 7 == 3 else None)
            arena.tell(duel, outcome="skip") if at % 7 == 3 else arena.tell(duel, winner=earlier(duel))


def test_the_estimate_of_duels_left_never_jumps():
    with open_arena() as arena:
        before = None
        for _ in range(100):
            turn = arena.arenas.database.turn(arena.name, "ada")
            now = progress(turn.own, arena, before)
            if now.done:
                break
            assert before is None or before / 2 <= now.left <= 2 * before
            before = now.left
            duel = arena.ask("ada", among=turn.pair)
            arena.tell(duel, winner=earlier(duel))
        assert now.done and now.answers <= 30
