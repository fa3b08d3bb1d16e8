"""A language model as judge, against an endpoint on the loopback that is slow, busy, broken, wordy or silent."""

import json
import math
import os
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from winnerstays import WinnerstaysError, pick
from winnerstays.picking import llm_judge


class Endpoint(ThreadingHTTPServer):
    """Prefers what comes first in the alphabet. `script` may give another reply to the question with a number."""

    def __init__(self, script=lambda number: None):
        self.script, self.asked, self.lock, self.port = script, [], threading.Lock(), 0
        super().__init__(("127.0.0.1", 0), Handler)
        self.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        """The client went away."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.asked.append((body, dict(self.headers)))
            number = len(self.server.asked)
        status, headers, said = self.server.script(number) or (200, {}, prefer(body))
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        message = dict(said) if isinstance(said, dict) else {"content": said}
        tokens = message.pop("logprobs", None)
        choice = {"message": message, "logprobs": None if tokens is None else {"content": tokens}}
        raw = json.dumps({"choices": [choice], "usage": usage}).encode()
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *words):
        pass


def prefer(body):
    text = body["messages"][1]["content"]
    a, b = (text.split(f"Candidate {side}:\n")[1].split("\n")[0] for side in "AB")
    return "Surely: " + json.dumps({"reason": "by the alphabet", "winner": "A" if a < b else "B"})


@contextmanager
def endpoint(script=lambda number: None):
    server = Endpoint(script)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def judging(server, **options):
    judge = llm_judge("which comes first?", model="small", base_url=server.url, key=None, **options)
    try:
        yield judge
    finally:
        judge.close()


def test_it_asks_blind_keeps_reasons_and_counts_what_is_spent(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cret")
    with endpoint() as server:
        judge = llm_judge("which?", model="small", base_url=server.url, key="MY_KEY", prices=(1.0, 10.0), max_tokens=99)
        result = pick({"x": "apple", "y": "pear"}, judge, examples=["in a pie", "raw"], swap="both", concurrency=4)
        judge.close()
    body, headers = server.asked[0]
    assert headers["Authorization"] == "Bearer s3cret" and (body["model"], body["max_tokens"]) == ("small", 99)
    assert "Task:\n" in body["messages"][1]["content"] and "which?" in body["messages"][0]["content"]
    assert not any(name in json.dumps(body["messages"]) for name in ('"x"', "x:", "y:"))
    assert result.best == "apple" and result.certified and result.flips == 0
    assert result.tokens == 120 * result.calls and result.cost == pytest.approx(0.0003 * result.calls)
    page = result.to_html()
    assert "by the alphabet" in page and judge.identity in page and f"cost {result.cost:.4g}" in page
    path = tmp_path / "rows.jsonl"
    result.to_examples(path)
    rows = list(map(json.loads, path.read_text().splitlines()))
    assert len(rows) == result.calls and {row["reason"] for row in rows} == {"by the alphabet"}
    assert all((row["chosen"], row["rejected"], row["winner"]) == ("apple", "pear", "x") for row in rows)
    assert {row["example"] for row in rows} <= {"in a pie", "raw"} and {row["judge"] for row in rows} == {
        judge.identity
    }


@pytest.mark.parametrize("said", ["A is better", '{"winner": "C"}', "", '{"reason": "cut off'])
def test_an_answer_that_is_no_json_is_repaired_once(said):
    with endpoint(lambda number: (200, {}, said) if number == 1 else None) as server, judging(server) as judge:
        answer = judge("apple", "pear")
    assert (answer.choice, answer.tokens) == ("left", 240)
    assert [message["role"] for message in server.asked[1][0]["messages"]] == ["system", "user", "assistant", "user"]


def test_an_answer_by_a_tool_and_a_grade_are_read():
    graded = {"tool_calls": [{"function": {"arguments": '{"winner": "B slightly better"}'}}]}
    with endpoint(lambda number: (200, {}, graded)) as server, judging(server, graded=True) as judge:
        assert judge("apple", "pear")[:2] == (0.25, None)


def test_the_chances_of_tokens_are_a_soft_answer():
    """The word that was said last counts: A with .6, B with .2; the A in the reason does not."""
    top = [{"token": " A", "logprob": math.log(0.6)}, {"token": "B", "logprob": math.log(0.2)}]
    tokens = [{"token": word, "top_logprobs": top if word == "A " else []} for word in ("A", ' "', "A ", '"}')]
    said = '{"reason": "A is", "winner": "A"}'
    with endpoint(lambda number: (200, {}, {"content": said, "logprobs": tokens})) as server:
        with judging(server, soft=True) as judge:
            assert judge("apple", "pear")[:2] == (pytest.approx(0.75), "A is")
        assert server.asked[0][0]["top_logprobs"] == 20
    tie = {"content": '{"reason": "A is good", "winner": "tie"}', "logprobs": tokens[:2]}
    with endpoint(lambda number: (200, {}, tie)) as server, judging(server, soft=True) as judge:
        assert judge("apple", "pear").choice == "tie"
    refused = pytest.raises(WinnerstaysError, match="gives no log-probabilities")
    with endpoint() as server, judging(server, soft=True) as judge, refused:
        pick(["a", "b"], judge)
    with pytest.raises(WinnerstaysError, match="soft and graded are both True"):
        llm_judge("which?", model="m", key=None, soft=True, graded=True)


def test_a_model_that_never_answers_in_json_has_failed_and_its_calls_cost():
    with endpoint(lambda number: (200, {}, "no")) as server, judging(server, prices=(1, 1)) as judge:
        with pytest.raises(
            WinnerstaysError, match="failed in every call: CallError: small answered 'no' in place of JSON"
        ):
            pick(["a", "b"], judge, retries=0)
        assert len(server.asked) == 6


@pytest.mark.parametrize(
    "broken", [(429, {"retry-after": "0"}, ""), (503, {}, ""), (200, {}, {"content_is": "missing"})]
)
def test_one_broken_reply_in_five_changes_nothing(broken):
    def script(number):
        return broken if number % 5 == 0 else None

    with endpoint(script) as server, judging(server) as judge:
        result = pick(list("abcd"), judge, concurrency=8, backoff=0, retries=9, seed=1)
    assert result.best == "a" and result.certified and result.errors == 0 < result.retries
    assert result.skips == 0 and len(server.asked) >= result.calls + result.retries


def test_a_server_that_hangs_costs_one_call():
    hold = threading.Event()

    def script(number):
        if number == 3:
            hold.wait(60)

    with endpoint(script) as server, judging(server, timeout=3) as judge:
        result = pick(["a", "b", "c"], judge, concurrency=4, retries=50, backoff=0, seed=1)
        hold.set()
    assert result.best == "a" and result.certified and result.retries >= 1


def test_money_is_a_budget():
    """Each call costs 120 of a million tokens at 1: 0.00012. Never more is spent than was given."""
    tie = '{"winner": "tie"}'
    with endpoint(lambda number: (200, {}, tie)) as server, judging(server, prices=(1, 1)) as judge:
        result = pick(["a", "b"], judge, budget="$0.0025")
        assert (result.stop, result.calls) == ("budget", 20) and result.cost <= 0.0025
    with endpoint() as server, judging(server) as judge:
        with pytest.raises(WinnerstaysError, match="the judge has no prices"):
            pick(["a", "b"], judge, budget="$2")
        assert not server.asked
    with pytest.raises(WinnerstaysError, match="does not say what its calls cost"):
        pick(["a", "b"], lambda left, right: left, budget="$2")
    with pytest.raises(WinnerstaysError, match="budget is '2 euros'"):
        pick(["a", "b"], lambda left, right: left, budget="2 euros")


def test_what_cannot_work_is_said_before_anything_is_paid(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(WinnerstaysError, match="environment variable OPENAI_API_KEY, which is empty"):
        llm_judge("which?", model="m")
    wrong_options = {
        "criterion is ' '": {"criterion": " "}, "two numbers": {"prices": (1,)}, "timeout is 0": {"timeout": 0},
        "must begin with http": {"base_url": "localhost"},
    }  # fmt: skip
    for sentence, wrong in wrong_options.items():
        with pytest.raises(WinnerstaysError, match=sentence):
            llm_judge(**{"criterion": "which?", "model": "m", "key": None, **wrong})
    refused = pytest.raises(WinnerstaysError, match=r"refuses the question \(401\).*model's name and the key")
    with endpoint(lambda number: (401, {}, "bad key")) as server, judging(server) as judge, refused:
        pick(["a", "b"], judge, concurrency=3)
    with judging(server) as judge, pytest.raises(WinnerstaysError, match="failed in every call: CallError: http://127"):
        pick(["a", "b"], judge, retries=0)


def test_another_criterion_is_another_judge(tmp_path):
    store = str(tmp_path / "run.db")
    with endpoint() as server, judging(server) as judge:
        pick(["a", "b"], judge, store=store, budget=3)
        other = llm_judge("which is longer?", model="small", base_url=server.url, key=None)
        with pytest.raises(WinnerstaysError, match="holds the answers of another judge, 'small "):
            pick(["a", "b"], other, store=store)
        other.close()
        assert other.identity.split()[0] == judge.identity.split()[0] and other.identity != judge.identity


def test_from_the_shell(tmp_path, run):
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    (drafts / "1.txt").write_text("pear")
    (drafts / "2.txt").write_text("apple")
    with endpoint() as server:
        model = ["--criterion", "which?", "--model", "small", "--base-url", server.url, "--key", "none"]
        rows = tmp_path / "rows.jsonl"
        code, out, err = run("pick", str(drafts), *model, "--budget", "$1", "--prices", "1,1", "--answers", str(rows))
        assert (code, out.startswith("2.txt is the best of 2: ")) == (0, True), err
        assert {json.loads(line)["chosen"] for line in rows.read_text().splitlines()} == {"apple"}
        for wrong, sentence in [(["--model", "small"], "needs --criterion and --model"),
                                ([*model, "--judge", "me"], "and no --judge"),
                                ([*model, "--budget", "$2"], "the judge has no prices"),
                                ([*model, "--prices", "cheap"], "--prices is 'cheap'")]:  # fmt: skip
            code, _, err = run("pick", str(drafts), *wrong)
            assert code == 2 and sentence in err, err


def test_killed_in_the_middle_it_pays_for_no_answer_twice(tmp_path):
    """kill -9 when the endpoint gets its 30th question; the next run asks at most what was then under way again."""
    script = textwrap.dedent("""
        import sys
        from winnerstays import pick
        from winnerstays.picking import llm_judge
        judge = llm_judge("which?", model="small", base_url=sys.argv[1], key=None)
        result = pick(list("abcdef"), judge, concurrency=4, store="run.db", seed=1, level=0.999, progress=False)
        judge.close()
        print(result.best, result.calls, result.earlier_calls)
    """)
    (tmp_path / "script.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def kill_at_30(number):
        if number == 30:
            running.kill()
            time.sleep(60)

    with endpoint(kill_at_30) as server:
        command = [sys.executable, "script.py", server.url]
        running = subprocess.Popen(command, cwd=tmp_path, env=environment)
        assert running.wait() == -9
        asked = len(server.asked)
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        best, calls, earlier = done.stdout.split()
    assert best == "a" and 20 <= int(earlier) < 30 <= asked
    assert len(server.asked) - asked <= int(calls) - int(earlier) + 4
