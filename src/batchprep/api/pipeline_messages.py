"""What pipelines say about steps that do not fit their rows, and about results."""

from __future__ import annotations

from typing import Protocol

from batchprep.errors import Unsupported
from batchprep.errors.messages import short_repr, type_name
from batchprep.errors.nearest import nearest_names


class Named(Protocol):
    """Something that has names of columns."""

    @property
    def names(self) -> frozenset[str]: ...


def flat_map_verdict() -> Unsupported:
    """Why a flat_map is not compiled."""
    return Unsupported(
        "flat_map runs in the interpreter, with all steps after it",
        None,
        "Put the steps that do most of the work before it",
    )


def no_columns_text(step: str, kinds: str) -> str:
    """A step that needs columns follows one that gives none."""
    return (
        f"{step} needs rows with columns, and the step before it gives {kinds}\n"
        '  Return a dict there: return {"name": ...}'
    )


def missing_text(step: str, missing: list[str], rows: Named) -> str:
    """A step names columns that its rows lack."""
    near = [
        f"  {name!r}: did you mean {', '.join(map(repr, found))}?"
        for name in missing
        if (found := nearest_names(name, sorted(rows.names)))
    ]
    listed = ", ".join(sorted(rows.names)) or "none"
    names = ", ".join(map(repr, missing))
    return "\n".join([f"{step}: no row has {names}", *near, f"  columns: {listed}"])


def one_record_text(data: object) -> str:
    """A pipeline was called on one record."""
    return (
        f"a pipeline takes many records, and got one: {short_repr(data)}\n"
        "  Pass a list: pipe([record])"
    )


def none_row_text(name: str) -> str:
    """Rows for a table are None in part."""
    return (
        f"{name} gives None for some rows, and a table has no place for such a row\n"
        "  Use filter_map instead of map to leave them out"
    )


def bad_function_text(method: str, value: object) -> str:
    """A step was given something that is no function."""
    if hasattr(value, "row_function"):  # a column expression
        remedy = f"Pass the function that it stands for: {method}(expression.row_function())"
    elif method.startswith("with_columns"):
        remedy = "A constant is a column expression: bp.lit(value)"
    else:
        remedy = f'For example: {method}(lambda r: r["price"] * 2)'
    return (
        f"{method} takes a function of one row, and got {short_repr(value)}, "
        f"of type {type_name(value)}\n"
        f"  {remedy}"
    )


def bad_names_text(method: str, value: object) -> str:
    """A step was given something that is no name of a column."""
    return (
        f"{method} takes names of columns, and got {short_repr(value)}, of type {type_name(value)}"
    )


def one_pass_text() -> str:
    """A loader was given an iterator."""
    return (
        "a loader reads its source anew for each epoch, and an iterator can be read only once\n"
        "  Pass a list, a table, or bp.scan(...) of files"
    )


def passes_text(passes: int) -> str:
    """An iterator was given to what reads its source more than once."""
    return (
        f"these steps take {passes} passes over the source, and an iterator can be read only once\n"
        "  Pass a list, a table, or bp.scan(...) of files; transforms side by side share a pass"
    )


def same_file_text(failures: str, role: str) -> str:
    """The file of the failed rows is another file of the run."""
    return (
        f"failures={failures!r} is {role}, and would replace it\n"
        '  Give the failed rows a file of their own: failures="failed.parquet"'
    )
