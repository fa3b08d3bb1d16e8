"""A thousand searchers compare eight rankers of a small collection by their clicks, until the best ranker is left.

Documents and queries are generated: each document is about a few of 30 topics, and how much it is about the topic of a
query makes its grade. The script prints which ranker was found, how many searches showed other results, and how many
searches an A/B test takes. It writes rankers.png.
"""

import functools

import matplotlib.pyplot as plt
import numpy as np

from winnerstays import Arena
from winnerstays.interleaving import simulate_clicks

TOPICS, WORDS, DOCUMENTS, LENGTH, QUERIES, SEARCHERS, SEARCHES = 20, 900, 600, 10, 200, 1000, 10
CLICKS, Z = "navigational", 1.96 + 0.84  # an error of 5 %, a power of 80 %


class Collection:
    """Documents, queries, grades, and the scores of eight rankers."""

    def __init__(self, rng):
        topics = rng.dirichlet(np.full(WORDS, 0.05), TOPICS)
        common = rng.dirichlet(np.full(WORDS, 0.3))  # words that are everywhere, of which some are in queries too
        self.about = rng.dirichlet(np.full(TOPICS, 0.15), DOCUMENTS)
        sizes = rng.integers(20, 400, DOCUMENTS)
        self.body = np.array([rng.multinomial(size, 0.3 * row @ topics + 0.7 * common)
                              for size, row in zip(sizes, self.about, strict=True)])  # fmt: skip
        self.title = np.array([rng.multinomial(15, row**2 / (row**2).sum() @ topics) for row in self.about])
        self.topic = rng.integers(TOPICS, size=QUERIES)
        self.queries = [rng.choice(WORDS, 3, p=topics[topic]) for topic in self.topic]
        self.grades = np.minimum(4, (self.about[:, self.topic].T * 6).astype(int))  # of each query, each document
        popular, fresh = rng.random(DOCUMENTS), rng.random(DOCUMENTS)
        self.rankers = {
            "bm25": lambda words: bm25(self.body, words),
            "bm25 + title": lambda words: bm25(self.body, words) + bm25(self.title, words),
            "bm25, long first": lambda words: bm25(self.body, words, b=0.0),
            "bm25, any count": lambda words: bm25(self.body, words, k1=0.01),
            "title": lambda words: bm25(self.title, words),
            "word counts": lambda words: self.body[:, words].sum(axis=1),
            "popular": lambda words: popular + (self.body[:, words].sum(axis=1) > 0),
            "fresh": lambda words: fresh + (self.title[:, words].sum(axis=1) > 0),
        }

    @functools.cache  # noqa: B019
    def results(self, ranker, query):
        """Return the documents that a ranker shows for a query."""
        scores = self.rankers[ranker](self.queries[query])
        return np.argsort(-scores, kind="stable")[:LENGTH].tolist()


def bm25(counts, words, k1=1.2, b=0.75):
    size = counts.sum(axis=1) / counts.sum(axis=1).mean()
    found = counts[:, words]
    rare = np.log(1 + len(counts) / (1 + (found > 0).sum(axis=0)))
    return (rare * found * (k1 + 1) / (found + k1 * (1 - b + b * size[:, None]))).sum(axis=1)


def ab_test(collection, one, other, rng):
    """Return how many searches an A/B test of all rankers needs to tell these two apart.

    Each searcher sees one ranker's list; the measure is 1 / (position of the first click).
    """
    values = []
    for ranker in (one, other):
        clicks = [search(collection, collection.results(ranker, query), query, k)
                  for k, query in enumerate(rng.integers(QUERIES, size=5000))]  # fmt: skip
        values.append(np.array([1 / made[0] if made else 0.0 for made in clicks]))
    of_each = sum(each.var() for each in values) * (Z / (values[0].mean() - values[1].mean())) ** 2
    return of_each * len(collection.rankers)


def search(collection, shown, query, seed):
    """Return the positions that a searcher clicks."""
    return simulate_clicks(CLICKS, collection.grades[query, list(shown)].tolist(), seed=seed)


def main(picture="rankers.png", searchers=SEARCHERS):
    rng = np.random.default_rng(1)
    collection = Collection(rng)
    duels = []
    with Arena.open("memory:", "rankers", [*collection.rankers], audience="everyone", regret="strong", seed=1) as arena:
        for number, query in enumerate(rng.integers(QUERIES, size=searchers * SEARCHES)):
            searcher = f"searcher {number % searchers}"
            session = arena.session(
                searcher, lambda ranker, query=query: collection.results(ranker, query), seed=number
            )
            for position in search(collection, session.shown, query, number):
                session.clicked(position)
            session.close()
            duels.append({session.duel.left, session.duel.right})
        best = arena.best()
    alone = np.array([pair == {best} for pair in duels])
    mixed = int((~alone).sum())
    print(f"best: {best}; {mixed:,} of {alone.size:,} searches showed results of other rankers too")
    rival = max(set(collection.rankers) - {best}, key=lambda ranker: sum(ranker in pair for pair in duels))
    needed = ab_test(collection, best, rival, rng)
    print(f"an A/B test of all of them needs about {needed:,.0f} to tell {best} from {rival}")
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot(np.arange(1, alone.size + 1), (~alone).cumsum())
    axes.set(xlabel="searches", ylabel="of these, not the best list alone", title=f"{best} is found among 8 rankers")
    figure.savefig(picture)
    plt.close(figure)
    return best, mixed, needed


if __name__ == "__main__":
    main()
