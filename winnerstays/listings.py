"""Read lists from files: one entry on each line, a JSON list, or JSON lines."""

import json
from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError

JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte-order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise WinnerstaysError(f"{path}: the file is not a text in UTF-8.") from None


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file that are not blank, stripped."""
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def read_json(path: Path) -> Any:
    """Return the value in a `.json` file, or a list of the values on the lines of any other file."""
    text = read_text(path)
    if path.suffix.lower() == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise WinnerstaysError(f"{path}: the file is not JSON ({error}).") from None
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise WinnerstaysError(f"{path}: line {number} is not JSON ({error}).") from None
    return rows
