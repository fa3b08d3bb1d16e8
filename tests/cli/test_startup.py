"""What a command imports: a command that computes nothing waits for no compiler and no database library."""

import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from winnerstays.arena import Arenas
from winnerstays.cli import demo
from winnerstays.cli.readiness import MAX_WAIT_SECONDS, wait_and_call

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "numba", "scipy", "sqlalchemy", "matplotlib", "polars", "httpx", "uvicorn", "winnerstays.algorithms")
COMMANDS = """
import sys
from winnerstays.cli import main
for words in (["--version"], ["--help"], ["arena", "--help"], ["simulate", "--help"], ["arena", "list", sys.argv[1]]):
    sys.argv = ["winnerstays", *words]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, words
    heavy = [name for name in {heavy!r} if name in sys.modules]
    assert not heavy, f"{{' '.join(words)}} imports {{', '.join(heavy)}}"
"""


def test_commands_that_compute_nothing_import_nothing_heavy(tmp_path):
    path = str(tmp_path / "arena.db")
    with Arenas.open(path) as arenas:
        arenas.create("lunch", ["ramen", "tacos"])
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS.format(heavy=HEAVY), path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "lunch" in done.stdout and "tastes" in done.stdout


def test_a_python_without_the_package_is_told_how_to_set_up():
    done = subprocess.run(
        [sys.executable, "-S", "-m", "winnerstays"], capture_output=True, text=True, check=False, cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.returncode == 2 and "has no module 'typer'" in done.stderr and "make run" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_demo_keeps_its_data_out_of_the_way(tmp_path, monkeypatch):
    """In the user's folder for data; where that cannot be, in a temporary one."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert demo._own_database() == tmp_path / "data" / "winnerstays" / "demo.db"
    monkeypatch.setenv("XDG_DATA_HOME", __file__)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert demo._own_database().is_relative_to(tmp_path / "temporary") and demo._own_database().parent.is_dir()


def test_an_algorithm_is_found_without_importing_the_others():
    code = """
import sys
from winnerstays.algorithms import algorithm, registered
assert algorithm("ws-w").name == "ws-w" and algorithm("dts").name == "dts"
assert not [name for name in sys.modules if name.endswith(("rucb", "rmed", "qsa"))], "another one was imported"
assert algorithm("rmed2").name == "rmed2"  # its module has another name
assert "rucb" in registered()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_service_that_is_not_ready_is_asked_less_and_less_often():
    """Each time is a line in its log; it is asked until it is ready."""

    class Handler(BaseHTTPRequestHandler):
        answers = iter([503] * 8 + [200])

        def do_GET(self):
            self.send_response(next(self.answers))
            self.end_headers()

        def log_message(self, *_):
            """Nothing."""

    pauses, called = [], []
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        wait_and_call(f"http://127.0.0.1:{server.server_port}", lambda: called.append(1), pauses.append)
        server.shutdown()
    assert called == [1] and pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, MAX_WAIT_SECONDS, MAX_WAIT_SECONDS]
