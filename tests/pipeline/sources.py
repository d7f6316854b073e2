"""Rows in every container that a pipeline takes, and its results as plain Python values."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import batchprep as bp
from tests.fuzz.check import arrow_table
from tests.pipeline.example import Via

CHUNKS = 3
FIRST_LABEL, LABEL_STEP = 7, 10  # of the index of a frame: labels are no row numbers
NATIVE = {int: "int64", float: "float64", bool: "bool", str: "str"}


@dataclass(frozen=True)
class Data:
    """Rows as handed over, and the records that nested loops run over."""

    via: Via
    value: Any
    records: list[Any]


def data_of(rows: list[dict[str, Any]], via: Via) -> Data:
    """The rows in that container; as a list where its columns cannot hold them as they are."""
    table = arrow_table(rows) if via in {"arrow", "pandas", "polars"} and rows else None
    if via == "pandas":
        return _frame(rows) if table is not None and _complete(rows) else _list(rows)
    if via == "iterator":
        records = copy.deepcopy(rows)
        return Data(via, iter(records), records)
    if table is None or not table.num_columns:
        return _list(rows)
    chunked = _chunked(table)
    value = pl.from_arrow(chunked) if via == "polars" else chunked
    return Data(via, value, bp.from_arrow(chunked).to_records())


def _list(rows: list[dict[str, Any]]) -> Data:
    records = copy.deepcopy(rows)
    return Data("list", records, records)


def _chunked(table: pa.Table) -> pa.Table:
    size = max(1, -(-len(table) // CHUNKS))
    return pa.concat_tables([table.slice(at, size) for at in range(0, len(table), size)])


def _complete(rows: list[dict[str, Any]]) -> bool:
    """Whether every row has every column, and no column is only None."""
    names = {name for row in rows for name in row}
    filled = all(any(row.get(name) is not None for row in rows) for name in names)
    return filled and bool(names) and all(row.keys() == names for row in rows)


def _frame(rows: list[dict[str, Any]]) -> Data:
    labels = [FIRST_LABEL + LABEL_STEP * row for row in range(len(rows))]
    columns = {name: _series([row[name] for row in rows], labels) for name in rows[0]}
    records = [{name: row[name] for name in rows[0]} for row in rows]
    return Data("pandas", pd.DataFrame(columns, index=labels), copy.deepcopy(records))


def _series(values: list[Any], labels: list[int]) -> pd.Series:
    kinds = set(map(type, values))
    dtype = NATIVE.get(kinds.pop(), "object") if len(kinds) == 1 else "object"
    return pd.Series(values, index=labels, dtype=dtype)


@dataclass(frozen=True)
class Results:
    """What came back, as plain values, and in which container."""

    values: list[Any]
    container: str
    labels: list[Any] | None = None  # of a frame's index
    names: list[str] | None = None  # of columns


def read(result: Any) -> Results:
    """The values of a result that is at hand."""
    name = type(result).__name__
    if isinstance(result, (pa.Table, pa.RecordBatch)):
        names = result.schema.names
        rows = result.to_pylist() if names else [{} for _ in range(result.num_rows)]
        return Results(rows, name, names=names)
    if isinstance(result, pd.DataFrame):
        columns = [result[column].tolist() for column in result.columns]
        rows = list(zip(*columns, strict=True)) if columns else [()] * len(result)
        values = [dict(zip(result.columns, row, strict=True)) for row in rows]
        return Results(values, name, result.index.tolist(), list(result.columns))
    if isinstance(result, pd.Series):
        return Results(result.tolist(), name, result.index.tolist())
    if isinstance(result, pl.DataFrame):
        return Results(result.to_dicts(), name, names=result.columns)
    if isinstance(result, (pl.Series, pa.ChunkedArray, pa.Array)):
        return Results(
            result.to_pylist() if hasattr(result, "to_pylist") else result.to_list(), name
        )
    return Results(list(result), name)


def is_lazy(result: Any) -> bool:
    return isinstance(result, Iterator)
