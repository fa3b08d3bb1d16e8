"""The command-line application: what every command shares."""

import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from winnerstays.errors import WinnerstaysError

ORDER = {
    "winnerstays": (
        "demo", "poll", "serve", "pick", "better", "rank", "simulate", "problems", "algorithms", "check", "arena",
        "advise", "research",
    ),
    "arena": (
        "create", "list", "change", "items", "ask", "tell", "standing", "report", "replay", "export", "erase", "delete",
        "prune", "backup", "keys",
    ),
    "items": ("add", "retire", "restore", "edit", "sync"),
    "keys": ("create", "list", "revoke", "revoke-visitors"),
    "problems": ("show", "rankers"),
    "research": ("paper", "exact", "bounds", "league"),
}  # fmt: skip
"""The commands of each group in the order in which help lists them: what a newcomer uses first."""


class CommandGroup(TyperGroup):
    """Lists commands in ORDER, and says in whole sentences what each does."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=ORDER[str(self.name)].index)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, " ".join(str(command.help).partition("\n\n")[0].split()))
                    for name, command in commands.items()
                    if command
                ]
            )


class ProblemsGroup(CommandGroup):
    """`winnerstays problems NAME` is short for `winnerstays problems show NAME`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if args and args[0] in self.commands else ["show", *args])


def make_group(name: str, help_: str, parent: typer.Typer, cls: type[CommandGroup] = CommandGroup) -> typer.Typer:
    """Return a new group of commands within another one."""
    group = typer.Typer(cls=cls, help=help_, no_args_is_help=True)
    parent.add_typer(group, name=name)
    return group


app = typer.Typer(
    name="winnerstays",
    cls=CommandGroup,
    help="Show two. Learn the favourite.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class SafeConsole(Console):
    """A console that prints the texts of others as they are: no markup, no control characters."""

    def render_str(self, text: str, *options: Any, **more: Any) -> Text:
        return super().render_str(printable(text), *options, **more)


def printable(text: str) -> str:
    r"""Return a text without characters that control a terminal; they are shown as they would be typed in Python.

    >>> printable("a\x1b[31mred, two\nlines, \u202eright to left")
    'a\\x1b[31mred, two\nlines, \\u202eright to left'
    """
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs") or char == "\u200d"
        else char.encode("unicode_escape").decode() for char in text
    )  # fmt: skip


def as_options(sentence: str) -> str:
    """Return a sentence of the library as the command line says it.

    >>> as_options("use force=True to overwrite it")
    'use --force to overwrite it'
    """
    return re.sub(r"\b(force|same_judge)=True\b", lambda found: "--" + found[1].replace("_", "-"), sentence)


out = SafeConsole(highlight=False, markup=False, emoji=False)

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
USAGE_ERROR = cast(type[Exception], typer.BadParameter.__mro__[2])  # its module depends on typer's version


WRONG_NUMBERS = {
    "int_parsing": "a whole number, such as 8",
    "int_from_float": "a whole number, such as 8",
    "float_parsing": "a number, such as 0.5",
}
"""What was expected, by typer's name of the mistake."""


def check_database(database: str) -> str:
    """Return the address of an existing database; a mistyped name must not create a new file."""
    if "://" not in database:
        if not Path(database).exists():
            raise WinnerstaysError(f"There is no database {database}; `winnerstays arena create` makes one.")
        if Path(database).is_file() and not Path(database).stat().st_size:
            raise WinnerstaysError(f"The file {database} is empty; `winnerstays arena create` makes a database of it.")
    return database


def open_arenas(database: str, *, create: bool = False, upgrade: bool = False) -> Any:
    """Return the arenas of a database or a service; with `create`, a missing database is created."""
    from winnerstays.arena import Arenas

    address = database if create else check_database(database)
    return Arenas.open(address, key=os.environ.get("WINNERSTAYS_KEY"), upgrade=upgrade)


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=lambda asked: _show_version() if asked else None, is_eager=True)
    ] = False,
) -> None:
    """Show two. Learn the favourite."""


def _show_version() -> None:
    from importlib.metadata import version as installed

    print(f"winnerstays {installed('winnerstays')}")
    raise typer.Exit


def main(command: typer.Typer = app, words: Sequence[str] | None = None, name: str | None = None) -> None:
    """Run a command. What the user can put right ends with one sentence on stderr and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print(f"winnerstays: {message}", file=sys.stderr)
            code = command(words, prog_name=name, standalone_mode=False)
    except USAGE_ERROR as error:
        sys.exit(_explain(error))
    except WinnerstaysError as error:
        print(f"winnerstays: {printable(as_options(str(error)))}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        print(f"winnerstays: the output cannot be written ({error.strerror or error}).", file=sys.stderr)
        os._exit(2)  # what is still buffered could not be written either
    if code == INTERRUPTED:  # typer has caught Ctrl-C, and returns the code for it
        print("winnerstays: interrupted.", file=sys.stderr)
    sys.exit(code or 0)


def _explain(error: Any) -> int:
    """Say on stderr what is wrong with the options, and return the exit code; a group without a command is help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error.ctx.get_help())
        return 0
    message = " ".join(error.format_message().split()).rstrip(".")
    details: list[Any] = getattr(error.__cause__, "errors", list)()  # what was given, which typer keeps to itself
    input_ = f" (given: {details[0]['input']!r})" if details else ""
    if details and details[0]["type"] in WRONG_NUMBERS:
        option = message.partition(": ")[0]
        message, input_ = f"{option}: {details[0]['input']!r} is not {WRONG_NUMBERS[details[0]['type']]}", ""
    after = " See" if message.endswith("?") else "; see"  # it asks what was meant
    command = f"{after} {error.ctx.command_path} --help" if error.ctx else ""
    print(f"winnerstays: {message}{input_}{command}.", file=sys.stderr)
    return (error.ctx.obj if error.ctx else None) or 2  # a command for which 2 means something else has its own code
