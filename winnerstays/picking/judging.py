"""Calls of a judge: what it is asked, what its answer means, and what happens when it fails."""

import asyncio
import functools
import inspect
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.items import Items

LEFT, RIGHT, TIE, SKIP = "left", "right", "tie", "skip"
BACKOFF_SECONDS = 0.5
"""Before the second attempt; twice as long before each further one."""


ALIKE_WARNS, ALIKE_STOPS = 60, 300
"""Answers alike in a row after which that is said, and after which a pick without a budget ends. Sides are drawn by a
fair coin, so of a judge who looks at the items 60 sides alike come by with a chance of 2**-59."""
ALIKE = {
    LEFT: "said left {} times in a row: it may look at the side only",
    RIGHT: "said right {} times in a row: it may look at the side only",
    TIE: "said tie {} times in a row: it may see no difference",
    SKIP: "had no opinion {} times in a row: it may not understand what it is asked",
}


class JudgeStoppedError(WinnerstaysError):
    """The judge cannot be asked any more; trying again is of no use."""


class JudgeFailedError(WinnerstaysError):
    """The judge has failed whenever it was asked, so there is no result."""


class NonsenseError(WinnerstaysError):
    """The judge said something that means nothing: an error at first, a failure like others once it has made sense."""


class StopPicking(Exception):  # noqa: N818
    """The judge wants to stop here, and perhaps to go on another day."""


class Question(NamedTuple):
    """One call of the judge: two items by their places, and the place of an example."""

    id: str
    left: int
    right: int
    example: int | None = None


class Reply(NamedTuple):
    """What became of a question: `left`, `right`, `tie` or `skip`; a skip after errors holds the last error."""

    outcome: str
    error: Exception | None = None


class Calls:
    """Calls a judge with items and examples, tries again when it raises, and reads its answer."""

    def __init__(
        self, judge: Callable[..., Any], items: Items, examples: tuple[Any, ...] | None, retries: int, backoff: float
    ) -> None:
        self._judge = judge
        self._items = items
        self._examples = examples
        self._retries = retries
        self._backoff = backoff
        self._made_sense = False

    def arguments(self, question: Question) -> tuple[Any, ...]:
        """Return what the judge is given."""
        left, right = self._items.values[question.left], self._items.values[question.right]
        if self._examples is None or question.example is None:
            return left, right
        return left, right, self._examples[question.example]

    def ask(self, question: Question) -> Reply:
        """Call a judge that answers at once."""
        for attempt in range(self._retries + 1):
            try:
                return self._read(question, self._judge(*self.arguments(question)))
            except Exception as failure:
                error = self._checked(failure)
            if attempt < self._retries:
                time.sleep(self._backoff * 2**attempt)
        return Reply(SKIP, error)

    async def ask_async(self, question: Question) -> Reply:
        """Call a judge that is awaited."""
        for attempt in range(self._retries + 1):
            try:
                return self._read(question, await self._judge(*self.arguments(question)))
            except Exception as failure:
                error = self._checked(failure)
            if attempt < self._retries:
                await asyncio.sleep(self._backoff * 2**attempt)
        return Reply(SKIP, error)

    def _checked(self, failure: Exception) -> Exception:
        """Return a failure after which the judge can be asked again; raise others."""
        again = not isinstance(failure, StopPicking | WinnerstaysError)
        if again or (isinstance(failure, NonsenseError) and self._made_sense):
            return failure
        raise failure

    def _read(self, question: Question, answer: Any) -> Reply:
        reply = self._meaning(question, answer)
        self._made_sense = True
        return reply

    def _meaning(self, question: Question, answer: Any) -> Reply:
        """Return what an answer means; an error that shows it if it means nothing."""
        if answer is None:
            return Reply(SKIP)
        for side, place in ((LEFT, question.left), (RIGHT, question.right)):
            if answer is self._items.values[place]:
                return Reply(side)
        if isinstance(answer, str):
            names = (self._items.names[question.left], self._items.names[question.right])
            if answer in names:
                return Reply(LEFT if answer == names[0] else RIGHT)
            if answer.strip().lower() in (LEFT, RIGHT, TIE):
                return Reply(answer.strip().lower())
        sides = [
            side for side, place in ((LEFT, question.left), (RIGHT, question.right))
            if _equal(answer, self._items.values[place])
        ]  # fmt: skip
        if len(sides) == 1:
            return Reply(sides[0])
        if inspect.iscoroutine(answer):
            answer.close()
        left, right = (self._items.names[place] for place in (question.left, question.right))
        raise NonsenseError(
            f"The judge returned {answer!r} for {left!r} (left) and {right!r} (right); it must return one of the two, "
            "'left', 'right', 'tie', or None for no opinion."
        )


def _equal(answer: Any, value: Any) -> bool:
    try:
        return type(answer) is type(value) and bool(answer == value)
    except Exception:  # arrays have no single truth
        return False


def judge_name(judge: Any) -> str | None:
    """Return what tells a judge from others in every process: a command's words, a function's name; None for a lambda.

    >>> judge_name(len), judge_name(lambda left, right: left)
    ('len', None)
    """
    if isinstance(command := getattr(judge, "command", None), str):
        return command
    if isinstance(judge, functools.partial):
        return judge_name(judge.func)
    name = str(getattr(judge, "__qualname__", type(judge).__qualname__))
    return None if "<lambda>" in name else name


def is_async(judge: Callable[..., Any]) -> bool:
    """Tell whether a judge must be awaited."""
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(getattr(judge, "__call__", None))  # noqa: B004
