"""The items of a pick and their names."""

import json
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

from winnerstays.errors import WinnerstaysError
from winnerstays.item_names import check_list, check_names, shown

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
    if isinstance(items, Mapping):
        values, names = tuple(items.values()), tuple(str(name) for name in check_names(list(items)))
    else:
        values = tuple(check_list(items, "a list of items, or {name: item}"))
        names = tuple(str(name) for name in check_names(list(map(_name, values))))
    for name in names:
        if name.lower() in WORDS:
            raise WinnerstaysError(f"An item is called {name!r}, which a judge says of a side; give it another name.")
    return Items(names, values)


def _name(item: Any) -> Any:
    """Return what names an item: the text or number that it is, or its `id` or `name`."""
    if isinstance(item, str | float | Integral):
        return item
    for field in ("id", "name"):
        value = item.get(field) if isinstance(item, Mapping) else getattr(item, field, None)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return value
    raise WinnerstaysError(f"The item {shown(item)} has no name: give it an id or a name, or use {{name: item}}.")


def as_text(value: Any) -> str | None:
    """Return a value as a text that is the same in every process; None if it has none."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError):
        return None
