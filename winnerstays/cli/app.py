"""The command-line application: what every command shares."""

import os
import sys
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from winnerstays.errors import WinnerstaysError

app = typer.Typer(
    name="winnerstays",
    help="Show two. Learn the favourite.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
out = Console(highlight=False)


def open_arenas(database: str, *, create: bool = False) -> Any:
    """The arenas of a database, or of a service; a mistyped name does not make a new file, unless it should."""
    from winnerstays.arena import Arenas

    if not create and "://" not in database and not Path(database).exists():
        raise WinnerstaysError(f"There is no database {database}; `winnerstays arena create` makes one.")
    return Arenas.open(database, key=os.environ.get("WINNERSTAYS_KEY"))


def main() -> None:
    """Run a command. What the user can put right ends with one sentence on stderr and exit code 2."""
    try:
        app()
    except WinnerstaysError as error:
        print(f"winnerstays: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("winnerstays: interrupted.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        print(f"winnerstays: the output cannot be written ({error.strerror or error}).", file=sys.stderr)
        os._exit(2)  # what is still buffered could not be written either
