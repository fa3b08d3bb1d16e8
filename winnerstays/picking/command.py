"""A command as judge: it stays alive, reads one JSON object a line and answers each with one."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.judging import JudgeFailedError, JudgeStoppedError, NonsenseError

Process = subprocess.Popen[str]
WAIT_SECONDS = 2.0
"""For the processes to end after their input was closed."""
MAX_SHOWN = 200
MAX_STARTS = 2
"""A command that has ended so often without ever having answered is not started again."""


class CommandJudge:
    """Asks `{"left": ..., "right": ..., "example": ...}` and expects `{"winner": "left"}` (right, tie, null).

    For many calls at once there are as many processes, started when they are needed; one that dies is replaced, and so
    is one that takes longer than `timeout` seconds to answer. None outlives this process, however that ends.
    """

    def __init__(self, command: str, timeout: float | None = None) -> None:
        if timeout is not None and not timeout > 0:
            raise WinnerstaysError(f"timeout is {timeout!r}, but it must be seconds above 0.")
        self.command = self.identity = command
        self._timeout = timeout
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise WinnerstaysError(f"The judge {command!r} is not a command ({error}).") from None
        if not self._arguments:
            raise WinnerstaysError("The judge is an empty command; give one, or `me`.")
        self._lock = threading.Lock()
        self._closed = self._answered = False
        self._mute = 0
        """Processes that ended by themselves before any had answered."""
        self._alive: list[Process] = []
        self._idle: list[Process] = []
        self._guard = Guard()
        try:
            self._give_back(self._take()[0])
        except BaseException:
            self._guard.close()
            raise

    def __call__(self, left: Any, right: Any, *example: Any) -> Any:
        question = {"left": left, "right": right, **({"example": example[0]} if example else {})}
        line = json.dumps(question, ensure_ascii=False, default=str)
        process, used = self._take()
        reply = self._exchange(process, line, used)
        if not reply:  # a process that answers once and ends
            process, _ = self._take(new=True)
            reply = self._exchange(process, line)
        self._give_back(process)
        return self._winner(reply)

    def _take(self, *, new: bool = False) -> tuple[Process, bool]:
        """Return an idle process or a new one, and whether it has answered before.

        There is none after `close`, when calls may still be under way in threads.
        """
        with self._lock:
            if self._closed:
                raise JudgeStoppedError(f"The command {self.command!r} was closed.")
            if self._idle and not new:
                return self._idle.pop(), self._answered
            process = self._start()
            self._guard.watch(process.pid)
            self._alive.append(process)
            return process, False

    def _give_back(self, process: Process) -> None:
        with self._lock:
            if self._closed:
                _close_input(process)
            else:
                self._idle.append(process)

    def _start(self) -> Process:
        try:
            return subprocess.Popen(
                self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                bufsize=1, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise WinnerstaysError(f"The judge {self.command!r} cannot be run ({error.strerror or error}).") from None

    def _exchange(self, process: Process, question: str, used: bool = False) -> str:
        """Return what a process replies; nothing if it was used before and has ended."""
        assert process.stdin is not None and process.stdout is not None
        late = threading.Event()
        alarm = None
        if self._timeout is not None:
            alarm = threading.Timer(self._timeout, _kill, (process, late))
            alarm.daemon = True
            alarm.start()
        try:
            with suppress(BrokenPipeError):  # it may have answered and ended before it was asked
                process.stdin.write(question + "\n")
                process.stdin.flush()
            reply = process.stdout.readline()
        except UnicodeDecodeError:
            reply = ""
        finally:
            if alarm is not None:
                alarm.cancel()
        if not reply or late.is_set():
            code = self._end(process)
            if used and not late.is_set():
                return ""
            what = f"gave no answer within {self._timeout:g} seconds" if late.is_set() else (
                f"ended without an answer (exit code {code})"
            )  # fmt: skip
            if not late.is_set() and not self._answered:
                self._mute += 1
                if self._mute >= MAX_STARTS:
                    raise JudgeFailedError(
                        f"The judge {self.command!r} has never answered: started {self._mute} times, it {what}."
                    )
            raise RuntimeError(f"the command {self.command!r} {what}")
        self._answered = True
        return reply

    def _end(self, process: Process) -> int:
        """Kill a process, if it still runs, with what it started; return the exit code."""
        _kill(process)
        code = process.wait()
        _close_input(process)
        assert process.stdout is not None
        process.stdout.close()
        with self._lock:
            self._guard.forget(process.pid)
            if process in self._alive:
                self._alive.remove(process)
        return code

    def _winner(self, reply: str) -> Any:
        shown = reply.strip()[:MAX_SHOWN]
        try:
            answer = json.loads(reply)
        except ValueError:
            answer = None
        if isinstance(answer, dict) and "error" in answer and "winner" not in answer:
            raise RuntimeError(str(answer["error"]))
        if not isinstance(answer, dict) or "winner" not in answer:
            raise NonsenseError(
                f"The command {self.command!r} answered {shown!r}, but it must answer a line such as "
                '{"winner": "left"}.'
            )
        return answer["winner"]

    def close(self) -> None:
        """End all processes: after the answer under way, if it comes within WAIT_SECONDS."""
        with self._lock:
            self._closed = True
            processes = list(self._alive)
            for process in self._idle:
                _close_input(process)
        end = time.monotonic() + WAIT_SECONDS
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))
            self._end(process)
        self._guard.close()


def _close_input(process: Process) -> None:
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


def _kill(process: Process, late: threading.Event | None = None) -> None:
    if process.poll() is None:
        if late is not None:
            late.set()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


GUARD = """
import os, signal, sys, time
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for end in (signal.SIGTERM, signal.SIGKILL):
    for group in groups:
        try:
            os.killpg(group, end)
        except ProcessLookupError:
            pass
    if groups and end == signal.SIGTERM:
        time.sleep(1)
"""


class Guard:
    """A process that ends those of the judge when this one is gone, also by a kill: then its input ends."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", GUARD], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, text=True, bufsize=1, start_new_session=True,
        )  # fmt: skip

    def watch(self, group: int) -> None:
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # nobody guards any more
            self._process.stdin.write(line)

    def close(self) -> None:
        _close_input(self._process)
        self._process.wait()
