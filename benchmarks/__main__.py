"""The benchmarks: `python -m benchmarks [SUITE ...] [--quick]`, or `--readme`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import click
from rich.console import Console

from benchmarks import (
    aims,
    article,
    fallback,
    first_calls,
    flights,
    growth,
    machine,
    pipelines,
    readme,
    results,
    tables,
    texts,
)
from benchmarks.agreement import WrongAnswerError
from benchmarks.suite import FULL, QUICK, Case, Run

# The short ones first: whatever the last one has no time for, it says so.
SUITES: Final[dict[str, ModuleType]] = {
    "first_calls": first_calls,
    "growth": growth,
    "fallback": fallback,
    "flights": flights,
    "texts": texts,
    "pipelines": pipelines,
    "article": article,
}


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(list(SUITES)))
@click.option("--quick", is_flag=True, help="Small sizes only, less than a minute; not kept.")
@click.option("--readme", "to_readme", is_flag=True, help="Print kept results into README.md.")
@click.option(
    "--results",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the JSON goes.  [default: benchmarks/results; with --quick, nowhere]",
)
def main(suites: tuple[str, ...], folder: Path | None, *, quick: bool, to_readme: bool) -> None:
    """Measure batchprep against the row loop and its peers, at most 30 minutes in all."""
    if to_readme:
        readme.rewrite(folder=folder or results.FOLDER)
        return
    if folder is None and not quick:
        folder = results.FOLDER
    try:
        run_suites(suites or tuple(SUITES), folder, quick=quick)
    except WrongAnswerError as error:
        raise click.ClickException(str(error)) from error


def run_suites(names: tuple[str, ...], folder: Path | None, *, quick: bool) -> None:
    # A pipe has no width of its own, and a table cut to 80 columns shows nothing.
    console = Console(width=None if Console().is_terminal else 200)
    described = machine.describe()
    console.print(f"{machine.in_words(described)}, {described['cpu']}, load {described['load']}")
    start = time.monotonic()
    with console.status("") as status:
        run = Run(QUICK if quick else FULL, status.update)
        for name in names:
            cases = SUITES[name].measure(run)
            if folder is not None:
                results.write(folder, name, described, cases)
            console.print(getattr(tables, name)(cases))
            _print_aims(console, name, cases)
    if "article" in names:
        console.print(tables.containers())
    console.print(f"{time.monotonic() - start:,.0f} s in all; every answer equals the row loop's.")


def _print_aims(console: Console, name: str, cases: list[Case]) -> None:
    found = list(_aims(name, cases))
    if found:
        console.print(tables.aims(found))


def _aims(name: str, cases: list[Case]) -> Iterator[aims.Aim]:
    if name == "article":
        yield from aims.of_article(cases)
    if name == "fallback":
        yield from aims.of_fallback(cases)


if __name__ == "__main__":
    main()
