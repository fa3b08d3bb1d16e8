"""Every ranker against every other one: simulated sessions, and the preference matrix that they give."""

from itertools import combinations

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.compiling import entry
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.interleaving import kernels
from winnerstays.interleaving.clicks import ClickModel, add_clicks, click_model
from winnerstays.interleaving.corpus import Corpus
from winnerstays.interleaving.interleaved import RULES, SAME, rank_weights
from winnerstays.interleaving.kernels import Lists
from winnerstays.problems import Problem
from winnerstays.progress import Progress
from winnerstays.randomness import Rng, below, check_seed, stream
from winnerstays.simulation.workers import worker_pool

COMPILED_METHODS = ("team_draft", "balanced", "probabilistic")
TEAM_DRAFT, BALANCED = 0, 1
FIRST, SECOND, TIE, NOTHING = range(4)
BLOCK = 10_000
"""Sessions with one stream of random numbers: the result is the same on any number of threads."""


@entry
def play_sessions(
    queries: Lists,
    grades: Ints,
    model: ClickModel,
    method: int,
    first_click: bool,
    weights: Floats,
    page: Lists,
    ranks: Lists,
    scores: Floats,
    counts: Floats,
    outcomes: Ints,
    sessions: int,
    rng: Rng,
) -> None:
    """Count the outcomes of sessions on random queries, each with the lists of both rankers; `page` is for scratch."""
    length = queries.shape[2]
    shown, owners, shown_grades, clicks, order, sizes = page[0], page[1], page[2], page[3], page[4, :2], page[5, :2]
    order[0], order[1] = 0, 1
    for _ in range(sessions):
        lists = queries[below(rng, queries.shape[0])]
        if method == TEAM_DRAFT:
            n = kernels.team_draft(lists, length, shown, owners, order, rng)
        elif method == BALANCED:
            n = kernels.balanced(lists, length, shown, rng)
        else:
            n = kernels.probabilistic(lists, weights, length, shown, rng)
        for place in range(n):
            shown_grades[place] = grades[shown[place]]
        clicked = add_clicks(model, shown_grades, n, clicks, rng)
        if clicked == 0:
            outcomes[NOTHING] += 1
            continue
        made = clicks[: 1 if first_click else clicked]
        if method == TEAM_DRAFT:
            kernels.team_scores(owners, made, scores)
        else:
            for ranker in range(2):
                sizes[ranker] = kernels.size_of(lists[ranker])
                for place in range(n):
                    ranks[ranker, place] = kernels.place_of(lists[ranker], sizes[ranker], shown[place])
            if method == BALANCED:
                kernels.balanced_scores(ranks, made, scores)
            else:
                kernels.probabilistic_scores(ranks, sizes, weights, made, counts, scores)
        ahead = scores[0] - scores[1]
        outcomes[TIE if abs(ahead) < SAME else FIRST if ahead > 0 else SECOND] += 1


def count_outcomes(
    queries: Lists, grades: Ints, model: ClickModel, method: str, rule: str, sessions: int, rng: Rng
) -> Ints:
    """Return how many sessions the first ranker won, the second won, were ties, and had no clicks.

    queries[q] holds the rankings of both on query q, as rows of the grades.
    """
    length = queries.shape[2]
    outcomes = np.zeros(4, np.int64)
    play_sessions(
        queries, grades, model, COMPILED_METHODS.index(method), rule == "first-click", rank_weights(length),
        np.zeros((6, max(length, 2)), np.int64), np.zeros((2, length), np.int64), np.zeros(2), np.zeros(length + 1),
        outcomes, sessions, rng,
    )  # fmt: skip
    return outcomes


def compare_rankers(
    corpus: Corpus,
    clicks: str = "informational",
    *,
    method: str = "team_draft",
    rule: str = "clicks",
    sessions: int = 10_000,
    length: int = 10,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Problem:
    """Return how often each ranker beats each other one, by so many sessions of each pair; a tie is half a win.

    >>> from winnerstays.interleaving import generated_corpus
    >>> problem = compare_rankers(generated_corpus(queries=20).choose("bm25,freshness"), sessions=1000)
    >>> problem.items[problem.best_arm]
    'bm25'
    """
    if method not in COMPILED_METHODS:
        raise unknown("method of simulated sessions", method, COMPILED_METHODS)
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    for name, value in (("sessions", sessions), ("length", length)):
        if value < 1:
            raise WinnerstaysError(f"{name} is {value}, but it must be at least 1.")
    model, lists, check = click_model(clicks), corpus.rankings(length, seed), check_seed(seed)
    n, pairs = len(corpus.names), list(combinations(range(len(corpus.names)), 2))
    tasks = [
        (pair, min(BLOCK, sessions - begin), stream(check, *pair, begin // BLOCK))
        for pair in pairs
        for begin in range(0, sessions, BLOCK)
    ]

    def play(pair: tuple[int, int], count: int, rng: Rng) -> tuple[tuple[int, int], Ints]:
        queries = np.stack([lists[pair[0]], lists[pair[1]]], axis=1)
        return pair, count_outcomes(queries, corpus.grades, model, method, rule, count, rng)

    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    with worker_pool(None, workers) as pool:
        for done, ((first, second), outcomes) in enumerate(pool.each(play, tasks), 1):
            wins[first, second] += outcomes[FIRST] + outcomes[TIE] / 2
            wins[second, first] += outcomes[SECOND] + outcomes[TIE] / 2
            ties[[first, second], [second, first]] += outcomes[TIE]
            if progress is not None:
                progress("sessions", done / len(tasks))
    problem = Problem.from_counts(wins, items=corpus.names, name="rankers", note=f"{sessions} sessions of each pair")
    problem.ties = ties
    return problem
