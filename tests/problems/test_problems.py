"""Problems know who is best, and refuse what is no problem."""

import json
from math import erf, exp, sqrt

import numpy as np
import pytest

from winnerstays import Problem, WinnerstaysError, problem
from winnerstays.problems import (
    FIXED,
    GENERATED,
    linear_utilities,
    random_condorcet,
    three_types,
    total_order,
)
from winnerstays.problems.chances import chance


@pytest.mark.parametrize(
    ("name", "n_arms", "ordered", "p", "p1"),
    [
        ("sushi", 16, True, 0.512, 0.512),
        ("mslr", 5, True, 0.51, 0.535),
        ("cyclic", 4, False, 0.6, 0.6),
        ("fifty", 50, True, 0.8, 0.8),
    ],
)
def test_built_in_problems(name, n_arms, ordered, p, p1):
    one = problem(name)
    assert (one.n_arms, one.best_arm, one.totally_ordered) == (n_arms, 0, ordered)
    assert (one.p, one.p1) == (pytest.approx(p), pytest.approx(p1))
    assert np.array_equal(one.preferences + one.preferences.T, np.ones((n_arms, n_arms)))


def test_mslr_is_corrected_and_says_so():
    one = problem("mslr")
    assert one.preferences[3, 1] == pytest.approx(0.273)
    assert "0.276" in one.note


def test_default_utilities_are_the_papers():
    one = problem("sushi")
    assert one.utilities == pytest.approx(2 * (1 - one.preferences[0]))


@pytest.mark.parametrize("name", [*FIXED, *GENERATED])
def test_rules_and_matrices_agree(name):
    """The chance that kernels read equals the written-out matrix, which is a valid problem of its own."""
    one = problem(name)
    copy = Problem(one.preferences)
    assert copy.best_arm == one.best_arm and copy.totally_ordered == one.totally_ordered
    assert copy.p == pytest.approx(one.p)
    for first in range(0, one.n_arms, 3):
        for second in range(0, one.n_arms, 2):
            assert chance(one.chances, first, second) == one.preferences[first, second]


def test_links():
    probit, logit = (linear_utilities(5, 2, noise=0.7, link=link, seed=3) for link in ("probit", "logit"))
    u = probit.utilities
    assert probit.preferences[1, 2] == pytest.approx((1 + erf((u[1] - u[2]) / (0.7 * sqrt(2)) / sqrt(2))) / 2)
    assert logit.preferences[1, 2] == pytest.approx(1 / (1 + exp(-(u[1] - u[2]) / 0.7)))
    assert probit.best_arm == int(np.argmax(u))


def test_random_condorcet_has_its_winner_and_margin():
    for seed in range(5):
        one = random_condorcet(9, margin=0.1, seed=seed)
        assert one.best_arm == 0 and one.p >= 0.6


def test_three_types():
    one = three_types(2, 0.7)
    assert one.n_arms == 7 and one.best_arm == 0 and not one.totally_ordered
    a1, a2, b1, _, c1, _ = range(1, 7)
    assert (
        one.preferences[a1, b1] == one.preferences[b1, c1] == one.preferences[c1, a1] == one.preferences[a1, a2] == 0.7
    )


def test_no_condorcet_winner_is_known_and_refused_where_needed():
    circle = Problem([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]])
    assert circle.best_arm is None and not circle.totally_ordered
    with pytest.raises(WinnerstaysError, match="no Condorcet winner"):
        _ = circle.utilities


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        ([[0.5, 0.6]], "must be square, but its shape is \\(1, 2\\)"),
        ([[0.5]], "at least 2 arms, but the matrix has 1"),
        ([[0.5, "x"], [0.4, 0.5]], "not all numbers"),
        ([[0.5, float("nan")], [0.4, 0.5]], "row 1, column 2 is nan"),
        ([[0.5, 1.2], [-0.2, 0.5]], "row 1, column 2 is 1.2, but a probability"),
        (
            [[0.5, 0.6], [0.5, 0.5]],
            "row 1, column 2 is 0.6 and the opposite cell is 0.5; together they must be 1 .* not 1.1",
        ),
        ([[0.4, 0.6], [0.4, 0.5]], "row 1, column 1 is 0.4, but an arm against itself"),
        ([[0.5, 0.6j], [0.4, 0.5]], "complex"),
        ([[0.5, 0.6], [0.4]], "not all numbers in rows of equal length"),
    ],
)
def test_bad_matrices_get_a_sentence(matrix, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Problem(matrix)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"items": ["a"]}, "1 item names for 2 arms"),
        ({"items": ["a", "a"]}, "'a' is used twice"),
        ({"utilities": [1, 2, 3]}, "utilities have shape \\(3,\\)"),
        ({"utilities": [1, float("inf")]}, "utilities of arm 1 are not finite"),
        ({"features": [1, 2]}, "features have shape"),
    ],
)
def test_bad_extras_get_a_sentence(options, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Problem([[0.5, 0.6], [0.4, 0.5]], **options)


def test_utilities_must_agree_with_the_winner():
    with pytest.raises(WinnerstaysError, match="'1' has a higher utility"):
        _ = Problem([[0.5, 0.6], [0.4, 0.5]], utilities=[0, 1]).utilities


def test_from_comparisons_counts_and_smooths():
    one = Problem.from_comparisons([("a", "b")] * 3 + [("b", "a"), ("c", "a")])
    assert one.items == ["a", "b", "c"]
    assert one.counts.tolist() == [[0, 3, 0], [1, 0, 0], [1, 0, 0]]
    assert one.preferences[0, 1] == pytest.approx(4 / 6) and one.preferences[1, 2] == 0.5


@pytest.mark.parametrize(
    ("comparisons", "sentence"),
    [([], "no comparisons"), ([("a", "a")], "'a' on both sides"), ([("a",)], "Comparison 1 is")],
)
def test_bad_comparisons(comparisons, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Problem.from_comparisons(comparisons)


MATRIX = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]])


def write(path, kind):
    if kind == "bare.csv":
        np.savetxt(path, MATRIX, delimiter=",")
    elif kind == "named.csv":
        path.write_text(
            ",x,y,z\n" + "".join(f"{name},{','.join(map(str, row))}\n" for name, row in zip("xyz", MATRIX, strict=True))
        )
    elif kind == "matrix.npy":
        np.save(path, MATRIX)
    elif kind == "fields.npz":
        np.savez(path, preferences=MATRIX, items=np.array(["x", "y", "z"]), utilities=[3, 2, 1])
    elif kind == "list.json":
        path.write_text(json.dumps(MATRIX.tolist()))
    else:
        path.write_text(json.dumps({"preferences": MATRIX.tolist(), "items": ["x", "y", "z"]}))


@pytest.mark.parametrize("kind", ["bare.csv", "named.csv", "matrix.npy", "fields.npz", "list.json", "object.json"])
def test_files_of_every_kind(tmp_path, kind):
    write(tmp_path / kind, kind)
    one = problem(str(tmp_path / kind))
    assert one.preferences == pytest.approx(MATRIX)
    assert one.name == kind.split(".")[0]
    assert one.items == (["x", "y", "z"] if kind[:4] in ("name", "fiel", "obje") else ["0", "1", "2"])


def test_a_folder_and_nothing_are_no_problems(tmp_path):
    with pytest.raises(WinnerstaysError, match="is a folder; give the name of a file"):
        problem(tmp_path)
    with pytest.raises(WinnerstaysError, match="There is no problem ''"):
        problem("")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"0.5,0.6\n0.4\n", "row 2 of the matrix has 1 numbers, but there are 2 rows"),
        ("a.csv", b"0.5,0.6\n0.4,oops\n", "row 2, column 2 of the matrix is 'oops', but it must be a number"),
        ("a.csv", b"7,2,3\n0.5,0.6,0.7\n0.4,0.5,0.6\n0.3,0.4,0.5\n", "row 1 .* has 3 numbers, but there are 4 rows"),
        ("a.csv", b",x,y\nx,.5,.6\nz,.4,.5\n", "the rows of the matrix are x, z .* and its columns , x, y"),
        ("a.csv", b"0,12\n7,0\n", "a probability must lie between 0 and 1.* say --matrix counts"),
        ("a.csv", b"winner,loser\na\n", "line 2 has 1 cell, but the header has 2"),
        ("a.csv", b"hello world\n", "the columns are 'hello world', but a table needs 2 .* say delimiter="),
        ("a.csv", b"winner,loser\nJ\xfcrgen,b\n", "not written in utf-8 .* --encoding cp1252"),
        ("a.csv", b"BZh91AY", "compressed with bzip2"),
        ("a.csv", b'winner,loser\n"a,b\n', "line 2: unexpected end of data"),
        ("a.json", b'{"preferences": [[0.5, 0.6], [0.4, 0.5]], "colours": ["x", "y"]}', "no field 'colours'"),
        ("a.json", b'{"preferences": [[0.5', "the file is not JSON"),
        ("a.json", b'{"items": []}', "one of them must be preferences .chances. or counts"),
        ("a.json", b'{"counts": [[0, 1], [1, 0]], "items": "ab"}', "items is 'ab', but it must be a list of names"),
        ("a.json", b"3", "the file holds '3', but it must hold a matrix, or a list of objects"),
        ("a.json", b'[{"winner": "a", "loser": "b"}, 7]', "row 2 is 7, but it must be an object like the first"),
        ("a.jsonl", b'{"winner": "a", "loser": "b"}\n{"winner": \n', "line 2 is not JSON"),
        ("a.jsonl", b"[1]\n", "the first line is .1., but it must be an object"),
        ("README", b"\0\1\2\3" * 9, "not text, NumPy or Parquet"),
        ("a.npy", b"\x93NUMPY\x01", "no array of NumPy's"),
        ("a.npy", b"hello", "no array of NumPy's; numpy.save writes them"),
        ("a.npz", b"PK\x03\x04", "the archive is damaged"),
        ("a.npz", b"hello", "the archive is damaged"),
        ("a.parquet", b"PAR1hello", "the Parquet file is damaged"),
    ],
)
def test_bad_files_get_a_sentence(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(WinnerstaysError, match=sentence) as error:
        problem(str(tmp_path / name))
    assert str(error.value).startswith(f"{tmp_path / name}: ")


def test_missing_file_and_unknown_name():
    with pytest.raises(WinnerstaysError, match=r"nowhere.csv: the file cannot be read"):
        problem("nowhere.csv")
    with pytest.raises(WinnerstaysError, match="no problem 'sushy'; did you mean 'sushi'"):
        problem("sushy")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("total-order:n_arms=1", "n_arms is 1, but it must be a whole number from 2 to 5000000"),
        ("total-order:n_arms=99999999999999999999", "n_arms is 99999999999999999999"),
        ("total-order:dimension=0", "dimension is 0, but it must be a whole number from 1 to"),
        ("total-order:n_arms=1000000,dimension=1000", "n_arms is 1000000, .* from 2 to 100000"),
        ("total-order:seed=-1", "seed is -1, but it must be a whole number of at least 0"),
        ("total-order:p=nan", "p is nan"),
        ("linear-utilities:noise=1e-320", "noise is 1e-320, too small for utilities of up to 1.7"),
        ("linear-utilities:noise=inf", "noise is inf, but it must be a finite number above 0"),
        ("random-condorcet:n_arms=100000", "n_arms is 100000, but it must be a whole number from 2 to 10000"),
        ("total-order:p=0.5", "p is 0.5"),
        ("total-order:q=0.5", "no option of total-order 'q'"),
        ("total-order:p=high", "total-order: p: 'high' is not a number, such as 0.95 or 95%."),
        ("total-order:n_arms=2.5", "n_arms: '2.5' is not a whole number, such as 100000, 100_000, 1e5"),
        ("three-types:per_type=0", "per_type is 0"),
        ("linear-utilities:link=cubic", "link 'cubic'"),
        ("random-condorcet:margin=0", "margin is 0.0"),
    ],
)
def test_bad_options_of_generators(source, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        problem(source)


def test_options_of_generators_are_numbers_as_people_write_them():
    made = problem("total-order:n_arms=1e2,p=80%,seed=10^1")
    assert (made.n_arms, made.p) == (100, 0.8)
    assert np.array_equal(made.features, total_order(100, 0.8, seed=10).features)


@pytest.mark.parametrize(
    ("strengths", "options", "sentence"),
    [
        ([1], {}, "at least 2 arms"),
        ([1, np.nan], {}, "arm 1 is not finite"),
        ([1, 2], {"link": "odd"}, "link 'odd'"),
        ([1, 2], {"p": 0.4}, "p is 0.4"),
    ],
)
def test_bad_strengths(strengths, options, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Problem.from_strengths(strengths, **{"link": "order", **options})


@pytest.mark.parametrize(
    ("noise", "link", "sentence"), [(0, "probit", "noise is 0"), (1, "order", "link 'order' is unknown; use probit")]
)
def test_bad_noise_of_utilities(noise, link, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Problem.from_utilities([1, 2], noise, link)


def test_a_matrix_too_large_to_write_out():
    huge = total_order(20_001, dimension=1)
    assert huge.best_arm == 0 and huge.totally_ordered and huge.p == 0.8
    with pytest.raises(WinnerstaysError, match="20001 arms is too large"):
        _ = huge.preferences


def test_uncertainty_by_hand():
    """Wilson's interval for 8 of 10 at 95 %: 0.4902 to 0.9433; for a pair never compared: anything."""
    low, high = Problem.from_counts([[0, 8, 0], [2, 0, 0], [0, 0, 0]]).uncertainty()
    assert (low[0, 1], high[0, 1]) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert (low[0, 2], high[0, 2]) == (pytest.approx(0, abs=1e-12), pytest.approx(1))
    assert low + high.T == pytest.approx(np.ones((3, 3)))
    assert low[1, 1] == high[1, 1] == 0.5


def test_uncertainty_needs_counts_and_a_level():
    with pytest.raises(WinnerstaysError, match="has no counts of comparisons"):
        problem("mslr").uncertainty()
    with pytest.raises(WinnerstaysError, match="level is 95"):
        Problem.from_comparisons([("a", "b")]).uncertainty(95)


@pytest.mark.parametrize(
    ("wins", "sentence"), [([[0, 1]], "square table of counts"), ([[0, -1], [1, 0]], "square table of counts")]
)
def test_bad_counts(wins, sentence):
    with pytest.raises(WinnerstaysError, match=sentence):
        Problem.from_counts(wins)
