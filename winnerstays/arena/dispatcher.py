"""The dispatcher of requests: those of concurrent threads share a transaction, and what was read is remembered."""

from collections.abc import Callable, Sequence

from winnerstays.arena.cache import Cache
from winnerstays.arena.errors import DeletedArenaError
from winnerstays.arena.group_commit import GroupCommit
from winnerstays.arena.records import Request, Result
from winnerstays.arena.stores.base import Store, Transaction
from winnerstays.arena.totals import TotalsKeeper
from winnerstays.arena.transaction import TransactionBatch


class Dispatcher:
    """Executes requests on a store."""

    def __init__(self, store: Store, clock: Callable[[], float], cache: Cache) -> None:
        self._store = store
        self._clock = clock
        self._cache = cache
        self.totals = TotalsKeeper(store)
        self._group_commit: GroupCommit[Request, Result] = GroupCommit(self._execute, store.writers)

    def execute(self, requests: Sequence[Request]) -> list[Result]:
        """Return a result for each request, in the same order, once all of them are durable."""
        return self._group_commit.run(requests) if requests else []

    def execute_now(self, requests: list[Request]) -> list[Result]:
        """Do the same for a thread that has no time to wait: BusyError if the store must be waited for."""
        return self._execute(requests, now=True)

    def _execute(self, requests: list[Request], now: bool = False) -> list[Result]:
        def work(transaction: Transaction) -> tuple[TransactionBatch, list[Result]]:
            batch = TransactionBatch(self._cache, transaction, float(self._clock()), hasty=now)
            return batch, batch.execute(requests)

        run = self._store.run_now if now else self._store.run
        try:
            batch, results = run(work)
        except DeletedArenaError:  # forgotten by now
            return self._execute(requests, now)
        for owner, learner_id in batch.learner_ids.items():
            self._cache.learner_ids.put(owner, learner_id)
        for served in batch.served.values():
            self._cache.arenas_of_duels.put(served.id, served.arena_id)
            if served.username is None:
                self._cache.duels.put(served.id, served)
        self.totals.appended(len(batch.log))
        return results
