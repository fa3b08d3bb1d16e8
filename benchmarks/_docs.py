"""Parts of pages that a command writes: what stands between `<!-- name -->` and `<!-- /name -->`."""

import re
from pathlib import Path

from winnerstays.files import write_whole

DOCS = Path(__file__).parent.parent / "docs"


def replace_part(page: str, name: str, text: str) -> None:
    """Put a text in place of the part of that name of a page of the documentation."""
    path = DOCS / page
    part = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    changed, found = part.subn(lambda _: text + "\n", path.read_text(encoding="utf-8"))
    if found != 1:
        raise SystemExit(f"{page} has {found} parts called {name!r}, but there must be one.")
    write_whole(path, lambda draft: draft.write_text(changed, encoding="utf-8"), force=True)
