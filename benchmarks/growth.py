"""How long a row function takes to compile, by its size in nodes."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import batchprep as bp
from benchmarks.agreement import WrongAnswerError
from benchmarks.suite import Case, Run
from benchmarks.trades import as_records, trades

CHECKED_ROWS = 200


def measure(run: Run) -> list[Case]:
    """Seconds to trace and to compile with an empty disk cache, per number of steps."""
    table = trades(CHECKED_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        # numba itself is imported and warmed up by a function that no case measures.
        _case(2, table, Path(folder, "first"))
        cases = []
        for steps in run.scale.steps:
            run.say(f"growth: {steps} steps")
            cases.append(_case(steps, table, Path(folder, str(steps))))
    return cases


def source_of(steps: int) -> str:
    """A function of so many steps: an assignment, a choice and an early return in each."""
    lines = ["def grown(r):", "    value = r['price'] * r['volume']"]
    for step in range(steps):
        lines += [
            f"    value = value * 0.5 + {step} if value > {step}.5 else value - r['price']",
            f"    if value < {step - steps}:",
            f"        return value + {step}",
        ]
    return "\n".join([*lines, "    return value", ""])


def _case(steps: int, table: Any, folder: Path) -> Case:
    folder.mkdir()
    function = _imported(folder / f"grown_{steps}.py", source_of(steps))
    traced, trace = _timed(lambda: bp.vectorize(function).explain(table.schema))
    plan = traced.to_dict()["plan"]
    with _empty_cache(folder / "cache"):
        result, call = _timed(lambda: bp.vectorize(function, backend="numba")(table))
    if result.to_pylist() != [function(r) for r in as_records(table)]:
        raise WrongAnswerError(f"grown_{steps}", "not the row loop's answer")
    nodes = sum(line.startswith("%") for line in plan.splitlines())
    return {
        "steps": steps,
        "nodes": nodes,
        "trace_seconds": trace,
        "first_call_seconds": call,
        "milliseconds_per_node": call / nodes * 1e3,
    }


def _imported(file: Path, source: str) -> Callable[[Any], Any]:
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(file.stem)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.grown


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


@contextmanager
def _empty_cache(folder: Path) -> Iterator[None]:
    before = os.environ.get("BATCHPREP_CACHE_DIR")
    os.environ["BATCHPREP_CACHE_DIR"] = str(folder)
    try:
        yield
    finally:
        del os.environ["BATCHPREP_CACHE_DIR"]
        if before is not None:
            os.environ["BATCHPREP_CACHE_DIR"] = before
