"""What all visitors of a site like, and each visitor's own taste as a deviation from it.

>>> crowd = Crowd(np.empty((3, 0)))  # three items, of which no features are known
>>> visitor = crowd.visitor(np.array([[0, 2, 5, 0, 0], [1, 2, 4, 0, 0]]).T)  # item 2 won 5 duels with 0, 4 with 1
>>> crowd.pick(visitor, np.arange(3))[0]
2

Items are places in the site's list. A crowd changes only when `fitting.fit` makes the next version of it from all
answers. A visitor is what their answers say under one version: made when needed, and not kept.
"""

import json
import struct
import zlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.errors import WinnerstaysError
from winnerstays.randomness import stream
from winnerstays.tastes.beliefs import Model, fold, work_of
from winnerstays.tastes.choosing import DRAW, VISIT, against, best_challenger, outlook, variances

MAGIC = b"WSC2"
NO_GROUP = ""


class Settings(NamedTuple):
    """Standard deviations of utilities, in log-odds, and the share of answers at random; `fit` estimates them."""

    quality: float = 1.5
    group: float = 0.5
    own: float = 1.5
    feature: float = 0.5
    slips: float = 0.1

    def as_array(self, n_groups: int) -> Floats:
        """Return the variances and the share, as kernels take them; a single group does not deviate from all."""
        group = self.group**2 if n_groups > 1 else 0.0
        return np.array([self.quality**2, group, self.own**2, self.feature**2, self.slips])


class Visitor(NamedTuple):
    """What one visitor's answers say. Made by `Crowd.visitor`."""

    seed: int
    group: int  # its row in the model, or NOBODY
    answers: int
    items: Ints  # those met
    pairs: Ints  # (2, pairs): places in `items`
    sites: Floats  # (2, pairs)
    message: Floats  # (2, items): what the crowd has been told


class Crowd:
    """The utilities of all items for everyone and for each group, and how far visitors deviate from them."""

    def __init__(
        self, features: Floats, *, groups: Iterable[str] = (NO_GROUP,), settings: Settings | None = None
    ) -> None:
        """`features` has a row for each item. Visitors of no group are those of the first."""
        self.settings = settings or Settings()
        self.groups = {name: row for row, name in enumerate(groups)}
        self._centre, spread = features.mean(axis=0), features.std(axis=0)
        self._spread, self.slope = np.where(spread > 0, spread, 1.0), np.zeros(features.shape[1])
        none, known = np.zeros((len(self.groups), 0)), self.settings.as_array(len(self.groups))
        self.model = Model(none, none, none[0], np.zeros((0, features.shape[1])), known)
        self.add(features)

    def add(self, features: Floats) -> None:
        """Let items join. They start from their features: from what items like them are worth."""
        rows, model = (features - self._centre) / self._spread, self.model
        more = np.zeros((len(self.groups), len(rows)))
        self.model = model._replace(
            precision=np.hstack([model.precision, more]),
            tilt=np.hstack([model.tilt, more]),
            prior=np.concatenate([model.prior, rows @ self.slope]),
            features=np.vstack([model.features, rows]),
        )

    def visitor(self, answers: Ints | None = None, *, told: int = 0, seed: int = 0, group: int = 0) -> Visitor:
        """Return the visitor who gave these answers, to a model that has heard them or not.

        A column of `answers` holds two items, and how often the first one lost, won and tied. The crowd has been told
        those of the first `told` columns: what they contributed is taken out. The `seed` of 64 bits, another one for
        each visitor, decides which uncertain items are tried.
        """
        if answers is None:
            answers = np.zeros((5, 0), np.int64)
        items, places = np.unique(answers[:2], return_inverse=True)
        self._check_places(items)
        pairs = np.ascontiguousarray(places.reshape(2, -1), np.int64)
        message, sites = np.zeros((2, items.size)), np.zeros((2, pairs.shape[1]))
        fold(self.model, group, items, pairs, answers[2:], told, sites, message, work_of(items.size))
        return Visitor(seed, group, int(answers[2:].sum()), items, pairs, sites, message)

    def pick(
        self, visitor: Visitor, eligible: Ints, avoid: Iterable[tuple[int, int]] = (), count: int = 2
    ) -> tuple[int, ...]:
        """Return the visitor's favourite among the eligible items, and who may be better: so many items in all.

        Pairs to `avoid`, such as one that was just skipped, are not shown while there is another challenger.
        """
        self._check_places(eligible)
        visit = min(VISIT, eligible.size / 4)
        view = View(self, visitor, eligible, draw=DRAW * visit / (visit + visitor.answers))
        favourite = int(view.mean.argmax())
        allowed = np.ones(eligible.size, np.int64)
        for pair in avoid:
            if eligible[favourite] in pair:
                allowed[np.isin(eligible, pair)] = 0
        allowed[favourite] = 0
        variance, covariance, chosen = view.variance(), view.covariance(favourite), [favourite]
        while len(chosen) < count:
            if not allowed.any():
                allowed[:] = 1
                allowed[chosen] = 0
            chosen.append(best_challenger(view.mean, variance, covariance, allowed, favourite))
            allowed[chosen[-1]] = 0
        return tuple(int(eligible[place]) for place in chosen)

    def _check_places(self, items: Ints) -> None:
        if items.size and items.max() >= self.model.prior.size:
            raise WinnerstaysError(f"The model of tastes knows {self.model.prior.size} items, but not {items.max()}.")

    def _arrays(self) -> tuple[Floats, ...]:
        return *self.model[:4], self.slope, self._centre, self._spread

    def dump(self) -> bytes:
        """Return a version of the model as bytes."""
        about = [list(self.groups), self.model.features.shape, list(self.settings)]
        head = json.dumps(about, separators=(",", ":")).encode()
        arrays = b"".join(array.astype("<f8").tobytes() for array in self._arrays())
        return MAGIC + struct.pack("<II", len(head), zlib.crc32(head + arrays)) + head + arrays

    @classmethod
    def load(cls, data: bytes) -> "Crowd":
        """Return the model whose bytes these are."""
        if len(data) < 12 or data[:4] != MAGIC:
            raise WinnerstaysError(f"These {len(data)} bytes are no model of tastes, or one of another version.")
        length, check = struct.unpack_from("<II", data, 4)
        if zlib.crc32(data[12:]) != check:
            raise WinnerstaysError("The stored model of tastes is damaged: its checksum is not that of its bytes.")
        groups, shape, settings = json.loads(data[12 : 12 + length])
        crowd = cls(np.zeros(shape), groups=groups, settings=Settings(*settings))
        at = 12 + length
        for array in crowd._arrays():
            array[...] = np.frombuffer(data, "<f8", array.size, at).reshape(array.shape)
            at += array.nbytes
        return crowd


class View:
    """What the model expects of the eligible items for one visitor: means, variances, covariances with one of them."""

    def __init__(self, crowd: Crowd, visitor: Visitor, eligible: Ints, *, draw: float = 0.0) -> None:
        size, met = eligible.size, visitor.items
        self.eligible, self.mean = eligible, np.zeros(size)
        self._model, self._met, self._prior = crowd.model, met, np.zeros(size)
        self._place, self._work = np.zeros(crowd.model.prior.size, np.int64), work_of(met.size)
        outlook(
            crowd.model, visitor.group, met, visitor.message, visitor.pairs, visitor.sites, draw, stream(visitor.seed),
            eligible, self._place, self.mean, self._prior, self._work,
        )  # fmt: skip

    def variance(self) -> Floats:
        out = np.zeros(self.eligible.size)
        variances(self._model, self._met, self.eligible, self._place, self._prior, out, self._work)
        return out

    def covariance(self, of: int) -> Floats:
        out = np.zeros(self.eligible.size)
        against(self._model, self._met, self.eligible, self._place, self._prior, of, out, self._work)
        return out
