"""A user's duels as the line of iterations and rounds of the paper's Figure 1."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from winnerstays.arena import Event


@dataclass
class Iteration:
    """Duels in a row of one pair: the incumbent and the challenger, until one of the two stays."""

    pair: tuple[str, str]
    round: int
    winners: list[str | None] = field(default_factory=list)
    """Whoever was chosen in each duel; None for a tie or a skip."""
    stays: str | None = None
    """Whoever meets the next challenger; None while the iteration goes on."""


def iterations(events: Iterable[Event], n_items: int, in_rounds: bool = True) -> list[Iteration]:
    """Return the iterations that the accepted answers of a user make. A round of Winner Stays has N-1 of them."""
    history: list[Iteration] = []
    for event in events:
        if event.kind == "undone" and history:
            history[-1].winners.pop()
            if not history[-1].winners:
                history.pop()
                if history:
                    history[-1].stays = None
        if event.kind not in ("learned", "noted") or event.left is None or event.right is None:
            continue
        pair = (event.left, event.right)
        if not history or set(history[-1].pair) != set(pair):
            if history:
                common = set(history[-1].pair) & set(pair)
                history[-1].stays = common.pop() if len(common) == 1 else None
            history.append(Iteration(pair, 1 + len(history) // (n_items - 1) if in_rounds else 1))
        history[-1].winners.append(event.winner)
    return history
