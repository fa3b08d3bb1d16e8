"""The README as printed: every block, in its order, from a fresh clone, in one shell."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
CURL = shutil.which("curl") or f"{sys.executable} {ROOT / 'tests' / 'service' / 'curl.py'}"


def clone(folder):
    """A fresh clone of what is committed and what is changed since, without anything that is ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
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
    (environment / "activate").write_text(f"export PATH={shlex.quote(str(environment))}:$PATH PYTHONPATH={folder}\n")
    for name, command in (("python", ""), ("winnerstays", " -m winnerstays")):
        script = environment / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{command} "$@"\n')
        script.chmod(0o755)


def script_of(readme, port):
    """The blocks as one script: shell as it is, Python saved as the README says (mine.py) and run.

    Changed are only `make`, which says what it would do, `pip`, which has done it, the longest simulation, the port,
    which is a free one, and the demo, which ends as soon as it is there.
    """
    there = f"until curl -sf localhost:{port}/healthz; do sleep 0.1; done"
    demo = f"winnerstays demo --no-browser --port {port} & {there}; kill %%; wait"
    lines = ["set -eu", "set -m", "export no_proxy='*'", 'make() { command make -n "$@" > /dev/null; }']
    lines.append(f'curl() {{ {CURL} "$@"; }}')
    lines.append("pip() { true; }")
    for number, (language, text) in enumerate(BLOCK.findall(readme)):
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


def test_every_block_runs_as_printed(tmp_path):
    folder = tmp_path / "winnerstays"
    folder.mkdir()
    clone(folder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    script = script_of((folder / "README.md").read_text(), port)
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "best-record keeps the contract" in done.stdout
    assert "every learner is the fold of its log" in done.stdout or "equal" in done.stdout


def test_nothing_waits_by_the_clock_and_nothing_is_installed_from_elsewhere():
    """A wait for a number of seconds is a race; the package is not on any index, so it is installed from the clone."""
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = path.read_text()
        assert not re.search(r"sleep [1-9]", text), f"{path.name} waits by the clock"
        assert not re.search(r"pip install '?winnerstays", text), f"{path.name} installs from an index"
