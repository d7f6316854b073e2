"""The article's task from 10 rows to 10 million, on each backend: does auto choose well?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from benchmarks import contest
from benchmarks.aims import Aim, at_most
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.suite import Case, Run, skipped
from benchmarks.tasks import article
from benchmarks.tasks.article import FORMS, SQRT, Task
from benchmarks.trades import as_records, trades

TITLE: Final = "The root above 50,000 by number of rows, on each backend"
SIZES: Final = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
BACKENDS: Final = ("python", "numpy", "numba")
FIXED: Final = tuple(f"batchprep_{backend}" for backend in BACKENDS)
MOST_PYTHON: Final = 1_000_000
MOST_BEHIND: Final = 1.1
WORDS: Final = article.WORDS
CONTESTANTS: Final = Contestants()


def measure(run: Run) -> list[Case]:
    """Medians per size and form."""
    return [
        case for rows in run.sizes(full=SIZES, quick=(10, 10_000)) for case in _cases(run, rows)
    ]


def _cases(run: Run, rows: int) -> Iterator[Case]:
    if run.over:
        yield from (skipped({"from": form}, rows) for form in FORMS)
        return
    run.say(f"sizes, {rows:,} rows: making them")
    table = trades(rows)
    data = {"arrow": table, "records": as_records(table)}
    once, check = article.expected_of(SQRT, data["records"])
    for form in FORMS:
        run.say(f"sizes, {rows:,} rows, {form}")
        case = contest.hold(
            run,
            CONTESTANTS,
            replace(SQRT, form=form),
            data,
            check,
            labels={"from": form},
            rows=rows,
            form=form,
            once=once,
            moved=article.bytes_moved(SQRT, rows) if form == "arrow" else None,
            effort=run.scale.slow_effort,
        )
        case["notes"]["behind_best"] = behind_best(case)
        yield case


def behind_best(case: Case) -> float:
    """How many times as long as on the best fixed backend auto takes."""
    return 1 / min(case["times"][name]["ratio"] for name in FIXED if name in case["times"])


def aims(cases: list[Case]) -> Iterator[Aim]:
    """At no size more than a tenth behind the best fixed backend."""
    for case in cases:
        if case["times"]:
            who = f"auto from {WORDS[case['labels']['from']]}, {case['rows']:,} rows"
            yield at_most(
                f"{who}, times the best backend", case["notes"]["behind_best"], MOST_BEHIND
            )


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep, auto", settles=True, exact=True)
def _auto(task: Task) -> Callable[[Any], Any]:
    import batchprep as bp

    return bp.vectorize(task.function)


def _on(backend: Any) -> contest.Prepare:
    def prepare(task: Task) -> Callable[[Any], Any]:
        import batchprep as bp

        return bp.vectorize(task.function, backend=backend)

    return prepare


for _backend in BACKENDS:
    _most = MOST_PYTHON if _backend == "python" else None
    _enter = CONTESTANTS.enter(f"batchprep_{_backend}", _backend, most_rows=_most, exact=True)
    _enter(_on(_backend))
for _name in (ROW_LOOP, "numpy", "polars", "by_hand"):
    CONTESTANTS[_name] = article.CONTESTANTS[_name]
