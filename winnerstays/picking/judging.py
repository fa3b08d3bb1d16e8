"""Calls of a judge: what it is asked, what its answer means, and what happens when it fails."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.items import Items

LEFT, RIGHT, TIE, SKIP, FAILED = "left", "right", "tie", "skip", "failed"
SHARES = {LEFT: 1.0, TIE: 0.5, RIGHT: 0.0}
TIES = ("tie", "tie(bothbad)", "tie(allbad)")
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
    """What a judge is asked: which of two items is better, on an example if there are any (by its place).

    Of several judges, `judge` is the one who is asked.
    """

    id: int
    left: str
    right: str
    example: int | None = None
    judge: str | None = None


class Answer(NamedTuple):
    """What a judge may return where the choice is not all that it has to say."""

    choice: Any
    """An item, "left", "right", "tie", None for no opinion, or the left one's share of the point, from 0.0 to 1.0."""
    reason: str | None = None
    tokens: int | None = None
    cost: float | None = None
    """In the currency of the prices that the user gave."""


class Reply(NamedTuple):
    """What became of a question. Of a call that failed, `error` says why, and there is no share."""

    outcome: str
    share: float | None = None
    reason: str | None = None
    tokens: int | None = None
    cost: float | None = None
    error: Exception | None = None


class Calls:
    """Calls a judge with items and examples, and reads its answer."""

    def __init__(
        self, judges: Mapping[str | None, Callable[..., Any]], items: Items, examples: tuple[Any, ...] | None
    ) -> None:
        self._judges = judges
        """By name; a single one has the name None."""
        self._values = dict(zip(items.names, items.values, strict=True))
        self._examples = examples
        self._graded = not any(isinstance(value, int | float) for value in items.values)
        """A number is the left one's share, unless it may be an item."""
        self._made_sense = False

    def _arguments(self, question: Question) -> tuple[Any, ...]:
        pair = self._values[question.left], self._values[question.right]
        if self._examples is None or question.example is None:
            return pair
        return *pair, self._examples[question.example]

    def ask(self, question: Question) -> Reply:
        """Call a judge that answers at once."""
        try:
            return self._read(question, self._judges[question.judge](*self._arguments(question)))
        except Exception as failure:
            return self._failed(failure)

    async def ask_async(self, question: Question) -> Reply:
        """Call a judge that is awaited."""
        try:
            return self._read(question, await self._judges[question.judge](*self._arguments(question)))
        except Exception as failure:
            return self._failed(failure)

    def _failed(self, failure: Exception) -> Reply:
        """Return a failure after which the judge can be asked again; raise others."""
        again = not isinstance(failure, StopPicking | WinnerstaysError)
        if again or (isinstance(failure, NonsenseError) and self._made_sense):
            spent = getattr(failure, "tokens", None), getattr(failure, "cost", None)
            return Reply(FAILED, None, None, *spent, error=failure)
        raise failure

    def _read(self, question: Question, answer: Any) -> Reply:
        said = answer if isinstance(answer, Answer) else Answer(answer)
        reply = meaning(said.choice, question, self._values, graded=self._graded)
        self._made_sense = True
        return reply._replace(reason=said.reason, tokens=said.tokens, cost=said.cost)


def meaning(choice: Any, question: Question, values: dict[str, Any], *, graded: bool = True) -> Reply:
    """Return what a choice means; an error that shows it if it means nothing."""
    if choice is None:
        return Reply(SKIP)
    sides = {LEFT: question.left, RIGHT: question.right}
    for side, name in sides.items():
        if choice is values[name]:
            return Reply(side, SHARES[side])
    if isinstance(choice, str):
        for side, name in sides.items():
            if choice == name:
                return Reply(side, SHARES[side])
        word = "".join(choice.lower().split())
        if word in (LEFT, RIGHT) or word in TIES:
            word = TIE if word in TIES else word
            return Reply(word, SHARES[word])
    same = [side for side, name in sides.items() if _equal(choice, values[name])]
    if len(same) == 1:
        return Reply(same[0], SHARES[same[0]])
    if graded and isinstance(choice, float) and 0.0 <= choice <= 1.0:
        return Reply(LEFT if choice > 0.5 else RIGHT if choice < 0.5 else TIE, choice)
    if inspect.iscoroutine(choice):
        choice.close()
    raise NonsenseError(
        f"The judge returned {choice!r} for {question.left!r} (left) and {question.right!r} (right); it must return "
        "one of the two, 'left', 'right', 'tie', a share from 0.0 to 1.0 for the left one, or None for no opinion."
    )


def _equal(answer: Any, value: Any) -> bool:
    try:
        return type(answer) is type(value) and bool(answer == value)
    except Exception:  # arrays have no single truth
        return False


def identity_of(judge: Any) -> str | None:
    """Return what a judge says it is asked: a command's words, a model's name with a hash of its instructions.

    A function says nothing about it; then `judge_id` can.
    """
    identity = getattr(judge, "identity", None)
    return identity if isinstance(identity, str) else None


def is_async(judge: Callable[..., Any]) -> bool:
    """Tell whether a judge must be awaited."""
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(getattr(judge, "__call__", None))  # noqa: B004
