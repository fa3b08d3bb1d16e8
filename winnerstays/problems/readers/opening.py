"""Files as they come: compressed or not, piped or not, in whatever encoding; every error names the file."""

import bz2
import csv
import gzip
import io
import lzma
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.encodings import MIXED, guess, looks_wrong

STDIN = "-"
"""The name of standard input."""
MAX_CELL = 10_000_000
HEAD = 1 << 16
"""Bytes that are looked at to see what a file holds."""
COMPRESSIONS: dict[bytes, tuple[str, Callable[[Path], Any]]] = {
    b"\x1f\x8b": (".gz", gzip.open),
    b"BZh": (".bz2", bz2.open),
    b"\xfd7zXZ\x00": (".xz", lzma.open),
}
NUMPY, ZIP, PARQUET = b"\x93NUMPY", b"PK\x03\x04", b"PAR1"
WORKBOOK = "the file is a workbook of a spreadsheet program; save the sheet as CSV."
TAPE_MARK, TAPE_PLACE = b"ustar", 257
"""What an archive of several files, made by tar, has in its first block."""
BESIDE = {"readme", "license", "licence", "copying", ".ds_store"}
"""Files of an archive that say something about the others."""


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong inside into one sentence that begins with the file."""
    longest = csv.field_size_limit(MAX_CELL)
    try:
        yield
    except WinnerstaysError as error:
        if str(error).startswith(f"{path}: "):
            raise
        raise WinnerstaysError(f"{path}: {error}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise WinnerstaysError(f"{path}: the file is damaged or cut off ({error or type(error).__name__}).") from None
    except UnicodeDecodeError as error:
        raise WinnerstaysError(
            f"{path}: the file is damaged or not written in {error.encoding} ({error.reason}); --encoding says which "
            "encoding it is (encoding= in Python)."
        ) from None
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror or error}).") from None
    except (ValueError, KeyError, TypeError, csv.Error, RecursionError) as error:
        raise WinnerstaysError(
            f"{path}: the file is damaged or not what its name says ({error or type(error).__name__})."
        ) from None
    finally:
        csv.field_size_limit(longest)


class Source:
    """A file that can be read several times from its beginning; a pipe is copied first."""

    def __init__(self, path: str | Path, encoding: str | None = None) -> None:
        self.path = Path(path)
        self.file = self.path
        """Where the content is."""
        with file_errors(self.path):
            if encoding is not None:
                _check_encoding(encoding)
            if str(path) == STDIN or (self.path.exists() and not self.path.is_file() and not self.path.is_dir()):
                self._copy = _copied(self.path)
                self.file = Path(self._copy.name)
            with self.file.open("rb") as file:
                start = file.read(8)
            _check_kind(start)
            found = [kind for mark, kind in COMPRESSIONS.items() if start.startswith(mark)]
            self._given = encoding
            self._compression = found[0] if found else None
            self.member: str | None = None
            if start.startswith(ZIP):
                self.member = _only_member(self.file)
                self._compression = None if self.member is None else (".zip", self._open_member)
            if self.head[TAPE_PLACE:].startswith(TAPE_MARK):
                raise WinnerstaysError("the file is an archive made by tar; unpack it and name the file that is meant.")

    def _open_member(self, path: Path) -> Any:
        return zipfile.ZipFile(path).open(str(self.member))

    @property
    def _unpacked_name(self) -> str:
        name = "stdin" if str(self.path) == STDIN else self.path.name
        packed = self._compression and name.lower().endswith(self._compression[0])
        return name[: -len(self._compression[0])] if self._compression and packed else name

    @property
    def suffix(self) -> str:
        """The ending of the name, without that of the compression, in lower case."""
        return Path(self.member if self.member is not None else self._unpacked_name).suffix.lower()

    @property
    def stem(self) -> str:
        """The name without its endings."""
        return Path(self._unpacked_name).stem

    def unpacked(self) -> BinaryIO:
        """Open the content, unpacked."""
        opened: Any = self._compression[1](self.file) if self._compression else self.file.open("rb")
        return opened  # type: ignore[no-any-return]

    @cached_property
    def head(self) -> bytes:
        with self.unpacked() as file:
            return file.read(HEAD)

    @cached_property
    def encoding(self) -> str:
        """How letters are written: as it was said, else as the bytes look."""
        return self._given or guess(self.head, self.unpacked)

    @cached_property
    def note(self) -> str:
        """What was assumed about the encoding, where something was, and whether that looks right."""
        if self._given:
            return f"read as {self._given}"
        if self.encoding == MIXED:
            return "read as UTF-8, and as Windows-1252 (Latin-1) where it is not UTF-8: the file mixes both"
        if self.encoding not in ("cp1252", "latin-1"):
            return ""
        said = "read as Windows-1252 (Latin-1), since it is not UTF-8"
        odd = looks_wrong(self.beginning)
        if odd is None:
            return said
        return f"{said}, but {odd!r} looks wrong: say the encoding (--encoding cp1251, gbk, shift_jis, mac_roman, ...)"

    def text(self) -> IO[str]:
        """Open the content as text, with the ends of lines as they are."""
        mixed = self.encoding == MIXED
        return io.TextIOWrapper(
            self.unpacked(), "utf-8" if mixed else self.encoding, MIXED if mixed else "strict", newline=""
        )

    @cached_property
    def beginning(self) -> str:
        """The first lines."""
        with self.text() as file:
            return file.read(HEAD)


def _copied(path: Path) -> IO[bytes]:
    """Return a file with all that a pipe or standard input holds; it is gone when it is closed."""
    copy = tempfile.NamedTemporaryFile()  # noqa: SIM115
    if str(path) == STDIN:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    else:
        with path.open("rb") as file:
            shutil.copyfileobj(file, copy)
    copy.flush()
    return copy


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(encoding)
    except (LookupError, TypeError):
        raise WinnerstaysError(
            f"the encoding {encoding!r} is not known; it must be one that Python knows, such as utf-8, cp1251, gbk, "
            "shift_jis or mac_roman."
        ) from None


def _check_kind(start: bytes) -> None:
    """Refuse, by their first bytes, files of tables that are not read here."""
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise WinnerstaysError(WORKBOOK)
    if start.lstrip().lower().startswith((b"<!docty", b"<html", b"<table")):
        raise WinnerstaysError("the file is a web page; save its table as CSV.")


def _only_member(path: Path) -> str | None:
    """Return the name of the one file in an archive; None for NumPy's own archives."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")]
    if names and all(name.endswith(".npy") for name in names):
        return None
    if {"[Content_Types].xml", "content.xml"}.intersection(names):
        raise WinnerstaysError(WORKBOOK)
    if len(names) > 1:
        names = [name for name in names if Path(name).stem.lower() not in BESIDE] or names
    if len(names) != 1:
        raise WinnerstaysError(
            f"the archive holds {len(names)} files ({', '.join(names[:5])}); unpack it and name the one that is meant."
        )
    return names[0]
