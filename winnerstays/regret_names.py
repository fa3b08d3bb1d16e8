"""The names of the regrets; `winnerstays.simulation.regret` says what each is."""

from collections.abc import Sequence

from winnerstays.errors import WinnerstaysError, unknown

REGRETS = ("weak-binary", "strong-binary", "weak-utility", "strong-utility", "strong-average")
COPELAND_REGRETS = ("weak-copeland", "strong-copeland", "weak-borda", "strong-borda")
"""Defined for every problem; recorded by default where there is no Condorcet winner."""
ALL_REGRETS = REGRETS + COPELAND_REGRETS


def check_regret_name(name: str, known: Sequence[str] = ALL_REGRETS) -> str:
    """Return the name of a regret; half a name is answered with the whole ones.

    >>> check_regret_name("weak", ["weak-x", "weak-y"])
    Traceback (most recent call last):
    winnerstays.errors.WinnerstaysError: There are several kinds of weak regret; say which: 'weak-x' or 'weak-y'.
    """
    if name not in known:
        senses = " or ".join(repr(regret) for regret in known if regret.startswith(f"{name}-"))
        if senses:
            raise WinnerstaysError(f"There are several kinds of {name} regret; say which: {senses}.")
        raise unknown("regret", name, known)
    return name
