"""The benchmarks: `python -m benchmarks [TASK ...] [--quick]`, or `--readme`, or `--plot`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from benchmarks import limit, machine, readme, results, tables, words
from benchmarks.agreement import WrongAnswerError
from benchmarks.suite import ALL_SECONDS, FULL, QUICK, Case, Run
from benchmarks.tasks import SECONDS, task


@click.command()
@click.argument("tasks", nargs=-1, type=click.Choice(list(SECONDS)))
@click.option("--quick", is_flag=True, help="Small sizes only, less than a minute; not kept.")
@click.option("--readme", "to_readme", is_flag=True, help="Print kept results into README.md.")
@click.option("--plot", is_flag=True, help="Draw kept results: sizes.svg beside them.")
@click.option(
    "--results",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the JSON goes.  [default: benchmarks/results; with --quick, nowhere]",
)
def main(
    tasks: tuple[str, ...], folder: Path | None, *, quick: bool, to_readme: bool, plot: bool
) -> None:
    """Measure batchprep against the row loop and its peers, at most 30 minutes in all."""
    if plot:
        from benchmarks.plot import draw

        draw(folder or results.FOLDER)
    if to_readme:
        readme.rewrite(folder=folder or results.FOLDER)
    if plot or to_readme:
        return
    if folder is None and not quick:
        folder = results.FOLDER
    try:
        run_tasks(tasks or tuple(SECONDS), folder, quick=quick)
    except WrongAnswerError as error:
        raise click.ClickException(str(error)) from error


def run_tasks(names: tuple[str, ...], folder: Path | None, *, quick: bool) -> None:
    # A pipe has no width of its own, and a table cut to 80 columns shows nothing.
    console = Console(width=None if Console().is_terminal else 250)
    described = machine.describe()
    console.print(f"{machine.in_words(described)}, {described['cpu']}, load {described['load']}")
    start = time.monotonic()
    left_out: list[str] = []
    with console.status("") as status:
        run = Run(QUICK if quick else FULL, status.update)
        for name, until in _deadlines(names):
            begun = time.monotonic()
            measured = limit.measure(run.scale.limit_bytes)
            cases = task(name).measure(run.until(start + until, measured))
            measured = measured.against(limit.measure(run.scale.limit_bytes))
            if folder is not None:
                results.write(folder, name, described, measured, cases)
            _print(console, name, measured, cases, time.monotonic() - begun)
            left_out += [_in_words(name, case) for case in cases if not case["times"]]
    if left_out:
        console.print(f"Left out: {'; '.join(left_out)}.")
    console.print(f"{time.monotonic() - start:,.0f} s in all; every answer equals the row loop's.")


def _deadlines(names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """Until when each may begin a case, in seconds from the start: what one leaves, another has."""
    # A tenth is kept for the case that runs when a task's time is up.
    per_share = 0.9 * ALL_SECONDS / sum(SECONDS[name] for name in names)
    until = 0.0
    for name in names:
        until += SECONDS[name] * per_share
        yield name, until


def _print(
    console: Console, name: str, measured: limit.Limit, cases: list[Case], seconds: float
) -> None:
    found = task(name)
    console.print(tables.table(found, cases))
    one, every = measured.triad_one_thread, measured.triad_all_threads
    console.print(
        f"triad {words.bandwidth(one)} on one thread, "
        f"{words.bandwidth(every)} on {measured.threads}; {name} took {seconds:.0f} s"
    )
    if containers := tables.containers(found):
        console.print(containers)
    if aims := list(found.aims(cases)) if hasattr(found, "aims") else []:
        console.print(tables.aims(aims))


def _in_words(name: str, case: Case) -> str:
    labels = ", ".join([*map(str, case["labels"].values()), f"{case['rows']:,} rows"])
    return f"{name} {labels} ({case['skipped']})"


if __name__ == "__main__":
    main()
