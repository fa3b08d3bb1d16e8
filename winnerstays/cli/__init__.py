"""`winnerstays ...`: one module per command or group. All are loaded, so each imports late what it uses."""

from winnerstays.cli import advise, arena, better, catalogue, check, demo, pick, rank, research, serve, simulate  # noqa: F401
from winnerstays.cli.app import app, main

__all__ = ["app", "main"]
