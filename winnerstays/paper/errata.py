"""The errata of the paper in a sentence each; docs/paper.md has the details and a command for each."""

import re
from collections.abc import Callable

ERRATA = {
    "S1": "Lemma 3 is false as printed: the exponent must be l-1.",
    "S2": "The power of 2p-1 in Theorem 1 is 6; two sentences say 5.",
    "S3": "Theorem 4's first term needs (2p-1)^3, as in Theorem 2.",
    "S4": "Theorems 3 and 4 count too few rounds and are false at short horizons; the logarithm must be of "
    "T(beta-1) + beta.",
    "S5": "Lemma 2's last display drops a term; what it claims holds. W is no Poisson variable, only its mean is used.",
    "S6": "Slips in the proofs of Theorems 1 and 2 that change nothing.",
    "S7": "On sushi and MSLR beta = 1.1 is outside the theory, which asks for beta < p/(1-p).",
    "A1": "By the tie rule of step 2 a round's first challenger is the arm that lost last, not a random one.",
    "A2": "The last pair of a round is pulled on in the next round; an iteration is cut at the round's end.",
    "A3": "The scores that define the beginning of a round can recur; a round begins the first time. Z(l-1) "
    "is the winner of round l-1, not of round l.",
    "A4": "The bounds need p above 1/2 for every pair; p is a probability, not a gap.",
    "A5": "Weak regret needs Dbar(l) = 1 or V(l,k) = 1; the text's k' < k is already in V.",
    "A6": "The example's two arms can never both have score 0: their scores add up to 1.",
    "E1": "In the Gambler's Ruin Lemma q is the probability of winning a dollar, not of losing it.",
    "E2": "n for E in the display of Lemma 1.",
    "E3": "A missing + 1 and p for p_ij in Lemma 8.",
    "E4": "p_ji for p_ij and swapped arguments in Lemma 7.",
    "E5": "In g worse incumbents lose with probability p*; at b = 0 the bound reads log 0; a p* and a bracket "
    "are missing.",
    "E6": "h sums worse incumbents; its condition swaps played and unplayed arms; the challenger leaves A; the 1 needs "
    "1/m; b_ij stands for b_jj in the last step; N for N-1 in three places.",
    "E7": "tau_k lacks a min, and H_n swaps l and k.",
    "E8": "n < E should be n <= E, and > p should be >= p.",
    "D1": "MSLR's p(2,4) and p(4,2) add up to 1.003; here 0.727 is kept and 0.276 is 0.273.",
    "D2": "With u_i = 2(1 - p_1i) utilities do not fall from arm to arm on sushi, and three are equal on cyclic.",
    "F1": "Utility figures show half of the regret as defined, but for WS-S on cyclic.",
    "F2": "WS-S on cyclic cannot be reproduced with beta = 1.1; beta near 1.5 fits.",
    "F3": "WS-S outperforms in all settings at the horizon only.",
    "F4": "In the sensitivity figure RMED1 ends at 212, in the main one at 170.",
    "F5": "Three benchmarks are promised, two and seven shown; several settings of the experiments are not stated.",
}
_ID = re.compile(r"\b([SAEDF]\d)(?:-([SAEDF]\d))?\b")


def link_errata(text: str, link: Callable[[str], str]) -> str:
    """Replace every id of an erratum in a text by `link(id)`.

    >>> link_errata("half (erratum F1)", lambda name: f"[{name}](../docs/paper.md#{name.lower()})")
    'half (erratum [F1](../docs/paper.md#f1))'
    """

    def replace(match: re.Match[str]) -> str:
        return "-".join(link(name) for name in match.groups() if name) if match[1] in ERRATA else match[0]

    return _ID.sub(replace, text)
