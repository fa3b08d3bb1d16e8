"""Wait in the background until the service answers."""

import threading
import time
from collections.abc import Callable

WAIT_SECONDS, MAX_WAIT_SECONDS = 0.1, 5.0


def when_ready(address: str, then: Callable[[], object]) -> None:
    """Call a function, in a thread of its own, once the service at this address is ready."""
    threading.Thread(target=wait_and_call, args=(address, then), daemon=True).start()


def wait_and_call(address: str, then: Callable[[], object], sleep: Callable[[float], object] = time.sleep) -> None:
    """Call a function once a service is ready; while it answers that it is not, ask less and less often."""
    from urllib.error import HTTPError
    from urllib.request import ProxyHandler, build_opener

    opener = build_opener(ProxyHandler({}))
    wait = WAIT_SECONDS
    while True:
        try:
            opener.open(f"{address}/readyz", timeout=5).close()
        except HTTPError as error:
            error.close()
            sleep(wait)
            wait = min(2 * wait, MAX_WAIT_SECONDS)
        except OSError:  # nobody listens yet
            sleep(WAIT_SECONDS)
        else:
            then()
            return
