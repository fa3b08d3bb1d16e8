"""A pick under way: which questions to ask, what the answers mean, when to stop. It calls no judge, waits for nothing.

Answers are kept in the journal before they are used, and used in the order in which the duels were served, whenever
they arrive: the course of a pick does not depend on how long a judge takes, and slow answers cannot bias the test.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from winnerstays.picking import procedure
from winnerstays.picking.items import Items
from winnerstays.picking.journal import Journal
from winnerstays.picking.judging import (
    ALIKE,
    ALIKE_STOPS,
    ALIKE_WARNS,
    LEFT,
    RIGHT,
    SKIP,
    TIE,
    JudgeFailedError,
    Question,
    Reply,
)
from winnerstays.picking.options import Options
from winnerstays.picking.procedure import (
    CERTIFIED,
    CYCLE,
    EQUAL,
    FIRST_WON,
    INDIFFERENT,
    NOBODY,
    NOTHING,
    PLAYING,
    SECOND_WON,
)
from winnerstays.randomness import Rng, below, stream, uniform

STOPS = {CERTIFIED: "certified", INDIFFERENT: "indifferent", CYCLE: "cycle", EQUAL: "equal"}
FIRST_FAILURES, LATER_FAILURES = 3, 10
"""Failed calls in a row after which the judge is given up: before any has succeeded, and later."""
JUMP = 2**20
"""Every duel draws from its own part of the stream, so that a pick that goes on later draws the same."""
MAX_MESSAGE = 200
Judgement = tuple[int, int, int | None]
"""Left item, right item, example."""
Kept = tuple[Question, str, str | None]
"""A question with its outcome and the reason, as the journal keeps it."""


class Duel:
    """A comparison: one question, or two that ask both ways."""

    __slots__ = ("fresh", "judgements", "outcomes")

    def __init__(self, judgements: list[Judgement], fresh: list[bool]) -> None:
        self.judgements = judgements
        self.fresh = fresh
        """Which of them the judge must be asked; the others were asked before."""
        self.outcomes: list[str | None] = [None] * len(judgements)

    @property
    def answered(self) -> bool:
        return None not in self.outcomes

    def favours(self) -> list[int]:
        """Return whom each answer favours: FIRST_WON stands for the left item of the first question."""
        signs = {LEFT: FIRST_WON, RIGHT: SECOND_WON}
        return [signs.get(str(said), NOTHING) * (-1) ** place for place, said in enumerate(self.outcomes)]

    def outcome(self) -> int:
        """Return what is learned: a winner if all answers agree on one, else nothing."""
        favours = self.favours()
        return favours[0] if len(set(favours)) == 1 else NOTHING

    def flipped(self) -> bool:
        """Tell whether the judge chose the same side both ways."""
        return set(self.favours()) == {FIRST_WON, SECOND_WON}


class Session:
    """The state of a pick."""

    def __init__(self, items: Items, journal: Journal, options: Options) -> None:
        self.items = Items(
            tuple(items.names[place] for place in journal.order), tuple(items.values[place] for place in journal.order)
        )
        self.level = options.level
        self.both = options.swap == "both"
        self.concurrency = options.concurrency
        self.budget = options.budget
        self.indifference = options.indifference
        self.stop: str | None = None
        self.error: Exception | None = None
        self.calls = self.earlier_calls = self.errors = self.ties = self.skips = self.flips = 0
        self.left = self.right = 0
        self._alike = 0
        self._last = ""
        """The outcome of the newest answer, and how many in a row were like it."""
        self.learned = 0
        self.history: list[tuple[int, int, int]] = []
        """(left, right, outcome) of the duels that were learned."""
        self.beaten_at: dict[int, int] = {}
        """How many duels were learned when an item was beaten beyond doubt."""
        self.begin = time.monotonic()
        self.on_progress: Callable[[Session], None] = lambda session: None
        self.on_notice: Callable[[str], None] = logging.getLogger("winnerstays.pick").warning
        self._since: dict[str, tuple[Question, float]] = {}
        """The questions that the judge is being asked, and since when."""
        self._journal = journal
        self._examples = None if options.examples is None else len(options.examples)
        self._lanes = (self.concurrency + 1) // 2 if self.both else self.concurrency
        self._base = stream(journal.seed, 0)
        self._successes = self._failures = 0
        self._duels: list[Duel] = []
        self._places: dict[str, tuple[Duel, int]] = {}
        """Of open questions, by id: the duel, and which of its questions it is."""
        self._queue: deque[Question] = deque()
        self._asked = 0
        """Questions that the judge was asked or will be."""
        self._in_flight = 0
        self._memory: dict[Judgement, str | None] = {}
        """With examples: the judgements asked, and what was answered."""
        self._waiting: dict[Judgement, list[Question]] = {}
        """Questions that wait for the answer to the same one asked before."""
        self._judged: dict[tuple[int, int], dict[Any, int]] = {}
        """With examples, of each pair: what was learned, and whom it favours."""
        self.state = procedure.init(len(self.items.names), self.level, self.indifference, self._rng(-1))
        self._go_on(self._read())
        self.earlier_calls = self.calls

    def take(self) -> Question | None:
        """Return a question for the judge; None if there is none to be asked now."""
        if self.stop is not None or self._in_flight >= self.concurrency or not self._queue:
            return None
        self._in_flight += 1
        question = self._queue.popleft()
        self._since[question.id] = question, time.monotonic()
        return question

    def tell(self, replies: Iterable[tuple[Question, Reply]]) -> None:
        """Learn the judge's replies: they are in the journal before anything follows from them."""
        answers: list[Kept] = []
        for question, reply in replies:
            self._in_flight -= 1
            self._since.pop(question.id, None)
            self._count_failure(reply)
            error = reply.error
            answers.append((question, reply.outcome, None if error is None else _message(error)))
            self._count(reply.outcome)
            if self._alike == ALIKE_WARNS:
                self.on_notice(f"The judge {ALIKE[reply.outcome].format(ALIKE_WARNS)}.")
            self._set(question, reply.outcome)
            if self._examples is not None:
                judgement = question[1:]
                self._memory[judgement] = reply.outcome
                answers += [self._recall(other) for other in self._waiting.pop(judgement, [])]
        self._go_on(answers)
        if self._failures >= LATER_FAILURES + self.concurrency:
            self.end("failed")
        if self.budget is None and self._alike >= ALIKE_STOPS:
            self.end("uninformative")
        if not (self._successes or self.earlier_calls) and self._failures >= max(FIRST_FAILURES, self.concurrency):
            raise JudgeFailedError(f"The judge failed in every call: {_message(self.error)}.") from self.error
        self.on_progress(self)

    def end(self, reason: str) -> None:
        """Stop here, unless it has ended already. Where nothing was found, the best guess is the likeliest item."""
        if self.stop is None and reason not in STOPS.values():
            self.state.favourite[0] = procedure.leader(self.state)
        self.stop = self.stop or reason

    def longest_call(self) -> tuple[Question, float] | None:
        """Return the question that the judge has been asked for longest, and since when (of time.monotonic)."""
        return min(list(self._since.values()), key=lambda asked: asked[1], default=None)

    @property
    def favourite(self) -> int:
        return int(self.state.favourite[0])

    @property
    def remaining(self) -> list[int]:
        """Return the items that no other one beats beyond doubt."""
        return [item for item, victor in enumerate(self.state.beaten_by) if victor == NOBODY]

    def _rng(self, number: int) -> Rng:
        start = (int(self._base[0]) + (number + 1) * JUMP * int(self._base[1])) % 2**64
        return np.array([start, self._base[1]], dtype=np.uint64)

    def _read(self) -> list[Kept]:
        """Take over what the journal holds; return answers that are known but not kept yet."""
        recalled: list[Kept] = []
        size = 2 if self.both else 1
        written = list(self._journal.read())
        for start in range(0, len(written) - size + 1, size):
            rows = written[start : start + size]
            duel = self._add([question[1:] for question, _ in rows])
            for place, (question, outcome) in enumerate(rows):
                self._places[question.id] = (duel, place)
                if outcome is not None:
                    self._set(question, outcome)
                    if duel.fresh[place]:
                        self._count(outcome)
                        if self._examples is not None:
                            self._memory[question[1:]] = outcome
                else:
                    recalled += self._look_up(question, fresh=duel.fresh[place])
        return recalled

    def _go_on(self, answers: list[Kept]) -> None:
        """Learn what can be learned, serve what should be served, and keep all of it, until the judge must be asked."""
        while True:
            served = self._advance()
            questions = iter(self._journal.write(answers, [one for duel in served for one in duel.judgements]))
            answers = []
            for duel in served:
                for place, fresh in enumerate(duel.fresh):
                    question = next(questions)
                    self._places[question.id] = (duel, place)
                    answers += self._look_up(question, fresh=fresh)
            if not answers:
                return

    def _look_up(self, question: Question, *, fresh: bool) -> list[Kept]:
        """Return what is remembered of a question; if nothing is, the judge is asked, or its answer is awaited."""
        if fresh:
            self._queue.append(question)
        elif self._memory[question[1:]] is not None:
            return [self._recall(question)]
        else:
            self._waiting.setdefault(question[1:], []).append(question)
        return []

    def _recall(self, question: Question) -> Kept:
        outcome = str(self._memory[question[1:]])
        self._set(question, outcome)
        return question, outcome, "remembered"

    def _set(self, question: Question, outcome: str) -> None:
        duel, place = self._places.pop(question.id)
        duel.outcomes[place] = outcome

    def _count(self, outcome: str) -> None:
        """Count an answer of the judge."""
        self.calls += 1
        self.left += outcome == LEFT
        self.right += outcome == RIGHT
        self.ties += outcome == TIE
        self.skips += outcome == SKIP
        self._alike = self._alike + 1 if outcome == self._last else 1
        self._last = outcome

    def _count_failure(self, reply: Reply) -> None:
        if reply.error is None:
            self._successes, self._failures = self._successes + 1, 0
        else:
            self.error = reply.error
            self.errors, self._failures = self.errors + 1, self._failures + 1

    def _advance(self) -> list[Duel]:
        """Learn the answered duels in their order, and choose new ones after each; return the new ones."""
        served = self._serve()
        while self.stop is None and self.learned < len(self._duels) and self._duels[self.learned].answered:
            self._learn(self._duels[self.learned])
            verdict = procedure.verdict(self.state)
            if verdict != PLAYING:
                self.end(STOPS[verdict])
            served += self._serve()
        if self.stop is None and self.learned == len(self._duels):
            self.end("budget")
        return served

    def _serve(self) -> list[Duel]:
        served: list[Duel] = []
        while self.stop is None and len(self._duels) - self.learned < procedure.window(len(self._duels), self._lanes):
            rng = self._rng(len(self._duels))
            first, second = procedure.choose(self.state, rng)
            if second == NOBODY:
                break
            left, right = (int(first), int(second)) if uniform(rng) < 0.5 else (int(second), int(first))
            example = None if self._examples is None else int(below(rng, self._examples))
            judgements: list[Judgement] = [(left, right, example), (right, left, example)][: 2 if self.both else 1]
            if self.budget is not None and self._asked + sum(map(self._is_fresh, judgements)) > self.budget:
                break
            served.append(self._add(judgements))
        return served

    def _is_fresh(self, judgement: Judgement) -> bool:
        return judgement not in self._memory

    def _add(self, judgements: list[Judgement]) -> Duel:
        duel = Duel(judgements, list(map(self._is_fresh, judgements)))
        if self._examples is not None:
            self._memory.update({judgement: self._memory.get(judgement) for judgement in judgements})
        self._asked += sum(duel.fresh)
        self._duels.append(duel)
        procedure.serve(self.state, *judgements[0][:2])
        return duel

    def _learn(self, duel: Duel) -> None:
        left, right, _ = duel.judgements[0]
        outcome = duel.outcome()
        self.flips += duel.flipped()
        procedure.learn(self.state, left, right, outcome)
        self.learned += 1
        self.history.append((left, right, outcome))
        if self._examples is not None:
            self._settle(duel, outcome)
        for item in (left, right):
            if self.state.beaten_by[item] != NOBODY:
                self.beaten_at.setdefault(item, self.learned)

    def _settle(self, duel: Duel, outcome: int) -> None:
        """Note a pair of which all judgements are known: it is decided by them, and nothing is left to be tested."""
        left, right, example = duel.judgements[0]
        pair = (min(left, right), max(left, right))
        known = self._judged.setdefault(pair, {})
        known[example if self.both else duel.judgements[0]] = outcome if left < right else -outcome
        if len(known) == (self._examples or 0) * (1 if self.both else 2):
            balance = sum(known.values())
            procedure.settle(self.state, *pair, (balance > 0) - (balance < 0))


def _message(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}".rstrip(".:")[:MAX_MESSAGE]
