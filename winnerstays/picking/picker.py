"""A pick under way: which questions to ask, what the answers mean, when to stop. It calls no judge, waits for nothing.

>>> picker = Picker(["terse", "polite", "rude"], seed=1)
>>> while picker.stop is None:
...     for question in picker.ask(4):
...         picker.tell(question, min(question.left, question.right))
>>> picker.verdict().best
'polite'

Answers are kept in the log before they are used, and used in the order in which the duels were served, whenever they
arrive: the course of a pick does not depend on how long a judge takes, and slow answers cannot bias the test. A call
that failed is no answer: nothing is learned from it, and it is asked for again later.
"""

import json
import logging
import math
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from winnerstays.errors import WinnerstaysError
from winnerstays.picking import procedure
from winnerstays.picking.borda import Borda
from winnerstays.picking.goals import PRECISE, Best, Board, Copeland
from winnerstays.picking.items import Items, name_items
from winnerstays.picking.judging import (
    ALIKE,
    ALIKE_STOPS,
    ALIKE_WARNS,
    FAILED,
    LEFT,
    RIGHT,
    SKIP,
    TIE,
    JudgeFailedError,
    Question,
    Reply,
    meaning,
)
from winnerstays.picking.options import CALLS_FOR_EACH_RIVAL, Options
from winnerstays.picking.pairs import Pair
from winnerstays.picking.plan import PLANNED, Plan
from winnerstays.picking.procedure import CERTAIN, CERTIFIED, CYCLE, INDIFFERENT, NOBODY, PLAYING, SETTLED, UNKNOWN
from winnerstays.picking.result import PickResult, result_of
from winnerstays.picking.store import Log, Row, Store
from winnerstays.randomness import Rng, below, stream, uniform

VERDICTS = {CERTIFIED: "certified", INDIFFERENT: "indifferent", CYCLE: "cycle", PRECISE: "precise"}
FIRST_FAILURES, LATER_FAILURES = 3, 10
"""Failed calls in a row after which the judge is given up: before any has succeeded, and later."""
AHEAD = 8
"""While the first question of the line is asked again, it may be this many times as long as calls are made at once."""
JUMP = 2**20
"""Every duel draws from its own part of the stream, so that a pick that goes on later draws the same."""
MAX_MESSAGE = 200
PILOT, BLIND = 20, 0.75
"""With swap="auto" so many duels ask both orders, and so do all if one side has this share of the answers: then half
of them look at the side alone, and two answers in both orders are worth more than two others."""
SETTINGS = ("level", "goal", "top", "precision", "swap", "claim", "cycles", "indifference")
"""Options that a dump holds."""


class Duel:
    """A comparison: one question, or two that ask both ways. Places are those of the first question's items."""

    def __init__(self, left: int, right: int, example: int | None, size: int) -> None:
        self.left, self.right, self.example = left, right, example
        self.replies: list[Reply | None] = [None] * size

    def of(self, question: int) -> tuple[int, int, int | None]:
        """Return what a question asks: left, right, example."""
        return (self.right, self.left, self.example) if question else (self.left, self.right, self.example)

    @property
    def pair(self) -> tuple[int, int]:
        return min(self.left, self.right), max(self.left, self.right)

    @property
    def failed(self) -> bool:
        return any(reply is not None and reply.outcome == FAILED for reply in self.replies)

    def shares(self) -> list[float]:
        """Return the first left item's share of the point by each answer; no opinion is a half."""
        shares = [0.5 if reply is None or reply.share is None else reply.share for reply in self.replies]
        return [1.0 - share if place else share for place, share in enumerate(shares)]

    def share(self) -> float:
        """Return what is learned: the answers' mean."""
        return sum(self.shares()) / len(self.replies)

    def flipped(self) -> bool:
        """Tell whether the judge chose the same side both ways."""
        return max(self.shares()) > 0.5 > min(self.shares())


class Picker:
    """The procedure of `pick` as ask and tell; `pick` is one driver of it. The options are those of `pick`.

    `ask(k)` gives up to k questions, `tell` takes an answer, `stop` says why it ended, `verdict` is the result so far.
    """

    def __init__(self, items: Mapping[str, Any] | Iterable[Any], *, log: Log | None = None, **options: Any) -> None:
        self.options = chosen = Options(**options)
        given = name_items(items)
        self.log = self._open(given, chosen) if log is None else log
        values = dict(zip(given.names, given.values, strict=True))
        self.items = Items(self.log.names, tuple(values[name] for name in self.log.names))
        self.both = chosen.swap != "random"
        """Whether both orders are asked now; with swap="auto" that is for the first duels, and if they show a bias."""
        self.paired = 0
        """Duels learned that asked both."""
        rivals = len(self.items.names) - 1
        self.budget = CALLS_FOR_EACH_RIVAL * rivals if chosen.budget is None else float(chosen.budget)
        self._most_cost = 0.0
        """Of an answer."""
        self.stop: str | None = None
        self.error: Exception | None = None
        self.calls = self.earlier_calls = self.retries = self.errors = self.ties = self.skips = self.flips = 0
        self.left = self.right = self.tokens = 0
        self.cost = 0.0
        self.learned = 0
        self.history: list[tuple[int, int, float]] = []
        """(left, right, lead of the left one from -1 to 1) of the duels that were learned."""
        self.evidence: list[tuple[float, float]] = []
        """After each of them, log10 of e for its left and its right item."""
        self.beaten_at: dict[int, int] = {}
        """How many duels were learned when an item was dropped."""
        self.begin = time.monotonic()
        self.on_progress: Callable[[Picker], None] = lambda picker: None
        self.on_notice: Callable[[str], None] = logging.getLogger("winnerstays.pick").warning
        self.state = self._state(chosen.cycles if chosen.claim == "these" else "safe")
        self.other = self._state("safe" if chosen.claim == "these" else chosen.cycles)
        """The evidence for the claim at which the pick does not stop."""
        self._places = {name: place for place, name in enumerate(self.items.names)}
        self._values = dict(zip(self.items.names, self.items.values, strict=True))
        self._alike, self._last = 0, ""
        """How many answers in a row were like the newest one."""
        self._examples = None if chosen.examples is None else len(chosen.examples)
        self.goal = self._goal()
        self._base = stream(self.log.seed, 0)
        self._successes = self._failures = self._asked = 0
        self._duels: list[Duel] = []
        self._pairs: dict[tuple[int, int], Pair] = {}
        self._open_questions: dict[int, tuple[Question, int, int]] = {}
        """Of open questions, by id: the duel's number, and which of its questions it is."""
        self._halves: dict[tuple[int, int, int | None], Reply] = {}
        """Asked both ways: the answers whose other half failed."""
        self._queue: deque[Question] = deque()
        self._since: dict[int, tuple[Question, float]] = {}
        self._retried: set[int] = set()
        self._rows: list[Row] = []
        """Rows that are not in the log yet."""
        self._n_rows = 0
        self._load()

    def ask(self, k: int = 1) -> list[Question]:
        """Return up to k questions that were not asked yet; none if the answers to open ones are needed first."""
        questions = [self._queue.popleft() for _ in range(min(k, len(self._queue)))] if self.stop is None else []
        now = time.monotonic()
        self._since |= {question.id: (question, now) for question in questions}
        return questions

    def tell(self, question: Question | int, choice: Any, reason: str | None = None) -> None:
        """Learn an answer: an item, "left", "right", "tie", None, or the left one's share of the point."""
        asked = self._question(question)
        self.learn([(asked, meaning(choice, asked, self._values)._replace(reason=reason))])

    def fail(self, question: Question | int, error: Exception | str = "no answer") -> None:
        """Give a question up: it will not be answered. On an example it is asked again later."""
        failure = error if isinstance(error, Exception) else RuntimeError(error)
        self.learn([(self._question(question), Reply(FAILED, error=failure))])

    def retry(self, question: Question) -> None:
        """Note that a question is being asked again after a failure; meanwhile others are asked."""
        self.retries += 1
        self._retried.add(question.id)
        self._serve()
        self._flush()

    def learn(self, replies: Iterable[tuple[Question, Reply]]) -> None:
        """Learn replies: they are in the log before anything follows from them."""
        for question, reply in replies:
            if self.options.money is not None and reply.cost is None and reply.outcome != FAILED:
                raise WinnerstaysError(
                    "The budget is money, but the judge does not say what its calls cost; give prices."
                )
            message = None if reply.error is None else _message(reply.error)
            self._write(question, reply._replace(reason=reply.reason or message))
            self._count_failure(reply)
            self._since.pop(question.id, None)
            self._settle_question(question, reply)
            if self._alike == ALIKE_WARNS:
                self.on_notice(f"The judge {ALIKE[self._last].format(ALIKE_WARNS)}.")
        self._advance()
        self._flush()
        if self._failures >= LATER_FAILURES + self.options.concurrency:
            self.end("failed")
        if self.options.budget is None and self._alike >= ALIKE_STOPS:
            self.end("uninformative")
        if not (self._successes or self.earlier_calls) and self._failures >= max(
            FIRST_FAILURES, self.options.concurrency
        ):
            raise JudgeFailedError(f"The judge failed in every call: {_message(self.error)}.") from self.error
        self.on_progress(self)

    def end(self, reason: str) -> None:
        """Stop here, unless it has ended already. Without a certificate the best guess is the likeliest item."""
        if self.stop is None and reason not in VERDICTS.values():
            self.goal.guess()
        self.stop = self.stop or reason

    def verdict(self) -> PickResult:
        """Return the result as it is now."""
        return result_of(self)

    def dump(self) -> str:
        """Return all of it as text, for `load`; with a `store` it is in that file anyway."""
        rows = [row[:-1] for row in self.log.rows]
        settings = {name: getattr(self.options, name) for name in SETTINGS}
        kept = {"seed": self.log.seed, "names": self.log.names, "examples": self._examples}
        return json.dumps(kept | {"settings": settings, "rows": rows})

    @classmethod
    def load(cls, text: str, items: Mapping[str, Any] | Iterable[Any] | None = None, **options: Any) -> "Picker":
        """Return the picker that was dumped. Items that are no texts, and examples, are given again."""
        try:
            kept = json.loads(text)
            log = Log(kept["seed"], kept["names"], [Row(*row) for row in kept["rows"]])
            settings = kept["settings"] | options
        except (ValueError, KeyError, TypeError) as error:
            raise WinnerstaysError(f"This is no dump of a picker ({error}).") from None
        given = name_items(kept["names"] if items is None else items)
        if sorted(given.names) != sorted(log.names):
            raise WinnerstaysError(f"The dump is of {', '.join(log.names)}, not of {', '.join(given.names)}.")
        if kept["examples"] is not None and len(options.get("examples") or ()) != kept["examples"]:
            raise WinnerstaysError(f"The dump is of a pick with {kept['examples']} examples; give the same ones.")
        return cls(dict(zip(given.names, given.values, strict=True)), log=log, **settings)

    @property
    def _is_pilot(self) -> bool:
        return self.options.swap == "auto"

    @property
    def _lanes(self) -> int:
        return (self.options.concurrency + 1) // 2 if self.both else self.options.concurrency

    @property
    def favourite(self) -> int:
        return self.goal.favourite

    @property
    def remaining(self) -> list[int]:
        """The items that are not dropped."""
        return self.goal.remaining

    def longest_call(self) -> tuple[Question, float] | None:
        """Return the question that the judge has been asked for longest, and since when (of time.monotonic)."""
        return min(list(self._since.values()), key=lambda asked: asked[1], default=None)

    def close(self) -> None:
        """Close the store."""
        self.log.close()

    def _open(self, items: Items, options: Options) -> Log:
        seed = secrets.randbits(63) if options.seed is None else options.seed
        if options.store is None:
            return Log(seed, items.names)
        store = Store(options.store, items, options.examples, options.swap, seed)
        try:
            ids = options.judge_id if isinstance(options.judge_id, tuple) else (options.judge_id,)
            store.check_judges(tuple(filter(None, ids)), same=options.same_judge)
        except WinnerstaysError:
            store.close()
            raise
        return store

    def _goal(self) -> Best:
        chosen, names, state = self.options, self.items.names, self.state
        duels = self.budget // (1 if chosen.swap == "random" else 2)
        if chosen.top is not None and chosen.top >= len(names):
            raise WinnerstaysError(f"top is {chosen.top}, but it must be below the number of items, {len(names)}.")
        if chosen.goal == "copeland":
            return Copeland(state, chosen.level)
        if chosen.goal == "borda":
            seed, new = self.log.seed, chosen.claim == "new"
            return Borda(state, chosen.level, seed, self._examples, self._is_free, both=self.both, new=new)
        if chosen.precision is not None:
            return Board(state, chosen.level, float(chosen.precision))
        if chosen.goal == "condorcet" and chosen.budget is not None and duels <= PLANNED * len(names):
            return Plan(state, names, int(duels), self.log.seed, self._can_meet)
        return Best(state, chosen.top or 1)

    def _is_free(self, first: int, second: int, judgement: tuple[int, int]) -> bool:
        """Tell whether a judgement can be asked for: it is not known, not open, and has not failed too often."""
        return self._pair(min(first, second), max(first, second)).has(judgement)

    def _can_meet(self, first: int, second: int) -> bool:
        """Tell whether there is something left to be asked of two items."""
        return self._examples is None or self._pair(min(first, second), max(first, second)).next is not None

    def _state(self, cycles: str) -> procedure.State:
        n_items, level = len(self.log.names), 1 - (1 - self.options.level) / (self.options.top or 1)
        rng = self._rng(-1, stream(self.log.seed, 0))
        return procedure.init(n_items, level, rng, indifference=self.options.indifference, cycles=cycles)

    def _rng(self, number: int, base: Rng) -> Rng:
        start = (int(base[0]) + (number + 1) * JUMP * int(base[1])) % 2**64
        return np.array([start, base[1]], dtype=np.uint64)

    def _question(self, question: Question | int) -> Question:
        id_ = question.id if isinstance(question, Question) else question
        if id_ not in self._open_questions:
            raise WinnerstaysError(f"The question {id_!r} is not open: it was answered, or never asked.")
        return self._open_questions[id_][0]

    def _load(self) -> None:
        """Take over what the log holds, and serve the first duels."""
        for row in self.log.rows:
            places = self._places[row.left], self._places[row.right]
            ids = self.options.judge_id if isinstance(self.options.judge_id, tuple) else ()
            judge = row.judge if row.judge in ids or not ids else self._judge(row.duel)
            question = Question(row.question, row.left, row.right, row.example, judge if ids else None)
            if row.outcome is None:
                if row.duel == len(self._duels):
                    self._add(self._duel(*places, row.example))
                self._open_questions[row.id] = question, row.duel, int(places[0] != self._duels[row.duel].left)
                self._asked += 1
            else:
                self._settle_question(question, Reply(row.outcome, *row[8:12]))
                self._learn_answered(loading=True)
        self._queue.extend(question for question, _, _ in self._open_questions.values())
        self._n_rows = len(self.log.rows)
        self.earlier_calls = self.calls
        self._serve()
        if self.stop is None and self.learned == len(self._duels):
            self._advance()
        self._flush()

    def _settle_question(self, question: Question, reply: Reply) -> None:
        number, place = self._open_questions.pop(question.id)[1:]
        self._retried.discard(question.id)
        self._duels[number].replies[place] = reply
        self.calls += 1
        self.errors += reply.outcome == FAILED
        self.left += reply.outcome == LEFT
        self.right += reply.outcome == RIGHT
        self.ties += reply.outcome == TIE
        self.skips += reply.outcome == SKIP
        self.tokens += reply.tokens or 0
        self.cost += reply.cost or 0.0
        self._most_cost = max(self._most_cost, reply.cost or 0.0)
        if reply.outcome != FAILED:
            self._alike = self._alike + 1 if reply.outcome == self._last else 1
            self._last = reply.outcome

    def _count_failure(self, reply: Reply) -> None:
        if reply.error is None:
            self._successes, self._failures = self._successes + 1, 0
        else:
            self.error, self._failures = reply.error, self._failures + 1

    def _write(self, question: Question, reply: Reply) -> None:
        asked, number, _ = self._open_questions[question.id]
        row = Row(self._n_rows, asked.id, number, asked.left, asked.right, asked.example, self._judge(number))
        outcome, share, reason, tokens, cost, _ = reply
        self._rows.append(row._replace(outcome=outcome, share=share, reason=reason, tokens=tokens, cost=cost))
        self._n_rows += 1

    def _flush(self) -> None:
        """Write what is new to the log; only then questions are given out."""
        if self._rows:
            self.log.write(self._rows)
            self._queue.extend(
                Question(row.id, row.left, row.right, row.example, row.judge)
                for row in self._rows
                if row.outcome is None
            )
            self._rows = []

    def _advance(self) -> None:
        """Learn the answered duels in their order, and serve new ones after each."""
        self._learn_answered()
        self._serve()
        if self.stop is None and self.learned == len(self._duels):
            self.end("budget")

    def _learn_answered(self, *, loading: bool = False) -> None:
        while self.stop is None and self.learned < len(self._duels):
            duel = self._duels[self.learned]
            if None in duel.replies:
                return
            self._learn(duel, loading=loading)
            self.goal.learn(self.learned, duel.left, duel.right, None if duel.failed else 2.0 * duel.share() - 1.0)
            self.learned += 1
            if self._is_pilot and self.learned == PILOT:
                self._look_at_sides()
            verdict = self.goal.verdict()
            if verdict != PLAYING:
                self.end(self._why_settled() if verdict == SETTLED else VERDICTS[verdict])
            elif not loading:
                self._serve()

    def _serve(self) -> None:
        while self.stop is None and len(self._duels) - self.learned < self._room():
            duel = self._choose()
            if duel is None:
                return
            fresh = [place for place in range(len(duel.replies)) if duel.of(place) not in self._halves]
            if self._asked + len(fresh) > self.budget or self._is_dear(len(fresh)):
                return
            number = len(self._duels)
            self._add(duel)
            for place in fresh:
                left, right, example = duel.of(place)
                names = self.items.names[left], self.items.names[right]
                jury = isinstance(self.options.judge_id, tuple)
                question = Question(self._n_rows, *names, example, self._judge(number) if jury else None)
                self._rows.append(Row(question.id, question.id, number, *question[1:]))
                self._open_questions[question.id] = question, number, place
                self._n_rows += 1
            self._asked += len(fresh)

    def _judge(self, number: int) -> str | None:
        """Return the judge to whom a duel is put."""
        ids = self.options.judge_id
        return ids[below(stream(self.log.seed, 5, number), len(ids))] if isinstance(ids, tuple) else ids

    def _is_dear(self, questions: int) -> bool:
        """Tell whether so many more questions may cost more than the money that is left, with those that are open."""
        money = self.options.money
        return money is not None and self.cost + (len(self._open_questions) + questions) * self._most_cost > money

    def _room(self) -> int:
        """Return how many duels may be open: more while the first one waits for a call that failed."""
        if self._retried and any(
            self._open_questions[id_][1] == self.learned for id_ in self._retried if id_ in self._open_questions
        ):
            return AHEAD * self._lanes
        return int(procedure.window(len(self._duels), self._lanes))

    def _look_at_sides(self) -> None:
        """With swap="auto": go on to ask both orders only if the judge mostly looks at the side."""
        chosen = max(self.left, self.right) / max(1, self.left + self.right)
        self.both = chosen >= BLIND
        if self.both:
            side = LEFT if self.left > self.right else RIGHT
            count = self.left + self.right
            self.on_notice(
                f"The judge chose the {side} one in {chosen:.0%} of {count} choices: from now on both orders are asked."
            )

    def _choose(self) -> Duel | None:
        """Return the next duel; None if the answers to open ones are needed first."""
        rng = self._rng(len(self._duels), self._base)
        chosen = None if self._is_pilot and self.learned < len(self._duels) == PILOT else self.goal.choose(rng)
        if chosen is None:
            return None
        first, second, judgement = chosen
        lower, higher = min(first, second), max(first, second)
        judgement = judgement or self._pair(lower, higher).next
        if self._examples is not None and judgement is None:
            return None
        example, swapped = (None, uniform(rng) < 0.5) if judgement is None else judgement
        return self._duel(*((higher, lower) if swapped else (lower, higher)), example)

    def _duel(self, left: int, right: int, example: int | None) -> Duel:
        return Duel(left, right, example, 2 if self.both else 1)

    def _pair(self, first: int, second: int) -> Pair:
        if (first, second) not in self._pairs:
            self._pairs[first, second] = Pair(
                self.log.seed, (first, second), self._examples, null=0.5 - self.options.indifference
            )
        return self._pairs[first, second]

    def _judgements(self, duel: Duel) -> list[tuple[int, int]]:
        return [(int(duel.example or 0), int((duel.left > duel.right) ^ place)) for place in range(len(duel.replies))]

    def _add(self, duel: Duel) -> None:
        for place in range(len(duel.replies)):
            duel.replies[place] = self._halves.pop(duel.of(place), None)
        self._pair(*duel.pair).take(self._judgements(duel))
        self._duels.append(duel)
        self.goal.serve(duel.left, duel.right, self._judgements(duel)[0])
        procedure.serve(self.state, duel.left, duel.right)

    def _learn(self, duel: Duel, *, loading: bool) -> None:
        pair = self._pair(*duel.pair)
        if duel.failed:
            procedure.withdraw(self.state, duel.left, duel.right)
            if self._examples is None:
                pair.open -= 1
                return
            pair.give_back(self._judgements(duel), again=loading)
            for place, reply in enumerate(duel.replies):
                if reply is not None and reply.outcome != FAILED:
                    self._halves[duel.of(place)] = reply
            self._settle(pair)
            return
        share = duel.share()
        value = share if duel.left < duel.right else 1.0 - share
        lead = 2.0 * share - 1.0
        pair.open -= 1
        pair.balance += 2.0 * value - 1.0
        self.flips += duel.flipped()
        self.paired += len(duel.replies) == 2
        self.history.append((duel.left, duel.right, lead))
        bets = (
            bool(procedure.bets_on(self.state, *pair.places)),
            bool(procedure.bets_on(self.state, *pair.places[::-1])),
        )
        procedure.learn(self.state, duel.left, duel.right, lead)
        self._weigh(pair, value, duel.example, bets, len(duel.replies))
        if self._examples is not None:
            self._settle(pair)
        sides = (duel.left, duel.right), (duel.right, duel.left)
        self.evidence.append(tuple(float(self.state.evidence[side]) / math.log(10) for side in sides))  # type: ignore[arg-type]
        for item in duel.pair:
            if self.state.beaten_by[item] != NOBODY:
                self.beaten_at.setdefault(item, self.learned + 1)

    def _weigh(self, pair: Pair, value: float, example: int | None, bets: tuple[bool, bool], weight: int) -> None:
        """Learn a value of a pair for each claim; `bets` tells on which of the two the other one's test has bet."""
        near = self.options.indifference > 0
        these = self.options.claim == "these" and example is not None
        if example is not None:
            state, evidence = self.state if these else self.other, pair.these.tell(value, weight=weight)
            if max(evidence) >= CERTAIN and not state.settled[pair.places]:
                procedure.settle(state, *pair.places, 1 if evidence[0] > evidence[1] else -1)
            else:
                self._set(state, pair.places, evidence, pair.these_staked.tell(value, bets, weight))
            if these and near:
                procedure.weigh_near(state, *pair.places, *pair.these_near.tell(value, weight=weight))
            if not pair.is_first_of(example):
                return
        state = self.other if these else self.state
        self._set(state, pair.places, pair.new.tell(value), pair.new_staked.tell(value, bets))
        if near and not these:
            procedure.weigh_near(state, *pair.places, *pair.new_near.tell(value))

    def _set(
        self,
        state: procedure.State,
        places: tuple[int, int],
        evidence: tuple[float, float],
        staked: tuple[float, float],
    ) -> None:
        if not state.settled[places]:
            procedure.stake(state, *places, staked[0])
            procedure.stake(state, *places[::-1], staked[1])
            procedure.weigh(state, *places, *evidence)

    def _settle(self, pair: Pair) -> None:
        """Note a pair of which nothing is left to be asked. Who wins these examples is known by then."""
        if pair.known and not self.state.settled[pair.places]:
            procedure.settle(self.state, *pair.places, 0)
            if pair.lost:
                self.state.settled[pair.places] = self.state.settled[pair.places[::-1]] = UNKNOWN

    def _why_settled(self) -> str:
        """Return why it ends when nothing is left to be asked of the favourite and a rival."""
        pairs = [pair for places, pair in self._pairs.items() if self.favourite in places and pair.known]
        if any(pair.lost for pair in pairs):
            return "failed"
        return "equal" if self.options.claim == "these" else "exhausted"


def _message(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}".rstrip(".:")[:MAX_MESSAGE]
