"""Which items of an arena may be shown to whoever asks."""

from collections.abc import Iterable, Sequence

from winnerstays.algorithms import registered
from winnerstays.arena.cache import ArenaRuntime
from winnerstays.arena.records import Ask
from winnerstays.errors import WinnerstaysError, unknown

SAID = 5
"""So many ids of a list are said in an error."""


def find_eligible(arena: ArenaRuntime, ask: Ask) -> tuple[int, ...] | None:
    """Return the items of which two may be shown; None if these are all that are not retired."""
    if ask.among is None and not ask.without:
        return None
    found = find_items(arena, ask.among)
    found -= find_items(arena, ask.without) if ask.without else set()
    if len(found) < 2:
        raise WinnerstaysError(
            f"A duel needs 2 items, but of those asked for the arena {arena.name!r} may show {len(found)}: "
            f"among={_short(ask.among)}, without={_short(ask.without)}."
        )
    if found == arena.there:
        return None
    if arena.rules.algorithm.serving.among is None:
        able = ", ".join(name for name, one in registered().items() if one.serving.among is not None)
        raise WinnerstaysError(
            f"The algorithm {arena.settings.algorithm!r} of the arena {arena.name!r} cannot choose among some of the "
            f"items; these can: {able}."
        )
    return tuple(sorted(found))


def _short(ids: Sequence[str] | str | None) -> str:
    """Return what was asked for, of long lists the beginning."""
    if ids is None or isinstance(ids, str) or len(ids) <= SAID:
        return repr(ids)
    return f"({', '.join(map(repr, ids[:SAID]))}, and {len(ids) - SAID:,} more)"


def find_items(arena: ArenaRuntime, wanted: Iterable[str] | str | None) -> set[int]:
    """Return the items with these ids, or of the set of this name, that are not retired; None stands for all."""
    if wanted is None:
        return set(arena.there)
    if isinstance(wanted, str):
        sets = arena.settings.sets
        if wanted not in sets:
            raise WinnerstaysError(f"The arena {arena.name!r} has no such set. {unknown('set', wanted, sets)}")
        wanted = sets[wanted]
    if not isinstance(wanted, Iterable):
        raise WinnerstaysError(f"Items are named by a list of ids or by the name of a set, not by {wanted!r}.")
    found = set()
    for id_ in wanted:
        arm = arena.arms.get(id_) if isinstance(id_, str) else None
        if arm is None:
            raise WinnerstaysError(f"The arena {arena.name!r} has no such item. {unknown('item', id_, arena.arms)}")
        found.add(arm)
    return found & arena.there
