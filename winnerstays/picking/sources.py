"""Candidates and examples from files, for the command line."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.picking.items import Items, name_items

LISTS = (".json", ".jsonl", ".ndjson")


def read_items(paths: Sequence[Path]) -> Items:
    """Return the candidates that files hold.

    Several paths are a candidate each; one folder holds a candidate in each of its files (or folders); one file lists
    them: a `.json` list or object, `.jsonl` with one a line, or any other text with one a line.
    """
    if len(paths) > 1:
        return name_items({_free_name(path, paths): _content(path) for path in paths})
    (path,) = paths
    if path.is_dir():
        inside = sorted(one for one in path.iterdir() if not one.name.startswith("."))
        return name_items({one.name: _content(one) for one in inside})
    if path.suffix.lower() in LISTS:
        return name_items(_read_json(path))
    lines = [line.strip() for line in _text(path).splitlines() if line.strip()]
    files = [path.parent / line for line in lines]
    if lines and len(set(lines)) == len(lines) and all(map(_exists, files)):
        return name_items(dict(zip(lines, map(_content, files), strict=True)))
    return name_items(lines)


def read_examples(path: Path) -> tuple[Any, ...]:
    """Return the examples of a file: `.jsonl` with one a line, a `.json` list, or a text with one a line."""
    if path.suffix.lower() in LISTS:
        found = _read_json(path)
        if not isinstance(found, list):
            raise WinnerstaysError(f"{path}: the examples must be a list.")
    else:
        found = [line for line in _text(path).splitlines() if line.strip()]
    if not found:
        raise WinnerstaysError(f"{path}: there are no examples in it.")
    return tuple(found)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a long line is no path
        return False


def _free_name(path: Path, paths: Sequence[Path]) -> str:
    """Return the file's name, or its path where two files have the same name."""
    return path.name if sum(other.name == path.name for other in paths) == 1 else str(path)


def _content(path: Path) -> Any:
    """Return the text of a file, or of every file in a folder as {path: text}."""
    if not path.is_dir():
        return _text(path)
    files = sorted(one for one in path.rglob("*") if one.is_file() and not one.name.startswith("."))
    if not files:
        raise WinnerstaysError(f"{path}: the folder is empty.")
    return {str(one.relative_to(path)): _text(one) for one in files}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise WinnerstaysError(f"{path}: the file is not a text in UTF-8.") from None


def _read_json(path: Path) -> Any:
    text = _text(path)
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
