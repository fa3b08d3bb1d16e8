"""The recorded choices in the store of a pick or of an arena, as a problem; and every file that is one, too."""

from pathlib import Path
from typing import Any

from winnerstays.errors import check_extra
from winnerstays.picking.judging import LEFT, RIGHT, TIE
from winnerstays.picking.store import Row, answers_of, is_pick
from winnerstays.problems import Problem, problem
from winnerstays.problems.readers.files import asked_of, table_problem
from winnerstays.problems.readers.table import records_table

SQLITE = b"SQLite format 3\0"


def is_store(source: str | Path) -> bool:
    """Tell a database from other files."""
    try:
        with Path(source).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def recorded_problem(source: str | Path, **reading: Any) -> Problem:
    """Return the problem of a name, a file, or the store of a pick or an arena; `reading` is as of `load`."""
    if not is_store(source):
        return problem(source, **reading)
    if is_pick(source):
        answers = answers_of(str(source))
        recorded = table_problem(records_table(lambda: enumerate(map(_as_record, answers), start=1)), asked_of(reading))
    else:
        for module in ("alembic", "pydantic", "sqlalchemy"):
            check_extra("Reading a store", module, "arena")
        from winnerstays.arena import Arenas

        with Arenas.open(str(source)) as arenas:
            log = records_table(lambda: enumerate((event.as_dict() for event in arenas.events()), start=1))
            recorded = table_problem(log, asked_of(reading))
    recorded.name = Path(source).stem
    return recorded


def _as_record(row: Row) -> dict[str, Any]:
    return {
        "left": row.left,
        "right": row.right,
        "winner": {LEFT: row.left, RIGHT: row.right}.get(str(row.outcome), TIE),
    }
