"""The command-line application: what every command shares."""

import os
import sys

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
