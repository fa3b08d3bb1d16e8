"""The README as printed: every block, in its order, from a fresh clone, in one shell."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from winnerstays.testing import CHECKS

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
ANNOUNCED = "== block"
CURL = shutil.which("curl") or f"{sys.executable} {ROOT / 'tests' / 'service' / 'curl.py'}"


def clone(folder):
    """What is committed and what is changed since, without anything that is ignored; the package is used in its place.

    There its compiled code is kept on disk, which a copy would have to make anew.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", ":!winnerstays", ":!tests"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    environment = folder / ".venv" / "bin"
    environment.mkdir(parents=True)
    (environment / "activate").write_text(f"export PATH={shlex.quote(str(environment))}:$PATH PYTHONPATH={ROOT}\n")
    for name, command in (("python", ""), ("winnerstays", " -m winnerstays")):
        script = environment / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{command} "$@"\n')
        script.chmod(0o755)


def script_of(readme, port):
    """The blocks as one script: shell as it is, Python saved as the README says (mine.py) and run.

    Each is announced by its number. Changed are only `make`, which says what it would do, `pip`, which has done it, the
    longest simulation, the port, which is a free one, and the demo, which ends as soon as it is there.
    """
    there = f"until curl -sf localhost:{port}/healthz; do sleep 0.1; done"
    demo = f"winnerstays demo --no-browser --port {port} & {there}; kill %%; wait"
    lines = ["set -eu", "set -m", "export no_proxy='*'", 'make() { command make -n "$@" > /dev/null; }']
    lines.append(f'curl() {{ {CURL} "$@"; }}')
    lines.append("pip() { true; }")
    for number, (language, text) in enumerate(BLOCK.findall(readme)):
        lines.append(f"echo; echo '{ANNOUNCED} {number}'")
        if language == "python":
            file = "mine.py" if "best-record" in text else f"example_{number}.py"
            lines += [f"cat > {file} <<'END OF BLOCK'", text.rstrip("\n"), "END OF BLOCK", f"python {file}"]
        else:
            if "winnerstays demo" in text:
                text = f". .venv/bin/activate\n{text.replace('winnerstays demo', f'{{ {demo} || true; }}')}"
            short = text.replace("--horizon 100000 --runs 200", "--horizon 1000 --runs 5")
            short = short.replace("localhost:8000", f"localhost:{port}").replace(
                "serve --db", f"serve --port {port} --db"
            )
            lines.append(
                short.replace("make run ", "make run PYTHON=python ").replace("make test ", "make test PYTHON=python ")
            )
    return "\n".join(lines)


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each block of the README prints, after its text; the folder in which all were run as `folder`."""
    folder = tmp_path_factory.mktemp("readme") / "winnerstays"
    folder.mkdir()
    clone(folder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["XDG_DATA_HOME"] = str(folder / "data")
    readme = (folder / "README.md").read_text()
    done = subprocess.run(
        ["bash", "-c", script_of(readme, port)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    said = re.split(rf"^{ANNOUNCED} \d+\n", done.stdout, flags=re.M)[1:]
    return SimpleNamespace(
        blocks=list(zip((text for _, text in BLOCK.findall(readme)), said, strict=True)), folder=folder
    )


def test_every_block_runs_as_printed_and_says_what_the_readme_says(printed):
    def said(part):
        """What the one block said that holds these words."""
        (words,) = (words for text, words in printed.blocks if part in text)
        return words

    assert said("--version").strip() == f"winnerstays {version('winnerstays')}"
    assert said("Learner(").split() == ["pho"]
    assert "Be brief. is the best of 4: after " in said("import pick")
    mean, error, tail = map(float, said("curve.quantile").split())
    assert 0 < error < mean < tail
    assert float(said("class State")) > 0
    assert f"best-record keeps the contract: {len(CHECKS)} checks" in said("winnerstays check mine.py")
    learned, duplicate, favourite = said("Arena.open").splitlines()[:3]
    assert (learned, duplicate) == ("learned", "duplicate") and "is the favourite after 1 learned outcome;" in favourite
    service = said("winnerstays serve")
    assert '"status":"learned"' in service and '"user":"bob","favourite":' in service
    assert "every learner is what its log gives, byte for byte" in service
    curves = said("--plot curve.png")
    assert "16 arms, 5 runs" in curves and "3 arms, " in curves
    for name in ("curve.png", "games.json", "lunch.db"):
        assert (printed.folder / name).stat().st_size > 0


def test_nothing_waits_by_the_clock_and_nothing_is_installed_from_elsewhere():
    """A wait for a number of seconds is a race; the package is not on any index, so it is installed from the clone."""
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = path.read_text()
        assert not re.search(r"sleep [1-9]", text), f"{path.name} waits by the clock"
        assert not re.search(r"pip install '?winnerstays", text), f"{path.name} installs from an index"
