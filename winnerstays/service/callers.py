"""Whoever sends a request, and what exists for them: all arenas, some, or one user of one arena."""

from dataclasses import dataclass, replace

from winnerstays.arena import Answer, Ask, UnknownArenaError
from winnerstays.arena.records import ALL, Permit
from winnerstays.service.errors import RequestError

VISITOR_BODY = 65_536
"""Of a visitor a body has this many bytes at most: anybody can become one, and checking a large body takes time."""


@dataclass(frozen=True)
class Caller:
    """Whoever sends a request: a key, a visitor with a token, or anybody on this machine while there are no keys."""

    name: str
    """As sentences say it, and as its use is counted."""
    scopes: frozenset[str]
    rate: float | None = None
    """Works (asks, answers, other requests) per second; None if not limited."""
    permit: Permit = ALL
    """The arenas that exist for the caller. A visitor's is checked where the arena is read."""
    user: str | None = None
    """The only user for whom a visitor may ask and answer."""
    group: str | None = None
    """The group of a visitor, if the token says one."""
    key: str = ""
    """The id of the key, if it is one."""

    def max_body(self, bytes_: int) -> int:
        """Return how many bytes a body of the caller may have, where others may send this many."""
        return bytes_ if self.user is None else min(bytes_, VISITOR_BODY)

    def may(self, scope: str) -> bool:
        """Whether the caller may do what needs this scope."""
        return scope in self.scopes or "admin" in self.scopes

    def sees(self, arena: str) -> bool:
        """Whether the arena exists for a key, if it does at all."""
        return self.permit.names is None or arena in self.permit.names

    def check_arena(self, arena: str) -> None:
        """Refuse an arena that does not exist for the caller, in the words for one that does not exist at all."""
        if not self.sees(arena):
            raise UnknownArenaError.of(arena)

    def check_all_arenas(self) -> None:
        """Refuse a caller for whom only some arenas exist."""
        if self.permit.names is not None:
            names = ", ".join(map(repr, sorted(self.permit.names))) or "none"
            raise RequestError("scope", f"This needs a key for all arenas; {self.name} is for {names}.")

    def acting_as(self, user: str | None) -> str | None:
        """Return the user for whom the caller acts: a visitor for one, everybody else for whom they say."""
        if self.user is not None and user not in (None, self.user):
            raise RequestError("wrong-user", f"The visitor token is for another user than {user!r}.")
        return self.user or user

    def ask(self, ask: Ask) -> Ask:
        """Return what the caller asks, for whom they act."""
        self.check_arena(ask.arena)
        if self.user is not None and ask.group not in (None, self.group):
            raise RequestError(
                "scope",
                f"A visitor cannot say a group ({ask.group!r}); whoever has the key says it when making the token.",
            )
        return replace(ask, user=self.acting_as(ask.user), group=ask.group or self.group, permit=self.permit)

    def answer(self, answer: Answer) -> Answer:
        """Return an answer of the caller, which is refused where the caller may not answer."""
        if self.permit is ALL:
            return answer
        if answer.arena is not None:
            self.check_arena(answer.arena)
        return replace(answer, user=self.acting_as(answer.user), permit=self.permit)


ANYBODY = Caller("everybody on this machine", frozenset({"admin"}))
"""Whoever comes as long as there are no keys."""
