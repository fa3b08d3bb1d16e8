"""Arenas as JSON, part by part."""

import pytest
from pydantic_core import to_json

from winnerstays.arena import Settings
from winnerstays.service import endpoints


@pytest.mark.parametrize("at_once", [1, 2, 3, 1000])
def test_parts_make_the_same_document(monkeypatch, at_once):
    monkeypatch.setattr(endpoints, "ITEMS_AT_ONCE", at_once)
    items = ["ramen", {"id": "]}", "title": '"['}, {"id": "pho", "retired": True}, "\u00e9"]
    settings = Settings.model_validate(
        {"name": "items", "items": items, "sets": {"soups": ["ramen", "pho"]}, "seed": 3}
    )
    assert endpoints.arena_json(settings) == to_json(settings)
    for arenas in ([], [settings], [settings, settings]):
        assert endpoints.arenas_json(arenas) == to_json({"arenas": arenas})
        assert endpoints.list_json(arenas) == to_json(arenas)
