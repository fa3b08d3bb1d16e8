"""`winnerstays ...`: one module per group of commands. Every module is loaded, so each imports late what it uses."""

from importlib import import_module
from pkgutil import iter_modules

from winnerstays.cli.app import app, main

for _module in iter_modules(__path__):
    if not _module.ispkg:
        import_module(f"{__name__}.{_module.name}")

__all__ = ["app", "main"]
