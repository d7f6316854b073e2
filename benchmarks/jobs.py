"""The jobs from file to file: a root, and a filter with features, written row by row."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from benchmarks.trades import trades

SEED: Final = 20_130_102
COUNTRIES: Final = ("DE", "FR", "IT", "JP", "NO", "US", "XX")
REGIONS: Final = {"DE": "Europe", "FR": "Europe", "IT": "Europe", "JP": "Asia", "NO": "Europe"}
LEAST: Final = 1_000
THRESHOLD: Final = 50_000

Record = dict[str, Any]


def root_value(r: Record) -> float | None:
    value = r["price"] * r["volume"]
    if value > THRESHOLD:
        return math.sqrt(value)
    return None


def is_large(r: Record) -> bool:
    return r["price"] * r["volume"] > LEAST


def features(r: Record) -> Record:
    value = r["price"] * r["volume"]
    return {
        "id": r["id"],
        "value": value,
        "root": math.sqrt(value),
        "band": "high" if value > THRESHOLD else "low",
        "region": REGIONS.get(r["country"], "other"),
    }


@dataclass(frozen=True)
class Job:
    """What is read, what each row becomes, and the schema of what is written."""

    name: str
    title: str
    suffix: Literal[".parquet", ".csv"]
    keep: Callable[[Record], bool] | None
    function: Callable[[Record], Any]
    written: pa.Schema

    def row(self, record: Record) -> Record:
        """The row that a record becomes, once it is kept."""
        found = self.function(record)
        return found if isinstance(found, dict) else {self.function.__name__: found}


_ROOT: Final = pa.schema([("root_value", pa.float64())])
_FEATURES: Final = pa.schema(
    [
        ("id", pa.int64()),
        ("value", pa.float64()),
        ("root", pa.float64()),
        ("band", pa.string()),
        ("region", pa.string()),
    ]
)
JOBS: Final = (
    Job("root", "Parquet, root", ".parquet", None, root_value, _ROOT),
    Job("features", "Parquet, filter and features", ".parquet", is_large, features, _FEATURES),
    Job("csv_root", "CSV, root", ".csv", None, root_value, _ROOT),
)
READ: Final = pa.schema(
    [
        ("id", pa.int64()),
        ("price", pa.float64()),
        ("volume", pa.int64()),
        ("country", pa.string()),
    ]
)


def write_input(job: Job, folder: Path, rows: int) -> Path:
    """The job's input file, the same on every machine; country and id are there in every job."""
    path = folder / f"{job.name}-{rows}{job.suffix}"
    table = _wide(rows)
    if job.suffix == ".csv":
        csv.write_csv(table, path)
    else:
        parquet.write_table(table, path, compression="zstd")
    return path


def _wide(rows: int) -> pa.Table:
    names = np.array(COUNTRIES, object)
    draw = np.random.default_rng(SEED)
    country = pa.array(names[draw.integers(0, len(names), rows)], pa.string())
    table = trades(rows).add_column(0, "id", pa.array(np.arange(rows)))
    return table.append_column("country", country).cast(READ)
