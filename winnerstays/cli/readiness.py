"""Waiting until a service answers."""

import threading
from collections.abc import Callable

SECONDS_TO_START = 60


def when_ready(address: str, then: Callable[[], object]) -> None:
    """Call a function, in a thread of its own, once the service at this address answers."""
    threading.Thread(target=_wait, args=(address, then), daemon=True).start()


def _wait(address: str, then: Callable[[], object]) -> None:
    from urllib.request import ProxyHandler, build_opener

    opener = build_opener(ProxyHandler({}))
    waited = threading.Event()
    for _ in range(10 * SECONDS_TO_START):
        try:
            opener.open(f"{address}/readyz", timeout=5).close()
        except OSError:
            waited.wait(0.1)
        else:
            then()
            return
