"""Requests in transactions: any number of asks and answers, of any arenas, share one.

A transaction does the same on every store: it finds out which learners are concerned, locks them and reads what else
may have changed (transaction.py), decides in memory (ask.py, answer.py), appends to the log and to the chain of each
learner, and saves the learners.
"""

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from winnerstays.arena.engine.answer import Answering, looks_like_id
from winnerstays.arena.engine.ask import Serving
from winnerstays.arena.engine.cache import ArenaRuntime, Cache
from winnerstays.arena.engine.models import ModelKeeper
from winnerstays.arena.engine.transaction import LockedRows, TransactionLog
from winnerstays.arena.errors import StoreError, UnknownArenaError
from winnerstays.arena.records import Answer, Ask, Request, Result
from winnerstays.arena.stores import statements
from winnerstays.arena.stores.base import Store, Transaction
from winnerstays.arena.stores.rows import RefusalKind
from winnerstays.arena.text import check_text
from winnerstays.errors import WinnerstaysError


class TransactionBatch:
    """The requests of one transaction.

    `rows` says what is worth remembering once it is committed; `log` holds the rows that it appends.
    """

    def __init__(self, cache: Cache, transaction: Transaction, now: float, keeper: ModelKeeper, *, hasty: bool) -> None:
        """`hasty` if others wait meanwhile: what takes long is a BusyError."""
        self.rows = LockedRows(cache, transaction, now, keeper, hasty=hasty)
        self.log = TransactionLog(self.rows)

    def execute(self, requests: list[Request]) -> list[Result]:
        """Return a result for each request, in the same order; what is wrong with a request is its result."""
        duel_ids = {each.duel for each in requests if isinstance(each, Answer) and looks_like_id(each.duel)}
        asked: list[tuple[ArenaRuntime, str] | WinnerstaysError | None] = [
            self._find_asked(each) if isinstance(each, Ask) else None for each in requests
        ]
        self.rows.lock(duel_ids, [each for each in asked if isinstance(each, tuple)])
        serving = Serving(self.rows, self.log, len(asked))
        answering = Answering(self.rows, self.log)
        results: list[Result] = []
        for request, target in zip(requests, asked, strict=True):
            if isinstance(request, Answer):
                results.append(answering.answer(request))
            elif isinstance(target, tuple):
                results.append(serving.serve(request, *target))
            elif target is not None:
                results.append(target)
        self.log.save()
        return results

    def remember(self) -> None:
        """Keep in the cache, once the transaction was committed, what the next ones would look for."""
        cache = self.rows.cache
        for owner, learner_id in self.rows.new_ids.items():
            cache.learner_ids.put(owner, learner_id)
        for served in self.rows.new_duels:
            if served.username is None:
                cache.duels.put(served.id, served)
            else:
                cache.arenas_of_duels.put(served.id, served.arena_id)

    def _find_asked(self, ask: Ask) -> tuple[ArenaRuntime, str] | WinnerstaysError:
        """Return the arena and the username of the learner that is asked."""
        try:
            arena = self.rows.cache.arena(self.rows.transaction, ask.arena)
            if not ask.may_be_for(arena.id, arena.name, arena.settings.public):
                raise UnknownArenaError.of(ask.arena)
            if ask.user is not None:
                check_text("A user's name", ask.user)
            if ask.group is not None:
                check_text("A user's group", ask.group)
        except WinnerstaysError as error:
            return error
        if arena.fault is not None:
            return arena.fault
        if arena.shared:
            return arena, ""
        if ask.user is None:
            return WinnerstaysError(f"The arena {ask.arena!r} has a learner for each user: say which user asks.")
        return arena, ask.user


class RefusalCounter:
    """Counts refused answers after their transactions: the counts are rows that many transactions change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._refused: Counter[RefusalKind] = Counter()
        self._logged: Counter[RefusalKind] = Counter()

    def count(self, refused: Counter[RefusalKind], logged: Counter[RefusalKind]) -> None:
        """Count refused answers; where the store must be waited for, they are saved with the next ones."""
        with self._lock:
            self._refused += refused
            self._logged += logged
        with suppress(StoreError):
            self._save(self._store.run_now)

    def close(self) -> None:
        """Save what is not saved yet."""
        with suppress(StoreError):
            self._save(self._store.run)

    def _save(self, run: Callable[[Callable[[Transaction], None]], None]) -> None:
        with self._lock:
            refused, self._refused = self._refused, Counter()
            logged, self._logged = self._logged, Counter()
        counts = {kind: (count, logged[kind]) for kind, count in refused.items()}
        if not counts:
            return
        try:
            run(lambda transaction: statements.count_refusals(transaction, counts))
        except StoreError:
            with self._lock:
                self._refused += refused
                self._logged += logged
            raise
