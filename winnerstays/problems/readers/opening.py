"""Files as they come: compressed or not, in whatever encoding; every error names the file."""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO

from winnerstays.errors import WinnerstaysError

MAX_CELL = 10_000_000
HEAD = 1 << 16
"""Bytes that are looked at to see what a file holds."""
COMPRESSIONS: dict[bytes, tuple[str, Callable[[Path], Any]]] = {
    b"\x1f\x8b": (".gz", gzip.open),
    b"BZh": (".bz2", bz2.open),
    b"\xfd7zXZ\x00": (".xz", lzma.open),
}
NUMPY, ZIP, PARQUET = b"\x93NUMPY", b"PK\x03\x04", b"PAR1"
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
WORKBOOK = "the file is a workbook of a spreadsheet program; save the sheet as CSV."
ENCODING_NAMES = {"cp1252": "Windows-1252 (Latin-1)", "latin-1": "Latin-1"}


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
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror or error}).") from None
    except (ValueError, KeyError, TypeError, csv.Error, RecursionError) as error:
        raise WinnerstaysError(
            f"{path}: the file is damaged or not what its name says ({error or type(error).__name__})."
        ) from None
    finally:
        csv.field_size_limit(longest)


class Source:
    """A file that can be read several times from its beginning."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            start = file.read(8)
        with file_errors(path):
            _check_kind(start)
        found = [kind for mark, kind in COMPRESSIONS.items() if start.startswith(mark)]
        self._compression = found[0] if found else None
        self.member: str | None = None
        if start.startswith(ZIP):
            self.member = _only_member(path)
            self._compression = None if self.member is None else (".zip", self._open_member)

    def _open_member(self, path: Path) -> Any:
        return zipfile.ZipFile(path).open(str(self.member))

    @property
    def suffix(self) -> str:
        """The ending of the name, without that of the compression, in lower case."""
        if self.member is not None:
            return Path(self.member).suffix.lower()
        name = self.path.name
        if self._compression and name.lower().endswith(self._compression[0]):
            name = name[: -len(self._compression[0])]
        return Path(name).suffix.lower()

    @property
    def stem(self) -> str:
        """The name without its endings."""
        name = self.path.name
        if self._compression and name.lower().endswith(self._compression[0]):
            name = name[: -len(self._compression[0])]
        return Path(name).stem

    def unpacked(self) -> BinaryIO:
        """Open the content, unpacked."""
        opened: Any = self._compression[1](self.path) if self._compression else self.path.open("rb")
        return opened  # type: ignore[no-any-return]

    @cached_property
    def head(self) -> bytes:
        with self.unpacked() as file:
            return file.read(HEAD)

    @cached_property
    def encoding(self) -> str:
        """How letters are written: by the byte order mark, else UTF-8 if all of it is, else what Windows writes."""
        for mark, name in BYTE_ORDER_MARKS.items():
            if self.head.startswith(mark):
                return name
        if b"\0" in self.head:
            even, odd = self.head[::2].count(0), self.head[1::2].count(0)
            if max(even, odd) < 0.7 * len(self.head) / 2 or min(even, odd) * 10 > max(even, odd):
                raise WinnerstaysError("the file holds neither text nor anything else that is known here.")
            return "utf-16-le" if odd > even else "utf-16-be"
        return next(name for name in ("utf-8", "cp1252", "latin-1") if self._decodes(name))

    def _decodes(self, encoding: str) -> bool:
        decoder = codecs.getincrementaldecoder(encoding)()
        with self.unpacked() as file:
            try:
                while block := file.read(1 << 16):
                    decoder.decode(block)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                return False
        return True

    @property
    def note(self) -> str:
        """What was assumed about the encoding, where something was."""
        name = ENCODING_NAMES.get(self.encoding)
        return f"read as {name}, since it is not UTF-8" if name else ""

    def text(self) -> IO[str]:
        """Open the content as text, with the ends of lines as they are."""
        encoding = self.encoding
        return io.TextIOWrapper(self.unpacked(), encoding=encoding, newline="")

    @cached_property
    def beginning(self) -> str:
        """The first lines."""
        with self.text() as file:
            return file.read(HEAD)


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
    if len(names) != 1:
        raise WinnerstaysError(
            f"the archive holds {len(names)} files ({', '.join(names[:5])}); unpack it and name the one that is meant."
        )
    return names[0]
