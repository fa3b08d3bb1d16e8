"""Every checkable sentence of the paper with a verdict, and a list of those that were not checked."""

from winnerstays.errors import unknown
from winnerstays.paper.claims import background, experiments, guidance, lemmas, structure, supplement_lemmas, theorems
from winnerstays.paper.claims.base import CONSISTENT, FAILS, HOLDS, KINDS, OPEN, PARTLY, Claim, Results, Verdict
from winnerstays.progress import Progress

__all__ = [
    "CLAIMS",
    "CONSISTENT",
    "FAILS",
    "HOLDS",
    "KINDS",
    "NOT_CHECKED",
    "OPEN",
    "PARTLY",
    "Claim",
    "Verdict",
    "find_claim",
    "judge",
]

CLAIMS = (
    *theorems.ABSTRACT,
    *background.INTRODUCTION,
    *structure.STRUCTURE,
    *lemmas.LEMMAS,
    structure.ALGORITHM_2,
    *theorems.THEOREMS,
    *guidance.GUIDANCE,
    guidance.UTILITIES,
    *experiments.SECTION_5,
    *guidance.RECOMMENDED,
    *supplement_lemmas.SUPPLEMENT,
    *experiments.SUPPLEMENT,
    *guidance.WHY_BETA,
)
UNIVERSAL = frozenset(
    {
        "weak-order-n2", "weak-order-nlogn", "strong-order-condorcet", "strong-order-total", "weak-below-strong",
        "algorithm-1", "rounds-and-iterations", "example-iteration", "example-scores", "figure-1-winner",
        "unique-incumbent", "last-worse-incumbent", "algorithm-2", "lemma-1-worse", "lemma-1-better", "lemma-1-shows",
        "lemma-2", "lemma-2-implies", "lemma-4-first", "lemma-4-second", "lemma-5-first", "lemma-5-second",
        "wrong-winner", "theorem-1", "theorem-2", "utility-weak", "utility-strong", "beta-as-large-as-allowed",
        "beta-too-large", "p-falls-with-arms", "lemma-7", "lemma-8", "lemma-10-h", "lemma-11-f",
        "lemma-5-condorcet-first", "lemma-5-condorcet-second",
    }
)  # fmt: skip
"""Claims about all problems or all runs. They are checked on some, so a check that they pass contradicts nothing."""
NOT_CHECKED = (
    (
        "Abstract; 1",
        "the first dueling bandit algorithm with weak regret that is constant in time",
        "who was first is a question to the literature, not to a computer",
    ),
    ("1; 2", "the only paper of which we are aware that studies weak regret", "the same"),
    (
        "1; supplement",
        "Weak regret was proposed by [...]; This is common in the dueling bandits literature; similar to the cyclic "
        "example in [...]",
        "literature",
    ),
    (
        "1; 4",
        "These regret bounds are optimal in T, and for weak regret are strictly better than those for any "
        "previously proposed algorithm",
        "needs lower bounds and the bounds of all other papers; the growth in T itself is checked",
    ),
    (
        "2",
        "the worst-case expected cumulative strong regret up to time T for any algorithm [...] Algorithms have "
        "been proposed that reach this lower bound",
        "theorems of other papers; the algorithms are here, their proofs are not (IF and BTM need transitivity "
        "besides a Condorcet winner, erratum F5)",
    ),
    (
        "2",
        "achieve an optimal regret bound without assuming existence of a Condorcet winner",
        "theorems of another paper; CCB and SCB are here, and are simulated without a Condorcet winner, too",
    ),
    (
        "2",
        "weak regret bounds of O(N log(T)), these are looser than the constant-in-T bounds",
        "any logarithm of T passes any constant in the end; that strong dominates weak regret is checked",
    ),
    (
        "2",
        "consider top-k element selection [...] a generalized racing algorithm",
        "the sentence says what other papers do; racing is here as a benchmark for regret, for which k = 1",
    ),
    (
        "2",
        "a greedy algorithm is Bayes-optimal for an entropy objective",
        "a theorem of another paper, on another objective",
    ),
    (
        "1",
        "Implicit pairwise comparisons avoid the inaccuracy of user ratings; the user is fully satisfied as long as "
        "her favored broadcaster is listed; Strong regret is appropriate in this setting",
        "about people, not about algorithms",
    ),
    ("4.3", "RUCB and RMED have regret bounds with better dependence on the gaps", "bounds of other papers"),
    (
        "4.2; supplement",
        "Proof",
        "what lemmas and theorems state is checked, the steps between are not; slips: errata S5, S6, E2-E8",
    ),
    (
        "5.1.2",
        "49 users who have reviewed at least 20 of these 100 restaurants",
        "needs the Yelp data (`--yelp FOLDER`), which may not be passed on; without them generated data stand "
        "in and decide nothing",
    ),
    (
        "5.1.2",
        "calculated using doc2vec [...] We infer theta for each user using linear regression. [...] the probit model",
        "the settings are not stated (erratum F5); ours are in docs/data.md",
    ),
    (
        "5.2",
        "previously used by [...] to evaluate dueling bandit algorithms; 5000 users",
        "literature; the sushi matrix agrees with one rebuilt from the published rankings",
    ),
    (
        "3; 4.4",
        "Problem Formulation [...] We define t_l [...] We additionally define terminology",
        "definitions; the code follows them, and says where two do not fit together (errata A2-A5, F1)",
    ),
    (
        "4.3",
        "Modifying WS-S to eliminate parameters [...] is left for future work; Modifying WS-S to provide improved "
        "dependence on these gaps is also left for future work",
        "no claim",
    ),
)
"""Place, words, and why not."""


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
            found = claim.judge(results)
            if any(results[name].generated for name in claim.panels):
                found = Verdict(OPEN, f"without the Yelp data; on generated data it {found.words} ({found.measured})")
            if claim.name in UNIVERSAL and found.kind == HOLDS:
                found = Verdict(CONSISTENT, found.measured, found.text)
            judged.append((claim, found))
    return judged
