"""docs/service.md: its commands are run as they stand there, and nothing is left out."""

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.service.serving import service
from tests.waiting import PATIENCE_SECONDS
from winnerstays.arena import errors as arena_errors
from winnerstays.errors import WinnerstaysError
from winnerstays.service.endpoints import ENDPOINTS
from winnerstays.service.errors import STATUSES
from winnerstays.service.keys import SCOPES, ApiKeys

CURL = shutil.which("curl") or f"{sys.executable} {Path(__file__).with_name('curl.py')}"
TEXT = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
CURLS = [line for block in BLOCKS for line in block.splitlines() if "curl" in line]


def test_every_route_has_its_curl(tmp_path):
    """The documented commands, in their order, in one shell; every route is called and succeeds."""
    with service(str(tmp_path / "arena.db")) as client:
        key, _ = ApiKeys.of(client.arenas).create(["admin"])
        first, *blocks = (block for block in BLOCKS if "winnerstays" not in block)
        setting = first.replace("http://127.0.0.1:8000", str(client.base_url).rstrip("/"))
        script = "\n".join([f"KEY={key}", setting, *blocks])
        said = 'curl -sS -w "\\n%{http_code}\\n"'
        lines = [line if line.startswith("DUEL=") else line.replace("curl -sS", said) for line in script.splitlines()]
        setting = ["export no_proxy='*'", f'curl() {{ {CURL} "$@"; }}']
        shell = ["bash", "-euo", "pipefail", "-c", "\n".join([*setting, *lines])]
        done = subprocess.run(shell, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
        assert done.returncode == 0, done.stderr
        codes = re.findall(r"^(\d{3})$", done.stdout, re.MULTILINE)
        shown = [line for line in CURLS if not line.startswith("DUEL=")]
        assert len(codes) == len(shown) and set(codes) <= {"200", "201"}, dict(zip(shown, codes, strict=False))
        called = client.get("/metrics", headers={"Authorization": f"Bearer {key}"}).text
        calls = re.findall(r'winnerstays_requests_total\{method="(\w+)",route="([^"]+)",status="20[01]"\}', called)
    assert {(endpoint.method, endpoint.path_format) for endpoint in ENDPOINTS} <= set(calls)


def test_every_route_is_named():
    for endpoint in ENDPOINTS:
        assert f"`{endpoint.method} {endpoint.path_format}`" in TEXT


def test_every_problem_is_named():
    """The table of errors has every code beside its status, and no other."""
    rows = re.findall(r"^\| (\d{3}) \| (.*) \|$", TEXT, re.MULTILINE)
    documented = {code: int(status) for status, codes in rows for code in re.findall(r"`([a-z-]+)`", codes)}
    assert documented == STATUSES


def test_every_error_of_an_arena_has_a_status():
    errors = [
        error for error in vars(arena_errors).values() if inspect.isclass(error) and issubclass(error, WinnerstaysError)
    ]
    assert len(errors) >= 8 and {error.code for error in errors} <= STATUSES.keys()


def test_every_scope_and_option_is_named(monkeypatch, run):
    assert all(f"`{scope}`" in TEXT for scope in SCOPES)
    monkeypatch.setenv("COLUMNS", "200")
    options = set(re.findall(r"--[a-z][a-z-]+", run("serve", "--help")[1])) - {"--help"}
    assert len(options) >= 7
    assert all(option in TEXT for option in options), [option for option in options if option not in TEXT]


def test_commands_for_keys(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    (block,) = (block for block in BLOCKS if "keys create" in block)
    create, list_, revoke = (line.split()[1:] for line in block.splitlines())
    code, key, said = run(*create)
    assert code == 0 and key.startswith("ws_")
    number = re.search(r"key (\w+)", said)[1]
    assert number in run(*list_)[1]
    assert run(*[number if word == "1a2b3c4d" else word for word in revoke])[0] == 0


def test_python_example(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    with service() as client:
        exec(block.replace("http://127.0.0.1:8000", str(client.base_url)) + "arena.close()\n", {})
    assert "is the favourite after 1 learned outcome;" in capsys.readouterr().out
