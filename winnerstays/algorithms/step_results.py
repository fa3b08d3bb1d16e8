"""What the functions of an algorithm of one's own may return and write, and the sentence where it is something else."""

import sys
from typing import Any

import numpy as np

from winnerstays.algorithms.source_check import place_of
from winnerstays.algorithms.state_fields import called, check_state, kinds, leaves
from winnerstays.errors import WinnerstaysError

NAN = "with which every comparison is false; look with an `if` before it"


class MisuseError(Exception):
    """What is wrong with a call or a statement, behind the name of the function that makes it."""


class StepResults:
    """Looks at what each function returns. `duel` is said where it is not the first."""

    def __init__(self, algorithm: Any, n_arms: int, duel: int = 1) -> None:
        self.algorithm, self.n_arms, self.duel = algorithm, n_arms, duel
        self.overflow: tuple[Any, int] | None = None
        """The code and the line where a number became too large last."""
        self._unknown: set[str] = set()

    def error(self, name: str, said: str) -> WinnerstaysError:
        """Return the sentence for what a function did."""
        return WinnerstaysError(f"{self._owner(name)} {said}{self._when}.")

    def _owner(self, name: str) -> str:
        return f"{self.algorithm.name}: {name} ({place_of(getattr(self.algorithm, name))})"

    @property
    def _when(self) -> str:
        return f" (duel {self.duel})" if self.duel > 1 else ""

    def wrong_pair(self, pair: Any, favourite: Any) -> WinnerstaysError:
        """Return the sentence for a pair with an arm that does not exist; the favourite is looked at first."""
        try:
            self.check("best", favourite)
            self.check("choose", pair)
        except WinnerstaysError as error:
            return error
        return self.no_such_arm()

    def no_such_arm(self) -> WinnerstaysError:
        """Return the sentence for a pair of which is only known that one of the arms does not exist."""
        return self.error("choose", f"returned an arm that does not exist; the arms are 0 to {self.n_arms - 1}")

    def check(self, name: str, found: Any, before: Any = None) -> Any:
        """Return what a function returned, if that is what it must return."""
        last = self.n_arms - 1
        if name == "choose":
            if not (isinstance(found, tuple) and len(found) == 2 and all(map(_is_whole, found))):
                raise self.error(name, f"returned {_shown(found)}, but it must return two arms, whole numbers")
            if not all(0 <= arm <= last for arm in found):
                raise self.error(name, f"returned {_shown(found)}, but the arms are 0 to {last}")
        elif name == "best":
            if not (_is_whole(found) and 0 <= found <= last):
                must = f"it must return an arm, a whole number from 0 to {last}"
                raise self.error(name, f"returned {_shown(found)}, but {must}")
        elif name == "certain":
            if not (_is_whole(found) and found >= 0):
                raise self.error(name, f"returned {_shown(found)}, but it must return a whole number from 0 on")
        elif found is None:
            raise self.error(name, "returned nothing; end it with `return state`")
        elif not hasattr(found, "_fields"):
            raise self.error(name, f"returned {called(found)}, but it must return the State")
        else:
            self._check_state(name, found, before)
        return found

    def _check_state(self, name: str, found: Any, before: Any) -> None:
        was, is_ = kinds(before), kinds(found)
        for field, kind in was.items():
            if is_.get(field) != kind:
                now = is_.get(field, "missing")
                raise self.error(name, f"makes {field} {now}, but init made it {kind}; it must stay that")
        check_state(f"{self._owner(name)} returned a State in which ", found)
        for field, leaf in leaves(found).items():
            if leaf.dtype.kind == "f" and field not in self._unknown and np.isnan(leaf).any():
                raise self.error(name, f"puts NaN into {field}, {NAN}")

    def start(self, state: Any) -> Any:
        """Return a State whose arrays look at what is written to them; those that hold NaN now may get more."""
        held = leaves(state).items()
        self._unknown = {field for field, leaf in held if leaf.dtype.kind == "f" and np.isnan(leaf).any()}
        return self._watched(state, "State") if self.algorithm.compiled else state

    def _watched(self, value: Any, name: str) -> Any:
        if hasattr(value, "_fields"):
            pairs = zip(value._fields, value, strict=True)
            return value._replace(**{field: self._watched(one, f"{name}.{field}") for field, one in pairs})
        if not isinstance(value, np.ndarray):
            return value
        array = value.view(WatchedArray)
        array.field, array.results = name, self
        return array

    def note(self, *_: Any) -> None:
        """Note where NumPy computed a number that is too large."""
        frame = sys._getframe(1)
        self.overflow = frame.f_code, frame.f_lineno

    def wrong_value(self, field: str, dtype: Any, value: Any) -> str | None:
        """Say what is wrong with a value that is written to an array; None if nothing is."""
        written = np.asarray(value)
        if written.dtype.kind == "f":
            if dtype.kind in "iu" and not (written == np.trunc(written)).all():
                return f"puts a fraction into {field}, but init made it an array of {dtype}, which would cut it off"
            if dtype.kind == "f" and field not in self._unknown and np.isnan(written).any():
                return f"puts NaN into {field}, {NAN}"
        if self.overflow is not None:
            frame = sys._getframe(2)
            here = self.overflow == (frame.f_code, frame.f_lineno)
            if here and (dtype.kind == "i" or (dtype.kind == "f" and np.isinf(written).any())):
                most = np.iinfo(dtype).max if dtype.kind == "i" else np.finfo(dtype).max
                return f"puts more than {most:.3g} into {field}, which {dtype} cannot hold"
        return None


class WatchedArray(np.ndarray[Any, Any]):
    """An array of a State that refuses what would be lost without a word."""

    field = ""
    results: StepResults | None = None

    def __array_finalize__(self, whole: Any) -> None:
        self.field, self.results = getattr(whole, "field", ""), getattr(whole, "results", None)

    def __setitem__(self, key: Any, value: Any) -> None:
        said = None if self.results is None else self.results.wrong_value(self.field, self.dtype, value)
        if said:
            raise MisuseError(said)
        super().__setitem__(key, value)


def _shown(value: Any) -> str:
    """Return a result as it would be typed, without the names of NumPy's numbers."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
