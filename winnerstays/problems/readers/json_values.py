"""Values of JSON: one, or several that follow each other; an object that says two things of one key is refused."""

import json
import re
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.opening import Source


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, value in pairs:
            if value != found[key]:
                raise WinnerstaysError(
                    f"an object has the key {key[:40]!r} twice, with {str(value)[:40]!r} and {str(found[key])[:40]!r}; "
                    "leave one of them out, or add up what both say."
                )
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_object)
GAP = re.compile(r"[\s,]*")


def loads(text: str) -> Any:
    """Return the value that a text holds."""
    return DECODER.decode(text)


def read_values(source: Source) -> Any:
    """Return what a JSON file holds: one value, or a list of those that follow each other."""
    with source.text() as file:
        text = file.read()
    try:
        return loads(text)
    except json.JSONDecodeError as error:
        if "Extra data" not in error.msg:
            raise
    values, place = [], 0
    while place < len(text):
        gap = GAP.match(text, place)
        place = gap.end() if gap else place
        if place < len(text):
            value, place = DECODER.raw_decode(text, place)
            values.append(value)
    return values


def is_json(text: str) -> bool:
    """Tell whether a text is JSON."""
    try:
        loads(text)
    except json.JSONDecodeError:
        return False
    return True
