"""The article's task: price x volume, and its root above 50,000, by everyone in turn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from benchmarks import agreement
from benchmarks.agreement import Rounding
from benchmarks.peers import FORMS, PEERS, ROW_LOOP, batchprep, peer, runner
from benchmarks.suite import Case, Run
from benchmarks.tasks import TASKS, Task
from benchmarks.timing import Call, Samples, interleaved, seconds_of
from benchmarks.trades import as_records, trades

if TYPE_CHECKING:
    import pyarrow as pa

OURS: Final = "batchprep"


def measure(run: Run) -> list[Case]:
    """Medians per task, form and size; every answer is checked before anything is timed."""
    return [case for rows in run.scale.rows for task in TASKS for case in _cases(run, task, rows)]


def _cases(run: Run, task: Task, rows: int) -> Iterator[Case]:
    if run.over:
        yield from ({"task": task.name, "form": form, "rows": rows, "skipped": 1} for form in FORMS)
        return
    run.say(f"{task.title}, {rows:,} rows: making them")
    table = trades(rows, task.null_share)
    data = {"arrow": table, "records": as_records(table)}
    loop = partial(runner(ROW_LOOP, task, "records"), data["records"])
    answer: list[Any] = []
    once = seconds_of(lambda: answer.append(loop()))
    expected = agreement.answer_of(answer.pop())
    for form in FORMS:
        run.say(f"{task.title}, {rows:,} rows, {form}")
        yield measured(run, task, form, data, expected, once)


def measured(
    run: Run, task: Task, form: str, data: dict[str, Any], expected: pa.Array, once: float
) -> Case:
    """One case: the answers checked against the row loop's, then the times."""
    rows = len(expected)
    calls = contenders(task, form, data)
    rounding = {name: checked(name, call, expected) for name, call in calls.items()}
    batchprep.settle(calls[OURS].func, data[form], run.scale.patience)
    (stage,) = calls[OURS].func.report().stages
    samples = interleaved(calls, run.scale.effort)
    # Where the loop is too slow for rounds, the one run that gave the answers is its time.
    samples.setdefault(ROW_LOOP, Samples([once]))
    return {
        "task": task.name,
        "form": form,
        "rows": rows,
        "backend": stage.backend,
        "times": {name: _times(name, samples, rounding) for name in PEERS if name in samples},
    }


def contenders(task: Task, form: str, data: dict[str, Any]) -> dict[str, partial[Any]]:
    """Each one that takes part at this size, as a call without arguments."""
    rows = data["arrow"].num_rows
    # The loop runs over dicts that exist already: the case that favours it most.
    return {
        name: partial(runner(name, task, form), data["records" if name == ROW_LOOP else form])
        for name in PEERS
        if (limit := peer(name).MOST_ROWS) is None or rows <= limit
    }


def checked(name: str, call: Call, expected: pa.Array) -> Rounding:
    """How far the answer is from the row loop's: at most a rounding, and ours not at all."""
    rounding = agreement.rounding(expected, agreement.answer_of(call()), name)
    if rounding.rows and name in {OURS, ROW_LOOP}:
        raise agreement.WrongAnswerError(name, f"{rounding.rows:,} rows differ in their last bits")
    return rounding


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
