"""The ready arena: the paper's 16 sushi, each with a drawing of ours."""

from dataclasses import dataclass
from functools import cache

from starlette.responses import Response

from winnerstays.arena import Arena, Arenas, Item
from winnerstays.problems.builtin import SUSHI_NAMES
from winnerstays.service.errors import RequestError
from winnerstays.web.pages import Page, Visit, templates

NAME = "sushi"
TOPPING = (
    "M28 104C34 66 78 48 128 48c48 0 82 18 86 50 2 12-10 14-18 10-20-12-46-16-76-14-30 2-54 10-72 22-12 6-22 0-20-12z"
)
ROE = ((78, 72), (102, 64), (128, 62), (154, 66), (170, 76), (90, 82), (114, 78), (140, 78), (158, 86), (104, 90))


@dataclass(frozen=True)
class Piece:
    """How one sushi is drawn: its pattern, the colours of the topping and of its marks, and what lies on it."""

    words: str
    kind: str
    colour: str
    marks: str
    band: bool = False
    garnish: bool = False


PIECES = {
    "chu-toro": Piece("medium fatty tuna", "marbled", "#e0647a", "#f7c3c9"),
    "toro": Piece("fatty tuna", "marbled", "#f09aa4", "#fff0ee"),
    "salmon": Piece("sake", "striped", "#f58549", "#ffd9bd"),
    "maguro": Piece("lean tuna", "plain", "#b3263c", "#d4596a"),
    "ikura": Piece("salmon roe", "roll", "#f2622e", "#c93a12"),
    "tai": Piece("sea bream", "striped", "#fbe9e4", "#eda79d"),
    "anago": Piece("sea eel", "glazed", "#b98150", "#7d4d26"),
    "hotate": Piece("scallop", "plain", "#f7e6c6", "#e6c98f"),
    "ika": Piece("squid", "scored", "#f6f2ee", "#cfc6c0"),
    "aji": Piece("horse mackerel", "skin", "#d99a96", "#8fa3b5", garnish=True),
    "unagi": Piece("freshwater eel", "glazed", "#6d3a1c", "#3f1f0d", band=True),
    "awabi": Piece("abalone", "wavy", "#e2cda0", "#8d7b56"),
    "saba": Piece("mackerel", "skin", "#e7c3b8", "#53708f"),
    "geso": Piece("squid legs", "wavy", "#f0c4c6", "#c0717f", band=True),
    "tori-gai": Piece("cockle", "skin", "#f1e4d0", "#453a4c"),
    "shako": Piece("mantis shrimp", "striped", "#c9a3b4", "#8d5d78"),
}


def items() -> list[Item]:
    """Return the 16 sushi, in the paper's order."""
    return [Item(id=name, picture=f"/pictures/sushi/{name}.svg", text=PIECES[name].words) for name in SUSHI_NAMES]


def ready_arena(arenas: Arenas) -> Arena:
    """Return the ready arena; it is made if it is missing. Strangers may play there."""
    return arenas.get(NAME) if NAME in arenas.names() else arenas.create(NAME, items(), public=True)


@cache
def drawing(name: str) -> str:
    return templates().get_template("sushi.svg").render(piece=PIECES[name], shape=TOPPING, balls=ROE)


async def picture(visit: Visit) -> Response:
    """Return the drawing of a sushi."""
    name: str = visit.request.path_params["name"]
    if name not in PIECES:
        raise RequestError("no-route", f"There is no picture of {name!r}.")
    return Response(drawing(name), media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


PAGES = [Page("/pictures/sushi/{name}.svg", {"GET": picture})]
