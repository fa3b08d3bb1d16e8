"""Files of one's own that register algorithms, and algorithms with parameters as the command line has them."""

import sys
from contextlib import redirect_stdout
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winnerstays.errors import WinnerstaysError, place_in
from winnerstays.specs import parse_spec

if TYPE_CHECKING:
    from winnerstays.algorithms import Algorithm

Plugins = Annotated[list[Path] | None, typer.Option(metavar="FILE", help="A Python file that registers algorithms.")]


def load_plugins(files: list[Path] | None) -> None:
    """Run Python files that register algorithms."""
    for file in files or []:
        load_plugin(file)


def load_plugin(file: Path) -> "list[Algorithm]":
    """Run a Python file that registers algorithms, and return them. What it prints goes to stderr."""
    from winnerstays.algorithms import registered

    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        missing = f"There is no file {file}" if not file.exists() else f"{file} is not a Python file"
        raise WinnerstaysError(f"{missing}; give one that registers algorithms, such as mine.py.")
    _check_name(file)
    sys.path.insert(0, str(file.resolve().parent))  # worker processes import it by name
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    before = registered()
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise _load_error(file, error) from None
    new = [one for name, one in registered().items() if before.get(name) is not one]
    if not new:
        raise WinnerstaysError(f"{file} registers no algorithm; end it with register(Algorithm(...)).")
    return new


def _load_error(file: Path, error: BaseException) -> WinnerstaysError:
    """Return the sentence for whatever ended the loading of a file, with its line there."""
    from numba.core.errors import NumbaError

    place = place_in(error, file)
    if isinstance(error, WinnerstaysError):
        return error if f"{file.name}, line" in str(error) else WinnerstaysError(f"{str(error).rstrip('.')}{place}.")
    said = f"{type(error).__name__}: {error}".removesuffix(": ").rstrip(".")
    if isinstance(error, SyntaxError):
        said = f"{type(error).__name__}: {error.msg}"
    elif isinstance(error, NumbaError):
        said = "it calls a kernel with something that this cannot take"
    elif isinstance(error, ImportError) and "relative import" in said:
        said = (
            "it imports relatively, but a file by itself is in no package; write `from consts import ...` for a file "
            "beside it, or install the package and give it an entry point"
        )
    return WinnerstaysError(f"{file} could not be loaded: {said}{place}.")


def _check_name(file: Path) -> None:
    """Refuse a file that as a module would take the place of another, or could not be imported by its name."""
    name = file.stem
    if "." in name:
        raise WinnerstaysError(f"{file} cannot be loaded: its name has a dot before .py; rename it.")
    taken = {*sys.stdlib_module_names, "__main__", __package__.partition(".")[0]}
    known = None if name in taken else find_spec(name)
    if name in taken or (known is not None and "site-packages" in Path(known.origin or "").parts):
        raise WinnerstaysError(f"{file} cannot be loaded: {name} is the name of an installed module; rename the file.")


def parse_algorithms(names: list[str]) -> "list[Algorithm]":
    """Return the algorithms of names, with parameters as in `ws-s:beta=1.2`."""
    from winnerstays.algorithms import algorithm

    for name in names:
        if name.endswith(".py"):
            raise WinnerstaysError(f"{name} is a file; give it as --plugin {name}, and the name of the algorithm here.")
    return [algorithm(name, **parameters) for name, parameters in map(parse_spec, names)]
