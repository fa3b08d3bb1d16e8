"""The items of an arena: how people write them in files and forms, and how they are added, retired and edited."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from winnerstays.algorithms import registered
from winnerstays.arena.settings import Item, Settings
from winnerstays.errors import WinnerstaysError, unknown
from winnerstays.item_names import check_different, check_list
from winnerstays.listings import JSON_ENDINGS, read_json, read_text

EDITABLE = ("title", "picture", "link", "text")


@dataclass(frozen=True)
class ItemChanges:
    """Changes that are made together: all of them, or none."""

    add: tuple[Item, ...] = ()
    retire: tuple[str, ...] = ()
    restore: tuple[str, ...] = ()
    edit: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """{id: {field: new value}}"""

    @classmethod
    def of(cls, add: Any = (), retire: Any = (), restore: Any = (), edit: Any = None) -> "ItemChanges":
        """Return changes, after checking that they are lists of items and of ids, and fields that can be edited."""
        edit = {} if edit is None else edit
        if not isinstance(edit, Mapping) or not all(isinstance(new, Mapping) for new in edit.values()):
            raise WinnerstaysError(f"Edits must map ids to new values of fields, not {edit!r}.")
        for id_, new in edit.items():
            for name in new:
                if name not in EDITABLE:
                    raise WinnerstaysError(
                        f"The field {name!r} of item {id_!r} cannot be edited; {', '.join(EDITABLE)} can."
                    )
        edits = {str(id_): dict(new) for id_, new in edit.items()}
        return cls(tuple(map(Item.of, check_list(add))), check_ids(retire), check_ids(restore), edits)

    def __bool__(self) -> bool:
        return bool(self.add or self.retire or self.restore or self.edit)

    def arguments(self) -> dict[str, Any]:
        """Return the changes as the arguments of the operation that makes them."""
        return {"add": list(self.add), "retire": list(self.retire), "restore": list(self.restore), "edit": self.edit}

    def counts(self) -> dict[str, list[str]]:
        """Return the ids of the items concerned, by what happens to them; what does not happen is left out."""
        changes = {
            "added": [item.id for item in self.add],
            "retired": list(self.retire),
            "restored": list(self.restore),
            "edited": list(self.edit),
        }
        return {what: ids for what, ids in changes.items() if ids}


def check_ids(values: Any, what: str = "a list of ids") -> tuple[str, ...]:
    """Return a list of ids."""
    ids = tuple(check_list(values, what))
    for id_ in ids:
        if not isinstance(id_, str):
            raise WinnerstaysError(f"The id of an item must be a text, not {id_!r}.")
    return ids


def apply(settings: Settings, changes: ItemChanges) -> Settings:
    """Return the settings after changes; an error, if they cannot be made."""
    items = {item.id: item for item in settings.items}
    names = f"The arena {settings.name!r}"
    for id_ in (*changes.retire, *changes.restore, *changes.edit):
        if id_ not in items:
            raise WinnerstaysError(f"{names} has no such item. {unknown('item', id_, items)}")
    for id_ in changes.retire:
        if items[id_].retired:
            raise WinnerstaysError(f"The item {id_!r} is retired already.")
    for id_ in changes.restore:
        if not items[id_].retired:
            raise WinnerstaysError(f"The item {id_!r} is not retired; there is nothing to restore.")
    check_different([item.id for item in changes.add])
    for item in changes.add:
        if item.id in items:
            how = "restore it" if items[item.id].retired else "edit it"
            raise WinnerstaysError(f"{names} has an item {item.id!r} already; {how} instead of adding it.")
        items[item.id] = item.model_copy(update={"retired": False})
    for id_, new in changes.edit.items():
        items[id_] = Item(**{**items[id_].model_dump(), **new})
    for ids, retired in ((changes.retire, True), (changes.restore, False)):
        for id_ in ids:
            items[id_] = items[id_].model_copy(update={"retired": retired})
    moved = bool(changes.add or changes.retire or changes.restore)
    if moved and (reason := why_fixed(settings)):
        raise WinnerstaysError(reason)
    there = sum(not item.retired for item in items.values())
    if there < 2:
        left = "1 item" if there == 1 else f"{there} items"
        raise WinnerstaysError(f"{names} would have {left} left, but a duel needs 2; add others first.")
    return settings.model_copy(update={
        "items": tuple(items.values()),
        "changes": settings.changes + moved,
        "first_items": settings.first_items or len(settings.items),
    })  # fmt: skip


def why_fixed(settings: Settings) -> str:
    """Return the sentence that says why items cannot be added, retired or restored; '' where they can."""
    known = registered()
    if settings.algorithm not in known or known[settings.algorithm].serving.join is not None:
        return ""
    able = ", ".join(name for name, algorithm in known.items() if algorithm.serving.join is not None)
    return (
        f"The items of {settings.name!r} are fixed, because its algorithm {settings.algorithm!r} does not let them "
        f"come and go; these do: {able}."
    )


def differences(settings: Settings, wanted: Sequence[Item]) -> ItemChanges:
    """Return the changes after which the arena has these items, and no others that are not retired.

    Of an item that it has already, fields that were not given stay as they are.
    """
    known = {item.id: item for item in settings.items}
    ids = [item.id for item in wanted]
    check_different(ids)
    edit, listed = {}, set(ids)
    for item in wanted:
        if item.id in known:
            old, given = known[item.id], item.model_fields_set.intersection(EDITABLE)
            if new := {name: getattr(item, name) for name in given if getattr(item, name) != getattr(old, name)}:
                edit[item.id] = new
    return ItemChanges(
        add=tuple(item for item in wanted if item.id not in known),
        retire=tuple(item.id for item in settings.items if not item.retired and item.id not in listed),
        restore=tuple(item.id for item in wanted if item.id in known and known[item.id].retired),
        edit=edit,
    )


COLUMNS = ("id", *EDITABLE)


def read_items(file: Path) -> list[Item]:
    """Return the items of a file: a JSON list, or JSON lines, of ids or of objects with the fields of an Item; or else
    the items of its text. A `.csv` file is a table.
    """
    try:
        if file.suffix.lower() in JSON_ENDINGS:
            return list(map(Item.of, check_list(read_json(file), f"a list in {file}")))
        return parse_items(read_text(file), table=file.suffix.lower() == ".csv")
    except WinnerstaysError as error:
        named = str(file) in str(error)
        raise error if named else WinnerstaysError(f"{file}: {error}") from None


def parse_items(text: str, *, table: bool = False) -> list[Item]:
    """Return the items in a text: one a line; or a table, if its first line names columns.

    The columns of a table are separated by commas, semicolons or tabs; it has an id or a title, which is then the id,
    too. A field whose column is missing is not given.

    >>> [item.id for item in parse_items("ramen\\n\\n salt, pepper ")]
    ['ramen', 'salt, pepper']
    >>> [(item.id, item.picture) for item in parse_items("title;picture\\nRamen;/a.png\\nPho;")]
    [('Ramen', '/a.png'), ('Pho', '')]
    """
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    if not lines:
        return []
    delimiter = max(",;\t", key=lines[0].count)
    heading = [name.strip().strip('"').lower() for name in lines[0].split(delimiter)]
    if table or heading == ["id"] or (len(heading) > 1 and {"id", "title"} & set(heading)):
        return _parse_table(text.lstrip("\ufeff"), delimiter, heading)
    return list(map(Item.of, lines))


def _parse_table(text: str, delimiter: str, heading: list[str]) -> list[Item]:
    wrong = next((name for name in heading if name not in COLUMNS), None)
    if wrong is not None or not {"id", "title"} & set(heading):
        what = f"has a column {wrong!r}" if wrong is not None else "has no column 'id'"
        raise WinnerstaysError(
            f"The table {what}; it must have id or title, and may have {', '.join(EDITABLE)}. A list with one item per "
            "line has another ending, such as .txt."
        )
    items = []
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for row in rows:
            cells = [cell.strip() for cell in row]
            if not any(cells) or [cell.lower() for cell in cells] == heading:
                continue
            if len(cells) != len(heading):
                raise WinnerstaysError(
                    f"In line {rows.line_num} there must be {len(heading)} values, not {len(cells)}."
                )
            fields: dict[str, Any] = dict(zip(heading, cells, strict=True))
            items.append(Item.of({**fields, "id": fields.get("id") or fields.get("title", "")}))
    except csv.Error as error:
        raise WinnerstaysError(f"The table cannot be read as CSV: {error}.") from None
    return items
