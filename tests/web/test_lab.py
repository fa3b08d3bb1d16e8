"""The lab: a simulation from a form, its progress, its curves; cancelled, reproduced by a link, limited."""

import asyncio
import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.waiting import wait_until
from winnerstays.errors import WinnerstaysError
from winnerstays.simulation import simulate
from winnerstays.simulation.colours import COLOUR, COLOURS, different_colours
from winnerstays.theory.expected import expected_regret
from winnerstays.web import jobs
from winnerstays.web.computation import experiment
from winnerstays.web.lab import DEFAULTS, read_question

MATRIX = ",red,green,blue\nred,0.5,0.7,0.8\ngreen,0.3,0.5,0.6\nblue,0.2,0.4,0.5\n"


def lines(site, **form):
    response = site.post("/lab", data=form)
    assert response.status_code == 200, response.text
    return [json.loads(line) for line in response.text.splitlines()]


def test_curves_are_those_of_simulate_beside_what_theory_says(site):
    found = lines(site, problem="cyclic", algorithms="ws-w rucb", horizon="300", runs="20", seed="7")
    expected = simulate("cyclic", ["ws-w", "rucb"], horizon=300, runs=20, seed=7, times=found[-1]["times"])
    for curve in found[-1]["curves"]:
        assert curve["mean"] == pytest.approx(expected.curve(curve["label"], "weak-binary").mean.tolist())
    assert [curve["colour"] for curve in found[-1]["curves"]] == [COLOUR["ws-w"], COLOUR["rucb"]]
    assert found[-1]["exact"] == pytest.approx(expected_regret("cyclic").total.weak_binary, abs=0.1)
    assert found[-1]["exact"] < found[-1]["bound"]
    assert any(0 < line.get("progress", 0) <= 1 for line in found)


def test_an_algorithm_keeps_its_colour_whatever_stands_beside_it():
    assert different_colours(["scb", "rmed1", "rucb"])[1:] == different_colours(["rmed1", "ws-w", "rucb"])[::2]
    assert different_colours(["rmed1"]) == [COLOUR["rmed1"]]
    eight = ["ws-w", "ws-s", "ws-t", "ws-root", "scb", "rex3", "dts", "rucb"]
    assert len(set(different_colours(eight))) == 8
    assert different_colours([f"x{k}" for k in range(13)]) == [*COLOURS, COLOURS[0]]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"problem": "/etc/passwd"}, "passwd"),
        ({"problem": "total-order:n_arms=100000"}, "n_arms is 100000"),
        ({"problem": "three-types:per_type=3333"}, "per_type is 3333"),
        ({"problem": "linear-utilities:dimension=50000000"}, "dimension is 50000000"),
        ({"file": "names.csv", "data": "," + ",".join(map(str, range(12_000))) + "\n"}, "names.csv"),
        ({"file": "many.soc", "data": "# NUMBER ALTERNATIVES: 20000\n1: 1,2\n"}, "20000"),
        ({"algorithms": "ws-w nonsense"}, "nonsense"),
        ({"file": "matrix.csv", "data": "0.5,0.9\n0.2,0.5"}, "matrix.csv"),
        ({"file": "../../x", "data": "0"}, "x"),
    ],
)
def test_what_cannot_be_simulated_is_said_in_a_sentence(form, sentence):
    question = read_question(DEFAULTS | form)
    del question["kind"]
    with pytest.raises(WinnerstaysError, match=sentence) as error:
        experiment(**question)
    assert "/tmp" not in str(error.value)


def test_a_problem_that_cannot_be_simulated_ends_with_its_sentence(site):
    assert "passwd" in lines(site, problem="/etc/passwd")[-1]["error"]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"horizon": "0"}, "1 to 1e"), ({"runs": "x"}, "2 to 2000"), ({"algorithms": ""}, "1 to 8"),
        ({"horizon": "1000000", "runs": "2000"}, "too much"),
        ({"regret": "none"}, "no regret"),
        ({"seed": "-1"}, "seed"),
    ],
)  # fmt: skip
def test_bad_forms_get_a_sentence(site, form, sentence):
    response = site.post("/lab", data=form)
    assert response.status_code == 422 and sentence in response.text


def test_one_simulation_at_a_time_and_cancelling_ends_it(site):
    with site.stream("POST", "/lab", data=FORM) as response:
        coming = response.iter_lines()  # kept: an iterator that is thrown away closes the stream, and so cancels
        assert "progress" in next(coming)
        assert site.post("/lab", data={}).status_code == 429
    small = {"horizon": "1", "runs": "2", "algorithms": "ws-w"}
    wait_until(lambda: site.post("/lab", data=small).status_code == 200)  # the first one's process was killed


FORM = {"problem": "total-order:n_arms=50", "algorithms": "rmed1", "horizon": "100000", "runs": "2000"}
KILLED = """
import asyncio, os, signal, sys
from winnerstays.web.jobs import Jobs

async def serve():
    question = {"kind": "simulate", "name": "fifty", "file": "", "data": "", "algorithms": ["rmed1"], "horizon": 100000,
                "runs": 2000, "seed": 1, "regret": "weak-binary"}
    async for line in Jobs().run(question):
        (child,) = open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read().split()
        print(child, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(serve())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends by its limits")
def test_a_computation_dies_with_its_service():
    done = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL
    stat = Path(f"/proc/{done.stdout.strip()}/stat")
    wait_until(lambda: not stat.exists() or ") Z " in stat.read_text())


@pytest.mark.parametrize(
    ("limit", "most", "code", "sentence"),
    [("MAX_BYTES", 400_000_000, "bytearray(500_000_000)", "broke off"),
     ("MAX_SECONDS", 1, "while True: pass", "1 seconds of computing time")],
)  # fmt: skip
def test_a_computation_has_limits(monkeypatch, limit, most, code, sentence):
    monkeypatch.setattr(jobs, limit, most)
    monkeypatch.setattr(jobs, "COMMAND", (sys.executable, "-c", code))

    async def run():
        return [line async for line in jobs.Jobs().run({})]

    with pytest.raises(WinnerstaysError, match=sentence), ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()  # this thread may have the browser's loop


def test_a_file_a_link_and_cancelling_in_the_browser(site, open_page):
    page = open_page(f"{site.url}/lab")
    page.get_by_label("Algorithms").fill("ws-w")
    page.get_by_label("Duels", exact=True).fill("500")
    file = {"name": "colours.csv", "mimeType": "text/csv", "buffer": MATRIX.encode()}
    page.locator("#file").set_input_files(file)
    page.get_by_text("Taken from the file colours.csv.").wait_for()
    page.get_by_role("button", name="Simulate").click()
    legend = page.locator(".legend li").first
    legend.wait_for()
    first = legend.inner_text()
    page.locator("[data-start]:not(:disabled)").wait_for()
    page.goto(site.url + page.locator("[data-link]").get_attribute("href"))
    legend.wait_for()
    assert legend.inner_text() == first and first.startswith("ws-w: ")
    mark = legend.evaluate("item => getComputedStyle(item, '::before').backgroundColor")
    assert mark == "rgb({}, {}, {})".format(*bytes.fromhex(COLOUR["ws-w"].removeprefix("#")))
    page.locator("[data-start]:not(:disabled)").wait_for()
    page.goto(f"{site.url}/lab?problem=fifty&algorithms=rmed1&horizon=100000&runs=2000")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled.").wait_for()
