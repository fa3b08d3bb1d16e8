"""Names that differ, as a Problem wants them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any


def distinct(names: Mapping[Any, str]) -> list[str]:
    """The names in order; where several things share one, each gets its key behind it. Without a name, the key is it.

    >>> distinct({7: "Bouchon", 8: "Lotus", 9: "Bouchon", 10: ""})
    ['Bouchon (7)', 'Lotus', 'Bouchon (9)', '10']
    """
    shared = Counter(names.values())
    return [(name if shared[name] == 1 else f"{name} ({key})") if name else str(key) for key, name in names.items()]
