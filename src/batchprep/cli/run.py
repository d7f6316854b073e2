"""`batchprep run`: a row function or a pipeline over files, into a file."""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

import batchprep as bp
from batchprep.cli import messages
from batchprep.cli.endings import as_usage, ending
from batchprep.cli.keeping import EVERY_COLUMN, columns_to_keep, output_columns, with_record
from batchprep.cli.loading import Loader
from batchprep.run.program import BackendName, OnError
from batchprep.sinks import check_target

Format = Literal["parquet", "csv", "ndjson", "ipc"]

if TYPE_CHECKING:
    from batchprep.plan.stage import MathMode

EPILOG = """\b
Examples:
  batchprep run features.py:root_value trades.parquet -o out.parquet
  batchprep run features.py:rate clicks.csv -o rates.csv --keep day,country
  batchprep run features.py:rate 'logs/*.ndjson' -o rates/ \\
      --filter features.py:is_human --on-error drop --failures failed.parquet
  batchprep run features.py:pipe trades.parquet -o out.parquet   # a bp.Pipeline

\b
Exit codes: 0 all went well, 1 a row failed or bad data, 2 wrong usage, 130 Ctrl-C.
OUTPUT appears whole at the end of the run, or not at all.
"""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was typed."""

    function: str
    inputs: tuple[str, ...]
    output: str
    filters: tuple[str, ...]
    keep: tuple[str, ...]
    on_error: OnError | None
    failures: str | None
    backend: BackendName | None
    math: MathMode | None
    threads: int | None
    infer: bool
    overwrite: bool
    compression: str | None
    format: Format | None
    rows_per_file: int | None
    progress: bool | None
    report: Literal["text", "json", "none"] | None
    traceback: bool


@click.command("run", epilog=EPILOG)
@click.argument("function", metavar="FILE.py:FUNCTION")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "-o", "--output", required=True, metavar="OUTPUT", help="File; a folder if it ends in /."
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="FILE.py:G",
    help="Only rows for which G is true; may be repeated.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="A,B|*",
    help="Columns of the input beside the result; * is all.",
)
@click.option(
    "--on-error",
    type=click.Choice(["raise", "null", "drop"]),
    help="What a failing row does.  [default: raise]",
)
@click.option("--failures", metavar="FILE", help="Where failed rows go, with null and drop.")
@click.option(
    "--backend",
    type=click.Choice(["auto", "python", "numpy", "numba"]),
    help="What runs it.  [default: auto]",
)
@click.option(
    "--math",
    type=click.Choice(["exact", "fast"]),
    help="Bit-identical to Python, or faster.  [default: exact]",
)
@click.option(
    "--threads",
    type=click.IntRange(1),
    metavar="N",
    help="Threads that compute.  [default: all CPUs]",
)
@click.option(
    "--infer/--no-infer", default=True, help="Types of CSV columns, or all text.  [default: infer]"
)
@click.option("--overwrite", is_flag=True, help="Replace OUTPUT and the file of failures.")
@click.option("--compression", metavar="NAME", help="Of OUTPUT, such as zstd, snappy, gzip, none.")
@click.option(
    "--format",
    type=click.Choice(["parquet", "csv", "ndjson", "ipc"]),
    help="Of OUTPUT, where its ending does not say.",
)
@click.option(
    "--rows-per-file", type=click.IntRange(1), metavar="N", help="Write a folder of such parts."
)
@click.option(
    "--progress/--no-progress", default=None, help="Progress on stderr.  [default: on a terminal]"
)
@click.option(
    "--report",
    type=click.Choice(["text", "json", "none"]),
    help="What stdout gets at the end.  [default: text on a terminal]",
)
@click.option("--traceback", is_flag=True, help="Show the whole traceback of an error.")
def run_command(**typed: Any) -> None:
    """Run a row function over files and write what it gives.

    FILE.py:FUNCTION is a function of one record (a dict) or a batchprep.Pipeline; so is
    package.module:FUNCTION. INPUT is a file, a folder, a pattern or a URL: Parquet, CSV, NDJSON or
    Arrow. The ending of OUTPUT names its format: .parquet, .csv, .ndjson, .arrow, and .csv.gz.
    """
    request = Request(**typed)
    with ending(request.output, show_traceback=request.traceback), Loader() as loader:
        report = _run(request, loader)
    if report.failed_rows:
        click.echo(messages.failed_rows_text(report, request.failures), err=True)
    _show(report, request.report)


def _run(request: Request, loader: Loader) -> bp.Report:
    _check_targets(request)
    found = loader.load(request.function, "FUNCTION")
    filters = [loader.load(spec, "--filter") for spec in request.filters]
    with as_usage("INPUT"):
        source = bp.scan(list(request.inputs), infer=request.infer)
    with bp.use(
        backend=request.backend,
        math=request.math,
        on_error=request.on_error,
        threads=request.threads,
    ):
        return _pipeline(request, found, filters, source).run(
            source,
            request.output,
            progress=sys.stderr.isatty() if request.progress is None else request.progress,
            overwrite=request.overwrite,
            compression=request.compression,
            format=request.format,
            rows_per_file=request.rows_per_file,
            failures=request.failures,
        )


def _check_targets(request: Request) -> None:
    """Refuse what cannot be written, before anything is loaded or read."""
    with as_usage("--output", ValueError):
        check_target(
            request.output,
            format=request.format,
            overwrite=request.overwrite,
            compression=request.compression,
            rows_per_file=request.rows_per_file,
        )
    if request.failures is not None:
        with as_usage("--failures", ValueError):
            check_target(request.failures, overwrite=request.overwrite)


def _pipeline(request: Request, found: Any, filters: list[Any], source: bp.Scan) -> bp.Pipeline:
    if isinstance(found, bp.Pipeline):
        for option in ("filters", "keep"):
            if getattr(request, option):
                text = messages.not_with_pipeline_text(request.function)
                raise click.BadParameter(text, param_hint=f"--{option.removesuffix('s')}")
        return found
    pipe = bp.Pipeline()
    for spec, condition in zip(request.filters, filters, strict=True):
        if isinstance(condition, bp.Pipeline):
            text = messages.filter_pipeline_text(spec)
            raise click.BadParameter(text, param_hint="--filter")
        pipe = pipe.filter(condition)
    kept = columns_to_keep(",".join(request.keep))
    return _keeping(pipe, found, kept, source) if kept else pipe.map(found)


def _keeping(pipe: bp.Pipeline, function: Any, kept: list[str], source: bp.Scan) -> bp.Pipeline:
    """The results of the function beside columns of the input."""
    known = source.schema.names
    for name in kept:
        if name not in known and name != EVERY_COLUMN:
            raise click.BadParameter(messages.no_column_text(name, known), param_hint="--keep")
    with bp.use(on_unsupported="ignore"):  # the run itself says it
        results = pipe.map(function).schema(source).names
    pipe = pipe.map(with_record(function, next(iter(results), "value")))
    return pipe if EVERY_COLUMN in kept else pipe.select(*output_columns(kept, results))


def _show(report: bp.Report, form: str | None) -> None:
    """The report on stdout: OUTPUT alone takes the results."""
    terminal = sys.stdout.isatty()
    if report.bottleneck is not None:
        advice = messages.as_typed(report.bottleneck.advice)
        told = dataclasses.replace(report.bottleneck, advice=advice)
        report = dataclasses.replace(report, bottleneck=told)
    if form == "json":
        click.echo(json.dumps(report.to_dict(), indent=2, ensure_ascii=False))
    elif form == "text" or (form is None and terminal):
        if terminal:
            from rich.console import Console

            Console().print(report)
        else:
            click.echo(str(report))
