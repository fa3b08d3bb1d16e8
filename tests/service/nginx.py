"""An nginx for the test of the reverse proxy: found on this machine, or Debian's package unpacked into a folder.

`python -m tests.service.nginx` fetches it where apt can, without installing anything, and says which one is used.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(sys.prefix) / "nginx"
"""In the environment of the tests, and gone with it."""
MISSING = "There is no nginx, so the reverse proxy is not tested; `apt-get install nginx` brings one."


def find():
    """Return the path of an nginx that runs, or None."""
    installed = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    for path in filter(None, (installed, FOLDER / "usr/sbin/nginx")):
        if Path(path).exists() and subprocess.run([path, "-v"], capture_output=True, check=False).returncode == 0:
            return str(path)
    return None


def fetch():
    """Unpack Debian's package, where that is possible; return its path, or None."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return None
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["apt-get", "download", "nginx"], cwd=folder, capture_output=True, check=False).returncode:
            return None
        for package in Path(folder).glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, FOLDER], capture_output=True, check=False)
    return find()


if __name__ == "__main__":
    path = find() or fetch()
    print(f"the reverse proxy is tested with {path}" if path else MISSING, file=sys.stderr)
