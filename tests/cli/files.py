"""A folder with row functions and data, and the command line run over it."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import csv, parquet

BATCHPREP = [sys.executable, "-m", "batchprep"]

FEATURES = """\
import batchprep as bp


def root_value(r):
    value = r["price"] * r["volume"]
    if value > 50_000:
        return value**0.5
    return None


def rate(r):
    return r["price"] / r["volume"]


def features(r):
    return {"value": r["price"] * r["volume"], "day": "tuesday" if r["day"] == "tue" else r["day"]}


def is_large(r):
    return r["volume"] > 3


def is_monday(r):
    return r["day"] == "mon"


pipe = bp.Pipeline().filter(is_large).map(features)
"""

TRADES = pa.table(
    {
        "price": [2.5, 500.0, 3.0, 8.0],
        "volume": [4, 200, 1, 0],
        "day": ["mon", "tue", "mon", "wed"],
    }
)


def write_files(folder: Path) -> None:
    (folder / "features.py").write_text(FEATURES, encoding="utf-8")
    parquet.write_table(TRADES, folder / "trades.parquet")
    csv.write_csv(TRADES, folder / "trades.csv")


def batchprep(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess:
    """The command in a process of its own, with nobody at a terminal."""
    return subprocess.run(
        [*BATCHPREP, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200", **environment},
    )
