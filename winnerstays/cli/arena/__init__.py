"""`winnerstays arena ...`: make arenas, play in them, see what was learned, keep the log."""

from winnerstays.cli.arena import items, keys, log, playing, report, settings  # noqa: F401
