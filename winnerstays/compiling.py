"""One source, three uses: compiled in the simulator, step by step behind ask/tell, plain Python on request.

Functions marked `@kernel` are compiled by Numba without array reference counting, so they may not allocate; in
return, calling one from another costs nothing. `WINNERSTAYS_COMPILE=0` leaves them as ordinary Python functions.
Kernels of others look whether an index is within its array, unless `NUMBA_BOUNDSCHECK=0`.
"""

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import config, njit, typeof, types
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, signature
from numba.extending import lower_builtin

from winnerstays.errors import WinnerstaysError

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = os.environ.get("WINNERSTAYS_COMPILE", "1") != "0"
OURS = f"{__package__}."
"""How the names of this package's modules begin; whatever is not among them was written by others."""


def kernel(function: F = None) -> F:  # type: ignore[assignment]
    """Mark a step function: compiled, inlined into its callers, never allocating; plain when compiling is off."""
    if not inspect.isfunction(function):
        raise WinnerstaysError(f"{function!r} is no function; @kernel is written above a function, without brackets.")
    if not COMPILED:
        return _marked(function)
    return _compile(function, forceinline=True, boundscheck=not function.__module__.startswith(OURS))


def entry(function: F) -> F:
    """Mark a loop that Python calls: compiled like a kernel, releases the GIL, not inlined."""
    return _compile(function) if COMPILED else function


def summing(function: F) -> F:
    """Mark a loop whose sums may be added up in any order: faster; the last digits may differ from plain Python."""
    return _compile(function, fastmath={"reassoc", "contract", "nsz"}) if COMPILED else function


def generic(function: F) -> F:
    """A kernel that takes States of any algorithm: not kept on disk, where strangers' types would be kept with it."""
    return _compile(function, keep=False, forceinline=True) if COMPILED else _marked(function)


def specialise(function: F, steps: ModuleType, name: str, *, compiled: bool = True) -> F:
    """Return a compiled copy of a function in which the global name `steps` is bound to the functions of an algorithm.

    A copy of the function, not a closure and not an argument, because only so can Numba keep the machine code on disk.
    There it is called after the algorithm and, if that is a stranger's, after the files it is written in: machine code
    for a State names that State's module, and to read it elsewhere would import that.
    """
    bound = [plain(step) for step in vars(steps).values() if callable(step)]
    strange = sorted({f"{step.__module__} {_file(step)}" for step in bound if not step.__module__.startswith(OURS)})
    mark = [sha256("\n".join(strange).encode()).hexdigest()[:12]] if strange else []
    copy_name = "_".join([function.__name__, name, *mark])
    copy = FunctionType(function.__code__, {**function.__globals__, "steps": steps}, copy_name)
    copy.__qualname__ = copy.__name__
    seen = all(step.__module__ != "__main__" and _file(step).exists() for step in bound)  # so are changes in them
    copy.__module__ = function.__module__ if seen else "__main__"
    return entry(copy) if compiled else copy  # type: ignore[return-value]


def modular(function: F) -> F:
    """A kernel whose unsigned arithmetic wraps around on purpose."""
    return kernel(function) if COMPILED else _marked(np.errstate(over="ignore")(function))


def _marked(function: F) -> F:
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def is_kernel(function: Callable[..., Any]) -> bool:
    """Tell whether a function is marked as a kernel."""
    return isinstance(function, Dispatcher) or hasattr(function, "__kernel__")


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as it was written."""
    while isinstance(function, partial):
        function = function.func
    written: Callable[..., Any] = inspect.unwrap(getattr(function, "py_func", function))
    return written


def direct(function: Any, arguments: tuple[Any, ...], gives: Any = None) -> Callable[..., Any]:
    """Return a kernel for arguments of just these types, given by place.

    Whenever Python calls a kernel, Numba looks at the type of each argument and of each field of a State, which takes
    longer than most steps. Here nobody looks again, so whoever calls it answers for the types. It is the function
    itself where that is not compiled, or returns something of another type than `gives`.
    """
    if not isinstance(function, Dispatcher):
        return function  # type: ignore[no-any-return]
    kinds = tuple(map(typeof, arguments))
    function.compile(kinds)
    overload = function.overloads[kinds]
    same = gives is None or overload.signature.return_type == typeof(gives)
    return overload.entry_point if same else function


def returned_type(function: Any, arguments: tuple[types.Type, ...]) -> types.Type:
    """Compile a kernel for arguments of these types, unless it is already, and return the type that it returns."""
    function.compile(arguments)
    return function.overloads[arguments].signature.return_type


def _compile(function: F, keep: bool = True, **options: bool | set[str]) -> F:
    compiled = njit(nogil=True, _nrt=False, **options)(function)
    if keep and function.__module__ != "__main__":
        with suppress(RuntimeError):  # no source file, as in an interactive session: compiled anew in each process
            compiled._cache = _Cache(function)
    return compiled  # type: ignore[no-any-return]


class Binding(NamedTuple):
    """A name that a function finds outside itself, as it is written (`helper.GAIN`), and what it means now."""

    name: str
    value: Any


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function, and that of the functions, lambdas and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def bindings(function: Callable[..., Any]) -> Iterator[Binding]:
    """Yield what a function, as it is written, finds outside: globals, attributes of modules, closures."""
    function = plain(function)
    names = list(dict.fromkeys(name for code in codes(function.__code__) for name in code.co_names))
    enclosed: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # a name that has no value yet
            enclosed[name] = cell.cell_contents
    for held, wanted in ((enclosed, list(enclosed)), (function.__globals__, names)):
        for name in wanted:
            if name in held:
                yield from _parts(Binding(name, held[name]), names)


def _parts(binding: Binding, names: list[str]) -> Iterator[Binding]:
    yield binding
    if isinstance(binding.value, ModuleType) and binding.name.count(".") < 3:
        held = vars(binding.value)
        for name in names:
            if name in held:
                yield from _parts(Binding(f"{binding.name}.{name}", held[name]), names)


def reached(function: Callable[..., Any], seen: set[Any] | None = None) -> Iterator[Callable[..., Any]]:
    """Yield the function and every kernel and own function it reaches, as they are written."""
    function, seen = plain(function), set() if seen is None else seen
    if function in seen:
        return
    seen.add(function)
    yield function
    for binding in bindings(function):
        if is_kernel(binding.value) or _is_beside(function, binding.value):
            yield from reached(binding.value, seen)


def recurses(function: Callable[..., Any]) -> bool:
    """Return whether a kernel that is reached, other than those of this package, may call itself, also through others.

    It may if it names itself, also where that is a field of its State.
    """
    strange = [part for part in reached(function) if not part.__module__.startswith(OURS)]
    return any(part in reached(bound.value) for part in strange for bound in bindings(part) if is_kernel(bound.value))


def _is_beside(function: Callable[..., Any], value: Any) -> bool:
    """Tell whether a value is a function of the same author: of the same package, or of none that is installed."""
    return isinstance(value, FunctionType) and (_top(value) == _top(function) or not is_library(value.__module__))


def _top(value: Any) -> str:
    return str(value.__module__).partition(".")[0]


@cache
def is_library(module: str) -> bool:
    """Tell whether a module belongs to Python or was installed, other than this package."""
    if module == "__main__" or f"{module}.".startswith(OURS):
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    installed = {"site-packages", "dist-packages"} & set(Path(file).parts)
    return module.partition(".")[0] in sys.stdlib_module_names or bool(installed)


def _file(function: Callable[..., Any]) -> Path:
    return Path(plain(function).__code__.co_filename)


def source_files(function: Callable[..., Any]) -> set[Path]:
    """The files in which a function and every kernel it reaches are written."""
    files = {_file(part) for part in reached(function)}
    return {file for file in files if file.exists()}


def unsaved_code(function: Callable[..., Any]) -> Iterator[str]:
    """Yield what a function and all it reaches do, where no file has it: cells of a notebook."""
    for part in reached(function):
        for code in codes(part.__code__) if not _file(part).exists() else ():
            held = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
            yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {held}"


def imported_files(function: Callable[..., Any]) -> set[Path]:
    """The files of every module, other than libraries and this package, that a function's module imports."""
    home = plain(function)
    modules: dict[str, ModuleType] = {}
    waiting = [home.__module__]
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        strange = name.partition(".")[0] != _top(home) and (is_library(name) or f"{name}.".startswith(OURS))
        if module is None or name in modules or strange:
            continue
        modules[name] = module
        for value in list(vars(module).values()):
            named = isinstance(value, type | FunctionType | Dispatcher)
            waiting.append(
                value.__name__ if isinstance(value, ModuleType) else (value if named else type(value)).__module__
            )
    files = {Path(getattr(module, "__file__", None) or "") for module in modules.values()}
    return {file for file in files if file.is_file()}


def constants(function: Callable[..., Any]) -> Iterator[str]:
    """Yield what a function and every kernel it reaches find outside and is compiled in, wherever it is written."""
    for part in reached(function):
        for binding in bindings(part):
            value = binding.value
            if isinstance(value, np.ndarray) and not value.dtype.hasobject:
                held = sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
                yield f"{binding.name} {value.dtype} {value.shape} {held}"
            elif isinstance(value, bool | int | float | str | tuple | np.generic):
                yield f"{binding.name} {value!r}"


class _Cache(FunctionCache):  # type: ignore[misc]
    """Machine code on disk. Numba stamps it with one file; here a change in a called kernel or a constant counts, and
    whether indices are looked at.

    What calls itself is compiled anew in each process, since Numba's code for it cannot be loaded.
    """

    def _stamp(self) -> None:
        known = [(str(file), file.stat()) for file in sorted(source_files(self._py_func))]
        stamps = [(name, stat.st_mtime_ns, stat.st_size) for name, stat in known]
        self._cache_file._source_stamp = (*stamps, *constants(self._py_func), f"boundscheck {config.BOUNDSCHECK}")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if recurses(self._py_func):
            return None
        self._stamp()
        try:
            return super().load_overload(sig, target_context)
        except (ImportError, AttributeError):  # kept for a State whose module is gone
            self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if recurses(self._py_func):
            return
        self._stamp()
        try:
            super().save_overload(sig, data)
        except RuntimeError as error:
            if "no compiled object" in str(error):  # Ctrl-C came while LLVM was at work, and was lost there
                raise KeyboardInterrupt from error
            raise


class _Replace(AttributeTemplate):  # type: ignore[misc]
    """Teaches Numba `state._replace(field=value)`."""

    def resolve__replace(self, state: Any) -> types.BoundFunction:
        class Replace(AbstractTemplate):  # type: ignore[misc]
            key = "NamedTuple._replace"

            def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
                if args:
                    return None
                fields = list(zip(state.fields, state.types, strict=True))
                kinds = dict(fields)
                for field, given in kws.items():
                    if field not in kinds:
                        raise TypingError(f"no field {field!r} in {state.instance_class.__name__}")
                    if isinstance(given, types.Float) and not isinstance(kinds[field], types.Float):
                        raise TypingError(f"{state.instance_class.__name__}.{field} is whole and gets a fraction")
                    if self.context.can_convert(given, kinds[field]) is None:
                        raise TypingError(f"{state.instance_class.__name__}.{field} is {kinds[field]} and gets {given}")
                taken = [type_ if field in kws else types.Omitted(None) for field, type_ in fields]
                kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
                call = inspect.Signature([inspect.Parameter(field, kind, default=None) for field in state.fields])
                return signature(state, *taken, recvr=state).replace(pysig=call)

        return types.BoundFunction(Replace, state)


@infer_getattr
class _NamedTupleReplace(_Replace):
    key = types.NamedTuple


@infer_getattr
class _NamedUniTupleReplace(_Replace):
    """Numba's name for a NamedTuple whose fields all have one type."""

    key = types.NamedUniTuple


@lower_builtin("NamedTuple._replace", types.NamedUniTuple, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
@lower_builtin("NamedTuple._replace", types.NamedTuple, types.VarArg(types.Any))  # type: ignore[untyped-decorator]
def _lower_replace(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    state, *given = args
    for index, (type_, value) in enumerate(zip(sig.args[1:], given, strict=True)):
        if not isinstance(type_, types.Omitted):
            state = builder.insert_value(state, value, index)
    if context.enable_nrt:
        context.nrt.incref(builder, sig.return_type, state)
    return state
