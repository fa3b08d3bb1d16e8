"""Long computations in processes of their own, at low priority: duels keep their speed, and cancelling kills.

A process has limits on memory and computing time, and dies with the service, even if it was killed (on Linux).
"""

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

from anyio import CancelScope

from winnerstays.errors import WinnerstaysError

MAX_JOBS = 2
"""The most computations of this process at the same time."""
MAX_LINE = 64 * 1024 * 1024
NICENESS = 10
"""How much priority a computation gives up."""
MAX_BYTES = 3_000_000_000
"""Of memory of a computation, compiled code and libraries included."""
MAX_SECONDS = 600
"""Of computing time, on all cores together."""
COMMAND = (sys.executable, "-m", "winnerstays.web.computation")


class Jobs:
    """The computations of this process; those beyond `MAX_JOBS` wait for their turn."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(MAX_JOBS)

    async def run(self, question: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Yield what the computation says, line by line; whoever stops listening ends it."""
        async with self._turns:
            process = await asyncio.create_subprocess_exec(
                *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=MAX_LINE,
                preexec_fn=_limit if os.name == "posix" else None,
            )  # fmt: skip
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(json.dumps(question).encode())
                process.stdin.close()
                async for line in process.stdout:
                    yield json.loads(line)
                if code := await process.wait():
                    raise WinnerstaysError(_broken_off(code))
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                with CancelScope(shield=True):
                    await process.wait()


def _broken_off(code: int) -> str:
    if code == -signal.SIGXCPU:
        return f"A computation of the lab may take {MAX_SECONDS} seconds of computing time; ask for fewer duels."
    return "The computation broke off; the log of the service says more."


_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1


def _limit() -> None:
    """Limit the new process, before its program begins."""
    import resource

    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS + 5))
    if _libc is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_BYTES, MAX_BYTES))
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
