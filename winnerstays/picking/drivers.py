"""The drivers of a pick: they take questions from a picker, have the judge answer them, and tell the replies.

A call that failed is made again after a pause. While it waits it keeps no lane: others are asked.
"""

import asyncio
import heapq
import math
import queue
import random
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from winnerstays.picking.judging import Question, Reply, StopPicking
from winnerstays.picking.picker import Picker

Outcome = Reply | BaseException
SOON, SLOWER = 2.0, 4
"""The first pause is at most so many times as long as an answer usually takes, and each further one so much longer."""


class Lanes:
    """Which question to put to the judge next: one that failed, once its pause is over, or a new one."""

    def __init__(self, picker: Picker) -> None:
        self._picker = picker
        self._retries, self._backoff = picker.options.retries, picker.options.backoff
        self._attempts: dict[int, tuple[int, int, float]] = {}
        """Of questions that failed: how often, and the tokens and the money that it took."""
        self._paused: list[tuple[float, Question]] = []
        self._asked_at: dict[int, float] = {}
        self._usual = 0.0
        """Seconds that an answer takes."""
        self.busy = 0

    @property
    def at_work(self) -> bool:
        """Whether answers or the ends of pauses are to be waited for."""
        return self._picker.stop is None and (self.busy > 0 or bool(self._paused))

    def take(self) -> Question | None:
        """Return a question to be asked now; None if there is none, or all lanes are busy."""
        if self._picker.stop is not None or self.busy >= self._picker.options.concurrency:
            return None
        if self._paused and self._paused[0][0] <= time.monotonic():
            question = heapq.heappop(self._paused)[1]
        else:
            asked = self._picker.ask(1)
            if not asked:
                return None
            question = asked[0]
        self.busy += 1
        self._asked_at[question.id] = time.monotonic()
        return question

    def _wait(self, attempt: int) -> float:
        """Return the seconds before the next attempt: a judge who answers fast is asked again soon, at first."""
        usual = math.inf if self._usual == 0.0 else SOON * self._usual * float(SLOWER) ** attempt
        return min(float(self._backoff) * 2.0**attempt, usual) * random.uniform(0.75, 1.25)

    def pause(self) -> float | None:
        """Return how many seconds the next pause still lasts; None if there is no pause, or no lane for it."""
        if not self._paused or self.busy >= self._picker.options.concurrency:
            return None
        return max(0.0, self._paused[0][0] - time.monotonic())

    def learn(self, answered: Sequence[tuple[Question, Outcome]]) -> None:
        """Tell the picker the replies; keep the questions that are asked again."""
        learned: list[tuple[Question, Reply]] = []
        for question, outcome in answered:
            if isinstance(outcome, BaseException):
                raise outcome
            self.busy -= 1
            seconds = time.monotonic() - self._asked_at.pop(question.id)
            if outcome.error is None:
                self._usual = 0.9 * self._usual + 0.1 * seconds if self._usual else seconds
            attempt, tokens, cost = self._attempts.pop(question.id, (0, 0, 0.0))
            tokens, cost = tokens + (outcome.tokens or 0), cost + (outcome.cost or 0.0)
            if outcome.error is None or attempt >= self._retries:
                spent = outcome._replace(tokens=tokens or outcome.tokens, cost=cost or outcome.cost)
                learned.append((question, spent))
                continue
            self._attempts[question.id] = attempt + 1, tokens, cost
            asked_for = getattr(outcome.error, "retry_after", None)  # what a server has asked for
            wait = self._wait(attempt) if asked_for is None else float(asked_for)
            heapq.heappush(self._paused, (time.monotonic() + wait, question))
            self._picker.retry(question)
        if learned:
            self._picker.learn(learned)


def run_serially(picker: Picker, ask: Callable[[Question], Reply]) -> None:
    """Ask one question at a time, in this thread."""
    lanes = Lanes(picker)
    try:
        while True:
            question = lanes.take()
            if question is not None:
                lanes.learn([(question, ask(question))])
            elif lanes.at_work:
                time.sleep(lanes.pause() or 0.0)
            else:
                break
    except KeyboardInterrupt:
        picker.end("interrupted")
    except StopPicking:
        picker.end("stopped")


def run_in_threads(picker: Picker, ask: Callable[[Question], Reply]) -> None:
    """Ask up to `concurrency` questions at once, each in a thread of its own.

    The threads are daemons: after Ctrl-C nobody waits for calls that are still under way.
    """
    lanes = Lanes(picker)
    todo: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Question, Outcome]] = queue.SimpleQueue()

    def work() -> None:
        while (question := todo.get()) is not None:
            try:
                done.put((question, ask(question)))
            except BaseException as error:
                done.put((question, error))

    workers = 0
    try:
        while True:
            while (question := lanes.take()) is not None:
                if workers < lanes.busy:
                    workers += 1
                    threading.Thread(target=work, daemon=True, name=f"judge {workers}").start()
                todo.put(question)
            if not lanes.at_work:
                break
            try:
                arrived = [done.get(timeout=lanes.pause())]
            except queue.Empty:
                continue
            while not done.empty():
                arrived.append(done.get())
            lanes.learn(arrived)
    except KeyboardInterrupt:
        picker.end("interrupted")
    except StopPicking:
        picker.end("stopped")
    finally:
        for _ in range(workers):
            todo.put(None)


async def run_async(picker: Picker, ask: Callable[[Question], Awaitable[Reply]]) -> None:
    """Ask up to `concurrency` questions at once, each in a task of its own."""
    lanes = Lanes(picker)
    tasks: dict[asyncio.Task[Any], Question] = {}
    try:
        while True:
            while (question := lanes.take()) is not None:
                tasks[asyncio.ensure_future(ask(question))] = question
            if not lanes.at_work:
                break
            if not tasks:
                await asyncio.sleep(lanes.pause() or 0.0)
                continue
            finished, _ = await asyncio.wait(tasks, timeout=lanes.pause(), return_when=asyncio.FIRST_COMPLETED)
            lanes.learn([(tasks.pop(task), task.result()) for task in finished])
    except (KeyboardInterrupt, asyncio.CancelledError):
        picker.end("interrupted")
    except StopPicking:
        picker.end("stopped")
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
