"""The command line: `batchprep run`, `explain`, `precompile`, `lint` and `demo`."""

from __future__ import annotations

import click

import batchprep
from batchprep.cli.demo import run_demo
from batchprep.cli.explain import explain_command
from batchprep.cli.lint import lint_command
from batchprep.cli.precompile import precompile_command
from batchprep.cli.run import run_command

EPILOG = """\b
Examples:
  batchprep run features.py:root_value trades.parquet -o out.parquet
  batchprep explain features.py:root_value trades.parquet
  batchprep precompile features.py:root_value --schema trades.parquet
  batchprep lint src
  batchprep demo --quick

\b
Options of each: batchprep run --help
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(batchprep.__version__, prog_name="batchprep")
def main() -> None:
    """Write data preparation one row at a time; it runs as columns."""


main.add_command(run_command)
main.add_command(explain_command)
main.add_command(precompile_command)
main.add_command(lint_command)
main.add_command(run_demo)
