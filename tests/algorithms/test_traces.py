"""Recorded traces: the same duels for ever, compiled and uncompiled."""

import hashlib
import json
from pathlib import Path

import pytest

from winnerstays import registered
from winnerstays.problems import linear_utilities
from winnerstays.testing import trace

TRACES = Path(__file__).parents[1] / "data" / "traces.json"


def digest(name):
    """The first ten duels as they are, and a hash of 400."""
    duels = trace(registered()[name], linear_utilities(5, 3, seed=4), 400, seed=21)
    return {"start": duels[:10], "sha256": hashlib.sha256(json.dumps(duels).encode()).hexdigest()}


@pytest.mark.parametrize("name", registered())
def test_duels_are_those_recorded(name):
    assert digest(name) == json.loads(TRACES.read_text())[name]
