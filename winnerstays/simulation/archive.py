"""Save a simulation to one `.npz` file, with everything its curves are made of, and load it again."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from winnerstays.algorithms.base import Algorithm
from winnerstays.algorithms.parameters import Value
from winnerstays.algorithms.registry import registered
from winnerstays.errors import WinnerstaysError
from winnerstays.files import ARCHIVE, check_ending, write_whole
from winnerstays.problems import Problem
from winnerstays.problems.chances import Chances
from winnerstays.problems.pair_counts import PairCounts

FORMAT = 1
PAIR_FIELDS = ("first", "second", "won", "lost")


def save(result: Any, path: str | Path, *, force: bool = False) -> Path:
    """Write a `Simulation` to a file, in one step."""
    facts = {
        "format": FORMAT,
        "horizon": result.horizon,
        "seed": result.seed,
        "interrupted": result.interrupted,
        "warnings": result.warnings,
        "paired": result.paired,
        "regrets": result.regrets,
        "algorithms": [{"name": algorithm.name, "params": dict(algorithm.params)} for algorithm in result.algorithms],
        "problems": [
            {"name": problem.name, "note": problem.note, "fitted": problem.fitted, "items": problem.items}
            for problem in (result.problem, *result.others)
        ],
    }
    arrays: dict[str, Any] = {"facts": np.array(json.dumps(facts)), "times": result.times}
    arrays |= {f"records_{k}": record for k, record in enumerate(result.records)}
    for k, problem in enumerate((result.problem, *result.others)):
        arrays |= {f"problem_{k}_{name}": part for name, part in _arrays_of(problem).items()}

    def write(draft: Path) -> None:
        with draft.open("wb") as file:
            np.savez_compressed(file, **arrays)

    return write_whole(check_ending(path, *ARCHIVE), write, force=force)


def _arrays_of(problem: Problem) -> dict[str, Any]:
    """Return the arrays that make a problem."""
    arrays: dict[str, Any] = {f"chances_{name}": np.asarray(part) for name, part in problem.chances._asdict().items()}
    if problem.has_own_utilities:
        arrays["utilities"] = problem._utilities
    if problem.features is not None:
        arrays["features"] = problem.features
    if problem.pair_counts is not None:
        arrays |= {f"counts_{name}": getattr(problem.pair_counts, name) for name in PAIR_FIELDS}
    return arrays


def load(path: str | Path) -> dict[str, Any]:
    """Return the fields of a saved simulation."""
    path = Path(path)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        facts = json.loads(str(arrays["facts"]))
        if facts["format"] != FORMAT:
            raise WinnerstaysError(f"{path}: this version cannot read format {facts['format']}.")
        problems = [
            _problem(about, {name[len(start) :]: part for name, part in arrays.items() if name.startswith(start)})
            for k, about in enumerate(facts["problems"])
            for start in [f"problem_{k}_"]
        ]
        return {
            "problem": problems[0],
            "others": tuple(problems[1:]),
            "algorithms": [_algorithm(**description) for description in facts["algorithms"]],
            "horizon": facts["horizon"],
            "seed": facts["seed"],
            "times": arrays["times"],
            "records": [arrays[f"records_{k}"] for k in range(len(facts["algorithms"]))],
            "interrupted": facts["interrupted"],
            "warnings": tuple(facts.get("warnings", ())),
            "regrets": tuple(facts["regrets"]),
            "paired": facts["paired"],
        }
    except OSError as error:
        raise WinnerstaysError(f"{path}: the file cannot be read ({error.strerror or error}).") from None
    except WinnerstaysError:
        raise
    except (KeyError, EOFError, zipfile.BadZipFile, TypeError, AttributeError, ValueError):
        raise WinnerstaysError(f"{path} was not written by Simulation.save, or it is damaged.") from None


def _problem(about: Mapping[str, Any], parts: Mapping[str, Any]) -> Problem:
    fields = {name: parts[f"chances_{name}"] for name in Chances._fields}
    chances = Chances(**{**fields, "kind": int(fields["kind"]), "p": float(fields["p"])})
    counts = None
    if "counts_first" in parts:
        counts = PairCounts(len(about["items"]), *(parts[f"counts_{name}"] for name in PAIR_FIELDS))
    return Problem(
        chances, utilities=parts.get("utilities"), features=parts.get("features"), counts=counts, **about
    )  # fmt: skip


def _algorithm(name: str, params: dict[str, Value]) -> Algorithm:
    known = registered()
    if name not in known:
        raise WinnerstaysError(f"{name} is not registered here; import the module that registers it.")
    return known[name](**params)
