"""The arena as its users see it: ask which two to show, tell which was chosen, look at what was learned."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from winnerstays.algorithms.parameters import Value
from winnerstays.arena.engine.state_size import check_size
from winnerstays.arena.errors import (
    TooManyAnswersError,
    UnknownArenaError,
    UnknownDuelError,
    WrongUserError,
    too_many_open,
)
from winnerstays.arena.figures.uplift import Uplift
from winnerstays.arena.items import ItemChanges, differences, why_fixed
from winnerstays.arena.local import LocalBackend
from winnerstays.arena.operations import (
    BEST,
    BIAS,
    CHANGE_ARENA,
    CHANGE_ITEMS,
    DELETE_ARENA,
    ERASE,
    GET_ARENA,
    NEWEST,
    POPULAR,
    REWARD,
    STANDING,
    SUMMARY,
    TOP,
    TOTALS,
    UPLIFT,
    Backend,
)  # fmt: skip
from winnerstays.arena.records import (
    UNDO,
    Answer,
    Ask,
    Bias,
    Deleted,
    Duel,
    Erased,
    Event,
    Heads,
    Popularity,
    Pruned,
    Receipt,
    Replay,
    Request,
    Result,
    Rewarded,
    Standing,
    Summary,
    Totals,
)
from winnerstays.arena.sessions import Rankings, Session, open_session, resume
from winnerstays.arena.settings import Item, Settings, algorithm_for
from winnerstays.arena.stores import is_missing_file
from winnerstays.errors import WinnerstaysError, missing_extra, unknown
from winnerstays.item_names import check_list

_REFUSED: dict[str, type[WinnerstaysError]] = {
    "unknown": UnknownDuelError, "wrong-user": WrongUserError, "invalid": WinnerstaysError,
    "busy": TooManyAnswersError,
}  # fmt: skip
"""The statuses that `tell` raises as errors."""
SERVICES = ("http://", "https://")


def open_backend(
    address: str, *, clock: Callable[[], float] = time.time, key: str | None = None, upgrade: bool = False
) -> Backend:
    """Open what is at an address: a database, or a running service (`http://...`, with a `key` if it wants one)."""
    if not isinstance(address, str) or not address:
        raise WinnerstaysError(f"A database is the path of a file or postgresql://..., not {address!r}.")
    if not address.startswith(SERVICES):
        return LocalBackend.open(address, clock, upgrade=upgrade)
    if upgrade:
        raise WinnerstaysError(
            f"{address} is a service, not a database; upgrade it with `winnerstays serve --upgrade`."
        )
    try:
        from winnerstays.arena.remote import RemoteBackend
    except ImportError:
        raise missing_extra("An arena over HTTP", "remote") from None
    return RemoteBackend(address, key)


class Arenas:
    """All arenas of one database, or of one service.

    >>> with Arenas.open("memory:") as arenas:
    ...     lunch = arenas.create("lunch", ["ramen", "tacos", "pho"])
    ...     arenas.names()
    ['lunch']
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    @classmethod
    def open(
        cls,
        address: str,
        *,
        clock: Callable[[], float] = time.time,
        key: str | None = None,
        upgrade: bool = False,
    ) -> "Arenas":
        """Open all arenas at an address: a file (made if missing), `memory:`, `postgresql://...`, or a running service.

        A service is `http://...`; `key` is for a service that wants one. The tables of an older winnerstays are changed
        only with `upgrade`.
        """
        return cls(open_backend(address, clock=clock, key=key, upgrade=upgrade))

    def __enter__(self) -> "Arenas":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database, or the connections to the service."""
        self.backend.close()

    @property
    def database(self) -> LocalBackend:
        """The database behind the arenas, for what only a database offers; those of a service have none."""
        if isinstance(self.backend, LocalBackend):
            return self.backend
        raise WinnerstaysError(f"{self.backend.address} is a service, not a database; do this where its database is.")

    def names(self) -> list[str]:
        """Return the names of all arenas."""
        return self.backend.names()

    def create(self, /, name: str, items: Iterable[str | Item | Mapping[str, Any]], **settings: Any) -> "Arena":
        """Make an arena, or open the one of this name; DifferentArenaError if that has other items or settings."""
        listed = tuple(map(Item.of, check_list(items)))
        return Arena(self, self.backend.create(Settings(name=name, items=listed, **settings)))

    def get(self, name: str) -> "Arena":
        """Return the arena of this name."""
        try:
            return Arena(self, self.backend.call(GET_ARENA, name))
        except UnknownArenaError as error:
            nearest = error
            with suppress(WinnerstaysError):  # not everybody may list the arenas of a service
                nearest = UnknownArenaError(str(unknown("arena", name, self.names())))
            raise nearest from None

    def __getitem__(self, name: str) -> "Arena":
        return self.get(name)

    def __iter__(self) -> Iterator["Arena"]:
        return map(self.get, self.names())

    def delete(self, name: str) -> Deleted:
        """Delete an arena: its learners, its rows in the log, its name. If that is interrupted, do it again."""
        return self.backend.call(DELETE_ARENA, name)

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        """Execute asks and answers in any mixture in one transaction; return a result for each.

        Where a request is wrong, its result is an error, or a receipt that says why the answer was refused.
        """
        return self.backend.execute(requests)

    def tell(self, answer: Answer) -> Receipt:
        """Answer a duel of any arena."""
        return _receipt(self.backend.execute([answer])[0], answer)

    def events(self, arena: str | None = None, *, after: int = 0, limit: int | None = None) -> Iterator[Event]:
        """Yield the log, row by row, from the one after sequence number `after`; of one arena or of all.

        No row with a lower number appears later: store the number of the last one, and read on from there.
        """
        return self.backend.events(arena, after, limit=limit)

    def replay(self, expect: str | None = None) -> Replay:
        """Check every row of the log, rebuild every learner from it, and compare it with the stored one byte for byte.

        `expect` is a head that was kept elsewhere (`heads`): if it differs, the result is not equal.
        """
        return self.database.replay(expect)

    def prune(self, before: float) -> Pruned:
        """Replace what was logged before a Unix time by a snapshot of each learner.

        Everything that was learned stays, and so do totals and heads. Answers to duels whose rows are gone are unknown.
        """
        return self.database.prune(before)

    def heads(self) -> Heads:
        """Return hashes that change with every row of the log, of each arena and of all: keep them elsewhere."""
        return self.database.heads()


class Arena:
    """Shows people two items at a time and learns their favourite, losing nothing and learning nothing twice.

    >>> arena = Arena.open("memory:", items=["ramen", "tacos", "pho"], seed=1)
    >>> for _ in range(40):
    ...     duel = arena.ask(user="ada")
    ...     receipt = arena.tell(duel.id, winner="tacos" if "tacos" in duel else duel.left)
    >>> receipt.status, arena.best(user="ada")
    ('learned', 'tacos')
    """

    def __init__(self, arenas: Arenas, settings: Settings) -> None:
        self.arenas = arenas
        self.settings = settings
        self.name = settings.name
        self._backend = arenas.backend

    @classmethod
    def open(
        cls,
        address: str,
        name: str = "default",
        items: Iterable[str | Item | Mapping[str, Any]] | None = None,
        *,
        clock: Callable[[], float] = time.time,
        key: str | None = None,
        algorithm: str | None = None,
        params: Mapping[str, Value] | None = None,
        regret: str | None = None,
        **settings: Any,
    ) -> "Arena":
        """Open the arena of this name; if `items` are given and it does not exist yet, it is made.

        `address` is the path of a SQLite file, `memory:`, `postgresql://...`, or `http://...` of a running service
        (with a `key` if it wants one). `regret` ("weak" or "strong") stands for the algorithm that is made for it, if
        none is named. The other arguments are fields of `Settings`.
        """
        if regret is not None:
            algorithm = algorithm_for(regret, algorithm, settings.get("audience", "user"))
        given = {"algorithm": algorithm, "params": params, **settings}
        given = {field: value for field, value in given.items() if value is not None}
        listed = None if items is None else tuple(map(Item.of, check_list(items)))
        if isinstance(address, str) and not address.startswith(SERVICES):
            _check_before_opening(address, name, listed, given)
        arenas = Arenas.open(address, clock=clock, key=key)
        try:
            if listed is not None:
                return arenas.create(name, listed, **given)
            try:
                arena = arenas.get(name)
            except UnknownArenaError as error:
                raise UnknownArenaError(f"{error} To make it, give items=[...].") from None
            arena.settings.check_same(given)
        except BaseException:
            arenas.close()
            raise
        return arena

    def __repr__(self) -> str:
        whose = "each user" if self.settings.audience == "user" else "everyone"
        items = sum(not item.retired for item in self.items)
        return f"<Arena {self.name!r}: {items} items, {self.settings.algorithm}, a learner for {whose}>"

    def __enter__(self) -> "Arena":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database, for all its arenas."""
        self.arenas.close()

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, retired ones included, as they were when the arena was opened or last changed here."""
        return self.settings.items

    @property
    def why_fixed(self) -> str:
        """The sentence that says why items cannot be added, retired or restored; empty where they can."""
        return why_fixed(self.settings)

    def add(self, items: Iterable[str | Item | Mapping[str, Any]]) -> None:
        """Add items. Each learner gets to know them when it is next asked; what it learned stays."""
        self._change_items(ItemChanges.of(add=items))

    def retire(self, ids: Iterable[str]) -> None:
        """Show items no more. What was learned about them is kept; their open duels can still be answered."""
        self._change_items(ItemChanges.of(retire=ids))

    def restore(self, ids: Iterable[str]) -> None:
        """Show retired items again."""
        self._change_items(ItemChanges.of(restore=ids))

    def edit(self, /, id_: str, **fields: str) -> None:
        """Change what is shown of an item: `title`, `picture`, `link`, `text`."""
        self._change_items(ItemChanges.of(edit={id_: fields}))

    def differences(self, items: Iterable[str | Item | Mapping[str, Any]]) -> ItemChanges:
        """Return the changes after which the arena has exactly these items."""
        self.settings = self._backend.call(GET_ARENA, self.name)
        return differences(self.settings, list(map(Item.of, check_list(items))))

    def sync(self, items: Iterable[str | Item | Mapping[str, Any]]) -> ItemChanges:
        """Add, edit, restore and retire items until the arena has exactly these; return what that took."""
        changes = self.differences(items)
        if changes:
            self._change_items(changes)
        return changes

    def _change_items(self, changes: ItemChanges) -> None:
        self.settings = self._backend.call(CHANGE_ITEMS, self.name, **changes.arguments())

    def change(self, /, **settings: Any) -> None:
        """Change the name, the sets, the limits, whether new users start from the crowd, or whether it is `closed`."""
        self.settings = self._backend.call(CHANGE_ARENA, self.name, **settings)
        self.name = self.settings.name

    def ask(
        self,
        user: str | None = None,
        *,
        among: Iterable[str] | str | None = None,
        without: Iterable[str] | str = (),
        fresh: bool = False,
        group: str | None = None,
        show: int = 2,
    ) -> Duel:
        """Return two items to show, or `show` of them. Asking again returns the user's open duel, unless `fresh`.

        `among` are the ids of the items that may be shown, or the name of a set; `without` those that may not. Ids that
        are unknown or retired are passed over, with a `warning` in the duel. An open duel with an item that may not be
        shown any more is replaced. `group` is the user's, such as a country: a new user starts from what the group and
        all others taught; it is remembered for the user's next duels. Of a feed, `Duel.items` has all items; the chosen
        one is learned as better than each of the others.
        """
        request = Ask(self.name, user, _listed(among), _listed(without) or (), fresh, group=group, show=show)
        return _duel(self._backend.execute([request])[0])

    def ask_many(
        self,
        users: Iterable[str | None] | str,
        count: int | None = None,
        *,
        among: Iterable[str] | str | None = None,
        without: Iterable[str] | str = (),
        group: str | None = None,
    ) -> list[Duel]:
        """Return a duel for each user; or, for one user, `count` duels of different pairs. In one transaction.

        The duels that the user holds open are among them. The other arguments are those of `ask`.
        """
        same = Ask(self.name, among=_listed(among), without=_listed(without) or (), group=group)
        if count is None:
            if isinstance(users, str):
                raise WinnerstaysError(f"How many duels does {users!r} want? Give a count, or a list of users.")
            requests = [replace(same, user=user) for user in users]
        else:
            if not isinstance(users, str) or not isinstance(count, int) or count < 1:
                raise WinnerstaysError(f"Several duels are for one user and at least 1, not {users!r} and {count!r}.")
            if count > self.settings.max_open:
                self.settings = self._backend.call(GET_ARENA, self.name)
                if count > self.settings.max_open:  # said before the first of them is served
                    raise too_many_open(self.name, self.settings.max_open, count)
            requests = [replace(same, user=users, place=place) for place in range(count)]
        return list(map(_duel, self._backend.execute(requests)))

    def tell(
        self,
        duel: str | Duel,
        winner: str | None = None,
        *,
        outcome: str | None = None,
        reason: str | None = None,
        user: str | None = None,
    ) -> Receipt:
        """Learn which item was chosen, or that it was a `tie`, a `skip` or `none` of the two (`outcome`).

        The winner is an item, or "left" or "right" for the side, if no item is called so. Telling the same again is
        harmless. If `user` is given, it must be the one to whom the duel was served.
        """
        id_ = duel.id if isinstance(duel, Duel) else duel
        return self._tell(Answer(id_, winner, outcome or "winner", reason, user, self.name))

    def _tell(self, answer: Answer) -> Receipt:
        return _receipt(self._backend.execute([answer])[0], answer)

    def session(
        self,
        user: str | None,
        rankings: Rankings,
        *,
        method: str = "team_draft",
        length: int = 10,
        rule: str = "clicks",
        seed: int | None = None,
        group: str | None = None,
    ) -> Session:
        """Compare two rankers, the items of this arena, by clicks on one list of both (docs/rankers.md).

        `rankings` are the results of each ranker, or functions that return them; only those of the two rankers are
        called. `rule` says who wins: whose results get more `clicks`, or the `first-click`. A `seed` names the list.
        """
        if isinstance(rankings, Mapping):
            self._check_known(rankings)
        rankers = [item.id for item in self.items if not item.retired]
        ask = partial(self.ask, user, group=group)
        return open_session(rankers, ask, self._tell, rankings, method, length, rule, seed)

    def _check_known(self, ids: Iterable[str]) -> None:
        """Raise an error if one of the ids is no item of the arena."""
        strangers = set(ids).difference(item.id for item in self.items)
        if strangers:  # they may have come since
            self.settings = self._backend.call(GET_ARENA, self.name)
            for id_ in strangers.difference(item.id for item in self.items):
                raise unknown("item", id_, [item.id for item in self.items])

    def resume(self, session: Mapping[str, Any]) -> Session:
        """Return a session that went elsewhere as JSON."""
        return resume(self.name, self._tell, session)

    def undo(self, duel: str | Duel, *, user: str | None = None) -> Receipt:
        """Take back the latest answer of a user, one step: the learner is as before, and asking shows that pair again.

        The log keeps the answer, and says that it was taken back. In arenas with a learner for each user.
        """
        return self.tell(duel, outcome=UNDO, user=user)

    def tell_many(self, answers: Iterable[Answer | Mapping[str, Any] | Sequence[Any]]) -> list[Receipt]:
        """Learn many answers, (duel, winner) or Answer, in one transaction. Each gets its receipt, refused ones too.

        Where the arena cannot be used or was renamed, that is an error.
        """
        requests = [Answer.of(answer, self.name) for answer in answers]
        results = self._backend.execute(requests)
        error = next((result for result in results if isinstance(result, WinnerstaysError)), None)
        if error is not None:
            raise error
        return [result for result in results if isinstance(result, Receipt)]

    def reward(self, user: str, value: float = 1.0, *, key: str | None = None) -> Rewarded:
        """Log what a user did that counts for the site: 1 for a conversion, or an amount.

        `uplift` compares the rewards of people with those of the control group. With the same `key` again, such as the
        number of an order, nothing more is logged.
        """
        return self._backend.call(REWARD, self.name, user=user, value=value, key=key)

    def best(self, user: str | None = None, *, among: Iterable[str] | str | None = None) -> str:
        """Return the favourite so far, of all items, of those with these ids, or of a set."""
        if among is not None:
            return self.top(1, user, among=among)[0]
        return self._backend.call(BEST, self.name, user=user)

    def top(self, count: int, user: str | None = None, *, among: Iterable[str] | str | None = None) -> list[str]:
        """Return the favourites so far, the best first, where the algorithm knows an order."""
        return self._backend.call(TOP, self.name, user=user, count=count, among=_listed(among))

    def standing(self, user: str | None = None, *, p: float | None = None, level: float = 0.95) -> Standing:
        """Return the favourite and how sure it is.

        `p`, if known, is the least chance with which the better of two items is chosen.
        """
        return self._backend.call(STANDING, self.name, user=user, p=p, level=level)

    def bias(self, group: str | None = None) -> Bias:
        """Return how often people chose the left item: all people, or those of a group (`totals().groups` has all).

        Sides are drawn fairly, so a share away from 1/2 is a habit of the people.
        """
        return self._backend.call(BIAS, self.name, group=group)

    def totals(self, *, robots: bool = False) -> Totals:
        """Return how often what happened: of people, or of robots (users whose names begin with `robot-`)."""
        return self._backend.call(TOTALS, self.name, robots=robots)

    def popular(self, *, level: float = 0.95) -> list[Popularity]:
        """Return the items that are not retired by how often they were chosen when shown, over all people.

        An item's rank is 1 and one more for each item that is better as far as the intervals tell.
        """
        return self._backend.call(POPULAR, self.name, level=level)

    def uplift(self, *, level: float = 0.95) -> Uplift:
        """Compare people whose pairs the learner chose with the control group (`holdout`), whose pairs it did not.

        The gain is how much more often people choose the item that would be recommended to them over a random one
        (in `probes`). The intervals hold however often one looks. Robots are left out, and those who came before there
        was a control group.
        """
        return self._backend.call(UPLIFT, self.name, level=level)

    def summary(self, *, level: float = 0.95) -> Summary:
        """Return what people like: their favourites, their rounds, how many are sure. Robots are left out."""
        return self._backend.call(SUMMARY, self.name, level=level)

    def events(self, *, after: int = 0, limit: int | None = None, user: str | None = None) -> Iterator[Event]:
        """Yield this arena's log, row by row, from the one after sequence number `after`; of one user, if one is given.

        No row with a lower number appears later: store the number of the last one, and read on from there.
        """
        return self._backend.events(self.name, after, user, limit)

    def newest_events(self, limit: int = 50) -> list[Event]:
        """Return the newest rows of this arena's log, the oldest of them first."""
        return self._backend.call(NEWEST, self.name, limit=limit)

    def erase(self, user: str) -> Erased:
        """Remove a user: learner, rows, and the name wherever else it stands. The log says that it was done.

        What a user taught the shared learner of an arena for everyone stays learned, without the name.
        """
        return self._backend.call(ERASE, self.name, user=user)


def _check_before_opening(address: str, name: str, items: tuple[Item, ...] | None, settings: Mapping[str, Any]) -> None:
    """Say what is wrong before a file is made: none is left behind by a call that is refused."""
    if items is not None:
        check_size(Settings(name=name, items=items, **settings))
    elif is_missing_file(address):
        raise UnknownArenaError(f"There is no file {address}. To make the arena {name!r} there, give items=[...].")


def _listed(ids: Iterable[str] | str | None) -> Any:
    """Return ids as a tuple; the name of a set, and what is no list of ids, as it is."""
    return tuple(ids) if isinstance(ids, Iterable) and not isinstance(ids, str) else ids


def _duel(result: Result) -> Duel:
    if isinstance(result, WinnerstaysError):
        raise result
    assert isinstance(result, Duel)
    return result


def _receipt(result: Result, answer: Answer) -> Receipt:
    if isinstance(result, WinnerstaysError):
        raise result
    assert isinstance(result, Receipt)
    if result.status in _REFUSED:
        raise _REFUSED[result.status](result.reason or f"The answer {answer!r} was refused.")
    return result
