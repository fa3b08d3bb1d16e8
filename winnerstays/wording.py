"""Numbers and lists of things in sentences."""

from collections.abc import Sequence


def counted(number: float, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "bad row"), counted(2, "bad row"), counted(2.5, "duel"), counted(1e6, "duel")
    ('1 bad row', '2 bad rows', '2.5 duels', '1000000 duels')
    """
    return f"{number:.15g} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], shown: int) -> str:
    """List the first names, and show with dots that there are more.

    >>> listed(["a", "b"], 2), listed(["a", "b", "c"], 2)
    ('a, b', 'a, b, ...')
    """
    return ", ".join([*names[:shown], *(["..."] if len(names) > shown else [])])
