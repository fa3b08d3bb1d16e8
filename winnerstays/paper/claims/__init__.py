"""Every checkable sentence of the paper with a verdict, and a list of those that were not checked."""

import tomllib
from pathlib import Path

from winnerstays.errors import unknown
from winnerstays.paper.claims import background, experiments, guidance, lemmas, structure, supplement_lemmas, theorems
from winnerstays.paper.claims.base import CONSISTENT, FAILS, HOLDS, KINDS, OPEN, PARTLY, Claim, Results, Verdict
from winnerstays.progress import Progress

__all__ = [
    "CLAIMS",
    "CONSISTENT",
    "ERRATA",
    "FAILS",
    "HOLDS",
    "JUDGES",
    "KINDS",
    "NOT_CHECKED",
    "OPEN",
    "PARTLY",
    "Claim",
    "Verdict",
    "find_claim",
    "judge",
]

_WRITTEN = tomllib.loads((Path(__file__).parent.parent / "claims.toml").read_text(encoding="utf-8"))
JUDGES = {
    **theorems.JUDGES,
    **background.JUDGES,
    **structure.JUDGES,
    **lemmas.JUDGES,
    **guidance.JUDGES,
    **experiments.JUDGES,
    **supplement_lemmas.JUDGES,
}
CLAIMS = tuple(
    Claim(**{**written, "judge": JUDGES[written["name"]], "panels": tuple(written.get("panels", ()))})
    for written in _WRITTEN["claim"]
)
"""In the order of the paper."""
NOT_CHECKED = tuple((written["place"], written["words"], written["why"]) for written in _WRITTEN["not_checked"])
"""Place, words, and why not."""
ERRATA: dict[str, str] = _WRITTEN["errata"]
"""The errata in a sentence each; docs/paper.md has the details and a command for each."""


def find_claim(name: str) -> Claim:
    known = {claim.name: claim for claim in CLAIMS}
    if name not in known:
        raise unknown("claim", name, known)
    return known[name]


def judge(
    results: Results, progress: Progress = lambda stage, fraction: None, claims: tuple[Claim, ...] | None = None
) -> list[tuple[Claim, Verdict]]:
    """Judge every claim whose panels were run. Generated data decide nothing about the real ones."""
    chosen = CLAIMS if claims is None else claims
    judged = []
    for number, claim in enumerate(chosen):
        progress("claims", number / len(chosen))
        if all(name in results for name in claim.panels):
            verdict = claim.judge(results)
            if any(results[name].generated for name in claim.panels):
                measured = f"without the Yelp data; on generated data it {verdict.words} ({verdict.measured})"
                verdict = Verdict(OPEN, measured)
            if claim.universal and verdict.kind == HOLDS:
                verdict = Verdict(CONSISTENT, verdict.measured, verdict.text)
            judged.append((claim, verdict))
    return judged
