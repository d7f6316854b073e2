"""Strings and times: the row loop over dicts, batchprep and its peers from an Arrow table."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import pyarrow as pa

from benchmarks.agreement import WrongAnswerError
from benchmarks.peers import batchprep
from benchmarks.suite import Case, Run
from benchmarks.texts_peers import OURS, PEERS, ROW_LOOP, TITLES
from benchmarks.texts_tasks import TASKS, Task
from benchmarks.timing import Call, Samples, interleaved, seconds_of

LOOP_ROWS: Final = 100_000  # whose answer becomes columns at once


def measure(run: Run) -> list[Case]:
    """Medians per task and size; every answer is compared with the row loop's before timing."""
    return [_case(run, task, rows) for rows in run.scale.text_rows for task in TASKS]


def _case(run: Run, task: Task, rows: int) -> Case:
    case: Case = {"task": task.name, "rows": rows}
    if run.over:
        return {**case, "skipped": 1}
    run.say(f"{task.title}, {rows:,} rows")
    table = task.table(rows)
    once, expected = looped(task, table)
    calls: dict[str, Call] = {
        name: partial(prepare(task), table) for name, (_, prepare) in PEERS.items()
    }
    for name, call in calls.items():
        check(name, call(), expected)
    batchprep.settle(calls[OURS].func, table, run.scale.patience)
    (stage,) = calls[OURS].func.report().stages
    samples = interleaved(calls, run.scale.text_effort)
    # The loop is slow, and its dicts fill the memory: the run that gave the answers is its time.
    samples[ROW_LOOP] = Samples([once])
    return {
        **case,
        "backend": stage.backend,
        "deviations": sum(stage.deviations.values()),
        "times": {name: _times(samples, name) for name in TITLES},
    }


def looped(task: Task, table: pa.Table) -> tuple[float, pa.Table]:
    """Seconds that the row loop takes over dicts that exist already, and its answer."""
    seconds, parts = 0.0, []
    for start in range(0, table.num_rows, LOOP_ROWS):
        records = table.slice(start, LOOP_ROWS).to_pylist()
        answer: list[dict[str, Any]] = []
        seconds += seconds_of(partial(_loop, task, records, answer))
        parts.append(pa.Table.from_pylist(answer, task.gives))
    return seconds, pa.concat_tables(parts).combine_chunks()


def _loop(task: Task, records: list[dict[str, Any]], answer: list[dict[str, Any]]) -> None:
    function = task.function
    answer[:] = [function(r) for r in records]


def check(name: str, answer: Any, expected: pa.Table) -> None:
    """That an answer has the row loop's columns and values.

    Errors:  WrongAnswerError if it has not; another type of whole number or text is an error of
             ours only
    """
    got = table_of(answer)
    if got.column_names != expected.column_names or got.num_rows != expected.num_rows:
        raise WrongAnswerError(name, f"columns {got.column_names} of {got.num_rows:,} rows")
    for key in expected.column_names:
        column, wanted = got[key], expected[key]
        if name == OURS and column.type != wanted.type:
            raise WrongAnswerError(name, f"{key} is {column.type} instead of {wanted.type}")
        if column.cast(wanted.type).combine_chunks() != wanted.combine_chunks():
            raise WrongAnswerError(name, f"{key} differs from the row loop's")


def table_of(answer: Any) -> pa.Table:
    """The answer as an Arrow table."""
    if isinstance(answer, pa.Table):
        return answer
    if hasattr(answer, "to_arrow"):  # polars
        return answer.to_arrow()
    return pa.Table.from_pandas(answer, preserve_index=False)


def _times(samples: dict[str, Samples], name: str) -> dict[str, Any]:
    mine, ours = samples[name], samples[OURS]
    return {
        "median_seconds": mine.median,
        "ratio": mine.median / ours.median,
        "samples": len(mine.seconds),
    }
