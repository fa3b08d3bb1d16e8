"""doc2vec (Le & Mikolov 2014, in gensim): a feature vector for each restaurant from the words of its reviews.

One document per restaurant, made of all its reviews. gensim cuts a document after 10,000 words without a word about
it, so that the reviews are given one by one under the same tag, which trains the same vector. With one worker,
a seed and a hash of our own, the vectors are the same in every process.

The paper names the 20 dimensions and nothing else. PV-DBOW with 10 epochs is used: on the generated city its
vectors hold as much about the restaurants as those of PV-DM and take half the time.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from winnerstays.errors import WinnerstaysError, extra
from winnerstays.problems.problem import Floats
from winnerstays.progress import Progress

DIMENSIONS, EPOCHS, MIN_COUNT, WINDOW = 20, 10, 5, 5
TOKENS = 100_000
"""Words per restaurant that are read, from the start of the file."""


def load_doc2vec() -> Any:
    """Return gensim's module."""
    with extra("doc2vec (gensim), which turns reviews into features,", "paper"):
        from gensim.models import doc2vec
    return doc2vec


def embed(documents: Path, n_documents: int, seed: int = 1, progress: Progress | None = None) -> Floats:
    """A vector for each document of a file with lines of `number word word ...`, centred, with unit variance."""
    doc2vec = load_doc2vec()

    class Corpus:
        """Read anew in every epoch, and once before them to see which words there are."""

        passes = 0

        def __iter__(self) -> Iterator[Any]:
            if progress:
                progress("doc2vec", self.passes / (EPOCHS + 1))
            self.passes += 1
            with documents.open(encoding="utf-8") as file:
                for line in file:
                    number, *words = line.split()
                    yield doc2vec.TaggedDocument(words, [int(number)])

    model = doc2vec.Doc2Vec(
        vector_size=DIMENSIONS,
        epochs=EPOCHS,
        min_count=MIN_COUNT,
        window=WINDOW,
        dm=0,
        seed=seed,
        workers=1,
        hashfxn=_hash,
    )
    corpus = Corpus()
    model.build_vocab(corpus)
    if not len(model.wv):
        raise WinnerstaysError(f"No word occurs {MIN_COUNT} times in the reviews; doc2vec has nothing to learn.")
    model.train(corpus, total_examples=model.corpus_count, epochs=model.epochs)
    vectors = np.asarray(model.dv.vectors[:n_documents], dtype=np.float64)
    centred = vectors - vectors.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def _hash(word: str) -> int:
    return crc32(word.encode())
