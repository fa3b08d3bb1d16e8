"""Long computations in processes of their own, at low priority: duels keep their speed, and cancelling kills."""

import asyncio
import contextlib
import json
import os
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
                preexec_fn=_be_nice if os.name == "posix" else None,
            )  # fmt: skip
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(json.dumps(question).encode())
                process.stdin.close()
                async for line in process.stdout:
                    yield json.loads(line)
                if await process.wait():
                    raise WinnerstaysError("The computation broke off; the log of the service says more.")
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                with CancelScope(shield=True):
                    await process.wait()


def _be_nice() -> None:
    os.nice(NICENESS)
