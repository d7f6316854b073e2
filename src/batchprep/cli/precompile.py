"""`batchprep precompile`: kernels made ahead, so that no later process waits for them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

import batchprep as bp
from batchprep.backends.numba.store import kernel_directory
from batchprep.cli import messages
from batchprep.cli.endings import FAILED, as_usage, ending
from batchprep.cli.loading import Loader
from batchprep.dtypes import KINDS

if TYPE_CHECKING:
    from batchprep.plan.stage import MathMode

EPILOG = """\b
Examples:
  batchprep precompile features.py:root_value --schema trades.parquet
  batchprep precompile features.py:rate features.py:pipe --schema 'logs/*.csv'
  batchprep precompile features.py:rate --field price=float --field 'volume=int|None'

\b
Exit codes: 0 each function has its kernel, 1 one has none, 2 wrong usage, 130 Ctrl-C.
"""
# What the kinds of values are called in Python.
_SPELLED: Final = {"None": "none", "dict": "struct"}


@click.command("precompile", epilog=EPILOG, short_help="Compile functions ahead of the first call.")
@click.argument("functions", nargs=-1, required=True, metavar="FILE.py:FUNCTION...")
@click.option(
    "--schema",
    "inputs",
    multiple=True,
    metavar="INPUT",
    help="Files with the columns that the functions will get; may be repeated.",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME=TYPES",
    help="A field of the dicts that they will get, such as 'note=str|None'; repeated for each.",
)
@click.option(
    "--math",
    type=click.Choice(["exact", "fast"]),
    help="Bit-identical to Python, or faster.  [default: exact]",
)
@click.option(
    "--infer/--no-infer", default=True, help="Types of CSV columns, or all text.  [default: infer]"
)
@click.option("--traceback", is_flag=True, help="Show the whole traceback of an error.")
def precompile_command(
    functions: tuple[str, ...],
    inputs: tuple[str, ...],
    fields: tuple[str, ...],
    *,
    math: MathMode | None,
    infer: bool,
    traceback: bool,
) -> None:
    """Compile functions into the folder of kernels, for example while an image is built.

    A later process of this user on this kind of CPU only loads them, be it under batchprep run or
    in a program. FILE.py:FUNCTION may name a batchprep.Pipeline too. Types come from files, of
    which the first rows are read, or are named field by field.
    """
    with ending(show_traceback=traceback), Loader() as loader:
        found = [loader.load(spec, "FUNCTION") for spec in functions]
        data = _data(inputs, fields, infer=infer)
        folder = kernel_directory()
        if folder is None:
            raise click.ClickException(messages.no_kernel_folder_text())
        with bp.use(math=math):
            made, seconds = _compile(found, data)
        click.echo(messages.precompiled_text(made, str(folder), seconds), err=True)
        if any(one.reason for one in made):
            raise click.exceptions.Exit(FAILED)


def _compile(found: list[Any], data: Any) -> tuple[list[bp.Precompiled], float]:
    """Each as a line as soon as it is there."""
    begun = time.perf_counter()
    made: list[bp.Precompiled] = []
    for one in found:
        for entry in bp.precompile(one, data):
            click.echo(str(entry))
            made.append(entry)
    return made, time.perf_counter() - begun


def _data(inputs: tuple[str, ...], fields: tuple[str, ...], *, infer: bool) -> Any:
    """What bp.precompile takes for the types that were named."""
    if bool(inputs) == bool(fields):
        raise click.UsageError(messages.schema_or_fields_text(both=bool(inputs)))
    if fields:
        return _types(fields)
    with as_usage("--schema"):
        return bp.scan(list(inputs), infer=infer)


def _types(fields: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for field in fields:
        name, equals, types = field.partition("=")
        kinds = [_SPELLED.get(kind.strip(), kind.strip()) for kind in types.split("|")]
        unknown = next((kind for kind in kinds if kind not in KINDS), None)
        if not (name and equals) or unknown is not None:
            text = messages.bad_field_text(field, unknown if name and equals else None)
            raise click.BadParameter(text, param_hint="--field")
        if name in found:
            text = messages.field_twice_text(name)
            raise click.BadParameter(text, param_hint="--field")
        found[name] = frozenset(kinds)
    return found
