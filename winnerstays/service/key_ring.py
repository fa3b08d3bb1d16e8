"""The key ring: the secrets that sign visitor tokens and sessions. Its file lies outside the database.

Whoever reads the database or a backup of it can sign nothing. The first line of the file signs, every line verifies. To
change the secret, add a new first line, and remove the old one when the tokens that it signed have expired.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from winnerstays.arena.stores import is_memory
from winnerstays.errors import WinnerstaysError

MIN_CHARACTERS = 32


def default_path(database: str) -> str | None:
    """Return where the key ring of a database lies: beside a SQLite file, or else in the working directory.

    >>> default_path("data/lunch.db"), default_path("postgresql://host/name"), default_path("memory:")
    ('data/lunch.db.secrets', 'winnerstays.secrets', None)
    """
    if is_memory(database):
        return None
    path = database.removeprefix("sqlite:///")
    return "winnerstays.secrets" if "://" in path else f"{path}.secrets"


def load(path: str | None) -> list[str]:
    """Return the secrets in a file, which is made if it is missing; without a path, one that ends with the process."""
    new = secrets.token_urlsafe(32)
    if path is None:
        return [new]
    try:
        with suppress(FileExistsError), open(path, "x", opener=_open_private) as file:
            file.write(f"{new}\n")
        kept = Path(path).read_text("ascii").split()
        mode = os.stat(path).st_mode & 0o777
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII text"
        raise WinnerstaysError(
            f"The secrets in {path} cannot be used: {reason}. Say with --secrets which file."
        ) from None
    if os.name == "posix" and mode & 0o077:
        raise WinnerstaysError(f"Others may read the secrets in {path} (mode {mode:04o}): chmod 600 {path}")
    if not kept or min(map(len, kept)) < MIN_CHARACTERS:
        raise WinnerstaysError(f"{path} must hold a secret of at least {MIN_CHARACTERS} characters in each line.")
    return kept


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
