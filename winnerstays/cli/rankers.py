"""`winnerstays problems rankers`: how often each ranker of search results beats each other one."""

from pathlib import Path
from typing import Annotated

import typer

from winnerstays.cli.app import out
from winnerstays.cli.catalogue import describe_problem, problems_app
from winnerstays.cli.counts import check_positive, count_option
from winnerstays.errors import WinnerstaysError
from winnerstays.files import check_outputs, write_whole


@problems_app.command()
def rankers(
    file: Annotated[str, typer.Argument(help="LETOR rows (grade qid:1 1:0.5 2:3 ...), or `generated`.")],
    features: Annotated[
        str | None, typer.Option(help="Feature numbers, such as 8,110,130, or how many to draw. All by default.")
    ] = None,
    clicks: Annotated[
        str, typer.Option(help="perfect, navigational, informational, position-based or random.")
    ] = "informational",
    method: Annotated[str, typer.Option(help="team_draft, balanced or probabilistic.")] = "team_draft",
    rule: Annotated[str, typer.Option(help="Who wins a session: clicks (more of them) or first-click.")] = "clicks",
    sessions: Annotated[int, count_option("Sessions of each pair.")] = 10_000,
    length: Annotated[int, count_option("Results that are shown.")] = 10,
    queries: Annotated[int, count_option("Read this many queries, from the first.")] = 1000,
    seed: Annotated[int, count_option("The same seed gives the same sessions.")] = 0,
    workers: Annotated[int | None, count_option("Threads; one per core by default.")] = None,
    save: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the counts (.npz).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file of --out.")] = False,
) -> None:
    """Make a problem of rankers: simulated searchers click on interleaved results, and each feature is a ranker."""
    check_outputs((save, (".npz", "counts are written")), force=force)
    check_positive(queries=queries, workers=workers)
    import numpy as np

    from winnerstays.interleaving import generated_corpus, read_letor
    from winnerstays.interleaving.tournament import compare_rankers
    from winnerstays.progress import progress_bar

    if file == "generated":
        corpus = generated_corpus(queries)
    else:
        try:
            with Path(file).open(encoding="utf-8") as lines:
                corpus = read_letor(lines, queries)
        except (OSError, UnicodeDecodeError) as error:
            raise WinnerstaysError(f"{file} cannot be read ({getattr(error, 'strerror', None) or error}).") from None
    if features is not None:
        corpus = corpus.choose(features, seed)
    with progress_bar(True) as show:
        problem = compare_rankers(
            corpus, clicks, method=method, rule=rule, sessions=sessions, length=length, seed=seed, workers=workers,
            progress=show,
        )  # fmt: skip
    assert problem.counts is not None
    counts = problem.counts
    out.print(f"queries: {len(corpus.starts) - 1}, results: {corpus.grades.size}; {clicks} clicks, {method}")
    describe_problem(problem)
    low, high = problem.uncertainty()
    out.print(f"95 % intervals: at most ±{(high - low).max() / 2:.3f}")
    if save is not None:
        write_whole(save, lambda draft: np.savez(draft, counts=counts, items=np.array(problem.items)), force=force)
        out.print(f"written: {save}")
