"""Candidates and examples from files, for the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from winnerstays.errors import WinnerstaysError
from winnerstays.listings import JSON_ENDINGS, read_json, read_lines, read_text
from winnerstays.picking.items import Items, name_items


def read_items(paths: Sequence[Path]) -> Items:
    """Return the candidates that files hold.

    Several paths are a candidate each; one folder holds a candidate in each of its files (or folders); one file lists
    them: a `.json` list or object, `.jsonl` with one a line, or any other text with one a line.
    """
    if len(paths) > 1:
        return name_items({_free_name(path, paths): _content(path) for path in paths})
    (path,) = paths
    if path.is_dir():
        inside = sorted(file for file in path.iterdir() if not file.name.startswith("."))
        return name_items({file.name: _content(file) for file in inside})
    if path.suffix.lower() in JSON_ENDINGS:
        return name_items(read_json(path))
    lines = read_lines(path)
    files = [path.parent / line for line in lines]
    if lines and len(set(lines)) == len(lines) and all(map(_exists, files)):
        return name_items(dict(zip(lines, map(_content, files), strict=True)))
    return name_items(lines)


def read_examples(path: Path) -> tuple[Any, ...]:
    """Return the examples of a file: `.jsonl` with one a line, a `.json` list, or a text with one a line."""
    if path.suffix.lower() in JSON_ENDINGS:
        examples = read_json(path)
        if not isinstance(examples, list):
            raise WinnerstaysError(f"{path}: the examples must be a list.")
    else:
        examples = [line for line in read_text(path).splitlines() if line.strip()]
    if not examples:
        raise WinnerstaysError(f"{path}: there are no examples in it.")
    return tuple(examples)


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
        return read_text(path)
    files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
    if not files:
        raise WinnerstaysError(f"{path}: the folder is empty.")
    return {str(file.relative_to(path)): read_text(file) for file in files}
