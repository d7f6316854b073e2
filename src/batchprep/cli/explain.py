"""`batchprep explain`: how a row function or a pipeline would run over files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

import batchprep as bp
from batchprep.cli.endings import as_usage, ending
from batchprep.cli.loading import Loader

EPILOG = """\b
Examples:
  batchprep explain features.py:root_value trades.parquet
  batchprep explain features.py:pipe 'logs/*.csv' --columns
"""


@click.command("explain", epilog=EPILOG, short_help="Show, line by line, how a function would run.")
@click.argument("function", metavar="FILE.py:FUNCTION")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--columns", is_flag=True, help="List the columns of INPUT and their types first.")
@click.option("--infer/--no-infer", default=True, help="Types of CSV columns, or all text.")
@click.option("--traceback", is_flag=True, help="Show the whole traceback of an error.")
def explain_command(
    function: str, inputs: tuple[str, ...], *, columns: bool, infer: bool, traceback: bool
) -> None:
    """Show how a function would run over INPUT, line by line, without running it.

    Says which lines are compiled, which rows of them the interpreter answers, and what cannot be
    compiled and why. FILE.py:FUNCTION may name a batchprep.Pipeline too.
    """
    with ending(show_traceback=traceback), Loader() as loader:
        found = loader.load(function, "FUNCTION")
        with as_usage("INPUT"):
            source = bp.scan(list(inputs), infer=infer)
        if columns:
            _show_columns(source)
        _show(_explanation(found, source))


def _explanation(found: Any, source: bp.Scan) -> Any:
    if isinstance(found, bp.Pipeline):
        return found.explain(source)
    function: Callable[..., Any] = found
    return bp.vectorize(function).explain(source.schema)


def _show_columns(source: bp.Scan) -> None:
    width = max(map(len, source.schema.names), default=0)
    for field in source.schema:
        click.echo(f"{field.name:{width}}  {field.type}")
    click.echo()


def _show(explanation: Any) -> None:
    if sys.stdout.isatty():
        from rich.console import Console

        Console(soft_wrap=True).print(explanation)
    else:
        click.echo(str(explanation))
