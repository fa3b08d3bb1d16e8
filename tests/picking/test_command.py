"""`winnerstays pick` from the shell: a command as judge, files as candidates, a person at a terminal, bad input."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from winnerstays.picking import command
from winnerstays.picking.judging import JudgeStoppedError

JUDGE = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    key = asked.get("example", {}).get("by", "first") if isinstance(asked.get("example"), dict) else "first"
    chosen = min(asked["left"], asked["right"]) if key == "first" else max(asked["left"], asked["right"])
    print(json.dumps({"winner": "left" if chosen == asked["left"] else "right"}), flush=True)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.py").write_text(JUDGE)
    (tmp_path / "items.txt").write_text("cherry\n\napple\nbanana\n")
    return tmp_path


SECONDS = 60
COMMAND = f"{sys.executable} judge.py"


def test_a_command_is_asked_by_json_lines(folder, run):
    code, out, err = run(
        "pick", "items.txt", "--judge", COMMAND, "--json", "-", "--html", "page.html", "--concurrency", "3"
    )
    assert (code, err) == (0, "written: page.html\n")
    found = json.loads(out)
    assert found["best"] == "apple" and found["certified"] and found["remaining"] == ["apple"]
    assert "apple" in (folder / "page.html").read_text()
    code, out, _ = run("pick", "items.txt", "--judge", COMMAND, "--level", "0.9")
    assert code == 0 and out.startswith("apple is the best of 3")


def test_examples_and_a_store(folder, run):
    (folder / "rows.jsonl").write_text('{"by": "first", "row": 1}\n{"by": "last"}\n{"by": "first", "row": 2}\n')
    arguments = [
        "pick",
        "items.txt",
        "--judge",
        COMMAND,
        "--examples",
        "rows.jsonl",
        "--store",
        "run.db",
        "--json",
        "-",
    ]
    first = json.loads(run(*arguments, "--budget", "7")[1])
    assert first["stop"] == "budget" and first["calls"] == 7
    second = json.loads(run(*arguments)[1])
    assert second["best"] == "apple" and second["calls"] > 7
    code, _, err = run("pick", "items.txt", "--judge", COMMAND, "--store", "run.db")
    assert code == 2 and "another pick" in err


def test_candidates_are_files_and_folders(folder, run):
    drafts = folder / "drafts"
    (drafts / "deep").mkdir(parents=True)
    (drafts / "one.md").write_text("zebra")
    (drafts / "two.md").write_text("aardvark")
    found = json.loads(
        run("pick", str(drafts / "one.md"), str(drafts / "two.md"), "--judge", COMMAND, "--json", "-")[1]
    )
    assert found["best"] == "two.md"
    (drafts / "deep" / "a.txt").write_text("first")
    (drafts / "deep" / "b.txt").write_text("second")
    (folder / "longest.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    q = json.loads(line)\n"
        "    print(json.dumps({'winner': 'left' if isinstance(q['left'], dict) else "
        "'right' if isinstance(q['right'], dict) else 'tie'}), flush=True)\n"
    )
    judge = f"{sys.executable} longest.py"
    found = json.loads(run("pick", "drafts", "--judge", judge, "--json", "-", "--budget", "200")[1])
    assert found["best"] == "deep"
    (folder / "list.txt").write_text("drafts/one.md\ndrafts/two.md\n")
    assert json.loads(run("pick", "list.txt", "--judge", COMMAND, "--json", "-")[1])["best"] == "drafts/two.md"
    (folder / "named.json").write_text('{"p": "b", "q": "a"}')
    assert json.loads(run("pick", "named.json", "--judge", COMMAND, "--json", "-")[1])["best"] == "q"


def test_bad_input_gets_a_sentence(folder, run):
    (folder / "one.txt").write_text("alone\n")
    (folder / "empty.jsonl").write_text("\n")
    (folder / "bad.jsonl").write_text("{\n")
    (folder / "odd.py").write_text("import sys\nfor line in sys.stdin: print('left', flush=True)\n")
    cases = [
        (["one.txt", "--judge", COMMAND], "at least 2 items"),
        (["nowhere.txt", "--judge", COMMAND], "nowhere.txt: the file cannot be read"),
        (["items.txt", "--judge", "no-such-command-at-all"], "cannot be run"),
        (["items.txt", "--judge", "'"], "is not a command"),
        (["items.txt", "--judge", COMMAND, "--examples", "empty.jsonl"], "no examples"),
        (["items.txt", "--judge", COMMAND, "--examples", "bad.jsonl"], "line 1 is not JSON"),
        (["items.txt", "--judge", COMMAND, "--level", "1.5"], "level is 1.5"),
        (["items.txt", "--judge", f"{sys.executable} odd.py"], "answered 'left', but it must answer a line"),
        (["items.txt", "--judge", "me"], "in a terminal, but this is none"),
        (["items.txt"], "--judge"),
        (["items.txt", "--data", "items.txt"], "leave out the candidates"),
        (["--data", "items.txt", "--budget", "9"], "leave out --budget"),
        (["--data", "items.txt", "--examples", "items.txt"], "leave out --examples"),
        (["--data", "nowhere.csv"], "nowhere.csv"),
        (["items.txt", "--judge", "me", "--skip-bad"], "--skip-bad says how recorded judgements are read"),
        (["items.txt", "--judge", COMMAND, "--html", "no/such/folder.html"], "there is no folder"),
    ]
    for arguments, sentence in cases:
        code, _, err = run("pick", *arguments)
        assert code == 2 and sentence in err and "Traceback" not in err, (arguments, err)


@pytest.mark.parametrize(("option", "sentence"), [("--plot", ".png, .svg or .pdf"), ("--html", ".html or .htm"),
                                                  ("--json", ".json")])  # fmt: skip
def test_a_file_with_a_wrong_ending_is_refused_before_the_judge_is_asked(folder, run, option, sentence):
    judge = "touch asked"
    code, out, err = run("pick", "items.txt", "--judge", judge, option, "x.gif")
    assert (code, out) == (2, "") and f"written as {sentence}." in err and not (folder / "asked").exists()


def test_a_command_that_never_answers_is_started_twice(folder, run):
    (folder / "mute.py").write_text(
        "import sys\nprint('oh', file=open('starts', 'a'))\nsys.stdin.readline()\nsys.exit(3)\n"
    )
    code, _, err = run("pick", "items.txt", "--judge", f"{sys.executable} mute.py")
    assert code == 1 and "has never answered: started 2 times, it ended without an answer (exit code 3)." in err
    assert (folder / "starts").read_text().split() == ["oh", "oh"]


def test_a_command_that_answers_once_and_ends_is_started_for_each_question(folder, run):
    for _ in range(3):  # whether it ends before it is asked or after
        code, output, errors = run("pick", "items.txt", "--judge", """echo '{"winner": "left"}'""", "--budget", "5")
        assert code == 0 and "100% of 5 choices" in " ".join(output.split()), errors
        assert "again" not in output, "a process that has ended is no failed call"


def test_a_backtest_from_the_shell(folder, run):
    rows = ["left,right,winner"] + ["x,y,left"] * 30 + ["x,y,y"] * 10 + ["x,y,tie"] * 10
    (folder / "log.csv").write_text("\n".join(rows))
    code, out, _ = run("pick", "--data", "log.csv", "--runs", "20")
    assert code == 0 and "the best is x" in out and "20 replays each" in out


def test_a_backtest_says_how_it_was_read_and_can_be_told(folder, run):
    rows = ["one,two,who"] + ["x,y,1"] * 30 + ["x,y,2"] * 10 + ["x,y,0"] * 10 + ["x,,1"]
    (folder / "log.csv").write_text("\n".join(rows))
    command = ["pick", "--data", "log.csv", "--runs", "5", "--columns", "left=one,right=two,winner=who"]
    code, _, err = run(*command)
    assert code == 2 and "nothing in the column 'two'" in err
    code, out, _ = run(*command, "--codes", "0=tie,1=left,2=right", "--skip-bad")
    assert code == 0 and "the best is x" in out
    assert "Read: 50 duels, 10 of them ties" in " ".join(out.split()) and "1 bad row left out" in " ".join(out.split())


def test_no_process_is_left_when_it_ends_with_calls_under_way(folder, monkeypatch):
    """Two threads wait for an answer when the judge is closed; a call after that starts no new process."""
    monkeypatch.setattr(command, "WAIT_SECONDS", 0.1)
    (folder / "slow.py").write_text(
        "import os, sys, time\nsys.stdin.readline()\nopen(f'{os.getpid()}.pid', 'w').close()\ntime.sleep(60)\n"
    )
    judge = command.CommandJudge(f"{sys.executable} slow.py")
    with ThreadPoolExecutor() as threads:
        calls = [threads.submit(judge, "a", "b") for _ in range(2)]
        while len(pids := [int(path.stem) for path in folder.glob("*.pid")]) < len(calls):
            assert not any(call.done() for call in calls)
        judge.close()
    assert all("without an answer" in str(call.exception()) for call in calls)
    with pytest.raises(JudgeStoppedError, match="was closed"):
        judge("a", "b")
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_answers_of_another_command_are_not_used(folder, run):
    (folder / "left.py").write_text('import sys\nfor _ in sys.stdin:\n    print(\'{"winner": "left"}\', flush=True)\n')
    other = f"{sys.executable} left.py"
    assert run("pick", "items.txt", "--judge", COMMAND, "--store", "run.db")[0] == 0
    code, out, err = run("pick", "items.txt", "--judge", other, "--store", "run.db")
    assert (code, out) == (2, "") and f"another judge, {COMMAND!r}; this one is {other!r}" in err
    assert "--same-judge" in err and "same_judge=True" not in err
    code, out, _ = run("pick", "items.txt", "--judge", other, "--store", "run.db", "--same-judge")
    assert code == 0 and "(all of them in earlier runs)" in " ".join(out.split())
    code, out, err = run("pick", "items.txt", "--judge", other, "--seed", "1")
    assert (
        code == 1
        and "the judge said left 60 times in a row" in err.lower()
        and "tells nothing" in " ".join(out.split())
    )


class RingsWhenAsleep(threading.Thread):
    """A timer whose time is over once the judge sleeps: to start and to answer may take any time."""

    def __init__(self, seconds, ring, arguments):
        super().__init__(daemon=True)
        self._ring, self._arguments, self._cancelled = ring, arguments, threading.Event()

    def run(self):
        while not self._cancelled.wait(0.01):
            if (asleep := Path("asleep")).exists():
                asleep.unlink()
                self._ring(*self._arguments)
                return

    def cancel(self):
        self._cancelled.set()


def test_a_command_that_hangs_has_failed(folder, run, monkeypatch):
    """It hangs at each tenth question: that call is made again; one that always hangs is given up."""
    (folder / "hangs.py").write_text(JUDGE.replace("    asked =", "    hang()\n    asked =").replace("for line", """
import os, time
def hang():
    with open("asked.txt", "a") as file:
        file.write("x")
    if os.path.getsize("asked.txt") % 10 == EVERY:
        open("asleep", "w").close()
        time.sleep(600)
for line""").replace("EVERY", "5"))  # fmt: skip
    judge = f"{sys.executable} hangs.py"
    with monkeypatch.context() as patch:
        patch.setattr(command.threading, "Timer", RingsWhenAsleep)
        code, out, _ = run("pick", "items.txt", "--timeout", "3", "--judge", judge, "--level", "0.8")
    assert code == 0 and out.startswith("apple is the best of 3")
    (folder / "asleep.py").write_text("import time\ntime.sleep(600)\n")
    code, _, err = run(
        "pick", "items.txt", "--timeout", "0.1", "--retries", "0", "--judge", f"{sys.executable} asleep.py"
    )
    assert code == 1 and "failed in every call" in err and "gave no answer within 0.1 seconds" in err
    code, _, err = run("pick", "items.txt", "--timeout", "0", "--judge", COMMAND)
    assert code == 2 and "timeout is 0" in err


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_winnerstays(folder, end):
    """A judge that ignores that its input ends and that it should end, and what it has started, are gone as well."""
    (folder / "stays.py").write_text(
        "import os, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "open('draft', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "os.rename('draft', 'pids')\n"
        "time.sleep(600)\n"
    )
    words = ["-m", "winnerstays", "pick", "items.txt", "--judge", f"{sys.executable} stays.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, *words], stderr=subprocess.DEVNULL, env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    )  # fmt: skip
    while not (folder / "pids").exists():
        assert process.poll() is None
    pids = list(map(int, (folder / "pids").read_text().split()))
    process.send_signal(end)
    process.wait()
    while any(map(is_there, pids)):
        time.sleep(0.05)


def is_there(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


class Person:
    """Someone at a pseudo-terminal, who reads the screen and presses keys."""

    def __init__(self, *arguments):
        self.child, self.file = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="xterm", COLUMNS=str(WIDTH), LINES="30")
            os.execv(sys.executable, [sys.executable, "-m", "winnerstays", "pick", *arguments])

    def read_until(self, *texts):
        """Return the screen once it shows one of these texts."""
        screen = ""
        while not any(text in screen for text in texts):
            ready, _, _ = select.select([self.file], [], [], SECONDS)
            assert ready, f"{texts} did not appear in:\n{screen}"
            screen += self.read()
        return screen

    def read(self):
        try:
            return os.read(self.file, 65536).decode(errors="replace")
        except OSError:  # the terminal is closed
            return ""

    def press(self, keys):
        os.write(self.file, keys.encode())

    def end(self):
        """Return the exit code and what came last."""
        rest = ""
        while data := self.read():
            rest += data
        _, status = os.waitpid(self.child, 0)
        os.close(self.file)
        return os.waitstatus_to_exitcode(status), rest


LEFT, RIGHT, WIDTH = "\x1b[D", "\x1b[C", 100


def prefer(screen):
    """The key for `apple`, or for a tie where it is not shown."""
    row = next((line for line in screen.splitlines() if "apple" in line and "│" in line), None)
    return "=" if row is None else LEFT if row.index("apple") < WIDTH / 2 else RIGHT


def test_a_person_at_a_terminal(folder):
    """Undo, stop with q, go on with the same store until the favourite is certified."""
    arguments = ["items.txt", "--judge", "me", "--store", "run.db", "--level", "0.8"]
    person = Person(*arguments)
    screen = person.read_until("q stop")
    assert "u undo" not in screen
    assert "Which is better?" in screen and "0 calls" in screen
    person.press("x")  # no key of ours
    assert "That key means nothing here." in person.read_until("q stop")
    person.press(prefer(screen))
    second = person.read_until("q stop")
    assert "u undo" in second and "1 call," in second and "means nothing" not in second
    person.press("u")
    again = person.read_until("q stop")
    assert prefer(again) == prefer(screen) and "u undo" not in again
    person.press(prefer(again))
    person.read_until("q stop")
    person.press("s")
    person.read_until("q stop")
    person.press("q")
    code, rest = person.end()
    assert code == 0 and "stopped after 2 calls" in rest and "goes on from run.db" in rest, rest

    person = Person(*arguments)
    while "is the best of" not in (screen := person.read_until("q stop", "is the best of")):
        person.press(prefer(screen))
    code, _ = person.end()
    assert code == 0 and "apple is the best of 3" in screen
