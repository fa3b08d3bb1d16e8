"""`winnerstays pick`: the best of several candidates by a command or a person; or a backtest on recorded judgements."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from winnerstays.cli.app import INTERRUPTED, app, out, printable
from winnerstays.cli.counts import count_option, share_option
from winnerstays.cli.file_options import ForRecords, Reading, reads_files
from winnerstays.errors import WinnerstaysError
from winnerstays.files import PICTURE, ROWS, check_outputs
from winnerstays.numbers import whole_number

if TYPE_CHECKING:
    from winnerstays.picking import LlmJudge, PickResult
    from winnerstays.picking.command import CommandJudge
    from winnerstays.picking.items import Items

ME, OPENAI, KEY = "me", "https://api.openai.com/v1", "OPENAI_API_KEY"


@app.command()
@reads_files(ForRecords)
def pick(
    items: Annotated[
        list[Path] | None, typer.Argument(help="A file that lists candidates, a folder, or a file or folder for each.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="A command that answers JSON lines, or `me`.")] = None,
    data: Annotated[Path | None, typer.Option(help="Replay recorded judgements: what would a pick have cost?")] = None,
    examples: Annotated[Path | None, typer.Option(help="A file with examples: .jsonl, .json, or one a line.")] = None,
    level: Annotated[float, share_option("The confidence to stop at.")] = 0.95,
    criterion: Annotated[str | None, typer.Option(help="A language model judges by this criterion.")] = None,
    model: Annotated[str | None, typer.Option(help="The name of the model.")] = None,
    base_url: Annotated[str, typer.Option(help="The model's endpoint: http://localhost:8000/v1.")] = OPENAI,
    key: Annotated[str, typer.Option(help="The environment variable with the key, or `none`.")] = KEY,
    prices: Annotated[str | None, typer.Option(help="Prices of a million tokens in and out: 0.15,0.60.")] = None,
    budget: Annotated[str | None, typer.Option(metavar="INTEGER|$", help="The most calls, or money: $2.")] = None,
    concurrency: Annotated[int, typer.Option(help="Calls at once.")] = 1,
    indifference: Annotated[float, share_option("Stop when all that remains is so near to a coin.")] = 0.0,
    goal: Annotated[str, typer.Option(help="condorcet|copeland|borda|top-k|rank: what is sought.")] = "condorcet",
    top: Annotated[int | None, typer.Option(help="With --goal top-k: how many.")] = None,
    precision: Annotated[
        float | None, typer.Option(help="With --goal rank: how far intervals may reach, in log odds.")
    ] = None,
    swap: Annotated[
        str | None, typer.Option(help="random|both|auto: draw sides, ask both orders, or do so if need be.")
    ] = None,
    claim: Annotated[str, typer.Option(help="these|new: of which examples the certificate speaks.")] = "these",
    cycles: Annotated[str, typer.Option(help="excluded|detected|safe: what is known of cycles.")] = "detected",
    store: Annotated[str | None, typer.Option(help="A file that keeps every answer; the same command goes on.")] = None,
    same_judge: Annotated[
        bool,
        typer.Option("--same-judge", help="The store's answers are of this judge, whatever its command was."),
    ] = False,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds; a command that answers later has failed, and is started anew.")
    ] = None,
    retries: Annotated[int, typer.Option(help="Further attempts when the judge fails.")] = 3,
    seed: Annotated[int | None, count_option("The same seed draws the same; random if left out.")] = None,
    json: Annotated[str | None, typer.Option(help="Write the result to a file, or to - for standard output.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write one page to share.")] = None,
    answers: Annotated[Path | None, typer.Option(help="Write each answer to a .jsonl or .parquet file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a picture (.png, .svg or .pdf).")] = None,
    question: Annotated[str | None, typer.Option(help="With --data: the column of the question or example.")] = None,
    runs: Annotated[int, count_option("With --data: replays.")] = 50,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
    *,
    reading: Reading,
) -> None:
    """Pick the best of several candidates with few calls of a judge and a certified stop.

    The judge is a command that stays alive. For each question it reads a line of JSON,
    {"left": "Be brief.", "right": "Explain."} (with "example" too, if there are --examples), and it prints one:
    {"winner": "left"}, or "right", "tie", the name of a candidate, or null for no opinion; or {"error": "why"}.

    With --criterion and --model, a language model is the judge.

    winnerstays pick items.txt --judge 'python judge.py' --store run.db
    """
    check_outputs(
        (json, (".json", "a result is written")), (html, ((".html", ".htm"), "a page is written")), (plot, PICTURE),
        (answers, ROWS), force=force,
    )  # fmt: skip
    if data is not None:
        unused = {
            "the candidates": items, "--judge": judge, "--criterion": criterion, "--model": model,
            "--examples": examples, "--budget": budget, "--store": store, "--timeout": timeout, "--html": html,
            "--plot": plot, "--answers": answers, "--goal": goal != "condorcet",
            "--swap": swap, "--claim": claim != "these",
        }  # fmt: skip
        for name in [name for name, value in unused.items() if value]:
            raise WinnerstaysError(f"--data replays recorded judgements; leave out {name}.")
        _backtest(
            data, level, indifference, concurrency, runs, 0 if seed is None else seed, json, force, reading, question
        )
        return
    for name in reading:
        raise WinnerstaysError(
            f"--{name.replace('_', '-')} says how recorded judgements are read; give them with --data."
        )
    _check_given(items or [])
    check_judge(judge, criterion, model)
    if not items or (judge is None and criterion is None):
        raise WinnerstaysError(
            "Give candidates and --judge (a command, or me), or recorded judgements with --data: "
            f"`winnerstays pick {shlex.join(map(str, items or [Path('items.txt')]))} --judge me` asks you."
        )
    from winnerstays.picking.judging import JudgeFailedError

    options = {
        "level": level, "swap": swap or usual_swap(criterion, goal), "claim": claim, "cycles": cycles,
        "indifference": indifference,
        "budget": budget_of(budget), "goal": goal, "top": top, "precision": precision,
        "concurrency": concurrency, "store": store, "retries": retries, "seed": seed, "progress": True,
        "same_judge": same_judge,
    }  # fmt: skip
    try:
        asked = Asked(judge, criterion, model, base_url, key, prices, timeout)
        result = _run(items, asked, examples, options)
    except JudgeFailedError as error:
        print(f"winnerstays: {printable(str(error))}", file=sys.stderr)
        raise typer.Exit(1) from None
    _write(result, json, html, plot, answers, force)
    if result.stop in ("stopped", "interrupted") and store is not None:
        out.print(f"The same command goes on from {store}.", markup=False)
    if result.stop == "interrupted":
        sys.exit(INTERRUPTED)
    if result.stop in ("failed", "uninformative"):
        raise typer.Exit(1)


def _check_given(paths: list[Path]) -> None:
    """Say how candidates are given where words are, in place of files."""
    words = [str(path) for path in paths if not path.exists() and str(path) != "-"]
    if 1 < len(words) == len(paths) and not any(set(word) & set("./\\") for word in words):
        raise WinnerstaysError(
            f"There is no file {words[0]!r}; candidates stand in a file, one a line: `printf '%s\\n' "
            f"{shlex.join(words)} > items.txt`, then `winnerstays pick items.txt --judge me`."
        )


class Asked(NamedTuple):
    """What was said of the judge."""

    judge: str | None
    criterion: str | None
    model: str | None
    base_url: str
    key: str
    prices: str | None
    timeout: float | None

    def open(self) -> "CommandJudge | LlmJudge":
        """Return the judge; it must be closed."""
        if self.judge is not None:
            from winnerstays.picking.command import CommandJudge

            return CommandJudge(self.judge, self.timeout)
        from winnerstays.picking.llm import llm_judge

        prices = two_numbers("--prices", self.prices)
        return llm_judge(
            str(self.criterion), model=str(self.model), base_url=self.base_url, prices=prices,
            key=None if self.key == "none" else self.key, timeout=60.0 if self.timeout is None else self.timeout,
        )  # fmt: skip


def usual_swap(criterion: str | None, goal: str = "condorcet") -> str:
    """Return the rule for sides where none is given: language models often look at the side."""
    return "auto" if criterion is not None and goal != "borda" else "random"


def check_judge(judge: str | None, criterion: str | None, model: str | None) -> None:
    """Refuse a judge who is half a model."""
    if (criterion is None) != (model is None) or (criterion is not None and judge is not None):
        raise WinnerstaysError("A language model as judge needs --criterion and --model, and no --judge.")


def two_numbers(option: str, text: str | None) -> tuple[float, float] | None:
    """Return two numbers with a comma between them."""
    try:
        first, second = (None, None) if text is None else map(float, text.split(","))
    except ValueError:
        raise WinnerstaysError(f"{option} is {text!r}, but it must be two numbers, such as 0.15,0.60.") from None
    return None if first is None or second is None else (first, second)


def budget_of(text: str | None) -> str | int | None:
    """Return a budget: money, or a number of calls."""
    return text if text is None or text.startswith("$") else whole_number(text)


def _run(paths: list[Path], asked: Asked, examples: Path | None, options: dict[str, Any]) -> "PickResult":
    from winnerstays.picking.sources import read_examples, read_items

    items = read_items(paths)
    if examples is not None:
        options["examples"] = read_examples(examples)
    if asked.judge == ME:
        return _ask_me(items, options)
    from winnerstays.picking import pick as run_pick

    judge = asked.open()
    try:
        return run_pick(dict(zip(items.names, items.values, strict=True)), judge, **options)
    finally:
        judge.close()


def _ask_me(items: "Items", options: dict[str, Any]) -> "PickResult":
    from winnerstays.picking.api import open_picker
    from winnerstays.picking.terminal import OPEN, check_terminal, run_in_terminal

    check_terminal()
    named = dict(zip(items.names, items.values, strict=True))
    with open_picker(named, {**options, "concurrency": OPEN, "progress": False, "judge_id": ME}) as picker:
        run_in_terminal(picker, picker.options.examples)
        return picker.verdict()


def _write(
    result: "PickResult", json: str | None, html: Path | None, plot: Path | None, answers: Path | None, force: bool
) -> None:
    if json == "-":
        print(result.to_json())
    else:
        out.print(str(result), markup=False)
        if result.goal == "rank":
            _print_lines(str(result.board()))
        if json is not None:
            result.to_json(json, force=force)
    if html is not None:
        result.to_html(html, force=force)
    if plot is not None:
        result.plot(plot, force=force)
    if answers is not None:
        result.to_examples(answers, force=force)
    _say_written(None if json == "-" else json, html, plot, answers)


def _print_lines(text: str) -> None:
    for line in text.split("\n"):
        out.print(line, markup=False, soft_wrap="   " in line)  # rows of the table stay whole


def _say_written(*files: str | Path | None) -> None:
    """Say on the error stream which files there are now."""
    written = [printable(str(file)) for file in files if file is not None]
    if written:
        print(f"written: {', '.join(written)}", file=sys.stderr)


def _backtest(
    data: Path,
    level: float,
    indifference: float,
    concurrency: int,
    runs: int,
    seed: int,
    json: str | None,
    force: bool,
    reading: Reading,
    question: str | None,
) -> None:
    from winnerstays.picking.backtest import backtest
    from winnerstays.picking.options import Options

    Options(level=level, indifference=indifference, concurrency=concurrency)
    report = backtest(
        data,
        level=level,
        indifference=indifference,
        concurrency=concurrency,
        runs=runs,
        seed=seed,
        question=question,
        **reading,
    )
    if json == "-":
        print(report.to_json())
    else:
        _print_lines(str(report))
        if json is not None:
            report.to_json(json, force=force)
            _say_written(json)
