"""What mypy sees of `AsyncArena`; `make types` checks this file."""

from typing import assert_type

from winnerstays import AsyncArena, AsyncArenas
from winnerstays.arena import Duel, Receipt, Standing
from winnerstays.arena.sessions import Session


async def types(arena: AsyncArena, arenas: AsyncArenas) -> None:
    """Say the type of what each kind of method returns."""
    assert_type(await arena.ask("ada", among="soups"), Duel)
    assert_type(await arena.ask_many(["ada", "bob"]), list[Duel])
    assert_type(await arena.tell("id", outcome="tie"), Receipt)
    assert_type(await arena.standing("ada", level=0.9), Standing)
    assert_type(await arena.best(user="ada"), str)
    assert_type(await arena.session("ada", {}), Session)
    assert_type(await arenas.get("lunch"), AsyncArena)
    assert_type([event.seq async for event in arena.events(after=3)], list[int])
    await arena.ask(usr="ada")  # type: ignore[call-arg]
    await arena.standing(level="high")  # type: ignore[arg-type]
