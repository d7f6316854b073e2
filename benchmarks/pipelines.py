"""From file to file: Parquet or CSV through row functions to Parquet, by everyone in turn."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

from benchmarks import agreement
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.pipelines_jobs import JOBS, Job, write_input
from benchmarks.pipelines_peers import OURS, PEERS, ROW_LOOP, TYPED, takes_part
from benchmarks.suite import Case, Run
from benchmarks.timing import Samples, interleaved, seconds_of

EXACT: Final = {OURS, TYPED, ROW_LOOP}

Call = Callable[[], Any]


def measure(run: Run) -> list[Case]:
    """Medians per job and size; every file is compared with the row loop's before timing."""
    with tempfile.TemporaryDirectory(prefix="batchprep-bench-") as folder:
        return [_case(run, job, rows, Path(folder)) for rows in run.scale.file_rows for job in JOBS]


def _case(run: Run, job: Job, rows: int, folder: Path) -> Case:
    case: Case = {"job": job.name, "rows": rows}
    if run.over:
        return {**case, "skipped": 1}
    run.say(f"{job.title}, {rows:,} rows")
    source = write_input(job, folder, rows)
    paths = {name: folder / f"{job.name}-{rows}-{name}.parquet" for name in PEERS}
    loop = PEERS[ROW_LOOP].prepare(job, source)
    once = seconds_of(lambda: loop(paths[ROW_LOOP]))
    expected = parquet.read_table(paths[ROW_LOOP])
    calls = {
        name: partial(PEERS[name].prepare(job, source), paths[name])
        for name in PEERS
        if takes_part(name, job, rows)
    }
    rounding = {name: checked(name, call, paths[name], expected) for name, call in calls.items()}
    report = settle(calls[OURS], run.scale.patience)
    samples = interleaved(calls, run.scale.file_effort)
    # Where the loop is too slow for rounds, the one run that gave the answers is its time.
    samples.setdefault(ROW_LOOP, Samples([once]))
    return {
        **case,
        "rows_written": expected.num_rows,
        "bytes_read": source.stat().st_size,
        "spans": spans(report),
        "bottleneck": report.bottleneck.activity,
        "times": {name: _times(name, samples, rounding) for name in PEERS if name in samples},
    }


def checked(name: str, call: Call, path: Path, expected: pa.Table) -> Rounding:
    """How far the written file is from the row loop's: at most a rounding, and ours not at all."""
    call()
    rounding = compared(name, parquet.read_table(path), expected)
    if rounding.rows and name in EXACT:
        raise WrongAnswerError(name, f"{rounding.rows:,} rows differ in their last bits")
    return rounding


def compared(name: str, got: pa.Table, expected: pa.Table) -> Rounding:
    """The largest rounding of any column.

    Errors:  WrongAnswerError if columns, types, rows or values differ
    """
    if got.column_names != expected.column_names:
        raise WrongAnswerError(name, f"columns {got.column_names}, not {expected.column_names}")
    found = [_column(name, got[key], expected[key]) for key in expected.column_names]
    return max(found, key=lambda rounding: (rounding.largest_ulp, rounding.rows))


def _column(name: str, got: pa.ChunkedArray, expected: pa.ChunkedArray) -> Rounding:
    if pa.types.is_floating(expected.type):
        answers = map(agreement.answer_of, (expected, got))
        return agreement.rounding(*answers, name)
    if pa.types.is_string(expected.type) and pa.types.is_large_string(got.type):
        got = got.cast(pa.string())
    if got.combine_chunks() != expected.combine_chunks():
        raise WrongAnswerError(name, f"a column of {expected.type} differs from the row loop's")
    return Rounding()


def settle(call: Call, patience: float) -> Any:
    """The report of a run after the kernel that compiles beside the runs has taken over."""
    deadline = time.perf_counter() + patience
    while True:
        report = call()
        computing = [stage for stage in report.stages if stage.name not in {"read", "write"}]
        settled = all("numba" in s.backend or not s.compiled or s.reason for s in computing)
        if settled or time.perf_counter() > deadline:
            return report


def spans(report: Any) -> dict[str, float]:
    """Seconds that reading, computing and writing took; they overlap."""
    found = {"read": 0.0, "compute": 0.0, "write": 0.0}
    for stage in report.stages:
        found[stage.name if stage.name in found else "compute"] += stage.seconds
    return {**found, "wall": report.seconds}


def _times(name: str, samples: dict[str, Samples], rounding: dict[str, Rounding]) -> dict[str, Any]:
    mine, ours = samples[name], samples[OURS]
    known = rounding.get(name, Rounding())
    return {
        "median_seconds": mine.median,
        "ratio": mine.median / ours.median,
        "samples": len(mine.seconds),
        "rows_rounded_differently": known.rows,
        "largest_ulp": known.largest_ulp,
    }
