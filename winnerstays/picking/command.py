"""A command as judge: it stays alive, reads one JSON object a line and answers each with one."""

import json
import os
import shlex
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.judging import JudgeStoppedError

Process = subprocess.Popen[str]
WAIT_SECONDS = 2.0
"""For the processes to end after their input was closed."""
MAX_SHOWN = 200


class CommandJudge:
    """Asks `{"left": ..., "right": ..., "example": ...}` and expects `{"winner": "left"}` (right, tie, null).

    For many calls at once there are as many processes, started when they are needed; one that dies is replaced.
    """

    def __init__(self, command: str) -> None:
        self._command = command
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise WinnerstaysError(f"The judge {command!r} is not a command ({error}).") from None
        if not self._arguments:
            raise WinnerstaysError("The judge is an empty command; give one, or `me`.")
        self._lock = threading.Lock()
        self._closed = False
        self._alive: list[Process] = []
        self._idle: list[Process] = []
        self._give_back(self._take())

    def __call__(self, left: Any, right: Any, *example: Any) -> Any:
        question = {"left": left, "right": right, **({"example": example[0]} if example else {})}
        process = self._take()
        reply = self._exchange(process, json.dumps(question, ensure_ascii=False, default=str))
        self._give_back(process)
        return self._winner(reply)

    def _take(self) -> Process:
        """Return an idle process, or a new one; none after `close`, when calls may still be under way in threads."""
        with self._lock:
            if self._closed:
                raise JudgeStoppedError(f"The command {self._command!r} was closed.")
            if self._idle:
                return self._idle.pop()
            process = self._start()
            self._alive.append(process)
            return process

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
            raise WinnerstaysError(f"The judge {self._command!r} cannot be run ({error.strerror or error}).") from None

    def _exchange(self, process: Process, question: str) -> str:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
            reply = process.stdout.readline()
        except (BrokenPipeError, UnicodeDecodeError):
            reply = ""
        if not reply:
            code = _end(process)
            with self._lock:
                self._alive.remove(process)
            raise RuntimeError(f"the command {self._command!r} ended without an answer (exit code {code})")
        return reply

    def _winner(self, reply: str) -> Any:
        shown = reply.strip()[:MAX_SHOWN]
        try:
            answer = json.loads(reply)
        except ValueError:
            answer = None
        if isinstance(answer, dict) and "error" in answer and "winner" not in answer:
            raise RuntimeError(str(answer["error"]))
        if not isinstance(answer, dict) or "winner" not in answer:
            raise WinnerstaysError(
                f"The command {self._command!r} answered {shown!r}, but it must answer a line such as "
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
            _end(process)


def _close_input(process: Process) -> None:
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


def _end(process: Process) -> int:
    """Kill a process, if it still runs, with what it started; return the exit code."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    _close_input(process)
    assert process.stdout is not None
    process.stdout.close()
    return code
