"""`winnerstays ...`: one module per command or group. All are loaded, so each imports late what it uses."""

from winnerstays.cli import advise, arena, catalogue, check, demo, pick, rankers, research, serve, simulate  # noqa: F401
from winnerstays.cli.app import app, main

__all__ = ["app", "main"]
