"""`winnerstays ...`: one module per group of commands; every module here is loaded."""

from importlib import import_module
from pkgutil import iter_modules

from winnerstays.cli.app import app, main

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["app", "main"]
