"""A file, plain or gzipped, that can be read several times from its beginning, and never beyond its limits."""

import csv
import gzip
import io
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from winnerstays.errors import WinnerstaysError
from winnerstays.problems.readers.limits import LOCAL, Limits

STDIN = "-"
"""The name of standard input."""
CHUNK = 1 << 16
GZIP, NUMPY, ZIP, PARQUET = b"\x1f\x8b", b"\x93NUMPY", b"PK\x03\x04", b"PAR1"
BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
REFUSED = {
    b"BZh": "the file is compressed with bzip2; unpack it, or compress it with gzip.",
    b"\xfd7zXZ": "the file is compressed with xz; unpack it, or compress it with gzip.",
    b"\xd0\xcf\x11\xe0": "the file is a workbook of a spreadsheet program; save the sheet as CSV.",
    b"SQLite format 3": "the file is a database; `winnerstays arena export FILE --output log.csv` writes the log of an "
    "arena, or of a pick, as a table.",
}


@contextmanager
def file_errors(path: Path, limits: Limits = LOCAL) -> Iterator[None]:
    """Name the file in every error, and let cells be as long as lines may be."""
    longest = csv.field_size_limit(limits.line)
    try:
        yield
    except UnicodeDecodeError as error:
        raise WinnerstaysError(
            f"{path}: the file is not written in {error.encoding} ({error.reason}); say its encoding: "
            "--encoding cp1252, for example (encoding= in Python)."
        ) from None
    except WinnerstaysError as error:
        raise WinnerstaysError(f"{path}: {error}") from None
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror or error}).") from None
    finally:
        csv.field_size_limit(longest)


class Source:
    """The bytes and the text of a file. A pipe is copied first."""

    def __init__(self, path: Path, encoding: str | None = None, limits: Limits = LOCAL) -> None:
        self.path, self.limits = path, limits
        self._deadline = time.monotonic() + limits.seconds
        self._content = path
        if str(path) == STDIN or path.is_fifo():
            self._copy = self._copied()
            self._content = Path(self._copy.name)
        with self._content.open("rb") as file:
            self._packed = file.read(len(GZIP)) == GZIP
        with self.open() as unpacked:
            self.head = unpacked.read(CHUNK)
        for mark, sentence in REFUSED.items():
            if self.head.startswith(mark):
                raise WinnerstaysError(sentence)
        marked = (name for mark, name in BYTE_ORDER_MARKS.items() if self.head.startswith(mark))
        self.encoding = encoding or next(marked, "utf-8")
        try:
            "".encode(self.encoding)
        except LookupError:
            raise WinnerstaysError(f"there is no encoding {encoding!r}; examples: utf-8, cp1252, shift_jis.") from None
        name = Path("stdin" if str(path) == STDIN else path.name)
        name = name.with_suffix("") if self._packed and name.suffix.lower() == ".gz" else name
        self.stem, self.suffix = name.stem, name.suffix.lower()

    def _copied(self) -> IO[bytes]:
        """Return a temporary file with what a pipe or standard input holds."""
        copy = tempfile.NamedTemporaryFile()  # noqa: SIM115
        pipe = sys.stdin.buffer if str(self.path) == STDIN else self.path.open("rb")
        shutil.copyfileobj(_Bounded(pipe, self), copy)
        copy.flush()
        return copy

    def open(self, *, lines: bool = False) -> BinaryIO:
        """Open the content, unpacked; `lines` says that it is text, whose lines are bounded."""
        file: Any = gzip.open(self._content) if self._packed else self._content.open("rb")  # noqa: SIM115
        return io.BufferedReader(_Bounded(file, self, lines), CHUNK)

    def text(self) -> IO[str]:
        """Open the content as text."""
        if b"\0" in self.head and self.encoding == "utf-8":
            raise WinnerstaysError("the file is not text, NumPy or Parquet.")
        return io.TextIOWrapper(self.open(lines=True), self.encoding, newline="")

    def whole(self) -> bytes:
        """Return all bytes."""
        with self.open() as file:
            data = file.read(self.limits.whole + 1)
        self.limits.check("whole", len(data))
        return data

    def seekable(self) -> BinaryIO:
        """Open the content so that any part of it can be read; a gzipped one is unpacked in memory."""
        return io.BytesIO(self.whole()) if self._packed else self._content.open("rb")

    def check_time(self) -> None:
        """Refuse to go on once the time is over."""
        if time.monotonic() > self._deadline:
            raise WinnerstaysError(f"reading takes longer than the limit of {self.limits.seconds:g} seconds.")


class _Bounded(io.RawIOBase):
    """Counts the bytes, those since the last end of a line, and the time."""

    def __init__(self, file: BinaryIO, source: Source, lines: bool = False) -> None:
        self._file, self._source, self._lines = file, source, lines
        self._bytes = self._line = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(len(buffer))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise WinnerstaysError(f"the gzipped file is damaged or cut off ({error}).") from None
        limits = self._source.limits
        self._bytes += len(data)
        limits.check("bytes", self._bytes)
        if self._lines:
            end = max(data.rfind(b"\n"), data.rfind(b"\r"))
            self._line = self._line + len(data) if end < 0 else len(data) - end
            limits.check("line", self._line)
        self._source.check_time()
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
