"""`pick`: the best of several items by a noisy judge, with few calls and a certified stop."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.drivers import run_async, run_in_threads, run_serially
from winnerstays.picking.judging import BACKOFF_SECONDS, Calls, identity_of, is_async
from winnerstays.picking.options import Claim, Cycles, Goal, Swap
from winnerstays.picking.picker import Picker
from winnerstays.picking.progress_line import ProgressLine
from winnerstays.picking.result import PickResult

Judge = Callable[..., Any]


class Pick:
    """The function `pick`; `pick.async_` is its awaitable twin, with the same arguments.

    >>> result = pick(["terse", "polite", "rude"], lambda left, right: min(left, right), seed=1)
    >>> result.best, result.certified, result.remaining
    ('polite', True, ('polite',))
    """

    def __call__(
        self,
        items: Mapping[str, Any] | Iterable[Any],
        judge: Judge | Mapping[str, Judge],
        *,
        level: float = 0.95,
        examples: Iterable[Any] | None = None,
        goal: Goal = "condorcet",
        top: int | None = None,
        precision: float | None = None,
        swap: Swap = "random",
        claim: Claim = "these",
        cycles: Cycles = "detected",
        indifference: float = 0.0,
        budget: float | str | None = None,
        concurrency: int = 1,
        store: str | None = None,
        retries: int = 3,
        backoff: float = BACKOFF_SECONDS,
        seed: int | None = None,
        progress: bool | None = None,
        judge_id: str | None = None,
        same_judge: bool = False,
    ) -> PickResult:
        """Return the best item by a judge; stop as soon as it beats all others with confidence `level`.

        `judge(left, right)`, or `judge(left, right, example)` with `examples`, returns the chosen item, "left",
        "right", "tie", the left one's share of the point (0.0 to 1.0), or None for no opinion; it may be async. `goal`
        is what is sought (docs/pick.md): the "condorcet", "copeland" or "borda" winner, the "top-k" (with `top`), or a
        "rank" of all, as sharp as `precision`.
        `swap="both"` asks both ways, and a flip is a tie; "auto" does so while the judge mostly looks at the side.
        `claim` is what the certificate speaks of: "these" examples or "new" ones like them. `indifference` stops when
        all that remains is so near to a coin against the favourite, `budget` after so many calls (500 for each rival if
        left out), or so much money ("$2"). `store` is a file in which every answer is kept: the same call goes on; with
        another judge it is refused, as far as the judge has an identity or a `judge_id`. Of several judges,
        {name: judge}, each comparison is put to one, drawn at random.
        A call that fails is made again `retries` times, after `backoff` seconds and twice as long each time.
        """
        given = {name: value for name, value in locals().items() if name not in ("self", "items", "judge")}
        if any(map(is_async, _jury(judge).values())):
            _check_no_loop()
            return asyncio.run(_pick_async(items, judge, given))
        with _open(items, judge, given) as (picker, calls):
            (run_serially if concurrency == 1 else run_in_threads)(picker, calls.ask)
            return picker.verdict()

    async def async_(
        self, items: Mapping[str, Any] | Iterable[Any], judge: Judge | Mapping[str, Judge], **options: Any
    ) -> PickResult:
        """Do the same as `pick`, with the same options, to be awaited; a judge that is not async runs in threads."""
        return await _pick_async(items, judge, options)


pick = Pick()


def _jury(judge: Any) -> dict[str | None, Any]:
    """Return the judges by name; a single one has none."""
    if not isinstance(judge, Mapping):
        return {None: judge}
    if len(judge) < 2:
        raise WinnerstaysError(
            f"There are {len(judge)} judges by name, but a jury has at least 2; or give one judge alone."
        )
    found = {}
    for name, one in judge.items():
        identity = identity_of(one)
        found[str(name) if identity is None else f"{name} ({identity})"] = one
    return found  # type: ignore[return-value]


async def _pick_async(items: Any, judge: Any, options: dict[str, Any]) -> PickResult:
    with _open(items, judge, options) as (picker, calls):
        await run_async(picker, calls.ask_async if any(map(is_async, _jury(judge).values())) else _threaded(calls))
        return picker.verdict()


def _threaded(calls: Calls) -> Callable[..., Awaitable[Any]]:
    async def ask(question: Any) -> Any:
        return await asyncio.to_thread(calls.ask, question)

    return ask


def _check_no_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WinnerstaysError("pick() cannot wait for an async judge where a loop runs: write `await pick.async_(...)`.")


@contextmanager
def _open(items: Any, judge: Any, options: dict[str, Any]) -> Iterator[tuple[Picker, Calls]]:
    jury = _jury(judge)
    for one in jury.values():
        if not callable(one):
            raise WinnerstaysError(f"The judge is {one!r}, but it must be a function of two items (and an example).")
        if str(options.get("budget", "")).startswith("$") and getattr(one, "prices", ()) is None:
            raise WinnerstaysError("The budget is money, but the judge has no prices; give what a million tokens cost.")
        if is_async(one) != is_async(next(iter(jury.values()))):
            raise WinnerstaysError(
                "Some of the judges are async and some are not; let all of them be one or the other."
            )
    judge_id = options.get("judge_id") or identity_of(judge)
    if isinstance(judge, Mapping):
        judge_id = tuple(map(str, jury))
    with open_picker(items, {**options, "judge_id": judge_id}) as picker:
        yield picker, Calls(jury, picker.items, picker.options.examples)


@contextmanager
def open_picker(items: Any, options: dict[str, Any]) -> Iterator[Picker]:
    """Begin a pick, or go on; show the progress if it is wanted (or stderr is a terminal)."""
    picker = Picker(items, **options)
    line = None
    try:
        wanted = sys.stderr.isatty() if picker.options.progress is None else picker.options.progress
        line = ProgressLine(picker) if wanted else None
        yield picker
    finally:
        if line is not None:
            line.close()
        picker.close()
