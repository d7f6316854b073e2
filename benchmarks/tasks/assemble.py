"""Columns to dicts, two fields and eight of mixed kinds: the last cost where Python goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pyarrow as pa

from benchmarks import contest
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.orders import NARROW, SCHEMAS, Record, orders, records_of
from benchmarks.suite import Case, Run, skipped

TITLE: Final = "Arrow to dicts"
CONTESTANTS: Final = Contestants()
Dicts = Callable[[pa.Table], list[Record]]


def measure(run: Run) -> list[Case]:
    """Medians per number of fields."""
    sizes = run.sizes(full=(1_000, 300_000), quick=(10_000,))
    return [_case(run, fields, rows) for rows in sizes for fields in SCHEMAS]


def _case(run: Run, fields: int, rows: int) -> Case:
    labels = {"fields": fields}
    if run.over:
        return skipped(labels, rows)
    run.say(f"assemble, {rows:,} dicts of {fields} fields")
    table = orders(rows, fields)
    case = contest.hold(
        run,
        takers(fields),
        None,
        {"arrow": table},
        partial(check, table.to_pylist()),
        labels=labels,
        rows=rows,
        effort=run.scale.slow_effort,
    )
    return {**case, "cells": rows * fields}


def takers(fields: int) -> Contestants:
    """Who gives these dicts; pandas makes another value of a None, and of a time."""
    other = set[str]() if fields == len(NARROW) else {"pandas"}
    return Contestants({name: c for name, c in CONTESTANTS.items() if name not in other})


def check(expected: list[Record], name: str, answer: list[Record]) -> Rounding:
    """That the dicts are the same, keys in order and types, too."""
    if answer != expected:
        raise WrongAnswerError(name, "the dicts differ from to_pylist()'s")
    if _shapes(answer) != _shapes(expected):
        raise WrongAnswerError(name, "keys or types differ from to_pylist()'s")
    return Rounding()


def _shapes(records: list[Record]) -> set[tuple[Any, ...]]:
    return {tuple((key, type(value)) for key, value in record.items()) for record in records}


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep")
def _batchprep(_task: None) -> Dicts:
    import batchprep as bp

    contest.load_kernels_of_objects()
    return lambda table: bp.from_arrow(table).to_records()


@CONTESTANTS.enter(ROW_LOOP, "Table.to_pylist")
def _row_loop(_task: None) -> Dicts:
    return lambda table: table.to_pylist()


@CONTESTANTS.enter("columns", "to_pylist per column, zip")
def _columns(_task: None) -> Dicts:
    return records_of


@CONTESTANTS.enter("polars", "polars to_dicts")
def _polars(_task: None) -> Dicts:
    import polars as pl

    return lambda table: pl.from_arrow(table).to_dicts()


@CONTESTANTS.enter("pandas", "pandas to_dict")
def _pandas(_task: None) -> Dicts:
    import pandas as pd  # noqa: F401  to_pandas would import it at the first call

    return lambda table: table.to_pandas().to_dict("records")
