"""The command line: `batchprep demo`."""

from __future__ import annotations

import click

import batchprep
from batchprep.cli.demo import run_demo


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(batchprep.__version__, prog_name="batchprep")
def main() -> None:
    """Row functions, run as exact columnar kernels on Arrow batches."""


main.add_command(run_demo)
