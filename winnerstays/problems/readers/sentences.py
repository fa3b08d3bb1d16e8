"""Duels in words, one a line: `Ann beats Bob`, `Ann 2-1 Bob`, `Ann - Bob 3:1`, `Ann vs Bob: Ann`."""

import re

from winnerstays.problems.readers.side_words import TIES

WON = r"beats?|defeats?|defeated|(?:wins?|won) (?:over|against)|over|bt\.?|def\.?"
LOST = r"(?:loses?|lost) (?:to|against)|(?:is |was )?(?:beaten|defeated) by"
TIED = r"(?:ties|tied|draws|drew)(?: with| against)?"
SENTENCE = re.compile(
    rf"(?P<first>.+?)\s+(?:(?P<lost>{LOST})|(?P<won>{WON})|(?P<tied>{TIED}))\s+"
    r"(?P<second>.+?)(?:[\s,(]+\d+\s*[-\N{EN DASH}:]\s*\d+.*)?[.,;!]?",
    re.IGNORECASE,
)
SAID = "sentences, one a line"
AGAIN = re.compile(rf"\s(?:{LOST}|{WON}|{TIED}|>)\s", re.IGNORECASE)
SCORE = r"(?P<one>\d{1,3})\s*[-\N{EN DASH}:]\s*(?P<other>\d{1,3})"
NAME = r"[^\W\d_][^,;|\t]*?|\d{1,4}\.?\s[^\W\d_][^,;|\t]*?"
VERSUS = r"vs?\.?|versus|gegen|contre|contra|tegen"
BETWEEN = rf"[-\N{{EN DASH}}\N{{EM DASH}}]|{VERSUS}"
SCORED = (
    re.compile(rf"(?P<first>{NAME})\s+{SCORE}\s+(?P<second>{NAME})", re.IGNORECASE),
    re.compile(rf"(?P<first>{NAME})\s+(?:{BETWEEN})\s+(?P<second>{NAME}):?\s+{SCORE}", re.IGNORECASE),
)
NAMED = re.compile(rf"(?P<first>[^,;|\t]+?)\s+(?:{VERSUS})\s+(?P<second>[^,;|\t]+?)\s*[:>]\s*(?P<winner>[^:>]+)", re.I)
ANOTHER = re.compile(rf"{SCORE}|\s(?:{BETWEEN})\s", re.IGNORECASE)
"""A second score or a second meeting: more than one duel, for all that is known."""


def sentence(text: str) -> str:
    """Return the order that a sentence says, without the score behind it; nothing if it says none.

    >>> sentence("Ann beats Bob 3-1"), sentence("Ann lost to Bob."), sentence("Ann drew with Bob"), sentence("over it")
    ('Ann > Bob', 'Bob > Ann', 'Ann = Bob', '')
    """
    found = SENTENCE.fullmatch(text)
    if found is None or AGAIN.search(found["second"]):
        return ""
    first, second = found["first"], found["second"]
    return f"{first} = {second}" if found["tied"] else f"{first} > {second}" if found["won"] else f"{second} > {first}"


def in_words(text: str) -> tuple[str, str]:
    """Return a score or a named winner as a sentence, and what was assumed; any other text as it is.

    >>> in_words("Ann 2-1 Bob"), in_words("Ann vs Bob: tie")
    (('Ann beats Bob', 'the higher score wins'), ('Ann drew with Bob', 'the winner stands behind both'))
    """
    if "  " in text:  # as in a table
        return text, ""
    for scored in SCORED:
        found = scored.fullmatch(text)
        if found and not any(ANOTHER.search(found[side]) for side in ("first", "second")):
            one, other = int(found["one"]), int(found["other"])
            return _said(found["first"], found["second"], (one > other) - (one < other)), "the higher score wins"
    found = NAMED.fullmatch(text)
    if found:
        first, second, winner = (found[name].strip() for name in ("first", "second", "winner"))
        sides = {first.lower(): 1, second.lower(): -1, **dict.fromkeys(TIES, 0)}
        if winner.lower() in sides:
            return _said(first, second, sides[winner.lower()]), "the winner stands behind both"
    return text, ""


def _said(first: str, second: str, ahead: int) -> str:
    return f"{first} {('drew with', 'beats', 'lost to')[ahead]} {second}"
