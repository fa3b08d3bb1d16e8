"""A TypeScript compiler for the test of winnerstays.d.ts: found on this machine, or npm's put into the environment.

`python -m tests.web.typescript` fetches it where npm can, and says which one is used.
"""

import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.prefix) / "typescript"
"""In the environment of the tests, and gone with it."""
PACKAGE = "typescript@5"
MISSING = "There is no TypeScript compiler to check winnerstays.d.ts; `npm install -g typescript` brings one."


def find():
    """Return the path of a compiler, or None."""
    return shutil.which("tsc") or shutil.which("tsc", path=str(FOLDER / "node_modules/.bin"))


def fetch():
    """Install npm's package into the folder, where that is possible; return the compiler's path, or None."""
    if shutil.which("npm"):
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), PACKAGE]
        subprocess.run(command, capture_output=True, check=False)
    return find()


if __name__ == "__main__":
    path = find() or fetch()
    print(f"types of the page's module are checked with {path}" if path else MISSING, file=sys.stderr)
