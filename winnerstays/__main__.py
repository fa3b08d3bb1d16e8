"""`python -m winnerstays`."""

import sys

if __name__ == "__main__":
    try:
        from winnerstays.cli import main
    except ModuleNotFoundError as error:
        if str(error.name).startswith("winnerstays"):
            raise
        print(
            f"winnerstays: {sys.executable} has no module {error.name!r}. In the clone, `make run` sets everything up, "
            "and `. .venv/bin/activate` puts it on the path; or `pip install .` into an environment of your own.",
            file=sys.stderr,
        )
        sys.exit(2)
    main()
