"""Figure 1 of the paper, redrawn from a simulated run: rounds and iterations of WS-W."""

from matplotlib.figure import Figure

from winnerstays.paper.rounds_played import Played, play
from winnerstays.problems import total_order

ARMS, P, ROUNDS, SEED = 5, 0.7, 3, 6
INCUMBENT, CHALLENGER, LINE = "#0072B2", "#E69F00", "#777777"


def figure_1(seed: int = SEED) -> tuple[Figure, Played]:
    """Draw three rounds of WS-W with five arms: who plays when, who wins each iteration, and the scores."""
    played = play(total_order(ARMS, P), ROUNDS, seed)
    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for iteration in played.iterations:
        start, end = iteration.first_duel - 0.5, iteration.first_duel + iteration.duels - 0.5
        for arm, colour in ((iteration.incumbent, INCUMBENT), (iteration.challenger, CHALLENGER)):
            axes.barh(arm, end - start, left=start, height=0.52, color=colour, edgecolor="white", linewidth=1.2)
        axes.plot(end - 0.35, iteration.winner, "o", color="white", markersize=4.5, markeredgecolor="none")
        axes.axvline(end, color=LINE, linewidth=0.4, alpha=0.6, zorder=0)
    for l, scores in enumerate(played.final_scores, start=1):
        inside = played.of_round(l)
        start, last = inside[0].first_duel - 0.5, inside[-1]
        end = last.first_duel + last.duels - 0.5
        axes.axvline(end, color="black", linewidth=1.4)
        axes.text((start + end) / 2, -0.72, f"round {l}", ha="center", va="center", fontsize=10)
        for arm, score in enumerate(scores):
            axes.text(end - 0.15, arm + 0.38, f"{score:+d}", ha="right", va="center", fontsize=7, color=LINE)
    axes.set_yticks(range(ARMS), [f"arm {arm + 1}" for arm in range(ARMS)])
    axes.set_ylim(ARMS - 0.45, -1.05)
    axes.set_xlim(0.5, end)
    axes.set_xlabel("duels")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    title = (
        f"Rounds and iterations of WS-W: {ARMS} arms, the better one wins with {P}\n"
        "blue: incumbent, orange: challenger, dot: who wins the iteration and stays; small numbers: C at the "
        "round's end"
    )
    axes.set_title(title, loc="left", fontsize=10)
    return figure, played
