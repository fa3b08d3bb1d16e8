"""Judged queries, whose features are rankers: rows of LETOR (SVMlight) files as MSLR-WEB's, or generated ones."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from winnerstays._types import Ints
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.interleaving.clicks import TOP_GRADE
from winnerstays.interleaving.kernels import NONE, Lists
from winnerstays.item_names import shown as in_words
from winnerstays.randomness import check_seed

Values = npt.NDArray[np.float32]

ROW = "grade qid:query 1:value 2:value ..., as in: 2 qid:7 1:0.5 2:13"
LARGEST_FEATURE, MAX_CELLS = 10_000, 200_000_000
SCALES = (1, 2, 4)
"""The highest grade that a file can have: it stands for 4."""
SIGNALS = {
    "bm25": 2.0, "language-model": 1.1, "bm25-title": 0.9, "bm25-anchor": 0.7, "tf-idf": 0.5, "page-rank": 0.3,
    "freshness": 0.15, "length": 0.0,
}  # fmt: skip
"""The rankers of the generated corpus, and how much the grade of a result moves each."""
RESULTS, SHARES = 30, (0.52, 0.32, 0.13, 0.02, 0.01)
"""The results of a query in the generated corpus, and the share of each grade, about as in MSLR-WEB."""


class Corpus(NamedTuple):
    """Results of one query after the other; those of query q are rows starts[q] to starts[q + 1] - 1."""

    grades: Ints
    starts: Ints
    features: npt.NDArray[np.floating[Any]]
    names: tuple[str, ...]

    def choose(self, features: str, seed: int = 0) -> "Corpus":
        """Keep the features with these names, as 8,110,130, or so many, drawn from those that differ anywhere."""
        asked = [name.strip() for name in features.split(",")]
        if len(asked) == 1 and asked[0].isdecimal():
            varied = np.flatnonzero((self.features != self.features[0]).any(axis=0))
            if not 2 <= int(asked[0]) <= varied.size:
                raise WinnerstaysError(
                    f"{asked[0]} features were asked for, but only {varied.size} of {len(self.names)} ever differ; "
                    f"ask for 2 to {varied.size}."
                )
            columns = np.sort(np.random.default_rng(check_seed(seed)).permutation(varied)[: int(asked[0])]).tolist()
        else:
            for name in asked:
                if name not in self.names:
                    raise unknown("feature", name, self.names)
            columns = [self.names.index(name) for name in dict.fromkeys(asked)]
            if len(columns) < 2:
                raise WinnerstaysError(f"The features are {features!r}, but two different ones are needed.")
        return self._replace(features=self.features[:, columns], names=tuple(self.names[column] for column in columns))

    def rankings(self, length: int, seed: int = 0) -> Lists:
        """Return each feature's best rows of each query, highest value first; the seed decides between equal ones."""
        n_queries = len(self.starts) - 1
        lists = np.full((len(self.names), n_queries, length), NONE)
        rng = np.random.default_rng(check_seed(seed))
        for query, (start, end) in enumerate(zip(self.starts, self.starts[1:], strict=False)):
            rows = start + rng.permutation(end - start)
            best = np.argsort(-self.features[rows], axis=0, kind="stable")[:length]
            lists[:, query, : len(best)] = rows[best].T
        return lists


def read_letor(lines: Iterable[str], queries: int = 1000) -> Corpus:
    """Read the first queries of a LETOR file, row by row; a feature that a row leaves out is 0.

    >>> corpus = read_letor(["1 qid:7 1:0.5 2:3", "0 qid:7 2:4", "2 qid:8 1:1  # a comment"])
    >>> corpus.grades, corpus.starts, corpus.features.tolist()
    (array([2, 0, 4]), array([0, 2, 3]), [[0.5, 3.0], [0.0, 4.0], [1.0, 0.0]])
    """
    grades: list[int] = []
    starts: list[int] = []
    rows: list[Values] = []
    seen: set[str] = set()
    last, width = None, 0
    for number, line in enumerate(lines, 1):
        grade, query, values = _row(line.partition("#")[0].split(), number)
        if values is None:
            continue
        if query != last:
            if len(starts) == queries:
                break
            if query in seen:
                raise WinnerstaysError(f"Line {number}: query {query!r} was over already; sort the file by query.")
            seen.add(query)
            starts.append(len(grades))
        last, width = query, max(width, values.size)
        grades.append(grade)
        rows.append(values)
        if len(rows) * width > MAX_CELLS:
            raise WinnerstaysError(f"Line {number}: more than {MAX_CELLS:,} values; read fewer queries.")
    if not rows or width < 2:
        raise WinnerstaysError(f"There are {len(rows)} rows with {width} features, but at least 2 are needed: {ROW}.")
    features = np.zeros((len(rows), width), np.float32)
    for values, row in zip(rows, features, strict=True):
        row[: values.size] = values
    scale = next(scale for scale in SCALES if max(grades) <= scale)
    names = tuple(str(feature) for feature in range(1, width + 1))
    return Corpus(np.array(grades) * (TOP_GRADE // scale), np.array([*starts, len(rows)]), features, names)


def _row(parts: Sequence[str], number: int) -> tuple[int, str, Values | None]:
    """Return grade, query and the values of features 1, 2, ...; no values for a blank line."""
    if not parts:
        return 0, "", None
    if parts[0] not in {str(grade) for grade in range(TOP_GRADE + 1)}:
        raise WinnerstaysError(f"Line {number}: the grade is {in_words(parts[0])}, but it must be 0 to 4: {ROW}.")
    if len(parts) < 2 or not parts[1].startswith("qid:"):
        raise WinnerstaysError(f"Line {number}: there is no qid after the grade; rows are {ROW}.")
    cells: dict[int, float] = {}
    for part in parts[2:]:
        name, _, value = part.partition(":")
        try:
            feature, cell = int(name), float(value)
        except ValueError:
            feature, cell = 0, 0.0
        if not 1 <= feature <= LARGEST_FEATURE or not math.isfinite(cell) or feature in cells:
            raise WinnerstaysError(
                f"Line {number}: {in_words(part)} is not a feature; give each once, as 12:0.5 (1 to {LARGEST_FEATURE})."
            )
        cells[feature] = cell
    values = np.zeros(max(cells, default=0), np.float32)
    values[np.array(list(cells), int) - 1] = list(cells.values())
    return int(parts[0]), parts[1].removeprefix("qid:"), values


def generated_corpus(queries: int = 200, seed: int = 0) -> Corpus:
    """Return judged queries whose features are eight rankers of different strength, `bm25` being the best."""
    rng = np.random.default_rng(check_seed(seed))
    rows, strengths = queries * RESULTS, np.array(list(SIGNALS.values()))
    grades = rng.choice(TOP_GRADE + 1, rows, p=SHARES)
    text = rng.normal(size=(rows, 1))  # what all of them see that is not relevance
    features = strengths * (grades[:, None] + 0.2 * text) + rng.normal(size=(rows, strengths.size))
    return Corpus(grades, np.arange(0, rows + 1, RESULTS), features, tuple(SIGNALS))
