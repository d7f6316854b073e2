"""`batchprep lint`: row loops of Python files and notebooks, and what to write instead."""

from __future__ import annotations

from typing import Final

import click

import batchprep as bp
from batchprep.cli.endings import ending

EPILOG = """\b
Examples:
  batchprep lint src notebooks
  batchprep lint etl.py --select BP003,BP004 --no-diff
  batchprep lint . --format sarif > lint.sarif

\b
A comment `# noqa: BP004` on the line of a loop keeps it from being reported.

\b
Exit codes:
  0    no row loop was found, or --exit-zero
  1    row loops were found
  2    a path or a file could not be read, or wrong usage
  130  Ctrl-C
"""
FOUND: Final = 1
UNREAD: Final = 2


@click.command("lint", epilog=EPILOG, short_help="Find row loops in files and notebooks.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text",
    help="Text for people, JSON, or SARIF 2.1.0 for code scanning.  [default: text]",
)  # fmt: skip
@click.option("--diff/--no-diff", default=True, help="Show what to write instead, as a diff.")
@click.option("--select", multiple=True, metavar="IDS", help="Report these rules only: BP001,BP004")
@click.option("--ignore", multiple=True, metavar="IDS", help="Do not report these rules.")
@click.option("--exit-zero", is_flag=True, help="End with exit code 0 where row loops were found.")
@click.option("--traceback", is_flag=True, help="Show the whole traceback of an error.")
def lint_command(
    paths: tuple[str, ...],
    *,
    form: str,
    diff: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exit_zero: bool,
    traceback: bool,
) -> None:
    """Find row loops in Python files, folders and notebooks, and say whether they would compile.

    Looks for iterrows, itertuples, apply(axis=1), and for loops, comprehensions and map over
    records. Nothing of the files is run or imported.
    """
    with ending(show_traceback=traceback):
        from batchprep.lint import chosen_rules, lint, output

        try:
            rules = chosen_rules(_ids(select), _ids(ignore))
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        report = lint(paths, rules)
        match form:
            case "json":
                click.echo(output.as_json(report, diff=diff))
            case "sarif":
                click.echo(output.as_sarif(report, bp.__version__, diff=diff))
            case _:
                click.echo(output.as_text(report, diff=diff))
        if report.problems:
            raise click.exceptions.Exit(UNREAD)
        if report.findings and not exit_zero:
            raise click.exceptions.Exit(FOUND)


def _ids(given: tuple[str, ...]) -> list[str]:
    return [part.strip() for text in given for part in text.split(",") if part.strip()]
