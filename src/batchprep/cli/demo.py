"""`batchprep demo`: the main job on real records, compared with the row loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from batchprep.api import vectorize
from batchprep.cli import records, row_functions
from batchprep.cli.tensors import tensors
from batchprep.cli.trial import Trial, row_loop, run_trial, worst
from batchprep.errors import messages

QUICK_ROWS: Final = 20_000
TRADES: Final = 1_000_000
FLIGHT_FUNCTIONS: Final = (
    row_functions.gained,
    row_functions.delay_band,
    row_functions.features,
)
CAPTION: Final = """\
row loop    [f(r) for r in records], over dicts that exist already
first call  with tracing; the numba kernel compiles beside it
steady      median of 3 calls once that kernel runs
deviations  rows that the kernel left to Python
Each result was compared with the loop's, value for value and type for type."""


EPILOG: Final = """\b
Examples:
  batchprep demo
  batchprep demo --quick
  batchprep demo --rows 5000000
"""


@click.command("demo", epilog=EPILOG, short_help="See it run, compared with the row loop.")
@click.option("--rows", default=TRADES, show_default=True, type=click.IntRange(1), help="Trades.")
@click.option("--quick", is_flag=True, help=f"{QUICK_ROWS:,} rows of each table, for a first look.")
def run_demo(rows: int, *, quick: bool) -> None:
    """Run row functions over real flights and generated trades, against the row loop.

    Exits with 1 if a result differs from the loop's.
    """
    console = Console()
    try:
        flights = records.flights(QUICK_ROWS if quick else None)
    except ModuleNotFoundError as error:
        raise click.ClickException(
            messages.missing_package_text(str(error.name), "demo", "batchprep demo")
        ) from error
    trades = records.trades(min(rows, QUICK_ROWS) if quick else rows)
    trials = list(_with_progress(_trials(flights, trades), console))
    console.print(_table(trials))
    # As text: rich would take the brackets of an annotation for markup.
    text = "\n".join([CAPTION, "", _explained(flights), *tensors(flights), ""])
    console.print(text, markup=False, highlight=False, soft_wrap=True)
    differing = worst(trials)
    if differing:
        raise click.ClickException(messages.differing_text(differing))
    console.print(f"All {len(trials)} results equal the row loop's.", style="green")


def _trials(flights: Any, trades: Any) -> Iterator[Trial | str]:
    """Each trial, and before each the words for what goes on."""
    yield "making records of the flights"
    yield from _trials_of(flights, "flights", FLIGHT_FUNCTIONS)
    yield "making records of the trades"
    yield from _trials_of(trades, "trades", (row_functions.root_value,))


def _trials_of(
    table: Any, name: str, functions: tuple[Callable[[Any], Any], ...]
) -> Iterator[Trial | str]:
    rows = table.to_pylist()
    for function in functions:
        yield f"{function.__name__}: row loop"
        expected, loop = row_loop(function, rows)
        for given, data in (("dicts", rows), ("Arrow", table)):
            yield f"{function.__name__}: compiled, {name} as {given}"
            yield run_trial(function, data, given, expected, loop)


def _with_progress(steps: Iterator[Trial | str], console: Console) -> Iterator[Trial]:
    total = 2 * (len(FLIGHT_FUNCTIONS) + 1)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    # transient: the bar leaves no trace; disabled where nobody watches
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("reading", total=total)
        for step in steps:
            if isinstance(step, Trial):
                progress.advance(task)
                yield step
            else:
                progress.update(task, description=step)


def _table(trials: list[Trial]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=0)
    for heading in ("function", "from"):
        table.add_column(heading, no_wrap=True)
    for heading in ("rows", "row loop", "first call", "steady", "speed-up", "deviations"):
        table.add_column(heading, justify="right", no_wrap=True)
    for trial in trials:
        table.add_row(*_cells(trial))
    return table


def _cells(trial: Trial) -> tuple[str, ...]:
    return (
        trial.function,
        trial.given,
        f"{trial.rows:,}",
        *map(_milliseconds, (trial.loop, trial.first, trial.steady)),
        f"{trial.speedup:.1f} x",
        f"{trial.deviations:,}",
    )


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.{0 if seconds >= 0.1 else 1}f} ms"


def _explained(flights: Any) -> str:
    explanation = vectorize(row_functions.features).explain(flights.schema)
    return f"{explanation.text(plan=False)}\n"
