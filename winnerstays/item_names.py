"""Names of items, with the same rules for learners, picks and arenas.

A name is a text that is not blank, or a finite number. No two names may be equal or look the same. Names are returned
unchanged. Arenas accept only texts, because databases and web pages return texts.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Rational, Real
from typing import Any

from winnerstays.errors import WinnerstaysError

MAX_SHOWN = 60


def check_name(name: object) -> str | int | float:
    """Return a valid name unchanged; a number of NumPy becomes the same number of Python."""
    if isinstance(name, str) and name.strip():
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return int(name)
    if isinstance(name, Real) and not isinstance(name, bool | Rational) and math.isfinite(name):
        return float(name)
    raise WinnerstaysError(
        f"An item is called {shown(name)}, but a name must be a text that is not blank, or a number."
    )


def check_list(items: object, what: str = "a list of items") -> list[Any]:
    """Return the items as a list; a text is refused, although Python could iterate over its letters."""
    if isinstance(items, str | bytes | bytearray | Mapping) or not isinstance(items, Iterable):
        raise WinnerstaysError(f"The items are {shown(items)}, but they must be {what}.")
    return list(items)


def check_different(names: Sequence[str | int | float]) -> None:
    """Refuse names that are equal (1 and 1.0), or that look the same (1 and "1")."""
    if len(set(names)) < len(names):
        ((twice, _),) = Counter(names).most_common(1)
        raise WinnerstaysError(f"The item {shown(twice)} is listed twice; items must differ.")
    if len(set(map(str, names))) < len(names):
        ((text, _),) = Counter(map(str, names)).most_common(1)
        one, other = [name for name in names if str(name) == text][:2]
        raise WinnerstaysError(f"The items {shown(one)} and {shown(other)} read alike; items must differ.")


def check_names(items: object) -> list[Any]:
    """Return a list of at least two names of items, all different."""
    names = list(map(check_name, check_list(items, "a list of names")))
    check_different(names)
    if len(names) < 2:
        raise WinnerstaysError(f"There must be at least 2 items to choose from, but got {len(names)}.")
    return names


def distinct_names(names: Mapping[Any, str]) -> list[str]:
    """Make names different: a name that several keys share gets its key in brackets; an empty name becomes its key.

    >>> distinct_names({7: "Bouchon", 8: "Lotus", 9: "Bouchon", 10: ""})
    ['Bouchon (7)', 'Lotus', 'Bouchon (9)', '10']
    """
    shared = Counter(names.values())
    return [(name if shared[name] == 1 else f"{name} ({key})") if name else str(key) for key, name in names.items()]


def shown(value: object) -> str:
    """Return a value as text for a sentence, shortened if it is long.

    >>> shown("ramen"), len(shown("x" * 100))
    ("'ramen'", 60)
    """
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
