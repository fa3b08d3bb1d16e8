"""What all visitors of a site like, and each visitor's own taste as a deviation from it.

>>> crowd = Crowd(["ramen", "tacos", "pho"])
>>> visitor = crowd.visitor(seed=7)
>>> for _ in range(10):
...     first, second = crowd.choose(visitor)
...     visitor = crowd.tell(visitor, first, second, WON if first == "pho" else LOST if second == "pho" else TIED)
>>> crowd.favourite(visitor)
'pho'

The crowd changes with each answer. A visitor is a value of its own, which the caller keeps (`Visitor.dump`), so any
number of visitors may have a duel open. A visitor counts as one person, however many answers they give.
"""

import json
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from winnerstays._types import Floats, Ints
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.randomness import check_seed, stream
from winnerstays.tastes.beliefs import Model, fold, learn, work_of
from winnerstays.tastes.choosing import DRAW, NOBODY, VISIT, against, best_challenger, outlook, variances
from winnerstays.tastes.matching import LOST, TIED, WON
from winnerstays.tastes.ranking import Standing, contenders, standing

MAGIC = b"WSC1"
MAX_MET = 400
"""A visitor's posterior holds so many items; an answer about yet another one teaches nothing."""
NO_GROUP = ""
_ANOTHER_LIST = "This visitor's state belongs to a model of another list of items."


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
    """What one visitor's answers say: about 1 KB after 17 answers. Made by `Crowd.visitor`."""

    crowd: int
    group: str
    seed: int
    answers: int
    evidence: float
    items: Ints  # those met, as places in the crowd's list
    pairs: Ints  # (2, pairs): places in `items`
    sites: Floats  # (2, pairs)
    message: Floats  # (2, items): what the crowd has been told

    def dump(self) -> bytes:
        """Return the visitor as bytes."""
        group = self.group.encode()
        sizes = (self.crowd, self.seed, self.answers, self.evidence, len(group), self.items.size, self.pairs.shape[1])
        kinds = zip(_KINDS, (self.items, self.pairs, self.sites, self.message), strict=True)
        return struct.pack(_HEAD, *sizes) + group + b"".join(array.astype(kind).tobytes() for kind, array in kinds)

    @classmethod
    def load(cls, data: bytes) -> "Visitor":
        """Return the visitor whose bytes these are."""
        arrays, at = [], struct.calcsize(_HEAD)
        try:
            crowd, seed, answers, evidence, length, n_items, n_pairs = struct.unpack_from(_HEAD, data)
            group = data[at : at + length].decode()
            at += length
            for kind, count in zip(_KINDS, (n_items, 2 * n_pairs, 2 * n_pairs, 2 * n_items), strict=True):
                arrays.append(np.frombuffer(data, kind, count, at))
                at += arrays[-1].nbytes
        except (struct.error, ValueError):
            at = -1
        if at != len(data):
            raise WinnerstaysError(f"The visitor's state is damaged: {len(data)} bytes are not as many as it names.")
        items, pairs, sites, message = arrays
        return cls(
            crowd, group, seed, answers, evidence, items.astype(np.int64), pairs.astype(np.int64).reshape(2, n_pairs),
            sites.astype(np.float64).reshape(2, n_pairs), message.astype(np.float64).reshape(2, n_items),
        )  # fmt: skip


_HEAD = "<IQIdHHH"
_KINDS = ("<u4", "<u2", "<f8", "<f8")


class Crowd:
    """The utilities of all items for everyone and for each group, and how far visitors deviate from them."""

    def __init__(
        self,
        items: Iterable[str],
        *,
        features: Mapping[str, Sequence[float]] | None = None,
        settings: Settings | None = None,
    ) -> None:
        names = list(items)
        self.settings = Settings() if settings is None else settings
        self.items: list[str] = []
        self.groups: dict[str, int] = {NO_GROUP: 0}
        self.version = 0
        self._place: dict[str, int] = {}
        self._active = np.zeros(0, np.bool_)
        rows = _rows(names, features, None)
        self._centre = rows.mean(axis=0) if names else np.zeros(rows.shape[1])
        self._spread = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0) if names else np.ones(rows.shape[1])
        self._slope = np.zeros(rows.shape[1])
        none = np.zeros((1, 0))
        self.model = Model(none, none, none[0], np.zeros((0, rows.shape[1])), self.settings.as_array(1))
        self.add(names, features=features)
        self.id = zlib.crc32("\0".join(self.items).encode())

    def add(self, items: Iterable[str], *, features: Mapping[str, Sequence[float]] | None = None) -> None:
        """Let items join, or come back. A new one starts from its features: from what items like it are worth."""
        names = list(dict.fromkeys(items))
        new = [name for name in names if name not in self._place]
        rows = (_rows(new, features, self._slope.size) - self._centre) / self._spread
        for name in new:
            self._place[name] = len(self.items)
            self.items.append(name)
        more = np.zeros((len(self.groups), len(new)))
        self.model = self.model._replace(
            precision=np.hstack([self.model.precision, more]),
            tilt=np.hstack([self.model.tilt, more]),
            prior=np.concatenate([self.model.prior, rows @ self._slope]),
            features=np.vstack([self.model.features, rows]),
        )
        self._active = np.concatenate([self._active, np.zeros(len(new), np.bool_)])
        self._active[[self._place[name] for name in names]] = True

    def retire(self, items: Iterable[str]) -> None:
        """Never show these items again, until they are added again; what is known of them is kept."""
        self._active[self._places(items)] = False

    def visitor(self, *, seed: int = 0, group: str | None = None) -> Visitor:
        """Return a visitor who has answered nothing. The seed, of 64 bits, decides which uncertain items are tried."""
        none = np.zeros((2, 0))
        seed = check_seed(seed) % 2**64
        return Visitor(
            self.id, group or NO_GROUP, seed, 0, 0.0, np.zeros(0, np.int64), none.astype(np.int64), none, none
        )

    def tell(self, visitor: Visitor, first: str, second: str, outcome: int) -> Visitor:
        """Learn that the first of two items WON, LOST or TIED; returns the visitor as after it."""
        if outcome not in (LOST, WON, TIED):
            raise WinnerstaysError(f"The outcome is {outcome!r}, but it must be WON (1), LOST (0) or TIED (2).")
        visitor = self._known(visitor)
        both = self._places((first, second))
        if both[0] == both[1]:
            raise WinnerstaysError(f"A duel of {first!r} with itself says nothing; it needs two items.")
        met = visitor.items.tolist()
        new = [item for item in both.tolist() if item not in met]
        if len(met) + len(new) > MAX_MET:
            return visitor
        items = np.concatenate([visitor.items, np.array(new, np.int64)])
        message = np.hstack([visitor.message, np.zeros((2, len(new)))])
        a, b = (int(np.flatnonzero(items == item)[0]) for item in both)
        if a > b:
            a, b, outcome = b, a, (LOST, TIED, WON)[(WON, TIED, LOST).index(outcome)]
        known = np.flatnonzero((visitor.pairs[0] == a) & (visitor.pairs[1] == b))
        pairs, sites = visitor.pairs, visitor.sites.copy()
        if not known.size:
            pairs, sites = np.hstack([pairs, [[a], [b]]]), np.hstack([sites, np.zeros((2, 1))])
        pair = int(known[0]) if known.size else pairs.shape[1] - 1
        group = self.know_group(visitor.group)
        evidence = learn(
            self.model, group, items, pairs, sites, message, pair, outcome, visitor.evidence, work_of(items.size)
        )
        return visitor._replace(
            answers=visitor.answers + 1, evidence=evidence, items=items, pairs=pairs, sites=sites, message=message
        )

    def hear(self, before: Visitor, after: Visitor) -> None:
        """Learn what a visitor told another copy of this model since `before`.

        So answers that came while `fit` was at work reach the new version, and workers share what they learn.
        """
        row = self.know_group(self._known(before).group)
        precision, tilt = self.model.precision[row], self.model.tilt[row]
        precision[before.items] -= before.message[0]
        tilt[before.items] -= before.message[1]
        precision[after.items] = np.maximum(precision[self._known(after).items] + after.message[0], 0.0)
        tilt[after.items] += after.message[1]

    def choose(
        self,
        visitor: Visitor,
        eligible: Iterable[str] | None = None,
        *,
        avoid: Iterable[tuple[str, str]] = (),
    ) -> tuple[str, str]:
        """Return the visitor's favourite among the eligible items (all, if not given) and who may be better.

        Pairs to `avoid`, such as one that was just skipped, are not shown while there is another challenger.
        """
        pairs = [(self._place.get(first, NOBODY), self._place.get(second, NOBODY)) for first, second in avoid]
        first, second = self.pick(self._known(visitor), self._eligible(eligible), pairs)
        return self.items[first], self.items[second]

    def pick(self, visitor: Visitor, eligible: Ints, avoid: Iterable[tuple[int, int]] = ()) -> tuple[int, int]:
        """Return what `choose` does, by places in the list of items."""
        if eligible.size < 2:
            raise WinnerstaysError(f"A duel needs two eligible items, but there is {eligible.size}.")
        self._check_places(eligible)
        visit = min(VISIT, eligible.size / 4)
        view = View(self, visitor, eligible, draw=DRAW * visit / (visit + visitor.answers))
        favourite = int(view.mean.argmax())
        allowed = np.ones(eligible.size, np.int64)
        for pair in avoid:
            if eligible[favourite] in pair:
                allowed[np.isin(eligible, pair)] = 0
        allowed[favourite] = 0
        if not allowed.any():
            allowed[:] = 1
        challenger = best_challenger(view.mean, view.variance(), view.covariance(favourite), allowed, favourite)
        return int(eligible[favourite]), int(eligible[challenger])

    def visitor_of(self, seed: int, group: str, answers: Ints, told: int) -> Visitor:
        """Return the visitor who gave these answers, whom this version has heard or not.

        A column of `answers` holds two items, by their places, and how often the first one lost, won and tied. The
        crowd has been told those of the first `told` columns: what they contributed is taken out.
        """
        items, places = np.unique(answers[:2], return_inverse=True)
        self._check_places(items)
        places = np.ascontiguousarray(places.reshape(2, -1), np.int64)
        message, sites = np.zeros((2, items.size)), np.zeros((2, places.shape[1]))
        row = self.groups.get(group, NOBODY)
        evidence = fold(self.model, row, items, places, answers[2:], told, sites, message, work_of(items.size))
        return Visitor(self.id, group, seed, int(answers[2:].sum()), evidence, items, places, sites, message)

    def favourite(self, visitor: Visitor, eligible: Iterable[str] | None = None) -> str:
        """Return the eligible item of the highest expected utility."""
        view = View(self, self._known(visitor), self._eligible(eligible))
        return self.items[int(view.eligible[view.mean.argmax()])]

    def standing(self, visitor: Visitor, eligible: Iterable[str] | None = None, *, top: int = 5) -> Standing:
        """Return how likely each eligible item is the visitor's best, and among the best."""
        view = View(self, self._known(visitor), self._eligible(eligible))
        view = View(self, visitor, view.eligible[contenders(view.mean, view.variance())])
        covariance = np.array([view.covariance(e) for e in range(view.eligible.size)])
        names = [self.items[item] for item in view.eligible]
        return standing(names, view.mean[None], covariance[None], np.ones(1), top)

    def dump(self) -> bytes:
        """Return a version of the model as bytes."""
        about = {
            "items": self.items, "groups": list(self.groups), "settings": list(self.settings), "id": self.id,
            "version": self.version, "retired": np.flatnonzero(~self._active).tolist(), "slope": self._slope.tolist(),
            "centre": self._centre.tolist(), "spread": self._spread.tolist(),
        }  # fmt: skip
        head = json.dumps(about, separators=(",", ":")).encode()
        arrays = b"".join(array.astype("<f8").tobytes() for array in self.model[:4])
        return MAGIC + struct.pack("<II", len(head), zlib.crc32(head + arrays)) + head + arrays

    @classmethod
    def load(cls, data: bytes) -> "Crowd":
        """Return the model whose bytes these are."""
        if len(data) < 12 or data[:4] != MAGIC:
            raise WinnerstaysError(f"These {len(data)} bytes are no model of tastes, or one of another version.")
        length, check = struct.unpack_from("<II", data, 4)
        if zlib.crc32(data[12:]) != check:
            raise WinnerstaysError("The stored model of tastes is damaged: its checksum is not that of its bytes.")
        about = json.loads(data[12 : 12 + length])
        crowd = cls([], settings=Settings(*about["settings"]))
        crowd.items, crowd.id, crowd.version = about["items"], about["id"], about["version"]
        crowd.groups = {name: place for place, name in enumerate(about["groups"])}
        crowd._place = {name: place for place, name in enumerate(crowd.items)}
        crowd._active = np.ones(len(crowd.items), np.bool_)
        crowd._active[about["retired"]] = False
        crowd._slope, crowd._centre, crowd._spread = (np.array(about[name]) for name in ("slope", "centre", "spread"))
        n_groups, n_items, at = len(crowd.groups), len(crowd.items), 12 + length
        arrays = []
        for shape in ((n_groups, n_items), (n_groups, n_items), (n_items,), (n_items, crowd._slope.size)):
            count = int(np.prod(shape))
            arrays.append(np.frombuffer(data, "<f8", count, at).astype(np.float64).reshape(shape))
            at += 8 * count
        precision, tilt, prior, features = arrays
        crowd.model = Model(precision, tilt, prior, features, crowd.settings.as_array(n_groups))
        return crowd

    def _known(self, visitor: Visitor) -> Visitor:
        if visitor.crowd != self.id:
            raise WinnerstaysError(_ANOTHER_LIST)
        self._check_places(visitor.items)
        return visitor

    def _check_places(self, items: Ints) -> None:
        if items.size and items.max() >= len(self.items):
            raise WinnerstaysError(_ANOTHER_LIST)

    def know_group(self, group: str) -> int:
        """Return the row of a group, which begins with its first answer."""
        if group not in self.groups:
            self.groups[group] = len(self.groups)
            more = np.zeros((1, len(self.items)))
            precision, tilt = self.model.precision, self.model.tilt
            self.model = self.model._replace(
                precision=np.vstack([precision, more]),
                tilt=np.vstack([tilt, more]),
                settings=self.settings.as_array(len(self.groups)),
            )
        return self.groups[group]

    def _places(self, items: Iterable[str]) -> Ints:
        names = list(items)
        for name in names:
            if name not in self._place:
                raise unknown("item", name, self.items)
        return np.array([self._place[name] for name in names], np.int64)

    def _eligible(self, items: Iterable[str] | None) -> Ints:
        if items is None:
            places = np.flatnonzero(self._active)
        else:
            places = np.unique(self._places(items))
            places = places[self._active[places]]
        if not places.size:
            raise WinnerstaysError("No item is eligible: all of them are retired, or the list is empty.")
        return places


class View:
    """What the model expects of the eligible items for one visitor: means, variances, covariances with one of them."""

    def __init__(self, crowd: Crowd, visitor: Visitor, eligible: Ints, *, draw: float = 0.0) -> None:
        size, visitors = eligible.size, visitor.items
        self.eligible, self.mean = eligible, np.zeros(size)
        self._model, self._met, self._prior = crowd.model, visitors, np.zeros(size)
        self._place, self._work = np.zeros(len(crowd.items), np.int64), work_of(visitors.size)
        outlook(
            crowd.model, crowd.groups.get(visitor.group, NOBODY), visitors, visitor.message, visitor.pairs,
            visitor.sites, draw, stream(visitor.seed), eligible, self._place, self.mean, self._prior, self._work,
        )  # fmt: skip

    def variance(self) -> Floats:
        out = np.zeros(self.eligible.size)
        variances(self._model, self._met, self.eligible, self._place, self._prior, out, self._work)
        return out

    def covariance(self, of: int) -> Floats:
        out = np.zeros(self.eligible.size)
        against(self._model, self._met, self.eligible, self._place, self._prior, of, out, self._work)
        return out


def _rows(names: Sequence[str], features: Mapping[str, Sequence[float]] | None, size: int | None) -> Floats:
    """Return the features of items as rows of numbers."""
    if features is None and not size:
        return np.zeros((len(names), 0))
    rows = []
    for name in names:
        row = (features or {}).get(name)
        if row is None:
            raise WinnerstaysError(f"Item {name!r} has no features, but the others have.")
        size = len(row) if size is None else size
        if len(row) != size:
            raise WinnerstaysError(f"Item {name!r} has {len(row)} features, but the others have {size}.")
        if not np.isfinite(np.asarray(row, float)).all():
            raise WinnerstaysError(f"The features of item {name!r} are {list(row)}, but each must be a finite number.")
        rows.append([float(value) for value in row])
    return np.array(rows, np.float64).reshape(len(names), size or 0)
