"""What several contracts use."""

import threading
from collections.abc import Callable


def check_raises(kind: type[Exception], call: Callable[[], object], holding: str = "") -> None:
    """Fail unless the call raises an error of this kind whose message holds a text."""
    message = None
    try:
        call()
    except kind as error:
        message = str(error)
    assert message is not None, f"no {kind.__name__} was raised"
    assert holding in message, f"{message} does not mention {holding}"


def run_threads(count: int, work: Callable[[int], object]) -> None:
    """Run the work in this many threads at once; raise the first error of any."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
