"""Items as cards show them: texts as they are, addresses only if they are harmless, a look of their own."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from winnerstays.arena import Item

TINTS = 12
"""The classes tint-0, tint-1, ... of style.css."""
Circle = tuple[float, float, float]


@dataclass(frozen=True)
class Card:
    """One item, ready for a template; `circles` (x, y, radius) are its pattern, `tint` names its colour."""

    id: str
    title: str
    text: str
    link: str
    picture: str
    tint: str
    circles: tuple[Circle, ...]

    @property
    def is_drawing(self) -> bool:
        """Whether the picture is to be shown whole, as drawings are, and photos are not."""
        return self.picture.partition("?")[0].endswith(".svg") or self.picture.startswith("data:image/svg")


@lru_cache(maxsize=10_000)
def card(item: Item, picture_origins: tuple[str, ...] = ()) -> Card:
    """Return the card of an item. Pictures come from this service itself or from the origins that are allowed."""
    random = blake2b(item.id.encode(), digest_size=16).digest()
    circles = tuple((random[k] / 2.55, random[k + 1] / 2.55, 8 + random[k + 2] / 7) for k in range(1, 13, 3))
    return Card(
        id=item.id,
        title=item.title,
        text=item.text,
        link=item.link if _is_web_page(item.link) else "",
        picture=item.picture if _may_be_shown(item.picture, picture_origins) else "",
        tint=f"tint-{random[0] % TINTS}",
        circles=tuple((round(x, 1), round(y, 1), round(r, 1)) for x, y, r in circles),
    )


def _is_web_page(address: str) -> bool:
    return address.lower().startswith(("https://", "http://"))


def _may_be_shown(address: str, origins: Iterable[str]) -> bool:
    """Whether the page may load a picture from this address: no request leaves for a host that nobody allowed."""
    own = address.startswith("/") and not address.startswith(("//", "/\\"))
    return own or address.startswith("data:image/") or any(address.startswith(f"{origin}/") for origin in origins)
