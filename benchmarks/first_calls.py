"""The first call of a fresh process: import, compile and run, with an empty and a full cache."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from benchmarks.suite import Case, Run
from benchmarks.trades import trades

PEERS: Final = ("numpy", "pandas", "polars", "duckdb", "pyarrow", "numexpr", "by_hand")
BACKENDS: Final = ("auto", "numba")
ROOT: Final = Path(__file__).parents[1]
SPANS: Final = ("import_seconds", "first_seconds", "second_seconds")


def measure(run: Run) -> list[Case]:
    """Medians over a few processes each."""
    sizes = (1_000, 1_000_000) if run.scale.processes > 1 else (1_000,)
    return [case for rows in sizes for case in _cases(run, rows)]


def _cases(run: Run, rows: int) -> list[Case]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trades.arrow")
        table = trades(rows)
        with pa.ipc.new_file(file, table.schema) as sink:
            sink.write_table(table)
        run.say(f"first calls, {rows:,} rows")
        found = [*_ours(run, file), *_theirs(run, file)]
    return [{**case, "rows": rows} for case in found]


def _ours(run: Run, file: Path) -> Iterator[Case]:
    for backend in BACKENDS:
        empty, full = [], []
        for _ in range(run.scale.processes):
            with tempfile.TemporaryDirectory() as folder:
                empty.append(_spans("batchprep", file, folder, backend))
                full.append(_spans("batchprep", file, folder, backend))
        yield _case("batchprep", empty, backend=backend, cache="empty")
        yield _case("batchprep", full, backend=backend, cache="full")


def _theirs(run: Run, file: Path) -> Iterator[Case]:
    for name in PEERS:
        with tempfile.TemporaryDirectory() as folder:
            yield _case(name, [_spans(name, file, folder) for _ in range(run.scale.processes)])


def _case(name: str, found: list[dict[str, float]], **more: str) -> Case:
    medians = {span: statistics.median(spans[span] for spans in found) for span in SPANS}
    return {"peer": name, **more, **medians}


def _spans(name: str, file: Path, cache: str, *backend: str) -> dict[str, Any]:
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.first_call", name, str(file), *backend],
        cwd=ROOT,
        env={**os.environ, "BATCHPREP_CACHE_DIR": str(Path(cache, "batchprep"))},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(process.stdout)
