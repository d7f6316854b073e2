"""How long a row function takes to compile, by its size in nodes."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks import contest
from benchmarks.agreement import WrongAnswerError
from benchmarks.contest import OURS, Contestants
from benchmarks.suite import Case, Run, skipped
from benchmarks.timing import Samples
from benchmarks.trades import as_records, trades

TITLE: Final = "First call on numba with an empty cache, by size of the function"
CHECKED_ROWS: Final = 200
CONTESTANTS: Final = Contestants()


def measure(run: Run) -> list[Case]:
    """Seconds to trace and to compile with an empty disk cache, per number of steps."""
    table = trades(CHECKED_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        # numba itself is imported and warmed up by a function that no case measures.
        _case(run, 2, table, Path(folder, "first"))
        cases = []
        for steps in run.sizes(full=(1, 3, 10, 30, 60, 100), quick=(1, 10)):
            run.say(f"growth: {steps} steps")
            cases.append(_case(run, steps, table, Path(folder, str(steps))))
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


def _case(run: Run, steps: int, table: Any, folder: Path) -> Case:
    labels = {"steps": steps}
    if run.over:
        return skipped(labels, CHECKED_ROWS)
    folder.mkdir()
    function = _imported(folder / f"grown_{steps}.py", source_of(steps))
    expected = [function(r) for r in as_records(table)]
    samples = {}
    with _empty_cache(folder / "cache"):
        for name, contestant in CONTESTANTS.items():
            result, seconds = _timed(partial(contestant.prepare(function), table))
            samples[name] = Samples([seconds])
            if name == OURS and result.to_pylist() != expected:
                raise WrongAnswerError(f"grown_{steps}", "not the row loop's answer")
    plan = result.to_dict()["plan"]
    nodes = sum(line.startswith("%") for line in plan.splitlines())
    per_node = samples[OURS].median / nodes
    notes = {"nodes": nodes, "per_node_seconds": per_node}
    return contest.case(run, labels, CHECKED_ROWS, samples, notes=notes)


@CONTESTANTS.enter(OURS, "first call")
def _first_call(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    import batchprep as bp

    return bp.vectorize(function, backend="numba")


@CONTESTANTS.enter("batchprep_trace", "trace only")
def _trace(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    import batchprep as bp

    return lambda table: bp.vectorize(function).explain(table.schema)


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
