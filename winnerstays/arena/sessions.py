"""Sessions: two rankers of an arena make a list of results together, and the clicks on it say which of them won."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from winnerstays.arena.records import Answer, Duel, Receipt
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.interleaving import RULES, Interleaved, Result, check_method, interleave

Ranking = Iterable[Result] | Callable[[], Iterable[Result]]
Rankings = Mapping[str, Ranking] | Callable[[str], Iterable[Result]]
"""The results of each ranker, or a function that returns them; or one function of a ranker's name."""


class Session:
    """What was shown to one searcher, and what was clicked.

    >>> from winnerstays import Arena
    >>> arena = Arena.open("memory:", items=["bm25", "neural"], audience="everyone", seed=1)
    >>> session = arena.session(None, {"bm25": ["a", "b", "c"], "neural": ["b", "d", "a"]}, length=3)
    >>> len(session.shown)
    3
    >>> session.clicked(1)
    >>> receipt = session.close()
    >>> session.winner in ("bm25", "neural")
    True
    """

    def __init__(
        self, duel: Duel, page: Interleaved, tell: Callable[[Answer], Receipt], rule: str, clicks: Iterable[int] = ()
    ) -> None:
        self.duel, self.page, self.rule = duel, page, rule
        self.clicks = list(clicks)
        """Positions from 1, in the order in which they were clicked."""
        self._tell = tell
        self._receipt: Receipt | None = None

    @property
    def shown(self) -> tuple[Result, ...]:
        """The results, in the order in which to show them."""
        return self.page.shown

    @property
    def outcome(self) -> str:
        """Who leads by the clicks so far: `first` (the left ranker), `second`, `tie`, or `nothing` without clicks."""
        return self.page.credit(self.clicks, self.rule)

    @property
    def winner(self) -> str | None:
        """The ranker that leads by the clicks so far."""
        return {"first": self.duel.left, "second": self.duel.right}.get(self.outcome)

    def clicked(self, position: int | None = None, *, result: Result | None = None) -> None:
        """Note a click on a position, counted from 1, or on a result."""
        if self._receipt is not None:
            raise WinnerstaysError("The session is closed; a click after that is not counted.")
        if (position is None) == (result is None):
            raise WinnerstaysError("What was clicked? Give a position or a result.")
        given = position if result is None else self.page.position(result)
        self.page.credit([given])  # type: ignore[list-item]  # says what is wrong with it
        self.clicks.append(given)  # type: ignore[arg-type]

    def close(self) -> Receipt:
        """Let the arena learn who won; what was shown and clicked is in its log. Closing again changes nothing."""
        if self._receipt is None:
            session = {"page": self.page.to_json(), "clicks": self.clicks, "rule": self.rule}
            self._receipt = self._tell(
                Answer(self.duel.id, user=self.duel.user, arena=self.duel.arena, session=session)
            )
        return self._receipt

    def to_json(self) -> dict[str, Any]:
        """Return everything as lists, numbers and texts; `Arena.resume` continues from it, also elsewhere."""
        return {
            "duel": self.duel.id, "left": self.duel.left, "right": self.duel.right, "user": self.duel.user,
            "expires_at": self.duel.expires_at, "page": self.page.to_json(), "clicks": [*self.clicks],
            "rule": self.rule,
        }  # fmt: skip


def open_session(
    rankers: Sequence[str],
    ask: Callable[..., Duel],
    tell: Callable[[Answer], Receipt],
    rankings: Rankings,
    method: str,
    length: int,
    rule: str,
    seed: int | None,
) -> Session:
    """Ask which two rankers to compare, and interleave their results; other rankers are not called."""
    among = None
    if isinstance(rankings, Mapping):
        among = None if set(rankings) == set(rankers) else tuple(rankings)
    elif not callable(rankings):
        raise WinnerstaysError(f"rankings is {rankings!r}, but it must map rankers to their results, or be a function.")
    check_method(method, length)
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    duel = ask(among=among)
    left, right = (_results(rankings, ranker) for ranker in (duel.left, duel.right))
    return Session(duel, interleave(method, left, right, length, seed=seed), tell, rule)


def _results(rankings: Rankings, ranker: str) -> list[Result]:
    if not isinstance(rankings, Mapping):
        return list(rankings(ranker))
    given = rankings[ranker]
    return list(given() if callable(given) else given)


def logged_answers(lines: Iterable[str]) -> Iterator[tuple[int, Answer]]:
    """Yield the answers of logged sessions, a JSON object per line as of `Session.to_json`, with their lines."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            session = {name: fields[name] for name in ("page", "clicks", "rule") if name in fields}
            yield number, Answer(fields["duel"], user=fields.get("user"), session=session)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise WinnerstaysError(
                f"Line {number} is no session: {line.strip()[:60]!r}; it must be an object with duel, page and clicks."
            ) from None


def resume(arena: str, tell: Callable[[Answer], Receipt], fields: Mapping[str, Any]) -> Session:
    """Return the session that `Session.to_json` wrote."""
    try:
        duel = Duel(fields["duel"], fields["left"], fields["right"], fields["expires_at"], arena, fields["user"])
        page, rule, clicks = Interleaved.from_json(fields["page"]), fields["rule"], fields["clicks"]
        page.scores(clicks, rule)
        return Session(duel, page, tell, rule, clicks)
    except (KeyError, TypeError) as error:
        raise WinnerstaysError(f"This is no session: {str(fields)[:60]!r} ({error}).") from None


FIELDS = ("page", "clicks", "rule")
MAX_CHARACTERS = 20_000
"""Of a session in the log."""


def credited(answer: Answer, left: str, right: str) -> Answer:
    """Return an answer with the outcome that its session has; its reason is the session, for the log.

    The page is made of the left and the right ranker's results. Without clicks the session is a skip. Where both are
    the same ranker, it wins.
    """
    session = answer.session
    if not isinstance(session, Mapping) or not {"page", "clicks"} <= set(session) <= set(FIELDS):
        raise WinnerstaysError(f"A session has the fields {', '.join(FIELDS)} (page and clicks are needed).")
    if (answer.winner, answer.outcome, answer.reason) != (None, "winner", None):
        raise WinnerstaysError("The clicks of a session say who won; leave out winner, outcome and reason.")
    page, clicks, rule = Interleaved.from_json(session["page"]), session["clicks"], session.get("rule") or "clicks"
    if len(page.sizes) != 2 or not isinstance(clicks, list | tuple):
        raise WinnerstaysError("A session has a page of two rankers, and a list of the positions that were clicked.")
    outcome = page.credit(clicks, rule)
    text = json.dumps({"page": page.to_json(), "clicks": [*clicks], "rule": rule}, separators=(",", ":"))
    if len(text) > MAX_CHARACTERS:
        raise WinnerstaysError(f"The session has {len(text):,} characters, but may have {MAX_CHARACTERS:,}.")
    if left == right or outcome in ("first", "second"):
        return replace(answer, winner=right if outcome == "second" else left, reason=text)
    return replace(answer, outcome="tie" if outcome == "tie" else "skip", reason=text)
