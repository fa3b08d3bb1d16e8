"""The errors of an arena. The `code` of each names it over HTTP and stays the same from release to release."""

from winnerstays.arena.stores.base import BusyError as BusyError
from winnerstays.arena.stores.base import StoreError as StoreError
from winnerstays.arena.text import loggable
from winnerstays.errors import WinnerstaysError

PROBLEM_PREFIX = "urn:winnerstays:problem:"
"""Before the code, in the `type` of a problem document (RFC 9457)."""


class UnknownArenaError(WinnerstaysError):
    """No arena has this name, or none that exists for whoever asks: the sentence names no other."""

    code = "unknown-arena"

    @classmethod
    def of(cls, name: object) -> "UnknownArenaError":
        return cls(f"There is no arena {loggable(name)!r}.")


class UnknownDuelError(WinnerstaysError):
    """No duel with this id was served, or its user was erased."""

    code = "unknown-duel"


class UnknownUserError(WinnerstaysError):
    """No duel was ever served to this user."""

    code = "unknown-user"


class WrongUserError(WinnerstaysError):
    """A duel was answered by another user than the one to whom it was served."""

    code = "wrong-user"


class TooManyAnswersError(WinnerstaysError):
    """A user gave more answers in a minute than the arena takes; this one can be sent again later."""

    code = "rate"


class DifferentArenaError(WinnerstaysError):
    """An arena of this name exists with other settings."""

    code = "different-arena"


class UnusableArenaError(StoreError):
    """An arena cannot be used, perhaps because its algorithm is not installed; the other arenas can."""


class DeletedArenaError(StoreError):
    """An arena that this process remembered was deleted; it is forgotten now, and the work can be done again."""


_CLASSES: dict[str, type[WinnerstaysError]] = {
    error.code: error
    for error in (
        WinnerstaysError, UnknownArenaError, UnknownDuelError, UnknownUserError, WrongUserError, DifferentArenaError,
        StoreError, TooManyAnswersError,
    )
}  # fmt: skip


def too_many_open(arena: str, limit: int, wanted: int) -> WinnerstaysError:
    """Return the error of whoever wants to hold more duels open than the arena lets a user hold."""
    return WinnerstaysError(f"A user of {arena!r} may hold {limit} duels open, not {wanted}.")


def error_class(code: str) -> type[WinnerstaysError]:
    """Return the class of errors with this code; WinnerstaysError for an unknown code.

    >>> error_class("unknown-duel").__name__, error_class("too-large").__name__
    ('UnknownDuelError', 'WinnerstaysError')
    """
    return _CLASSES.get(code, WinnerstaysError)
