"""Cold start: import, first and second call of a process, the kernel cache empty or filled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from benchmarks import contest
from benchmarks.aims import Aim, at_most
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.suite import Case, Run, skipped
from benchmarks.tasks import article
from benchmarks.tasks.article import Task
from benchmarks.timing import Samples
from benchmarks.trades import trades

TITLE: Final = "Cold start of a fresh process, the root above 50,000 from Arrow"
ROOT: Final = Path(__file__).parents[2]
SPANS: Final = ("import", "first", "second")
WORDS: Final = {"import": "import", "first": "first call", "second": "second call"}
# These run twice on a cache that is empty at first, and are told as two.
FILLED: Final = "_filled"
CACHED: Final = {OURS, "batchprep_numba"}
QUICK: Final = {OURS, OURS + "_filled", ROW_LOOP}  # each start takes a second
PEERS: Final = ("numpy", "pandas", "polars", "duckdb", "pyarrow", "numexpr", "by_hand")
CONTESTANTS: Final = Contestants()
Spans = dict[str, list[float]]


def measure(run: Run) -> list[Case]:
    """Medians over a few processes each, in turn."""
    sizes = run.sizes(full=(10, 1_000, 100_000), quick=(1_000,))
    return [case for rows in sizes for case in _cases(run, rows)]


def _cases(run: Run, rows: int) -> list[Case]:
    if run.over:
        return [skipped({"span": span}, rows) for span in SPANS]
    with tempfile.TemporaryDirectory(prefix="batchprep-bench-") as folder:
        file = Path(folder, "trades.arrow")
        table = trades(rows)
        with pa.ipc.new_file(file, table.schema) as sink:
            sink.write_table(table)
        run.say(f"cold starts, {rows:,} rows")
        found: dict[str, Spans] = {}
        for _ in range(run.scale.processes):
            for name, spans in _round(file, set(CONTESTANTS) if run.scale.full else QUICK):
                for span, seconds in spans.items():
                    found.setdefault(name, {}).setdefault(span, []).append(seconds)
    return [_case(run, span, rows, found) for span in SPANS]


def _round(file: Path, names: set[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """Everyone once; ours with an empty cache, and again with what that call left in it."""
    for name in CONTESTANTS:
        if name.endswith(FILLED) or name not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="batchprep-bench-") as cache:
            yield name, _spans(name, file, cache)
            if name in CACHED:
                yield name + FILLED, _spans(name, file, cache)


def _case(run: Run, span: str, rows: int, found: dict[str, Spans]) -> Case:
    samples = {name: Samples(found[name][span]) for name in CONTESTANTS if name in found}
    return contest.case(run, {"span": span}, rows, samples)


def _spans(name: str, file: Path, cache: str) -> dict[str, float]:
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.cold_call", name, str(file)],
        cwd=ROOT,
        env={**os.environ, "BATCHPREP_CACHE_DIR": str(Path(cache, "batchprep"))},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(process.stdout)


def aims(cases: list[Case]) -> Iterator[Aim]:
    """Imports and the first 1,000 rows in a second."""
    times = {(case["labels"]["span"], case["rows"]): case["times"] for case in cases}
    if all(times.get((span, 1_000)) for span in SPANS):
        total = sum(times[span, 1_000][OURS]["median_seconds"] for span in ("import", "first"))
        yield at_most("cold start, import and first call of 1,000 rows", total, 1.0, " s")


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep")
def _batchprep(task: Task) -> Callable[[Any], Any]:
    import batchprep as bp

    return bp.vectorize(task.function)


@CONTESTANTS.enter("batchprep_numba", "batchprep, waits for numba")
def _numba(task: Task) -> Callable[[Any], Any]:
    import batchprep as bp

    return bp.vectorize(task.function, backend="numba")


CONTESTANTS.enter(OURS + FILLED, "batchprep, kernel on disk")(_batchprep)
CONTESTANTS.enter("batchprep_numba" + FILLED, "waits for numba, kernel on disk")(_numba)
CONTESTANTS[ROW_LOOP] = article.CONTESTANTS[ROW_LOOP]
for _name in PEERS:
    CONTESTANTS[_name] = article.CONTESTANTS[_name]
