"""A result as a picture and as one page to hand around."""

import html
import io
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from winnerstays._types import Floats
from winnerstays.picking.findings import Findings
from winnerstays.picking.items import as_text
from winnerstays.picking.words import describe, percent, short, sure
from winnerstays.theme import TOKENS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_LABELLED = 12
MAX_ANSWERS = 200
"""Answers on the page; `to_examples` writes all."""
POINTS = 400
"""Comparisons at which the evidence is drawn, if there are more."""
HIGHEST = 20.0
"""log10 of evidence is drawn up to here."""


def evidence_over_time(result: Findings, name: str) -> tuple[Floats, Floats]:
    """Return the comparisons at which the best item met another, and log10 e after each of them, from (0, 0) on."""
    best, other = result.names.index(result.name), result.names.index(name)
    at, values = [0], [0.0]
    steps = zip(result.history, result.evidence, strict=True)
    for number, ((left, right, _), sides) in enumerate(steps, start=1):
        if {left, right} == {best, other}:
            at.append(number)
            values.append(min(max(sides[left != best], -HIGHEST), HIGHEST))
    at.append(len(result.history))
    values.append(values[-1])
    keep = np.unique(np.linspace(0, len(at) - 1, min(len(at), POINTS)).astype(int))
    return np.array(at, dtype=float)[keep], np.array(values)[keep]


def draw(result: Findings) -> "Figure":
    """Draw the evidence of the best item against each rival, with a mark where a rival was dropped."""
    from matplotlib.figure import Figure

    from winnerstays.simulation.colours import COLOURS

    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for k, rival in enumerate(result.rivals):
        at, values = evidence_over_time(result, rival.name)
        colour = COLOURS[k % len(COLOURS)]
        label = short(rival.name)[:24] if len(result.rivals) <= MAX_LABELLED else None
        axes.plot(at, values, color=colour, linewidth=1.4, drawstyle="steps-post", label=label)
        out = result.beaten_at.get(rival.name)
        if out is not None:
            axes.plot(out, np.interp(out, at, values), "x", color=colour, markersize=7)
    threshold = np.log10(result.doubt)
    axes.axhline(threshold, color="black", linewidth=0.8, linestyle="--")
    axes.annotate("beyond doubt", (0, threshold), xytext=(3, 3), textcoords="offset points", fontsize=8)
    axes.set_xlabel("comparisons")
    axes.set_ylabel("log10 of the evidence for the best item")
    axes.set_title(f"{short(result.name)} against each rival (x: dropped)", loc="left", fontsize=10)
    axes.set_xlim(left=0)
    if len(result.rivals) <= MAX_LABELLED:
        axes.legend(frameon=False, fontsize=8)
    return figure


STYLE = """html{background:var(--paper);color:var(--ink);font:16px/1.5 var(--text)}
body{max-width:48rem;margin:2rem auto;padding:0 1rem}h1{font-family:var(--display);overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}
td,th{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right}
td:first-child,th:first-child{text-align:left;overflow-wrap:anywhere}
@media(max-width:40rem){table{font-size:.8rem}td,th{padding:.2rem .25rem}}
svg{max-width:100%;height:auto;background:#fff;border-radius:.5rem}"""


def page(result: Findings) -> str:
    """Return an HTML page that needs nothing else."""
    picture = io.StringIO()
    draw(result).savefig(picture, format="svg")
    svg = picture.getvalue()
    rows = "".join(
        f"<tr><td>{html.escape(short(rival.name))}</td><td>{rival.won:g}</td><td>{rival.lost:g}</td>"
        f"<td>{rival.evidence:.3g}</td><td>{html.escape(short(rival.beaten_by or ''))}</td>"
        f"<td>{result.beaten_at.get(rival.name, '')}</td></tr>"
        for rival in result.rivals
    )
    heads = "".join(f"<th>{head}</th>" for head in ("against", "won", "lost", "evidence", "beaten by", "after"))
    claims = "".join(f"<li>The best {claim.about}: {sure(claim.confidence)}</li>" for claim in result.claims)
    about = f"{date.today()}, seed {result.seed}, judge {html.escape(short(result.judge or 'not named'))}"
    about += f", {result.tokens:,} tokens" * bool(result.tokens) + f", cost {result.cost:.4g}" * bool(result.cost)
    verdict = "certified" if result.certified else f"not certified ({result.stop})"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{html.escape(short(result.name))}: {verdict}</title>
<style>{TOKENS}{STYLE}</style></head><body>
<h1>{html.escape(short(result.name))}</h1>
<p>{html.escape(describe(result))}</p>
<p>{percent(result.level)} asked for; {result.calls} calls; {verdict}.</p>
<ul>{claims}</ul>
<p>{about}.</p>
{svg[svg.index("<svg") :]}
<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>
{_pairs(result)}
{_judges(result)}
{_answers(result)}
<p>“Evidence” is the e-value that the item named above is the better of the two; beyond {result.doubt:.0f} it is
beyond doubt.
“After”: comparisons until an item was dropped.</p>
</body></html>
"""


def _table(title: str, heads: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table under a title; all texts are escaped and cut."""
    head = "".join(f"<th>{html.escape(short(str(head)))}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(short(str(cell)))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<h2>{title}</h2><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _pairs(result: Findings) -> str:
    """Return how many comparisons each item has won against each other one, the best first."""
    n = len(result.names)
    if n > MAX_LABELLED:
        return ""
    won = np.zeros((n, n))
    for left, right, lead in result.history:
        won[left, right] += (1 + lead) / 2
        won[right, left] += (1 - lead) / 2
    order = np.argsort(-won.sum(axis=1) / np.maximum(1, (won + won.T).sum(axis=1)), kind="stable")
    rows = ([result.names[i], *("" if i == j else f"{won[i, j]:g}" for j in order)] for i in order)
    return _table("Points won against each", ["", *(result.names[i] for i in order)], rows)


def _judges(result: Findings) -> str:
    heads = ("judge", "answers", "left chosen", "flips", "agrees with the others", "discrimination")
    rows = [
        (one.name, one.answers, f"{one.bias.share:.0%}", f"{one.flips} of {one.paired}",
         f"{one.agreement.share:.0%} ({one.agreement.low:.0%} to {one.agreement.high:.0%})",
         f"{one.discrimination:.2f}")
        for one in result.judges
    ]  # fmt: skip
    return _table("Judges", heads, rows) if len(rows) > 1 else ""


def _answers(result: Findings) -> str:
    """Return a table of the newest answers, where there are examples or reasons."""
    rows = [row for row in result.examples if row["example"] is not None or row["reason"]][-MAX_ANSWERS:]
    if not rows:
        return ""
    names = ("example", "left", "right", "winner", "reason")
    return _table("Answers", names, ([_shown(row[name]) for name in names] for row in rows))


def _shown(value: object) -> str:
    return "" if value is None else as_text(value) or str(value)
