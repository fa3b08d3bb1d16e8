"""Robots: simulated visitors who answer hundreds of duels a second through the same arena, drawn while they do.

Each robot is a user of its own whose name begins with `robot-`, and each of its answers says so in the log.
"""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from starlette.responses import Response

from winnerstays.arena import Answer, Arena, Ask, Duel
from winnerstays.arena.records import ROBOT_PREFIX, Request, Result
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import Problem
from winnerstays.problems.builtin import SUSHI_NAMES
from winnerstays.service.errors import RequestError, public
from winnerstays.web.computation import robot_problem
from winnerstays.web.forms import number
from winnerstays.web.pages import Page, Stream, Visit, headers

MAX_ROBOTS, MAX_DUELS = 100, 2000
SECONDS_BETWEEN_LINES = 0.1
STARTS_PER_SECOND = 1.0
"""From one address."""


@dataclass(frozen=True)
class Wish:
    """Which robots shall play: how many, how many duels each, and what they like."""

    likes: str
    p: float
    robots: int
    duels: int

    @classmethod
    def of(cls, form: dict[str, str], arena: Arena) -> "Wish":
        likes = form.get("likes", "order")
        if likes not in ("order", "sushi") or (likes == "sushi" and not knows_sushi(arena)):
            raise WinnerstaysError(f"The robots of this arena cannot like {likes!r}.")
        return cls(
            likes,
            number(form, "p", 0.51, 0.99, 0.8),
            int(number(form, "robots", 1, MAX_ROBOTS, 20)),
            int(number(form, "duels", 1, MAX_DUELS, 400)),
        )


def knows_sushi(arena: Arena) -> bool:
    """Whether the items that the arena shows are those of the paper's survey."""
    return set(ranked(arena, "order")) == set(SUSHI_NAMES)


def ranked(arena: Arena, likes: str) -> list[str]:
    """Return the items that are shown, in the order of the robots' problem."""
    return list(SUSHI_NAMES) if likes == "sushi" else [item.id for item in arena.items if not item.retired]


async def start(visit: Visit) -> Response:
    """Let robots play; the answer is a stream of lines, each with the whole curve so far. Closing it stops them."""
    arena = await visit.arena()
    if arena.settings.audience != "user":
        raise RequestError(
            "invalid",
            "Robots would teach everyone's learner here; they play where each visitor has their own.",
        )
    wish = Wish.of(await visit.form(), arena)
    visit.charge_address("robots", STARTS_PER_SECOND)
    return Stream(lines(visit, arena, wish), media_type="application/x-ndjson", headers=headers(visit.config))


async def lines(visit: Visit, arena: Arena, wish: Wish) -> AsyncIterator[str]:
    limits = asyncio.ensure_future(_limits(visit, wish, len(ranked(arena, wish.likes))))
    verdict: dict[str, Any] = {}
    try:
        async for state in play(visit, arena, wish):
            if limits.done():
                verdict = limits.result()
            yield json.dumps({**state, **verdict}) + "\n"
        yield json.dumps({**state, **await limits, "done": True}) + "\n"
    except WinnerstaysError as error:
        yield json.dumps({"error": public(error)}) + "\n"
    finally:
        limits.cancel()


async def _limits(visit: Visit, wish: Wish, n_items: int) -> dict[str, Any]:
    """Return the exact value and the bound; they are computed once for each wish."""
    known: dict[tuple[str, float, int], dict[str, Any]] = visit.state("limits", dict)
    key = (wish.likes, wish.p, n_items)
    if key not in known:
        question = {"kind": "limits", "likes": wish.likes, "n_items": n_items, "p": wish.p}
        async for answer in visit.jobs.run(question):
            known[key] = answer
    return known[key]


async def play(visit: Visit, arena: Arena, wish: Wish) -> AsyncIterator[dict[str, Any]]:
    """Play the robots' duels, one of each robot in every transaction; yield the curve now and then."""
    items = ranked(arena, wish.likes)
    problem = robot_problem(wish.likes, len(items), wish.p)
    ranks = {item: rank for rank, item in enumerate(items)}
    best, rng = items[problem.winner], np.random.default_rng()
    group = secrets.token_hex(4)
    users = [f"{ROBOT_PREFIX}{group}-{k}" for k in range(wish.robots)]
    regret, curve = 0, [0.0]
    started = shown = time.monotonic()
    duels = _duels(await visit.service.requests.execute([Ask(arena.name, user) for user in users]))
    for t in range(1, wish.duels + 1):
        regret += sum(best not in duel for duel in duels)
        curve.append(regret / wish.robots)
        requests: list[Request] = []
        for duel in duels:
            winner = duel.left if rng.random() < _chance(problem, ranks, duel) else duel.right
            requests.append(Answer(duel.id, winner, reason="robot", user=duel.user, arena=arena.name))
            if t < wish.duels:
                requests.append(Ask(arena.name, duel.user))
        duels = _duels(await visit.service.requests.execute(requests))
        now = time.monotonic()
        if now - shown >= SECONDS_BETWEEN_LINES or t == wish.duels:
            shown = now
            rate = round(t * wish.robots / max(now - started, 1e-9))
            yield {"t": t, "curve": _thinned(curve), "duels_per_second": rate, "robots": wish.robots, "group": group}


def _chance(problem: Problem, ranks: dict[str, int], duel: Duel) -> float:
    """Return the chance that the left item is chosen."""
    for item in (duel.left, duel.right):
        if item not in ranks:
            raise WinnerstaysError(f"The item {item!r} came while the robots played; start them again.")
    return float(problem.preferences[ranks[duel.left], ranks[duel.right]])


def _duels(results: list[Result]) -> list[Duel]:
    for result in results:
        if isinstance(result, WinnerstaysError):
            raise result
    return [result for result in results if isinstance(result, Duel)]


def _thinned(curve: list[float], most: int = 200) -> list[list[float]]:
    """Return (t, regret) of at most about this many points, the last one among them."""
    step = max(1, len(curve) // most)
    places = [*range(0, len(curve) - 1, step), len(curve) - 1]
    return [[t, round(curve[t], 3)] for t in places]


PAGES = [Page("/play/{name}/robots", {"POST": start}, scope="admin")]
