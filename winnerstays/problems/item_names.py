"""Item names that differ, as a Problem wants them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any


def distinct_names(names: Mapping[Any, str]) -> list[str]:
    """Make names differ: each that several keys share gets its key in brackets; the key stands for an empty name.

    >>> distinct_names({7: "Bouchon", 8: "Lotus", 9: "Bouchon", 10: ""})
    ['Bouchon (7)', 'Lotus', 'Bouchon (9)', '10']
    """
    shared = Counter(names.values())
    return [(name if shared[name] == 1 else f"{name} ({key})") if name else str(key) for key, name in names.items()]
