"""Measure time and memory of the exact solver."""

import resource
import time
from collections.abc import Callable
from typing import Any

from benchmarks._timing import row
from winnerstays.problems import total_order
from winnerstays.theory.expected import expected_regret


def _timed(compute: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = compute()
    return time.perf_counter() - begin, result


def rows() -> list[dict[str, Any]]:
    """One row for each measurement; compilation is done before the clock starts."""
    expected_regret("cyclic", rounds=2)
    expected_regret(total_order(12, 0.8), rule="random", rounds=2)
    expected_regret("cyclic", method="estimate", runs=2)

    sushi, found = _timed(lambda: expected_regret("sushi", rounds=160))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    fifty, all_fifty = _timed(lambda: expected_regret("fifty", rule="random"))
    two_hundred, all_200 = _timed(lambda: expected_regret(total_order(200, 0.8), rule="random"))
    thousand, all_1000 = _timed(lambda: expected_regret(total_order(1000, 0.8), method="estimate", precision=0.005))
    spread = all_1000.error.weak_binary / all_1000.total.weak_binary if all_1000.error else float("nan")

    return [
        row("exact: sushi, 160 rounds", sushi, "s", "<= 20", f"weak regret {found.total.weak_binary:.2f}"),
        row("exact: peak memory of the process after it", memory, "MB", "<= 1024", "Python and libraries included"),
        row("exact: 50 arms, one p, in total", fifty, "s", "<= 1", f"weak regret {all_fifty.total.weak_binary:.4f}"),
        row("exact: 200 arms, one p, in total", two_hundred, "s", "<= 60", f"weak {all_200.total.weak_binary:.4f}"),
        row("estimate: 1000 arms, one p", thousand, "s", "<= 30", f"standard error {100 * spread:.2f} %"),
    ]
