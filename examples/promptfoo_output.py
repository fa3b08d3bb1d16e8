"""Which prompt and provider of a promptfoo evaluation has the best outputs, by a language model as judge?

`promptfoo eval --output results.json`, then `python promptfoo_output.py results.json "which is more helpful?" gpt-4o`
"""

import json
import sys
from collections import defaultdict

from winnerstays import PickResult, pick
from winnerstays.picking import llm_judge


def best_output(path: str, judge, **options) -> PickResult:
    """Compare the outputs test by test; the options are those of `pick`."""
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["results"]["results"]
    outputs: dict[str, dict[int, str]] = defaultdict(dict)
    tasks = {}
    for row in rows:
        output = (row.get("response") or {}).get("output")
        if output is not None:
            outputs[f"{row['provider']['id']}, prompt {row['promptIdx']}"][row["testIdx"]] = output
            tasks[row["testIdx"]] = row["vars"]
    shared = sorted(set.intersection(*map(set, outputs.values())))
    settings = {"swap": "auto", "concurrency": 16, "judge_id": getattr(judge, "identity", None)}
    return pick(outputs, lambda left, right, test: judge(left[test], right[test], tasks[test]), examples=shared,
                **settings | options)  # fmt: skip


if __name__ == "__main__":
    with_model = llm_judge(sys.argv[2], model=sys.argv[3])
    print(best_output(sys.argv[1], with_model))
