"""The items of a pick and their names."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from winnerstays.errors import WinnerstaysError

WORDS = ("left", "right", "tie")
"""What a judge may say instead of an item: no item may be called so."""


class Items(NamedTuple):
    """What is compared, and what each is called."""

    names: tuple[str, ...]
    values: tuple[Any, ...]


def name_items(items: Mapping[str, Any] | Iterable[Any]) -> Items:
    """Return the items with their names: a text names itself, others have an `id` or a `name`, or come as {name: item}.

    >>> name_items({"short": "Be brief.", "long": "Explain."}).names
    ('short', 'long')
    """
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise WinnerstaysError(f"The items are {items!r}, but they must be a list of items, or {{name: item}}.")
    values = tuple(items.values()) if isinstance(items, Mapping) else tuple(items)
    names = tuple(map(_checked, items)) if isinstance(items, Mapping) else tuple(map(_name, values))
    if len(names) < 2:
        raise WinnerstaysError(f"There must be at least 2 items to pick from, but there are {len(names)}: {names!r}.")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise WinnerstaysError(f"Two items are called {_short(name)!r}; names must differ (as in {{name: item}}).")
        if name.lower() in WORDS:
            raise WinnerstaysError(f"An item is called {name!r}, which a judge says of a side; give it another name.")
        seen.add(name)
    return Items(names, values)


def _name(item: Any) -> str:
    if isinstance(item, str):
        return _checked(item)
    if isinstance(item, int | float):
        return str(item)
    for field in ("id", "name"):
        found = item.get(field) if isinstance(item, Mapping) else getattr(item, field, None)
        if isinstance(found, str | int) and not isinstance(found, bool):
            return _checked(str(found))
    raise WinnerstaysError(
        f"The item {_short(repr(item))} has no name: give it an id or a name, or use {{name: item}}."
    )


def _checked(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise WinnerstaysError(f"An item is called {name!r}, but a name must be a text that is not blank.")
    return name


def _short(text: str, length: int = 60) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def as_text(value: Any) -> str | None:
    """Return a value as a text that is the same in every process; None if it has none."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError):
        return None
