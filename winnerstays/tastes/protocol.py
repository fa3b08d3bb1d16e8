"""What a site needs of a model of tastes: `Crowd` is one, and another may take its place."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, Self, TypeVar

from winnerstays.tastes.ranking import Standing

V = TypeVar("V")
"""The state of a visitor: a value with `dump` and `load`, which the caller keeps."""


class SiteModel(Protocol[V]):
    """Chooses pairs for many visitors, each of whom may have a duel open, and learns from all of them.

    `choose`, `favourite` and `standing` change nothing: the same model, visitor and arguments give the same result.
    `add`, `retire`, `tell` and `hear` change the model. Called in the same order with the same arguments, they give
    the same bytes: a log of these calls, with the versions (`dump`) that took the place of a model between them, is all
    that a replay needs. A visitor's state stays valid when a later version of the same model takes over.
    """

    def add(self, items: Iterable[str], *, features: Mapping[str, Sequence[float]] | None = None) -> None:
        """Let items join, or come back."""

    def retire(self, items: Iterable[str]) -> None:
        """Never show these items again."""

    def visitor(self, *, seed: int = 0, group: str | None = None) -> V:
        """Return a visitor who has answered nothing; another seed for each visit lets other items be tried."""

    def choose(
        self, visitor: V, eligible: Iterable[str] | None = None, *, avoid: Iterable[tuple[str, str]] = ()
    ) -> tuple[str, str]:
        """Return two eligible items to show; the caller decides which one stands left."""

    def tell(self, visitor: V, first: str, second: str, outcome: int) -> V:
        """Learn that the first item WON, LOST or TIED; return the visitor as after it. A skip is not told."""

    def hear(self, before: V, after: V) -> None:
        """Learn what a visitor told another copy of this model since `before`."""

    def favourite(self, visitor: V, eligible: Iterable[str] | None = None) -> str:
        """Return the visitor's favourite."""

    def standing(self, visitor: V, eligible: Iterable[str] | None = None, *, top: int = 5) -> Standing:
        """Return how likely each item is the visitor's best."""

    def dump(self) -> bytes:
        """Return this version of the model as bytes."""

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the model whose bytes these are."""
