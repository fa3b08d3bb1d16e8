"""Runs that were computed before, found again by everything they depend on."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.algorithms.base import Algorithm
from winnerstays.codec import pack
from winnerstays.compiling import constants, imported_files, source_files, unsaved_code
from winnerstays.errors import WinnerstaysError
from winnerstays.files import write_whole
from winnerstays.randomness import stream
from winnerstays.simulation.experiment import Experiment
from winnerstays.simulation.loop import loop


class Cache:
    """A folder of records, one file for each algorithm and experiment; runs can be added, never changed.

    The name of a file is a digest of the source of the algorithm and of the simulator, the constants in them, the
    parameters, the problem's numbers, the horizon, the times, the regrets and the seed. Of an algorithm of one's own
    it is also one of every file that its files import and of the State that `init` makes, which may be made of data
    files or the environment. A file that cannot be read is as good as none.
    """

    def __init__(self, folder: str | Path) -> None:
        if not isinstance(folder, str | Path):
            raise WinnerstaysError(f"The cache is {folder!r}, but it must be the path of a folder.")
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WinnerstaysError(f"{folder} cannot be the folder of the cache ({error.strerror}).") from None

    def file(self, algorithm: Algorithm, experiment: Experiment) -> Path:
        return self.folder / f"{algorithm.name}-{digest_of(algorithm, experiment)}.npy"

    def load(self, algorithm: Algorithm, experiment: Experiment) -> Floats:
        try:
            records: Floats = np.load(self.file(algorithm, experiment), allow_pickle=False)
            if records.shape[1:] == experiment.no_records().shape[1:] and records.dtype == np.float64:
                return records
        except (OSError, ValueError, EOFError):
            pass
        return experiment.no_records()

    def save(self, algorithm: Algorithm, experiment: Experiment, records: Floats) -> None:
        write_whole(self.file(algorithm, experiment), lambda draft: np.save(draft, records), force=True)


def digest_of(algorithm: Algorithm, experiment: Experiment) -> str:
    """Return a text that changes with whatever the runs of an algorithm in an experiment depend on."""
    digest = hashlib.sha256()
    functions = (loop, algorithm.init, algorithm.choose, algorithm.update, algorithm.certain, algorithm.leap)
    own = algorithm.own
    files = {path for function in functions for path in source_files(function)}
    files |= {path for function in functions[1:] for path in imported_files(function)} if own else set()
    for path in sorted(files):
        digest.update(path.read_bytes())
    facts = [algorithm.settings, experiment.horizon, experiment.seed, experiment.relabel, experiment.regrets]
    facts.append(experiment.paired)
    facts += [text for function in functions for text in (*constants(function), *unsaved_code(function))]
    digest.update(json.dumps(facts, sort_keys=True).encode())
    arrays: list[npt.NDArray[Any]] = [experiment.times]
    for problem in experiment.problems:
        arrays += [np.asarray(part) for part in problem.chances]
        arrays += [problem.copeland_scores if problem.best_arm is None else problem.utilities]
        arrays += [np.empty(0) if problem.features is None else problem.features]
        if own:
            n_arms, features = problem.n_arms, problem.features
            state = algorithm.start(n_arms, stream(0), horizon=experiment.horizon, features=features)
            digest.update(pack(state))
    for array in arrays:
        digest.update(repr(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
