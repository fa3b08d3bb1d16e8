"""The README as printed: every block, in its order, from a fresh clone, in one shell."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
ANNOUNCED = "== block"
CURL = shutil.which("curl") or f"{sys.executable} {ROOT / 'tests' / 'service' / 'curl.py'}"


def clone(folder):
    """Copy what is committed and what has changed since, without ignored files and without the package.

    The package of the working tree is used instead: its compiled code is on disk, and a copy would be compiled anew.
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
    """Return the blocks as one script, each announced by its number.

    Python blocks are saved and run. Changed are only the lines that install (nothing is installed twice), the port (a
    free one), the demo (it ends once it answers) and the service (it runs in the background, for want of a terminal).
    """
    ready = f"until curl -sf localhost:{port}/healthz > /dev/null; do sleep 0.1; done"
    demo = f"winnerstays demo --no-browser --port {port} & {ready}; kill %%; wait %% || true"
    lines = ["set -eu", "set -m", "export no_proxy='*'", f'curl() {{ {CURL} "$@"; }}']
    lines += [f"{name}() {{ true; }}" for name in ("git", "python3", "pip")]
    for number, (language, text) in enumerate(BLOCK.findall(readme)):
        lines.append(f"echo; echo '{ANNOUNCED} {number}'")
        if language == "python":
            file = f"example_{number}.py"
            lines += [f"cat > {file} <<'END OF BLOCK'", text.rstrip("\n"), "END OF BLOCK", f"python {file}"]
        else:
            text = text.replace("<address of this repository>", "ADDRESS").replace("winnerstays demo", demo)
            text = re.sub(r"winnerstays serve (.*)", rf"winnerstays serve --port {port} \1 & {ready}", text)
            lines.append(text.replace("localhost:8000", f"localhost:{port}"))
    return "\n".join([*lines, "kill %%"])


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
        cwd=folder.parent, env=environment, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    said = re.split(rf"^{ANNOUNCED} \d+\n", done.stdout, flags=re.M)[1:]
    return SimpleNamespace(
        blocks=list(zip((text for _, text in BLOCK.findall(readme)), said, strict=True)), folder=folder
    )


def test_every_block_runs_as_printed_and_says_what_the_readme_says(printed):
    def said(part):
        """Return what the one block printed that holds these words."""
        (words,) = (words for text, words in printed.blocks if part in text)
        return words

    assert said("Learner(").split() == ["pho"]
    assert "Be brief. is the best of 4: after " in said("import pick")
    learned, duplicate, favourite = said("Arena.open").split()
    assert (learned, duplicate) == ("learned", "duplicate") and favourite in ("ramen", "tacos", "pho")
    service = said("curl -X POST")
    assert '"user":"bob"' in service and f'"favourite":"{favourite}"' in service
    table, numbers = said("import simulate").strip().rsplit("\n", 1)
    assert "ws-root" in table
    mean, error = map(float, numbers.split())
    assert 0 < error < mean
    for name in ("curves.png", "lunch.db"):
        assert (printed.folder / name).stat().st_size > 0


def test_nothing_waits_by_the_clock_and_nothing_is_installed_from_elsewhere():
    """A wait for a number of seconds is a race; the package is not on any index, so it is installed from the clone."""
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = path.read_text()
        assert not re.search(r"sleep [1-9]", text), f"{path.name} waits by the clock"
        assert not re.search(r"pip install '?winnerstays", text), f"{path.name} installs from an index"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) <= 900
