"""How likely a favourite is the best: few answers, skips, contradictions, many items, groups. Never a false 95 %."""

from random import Random

import pytest

from winnerstays.arena import Arena, Ask
from winnerstays.arena.figures.likely import MAX_CONTENDERS, answers_of, contenders
from winnerstays.web.game import progress
from winnerstays.web.winner import of_poll

ITEMS = [f"item {number}" for number in range(8)]


def open_arena(items=ITEMS, **settings):
    return Arena.open("memory:", items=items, seed=1, **settings)


def play(arena, user, duels, choose):
    """Play duels as the page serves them; `choose` returns the winner, or None for a skip."""
    for _ in range(duels):
        duel = as_page(arena, user)
        winner = choose(duel)
        arena.tell(duel, winner=winner) if winner else arena.tell(duel, outcome="skip")


def as_page(arena, user):
    """Ask for a duel as the page does."""
    turn = arena.arenas.database.turn(arena.name, user)
    among = turn.pair if turn.free else None
    (duel,) = arena.arenas.backend.execute([Ask(arena.name, user, among=among, avoid=turn.avoid, instead=turn.pair)])
    return duel


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


@pytest.mark.parametrize("audience", ["user", "everyone"])
@pytest.mark.parametrize("holdout", [0.0, 0.5])
@pytest.mark.parametrize("algorithm", ["tastes", "ws-w", "ws-root", "random"])
@pytest.mark.parametrize("items", [3, 8])
def test_no_pair_comes_three_times_in_a_row_and_no_skipped_one_at_once(items, algorithm, holdout, audience):
    """As the page serves them: the learner's own pairs, those of the control group, probes, and what comes between."""
    if (algorithm, audience) == ("tastes", "everyone"):
        return
    settings = {"algorithm": algorithm, "holdout": holdout, "probes": 0.3, "audience": audience}
    with open_arena(ITEMS[:items], **settings) as arena:
        for user in ("ada", "ben", "cleo"):
            pairs, skipped = [], False
            for at in range(30):
                duel = as_page(arena, user)
                pair = frozenset((duel.left, duel.right))
                assert pairs[-2:] != [pair, pair] and not (skipped and pair == pairs[-1])
                pairs.append(pair)
                skipped = at % 7 in (3, 4, 5)
                answer = {"outcome": "skip"} if skipped else {"winner": earlier(duel)}
                arena.tell(duel, user=user, **answer)
        assert arena.arenas.replay().equal


def test_ws_w_learns_only_its_own_pairs_and_a_pair_between_is_noted():
    """Without limits ws-w shows one pair until it is decided; on the page its favourite meets others in between."""
    with open_arena(algorithm="ws-w") as arena:
        for _ in range(60):
            duel = as_page(arena, "ada")
            arena.tell(duel, winner=earlier(duel))
        kinds = [event.kind for event in arena.events() if event.kind != "served"]
        assert kinds.count("noted") > 0 and arena.standing("ada").learned == kinds.count("learned")
        assert arena.standing("ada").answers == 60 and arena.best("ada") == "item 0"


def test_coins_after_skips_make_no_favourite():
    """Skipped three times, ws-w is moved on by coins: the summary counts nobody until somebody has chosen."""
    with open_arena(algorithm="ws-w") as arena:
        for _ in range(9):
            arena.tell(arena.ask("ada"), outcome="skip")
        assert arena.standing("ada").learned > 0 and arena.summary().favourites == {}
        arena.tell(duel := arena.ask("ada"), winner=duel.left)
        assert sum(arena.summary().favourites.values()) == 1


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


def vote(arena, voters, duels, choose):
    """Let voters answer as the page serves them; `choose` returns what is told."""
    for voter in range(voters):
        for _ in range(duels):
            arena.tell(duel := as_page(arena, f"voter {voter}"), user=f"voter {voter}", **choose(duel))


@pytest.mark.parametrize(
    ("items", "choose", "sentence"),
    [
        (8, lambda duel: {"outcome": "skip"}, "Not enough yet: 0 people, 0 answers."),
        (8, lambda duel: {"outcome": "tie"}, "leads ("),
        (8, lambda duel: {"winner": duel.left}, "leads ("),
        (1000, lambda duel: {"winner": earlier(duel)}, "Not enough yet: 4 people, 40 answers."),
    ],
    ids=["everybody skips", "all equal", "always left", "1,000 items"],
)
def test_a_poll_without_a_winner_names_none(items, choose, sentence):
    with open_arena([f"{number:04}" for number in range(items)], audience="everyone") as arena:
        vote(arena, 4, 10, choose)
        assert sentence in of_poll(arena)["sentence"] and "wins" not in of_poll(arena)["sentence"]


def test_a_vote_counts_in_a_poll_however_many_vote():
    with open_arena(ITEMS[:4], audience="everyone") as arena:
        vote(arena, 120, 3, lambda duel: {"winner": earlier(duel)})
        assert (
            "item 0 wins (" in of_poll(arena)["sentence"] and "120 people, 360 answers." in of_poll(arena)["sentence"]
        )


@pytest.mark.parametrize("outcome", ["tie", "winner"])
def test_few_or_equal_answers_make_nobody_sure(outcome):
    """All ties, and fewer answers than items."""
    with open_arena() as arena:
        for _ in range(32 if outcome == "tie" else 5):
            duel = as_page(arena, "ada")
            arena.tell(duel, outcome="tie") if outcome == "tie" else arena.tell(duel, winner=earlier(duel))
        assert (arena.standing("ada").likely or 0) < 0.6
