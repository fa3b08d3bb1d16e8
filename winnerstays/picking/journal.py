"""The journal of a pick: which questions were served and how they were answered, in memory or in an arena's log."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from winnerstays.errors import WinnerstaysError, check_extra
from winnerstays.picking.items import Items, as_text
from winnerstays.picking.judging import LEFT, RIGHT, SKIP, TIE, Question
from winnerstays.picking.options import Options

NAME = "pick"
FOREVER_SECONDS = 9e9
MAX_CHARACTERS = 200
SAID = re.compile(rf"the judge said ({LEFT}|{RIGHT}|{TIE}|{SKIP})\b")
"""In the reason of an answer, where a question and the same one the other way round are one comparison."""


class Written(NamedTuple):
    """A question in the journal, with its answer (None: not answered yet)."""

    question: Question
    outcome: str | None


class Journal(Protocol):
    """Where questions and answers are kept."""

    seed: int
    order: tuple[int, ...]
    """The place of each item of the journal among the items given."""

    def read(self) -> Iterator[Written]:
        """Yield the questions served so far, in this order."""

    def write(
        self, answers: Sequence[tuple[Question, str, str | None]], served: Sequence[tuple[int, int, int | None]]
    ) -> list[Question]:
        """Keep answers (question, outcome, reason), serve new questions (left, right, example) and return them."""

    def close(self) -> None:
        """Close what was opened."""


class MemoryJournal:
    """Nothing outlives the process."""

    def __init__(self, n_items: int, seed: int) -> None:
        self.seed = seed
        self.order = tuple(range(n_items))
        self._count = 0

    def read(self) -> Iterator[Written]:
        return iter(())

    def write(
        self, answers: Sequence[tuple[Question, str, str | None]], served: Sequence[tuple[int, int, int | None]]
    ) -> list[Question]:
        first = self._count
        self._count += len(served)
        return [Question(str(first + k), *question) for k, question in enumerate(served)]

    def close(self) -> None:
        pass


class ArenaJournal:
    """An arena whose pairs are chosen by the caller: its log is the journal. The example is the log's `user`, and the
    judge its `group`: the answers of another judge are not used.

    Of a comparison both ways, two questions that follow each other, the log has one outcome, at the answer that came
    last; the other one is a skip. What the judge said is the reason of each. So the arena's `standing` counts it once.
    """

    def __init__(self, items: Items, options: Options, judge: str | None) -> None:
        for module in ("alembic", "pydantic", "sqlalchemy"):
            check_extra("A store for the answers of a pick", module, "arena")
        from winnerstays.arena import Arenas, DifferentArenaError, Item

        store = self._store = without_password(str(options.store))
        self._judge = None if judge is None else _id(judge)
        self._same_judge = options.same_judge
        self._both = options.swap == "both"
        name = NAME + (" both ways" if self._both else "") + _label(options.examples)
        ids = list(map(_id, items.names))
        wanted = [
            Item(id=id_, text=_content(id_, value)) for id_, value in zip(ids, items.values, strict=True)
        ]  # fmt: skip
        self._arenas = Arenas.open(str(options.store))
        try:
            there = [one for one in self._arenas.names() if one == NAME or one.startswith(f"{NAME} ")]
            if there and name not in there:
                raise WinnerstaysError(
                    f"{store} holds another pick, {there[0]!r}; this is {name!r}. Use another store."
                )
            if name in there:
                wanted = _in_order(store, wanted, self._arenas.get(name).items)
            given = {} if options.seed is None else {"seed": options.seed}
            try:
                self._arena = self._arenas.create(
                    name, wanted, algorithm="random", audience="everyone", pairs="caller",
                    expires_after=FOREVER_SECONDS, **given,
                )  # fmt: skip
            except DifferentArenaError as error:
                raise WinnerstaysError(f"{store} holds another pick: {error}") from None
        except BaseException:
            self._arenas.close()
            raise
        self.seed = self._arena.settings.seed
        self._half: str | None = None
        """A question that was served, and whose other half was not yet."""
        self._halves: dict[str, str] = {}
        self._said: dict[str, tuple[int | None, str]] = {}
        """Of questions whose other half is open: the item chosen, and the outcome."""
        self._ids = [item.id for item in wanted]
        self._places = {id_: place for place, id_ in enumerate(self._ids)}
        self.order = tuple(ids.index(id_) for id_ in self._ids)

    def read(self) -> Iterator[Written]:
        """Yield the questions in the order in which they were served, each with its answer."""
        questions: dict[str, Question] = {}
        answers: dict[str, str] = {}
        judges: set[str | None] = set()
        for event in self._arena.events():
            if event.kind == "served" and event.duel:
                example = None if event.user is None else int(event.user)
                left, right = self._places[str(event.left)], self._places[str(event.right)]
                questions[event.duel] = Question(event.duel, left, right, example)
                self._pair_up(event.duel)
            elif event.kind in ("learned", "noted") and event.duel and event.outcome:
                side = LEFT if event.winner == event.left else RIGHT
                outcome = side if event.outcome == "winner" else event.outcome
                said = SAID.search(event.reason or "")
                answers[event.duel] = said[1] if said else outcome
                if answers[event.duel] != SKIP:  # a judge that failed has said nothing
                    judges.add(event.group)
                self._agree(questions[event.duel], answers[event.duel])
        self._check_judge(judges)
        for id_, question in questions.items():
            yield Written(question, answers.get(id_))

    def _check_judge(self, before: set[str | None]) -> None:
        """Refuse a judge to whom none of the answers belong, as far as it and theirs are known."""
        others = sorted(judge for judge in before if judge is not None)
        if others and not (self._judge is None or self._judge in others or self._same_judge):
            raise WinnerstaysError(
                f"{self._store} holds the answers of another judge, {others[0]!r}; this one is {self._judge!r}. Use "
                "another store, or same_judge=True if it is the same one under another name."
            )

    def write(
        self, answers: Sequence[tuple[Question, str, str | None]], served: Sequence[tuple[int, int, int | None]]
    ) -> list[Question]:
        """Keep all in one transaction: the answers first, then what they led to."""
        from winnerstays.arena import Answer, Ask, Duel

        requests: list[Any] = []
        for question, outcome, reason in answers:
            winner = _chosen(question, outcome)
            if self._both:
                reason = f"the judge said {outcome}" + (f"; {reason}" if reason else "")
                winner, outcome = self._agree(question, outcome)
            chosen = None if winner is None else self._ids[winner]
            said = "winner" if chosen is not None else {TIE: "tie", SKIP: "skip"}[outcome]
            requests.append(Answer(question.id, chosen, said, reason, arena=self._arena.name))
        for left, right, example in served:
            user = None if example is None else str(example)
            requests.append(Ask(self._arena.name, user, (self._ids[left], self._ids[right]), group=self._judge))
        results = self._arenas.execute(requests) if requests else []
        for result in results:
            if isinstance(result, WinnerstaysError):
                raise result
        duels = [result for result in results if isinstance(result, Duel)]
        for duel in duels:
            self._pair_up(duel.id)
        return [Question(duel.id, *question) for duel, question in zip(duels, served, strict=True)]

    def _pair_up(self, id_: str) -> None:
        """Note a question that was served: the one after it is the same the other way round."""
        if self._both and self._half is None:
            self._half = id_
        elif self._half is not None:
            self._halves[id_], self._halves[self._half], self._half = self._half, id_, None

    def _agree(self, question: Question, outcome: str) -> tuple[int | None, str]:
        """Return the winner and the outcome that the log has for an answer both ways; a flip is a tie."""
        chosen = _chosen(question, outcome)
        other = self._said.pop(self._halves.get(question.id, ""), None)
        if other is None:
            self._said[question.id] = chosen, outcome
            return None, SKIP
        if chosen == other[0] and chosen is not None:
            return chosen, outcome
        return None, SKIP if SKIP in (outcome, other[1]) else TIE

    def close(self) -> None:
        self._arenas.close()


def without_password(address: str) -> str:
    """Return the address of a store for a sentence.

    >>> without_password("postgresql://ada:secret@host/name"), without_password("run.db")
    ('postgresql://…@host/name', 'run.db')
    """
    scheme, found, rest = address.partition("://")
    return f"{scheme}://…@{rest.rpartition('@')[2]}" if found and "@" in rest else address


def _chosen(question: Question, outcome: str) -> int | None:
    """Return the place of the item that was chosen."""
    return {LEFT: question.left, RIGHT: question.right}.get(outcome)


def _id(name: str) -> str:
    """Return an id that an arena takes: the name, or the beginning and a digest of one that is too long."""
    fits = len(name) <= MAX_CHARACTERS and "\0" not in name
    return name if fits else f"{' '.join(name.replace(chr(0), ' ').split())[:60]}… {_digest(name)}"


def _content(id_: str, value: Any) -> str:
    """Return what tells an item from another one of the same name; nothing for a text that is its own name."""
    text = as_text(value)
    return "" if text is None or text == id_ else _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _label(examples: tuple[Any, ...] | None) -> str:
    if examples is None:
        return ""
    texts = [as_text(example) or "" for example in examples]
    return f" with {len(examples)} examples ({_digest(chr(0).join(texts))})"


def _in_order(store: str, wanted: list[Any], stored: tuple[Any, ...]) -> list[Any]:
    """Return the items in the order of the store; an error if they are not the same ones."""
    if {(item.id, item.text) for item in wanted} != {(item.id, item.text) for item in stored}:
        here, there = (", ".join(repr(item.id) for item in items) for items in (wanted, stored))
        differ = "" if here != there else ", whose contents were others"
        raise WinnerstaysError(
            f"{store} holds another pick, of {there}{differ}; this one is of {here}. Use another store."
        )
    return list(stored)
