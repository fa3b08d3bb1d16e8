"""The contract of algorithms as a report: what was checked, and how to mend what is broken."""

from collections.abc import Callable

from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.checks import failure
from winnerstays.errors import WinnerstaysError
from winnerstays.testing.algorithms import CHECKS, NotApplicable, UnplayableError, play_in_plain

ADVICE = {
    "check_arms_in_range": "choose and best must return 0 to n_arms - 1, also with 2 arms.",
    "check_same_seed_same_duels": "Draw all randomness from rng (uniform, below, shuffle), never from np.random or the "
    "clock, and draw something: ties between arms must not be broken by their numbers.",
    "check_choose_changes_nothing": "Move whatever choose writes into the State to update.",
    "check_best_changes_nothing": "Move whatever best writes into the State to update.",
    "check_reloaded_state_has_same_future": "Keep everything that matters in the State, nothing in globals.",
    "check_finds_obvious_winner": "There are several causes: update does not credit the arm that won (first if "
    "first_won, else second), best looks at something else than update writes, or choose settles too early.",
    "check_relabelling_relabels_duels": "Break ties at random: np.argmax prefers low numbers; start with random "
    "fractions, or shuffle the arms in init.",
    "check_bounded_state": "Allocate everything in init; a State does not grow.",
    "check_leap_is_updates": "leap(state, n) must give what n updates give; leave out certain and leap if in doubt.",
    "check_any_pair_means_any": "Set any_pair=False, unless update learns from any pair at any time.",
    "check_passing_over_is_no_answer": "show, pass_ and tie must not count as wins.",
    "check_arms_come_and_go": "Leave out join and leave, unless arms may come and go.",
    "check_choosing_among": "among must return two different eligible arms and change nothing.",
    "check_same_in_other_process_and_mode": "Whole numbers of Python do not run over, compiled ones do; the order of "
    "sums may differ, too. WINNERSTAYS_COMPILE=0 shows the plain run.",
}


def _ended(name: str, said: str, say: Callable[[str], object]) -> AssertionError:
    """Report a failure after which nothing else can be checked."""
    say(f"BROKEN  {said}\n        The rest was not checked.")
    say(f"{name} BREAKS the contract: it cannot be played")
    return AssertionError(said)


def _explained(algorithm: Algorithm, error: Exception) -> WinnerstaysError:
    """Return the sentence for an exception; it names the line if the steps also fail in plain Python."""
    try:
        play_in_plain(algorithm)
    except Exception as again:
        error = again
    return failure(algorithm, "a check", error)


def check_contract(algorithm: Algorithm, say: Callable[[str], object] = print) -> None:
    """Run every check and report its result; raise AssertionError with the first broken rule.

    >>> from winnerstays import algorithm
    >>> said = []
    >>> check_contract(algorithm("random"), said.append)
    >>> said[0]
    'ok      arms in range: Every duel is between arms that exist, and so is the favourite, with 2 arms, 3, 17 and 40.'
    """
    broken: list[str] = []
    idle = 0
    for check in CHECKS:
        name = check.__name__.removeprefix("check_").replace("_", " ")
        try:
            limits = check(algorithm)
        except (WinnerstaysError, UnplayableError) as error:
            raise _ended(algorithm.name, str(error), say) from None
        except AssertionError as error:
            broken.append(f"{name}: {error}")
            say(f"BROKEN  {name}: {error}\n        {ADVICE[check.__name__]}")
        except Exception as error:
            raise _ended(algorithm.name, str(_explained(algorithm, error)), say) from None
        else:
            rule = " ".join((check.__doc__ or "").split("\n\n")[0].split())
            if isinstance(limits, NotApplicable):
                idle += 1
                say(f"-       {name}: does not apply, as {limits}")
            else:
                say(f"ok      {name}: {rule}" + (f" ({limits})" if limits else ""))
    if broken:
        say(f"{algorithm.name} BREAKS the contract: {len(broken)} of {len(CHECKS)} checks")
        raise AssertionError(f"{algorithm.name} breaks {len(broken)} of {len(CHECKS)} rules; the first: {broken[0]}")
    aside = f", of which {idle} do not apply" if idle else ""
    say(f"{algorithm.name} keeps the contract: {len(CHECKS)} checks{aside}")
