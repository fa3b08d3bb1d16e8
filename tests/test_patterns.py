"""Every pattern of the package reads its worst case: one that tries a text in many ways would not end."""

import re
from importlib import import_module

import pytest

from tests.test_architecture import MODULES

LONG = 50_000
PARTS = (
    "-", " ", "\t", "{", "{a", "a,", "|-", '"', "'", ";", "=", ".", ":", "a", "9", "e+", "to ", "host ", "é", "\n",
    "\x1b[", "http://a", "a.", "@", "{,",
)  # fmt: skip


def patterns():
    for name, path in MODULES.items():
        if "re.compile(" in path.read_text():
            for value in vars(import_module(name)).values():
                if isinstance(value, re.Pattern):
                    yield pytest.param(value, id=f"{name}: {value.pattern!r}"[:80])


@pytest.mark.parametrize("pattern", list(patterns()))
def test_patterns_read_their_worst_case(pattern):
    for part in PARTS:
        for text in (part * (LONG // len(part)), part * (LONG // len(part)) + "!", "{" + part * (LONG // len(part))):
            given = text.encode() if isinstance(pattern.pattern, bytes) else text
            pattern.fullmatch(given)
            assert sum(1 for _ in pattern.finditer(given)) <= len(given) + 1
