"""Waiting for what other threads and processes do: as long as a slow machine takes, and no test measures it."""

import time

PATIENCE_SECONDS = 300
"""How long a test waits for an event before it fails."""


def wait_until(condition):
    """Wait for something that another thread or process does and that nothing else tells."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
