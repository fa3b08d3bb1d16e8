"""Colours of curves: an algorithm has the same one in every picture: of a simulation, of the report and of the lab."""

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
"""The colour of a curve by its label. Those that share one stand in no picture of the report together."""


def different_colours(labels: Sequence[str]) -> list[str]:
    """Return a colour for each label: its own in COLOUR; without one, or where an earlier label has it, one left over.

    >>> different_colours(["my-own", "ws-w", "ws-s"]) == [RED, BLUE, GREEN]
    True
    """
    found: dict[str, str] = {}
    for label in labels:
        if label in COLOUR and COLOUR[label] not in found.values():
            found[label] = COLOUR[label]
    free = [colour for colour in COLOURS if colour not in found.values()] or list(COLOURS)
    others = [label for label in dict.fromkeys(labels) if label not in found]
    found.update({label: free[k % len(free)] for k, label in enumerate(others)})
    return [found[label] for label in labels]
