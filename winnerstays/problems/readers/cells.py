"""Cells of a table: text with its letters composed, and what a value of JSON is as text."""

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
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
    if value is None or value != value:  # not a number, as pandas writes what is missing
        return ""
    if isinstance(value, str):
        return composed(value.strip())
    if isinstance(value, Mapping):
        return _called(value)
    if is_chat(value):
        return cell_of(value[-1]["content"])
    return Nested(_text(value)) if isinstance(value, list | tuple) else str(value)


def _called(value: Mapping[str, Any]) -> str:
    """Return what an object is called by."""
    if len(value) == 1 and next(iter(value)).startswith("$"):  # as MongoDB writes ids and numbers
        return cell_of(next(iter(value.values())))
    own = _first(value, IDENTITIES)
    called = "" if isinstance(own, list) else cell_of(own)
    return called if called and not isinstance(called, Nested) else Nested(_text(value))


def _first(value: Mapping[str, Any], keys: Sequence[str]) -> Any:
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


def fields_of(records: Iterable[Mapping[str, Any]]) -> tuple[list[str], dict[int, str]]:
    """Return the fields of all records in the order in which they appear, and what is to be said of some of them.

    Where objects have a name and an id, `home` is the name and `home_id` the id.
    """
    keys: dict[str, int] = {}
    chats: set[str] = set()
    for record in records:
        for key, value in record.items():
            if key not in keys:
                keys[key] = len(keys)
            if type(value) is list and key not in chats and is_chat(value):
                chats.add(key)
            elif type(value) is dict and _first(value, IDS) not in (None, _first(value, IDENTITIES)):
                keys.setdefault(f"{key}_id", len(keys))
    return list(keys), {keys[key]: f"of the chat messages in {key} the last counts" for key in chats}


def cells_of(record: Mapping[str, Any], keys: Sequence[str]) -> list[str]:
    """Return a record as a row of these fields."""
    return [cell_of(record[key] if key in record else _id_of(record, key)) for key in keys]


def _id_of(record: Mapping[str, Any], key: str) -> Any:
    """Return the id of the object in `home` where `home_id` is wanted."""
    value = record.get(key.removesuffix("_id"))
    return _first(value, IDS) if isinstance(value, Mapping) else None
