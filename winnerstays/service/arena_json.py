"""Arenas as JSON, some items at a time: one call for 100,000 items would keep every other thread waiting."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from pydantic_core import to_json

from winnerstays.arena import Settings

ITEMS_AT_ONCE = 1000


def list_json(values: Iterable[Any]) -> bytes:
    rest, parts = iter(values), []
    while part := list(islice(rest, ITEMS_AT_ONCE)):
        parts.append(to_json(part)[1:-1])
    return b"[" + b",".join(parts) + b"]"


def arena_json(settings: Settings) -> bytes:
    parts = [
        to_json(name) + b":" + (list_json(settings.items) if name == "items" else to_json(getattr(settings, name)))
        for name in Settings.model_fields
    ]
    return b"{" + b",".join(parts) + b"}"


def arenas_json(arenas: Sequence[Settings]) -> bytes:
    return b'{"arenas":[' + b",".join(map(arena_json, arenas)) + b"]}"
