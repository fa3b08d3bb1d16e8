"""As much of curl as the documentation uses, for machines that have none."""

import argparse
import sys

import httpx


def main() -> None:
    parser = argparse.ArgumentParser()
    for flag in ("-s", "-S"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("-X", default="GET")
    parser.add_argument("-H", action="append", default=[])
    parser.add_argument("-d")
    parser.add_argument("-w", default="")
    parser.add_argument("url")
    given = parser.parse_args()
    headers = dict(line.split(": ", 1) for line in given.H)
    found = httpx.request(given.X, given.url, headers=headers, content=given.d, trust_env=False)
    sys.stdout.write(found.text + given.w.replace("\\n", "\n").replace("%{http_code}", str(found.status_code)))


if __name__ == "__main__":
    main()
