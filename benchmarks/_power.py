"""Loss of power: what a folder's files would hold if everything that was not fsynced were gone.

A small library that is loaded into the victims (`_fsync_journal.c`) writes down their writes and fsyncs. Names of files
(created, renamed, removed) survive in their order, as in a file system with a journal; of their contents survives what
was fsynced, and sometimes, in any order, some of what was not.
"""

import os
import random
import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

_HEADER = struct.Struct("<cIQQ")
Operation = tuple[bytes, int, bytes]
"""Kind, offset or length, data."""


class PowerLoss:
    """A folder whose contents can be set back to what was durable."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder = folder.resolve()
        self._durable = scratch / "durable"
        self._journal = scratch / "journal"
        self._journal.touch()
        self._seen: dict[str, tuple[int, int]] = {}
        os.chmod(self._journal, 0o666)
        library = scratch / "fsync_journal.so"
        source = Path(__file__).with_name("_fsync_journal.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        self.environment = {
            "LD_PRELOAD": str(library),
            "FSYNC_JOURNAL_FOLDER": str(self.folder),
            "FSYNC_JOURNAL": str(self._journal),
        }

    def begin(self) -> None:
        """Take everything in the folder as durable; nobody may use it now."""
        os.truncate(self._journal, 0)
        shutil.rmtree(self._durable, ignore_errors=True)
        shutil.copytree(self.folder, self._durable, ignore=_passing)
        self._seen = self._look()

    def cut(self, rng: random.Random) -> int:
        """Cut the power, after everybody who used the folder was killed; return how many writes are gone."""
        files: dict[str, _File] = {}
        for kind, path, place, data in self._records():
            name = os.path.relpath(path, self.folder)
            if (self._durable / name).is_dir() or (self.folder / name).is_dir():
                continue  # names are durable already
            file = files.get(name) or files.setdefault(name, _File(self._durable / name))
            if kind == b"S":
                file.content = bytearray() if file.content is None else file.content
                file.flush()
            elif kind == b"U":
                file.remove()
            elif kind == b"R":
                files[os.path.relpath(data.decode(), self.folder)] = file
                files[name] = _File(None)
            else:
                file.pending.append((kind, place, data))
        gone = 0
        keeps = rng.choice((0.0, 0.0, 0.5, 0.9))
        for name, file in files.items():
            survivors = [operation for operation in file.pending if rng.random() < keeps]
            gone += len(file.pending) - len(survivors)
            file.pending = survivors
            file.flush()
            file.save(self._durable / name)
        os.truncate(self._journal, 0)
        self._set_back(files)
        return gone

    def _set_back(self, journaled: Iterable[str]) -> None:
        """Let the folder hold what is durable: where the journal names a file, and where one was changed otherwise."""
        now = self._look()
        changed = {name for name in now.keys() | self._seen.keys() if now.get(name) != self._seen.get(name)}
        for name in now.keys() - self._seen.keys() - set(journaled):  # made, but never written to
            (self._durable / name).parent.mkdir(parents=True, exist_ok=True)
            (self._durable / name).touch()
        owner = self.folder.stat()
        for name in changed.union(journaled):
            durable, path = self._durable / name, self.folder / name
            if durable.is_file():
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(durable, path)
                os.chmod(path, 0o600)
                for entry in (path, path.parent):
                    os.chown(entry, owner.st_uid, owner.st_gid)
            elif not path.is_dir():
                path.unlink(missing_ok=True)
        self._seen = self._look()

    def _look(self) -> dict[str, tuple[int, int]]:
        """Return size and time of change of each file in the folder."""
        found = {}
        for where, _, names in os.walk(self.folder):
            for name in set(names).difference(_passing(where, names)):
                state = os.lstat(os.path.join(where, name))
                found[os.path.relpath(os.path.join(where, name), self.folder)] = (state.st_size, state.st_mtime_ns)
        return found

    def _records(self) -> Iterator[tuple[bytes, str, int, bytes]]:
        data = self._journal.read_bytes()
        place = 0
        while place + _HEADER.size <= len(data):
            kind, path_length, offset, length = _HEADER.unpack_from(data, place)
            start = place + _HEADER.size + path_length
            place = start + (length if kind in b"WR" else 0)
            if place > len(data):
                return  # the writer was killed
            path = data[start - path_length : start].decode()
            if not path.endswith(" (deleted)"):
                yield kind, path, offset, data[start:place]


class _File:
    """A file with what is durable of it, and what is not yet."""

    def __init__(self, path: Path | None) -> None:
        self.content: bytearray | None = bytearray(path.read_bytes()) if path and path.is_file() else None
        self.pending: list[Operation] = []

    def flush(self) -> None:
        for kind, place, data in self.pending:
            content = self.content = bytearray() if self.content is None else self.content
            end = place + len(data)
            if len(content) < end:
                content.extend(bytes(end - len(content)))
            if kind == b"W":
                content[place:end] = data
            elif kind == b"T":
                del content[place:]
        self.pending = []

    def remove(self) -> None:
        self.content, self.pending = None, []

    def save(self, path: Path) -> None:
        if self.content is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.content)


def _passing(_: str, names: list[str]) -> list[str]:
    """Return the names of files that do not outlive their processes."""
    return [name for name in names if name.endswith("-shm") or name.startswith((".s.PGSQL", "postmaster."))]
