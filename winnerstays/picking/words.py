"""A result in words: a paragraph that someone who decides can read."""

from winnerstays.picking.findings import ANSWERS, Findings
from winnerstays.picking.judging import ALIKE_STOPS

MAX_NAME = 60
MAX_LISTED = 6


def describe(result: Findings) -> str:
    """Return what was found, how sure it is, and what to know about the judge."""
    sentences = [_finding(result), _judge(result)]
    return " ".join(sentence for sentence in sentences if sentence)


def short(name: str) -> str:
    """Return a name on one line, cut if it is long.

    >>> short("one\\ntwo")
    'one two'
    """
    line = " ".join(name.split())
    return line if len(line) <= MAX_NAME else line[: MAX_NAME - 1] + "…"


def listed(names: tuple[str, ...]) -> str:
    """Return names as a list in a sentence.

    >>> listed(("a", "b", "c"))
    'a, b and c'
    """
    shown = [short(name) for name in names]
    if len(shown) > MAX_LISTED:
        shown = [*shown[: MAX_LISTED - 1], f"{len(shown) - MAX_LISTED + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def percent(value: float) -> str:
    """Return a confidence that is never rounded up to certainty.

    >>> percent(0.95), percent(0.99999)
    ('95.0 %', '99.9 %')
    """
    return f"{int(value * 1000) / 10:.1f} %" if value < 1 else "100 %"


def sure(confidence: float) -> str:
    """Say how sure something is.

    >>> sure(0.957), sure(0.0)
    ('confidence 95.7 %', 'nothing is certain yet')
    """
    return f"confidence {percent(confidence)}" if confidence > 0 else "nothing is certain yet"


def count(number: int, noun: str) -> str:
    """Return a number of things.

    >>> count(1, "call"), count(2, "call")
    ('1 call', '2 calls')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _finding(result: Findings) -> str:
    best, calls = short(result.name), f"{count(result.calls, 'call')} of the judge"
    if result.earlier_calls:
        every = "all" if result.earlier_calls == result.calls else str(result.earlier_calls)
        calls += f" ({every} of them in earlier runs)"
    others = len(result.names) - 1
    if result.stop == "precise":
        return f"The board of {others + 1} is as sharp as asked after {calls}: {listed(result.top)}, the best first."
    if result.stop == "certified" and result.goal != "condorcet":
        what = {
            "copeland": f"{best} beats the most of {others + 1}, or as many as any other",
            "borda": f"{best} wins most often against all of {others + 1} taken together",
            "top-k": f"The best {len(result.top)} of {others + 1} are {listed(result.top)}, in this order",
        }[result.goal]
        about = "" if result.claims[0].about == ANSWERS else f", {result.claims[0].about}"
        return f"{what}{about}: after {calls}, with {sure(result.confidence)}."
    if result.stop == "certified":
        rest = "the other one" if others == 1 else f"each of the other {others}"
        claim, *more = result.claims
        about = "" if not more else f" {claim.about}"
        with_ = sure(claim.confidence)
        sentence = f"{best} is the best of {others + 1}{about}: after {calls} it beats {rest} with {with_}."
        return " ".join([sentence, *(f"{other.about.capitalize()}: {sure(other.confidence)}." for other in more)])
    if result.stop == "cycle":
        round_ = " beats ".join(short(name) for name in [*result.cycle[::-1], result.cycle[-1]])
        found = result.top[:-1]
        which = f"{listed(found)} found, there is no best of the other {others + 1 - len(found)}" if found else (
            f"There is no best of {others + 1}"
        )  # fmt: skip
        guess = f"{short(result.top[-1])} is the best guess of those. goal='copeland' and goal='borda' have an answer."
        return f"{which}: {round_}, beyond doubt after {calls}. {guess}"
    if result.stop == "indifferent":
        return (
            f"{best} is as good as any of {others + 1}: after {calls}, all that remains "
            f"({listed(result.remaining_names)}) is within {result.indifference:g} of a coin against it, "
            f"with confidence {percent(result.level)}."
        )
    if result.stop == "equal":
        return (
            f"{best} cannot be told from another one: on all examples, both ways round, they win equally often, "
            f"after {calls}. What remains: {listed(result.remaining_names)}."
        )
    if result.stop == "exhausted":
        claims = "; ".join(f"{claim.about}: {sure(claim.confidence)}" for claim in result.claims)
        return (
            f"All examples are used after {calls}, and {best} is not certified {result.claims[0].about}. {claims}. "
            f"More examples are needed; what remains: {listed(result.remaining_names)}."
        )
    if result.stop == "uninformative":
        return (
            f"Stopped after {calls}: at least the last {ALIKE_STOPS} answers were the same, which tells nothing about "
            f"the items. {best} is a mere guess; look at the judge."
        )
    why = {
        "budget": "The budget is spent", "interrupted": "It was interrupted", "stopped": "It was stopped",
        "failed": f"The judge failed too often ({result.error})",
    }[result.stop]  # fmt: skip
    likely = "" if result.likely is None else f" (likely the best: {percent(result.likely)})"
    left = "" if result.calls_left is None else f"; about {result.calls_left} more comparisons would be needed"
    return (
        f"{why} after {calls}. {best} is the best guess{likely}, not certified at {percent(result.level)}: "
        f"{sure(result.confidence)}{left}. The best is among {listed(result.remaining_names)}."
    )


def _judge(result: Findings) -> str:
    jury = result.judges if len(result.judges) > 1 else ()
    sentences = [
        f"{short(judge.name)} agrees with the others in {judge.agreement.share:.0%} of {judge.agreement.of} choices."
        for judge in jury[:MAX_LISTED]
    ]
    side = result.bias
    if side.left + side.right:
        sentences.append(
            f"The judge chose the left one in {side.share:.0%} of {count(side.left + side.right, 'choice')} "
            f"(95 % interval {side.low:.0%} to {side.high:.0%})."
        )
    if result.paired:
        sentences.append(
            f"Asked both ways it changed its mind in {result.flip_share:.0%} of {result.paired} comparisons."
        )
    counts = {
        "ties": result.ties, "without an opinion": result.skips, "calls that failed": result.errors,
        "calls made again": result.retries,
    }  # fmt: skip
    said = ", ".join(f"{what}: {count}" for what, count in counts.items() if count)
    return " ".join([*sentences, *([f"{said[0].upper()}{said[1:]}."] if said else [])])
