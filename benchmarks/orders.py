"""Generated orders of two or eight fields, as dicts and as an Arrow table: the same everywhere."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import numpy as np
import pyarrow as pa

SEED: Final = 20_130_105
COUNTRIES: Final = ("DE", "FR", "IT", "JP", "NO", "US", "XX")
START: Final = dt.datetime(2020, 1, 1)  # noqa: DTZ001  naive times are what files have
NULL_SHARE: Final = 0.1
NARROW: Final = pa.schema([("price", pa.float64()), ("volume", pa.int64())])
MIXED: Final = pa.schema(
    [
        *NARROW,
        ("id", pa.int64()),
        ("paid", pa.bool_()),
        ("country", pa.string()),
        ("discount", pa.float64()),
        ("coupon", pa.int64()),
        ("at", pa.timestamp("us")),
    ]
)
SCHEMAS: Final = {len(NARROW): NARROW, len(MIXED): MIXED}

Record = dict[str, Any]


def orders(rows: int, fields: int) -> pa.Table:
    """Price and volume alone, or with ints, bools, texts, times, and two columns with nulls."""
    draw = np.random.default_rng(SEED)
    columns = {
        "price": np.round(draw.lognormal(4.0, 1.0, rows), 2),
        "volume": draw.integers(1, 2_000, rows),
    }
    if fields == len(NARROW):
        return pa.table(columns, NARROW)
    columns |= {
        "id": np.arange(rows) + 1_000_000,
        "paid": draw.random(rows) < 0.5,
        "country": np.array(COUNTRIES, object)[draw.integers(0, len(COUNTRIES), rows)],
        "discount": _missing(draw, draw.normal(0.3, 0.4, rows)),
        "coupon": _missing(draw, draw.integers(0, 50, rows)),
        "at": np.datetime64(START, "us") + draw.integers(0, 10**8, rows) * np.timedelta64(1, "s"),
    }
    return pa.table(columns, MIXED)


def _missing(draw: np.random.Generator, values: np.ndarray) -> pa.Array:
    return pa.array(values, mask=draw.random(len(values)) < NULL_SHARE)


def records_of(table: pa.Table) -> list[Record]:
    """The rows as dicts, each value an object of its own: Table.to_pylist(), in less time."""
    columns = [table[name].to_pylist() for name in table.column_names]
    names = table.column_names
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
