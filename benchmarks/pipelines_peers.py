"""Who takes part from file to file: each writes the job's result, zstd at level 1, to a path.

A peer is (job, input) -> (output path -> None). What it imports or connects to happens in the
first call, not when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import parquet

from benchmarks.pipelines_jobs import LEAST, READ, REGIONS, THRESHOLD, Job

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Write = Callable[[Path], Any]
Record = dict[str, Any]

ROW_LOOP: Final = "row_loop"
FEW: Final = 100_000  # where row by row ends: more rows would only take longer to say the same
LOOP_ROWS: Final = 65_536  # of a block that the loop holds


@dataclass(frozen=True)
class Peer:
    """How the tables print it, its most rows (None: any), and how it is set up."""

    name: str
    most_rows: int | None
    prepare: Callable[[Job, Path], Write]


def _batchprep(job: Job, source: Path) -> Write:
    import batchprep as bp

    return _piped(job, lambda: bp.scan(source))


def _batchprep_typed(job: Job, source: Path) -> Write:
    import batchprep as bp

    return _piped(job, lambda: bp.scan(source, schema=READ))


def _piped(job: Job, scanned: Callable[[], Any]) -> Write:
    import batchprep as bp

    pipe = bp.Pipeline() if job.keep is None else bp.Pipeline().filter(job.keep)
    pipe = pipe.map(job.function)
    # A scan of its own for each run: one that is used again knows its types already.
    return lambda path: pipe.run(scanned(), path, overwrite=True)


def _row_loop(job: Job, source: Path) -> Write:
    """The loop that the pipeline stands for; a block of rows at a time, so that memory suffices."""

    def run(path: Path) -> None:
        with parquet.ParquetWriter(
            path, job.written, compression="zstd", compression_level=1
        ) as writer:
            rows = _results(job, _records(job, source))
            while block := list(islice(rows, LOOP_ROWS)):
                writer.write_table(pa.Table.from_pylist(block, job.written))

    return run


def _results(job: Job, records: Iterator[Record]) -> Iterator[Record]:
    for record in records:
        if job.keep is None or job.keep(record):
            yield job.row(record)


def _records(job: Job, source: Path) -> Iterator[Record]:
    if job.suffix == ".csv":
        import csv

        with source.open(newline="", encoding="utf-8") as lines:
            for line in csv.DictReader(lines):
                yield {**line, "price": float(line["price"]), "volume": int(line["volume"])}
        return
    with parquet.ParquetFile(source) as file:
        for batch in file.iter_batches(LOOP_ROWS, columns=_columns(job)):
            yield from batch.to_pylist()


def _columns(job: Job) -> list[str]:
    """What the job reads: everyone who can is told to read no more."""
    return ["price", "volume"] if job.keep is None else READ.names


def _pandas(job: Job, source: Path) -> Write:
    import numpy as np

    def run(path: Path) -> None:
        frame = _read_pandas(job, source)
        value = frame["price"] * frame["volume"]
        if job.keep is None:
            root = np.sqrt(value).where(value > THRESHOLD)
            _write_pandas(root.to_frame(job.function.__name__), path)
            return
        frame, value = frame[value > LEAST], value[value > LEAST]
        columns = {
            "id": frame["id"],
            "value": value,
            "root": np.sqrt(value),
            "band": np.where(value > THRESHOLD, "high", "low"),
            "region": frame["country"].map(REGIONS).fillna("other"),
        }
        _write_pandas(frame.iloc[:, :0].assign(**columns), path)

    return run


def _pandas_apply(job: Job, source: Path) -> Write:
    def run(path: Path) -> None:
        frame = _read_pandas(job, source)
        if job.keep is None:
            found = frame.apply(job.function, axis=1).to_frame(job.function.__name__)
        else:
            frame = frame[frame.apply(job.keep, axis=1)]
            found = frame.apply(job.function, axis=1, result_type="expand")
        _write_pandas(found, path)

    return run


def _read_pandas(job: Job, source: Path) -> pd.DataFrame:
    import pandas as pd

    if job.suffix == ".csv":
        return pd.read_csv(source, engine="pyarrow", usecols=_columns(job))
    return pd.read_parquet(source, columns=_columns(job))


def _write_pandas(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, index=False, compression="zstd", compression_level=1)


def _polars(job: Job, source: Path) -> Write:
    import polars as pl

    value = pl.col("price") * pl.col("volume")
    root = value.sqrt()
    if job.keep is None:
        frame = _scan_polars(job, source).select(
            pl.when(value > THRESHOLD).then(root).alias(job.function.__name__)
        )
    else:
        band = pl.when(value > THRESHOLD).then(pl.lit("high")).otherwise(pl.lit("low"))
        region = pl.col("country").replace_strict(REGIONS, default="other")
        columns = {"value": value, "root": root, "band": band, "region": region}
        frame = _scan_polars(job, source).filter(value > LEAST).select("id", **columns)
    return lambda path: frame.sink_parquet(path, compression="zstd", compression_level=1)


def _polars_elements(job: Job, source: Path) -> Write:
    import polars as pl

    record = pl.struct(_columns(job))
    if job.keep is None:
        called = record.map_elements(job.function, return_dtype=pl.Float64)
        frame = _scan_polars(job, source).select(called.alias(job.function.__name__))
    else:
        fields = {"id": pl.Int64, "value": pl.Float64, "root": pl.Float64}
        fields |= {"band": pl.String, "region": pl.String}
        kept = record.map_elements(job.keep, return_dtype=pl.Boolean)
        called = record.map_elements(job.function, return_dtype=pl.Struct(fields))
        frame = _scan_polars(job, source).filter(kept).select(called.alias("row")).unnest("row")
    return lambda path: frame.sink_parquet(path, compression="zstd", compression_level=1)


def _scan_polars(job: Job, source: Path) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_csv(source) if job.suffix == ".csv" else pl.scan_parquet(source)


def _duckdb(job: Job, source: Path) -> Write:
    import duckdb

    value = "price * volume"
    if job.keep is None:
        what = f"case when {value} > {THRESHOLD} then sqrt({value}) end as {job.function.__name__}"
        where = ""
    else:
        regions = " ".join(f"when '{key}' then '{name}'" for key, name in REGIONS.items())
        band = f"case when {value} > {THRESHOLD} then 'high' else 'low' end as band"
        region = f"case country {regions} else 'other' end as region"
        what = f"id, {value} as value, sqrt({value}) as root, {band}, {region}"
        where = f"where {value} > {LEAST}"
    query = f"select {what} from '{source}' {where}"
    options = "format parquet, compression zstd, compression_level 1"
    connection = duckdb.connect()
    return lambda path: connection.execute(f"copy ({query}) to '{path}' ({options})")


OURS: Final = "batchprep"
TYPED: Final = "batchprep_typed"
PEERS: Final = {
    OURS: Peer("batchprep", None, _batchprep),
    TYPED: Peer("batchprep, schema=", None, _batchprep_typed),
    ROW_LOOP: Peer("row loop", FEW, _row_loop),
    "pandas": Peer("pandas", None, _pandas),
    "polars": Peer("polars", None, _polars),
    "duckdb": Peer("DuckDB", None, _duckdb),
    "pandas_apply": Peer("pandas.apply", FEW, _pandas_apply),
    "polars_elements": Peer("polars map_elements", FEW, _polars_elements),
}


def takes_part(name: str, job: Job, rows: int) -> bool:
    """Whether the peer runs this job at this size; only CSV has types to be told."""
    if name == TYPED and job.suffix != ".csv":
        return False
    limit = PEERS[name].most_rows
    return limit is None or rows <= limit
