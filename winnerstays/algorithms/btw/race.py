"""A race between the incumbent and a challenger, as BTW and its variants play it: one round."""

from typing import NamedTuple

from winnerstays.compiling import kernel


class Race(NamedTuple):
    """The first arm to win `target` duels wins the race."""

    incumbent: int
    challenger: int
    target: int  # r
    incumbent_wins: int
    challenger_wins: int


def new_race(incumbent: int, challenger: int) -> Race:
    """Return the race of the first round."""
    return Race(incumbent=incumbent, challenger=challenger, target=1, incumbent_wins=0, challenger_wins=0)


@kernel
def count(race: Race, first: int, first_won: bool) -> Race:
    """Count a duel."""
    if (first == race.incumbent) == first_won:
        return race._replace(incumbent_wins=race.incumbent_wins + 1)
    return race._replace(challenger_wins=race.challenger_wins + 1)


@kernel
def is_over(race: Race) -> bool:
    """Whether one of the two has won the race."""
    return race.incumbent_wins == race.target or race.challenger_wins == race.target


@kernel
def incumbent_won(race: Race) -> bool:
    """Whether the incumbent won a race that is over."""
    return race.incumbent_wins == race.target
