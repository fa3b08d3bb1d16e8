"""Write files completely or not at all."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from winnerstays.errors import WinnerstaysError

Format = tuple[str | tuple[str, ...], str]
"""The endings of a kind of file, and the words that come before them in a sentence."""
PICTURE: Format = (".png", ".svg", ".pdf"), "a picture is written"
CURVES: Format = ".json", "curves are written"
TABLE: Format = ".parquet", "a table is written"
ARCHIVE: Format = ".npz", "a simulation is saved"
ROWS: Format = (".jsonl", ".parquet"), "answers are written"


def check_outputs(*files: tuple[str | Path | None, Format | None], force: bool) -> None:
    """Check, before any work is done, that files can be written and have the endings of their formats.

    Without a format any ending will do; "-" is standard output.
    """
    for name, format_ in files:
        if name is not None and name != "-":
            check_writable(check_ending(name, *format_) if format_ else name, force=force)


def check_writable(path: str | Path, *, force: bool = False) -> Path:
    """Check that a file can be written, before any work is done."""
    path = Path(path)
    if path.is_dir():
        raise WinnerstaysError(f"{path} is a folder; give the name of a file.")
    if path.exists() and not force:
        raise WinnerstaysError(f"{path} exists already; use force=True to overwrite it, or another name.")
    if not path.parent.is_dir():
        raise WinnerstaysError(f"{path} cannot be written: there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK):
        raise WinnerstaysError(f"{path} cannot be written: the folder {path.parent} is read-only.")
    return path


def write_whole(path: str | Path, write: str | Callable[[Path], object], *, force: bool = False) -> Path:
    """Write a text to a temporary file beside `path`, or let `write` do it; then move it there in one step.

    If anything fails, what was at `path` before is still there and nothing else is left behind.
    """
    path = check_writable(path, force=force)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
        os.close(handle)
        draft = Path(name)
        try:
            if isinstance(write, str):
                draft.write_text(write, encoding="utf-8")
            else:
                write(draft)
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            draft.chmod(0o666 & ~_umask())
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise WinnerstaysError(f"{path} cannot be written ({error.strerror or error}).") from None
    return path


def as_json(data: object, path: str | Path | None = None, *, force: bool = False) -> str:
    """Return data as JSON text, and write it to `path` if one is given."""
    text = json.dumps(data, indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    if path is not None:
        write_whole(path, text + "\n", force=force)
    return text


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_ending(path: str | Path, ending: str | tuple[str, ...], what: str) -> Path:
    """Check that the ending of a file name is one of the formats that can be written."""
    path = Path(path)
    endings = (ending,) if isinstance(ending, str) else ending
    if path.suffix.lower() not in endings:
        *others, last = endings
        raise WinnerstaysError(f"{path}: {what} as {', '.join(others)}{' or ' if others else ''}{last}.")
    return path
