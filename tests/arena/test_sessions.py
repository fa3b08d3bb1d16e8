"""Sessions: rankers as items, clicks as answers; everything that was shown and clicked is in the log."""

import json

import pytest

from winnerstays.arena import Arena, Arenas
from winnerstays.errors import WinnerstaysError
from winnerstays.interleaving import Interleaved

LISTS = {"bm25": ["a", "b", "c", "d"], "neural": ["c", "x", "a", "y"], "fresh": ["y", "z", "a", "b"]}


@pytest.fixture
def arena():
    with Arena.open("memory:", items=[*LISTS], audience="everyone", seed=1) as arena:
        yield arena


def owned_by(session, ranker):
    """Return the position of a result that this ranker added."""
    side = (session.duel.left, session.duel.right).index(ranker)
    return session.page.owners.index(side) + 1


def test_the_ranker_whose_result_is_clicked_wins(arena):
    session = arena.session(None, LISTS, length=4)
    assert len(session.shown) == 4 and session.outcome == "nothing" and session.winner is None
    session.clicked(owned_by(session, session.duel.right))
    assert session.close().status == "learned" and session.winner == session.duel.right
    *_, answer = arena.events()
    assert (answer.kind, answer.outcome, answer.winner) == ("learned", "winner", session.duel.right)


def test_the_log_holds_what_was_shown_and_clicked_so_that_another_rule_can_be_tried(arena):
    session = arena.session(None, LISTS, length=4)
    left, right = owned_by(session, session.duel.left), owned_by(session, session.duel.right)
    others = [place for place in range(1, 5) if session.page.owners[place - 1] == 1 and place != right]
    for place in (left, right, others[0]):
        session.clicked(place)
    session.close()
    (event,) = (event for event in arena.events() if event.session)
    page = Interleaved.from_json(event.session["page"])
    assert page == session.page and event.session["clicks"] == session.clicks
    assert event.winner == session.duel.right and page.credit(event.session["clicks"], "first-click") == "first"
    assert arena.arenas.replay().equal


def test_only_the_rankers_that_are_needed_are_called(arena):
    called = []

    def results(ranker):
        called.append(ranker)
        return LISTS[ranker]

    session = arena.session("ada", results)
    assert called == [session.duel.left, session.duel.right]
    lazy = {ranker: lambda ranker=ranker: results(ranker) for ranker in LISTS}
    arena.session("bob", lazy)
    assert len(called) == 4


def test_rankings_of_some_rankers_compare_these(arena):
    for _ in range(5):
        duel = arena.session(None, {"neural": ["a"], "fresh": ["b"]}).duel
        assert {duel.left, duel.right} == {"neural", "fresh"}


def test_closing_again_changes_nothing_and_clicks_after_it_are_refused(arena):
    session = arena.session(None, LISTS)
    copy = arena.resume(json.loads(json.dumps(session.to_json())))
    session.clicked(result=session.shown[0])
    receipt = session.close()
    assert session.close() is receipt
    with pytest.raises(WinnerstaysError, match="The session is closed; a click after that is not counted"):
        session.clicked(2)
    copy.clicked(1)
    assert copy.close().status == "duplicate"
    assert sum(event.session is not None for event in arena.events()) == 1


def test_a_tie_and_a_session_without_clicks_teach_nothing(arena):
    tie, nothing = arena.session(None, LISTS), arena.session(None, LISTS)
    tie.clicked(owned_by(tie, tie.duel.left))
    tie.clicked(owned_by(tie, tie.duel.right))
    assert tie.outcome == "tie"
    assert (tie.close().status, nothing.close().status) == ("noted", "noted")
    assert [event.outcome for event in arena.events() if event.session] == ["tie", "skip"]


def test_rankers_that_return_nothing(arena):
    session = arena.session(None, lambda ranker: [])
    assert session.shown == ()
    with pytest.raises(WinnerstaysError, match="no position 1; nothing was shown"):
        session.clicked(1)
    assert session.close().status == "noted"


def test_the_best_ranker_is_learned_and_then_shown_alone():
    """`ws-t` pairs the best ranker with itself once it is sure; its list is then its own."""
    lists = {"good": ["r", *"abc"], "fair": ["a", "r", *"bc"], "bad": [*"abc", "r"]}
    with Arena.open("memory:", items=[*lists], audience="everyone", regret="strong", ties="coin", seed=1) as arena:
        for _ in range(300):
            session = arena.session(None, lists, length=4)
            session.clicked(result="r")
            assert session.close().accepted
        assert arena.best() == "good"
        assert (session.duel.left, session.duel.right) == ("good", "good") and session.shown == ("r", "a", "b", "c")
        assert arena.arenas.replay().equal


def test_many_sessions_are_open_at_once_and_a_late_one_teaches_nothing():
    now = [0.0]
    with Arena.open(
        "memory:", items=[*LISTS], audience="everyone", expires_after=60.0, clock=lambda: now[0], seed=1
    ) as arena:
        sessions = [arena.session(f"visitor {k}", LISTS) for k in range(30)]
        assert len({session.duel.id for session in sessions}) == 30
        for session in sessions:
            session.clicked(1)
        assert all(session.close().accepted for session in sessions[:29])
        now[0] = 61.0
        assert sessions[29].close().status == "late"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"rankings": {**LISTS, "neurl": []}},
            "There is no item 'neurl'; did you mean 'neural'",
        ),
        ({"rankings": [["a"], ["b"]]}, "but it must map rankers to their results, or be a function"),
        ({"rankings": LISTS, "method": "best"}, "There is no method 'best'"),
        ({"rankings": LISTS, "length": 0}, "The length is 0, but it must be a whole number from 1 to 100"),
        ({"rankings": LISTS, "rule": "last"}, "There is no rule 'last'"),
        ({"rankings": {"bm25": ["a"]}}, "A duel needs 2 items"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_a_duel_is_served(arena, arguments, sentence):
    with pytest.raises(WinnerstaysError) as refused:
        arena.session(None, **arguments)
    assert sentence in str(refused.value)
    assert not any(event.kind == "served" for event in arena.events())


def test_wrong_clicks_are_refused(arena):
    session = arena.session(None, LISTS, length=3)
    for wrong, sentence in [
        ({"position": 4}, "There is no position 4; positions are 1 to 3"),
        ({"position": 0}, "There is no position 0"),
        ({"result": "q"}, "There is no result 'q' of the list that was shown"),
        ({}, "What was clicked"),
        ({"position": 1, "result": "a"}, "What was clicked"),
    ]:
        with pytest.raises(WinnerstaysError, match=sentence):
            session.clicked(**wrong)
    assert session.clicks == []
    with pytest.raises(WinnerstaysError, match="This is no session"):
        arena.resume({"duel": "x"})


GOOD = Interleaved("team_draft", ("a", "b"), ((1, None), (None, 1)), (1, 1), (0, 1)).to_json()


@pytest.mark.parametrize(
    ("session", "sentence"),
    [
        ({"page": GOOD}, "A session has the fields page, clicks, rule"),
        ({"page": GOOD, "clicks": [1], "colour": 1}, "A session has the fields"),
        (7, "A session has the fields"),
        ({"page": {}, "clicks": [1]}, "This is no interleaved list"),
        ({"page": GOOD, "clicks": [3]}, "There is no position 3; positions are 1 to 2."),
        ({"page": GOOD, "clicks": 1}, "a list of the positions"),
        ({"page": GOOD, "clicks": [1], "rule": "last"}, "There is no rule 'last'"),
        ({"page": {**GOOD, "shown": ["a" * 30_000, "b"]}, "clicks": [1]}, "but may have 20,000"),
        ({"page": {**GOOD, "shown": [["a"], "b"]}, "clicks": [1]}, "This is no interleaved list"),
    ],
)
def test_a_damaged_session_is_refused_and_can_be_sent_again(arena, session, sentence):
    duel = arena.ask()
    (receipt,) = arena.tell_many([{"duel": duel.id, "session": session}])
    assert receipt.status == "invalid" and sentence in receipt.reason
    (receipt,) = arena.tell_many([{"duel": duel.id, "session": {"page": GOOD, "clicks": [2]}}])
    assert receipt.status == "learned"
    assert [event.winner for event in arena.events() if event.kind == "learned"] == [duel.right]
    (receipt,) = arena.tell_many([{"duel": duel.id, "winner": duel.left, "session": {"page": GOOD, "clicks": [2]}}])
    assert receipt.status == "invalid" and "leave out winner" in receipt.reason


def test_an_erased_searcher_leaves_no_clicks(tmp_path):
    with Arenas.open(str(tmp_path / "rankers.db")) as arenas:
        arena = arenas.create("rankers", [*LISTS], audience="everyone")
        session = arena.session("ada", LISTS)
        session.clicked(1)
        session.close()
        arena.erase("ada")
        assert not any(event.session for event in arena.events())
        assert arenas.replay().equal


def test_a_file_of_logged_sessions_is_credited_days_later(run, tmp_path):
    database, file = str(tmp_path / "rankers.db"), tmp_path / "sessions.jsonl"
    with Arena.open(database, "rankers", [*LISTS], audience="everyone") as arena:
        sessions = [arena.session(None, LISTS, length=4) for _ in range(5)]
    for session in sessions:
        session.clicked(2)
    lines = [json.dumps(session.to_json()) for session in sessions]
    file.write_text("\n".join([*lines, "", lines[0], json.dumps({**sessions[1].to_json(), "clicks": [9]})]))
    code, said, _ = run("arena", "tell", database, "--sessions", str(file))
    assert code == 1 and "learned: 5, duplicate: 1, invalid: 1" in said
    assert "line 8: There is no position 9; positions are 1 to 4." in said
    file.write_text(lines[0] + "\n")
    assert run("arena", "tell", database, "--sessions", str(file))[:2] == (0, "duplicate: 1\n")
    for text in ("[]", "{}", "7", '{"duel": 1', "winner"):
        file.write_text(text)
        code, _, error = run("arena", "tell", database, "--sessions", str(file))
        assert code == 2 and f"Line 1 is no session: {text!r}" in error
    assert "cannot be read" in run("arena", "tell", database, "--sessions", str(tmp_path))[2]
    assert "give nothing else" in run("arena", "tell", database, "duel", "--sessions", str(file))[2]


def test_no_reason_in_words_looks_like_a_session(arena):
    duel = arena.ask()
    with pytest.raises(WinnerstaysError, match="send the clicks as `session`"):
        arena.tell(duel, winner=duel.left, reason='{"page": {}}')
    arena.tell(duel, winner=duel.left, reason=' {"page": {}}')
    assert [event.session for event in arena.events()] == [None] * 4
