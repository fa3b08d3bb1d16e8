"""Files that want to cost much: each ends in a sentence, before memory of that size is used."""

import gzip
import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import polars
import pytest

from winnerstays import WinnerstaysError
from winnerstays.problems import Limits, load
from winnerstays.problems.readers import table
from winnerstays.web.computation import LIMITS

SMALL = Limits(bytes=1 << 20, whole=1 << 19, line=1 << 16, rows=1000, items=100, ranked=50, seconds=60.0)
MOST_MEMORY = 8_000_000


def npy(shape, data=b""):
    """Return an array file whose header claims a shape."""
    header = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    header += b" " * (64 - (len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def npz(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def parquet(rows):
    buffer = io.BytesIO()
    polars.DataFrame({"winner": ["a"] * rows, "loser": ["b"] * rows}).write_parquet(buffer)
    return buffer.getvalue()


HEAD = b"winner,loser\n"
COSTLY = {
    "bomb.csv.gz": (gzip.compress(HEAD + (b"a," + b"b" * 20_000 + b"\n") * 500), "bytes, but at most"),
    "line.csv": (HEAD + b"a" * 200_000, "bytes in one line, but at most 65536"),
    "line.csv.gz": (gzip.compress(b"x" * 50_000_000), "bytes in one line"),
    "quote.csv": (HEAD + b'"' + b"a\n" * 60_000, "field larger than field limit"),
    "rows.csv": (HEAD + b"a,b\n" * 2000, "rows, but at most 1000"),
    "rows.jsonl": (b'{"winner": "a", "loser": "b"}\n' * 2000, "rows, but at most 1000"),
    "items.csv": (HEAD + b"".join(b"a%d,b\n" % k for k in range(500)), "items, but at most 100"),
    "columns.csv": (b"," * 60_000 + b"\n" + b"0.5," * 10_000, "rows of the matrix|has .* numbers|must be square"),
    "large.json": (b"[" + b"0," * 400_000 + b"0]", "bytes to be held at once"),
    "deep.json": (b"[" * 200_000 + b"]" * 200_000, "lists within lists, too deep"),
    "deep.jsonl": (b'{"winner": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "lists within lists|there is|there are"),
    "digits.json": (b"[[" + b"9" * 100_000 + b"]]", "is not JSON"),
    "huge.json": (b"[[0.5, 1" + b"0" * 400 + b"], [0.5, 0.5]]", "not all numbers"),
    "shape.npy": (npy((10**6, 10**6)), "is damaged or cut off: 0 bytes are no float64 of the shape"),
    "negative.npy": (npy((-2, -2), bytes(32)), "is damaged or cut off"),
    "empty.npy": (npy((0, 10**18)), "is damaged or cut off"),
    "pickle.npy": (npy((2, 2)).replace(b"<f8", b"|O8"), "holds object, but it must hold numbers"),
    "zeros.npz": (npz(preferences=npy((3000, 3000), bytes(72_000_000))), "bytes to be held at once"),
    "shape.npz": (npz(preferences=npy((10**9, 10**9))), "preferences is damaged or cut off"),
    "member.npz": (npz(preferences=b"no array"), "preferences is no array of NumPy's"),
    "rows.parquet": (parquet(5000), "at least 5000 rows, but at most 1000"),
    "votes.soc": (b"# NUMBER ALTERNATIVES: 5000\n1: 1\n", "items, but at most 100"),
    "order.soc": (
        b"# NUMBER ALTERNATIVES: 100\n1: " + b",".join(b"%d" % k for k in range(1, 101)),
        "in one ranking, but at most 50",
    ),
    "comment.soc": (b"# " + b" " * 60_000 + b"\n" + b"# A" + b" A" * 30_000 + b"\n1: 1,2\n", "there are 0 items"),
    "braces.soc": (b"# NUMBER ALTERNATIVES: 3\n1: " + b"{" * 60_000, "line 2 ranks nothing"),
}  # fmt: skip


@pytest.mark.parametrize("name", COSTLY)
def test_costly_files_end_in_a_sentence(tmp_path, name):
    content, sentence = COSTLY[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(WinnerstaysError, match=sentence):
        load(tmp_path / name, limits=SMALL)  # imports happen here
    tracemalloc.start()
    with pytest.raises(WinnerstaysError, match=sentence):
        load(tmp_path / name, limits=SMALL)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MOST_MEMORY


def test_time_is_limited(tmp_path):
    (tmp_path / "a.csv").write_text("winner,loser\na,b\n")
    with pytest.raises(WinnerstaysError, match="reading takes longer than the limit of -1 seconds"):
        load(tmp_path / "a.csv", limits=Limits(seconds=-1))


@pytest.mark.parametrize("name", ["a.csv.gz", "a.npy", "a.npz", "a.parquet", "a.json", "a.jsonl"])
def test_a_file_that_is_cut_off_anywhere_is_read_or_gets_a_sentence(tmp_path, name):
    """Whatever is left of a file, and with any byte changed: a problem or a sentence, never another error."""
    matrix = np.array([[0.5, 0.7], [0.3, 0.5]])
    buffer, path, rng = io.BytesIO(), tmp_path / name, np.random.default_rng(1)
    if name.endswith(".npy"):
        np.save(buffer, matrix)
    elif name.endswith(".npz"):
        np.savez(buffer, preferences=matrix)
    else:
        text = json.dumps([{"winner": "a", "loser": "b"}]).encode()
        whole = {"a.csv.gz": gzip.compress(HEAD + b"a,b\n" * 9), "a.parquet": parquet(9), "a.json": text}
        buffer.write(whole.get(name, text[1:-1]))
    content = buffer.getvalue()
    for _ in range(150):
        cut = bytearray(content[: rng.integers(1, len(content) + 1)])
        cut[rng.integers(len(cut))] = rng.integers(256)
        path.write_bytes(cut)
        said = attempt(path)
        assert said is None or (said.startswith(f"{path}: ") and "\n" not in said)


def attempt(path):
    """Return the sentence that refuses a file, if one does."""
    try:
        load(path, limits=LIMITS)
    except WinnerstaysError as error:
        return str(error)


def test_damaged_columns_of_parquet_get_a_sentence(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    path.write_bytes(parquet(9))
    monkeypatch.setattr(table, "_cells", lambda column: [][7])
    with pytest.raises(WinnerstaysError, match="the Parquet file is damaged"):
        load(path)
