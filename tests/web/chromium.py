"""A Chromium for the tests of the pages: found on this machine, or Debian's installed by apt.

`python -m tests.web.chromium` says which one is used; without one the tests of the pages are left out, and it says so.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync",
]  # fmt: skip
MISSING = "There is no Chromium, so pages are not tested in a browser; `apt-get install chromium` brings one."


def find():
    """Return the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def install():
    """Install Debian's Chromium, where that is possible; return its path, or None after saying why not."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        print("Only root can install a Chromium, and only where there is apt-get.", file=sys.stderr)
        return None
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]):
        print(f"There is no Chromium: {' '.join(command)}", file=sys.stderr, flush=True)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"It failed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}", file=sys.stderr)
            return None
    return find()


if __name__ == "__main__":
    path = find() or install()
    print(f"pages are tested in {path}" if path else MISSING, file=sys.stderr)
