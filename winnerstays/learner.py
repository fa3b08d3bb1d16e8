"""One algorithm, driven by its user: ask which two to show, tell which was chosen."""

import json
import secrets
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.algorithms.base import Algorithm, feature_table
from winnerstays.algorithms.checks import check_favourite, failure, wrong_pair
from winnerstays.algorithms.parameters import Value
from winnerstays.algorithms.registry import algorithm as find_algorithm
from winnerstays.algorithms.registry import check_regret, default_algorithm
from winnerstays.compiling import direct
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.item_names import check_names, shown
from winnerstays.randomness import Rng, check_seed, stream

MAGIC = b"WSL1"
KEYWORDS = ("algorithm", "items", "regret", "seed", "horizon", "features")
"""The keyword arguments of Learner, besides the parameters of its algorithm."""
Name = TypeVar("Name", bound=str | int | float)


class Duel(NamedTuple, Generic[Name]):
    """Two items to show. `number` counts the learner's duels from 1."""

    number: int
    first: Name
    second: Name


class Learner(Generic[Name]):
    """Learns a favourite among items from a sequence of choices.

    >>> learner = Learner("ws-w", items=["ramen", "tacos", "pho"], seed=1)
    >>> for _ in range(100):
    ...     duel = learner.ask()
    ...     learner.tell(duel, winner="tacos" if "tacos" in duel else duel.first)
    >>> learner.best()
    'tacos'

    `algorithm` is a name or an Algorithm; keyword arguments are its parameters. If none is named it is the one for the
    `regret`: "weak" (one of the two should be the favourite, the default) or "strong" (both should be; an algorithm
    that is made for weak regret is refused). Without a `seed` a random one is drawn. Items are texts or
    numbers, and are returned unchanged.
    """

    def __init__(
        self,
        algorithm: "str | Algorithm | None" = None,
        items: Iterable[Name] = (),
        *,
        regret: str | None = None,
        seed: int | None = None,
        horizon: int | None = None,
        features: npt.ArrayLike | None = None,
        **params: Value,
    ) -> None:
        if not isinstance(algorithm, str | Algorithm | None):
            raise WinnerstaysError(
                f"The algorithm is {shown(algorithm)}, but it must be a name such as 'ws-w'; items come "
                "after it, or as Learner(items=[...])."
            )
        default = default_algorithm("weak" if regret is None else regret)
        chosen = find_algorithm(default if algorithm is None else algorithm)
        known = (*chosen.parameters, *KEYWORDS)
        for name in (parameter for parameter in params if parameter not in known):
            raise unknown(f"argument of Learner or parameter of {chosen.name}", name, known)
        self.algorithm = chosen(**params) if params else chosen
        check_regret(self.algorithm, regret)
        self._name(check_names(items))
        self._horizon = horizon
        self._features: Floats | None = None if features is None else feature_table(len(self.items), features)
        self._rng: Rng = stream(secrets.randbits(64) if seed is None else check_seed(seed))
        self.state = self._fresh(self._rng)
        self.duels = 0
        """Duels told so far."""
        self._open: tuple[int, int] | None = None

    def _name(self, items: Sequence[Name]) -> None:
        self.items = list(items)
        self._arms = {item: arm for arm, item in enumerate(self.items)}

    def __repr__(self) -> str:
        return (
            f"<Learner {self.algorithm.name}: {len(self.items)} items, duels told: {self.duels}, "
            f"best so far {shown(self.best())}>"
        )

    def _fresh(self, rng: Rng) -> Any:
        return self.algorithm.start(len(self.items), rng, horizon=self._horizon, features=self._features)

    @property
    def state(self) -> Any:
        """The State of the algorithm."""
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = state
        self._steps: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    def _bound(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return `choose` and `update` for this State and those that `update` makes of it: their types are the same."""
        if self._steps is None:
            algorithm, state, rng = self.algorithm, self._state, self._rng
            update = direct(algorithm.update, (state, 0, 1, True, rng), gives=state)
            choose = algorithm.choose if update is algorithm.update else direct(algorithm.choose, (state, rng))
            self._steps = choose, update
        return self._steps

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the machine code; a copy binds it again."""
        return {**self.__dict__, "_steps": None}

    def ask(self) -> Duel[Name]:
        """Return the next two items to show. Until their outcome is told, it returns the same two again."""
        if self._open is None:
            choose, _ = self._bound()
            position = self._rng[0]
            try:
                first, second = choose(self._state, self._rng)
            except Exception as error:
                self._rng[0] = position
                raise self._failure("choose", error) from error
            if not (0 <= first < len(self.items) and 0 <= second < len(self.items)):
                raise wrong_pair(self.algorithm, (first, second), len(self.items))
            self._open = int(first), int(second)
        first, second = self._open
        return Duel(self.duels + 1, self.items[first], self.items[second])

    def tell(self, duel: Duel[Name], winner: Name) -> None:
        """Learn which of the two was chosen."""
        if not isinstance(duel, Duel):
            raise WinnerstaysError(f"The duel is {duel!r}, but it must be what ask() gave.")
        if duel.number <= self.duels:
            raise WinnerstaysError(f"Duel {duel.number} was told already; an outcome is learned once.")
        if self._open is None or duel != self.ask():
            raise WinnerstaysError(
                f"Duel {duel.number} ({duel.first!r} or {duel.second!r}) was not asked by this learner."
            )
        if winner not in (duel.first, duel.second) or isinstance(winner, bool):
            raise WinnerstaysError(
                f"The winner {winner!r} is not in the duel; it must be {duel.first!r} or {duel.second!r}."
            )
        first, second = self._open
        if (state := self.algorithm.reserve(self._state, 1)) is not self._state:
            self.state = state
        _, update = self._bound()
        position, first_won = self._rng[0], self._arms[winner] == first
        try:
            self._state = update(state, first, second, first_won, self._rng)
        except Exception as error:
            self._rng[0] = position
            raise self._failure("update", error) from error
        self.duels += 1
        self._open = None

    def _failure(self, name: str, error: Exception) -> Exception:
        return failure(self.algorithm, name, error) if self.algorithm.own else error

    def best(self) -> Name:
        """Return the favourite so far."""
        try:
            favourite = self.algorithm.best(self._state)
        except Exception as error:
            raise self._failure("best", error) from error
        return self.items[check_favourite(self.algorithm, favourite, len(self.items))]

    def dump(self) -> bytes:
        """Return the learner as bytes. `load` restores it, and it continues exactly as this one would."""
        header = {
            "algorithm": self.algorithm.name,
            "version": self.algorithm.version,
            "params": dict(self.algorithm.params),
            "items": self.items,
            "duels": self.duels,
            "open": self._open,
            "horizon": self._horizon,
            "features": None if self._features is None else self._features.tolist(),
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        content = MAGIC + struct.pack("<I", len(text)) + text + self.algorithm.dump(self.state, self._rng)
        return content + struct.pack("<I", zlib.crc32(content))

    @classmethod
    def load(cls, data: bytes) -> "Learner[Any]":
        """Restore a dumped learner."""
        if not isinstance(data, bytes | bytearray):
            raise WinnerstaysError(f"A dumped learner is bytes, not {type(data).__name__}.")
        if data[:4] != MAGIC:
            if data[:3] == MAGIC[:3]:
                raise WinnerstaysError(f"These bytes are of format {data[:4]!r}, which this version cannot read.")
            raise WinnerstaysError("These bytes are not a dumped learner.")
        if len(data) < 12 or zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
            raise WinnerstaysError("The dumped learner is damaged or cut off.")
        try:
            return cls._loaded(data)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise WinnerstaysError(f"The dumped learner is damaged: {type(error).__name__}: {error}.") from error

    @classmethod
    def _loaded(cls, data: bytes) -> "Learner[Any]":
        size = struct.unpack_from("<I", data, 4)[0]
        header = json.loads(data[8 : 8 + size])
        items: list[Name] = list(header["items"])
        places: Any = range(len(items))
        learner = cls(
            header["algorithm"],
            places,
            seed=0,
            horizon=header["horizon"],
            features=header["features"],
            **header["params"],
        )
        stored, known = header["version"], learner.algorithm.version
        if stored != known:
            raise WinnerstaysError(
                f"The dump holds version {stored} of {header['algorithm']}, this is version {known}."
            )
        learner._rng, learner.state = learner.algorithm.load(data[8 + size : -4], learner.state, learner._rng)
        learner._name(items)
        learner.duels = int(header["duels"])
        if header["open"] is not None:
            first, second = header["open"]
            learner._open = places[first], places[second]
        return learner
