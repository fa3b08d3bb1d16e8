"""Figures and whole arenas: what is learned, counted and replayed; renaming, closing, deleting."""

import random
from collections import Counter

from tests.arena.contract.subject import ITEMS, Subject, assert_replays, new_arena
from tests.arena.contract.support import check_raises
from winnerstays.arena import (
    Answer,
    Arena,
    DifferentArenaError,
    Duel,
    Event,
    UnknownArenaError,
    UnknownUserError,
)
from winnerstays.errors import WinnerstaysError


def check_sides_are_fair(subject: Subject) -> None:
    """400 duels of the same learner: left and right within 4 standard errors (40) of 200; bias sees the habit."""
    arena, _ = new_arena(subject, algorithm="ws-w", audience="everyone")
    duels = arena.ask_many([None] * 400)
    lefts = Counter(duel.left for duel in duels)
    assert len(lefts) == 2 and all(abs(count - 200) <= 40 for count in lefts.values()), lefts
    arena.tell_many([(duel, duel.left if k % 4 else duel.right) for k, duel in enumerate(duels)])
    bias = arena.bias()
    assert (bias.left, bias.right) == (300, 100) and bias.low < 0.75 < bias.high and bias.low > 0.5, bias


def check_learns_the_favourite(subject: Subject) -> None:
    """Whoever always chooses tacos is known to like tacos, with a confidence that counts."""
    arena, _ = new_arena(subject, algorithm="ws-w")
    for _ in range(120):
        duel = arena.ask("ada")
        arena.tell(duel, winner="tacos" if "tacos" in duel else duel.left)
    standing = arena.standing("ada", p=0.8)
    assert arena.best("ada") == standing.favourite == "tacos"
    assert standing.sure and standing.certified > 0.95 and standing.duels_needed == 0, standing
    assert standing.certificate is not None and standing.certificate < 0.01 and "tacos" in str(standing)


def check_figures(subject: Subject) -> None:
    """Totals and the summary are those of the log, by pair, side and kind; robots are counted apart."""
    arena, _ = new_arena(subject, algorithm="ws-w")
    for user in ("ada", "bob", "robot-1"):
        for _ in range(6):
            duel = arena.ask(user)
            arena.tell(duel, winner="pho" if "pho" in duel else duel.left)
    arena.tell(arena.ask("ada"), outcome="skip")
    arena.ask("bob")
    for robots in (False, True):
        events = [one for one in arena.events() if (one.user or "").startswith("robot-") == robots]
        wins = Counter(
            (event.winner, event.right if event.winner == event.left else event.left)
            for event in events if event.winner is not None
        )  # fmt: skip
        totals = arena.totals(robots=robots)
        assert {(win.winner, win.loser): win.times for win in totals.wins} == wins
        assert totals.kinds == Counter(event.kind for event in events)
        assert totals.left == sum(event.winner == event.left for event in events if event.winner is not None)
        assert totals.left + totals.right == wins.total() == (6 if robots else 12)
        assert totals.hours["served"] == {277: totals.kinds["served"]}  # the clock stands in the hour 277 since 1970
    assert arena.bias().left + arena.bias().right == 12
    summary = arena.summary()
    favourites = Counter(arena.best(user) for user in ("ada", "bob"))
    assert summary.favourites == favourites and summary.learners == summary.summarised == summary.looked_at == 2
    assert sum(summary.rounds.values()) == 2 and summary.sure == 0 and set(summary.newest) == {"ada", "bob"}
    check_raises(WinnerstaysError, lambda: arena.summary(level=1.0), "level")
    living, _ = new_arena(subject, "living", algorithm="ws-root")
    for _ in range(3):
        duel = living.ask("ada")
        living.tell(duel, winner=min(duel.left, duel.right))
    retired = living.best("ada")
    living.retire([retired])
    assert living.summary().favourites == {living.best("ada"): 1} and living.best("ada") != retired


def check_replay(subject: Subject) -> None:
    """Replay rebuilds every learner byte for byte."""
    arena, clock = new_arena(subject, patience=2, expires_after=5)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", algorithm="ws-s", ties="coin")
    rng = random.Random(3)
    duels: list[Duel] = []
    for _ in range(300):
        one = rng.choice((arena, shared))
        duels.append(one.ask(rng.choice("abc")))
        duel = rng.choice(duels[-6:])
        outcome = rng.choice(("winner", "winner", "tie", "skip", "none"))
        winner = rng.choice((duel.left, duel.right)) if outcome == "winner" else None
        arena.arenas.tell(Answer(duel.id, winner, outcome))
        clock.now += rng.random()
    replay = subject.replay()
    assert replay.equal and replay.learners == 4 and replay.accepted > 100, replay


def check_popular_items(subject: Subject) -> None:
    """Items over all people, the best first; ranks are shared where the answers do not tell."""
    arena, _ = new_arena(subject, algorithm="ws-root", crowd=False)
    assert [one.rank for one in arena.popular()] == [1, 1, 1, 1]
    arena.retire(["curry"])
    for number in range(30):
        for _ in range(3):
            duel = arena.ask(f"user {number}")
            arena.tell(duel, winner="pho" if "pho" in duel else duel.left)
    first, *others = arena.popular()
    assert (first.item, first.rank, first.lost) == ("pho", 1, 0) and first.low > max(one.high for one in others)
    assert [one.rank for one in others] == [2, 2] and sum(one.won for one in (first, *others)) == 90


def check_control_group(subject: Subject) -> None:
    """The log says who is in the control group; the uplift is that of the log, robots left out; replay is equal."""
    for audience, algorithm in (("user", "ws-root"), ("user", "ws-w"), ("everyone", "ws-root")):
        arena, _ = new_arena(
            subject, f"{audience} {algorithm}", audience=audience, algorithm=algorithm, holdout=0.5, probes=0.5,
            control=["tacos", "pho"],
        )  # fmt: skip
        for number in range(12):
            user, rng = f"{'robot-' if number == 0 else ''}{number}", random.Random(number)
            for _ in range(5):
                duel = arena.ask(user, fresh=True)
                outcome = rng.choice(("winner", "winner", "winner", "tie", "skip", "none", ""))
                if outcome:
                    arena.tell(duel, duel.left if outcome == "winner" else None, outcome=outcome)
                    if outcome == "winner" and number == 3 and audience == "user":
                        arena.undo(duel)
            if number % 3 and audience == "user":
                arena.reward(user, number / 2)
        uplift, found = arena.uplift(), _shares_of_log(arena)
        assert {one.measure for one in uplift.comparisons} >= {"chosen", "answered", "passed"}, uplift
        for group in ("control", "learner"):
            assert getattr(uplift, group).people == len(found[group])
            for one in uplift.comparisons:
                mean = getattr(one, group)
                values = [shares[one.measure] for shares in found[group] if one.measure in shares]
                expected = sum(values) / len(values)
                assert mean.people == len(values) and mean.low <= mean.mean <= mean.high
                assert abs(mean.mean - expected) < 1e-5, (one, expected)
    check_raises(WinnerstaysError, lambda: arena.uplift(level=0), "level")
    assert_replays(subject)
    arena.arenas["user ws-w"].erase("1")
    assert_replays(subject)


def _shares_of_log(arena: Arena) -> dict[str, list[dict[str, float]]]:
    """Return what `uplift` measures: of each person, or of each duel."""
    shared = arena.settings.audience == "everyone"
    visits: dict[str, list[Event]] = {}
    for event in arena.events():
        if event.arm is not None:
            visits.setdefault(str(event.duel if shared else event.user), []).append(event)
    found: dict[str, list[dict[str, float]]] = {"control": [], "learner": []}
    for rows in visits.values():
        undone = {row.duel for row in rows if row.kind == "undone"}
        shown = [row for row in rows if row.kind == "served"]
        answers = [row for row in rows if row.kind in ("learned", "noted") and row.duel not in undone]
        probes = [row.winner == row.probe for row in answers if row.probe is not None and row.winner is not None]
        rewards = [row.value or 0 for row in rows if row.kind == "rewarded"]
        shares = {
            "answered": sum(row.outcome in ("winner", "tie") for row in answers) / len(shown),
            "passed": sum(row.outcome in ("skip", "none") for row in answers) / len(shown),
            "converted": float(bool(rewards)),
            "reward": sum(rewards),
        }
        if probes:
            shares["chosen"] = sum(probes) / len(probes)
        found["learner" if shown[0].arm == "learner" else "control"].append(shares)
    return found


def check_rewards(subject: Subject) -> None:
    """A reward is logged once for its key, with the arm of the user, who must have been served a duel."""
    arena, _ = new_arena(subject, holdout=0.5)
    check_raises(UnknownUserError, lambda: arena.reward("ada"), "ada")
    for user in ("ada", "bob"):
        arena.tell(arena.ask(user), outcome="tie")
        first, again = (arena.reward(user, 2.5, key="order 1") for _ in range(2))
        assert (first.duplicate, again.duplicate, first.value) == (False, True, 2.5) and first.arm == again.arm
        assert first.arm == arena.ask(user).arm is not None
        arena.reward(user), arena.reward(user)
    check_raises(WinnerstaysError, lambda: arena.reward("ada", 3, key="order 1"), "2.5")
    for wrong in (-1.0, float("nan"), float("inf"), 1e6, "much", True):
        check_raises(WinnerstaysError, lambda wrong=wrong: arena.reward("ada", wrong))  # type: ignore[misc]
    rewards = [(event.user, event.value, event.key) for event in arena.events() if event.kind == "rewarded"]
    assert rewards == [(user, *one) for user in ("ada", "bob") for one in ((2.5, "order 1"), (1.0, None), (1.0, None))]
    assert_replays(subject)
    everyone = arena.arenas.create("all", ITEMS, audience="everyone")
    everyone.ask("ada")
    check_raises(WinnerstaysError, lambda: everyone.reward("ada"), "everyone")
    arena.erase("ada")
    assert [event.user for event in arena.events() if event.kind == "rewarded"] == ["bob"] * 3
    assert_replays(subject)


def check_arenas_change(subject: Subject) -> None:
    """An arena gets another name, and is closed; what learning depends on cannot be changed."""
    arena, clock = new_arena(subject)
    arena.arenas.create("music", ["bach", "abba"])
    elsewhere = subject.connect(clock)["lunch"]
    duel = elsewhere.ask("ada")
    check_raises(DifferentArenaError, lambda: arena.change(name="music"), "music")
    check_raises(WinnerstaysError, lambda: arena.change(algorithm="ws-s"), "fixed")
    arena.change(name="dinner")
    assert arena.name == "dinner" and arena.arenas.names() == ["dinner", "music"]
    check_raises(UnknownArenaError, lambda: elsewhere.ask("ada"))
    assert arena.ask("ada").id == duel.id and subject.connect(clock)["dinner"].ask("ada").id == duel.id
    arena.change(closed=True)
    check_raises(WinnerstaysError, lambda: arena.ask("bob"), "closed")
    assert arena.tell(duel, winner=duel.left).status == "learned"
    arena.change(closed=False)
    assert arena.ask("bob").arena == "dinner"
    assert_replays(subject)


def check_delete(subject: Subject) -> None:
    """A deleted arena is gone for everybody at once, with its learners and rows; the others stay, its name is free."""
    arena, clock = new_arena(subject)
    shared = arena.arenas.create("all", ITEMS, audience="everyone", seed=5)
    elsewhere = subject.connect(clock)["lunch"]
    for user in ("ada", "bob"):
        for one in (arena, shared):
            one.tell(one.ask(user), outcome="tie")
    duel, before = elsewhere.ask("ada"), list(shared.events())
    deleted = arena.arenas.delete("lunch")
    assert (deleted.arena, deleted.learners) == ("lunch", 2) and deleted.rows >= 6, deleted
    assert arena.arenas.names() == ["all"] and list(shared.events()) == before and shared.totals().kinds["served"] == 2
    assert {event.arena for event in arena.arenas.events()} == {"all", ""}
    for gone in (arena, elsewhere):
        check_raises(UnknownArenaError, lambda gone=gone: gone.tell(duel, winner=duel.left))  # type: ignore[misc]
        check_raises(UnknownArenaError, lambda gone=gone: gone.ask("ada"))  # type: ignore[misc]
    check_raises(UnknownArenaError, lambda: arena.arenas.delete("lunch"), "lunch")
    arena.arenas.create("lunch", ["soup", "salad"])
    assert "soup" in elsewhere.ask("ada") and arena.ask("ada") == elsewhere.ask("ada")
    assert_replays(subject)
