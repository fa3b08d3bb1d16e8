"""Colours of curves. An algorithm has the same colour in every picture."""

from collections.abc import Sequence

COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#999933",
    "#882255",
    "#44AA99",
    "#AA4499",
    "#117733",
)
"""Seven of Okabe & Ito's colours and five of Paul Tol's, which colour-blind people can tell apart."""
BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK, OLIVE, WINE, TEAL, PURPLE, FOREST = COLOURS
BROWN = "#7A4A21"
COLOUR = {
    "ws-w": BLUE, "ws-s": BLUE, "rucb": RED, "rmed1": GREEN, "rmed2": PINK, "sparring": ORANGE, "multisbm": SKY,
    "if2": OLIVE, "btm": WINE, "qsa": BROWN, "dts": BLACK, "rcs": TEAL, "versatile": PURPLE, "btw": FOREST,
    "ws-t": PURPLE, "ws-root": FOREST, "btwr": FOREST, "mbtw": OLIVE, "ccb": SKY, "doubler": SKY, "ecw-rmed": GREEN,
    "if1": OLIVE, "merge-rucb": RED, "racing": WINE, "random": BROWN, "rex3": SKY, "rmed2fh": PINK, "savage": BROWN,
    "scb": TEAL, "self-sparring": ORANGE,
    "ws-s beta=1.01": "#8FB8DE", "ws-s beta=1.05": "#4F94CD", "ws-s beta=1.1": BLUE, "ws-s beta=1.2": "#004C80",
    "ws-s beta=1.5": "#001F3F",
}  # fmt: skip
"""The colour of a curve by its label. Curves that share a colour never share a picture of the report."""


def different_colours(labels: Sequence[str]) -> list[str]:
    """Return a colour for each label: its own in COLOUR, or an unused one if that is missing or taken.

    >>> different_colours(["my-own", "ws-w", "ws-s"]) == [RED, BLUE, GREEN]
    True
    """
    colours: dict[str, str] = {}
    for label in labels:
        if label in COLOUR and COLOUR[label] not in colours.values():
            colours[label] = COLOUR[label]
    free = [colour for colour in COLOURS if colour not in colours.values()] or list(COLOURS)
    without = [label for label in dict.fromkeys(labels) if label not in colours]
    colours.update({label: free[k % len(free)] for k, label in enumerate(without)})
    return [colours[label] for label in labels]
