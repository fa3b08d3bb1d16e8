"""ask / tell / best / dump / load."""

import copy
import json
import pickle
import zlib
from pathlib import Path

import numpy as np
import pytest

from winnerstays import Arena, Duel, Learner, WinnerstaysError, registered
from winnerstays.codec import pack, unpack

DUMPS = Path(__file__).parent / "data" / "dumps.json"
ITEMS = ["ramen", "tacos", "pho", "sushi"]


def answer(duel):
    """Someone who likes the earlier item of the list."""
    return min(duel.first, duel.second, key=ITEMS.index)


def drive(learner, duels):
    seen = []
    for _ in range(duels):
        duel = learner.ask()
        learner.tell(duel, winner=answer(duel))
        seen.append(duel)
    return seen


def make(name, seed=3):
    features = np.vander([0.9, 0.4, -0.1, -0.8], 3) if "features" in registered()[name].needs else None
    return Learner(name, items=ITEMS, seed=seed, horizon=1000, features=features)


def test_asking_again_gives_the_same_duel():
    learner = make("ws-w")
    assert learner.ask() == learner.ask() == Duel(1, *learner.ask()[1:])


def test_a_favourite_is_found_and_stays_in_every_duel():
    learner = make("ws-w")
    duels = drive(learner, 60)
    assert learner.best() == "ramen"
    assert all("ramen" in duel for duel in duels[-20:])
    assert learner.duels == 60


@pytest.mark.parametrize("open_duel", [False, True])
@pytest.mark.parametrize("name", registered())
def test_a_loaded_learner_has_the_same_future(name, open_duel):
    learner = make(name)
    drive(learner, 30)
    if open_duel:
        learner.ask()
    loaded = Learner.load(learner.dump())
    assert loaded.dump() == learner.dump()
    assert drive(loaded, 40) == drive(learner, 40)
    assert loaded.best() == learner.best()


@pytest.mark.parametrize("name", json.loads(DUMPS.read_text()))
def test_dumps_of_earlier_versions_are_read(name):
    """Stored bytes of the first release of each algorithm go on exactly as recorded then."""
    stored = json.loads(DUMPS.read_text())[name]
    assert [list(duel) for duel in drive(Learner.load(bytes.fromhex(stored["dump"])), 25)] == stored["future"]


def test_every_algorithm_has_a_stored_dump():
    assert set(json.loads(DUMPS.read_text())) == set(registered())


def test_told_twice_unknown_and_foreign_duels():
    learner = make("ws-w")
    duel = learner.ask()
    with pytest.raises(WinnerstaysError, match="'beer' is not in the duel; it must be"):
        learner.tell(duel, winner="beer")
    with pytest.raises(WinnerstaysError, match="it must be what ask"):
        learner.tell(5, winner=duel.first)
    learner.tell(duel, winner=duel.first)
    with pytest.raises(WinnerstaysError, match="Duel 1 was told already"):
        learner.tell(duel, winner=duel.second)
    with pytest.raises(WinnerstaysError, match=r"Duel 2 \('ramen' or 'tacos'\) was not asked"):
        learner.tell(Duel(2, "ramen", "tacos"), winner="tacos")
    learner.ask()
    with pytest.raises(WinnerstaysError, match=r"Duel 9 .* was not asked"):
        learner.tell(Duel(9, "ramen", "tacos"), winner="tacos")
    assert learner.duels == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"items": ["a"]}, "at least 2 items to choose from, but got 1"),
        ({"items": ["a", "b", "a"]}, "'a' is listed twice"),
        ({"algorithm": "ws"}, "no algorithm 'ws'"),
        ({"beta": 2}, "parameter of ws-w 'beta'"),
        ({"items": None}, "items are None"),
        ({"items": "abc"}, "items are 'abc', but they must be a list"),
        ({"items": b"abc"}, "items are b'abc', but they must be a list"),
        ({"items": {"a": 1, "b": 2}}, "must be a list of names"),
        ({"items": ["a", ""]}, "called '', but a name must be a text that is not blank, or a number"),
        ({"items": ["a", " \n"]}, "not blank"),
        ({"items": [(1, 2), (3, 4)]}, r"called \(1, 2\)"),
        ({"items": ["a", None]}, "called None"),
        ({"items": ["a", [1]]}, r"called \[1\]"),
        ({"items": [b"x", b"y"]}, "called b'x'"),
        ({"items": [1.5, float("nan")]}, "called nan"),
        ({"items": [1, True, 2]}, "called True"),
        ({"items": [1, 1.0, 2]}, "1 is listed twice"),
        ({"items": [1, "1", 2]}, "1 and '1' read alike"),
        ({"items": []}, "at least 2 items to choose from, but got 0"),
        ({"algorithm": ["a", "b"]}, r"algorithm is \['a', 'b'\], .* Learner\(items="),
        ({"seed": -1}, "seed is -1"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"first_challenger": "last"}, "first_challenger is 'last', but it must be one of literal, random"),
    ],
)
def test_bad_learners_get_a_sentence(options, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Learner(**{"algorithm": "ws-w", "items": ITEMS, **options})


def test_damaged_dumps_get_a_sentence():
    data = make("ws-w").dump()
    for bad, sentence in [
        (b"", "not a dumped learner"),
        (None, "is bytes, not NoneType"),
        (b"something else", "not a dumped learner"),
        (b"WSL9" + data[4:], "format b'WSL9', which this version cannot read"),
        (data[:-1], "damaged or cut off"),
        (data[:10], "damaged or cut off"),
        (data[:50] + b"\x00" + data[51:], "damaged or cut off"),
    ]:
        with pytest.raises(WinnerstaysError, match=sentence):
            Learner.load(bad)


@pytest.mark.parametrize(
    "change",
    [
        {"items": None}, {"items": [[], "b"]}, {"params": []}, {"params": {"seed": 1}}, {"algorithm": 7},
        {"duels": "many"}, {"duels": None}, {"open": 3}, {"open": [0, 99]}, {"features": "x"}, {"features": [10**400]},
        None,
    ],
)  # fmt: skip
def test_crafted_headers_get_a_sentence(change):
    """Whoever makes the bytes makes the checksum, too."""
    data = make("ws-w").dump()
    size = int.from_bytes(data[4:8], "little")
    header = json.loads(data[8 : 8 + size])
    text = json.dumps(7 if change is None else header | change).encode()
    crafted = data[:4] + len(text).to_bytes(4, "little") + text + data[8 + size : -4]
    with pytest.raises(WinnerstaysError):
        Learner.load(crafted + zlib.crc32(crafted).to_bytes(4, "little"))


NEEDS = {"horizon": "must know the horizon", "features": "needs a feature vector for every arm"}


def test_who_needs_what():
    needing = {need: {name for name, one in registered().items() if need in one.needs} for need in NEEDS}
    assert needing["horizon"] >= {"if1", "if2", "btm", "savage", "rmed2fh", "rex3"}
    assert needing["features"] >= {"qsa"}


@pytest.mark.parametrize(
    ("name", "need"), [(name, need) for name, one in registered().items() for need in sorted(one.needs)]
)
def test_what_is_needed_is_asked_for_and_not_guessed(name, need):
    given = {"horizon": 1000, "features": np.eye(len(ITEMS))}
    del given[need]
    with pytest.raises(WinnerstaysError, match=f"^{name} {NEEDS[need]}"):
        Learner(name, items=ITEMS, **given)


def test_without_a_seed_learners_differ():
    starts = {Learner("ws-w", items=map(str, range(50))).ask() for _ in range(5)}
    assert len(starts) > 1


@pytest.mark.parametrize(
    "items",
    [[9, 10, 11], [0.5, -2, "two", 1e300], [np.int64(3), np.int64(1), np.int64(2)], range(-3, 0), np.array([2.5, 1.5])],
    ids=str,
)
def test_numbers_stay_numbers(items):
    """They are compared as numbers, told as numbers, and are numbers after a dump as well."""
    learner = Learner("ws-w", items=items, seed=1)
    key = (lambda item: (isinstance(item, str), item)) if "two" in list(items) else None
    for _ in range(60):
        duel = learner.ask()
        assert isinstance(duel.first, str | int | float)
        learner.tell(duel, winner=min(duel[1:], key=key))
        learner = Learner.load(learner.dump())
    assert learner.best() == min(items, key=key) and learner.items == list(items)


def test_a_number_is_told_as_itself():
    learner = Learner("ws-w", items=[0, 1], seed=1)
    for wrong in (True, "1", 7, None):  # True might as well mean that the first one won
        with pytest.raises(WinnerstaysError, match=r"is not in the duel; it must be [01] or [01]"):
            learner.tell(learner.ask(), winner=wrong)
    learner.tell(learner.ask(), winner=np.int64(1))
    assert repr(learner) == "<Learner ws-w: 2 items, duels told: 1, best so far 1>"


def test_dumps_with_names_that_are_refused_today_are_read():
    """Release 0.1.0 took a blank name; whoever has such a learner can go on with it."""
    data = Learner("ws-w", items=["a", "x"], seed=1).dump().replace(b'["a","x"]', b'["a"," "]')[:-4]
    assert Learner.load(data + zlib.crc32(data).to_bytes(4, "little")).items == ["a", " "]


def test_packed_state_of_100_items_is_small():
    learner = Learner("ws-w", items=map(str, range(100)), seed=1)
    for _ in range(5000):
        duel = learner.ask()
        learner.tell(duel, winner=duel.first)
    assert len(pack((learner._rng, learner.state))) < 150


def test_codec_round_trip_and_damage():
    like = (0, 0.0, True, np.zeros(3), np.zeros((2, 2), np.int64), (np.zeros(0, np.int64), 0))
    for number in (0, 1, -1, 63, 64, -64, 300, 2**62, -(2**62)):
        value = (
            number,
            0.1,
            False,
            np.array([1.5, -2, 0]),
            np.array([[1, -7], [70_000, 3]]),
            (np.zeros(0, np.int64), 7),
        )
        back = unpack(pack(value), like)
        assert pack(back) == pack(value) and back[0] == number and back[2] is False
    endless = b"\x80" * 2_000_000
    for bad, sentence in [
        (pack(value)[:-1], "ends too early"),
        (pack(value) + b"x", "1 bytes too many"),
        (endless, "ends too early"),
    ]:
        with pytest.raises(WinnerstaysError, match=sentence):
            unpack(bad, like)


def test_a_state_of_other_types_can_be_put_in():
    """The steps are bound to the types of a State; those of another one are looked at anew."""
    learner, other = make("ws-w"), make("ws-w")
    assert drive(other, 20) == drive(learner, 20)
    other.state = other.state._replace(others=np.repeat(other.state.others, 2)[::2])
    assert drive(other, 30) == drive(learner, 30)
    assert other.dump() == learner.dump()


def test_a_learner_is_copied_and_pickled():
    learner = make("ws-w")
    drive(learner, 10)
    copies = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)]
    future = drive(learner, 20)
    assert [drive(one, 20) for one in copies] == [future, future]


def test_an_algorithm_for_weak_regret_is_refused_where_strong_regret_is_meant():
    with pytest.raises(WinnerstaysError, match="ws-w is made for weak regret"):
        Learner("ws-w", items=["a", "b"], regret="strong")
    assert Learner("ws-w", items=["a", "b"], regret="weak").algorithm.name == "ws-w"
    assert Learner(items=["a", "b"], regret="strong").algorithm.facts.regret == "strong"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Learner(items=["a", "b"], sed=1), "parameter of ws-w 'sed'; did you mean 'seed'"),
        (lambda: Arena.open("memory:", items=["a", "b"], audiense="user"), "'audiense'; did you mean 'audience'"),
        (lambda: Arena.open("memory:", items=["a", "b"], algorithm="ws-w", regret="strong"), "ws-w is made for weak"),
    ],
)  # fmt: skip
def test_a_call_that_does_not_fit_is_a_sentence(call, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        call()


def test_numbers_of_numpy_are_numbers():
    assert Learner("ws-w", items=[np.float32(0.5), np.int64(2)]).items == [0.5, 2]


@pytest.mark.parametrize("features", [[[1.0, 0.0], [0.0]], [[1.0], [float("nan")]], [[1.0]], "ab"])
def test_features_are_a_row_of_finite_numbers_for_each_item(features):
    with pytest.raises(WinnerstaysError, match="features"):
        Learner(items=["a", "b"], features=features)
