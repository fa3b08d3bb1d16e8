"""Cells of a table: text with its letters composed, and what a value of JSON is as text."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

IDS = ("id", "_id")
IDENTITIES = ("name", "title", "label", "username", *IDS, "key")
"""What an object is called by: the first of these that it has."""


class Nested(str):
    """The text of an object or a list that is called by nothing: it is no item and no outcome."""


def composed(text: str) -> str:
    """Return a text whose letters are written with their accents, as most files have them, and not beside them."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def cell_of(value: Any) -> str:
    """Return a value as the text that a CSV file would hold.

    >>> cell_of({"name": "A", "elo": 1500}), cell_of({"$oid": "5f"}), cell_of([{"role": "user", "content": "hi"}])
    ('A', '5f', 'hi')
    """
    if isinstance(value, str):
        return composed(value.strip())
    if type(value) is int:
        return str(value)
    if value is None or value != value:  # not a number, as pandas writes what is missing
        return ""
    if isinstance(value, dict):
        return _called(value)
    if is_chat(value):
        return cell_of(value[-1]["content"])
    return Nested(_text(value)) if isinstance(value, list | tuple) else str(value)


def is_wrapped(value: Mapping[str, Any]) -> bool:
    """Tell an id or a number as MongoDB writes it, `{"$oid": "5f"}`."""
    return len(value) == 1 and next(iter(value)).startswith("$")


def _called(value: Mapping[str, Any]) -> str:
    """Return what an object is called by."""
    if is_wrapped(value):
        return cell_of(next(iter(value.values())))
    return own_name(value) or Nested(_text(value))


def own_name(value: Mapping[str, Any]) -> str:
    """Return the name or the id of an object; nothing if it has none."""
    own = first_of(value, IDENTITIES)
    called = "" if own is None or isinstance(own, list) else cell_of(own)
    return "" if isinstance(called, Nested) else called


def first_of(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) not in (None, "")), None)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def is_chat(value: Any) -> bool:
    """Tell a list of chat messages, each with a role and a content."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, Mapping) and {"role", "content"} <= one.keys() for one in value)
    )
