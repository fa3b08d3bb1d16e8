"""Answers that are sessions: two rankers made a list together, and the clicks on it say which of them won."""

import json
from collections.abc import Mapping
from dataclasses import replace

from winnerstays.arena.records import Answer
from winnerstays.errors import WinnerstaysError
from winnerstays.interleaving import Interleaved

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
