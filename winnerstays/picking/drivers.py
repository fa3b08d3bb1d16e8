"""The drivers of a pick: they take questions from a session, have the judge answer them, and tell the replies."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from winnerstays.picking.judging import Question, Reply, StopPicking
from winnerstays.picking.session import Session

Outcome = Reply | BaseException


def run_serially(session: Session, ask: Callable[[Question], Reply]) -> None:
    """Ask one question at a time, in this thread."""
    try:
        while (question := session.take()) is not None:
            session.tell([(question, ask(question))])
    except KeyboardInterrupt:
        session.end("interrupted")
    except StopPicking:
        session.end("stopped")


def run_in_threads(session: Session, ask: Callable[[Question], Reply]) -> None:
    """Ask up to `concurrency` questions at once, each in a thread of its own.

    The threads are daemons: after Ctrl-C nobody waits for calls that are still under way.
    """
    todo: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Question, Outcome]] = queue.SimpleQueue()

    def work() -> None:
        while (question := todo.get()) is not None:
            try:
                done.put((question, ask(question)))
            except BaseException as error:
                done.put((question, error))

    workers = 0
    in_flight = 0
    try:
        while True:
            while (question := session.take()) is not None:
                in_flight += 1
                if workers < in_flight:
                    workers += 1
                    threading.Thread(target=work, daemon=True, name=f"judge {workers}").start()
                todo.put(question)
            if session.stop is not None or in_flight == 0:
                break
            arrived = [done.get()]
            while not done.empty():
                arrived.append(done.get())
            in_flight -= len(arrived)
            session.tell([(question, _reply(outcome)) for question, outcome in arrived])
    except KeyboardInterrupt:
        session.end("interrupted")
    except StopPicking:
        session.end("stopped")
    finally:
        for _ in range(workers):
            todo.put(None)


def _reply(outcome: Outcome) -> Reply:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


async def run_async(session: Session, ask: Callable[[Question], Awaitable[Reply]]) -> None:
    """Ask up to `concurrency` questions at once, each in a task of its own."""
    tasks: dict[asyncio.Task[Any], Question] = {}
    try:
        while True:
            while (question := session.take()) is not None:
                tasks[asyncio.ensure_future(ask(question))] = question
            if session.stop is not None or not tasks:
                break
            finished, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            session.tell([(tasks.pop(task), task.result()) for task in finished])
    except (KeyboardInterrupt, asyncio.CancelledError):
        session.end("interrupted")
    except StopPicking:
        session.end("stopped")
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
