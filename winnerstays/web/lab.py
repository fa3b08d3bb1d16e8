"""The lab: simulate algorithms on a problem, in the background, and draw their regret."""

import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from winnerstays.algorithms import registered
from winnerstays.errors import WinnerstaysError
from winnerstays.problems import FIXED, GENERATED
from winnerstays.regret_names import REGRETS
from winnerstays.service.errors import RequestError
from winnerstays.web.forms import number
from winnerstays.web.pages import Page, Stream, Visit, headers

DEFAULTS = {
    "problem": "sushi", "algorithms": "ws-w rucb rmed1", "horizon": "2000", "runs": "100", "seed": "1",
    "regret": "weak-binary", "file": "", "data": "",
}  # fmt: skip
MAX_HORIZON, MAX_RUNS, MAX_DUELS = 1_000_000, 2000, 2e8
MAX_WAITING = 8
"""The most simulations of this process that run or wait."""
MAX_ALGORITHMS = 8
MAX_DATA_IN_LINK = 4000
"""Characters of a file up to which the link holds it."""


async def show(visit: Visit) -> Response:
    """Show the form, filled in by the link."""
    form = {name: visit.request.query_params.get(name, default) for name, default in DEFAULTS.items()}
    given = "problem" in visit.request.query_params
    return visit.render(
        "lab.html", form=form, given=given, problems=[*FIXED, *GENERATED], algorithms=registered(), regrets=REGRETS
    )


async def run(visit: Visit) -> Response:
    """Simulate; the answer is a stream of lines: how far it is, then the curves. Closing it cancels."""
    form = DEFAULTS | await visit.form()
    question = read_question(form)
    address = visit.network
    running: set[str] = visit.state("simulations", set)
    if address in running:
        raise RequestError("rate", "One simulation at a time: cancel yours, or wait for its end.")
    if len(running) >= MAX_WAITING:
        raise RequestError("rate", f"{MAX_WAITING} simulations run or wait already; try again later.")
    running.add(address)

    async def lines() -> AsyncIterator[str]:
        try:
            async for line in visit.jobs.run(question):
                yield json.dumps(line | {"link": link(form)} if "curves" in line else line) + "\n"
        except WinnerstaysError as error:
            yield json.dumps({"error": str(error)}) + "\n"
        finally:
            running.discard(address)

    return Stream(lines(), media_type="application/x-ndjson", headers=headers(visit.config))


def read_question(form: dict[str, str]) -> dict[str, Any]:
    """Return the simulation that a form asks for, with everything checked that can be checked at once."""
    algorithms = form["algorithms"].replace(";", " ").split()
    if not 1 <= len(algorithms) <= MAX_ALGORITHMS:
        raise WinnerstaysError(f"Name 1 to {MAX_ALGORITHMS} algorithms, such as ws-w, not {len(algorithms)}.")
    horizon = int(number(form, "horizon", 1, MAX_HORIZON, 2000))
    runs = int(number(form, "runs", 2, MAX_RUNS, 100))
    if horizon * runs * len(algorithms) > MAX_DUELS:
        raise WinnerstaysError(
            f"{len(algorithms)} algorithms, {runs} runs and {horizon} duels are too much for the lab "
            f"(at most {MAX_DUELS:g} duels in all); `winnerstays simulate` has no such limit."
        )
    if form["regret"] not in REGRETS:
        raise WinnerstaysError(f"There is no regret {form['regret']!r}; it is one of {', '.join(REGRETS)}.")
    return {
        "kind": "simulate", "name": form["problem"], "file": form["file"], "data": form["data"],
        "algorithms": algorithms, "horizon": horizon, "runs": runs,
        "seed": int(number(form, "seed", 0, 2**53, 1)), "regret": form["regret"],
    }  # fmt: skip


def link(form: dict[str, str]) -> str:
    """Return the address that shows the same simulation again; '' if it would need a file that is too long for it."""
    if len(form["data"]) > MAX_DATA_IN_LINK:
        return ""
    return "/lab?" + urlencode({name: form[name] for name in DEFAULTS if form[name]})


PAGES = [Page("/lab", {"GET": show, "POST": run}, scope="read")]
