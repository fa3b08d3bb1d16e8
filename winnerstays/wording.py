"""Numbers of things in sentences."""


def counted(number: float, noun: str) -> str:
    """Say how many there are.

    >>> counted(1, "bad row"), counted(2, "bad row"), counted(2.5, "duel"), counted(1e6, "duel")
    ('1 bad row', '2 bad rows', '2.5 duels', '1000000 duels')
    """
    return f"{number:.15g} {noun}{'' if number == 1 else 's'}"
