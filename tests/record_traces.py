"""Record traces and dumps of algorithms that have none: `python -m tests.record_traces`. Recorded ones never change."""

import json
from pathlib import Path

from tests.algorithms.test_traces import TRACES, digest
from tests.test_learner import drive, make
from winnerstays import registered


def fill(path: Path, entry) -> None:
    stored = json.loads(path.read_text()) if path.exists() else {}
    for name in registered():
        if name not in stored:
            stored[name] = entry(name)
            print(f"recorded {name} in {path.name}")
    path.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")


def dumped(name):
    learner = make(name)
    drive(learner, 30)
    return {"dump": learner.dump().hex(), "future": [list(duel) for duel in drive(learner, 25)]}


if __name__ == "__main__":
    fill(TRACES.with_name("dumps.json"), dumped)
    fill(TRACES, digest)
