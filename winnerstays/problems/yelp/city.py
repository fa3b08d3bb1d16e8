"""A generated city in the file format of Yelp's dataset, for everyone without a copy of the dataset.

Restaurants are mixtures of topics; the words of a review come from its restaurant's topics, from common words, and
from words of praise or complaint as its stars demand. People have a taste for topics; their stars are the utility of
that taste plus noise, rounded. The ids say that all of it is generated, and so does everything made from it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from winnerstays.files import write_whole
from winnerstays.problems.problem import Floats

GENERATED = "generated data, not Yelp"
MARK = "generated-"
TOPICS, WORDS = 12, 1200
NOISE = 0.6
WORDS_PER_REVIEW = 28

_KINDS = ("Diner", "Grill", "Kitchen", "Noodles", "Taqueria", "Bistro", "Oyster Bar", "Bakery", "Curry House", "Steaks")
_STARTS, _VOWELS, _ENDS = "bdfghklmnprstvwz", "aeiou", ("", "l", "n", "r", "s")


@dataclass(frozen=True)
class City:
    """A generated city: the true utilities of all users, in stars."""

    users: list[str]
    restaurants: list[str]
    utilities: Floats  # a row for each user, a column for each restaurant


def write_city(
    directory: str | Path,
    *,
    seed: int = 1,
    restaurants: int = 130,
    elsewhere: int = 40,
    regulars: int = 60,
    visitors: int = 1800,
) -> City:
    """Write `business.json` and `review.json`, the same for the same seed.

    `elsewhere` businesses are in another city or no restaurants. `regulars` review 35 to 65 places each, `visitors`
    1 to 5.
    """
    rng = np.random.default_rng(seed)
    directory = Path(directory)
    places = restaurants + elsewhere
    mixture = rng.dirichlet(np.full(TOPICS, 0.4), places)
    popularity = np.arange(1, places + 1) ** -0.5
    popularity = rng.permutation(popularity / popularity.sum())
    quality = rng.normal(0, 0.3, places)
    tastes = rng.normal(0, 1.0, (regulars + visitors, TOPICS))
    leniency = rng.normal(3.6, 0.3, regulars + visitors)
    utilities = leniency[:, None] + quality + 2.0 * tastes @ (mixture - mixture.mean(axis=0)).T

    visits = rng.integers(35, 66, regulars).tolist() + rng.integers(1, 6, visitors).tolist()
    pairs = np.array([
        (user, place)
        for user, number in enumerate(visits)
        for place in rng.choice(places, min(number, places), replace=False, p=popularity)
    ])  # fmt: skip
    pairs = pairs[rng.permutation(len(pairs))]
    user_of, place_of = pairs.T
    stars = np.clip(np.rint(utilities[user_of, place_of] + rng.normal(0, NOISE, len(pairs))), 1, 5).astype(int)
    texts = _texts(rng, mixture, place_of, stars)
    days = np.datetime64("2010-01-01") + rng.integers(0, 2500, len(pairs))

    users = [f"{MARK}u{user:011d}" for user in range(regulars + visitors)]
    ids = [f"{MARK}b{place:011d}" for place in range(places)]
    vocabulary = _vocabulary()
    businesses = [
        {
            "business_id": ids[place],
            "name": f"{vocabulary[-1 - place % WORDS].title()} {_KINDS[int(np.argmax(mixture[place])) % len(_KINDS)]}",
            "city": "Phoenix" if place >= restaurants and place % 2 else "Las Vegas",
            "categories": "Shopping, Books" if place >= restaurants and not place % 2 else "Restaurants, Food",
            "review_count": int((place_of == place).sum()),
        }
        for place in range(places)
    ]
    reviews = [
        {
            "user_id": users[user],
            "business_id": ids[place],
            "stars": float(stars[number]),
            "date": str(days[number]),
            "text": texts[number],
        }
        for number, (user, place) in enumerate(pairs)
    ]
    _write(directory / "business.json", businesses)
    _write(directory / "review.json", reviews)
    return City(users, ids[:restaurants], utilities[:, :restaurants])


def _texts(rng: np.random.Generator, mixture: Floats, place_of: Any, stars: Any) -> list[str]:
    """A text for each review: half its words from the topics, a tenth praise or complaint, the rest common words."""
    vocabulary = np.array(_vocabulary())
    topics = rng.dirichlet(np.full(WORDS, 0.03), TOPICS)
    common, praise, complaint = rng.dirichlet(np.full(WORDS, 0.3)), *rng.dirichlet(np.full(WORDS, 0.02), 2)
    texts = [""] * len(place_of)
    for place in range(len(mixture)):
        here = np.flatnonzero(place_of == place)
        if not here.size:
            continue
        lengths = rng.integers(WORDS_PER_REVIEW // 2, WORDS_PER_REVIEW * 3 // 2, here.size)
        tone = np.repeat((stars[here] - 1) / 4, lengths)
        source = rng.random(tone.size)
        words = np.where(
            source < 0.5,
            rng.choice(WORDS, tone.size, p=mixture[place] @ topics),
            np.where(
                source < 0.9,
                rng.choice(WORDS, tone.size, p=common),
                np.where(
                    rng.random(tone.size) < tone,
                    rng.choice(WORDS, tone.size, p=praise),
                    rng.choice(WORDS, tone.size, p=complaint),
                ),
            ),
        )
        for review, part in zip(here, np.split(words, np.cumsum(lengths)[:-1]), strict=True):
            texts[review] = " ".join(vocabulary[part]).capitalize() + "."
    return texts


def _vocabulary() -> list[str]:
    """Return invented words that can be pronounced."""
    syllables = [start + vowel for start in _STARTS for vowel in _VOWELS]
    count = len(syllables)
    return [
        syllables[word % count] + syllables[(7 * word + word // count) % count] + _ENDS[word % len(_ENDS)]
        for word in range(WORDS)
    ]


def _write(path: Path, entries: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(entry) + "\n" for entry in entries)
    write_whole(path, text)
