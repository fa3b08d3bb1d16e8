"""Sentences in a winner's column: `Ajax won by 3`, `home win OT`, `W 3-1`, `A>>B`, `A is slightly better`."""

import re

from winnerstays.problems.readers.scores import score_of
from winnerstays.problems.readers.side_words import WIN, Codes, plain

BY_POINTS = re.compile(r"[bw]\+.*")
"""Black or White has won, by points or otherwise, as in records of Go."""
BEAT = {"beat", "beats", "defeated", "defeats", "def", "d"}
WALK_OFF = re.compile(r"[wlt]-[a-z]+")
BETTER = re.compile(r"(\w+(?: \w+)?) (?:is|was) (?:\w+ ){0,2}(?:better|preferred|best)\.?")
"""`A is slightly better`."""
MORE = re.compile(r"(\w+(?: \w+)?) ?([<>=~]+) ?(\w+(?: \w+)?)")
"""Which side is better, as judges write it: `A>>B`."""


def named_in_a_sentence(said: str, first: str, second: str) -> float | None:
    """Return who has won by a sentence that begins with a name: `Ajax won`, `India won by 5 runs`, `A beat B`."""
    for name, share in ((first, 1.0), (second, 0.0)):
        if len(said) > len(name) and said.startswith(name) and said[len(name)] in " ,:":
            verb = plain(said[len(name) :]).partition(" ")[0]
            if verb in WIN or verb in BEAT:
                return share
    return None


def side_in_a_sentence(value: str, codes: Codes) -> float | None:
    """Return what W 3-1 says, or `lost 0-2`, `home win OT`, `B+R`."""
    word, _, rest = value.partition(" ")
    if word.isalpha() and score_of(rest) is not None:
        return codes.get(word)
    if BY_POINTS.fullmatch(value) or WALK_OFF.fullmatch(value):
        return codes.get(value[0])
    if better := BETTER.fullmatch(value):
        return codes.get(better[1])
    if more := MORE.fullmatch(value):
        one, other = codes.get(more[1]), codes.get(more[3])
        if one is not None and other is not None and {one, other} == {0.0, 1.0}:
            return 0.5 if more[2][0] in "=~" else one if more[2][0] == ">" else other
    side, won, how = [*value.split(" ", 2), "", ""][:3]
    return codes.get(f"{side} {won}") if how and won in WIN and not any(map(str.isdigit, how)) else None
