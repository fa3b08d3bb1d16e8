"""`pick`: the best of several items by a noisy judge, with few calls and a certified stop."""

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from winnerstays.errors import WinnerstaysError, checks_arguments
from winnerstays.picking.drivers import run_async, run_in_threads, run_serially
from winnerstays.picking.items import Items, name_items
from winnerstays.picking.journal import ArenaJournal, Journal, MemoryJournal
from winnerstays.picking.judging import BACKOFF_SECONDS, Calls, is_async, judge_name
from winnerstays.picking.options import Options, Swap
from winnerstays.picking.progress_line import ProgressLine
from winnerstays.picking.result import PickResult, result_of
from winnerstays.picking.session import Session

Judge = Callable[..., Any]


class Pick:
    """The function `pick`; `pick.async_` is its awaitable twin, with the same arguments.

    >>> result = pick(["terse", "polite", "rude"], lambda left, right: min(left, right), seed=1)
    >>> result.best, result.certified, result.remaining
    ('polite', True, ('polite',))
    """

    @checks_arguments
    def __call__(
        self,
        items: Mapping[str, Any] | Iterable[Any],
        judge: Judge,
        *,
        level: float = 0.95,
        examples: Iterable[Any] | None = None,
        swap: Swap = "random",
        indifference: float = 0.0,
        budget: int | None = None,
        concurrency: int = 1,
        store: str | None = None,
        retries: int = 3,
        backoff: float = BACKOFF_SECONDS,
        seed: int | None = None,
        progress: bool | None = None,
        same_judge: bool = False,
    ) -> PickResult:
        """Return the best item by a judge; stop as soon as it beats all others with confidence `level`.

        `judge(left, right)`, or `judge(left, right, example)` with `examples`, returns the chosen item, "left",
        "right", "tie", or None for no opinion; it may be async. `swap="both"` asks both ways, and a flip is a tie.
        `indifference` stops when all that remains is so near to a coin against the favourite, `budget` after so many
        calls. `store` is a file (or another address of an arena) in which every answer is kept: the same call goes on;
        with another judge it is refused, unless that is the `same_judge` under another name.
        A judge that raises is tried again `retries` times, after `backoff` seconds and twice as long each time.
        """
        options = Options(
            level, examples, swap, indifference, budget, concurrency, store, retries, backoff, seed, progress,
            same_judge,
        )  # fmt: skip
        if is_async(judge):
            _check_no_loop()
            return asyncio.run(_pick_async(items, judge, options))
        with _open(items, judge, options) as (session, calls):
            (run_serially if concurrency == 1 else run_in_threads)(session, calls.ask)
            return result_of(session)

    async def async_(self, items: Mapping[str, Any] | Iterable[Any], judge: Judge, **options: Any) -> PickResult:
        """Do the same as `pick`, with the same options, to be awaited; a judge that is not async runs in threads."""
        return await _pick_async(items, judge, Options(**options))


pick = Pick()


async def _pick_async(items: Any, judge: Judge, options: Options) -> PickResult:
    with _open(items, judge, options) as (session, calls):
        await run_async(session, calls.ask_async if is_async(judge) else _threaded(calls))
        return result_of(session)


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
def _open(items: Any, judge: Judge, options: Options) -> Iterator[tuple[Session, Calls]]:
    if not callable(judge):
        raise WinnerstaysError(f"The judge is {judge!r}, but it must be a function of two items (and an example).")
    with open_session(name_items(items), options, judge_name(judge)) as session:
        yield session, Calls(judge, session.items, options.examples, options.retries, options.backoff)


@contextmanager
def open_session(items: Items, options: Options, judge: str | None) -> Iterator[Session]:
    """Open the journal and begin, or go on; show the progress if it is wanted (or stderr is a terminal)."""
    journal: Journal
    if options.store is None or options.store == "memory:":
        seed = secrets.randbits(63) if options.seed is None else options.seed
        journal = MemoryJournal(len(items.names), seed)
    else:
        journal = ArenaJournal(items, options, judge)
    wanted = sys.stderr.isatty() if options.progress is None else options.progress
    line = None
    try:
        session = Session(items, journal, options)
        line = ProgressLine(session) if wanted else None
        yield session
    finally:
        if line is not None:
            line.close()
        journal.close()
