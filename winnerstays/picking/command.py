"""A command as judge: it stays alive, reads one JSON object a line and answers each with one."""

import json
import queue
import shlex
import subprocess
from contextlib import suppress
from typing import Any

from winnerstays.errors import WinnerstaysError

WAIT_SECONDS = 2.0
"""For the command to end after its input was closed."""
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
        self._idle: queue.LifoQueue[subprocess.Popen[str]] = queue.LifoQueue()
        self._all: list[subprocess.Popen[str]] = []
        self._idle.put(self._start())

    def _start(self) -> "subprocess.Popen[str]":
        try:
            process = subprocess.Popen(
                self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                bufsize=1, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise WinnerstaysError(f"The judge {self._command!r} cannot be run ({error.strerror or error}).") from None
        self._all.append(process)
        return process

    def __call__(self, left: Any, right: Any, *example: Any) -> Any:
        question = {"left": left, "right": right, **({"example": example[0]} if example else {})}
        try:
            process = self._idle.get_nowait()
        except queue.Empty:
            process = self._start()
        reply = self._exchange(process, json.dumps(question, ensure_ascii=False, default=str))
        self._idle.put(process)
        return self._winner(reply)

    def _exchange(self, process: "subprocess.Popen[str]", question: str) -> str:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(question + "\n")
            process.stdin.flush()
            reply = process.stdout.readline()
        except (BrokenPipeError, UnicodeDecodeError):
            reply = ""
        if not reply:
            process.kill()
            code = process.wait()
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
        """End all processes."""
        for process in self._all:
            with suppress(OSError):
                if process.stdin is not None:
                    process.stdin.close()
        for process in self._all:
            try:
                process.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
