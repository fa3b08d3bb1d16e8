"""The picture of what is being learned: how surely the favourite beats each rival, as bars."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from winnerstays.arena import Duel, Standing
from winnerstays.web.items import Card

MAX_BARS = 40
"""With more rivals than this the bars would be too thin: only the bar of all together is shown."""

MANY = 1000
"""An estimate above this is a guess, and is not told as a number."""


@dataclass(frozen=True)
class Bar:
    """One rival. `filled` is 1 when the favourite surely beats it; `now` if it is on the screen."""

    card: Card
    won: int
    lost: int
    filled: float
    now: bool


@dataclass(frozen=True)
class LearningPicture:
    favourite: Card
    challenger: Card | None
    """Whoever meets the incumbent, for algorithms in which the favourite is the incumbent."""
    progress: float
    """1 when the confidence has reached its level."""
    certainty: str
    """How sure the favourite is, in words; the confidence is none for a long time, while the bars fill."""
    sure: bool
    duels_left: str
    """About how many duels are missing, in words; empty if nothing can be said."""
    rivals: tuple[Bar, ...]


def draw(standing: Standing, card: Callable[[str], Card], duel: Duel | None = None) -> LearningPicture:
    """Return the picture of a standing; `card` finds the card of an item by its id.

    The confidence is 1 - (N-1)/min(e) (arena/confidence.py), so its level is reached once every rival's evidence e is
    (N-1)/(1-level): each bar is log e on the way there, and all together are their mean.
    """
    enough = math.log(len(standing.rivals) / (1 - standing.level))
    filled = {rival.item: _share(rival.evidence, enough) for rival in standing.rivals}
    on_screen = {duel.left, duel.right} if duel is not None else set()
    challenger = None
    if standing.round is not None and standing.favourite in on_screen and len(on_screen) == 2:
        challenger = card((on_screen - {standing.favourite}).pop())
    return LearningPicture(
        favourite=card(standing.favourite),
        challenger=challenger,
        progress=sum(filled.values()) / len(filled),
        certainty=_certainty(math.floor(100 * standing.certified)),
        sure=standing.sure,
        duels_left=_in_words(standing.duels_needed) if standing.learned else "",
        rivals=tuple(
            Bar(card(rival.item), rival.won, rival.lost, filled[rival.item], rival.item in on_screen)
            for rival in sorted(standing.rivals, key=lambda rival: rival.item)
        ) if len(standing.rivals) <= MAX_BARS else (),
    )  # fmt: skip


def _certainty(percent: int) -> str:
    return f"{percent} % sure" if percent else "Not sure yet"


def _in_words(duels: int | None) -> str:
    if not duels:
        return ""
    return f"about {duels}" if duels <= MANY else f"more than {MANY}"


def _share(evidence: float, enough: float) -> float:
    return min(1.0, max(0.0, math.log(evidence) / enough)) if evidence > 0 else 0.0
