"""The fields of JSON records as columns: a field of an object in a field has a dotted name, `score.winner`.

An object with a name or an id is called by it in a column of its own, `home`, beside `home.id`, `home.coach` and what
else it holds. Its other names (`home.shortName`) are columns only for those who ask for them. An object that is
called by nothing is no column, but its fields are. Two numbers in a list are a score where a field is called so, and
two items in a list (`pair`, `options`, `teams`) are columns of their own, `pair.0` and `pair.1`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from winnerstays.problems.readers.cells import IDENTITIES, IDS, cell_of, first_of, is_chat, is_wrapped, own_name
from winnerstays.problems.readers.vocabulary import RESULTS, SCORES, words_of

DEPTH = 5
"""Objects within objects that are looked into."""
MOST_FIELDS = 100
"""An object with more fields than these, in all records together, is a dictionary and no record."""
NAMES = {*IDENTITIES} - {*IDS}
TWO_SIDES = {
    "pair", "shown", "items", "options", "candidates", "models", "teams", "players", "opponents", "competitors",
    "choices", "summaries", "responses", "answers", "completions", "outputs", "sides", "alternatives", "contestants",
    "fighters", "variants", "systems", "prompts", "images",
}  # fmt: skip
"""Words of fields in which two texts or objects are the sides of a duel."""
SCORED = SCORES | RESULTS
"""Words of fields in which two numbers are a score."""


class Column(NamedTuple):
    """A field, by the keys that lead to it."""

    name: str
    path: tuple[str, ...]
    scored: bool

    def cell(self, record: Mapping[str, Any]) -> str:
        """Return what a record has in this field, as text."""
        value = record.get(self.path[0])
        for key in self.path[1:]:
            value = _inner(value, key)
        if self.scored and type(value) is list and len(value) == 2 and all(map(_is_number, value)):
            return f"{value[0]}-{value[1]}"
        return cell_of(value)


class Fields(NamedTuple):
    """The columns that records have, those that have to be asked for, and what is to be said of some columns."""

    shown: list[Column]
    hidden: list[Column]
    chats: set[str]

    def remarks(self, columns: list[Column]) -> dict[int, str]:
        """Return what is to be said of columns, by their place."""
        named = enumerate(column.name for column in columns)
        return {k: f"of the chat messages in {name} the last counts" for k, name in named if name in self.chats}


class _Node:
    """What a field holds in any record."""

    __slots__ = ("called", "chat", "fields", "kept", "listed", "two", "wide")

    def __init__(self) -> None:
        self.kept = self.called = self.two = self.chat = self.wide = self.listed = False
        self.fields: dict[str, _Node] = {}


def fields_of(records: Iterable[Mapping[str, Any]]) -> Fields:
    """Return the fields of all records in the order in which they appear."""
    nodes: dict[str, _Node] = {}
    for record in records:
        _see(record, nodes, 1)
    found = Fields([], [], set())
    for path, node, asked_for in _columns(nodes):
        name = ".".join(path)
        if len(path) == 1 or name not in nodes:  # a field may be called with a dot
            column = Column(name, path, bool(SCORED.intersection(words_of(name))))
            (found.hidden if asked_for else found.shown).append(column)
            found.chats.update([name] if node.chat else [])
    return found


def _see(record: Mapping[str, Any], nodes: dict[str, _Node], depth: int) -> None:
    """Take note of the fields of a record, or of an object within one."""
    for key, value in record.items():
        node = nodes.get(key)
        if node is None:
            node = nodes[key] = _Node()
        kind = type(value)
        if kind is dict:
            _see_object(value, node, depth)
        elif kind is list and _are_sides(key, value) and depth < DEPTH and not node.listed:
            _see(dict(zip("01", value, strict=True)), node.fields, depth + 1)
        elif value is not None:
            node.kept = True
            if kind is list and not node.listed:
                node.listed = True
                node.fields.clear()
            node.chat = node.chat or (kind is list and is_chat(value))


def _see_object(value: Mapping[str, Any], node: _Node, depth: int) -> None:
    called = own_name(value)
    node.called = node.called or bool(called)
    node.kept = node.kept or bool(called) or is_wrapped(value)
    if is_wrapped(value) or node.wide:
        return
    node.two = node.two or first_of(value, IDS) not in (None, first_of(value, IDENTITIES))
    if depth < DEPTH:
        _see(value, node.fields, depth + 1)
    if len(node.fields) > MOST_FIELDS or depth == DEPTH:
        node.wide, node.kept = True, True
        node.fields.clear()


def _columns(
    nodes: Mapping[str, _Node], path: tuple[str, ...] = (), hidden: bool = False
) -> Iterator[tuple[tuple[str, ...], _Node, bool]]:
    """Yield the path of each column, what it holds, and whether it has to be asked for."""
    for key, node in nodes.items():
        if node.kept or not node.fields:
            yield (*path, key), node, hidden
        others = {inner for inner in node.fields if node.called and _is_name(inner, node.two)}
        yield from _columns({k: one for k, one in node.fields.items() if k not in others}, (*path, key), hidden)
        yield from _columns({k: one for k, one in node.fields.items() if k in others}, (*path, key), True)


def _is_name(key: str, two: bool) -> bool:
    """Tell a field with another name of its object, or with the id by which it is called; `two`: it has both."""
    return words_of(key)[-1:] == ("name",) or key in NAMES or (key in IDS and not two)


def _are_sides(key: str, value: list[Any]) -> bool:
    """Tell a list of two items that meet."""
    return (
        len(value) == 2
        and bool(TWO_SIDES.intersection(words_of(key)))
        and not is_chat(value)
        and (all(isinstance(one, str) for one in value) or all(isinstance(one, dict) for one in value))
    )


def _inner(value: Any, key: str) -> Any:
    """Return what an object has in a field, or a list of two at a place."""
    if isinstance(value, list):
        return value[int(key)] if key in ("0", "1") and len(value) == 2 else None
    return value.get(key) if isinstance(value, dict) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
