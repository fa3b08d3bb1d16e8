"""What people type into forms: numbers and items."""

import math

from winnerstays.arena import Item
from winnerstays.arena.items import parse_items
from winnerstays.errors import WinnerstaysError


def number(form: dict[str, str], name: str, low: float, high: float, default: float) -> float:
    """Return a number of a form; the default if the field is empty."""
    text = form.get(name, "").strip()
    try:
        value = float(text) if text else default
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise WinnerstaysError(f"{name} is {text[:40]!r}, but it must be a number from {low:g} to {high:g}.")
    return value


def read_items(text: str) -> list[Item]:
    """Return the items that were typed: one a line, or a table."""
    items = parse_items(text)
    if not items:
        raise WinnerstaysError("There are no items yet; write one in each line.")
    return items
