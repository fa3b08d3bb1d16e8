"""Commands that take a problem. Only `winnerstays problems --help` lists the options for reading files."""

from typing import Any

from typer.core import TyperCommand

from winnerstays.cli.file_options import ForOne, ForPeople

READING = {*ForOne.__annotations__, *ForPeople.__annotations__}


class ProblemCommand(TyperCommand):
    """Hides the options for reading files, and says where they are listed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for parameter in self.params:
            if parameter.name in READING:
                parameter.hidden = True  # type: ignore[attr-defined]
        self.epilog = "Options for files of your own, such as --columns: see winnerstays problems --help."
