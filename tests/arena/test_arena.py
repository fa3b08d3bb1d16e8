"""The parts of an arena one by one: rules, statistics, group commit, export, command line."""

import csv
import io
import json
import math
import random
import subprocess
import sys
import threading
import time

import polars
import pytest

from winnerstays import Arena, WinnerstaysError
from winnerstays.arena import Answer, Arenas, DifferentArenaError, Item, Settings, UnknownArenaError, evidence
from winnerstays.arena.export import COLUMNS
from winnerstays.arena.group_commit import GroupCommit, _Job
from winnerstays.arena.learning import LearningRules
from winnerstays.arena.open_duels import cost
from winnerstays.cli import main
from winnerstays.compiling import COMPILED
from winnerstays.randomness import stream, uniform
from winnerstays.testing.arenas import Clock

ITEMS = ["ramen", "tacos", "pho"]


def items(count):
    return tuple(Item(id=f"item{k}") for k in range(count))


def test_learner_of_100_items_takes_at_most_300_bytes():
    rules = LearningRules(Settings(name="big", items=items(100), seed=2**63 - 1))
    state, largest = rules.fresh(2**40), 0
    for _ in range(3000):
        first, second, _ = rules.serve(state)
        state = rules.learn(state, first, second, state.step, "winner", min(first, second)).state
        largest = max(largest, len(rules.dump(state)))
    print(f"a learner of 100 items takes up to {largest} bytes")
    assert largest <= 300


def test_stale_pair_is_learned_only_where_the_algorithm_can():
    settings = Settings(name="stale", items=items(4), audience="everyone", seed=0)
    rules = LearningRules(settings)
    state = rules.fresh(1)
    first, second, _ = rules.serve(state)
    state = rules.learn(state, first, second, 0, "winner", first).state
    stale = rules.learn(state, first, second, 0, "winner", first)
    assert not stale.learned and "another pair" in stale.reason
    able = LearningRules(settings)
    able.algorithm = able.algorithm()
    object.__setattr__(able.algorithm, "any_pair", True)
    assert able.learn(state, first, second, 0, "winner", first).learned


def test_a_pair_that_came_back_is_learned_the_right_way_round():
    """The unseated incumbent may return as challenger; its wins then count for the challenger."""
    rules = LearningRules(Settings(name="turn", items=items(2), audience="everyone", seed=0))
    state = rules.fresh(1)
    first, second, _ = rules.serve(state)
    state = rules.learn(state, first, second, 0, "winner", second).state
    assert rules.best(state) == second
    state = rules.learn(state, first, second, 0, "winner", second).state
    assert rules.best(state) == second and rules.round(state) == 3


def test_only_winner_stays_has_rounds():
    """Whatever else a State may call its round, the paper's certificate is not about it."""
    for algorithm, has in (("ws-w", True), ("ws-s", True), ("rucb", False), ("btw", False)):
        with Arena.open("memory:", items=ITEMS, algorithm=algorithm) as arena:
            arena.tell(arena.ask("ada"), outcome="skip")
            standing = arena.standing("ada", p=0.8)
            assert (standing.round is not None) == (standing.certificate is not None) == has


def test_two_items_leave_nowhere_to_move():
    rules = LearningRules(Settings(name="two", items=items(2), patience=1, seed=0))
    state = rules.fresh(1)
    result = rules.learn(state, *rules.serve(state)[:2], 0, "skip", None)
    assert "no other pair" in result.reason and not result.moved_on and result.state.step == 0


def test_evidence_by_hand():
    assert evidence.log_evidence(0, 0) == 0
    assert math.exp(evidence.log_evidence(1, 0)) == pytest.approx(1.5)  # 2 * integral of 2x over (1/2, 1)
    assert math.exp(evidence.log_evidence(0, 1)) == pytest.approx(0.5)
    assert math.exp(evidence.log_evidence(1, 1)) == pytest.approx(2 / 3)  # 2 * integral of 4x(1-x)
    # under 1/2 the next value is on average the present one
    for won, lost in ((3, 1), (10, 12), (0, 5)):
        records = ((won, lost), (won + 1, lost), (won, lost + 1))
        now, up, down = (math.exp(evidence.log_evidence(*record)) for record in records)
        assert (up + down) / 2 == pytest.approx(now)


def test_confidence_holds_at_every_moment():
    """Three items, p = 0.6: a wrong item is called best with 80 % in at most 20 % of runs, looking all the time."""
    runs, duels = (200, 600) if COMPILED else (40, 300)
    rules = LearningRules(Settings(name="any", items=items(3), seed=4))
    wrong = sure = 0
    for run in range(runs):
        state, luck, wins, named = rules.fresh(run), stream(9, run), {}, set()
        for _ in range(duels):
            first, second, _ = rules.serve(state)
            better, worse = min(first, second), max(first, second)
            winner, loser = (better, worse) if uniform(luck) < 0.6 else (worse, better)
            wins[winner, loser] = wins.get((winner, loser), 0) + 1
            state = rules.learn(state, first, second, state.step, "winner", winner).state
            favourite = rules.best(state)
            if evidence.confidence(evidence.rivals(["0", "1", "2"], favourite, wins)) >= 0.8:
                named.add(favourite)
        wrong += bool(named - {0})
        sure += 0 in named
    margin = 4 * math.sqrt(0.2 * 0.8 / runs)
    print(f"of {runs} runs, the best item was named in {sure}, a wrong one in {wrong}")
    assert wrong / runs <= 0.2 + margin
    assert sure > wrong


def test_certificate_and_needed_duels():
    assert evidence.certificate(3, 0.8) == pytest.approx(1 / 16)
    assert evidence.certificate(None, 0.8) is None
    with pytest.raises(WinnerstaysError, match=r"0\.5"):
        evidence.certificate(3, 0.5)
    weak = evidence.rivals(["a", "b", "c"], 0, {(0, 1): 6, (0, 2): 5, (2, 0): 1})
    strong = evidence.rivals(["a", "b", "c"], 0, {(0, 1): 12, (0, 2): 11, (2, 0): 1})
    assert evidence.duels_needed(weak, 0.95) > evidence.duels_needed(strong, 0.95) >= 0
    assert evidence.duels_needed(evidence.rivals(["a", "b"], 0, {(1, 0): 3}), 0.95) is None


def test_group_commit_does_the_work_of_all_that_wait():
    batches, gate = [], threading.Event()

    def process(works):
        batches.append(len(works))
        gate.wait()
        return [work * 2 for work in works]

    group_commit = GroupCommit(process, 1)
    results = {}
    threads = [
        threading.Thread(target=lambda k=k: results.__setitem__(k, group_commit.run([k, k + 100]))) for k in range(10)
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 20
    while len(group_commit._queue) < 9 and time.monotonic() < deadline:
        time.sleep(0.001)
    gate.set()
    for thread in threads:
        thread.join()
    assert results == {k: [2 * k, 2 * k + 200] for k in range(10)}
    assert batches == [2, 18]


def test_several_leaders_do_everything_once():
    done, at_work, most = [], set(), []

    def process(works):
        at_work.add(threading.get_ident())
        most.append(len(at_work))
        time.sleep(0.0005)
        done.extend(works)
        at_work.discard(threading.get_ident())
        return [-work for work in works]

    group_commit = GroupCommit(process, 4)

    def client(number):
        for k in range(40):
            work = number * 1000 + k
            assert group_commit.run([work]) == [-work]

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == [number * 1000 + k for number in range(24) for k in range(40)]
    assert 1 < max(most) <= 4 and group_commit._leaders == 0


def test_an_interrupted_leader_to_be_hands_over():
    group_commit = GroupCommit(lambda works: works, 1)
    group_commit._leaders = 1  # somebody is at work
    done = []
    waiting = threading.Thread(target=lambda: done.append(group_commit.run(["second"])))
    job = _Job(["first"])
    group_commit._queue.append(job)
    waiting.start()
    deadline = time.monotonic() + 20
    while len(group_commit._queue) < 2 and time.monotonic() < deadline:
        time.sleep(0.001)
    group_commit._hand_over()
    assert job.leads
    group_commit._abandon(job)
    waiting.join(20)
    assert done == [["second"]] and group_commit.run(["third"]) == ["third"]


def test_one_bad_work_does_not_hurt_the_others():
    gate = threading.Event()

    def process(works):
        gate.wait()
        return [1 // work for work in works]

    group_commit, results = GroupCommit(process, 1), {}

    def client(number):
        try:
            results[number] = group_commit.run([number])
        except ZeroDivisionError:
            results[number] = "failed"

    threads = [threading.Thread(target=client, args=(number,)) for number in (1, 0, 1.5, 2)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert results == {1: [1], 0: "failed", 1.5: [0.0], 2: [0]}


def test_open_duels_cost():
    """With answers to 10 duels outstanding the same learner offers more pairs without the best item."""
    one, ten = (cost(count, n_items=8, duels=400, runs=6, seed=2) for count in (1, 10))
    assert one.noted == 0 < ten.noted and one.weak < ten.weak


def test_reopened_arena_keeps_its_settings(tmp_path):
    path = str(tmp_path / "arena.db")
    with Arena.open(path, "lunch", ITEMS, patience=5, algorithm="ws-s", params={"beta": 1.3}) as arena:
        settings = arena.settings
    with Arena.open(path, "lunch") as arena:
        assert arena.settings == settings and arena.settings.params == {"beta": 1.3}
    with Arena.open(path, "lunch", ITEMS, patience=5) as arena:
        assert arena.settings == settings
    with pytest.raises(DifferentArenaError, match="patience=5"):
        Arena.open(path, "lunch", patience=6)
    with pytest.raises(UnknownArenaError, match="did you mean 'lunch'"):
        Arena.open(path, "lunhc")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"items": "ramen"}, "list of items"),
        ({"items": [{"title": "x"}, "b"]}, "id is needed"),
        ({"items": [{"id": "x", "size": 3}, "b"]}, "fields"),
        ({"items": ["a", 7]}, "must be a text"),
        ({"items": ["a", ""]}, "1 to 200"),
        ({"items": [Item(id="a", features=(1.0,)), "b"]}, "equally many features"),
        ({"name": "a/b"}, "'/'"),
        ({"patience": 0}, "patience is 0"),
        ({"expires_after": -1}, "expires_after is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"ties": "win"}, "nothing, coin"),
        ({"params": {"beta": 2}}, "beta"),
    ],
)
def test_wrong_settings_are_sentences(settings, said):
    with pytest.raises(WinnerstaysError, match=said):
        Settings(**{"name": "lunch", "items": ITEMS, **settings})


@pytest.mark.parametrize("answer", ["duel", ("a", "b", "c"), {"winner": "x"}, {"duel": "x", "colour": "red"}])
def test_wrong_answers_are_sentences(answer):
    with pytest.raises(WinnerstaysError, match="answer"):
        Answer.of(answer)


def test_items_may_be_mappings_and_answers_too():
    with Arena.open("memory:", items=[{"id": "a", "title": "A"}, {"id": "b", "link": "https://b"}]) as arena:
        assert [item.title for item in arena.items] == ["A", "b"]
        duels = arena.ask_many(["ada", "bob"])
        receipts = arena.tell_many([{"duel": duels[0].id, "winner": "a"}, {"duel": duels[1].id, "outcome": "tie"}])
        assert [receipt.status for receipt in receipts] == ["learned", "noted"]


def test_import_needs_no_extra():
    code = "import winnerstays, sys; winnerstays.Learner; assert 'sqlalchemy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    hidden = "import sys; sys.modules['alembic'] = None; sys.modules['psycopg'] = None; import winnerstays\n"
    for address, extra in (("memory:", "arena"), ("postgresql://localhost/x", "postgresql")):
        code = hidden + (
            f"try: winnerstays.Arena.open({address!r}, items=['a', 'b'])\n"
            "except winnerstays.WinnerstaysError as error: print(error)"
        )
        said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        assert f"winnerstays[{extra}]" in said


def test_who_is_erased_is_gone_from_the_file(tmp_path):
    path = tmp_path / "arena.db"
    with Arena.open(str(path), items=ITEMS) as arena:
        for user in ("adalovelace", "bob"):
            arena.tell(arena.ask(user), outcome="skip", reason=f"{user} is tired")
        arena.erase("adalovelace")
    assert b"adalovelace" not in path.read_bytes() and b"bob" in path.read_bytes()


@pytest.fixture
def played(tmp_path):
    """A small database with every kind of row."""
    path = str(tmp_path / "played.db")
    clock = Clock()
    luck = random.Random(1)
    with Arenas.open(path, clock=clock) as arenas:
        arena = arenas.create("lunch", ITEMS, seed=1, expires_after=50)
        arenas.create("all", ITEMS, audience="everyone", seed=2)
        for user in ("ada", "bob"):
            for _ in range(8):
                duel = arena.ask(user)
                arena.tell(duel, winner=luck.choice((duel.left, duel.right)))
        late = arena.ask("ada")
        clock.now += 60
        arena.tell(late, winner=late.left)
        arenas["all"].tell(arenas["all"].ask(), outcome="tie")
    return path


@pytest.fixture
def command(capsys, monkeypatch):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["winnerstays", "arena", *words])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_command_from_create_to_erase(command, tmp_path):
    path = str(tmp_path / "lunch.db")
    assert command("create", path, *ITEMS)[0] == 0
    duel, left = command("ask", path, "--user", "ada")[1].split()[:2]
    assert command("tell", path, duel, left)[1] == "learned\n"
    assert command("tell", path, duel, left)[1] == "duplicate\n"
    assert command("tell", path, duel, "--outcome", "skip")[1].startswith("conflict")
    assert f"{left} is the favourite" in command("standing", path, "--user", "ada", "--p", "0.8")[1]
    assert "share of left 1.000" in command("bias", path)[1]
    assert "ws-w" in command("list", path)[1]
    code, out, _ = command("replay", path)
    assert code == 0 and "1 learners, 1 served duels, 1 accepted outcomes" in out and "byte for byte" in out
    assert "3 rows, 1 learners" in command("erase", path, "ada")[1]
    assert command("erase", path, "ada")[0] == 2
    assert "0 learners" in command("replay", path)[1]


def test_replay_command_fails_where_states_differ(command, played):
    with Arenas.open(played) as arenas:
        arenas.database.store.run(
            lambda transaction: transaction.change("UPDATE learners SET state = ? WHERE id = 1", b"\1" * 9)
        )
    code, out, _ = command("replay", played)
    assert code == 1 and "not the fold" in out and "'ada'" in out and "NOT EQUAL" in out


def test_exports_agree(command, played, tmp_path):
    text = command("export", played)[1]
    table = list(csv.DictReader(io.StringIO(text)))
    lines = [json.loads(line) for line in command("export", played, "--format", "ndjson")[1].splitlines()]
    target = tmp_path / "log.parquet"
    assert command("export", played, "--format", "parquet", "--output", str(target))[0] == 0
    frame = polars.read_parquet(target).to_dicts()
    assert list(table[0]) == COLUMNS and frame == lines
    assert [{key: str(value or "") for key, value in line.items()} for line in lines] == table
    kinds = [line["kind"] for line in lines]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "created": 2, "served": 18, "learned": 16, "late": 1, "noted": 1,
    }  # fmt: skip
    assert len(command("export", played, "--arena", "all")[1].splitlines()) == 4
    assert "exists already" in command("export", played, "--format", "parquet", "--output", str(target))[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["replay", "nowhere.db"], "no database nowhere.db"),
        (["export", "{db}", "--format", "xml"], "no format 'xml'"),
        (["export", "{db}", "--format", "parquet"], "--output"),
        (["export", "{db}", "--arena", "lunhc"], "did you mean 'lunch'"),
        (["ask", "{db}", "--arena", "lunch"], "which user"),
        (["tell", "{db}", "nonsense", "ramen"], "nonsense"),
        (["standing", "{db}", "--arena", "lunch", "--user", "zoe"], "'zoe'"),
        (["standing", "{db}", "--arena", "lunch", "--user", "ada", "--p", "0.3"], "p is 0.3"),
        (["create", "{db}", "ramen"], "2 items"),
        (["open-duels", "--p", "0.4"], "p is 0.4"),
        (["open-duels", "--runs", "1"], "runs is 1"),
    ],
)
def test_wrong_commands_are_sentences(words, said, command, played):
    code, _, err = command(*(word.format(db=played) for word in words))
    assert code == 2 and said in err and "Traceback" not in err
