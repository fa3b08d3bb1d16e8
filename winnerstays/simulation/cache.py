"""Runs that were computed before, found again by everything they depend on."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays._types import Floats
from winnerstays.algorithms.base import Algorithm
from winnerstays.compiling import source_files
from winnerstays.errors import WinnerstaysError
from winnerstays.files import write_whole
from winnerstays.simulation.experiment import Experiment
from winnerstays.simulation.loop import loop


class Cache:
    """A folder of records, one file for each algorithm and experiment; runs can be added, never changed.

    The name of a file is a digest of the source of the algorithm and of the simulator, the parameters, the problem's
    numbers, the horizon, the times, the regrets and the seed. A file that cannot be read is as good as none.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WinnerstaysError(f"{folder} cannot be the folder of the cache ({error.strerror}).") from None

    def file(self, algorithm: Algorithm, experiment: Experiment) -> Path:
        return self.folder / f"{algorithm.name}-{_digest(algorithm, experiment)}.npy"

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


def _digest(algorithm: Algorithm, experiment: Experiment) -> str:
    digest = hashlib.sha256()
    functions = (loop, algorithm.init, algorithm.choose, algorithm.update, algorithm.certain, algorithm.leap)
    for path in sorted({path for function in functions for path in source_files(function)}):
        digest.update(path.read_bytes())
    facts = [algorithm.settings, experiment.horizon, experiment.seed, experiment.relabel, experiment.regrets]
    digest.update(json.dumps(facts, sort_keys=True).encode())
    arrays: list[npt.NDArray[Any]] = [experiment.times]
    for problem in experiment.problems:
        arrays += [np.asarray(part) for part in problem.chances]
        arrays += [problem.copeland_scores if problem.best_arm is None else problem.utilities]
        arrays += [np.empty(0) if problem.features is None else problem.features]
    for array in arrays:
        digest.update(repr(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
