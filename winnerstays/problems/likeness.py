"""Names of items that look like each other, or like a missing one; names made different, as a Problem wants them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from winnerstays.wording import listed

SHOWN = 3
MISSING = {"null", "nan", "none", "na", "n/a"}
"""What programs write where something is missing; some people are called so."""


def odd_names(names: Sequence[str]) -> str:
    """Say which names look like a missing one, or like each other, and that they were taken as they are.

    >>> odd_names(["Null", "Bob", "bob ", "3", "3.0"])
    "'Null' is taken for a name; 'Bob' and 'bob ', '3' and '3.0' are taken for different items"
    """
    missing = [repr(name) for name in names if name.lower() in MISSING]
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(folded(name), []).append(repr(name))
    twins = [" and ".join(some) for some in alike.values() if len(some) > 1]
    said = [f"{listed(missing, SHOWN)} {'is' if len(missing) == 1 else 'are'} taken for a name"] if missing else []
    said += [f"{listed(twins, SHOWN)} are taken for different items"] if twins else []
    return "; ".join(said)


def visible(name: str) -> str:
    """Return a name without what is not seen, such as spaces of no width."""
    return name if name.isascii() else re.sub("[\u200b\u200c\u200d\u2060\ufeff\u00ad]", "", name).strip()


@lru_cache(100_000)
def folded(name: str) -> str:
    """Return a name without what people write differently: case, spaces, a `.0`, zeros in front of a number."""
    shown = " ".join(visible(name).casefold().split())
    return re.sub(r"^0+(?=\d+$)", "", re.sub(r"\.0+$", "", shown))


def distinct_names(names: Mapping[Any, str]) -> list[str]:
    """Make names differ: each that several keys share gets its key in brackets; the key stands for an empty name.

    >>> distinct_names({7: "Bouchon", 8: "Lotus", 9: "Bouchon", 10: ""})
    ['Bouchon (7)', 'Lotus', 'Bouchon (9)', '10']
    """
    shared = Counter(names.values())
    return [(name if shared[name] == 1 else f"{name} ({key})") if name else str(key) for key, name in names.items()]
