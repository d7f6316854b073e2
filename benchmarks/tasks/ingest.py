"""Dicts to columns, two fields and eight of mixed kinds: the first cost of a loop over records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from benchmarks import agreement, contest
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.aims import Aim, at_most
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.orders import SCHEMAS, Record, orders, records_of
from benchmarks.suite import Case, Run, skipped

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

TITLE: Final = "Dicts to columns"
CONTESTANTS: Final = Contestants()
Records = list[Record]


def measure(run: Run) -> list[Case]:
    """Medians per number of fields and of records."""
    sizes = run.sizes(full=(1_000, 1_000_000), quick=(20_000,))
    return [_case(run, fields, rows) for rows in sizes for fields in SCHEMAS]


def _case(run: Run, fields: int, rows: int) -> Case:
    labels = {"fields": fields}
    if run.over:
        return skipped(labels, rows)
    run.say(f"ingest, {rows:,} dicts of {fields} fields")
    table = orders(rows, fields)
    data = {"records": records_of(table)}
    case = contest.hold(
        run,
        CONTESTANTS,
        SCHEMAS[fields],
        data,
        partial(check, table),
        labels=labels,
        rows=rows,
        form="records",
        effort=run.scale.slow_effort,
    )
    return {**case, "cells": rows * fields}


def check(expected: pa.Table, name: str, answer: Any) -> Rounding:
    """That the columns hold what the dicts hold."""
    if name == OURS:
        return _check_columns(expected, answer)
    if isinstance(answer, pa.StructArray):
        answer = pa.Table.from_struct_array(answer)
    return agreement.compared(name, answer, expected, most_ulp=0)


def _check_columns(expected: pa.Table, columns: Mapping[str, Any]) -> Rounding:
    """A kernel's buffers, at the rows that have a value."""
    for key in expected.column_names:
        column, wanted = columns[key], expected[key].combine_chunks()
        (buffer,) = (found for kind, found in column.buffers.items() if kind != "none")
        there = wanted.is_valid().to_numpy(zero_copy_only=False)
        if column.words is not None:
            got = column.words.take(pa.array(buffer))
        else:
            got = _values(np.asarray(buffer), wanted.type)
        if len(got) != len(wanted) or got.filter(there) != wanted.filter(there):
            raise WrongAnswerError(OURS, f"{key} differs from the dicts'")
        if column.irregular is not None and column.irregular.any():
            raise WrongAnswerError(OURS, f"{key} has irregular rows")
    return Rounding()


def _values(buffer: np.ndarray, wanted: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(wanted):  # microseconds as whole numbers
        return pa.array(buffer).cast(wanted)
    return pa.array(buffer, wanted) if buffer.dtype != np.uint8 else pa.array(buffer).cast(wanted)


def aims(cases: list[Case]) -> Iterator[Aim]:
    """Eight fields at 40 ns a cell."""
    for case in cases:
        if case["times"] and case["rows"] == 1_000_000:
            nanoseconds = case["times"][OURS]["median_seconds"] / case["cells"] * 1e9
            yield at_most(
                f"ingest of {case['labels']['fields']} fields", nanoseconds, 40, " ns a cell"
            )


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep, for a kernel", container="buffers by kind")
def _batchprep(_schema: pa.Schema) -> Callable[[Records], Any]:
    """What a compiled function does with its records before its kernel runs."""
    import batchprep as bp

    contest.load_kernels_of_objects()
    fields: dict[str, Any] = {}

    def run(records: Records) -> Any:
        batch = bp.from_records(records)
        if not fields:  # found out when a function is compiled for its first batch
            fields.update({name: batch.field(name) for name in batch.names()})
        return batch.columns(fields)

    return run


@CONTESTANTS.enter("batchprep_arrow", "batchprep, to Arrow", container="Arrow table")
def _batchprep_arrow(_schema: pa.Schema) -> Callable[[Records], pa.Table]:
    import batchprep as bp

    return lambda records: bp.from_records(records).to_arrow()


@CONTESTANTS.enter(ROW_LOOP, "list comprehensions", container="lists")
def _row_loop(schema: pa.Schema) -> Callable[[Records], dict[str, list[Any]]]:
    names = schema.names
    return lambda records: {name: [r[name] for r in records] for name in names}


@CONTESTANTS.enter("numpy", "itemgetter, fromiter", container="arrays, objects for texts")
def _numpy(schema: pa.Schema) -> Callable[[Records], dict[str, np.ndarray]]:
    nullable = {"discount", "coupon"}
    filled: dict[str, Any] = {"country": object, "at": "datetime64[us]"}
    plain = {
        field.name: field.type.to_pandas_dtype()
        for field in schema
        if field.name not in nullable | set(filled)
    }

    def column(name: str, records: Records) -> np.ndarray:
        found = map(itemgetter(name), records)
        if name in plain:
            return np.fromiter(found, plain[name], len(records))
        # fromiter refuses None, array makes a NaN of it.
        return np.array(list(found), filled.get(name, np.float64))

    return lambda records: {name: column(name, records) for name in schema.names}


@CONTESTANTS.enter("polars", "polars.from_dicts", container="DataFrame")
def _polars(_schema: pa.Schema) -> Callable[[Records], pl.DataFrame]:
    import polars as pl

    return pl.from_dicts


@CONTESTANTS.enter("pyarrow", "Table.from_pylist", container="Arrow table")
def _pyarrow(_schema: pa.Schema) -> Callable[[Records], pa.Table]:
    return pa.Table.from_pylist


@CONTESTANTS.enter("pyarrow_struct", "pa.array of a struct", container="struct array")
def _pyarrow_struct(schema: pa.Schema) -> Callable[[Records], pa.Array]:
    kind = pa.struct(list(schema))
    return lambda records: pa.array(records, kind)


@CONTESTANTS.enter("pandas", "pandas.DataFrame", container="DataFrame")
def _pandas(_schema: pa.Schema) -> Callable[[Records], pd.DataFrame]:
    import pandas as pd

    return pd.DataFrame
