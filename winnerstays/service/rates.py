"""The limits of use: a token bucket for each key and each visitor, in memory that all workers share.

A bucket holds one second's worth. One that was not used for a second is full, so it can be forgotten: the table has a
fixed size however many visitors come.
"""

import mmap
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows two workers may grant a work too many
    fcntl = None  # type: ignore[assignment]

BUCKETS = 1 << 16
PROBES = 8
"""The places in the table in which a bucket may be."""
_BUCKET = struct.Struct("=Qdd")
"""The hash of the id, the tokens that were in it, and when."""
_BYTES = BUCKETS * _BUCKET.size


class RateLimiter:
    """Counts operations, and says how long whoever exceeds a rate must wait."""

    def __init__(self, path: str | None = None) -> None:
        """Share the table in this file with other processes; without a file it is this process's own."""
        self._file = None if path is None else os.open(path, os.O_RDWR)
        self._table = mmap.mmap(-1 if self._file is None else self._file, _BYTES)

    def close(self) -> None:
        self._table.close()
        if self._file is not None:
            os.close(self._file)

    def seconds_to_wait(self, id_: str, rate: float, operations: int = 1, now: float | None = None) -> float:
        """Return 0 and count the operations if they may be done now, or else the seconds until they may.

        More operations than one second's worth (and than 1) can never be done at once: infinity.
        """
        capacity = max(1.0, rate)
        if operations > capacity:
            return float("inf")
        hash_ = int.from_bytes(blake2b(id_.encode("utf-8", "replace"), digest_size=8).digest()) or 1
        with self._locked():
            now = time.monotonic() if now is None else now  # the clock of the machine, the same for all its processes
            place, tokens, at = self._find(hash_, capacity, now)
            tokens = min(capacity, tokens + max(0.0, now - at) * rate)
            if tokens < operations:
                return (operations - tokens) / rate
            _BUCKET.pack_into(self._table, place, hash_, tokens - operations, now)
        return 0.0

    def _find(self, hash_: int, capacity: float, now: float) -> tuple[int, float, float]:
        """Return where the bucket is, or where a full one may be put: in place of whichever was used least lately."""
        oldest, oldest_at = 0, float("inf")
        for probe in range(PROBES):
            place = (hash_ + probe) % BUCKETS * _BUCKET.size
            found, tokens, at = _BUCKET.unpack_from(self._table, place)
            if found == hash_:
                return place, tokens, at
            if at < oldest_at:
                oldest, oldest_at = place, at
        return oldest, capacity, now

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes out; the lock of one that is killed is released."""
        if self._file is None or fcntl is None:
            yield
            return
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)


def make_file(path: Path) -> None:
    """Make the file of an empty table."""
    with path.open("wb") as file:
        file.truncate(_BYTES)
