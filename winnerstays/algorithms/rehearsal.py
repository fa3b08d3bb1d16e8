"""A rehearsal of an algorithm of one's own: some duels, all in plain Python, where mistakes have a place.

Compiled code does not look whether an index is within an array, and draws from generators that no seed names. So the
functions are run as they were written, and whatever kernels they call, too.
"""

import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from threading import Timer
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from winnerstays import randomness
from winnerstays.algorithms.source_check import place_of
from winnerstays.algorithms.state_fields import called, changed_fields, contents, leaves
from winnerstays.algorithms.step_results import MisuseError, StepResults
from winnerstays.compiling import OURS, is_kernel, is_library, plain, reached
from winnerstays.errors import WinnerstaysError

DUELS, DUELS_PER_ARM, SECONDS = 200, 4, 1.0
"""At least so many duels and so many for each arm are rehearsed, unless that takes longer than so many seconds."""
PATIENCE = 5.0
"""Seconds after which it is said what is being tried."""


def _check_rng(call: str, rng: Any) -> None:
    if not (isinstance(rng, np.ndarray) and rng.dtype == np.uint64 and rng.shape == (2,)):
        raise MisuseError(f"calls {call} with {called(rng)} in the place of rng")


def _stand_in(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def put(checked: Callable[..., Any]) -> Callable[..., Any]:
        STAND_INS[plain(function)] = wraps(function)(checked)
        return checked

    return put


STAND_INS: dict[Any, Callable[..., Any]] = {}
"""What is called in a rehearsal in the place of this package's randomness."""


@_stand_in(randomness.uniform)
def _uniform(rng: Any) -> float:
    _check_rng("uniform(rng)", rng)
    return randomness.uniform(rng)


@_stand_in(randomness.below)
def _below(rng: Any, n: Any) -> int:
    _check_rng("below(rng, n)", rng)
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
        raise MisuseError(f"calls below(rng, {n}), but it must be given a whole number from 1 on, as n // 2")
    return randomness.below(rng, int(n))


@_stand_in(randomness.shuffle)
def _shuffle(values: Any, rng: Any) -> None:
    _check_rng("shuffle(array, rng)", rng)
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values is rng:
        raise MisuseError(f"shuffles {values!r}, but it must be an array of one dimension, as shuffle(array, rng)")
    randomness.shuffle(values, rng)


DIVIDING = r"encountered in scalar (divide|floor_divide|remainder)"
"""What NumPy says of numbers that are divided by zero."""


class PlainCopies:
    """Copies of functions that call plain copies of kernels; what each was called with is noted.

    `np.empty` is filled with `filling`, so that two copies with other fillings show whether anybody reads it.
    """

    def __init__(self, filling: int) -> None:
        self.filling = filling
        self.calls: dict[Any, tuple[Any, ...]] = {}
        """For each kernel what it was called with, the innermost first."""
        self.returned_nothing: Any = None
        """The kernel that was the last to return None."""
        self.state: Any = None
        """The State that was given last."""
        self._copies: dict[Any, Any] = {}
        self._scopes: dict[int, dict[str, Any]] = {}

    def of(self, function: Any) -> Any:
        """Return the copy of a function."""
        written = plain(function)
        if isinstance(function, partial):
            return partial(self.of(function.func), *function.args, **function.keywords)
        if written in STAND_INS:
            return STAND_INS[written]
        if written.__module__.startswith(OURS) or not isinstance(written, FunctionType):
            return function
        scope = self._scope(written.__globals__)
        if written not in self._copies:
            closure = tuple(map(self._cell, written.__closure__ or ())) or None
            copy = FunctionType(written.__code__, scope, written.__name__, written.__defaults__, closure)
            copy.__kwdefaults__ = written.__kwdefaults__
            copy.__qualname__ = written.__name__
            self._copies[written] = self._noted(function, copy)
        return self._copies[written]

    def _noted(self, function: Any, copy: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(copy)
        def call(*given: Any, **named: Any) -> Any:
            self.state = next((one for one in given if hasattr(one, "_fields")), self.state)
            result = copy(*given, **named)
            if not named:
                self.calls.setdefault(function, given)
            if result is None:
                self.returned_nothing = copy
            return result

        return call

    def _scope(self, names: dict[str, Any]) -> dict[str, Any]:
        """Return the globals of a copy, which prints nothing."""
        if id(names) not in self._scopes:
            scope = self._scopes[id(names)] = {"print": lambda *_, **__: None}
            for name, value in list(names.items()):
                scope[name] = self._replaced(value)
        return self._scopes[id(names)]

    def _replaced(self, value: Any) -> Any:
        if value is np.empty or value is np.empty_like:
            return self._filled(value)
        if value is np or (isinstance(value, ModuleType) and not is_library(value.__name__)):
            return _Module(value, self._replaced)
        own = isinstance(value, FunctionType) and not is_library(str(value.__module__))
        return self.of(value) if is_kernel(value) or own else value

    def _filled(self, make: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(make)
        def filled(*given: Any, **named: Any) -> Any:
            array = make(*given, **named)
            array.flat = np.arange(array.size) % self.filling
            return array

        return filled

    def _cell(self, cell: CellType) -> CellType:
        try:
            return CellType(self._replaced(cell.cell_contents))
        except ValueError:  # a name that has no value yet
            return cell


class _Module(ModuleType):
    """A module whose kernels are replaced."""

    def __init__(self, module: ModuleType, replace: Callable[[Any], Any]) -> None:
        super().__init__(module.__name__)
        self._module, self._replace = module, replace

    def __getattr__(self, name: str) -> Any:
        return self._replace(getattr(self._module, name))


def writer(algorithm: Any, array: Any, call: Callable[[], object]) -> tuple[str, str] | None:
    """Return the name and, in brackets, the place of the function that writes to an array when something is called."""
    array.flags.writeable = False
    try:
        call()
    except Exception as error:  # of NumPy, or of the compiler where a kernel of this package writes
        name, place = innermost(algorithm, error)
        return (name, place) if name and "readonly" in str(error).replace("-", "") else None
    finally:
        array.flags.writeable = True
    return None


def functions_of(algorithm: Any) -> Iterator[Any]:
    """Yield what an algorithm is made of, as far as it is looked at."""
    yield algorithm.init
    yield from (getattr(algorithm, name) for name in ("choose", "update", "best", "certain", "leap"))


def in_plain(algorithm: Any) -> Any:
    """Return an algorithm with plain copies of its steps."""
    copies = PlainCopies(1)
    steps = {name: copies.of(getattr(algorithm, name)) for name in ("choose", "update", "best", "certain", "leap")}
    return replace(algorithm, **steps, compiled=False)


@contextmanager
def numbers_as_compiled(compiled: bool = True) -> Iterator[None]:
    """Warn of no arithmetic, but divide by zero with an error where compiled code does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        if compiled:
            warnings.filterwarnings("error", f".*{DIVIDING}")
        yield


def innermost(algorithm: Any, error: BaseException) -> tuple[str, str]:
    """Return the innermost function and, in brackets, the last place of an error in the algorithm's own files."""
    own = (one for function in functions_of(algorithm) for one in _own_functions(function))
    files = {Path(one.__code__.co_filename).name for one in own}
    trace = "".join(traceback.format_exception(error))  # of other threads and processes there is only text
    places = re.findall(r'File "(?:[^"]*/)?([^"/]+)", line (\d+), in (\S+)', trace)
    known = [(name, f" ({file}, line {line})") for file, line, name in places if file in files]
    return known[-1] if known else ("", "")


def running(algorithm: Any) -> str:
    """Return the functions and lines of an algorithm's files at which a thread is, if that is plain Python."""
    files = {one.__code__.co_filename for function in functions_of(algorithm) for one in _own_functions(function)}
    for frame in sys._current_frames().values():
        inner = ((one.f_code, line) for one, line in traceback.walk_stack(frame) if one.f_code.co_filename in files)
        places = [f"{code.co_name} ({Path(code.co_filename).name}, line {line})" for code, line in inner]
        if places:
            return ", called by ".join(dict.fromkeys(places))
    return ""


def _own_functions(function: Any) -> Iterator[Any]:
    return (one for one in reached(function) if not one.__module__.startswith(OURS))


class Rehearsal:
    """Plays duels with plain copies of an algorithm's functions. `call(name, function, *given)` calls one of them.

    One that `forgets` takes back what `choose` and `best` write: if it then plays otherwise, they had kept something.
    """

    def __init__(
        self, algorithm: Any, n_arms: int, filling: int, call: Callable[..., Any], forgets: bool = False
    ) -> None:
        self.algorithm, self.copies, self._call, self.forgets = algorithm, PlainCopies(filling), call, forgets
        self.results = StepResults(algorithm, n_arms)
        self.computed_in: dict[str, Callable[[], WinnerstaysError]] = {}
        """Fields that `choose` or `best` wrote to, each with the sentence in case that something is kept there."""
        self._trying = ""

    def run(self, name: str, *given: Any, **named: Any) -> Any:
        """Call one of the algorithm's functions."""
        function = getattr(self.algorithm, name)
        self._trying = f"{name} ({place_of(function)})"
        copy = self.copies.of(function)
        return self._call(name, self.copies, lambda: copy(*given, **named))

    def look(self, name: str, state: Any, *given: Any) -> Any:
        """Call a function that may not change the State, but for what it writes anew each time before it reads it.

        Kernels cannot make arrays, so that they may need some to compute in.
        """
        before, drawn = contents(state), [one.copy() for one in given]
        found = self.run(name, state, *given)
        changed = changed_fields(before, state)
        if changed:
            self.computed_in[changed[0]] = partial(self.changes, name, changed[0], state, drawn)
            once = contents(state)
            again = self.run(name, state, *(one.copy() for one in drawn))
            for field in changed_fields(once, state):
                raise self.changes(name, field, state, drawn)
            if again != found:
                raise self.changes(name, changed[0], state, drawn)
            if self.forgets:
                for field in changed:
                    array = leaves(state)[field]
                    array[...] = np.frombuffer(before[field], array.dtype).reshape(array.shape)
        return found

    def changes(self, name: str, field: str, state: Any, given: list[Any]) -> WinnerstaysError:
        """Return the sentence for a function that changes a field of the State."""
        function = getattr(self.algorithm, name)
        writes = writer(self.algorithm, leaves(state)[field], lambda: self.copies.of(function)(state, *given))
        who, place = writes or (name, f" ({place_of(function)})")
        whose = "it" if who == plain(function).__name__ else name
        return WinnerstaysError(
            f"{self.algorithm.name}: {who}{place} changes {field}, but {whose} may change nothing in the State; "
            "update may."
        )

    def play(self, state: Any) -> list[tuple[Any, ...]]:
        """Play duels and return them, with the favourites."""
        rng, luck, check = randomness.stream(1), randomness.stream(2), self.results.check
        start, duels = time.monotonic(), max(DUELS, DUELS_PER_ARM * self.results.n_arms)
        state, played = self.results.start(state), list[tuple[Any, ...]]()
        while len(played) < duels and (len(played) < 2 or time.monotonic() - start < SECONDS):
            self.results.duel = len(played) + 1
            favourite = check("best", self.look("best", state))
            pair = check("choose", self.look("choose", state, rng))
            certain = check("certain", self.run("certain", state))
            state = self.algorithm.reserve(state, 1)
            first_won = bool(randomness.uniform(luck) < 0.5)
            before = state
            if certain > 0:
                state = self.run("leap", state, min(certain, duels))
                check("leap", state, before)
            else:
                state = self.run("update", state, *map(int, pair), first_won, rng)
                check("update", state, before)
            played.append((int(favourite), *map(int, pair)))
        return played

    @contextmanager
    def patience(self, compiled: bool = True) -> Iterator[None]:
        """Say on stderr what is being tried, if it takes long or is interrupted; `compiled` is what will be."""

        def say(what: str, where: str = "") -> None:
            where = where or running(self.algorithm) or self._trying
            print(f"winnerstays: {self.algorithm.name}: {what} {where}.", file=sys.stderr, flush=True)

        watched = compiled and self.algorithm.compiled
        noted = np.errstate(over="call", call=self.results.note) if watched else nullcontext()
        timer = Timer(PATIENCE, say, [f"after {PATIENCE:g} seconds still in"])
        timer.daemon = True
        timer.start()
        try:
            with numbers_as_compiled(compiled), noted:
                if watched:
                    warnings.filterwarnings("error", "invalid value encountered")
                yield
        except KeyboardInterrupt as error:
            say("interrupted in", "".join(innermost(self.algorithm, error)))
            raise
        finally:
            timer.cancel()
