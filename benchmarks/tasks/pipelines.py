"""From file to file: Parquet or CSV through row functions to Parquet, zstd at level 1."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import parquet

from benchmarks import agreement, contest
from benchmarks.agreement import Rounding
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.jobs import JOBS, LEAST, READ, REGIONS, THRESHOLD, Job, write_input
from benchmarks.suite import Case, Run, skipped
from benchmarks.timing import seconds_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

TITLE: Final = "From file to Parquet file"
TYPED: Final = "batchprep_typed"
FEW: Final = 100_000  # where row by row ends: more rows would only take longer to say the same
LOOP_ROWS: Final = 65_536  # of a block that the loop holds
WORDS: Final = {job.name: job.title for job in JOBS}
CONTESTANTS: Final = Contestants()

Write = Callable[[Path], Any]
Record = dict[str, Any]


@dataclass(frozen=True)
class Piped:
    """A job and the file that it reads."""

    job: Job
    source: Path


def measure(run: Run) -> list[Case]:
    """Medians per job and size; every file is compared with the row loop's before timing."""
    sizes = run.sizes(full=(100_000, 3_000_000), quick=(5_000,))
    with tempfile.TemporaryDirectory(prefix="batchprep-bench-") as folder:
        return [_case(run, job, rows, Path(folder)) for rows in sizes for job in JOBS]


def _case(run: Run, job: Job, rows: int, folder: Path) -> Case:
    labels = {"job": job.name}
    if run.over:
        return skipped(labels, rows)
    run.say(f"{job.title}, {rows:,} rows")
    task = Piped(job, write_input(job, folder, rows))
    path = folder / f"{job.name}-{rows}-written.parquet"
    loop = _row_loop(task)
    once = seconds_of(lambda: loop(path))
    expected = taken(path)
    case = contest.hold(
        run,
        takers(job),
        task,
        {"path": path},
        partial(check, path, expected),
        labels=labels,
        rows=rows,
        form="path",
        once=once,
        effort=run.scale.slow_effort,
        notes=spans,
    )
    return {**case, "rows_written": expected.num_rows, "bytes_read": task.source.stat().st_size}


def takers(job: Job) -> Contestants:
    """Who runs this job; only CSV has types to be told."""
    untold = {TYPED} if job.suffix != ".csv" else set[str]()
    return Contestants({name: c for name, c in CONTESTANTS.items() if name not in untold})


def check(path: Path, expected: pa.Table, name: str, _answer: Any) -> Rounding:
    """How far the file that has just been written is from the row loop's."""
    return agreement.compared(name, taken(path), expected, same_types=name in {OURS, TYPED})


def taken(path: Path) -> pa.Table:
    """The file's table; the file is gone, so that nobody is credited with another's."""
    found = parquet.read_table(path)
    path.unlink()
    return found


def spans(report: Any) -> dict[str, Any]:
    """Seconds that reading, computing and writing took; they overlap."""
    found = dict.fromkeys(("read_seconds", "compute_seconds", "write_seconds"), 0.0)
    for stage in report.stages:
        found[f"{stage.kind}_seconds"] += stage.seconds
    return {**found, "bottleneck": report.bottleneck.activity}


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep", settles=True, exact=True)
def _batchprep(task: Piped) -> Write:
    import batchprep as bp

    return _piped(task.job, lambda: bp.scan(task.source))


@CONTESTANTS.enter(TYPED, "batchprep, schema=", settles=True, exact=True)
def _batchprep_typed(task: Piped) -> Write:
    import batchprep as bp

    return _piped(task.job, lambda: bp.scan(task.source, schema=READ))


def _piped(job: Job, scanned: Callable[[], Any]) -> Write:
    import batchprep as bp

    pipe = bp.Pipeline() if job.keep is None else bp.Pipeline().filter(job.keep)
    pipe = pipe.map(job.function)
    # A scan of its own for each run: one that is used again knows its types already.
    return lambda path: pipe.run(scanned(), path, overwrite=True)


@CONTESTANTS.enter(ROW_LOOP, "row loop", most_rows=FEW, exact=True)
def _row_loop(task: Piped) -> Write:
    """The loop that the pipeline stands for; a block of rows at a time, so that memory suffices."""
    job = task.job

    def run(path: Path) -> None:
        with parquet.ParquetWriter(
            path, job.written, compression="zstd", compression_level=1
        ) as writer:
            rows = _results(job, _records(task))
            while block := list(islice(rows, LOOP_ROWS)):
                writer.write_table(pa.Table.from_pylist(block, job.written))

    return run


def _results(job: Job, records: Iterator[Record]) -> Iterator[Record]:
    for record in records:
        if job.keep is None or job.keep(record):
            yield job.row(record)


def _records(task: Piped) -> Iterator[Record]:
    job, source = task.job, task.source
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


@CONTESTANTS.enter("pandas", "pandas")
def _pandas(task: Piped) -> Write:
    import numpy as np

    job = task.job

    def run(path: Path) -> None:
        frame = _read_pandas(task)
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


@CONTESTANTS.enter("pandas_apply", "pandas.apply", most_rows=FEW)
def _pandas_apply(task: Piped) -> Write:
    job = task.job

    def run(path: Path) -> None:
        frame = _read_pandas(task)
        if job.keep is None:
            found = frame.apply(job.function, axis=1).to_frame(job.function.__name__)
        else:
            frame = frame[frame.apply(job.keep, axis=1)]
            found = frame.apply(job.function, axis=1, result_type="expand")
        _write_pandas(found, path)

    return run


def _read_pandas(task: Piped) -> pd.DataFrame:
    import pandas as pd

    job, source = task.job, task.source

    if job.suffix == ".csv":
        return pd.read_csv(source, engine="pyarrow", usecols=_columns(job))
    return pd.read_parquet(source, columns=_columns(job))


def _write_pandas(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path, index=False, compression="zstd", compression_level=1)


@CONTESTANTS.enter("polars", "polars")
def _polars(task: Piped) -> Write:
    import polars as pl

    job = task.job
    value = pl.col("price") * pl.col("volume")
    root = value.sqrt()
    if job.keep is None:
        frame = _scan_polars(task).select(
            pl.when(value > THRESHOLD).then(root).alias(job.function.__name__)
        )
    else:
        band = pl.when(value > THRESHOLD).then(pl.lit("high")).otherwise(pl.lit("low"))
        region = pl.col("country").replace_strict(REGIONS, default="other")
        columns = {"value": value, "root": root, "band": band, "region": region}
        frame = _scan_polars(task).filter(value > LEAST).select("id", **columns)
    return lambda path: frame.sink_parquet(path, compression="zstd", compression_level=1)


@CONTESTANTS.enter("polars_elements", "polars map_elements", most_rows=FEW)
def _polars_elements(task: Piped) -> Write:
    import polars as pl

    job = task.job
    record = pl.struct(_columns(job))
    if job.keep is None:
        called = record.map_elements(job.function, return_dtype=pl.Float64)
        frame = _scan_polars(task).select(called.alias(job.function.__name__))
    else:
        fields = {"id": pl.Int64, "value": pl.Float64, "root": pl.Float64}
        fields |= {"band": pl.String, "region": pl.String}
        kept = record.map_elements(job.keep, return_dtype=pl.Boolean)
        called = record.map_elements(job.function, return_dtype=pl.Struct(fields))
        frame = _scan_polars(task).filter(kept).select(called.alias("row")).unnest("row")
    return lambda path: frame.sink_parquet(path, compression="zstd", compression_level=1)


def _scan_polars(task: Piped) -> pl.LazyFrame:
    import polars as pl

    job, source = task.job, task.source

    return pl.scan_csv(source) if job.suffix == ".csv" else pl.scan_parquet(source)


@CONTESTANTS.enter("duckdb", "DuckDB")
def _duckdb(task: Piped) -> Write:
    import duckdb

    job = task.job
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
    query = f"select {what} from '{task.source}' {where}"
    options = "format parquet, compression zstd, compression_level 1"
    connection = duckdb.connect()
    return lambda path: connection.execute(f"copy ({query}) to '{path}' ({options})")
