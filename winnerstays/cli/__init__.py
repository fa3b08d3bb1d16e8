"""`winnerstays ...`: one module per command or group. All are loaded, so each imports late what it uses."""

from winnerstays.cli import (  # noqa: F401
    advise,
    arena,
    catalogue,
    check,
    demo,
    pick,
    poll,
    rankers,
    research,
    serve,
    simulate,
)
from winnerstays.cli.app import app, main

__all__ = ["app", "main"]
