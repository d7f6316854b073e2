"""The demo's row functions over real flights, which have strings and missing values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from benchmarks import contest
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.suite import Case, Run, skipped

TITLE: Final = "Real flights, with strings and missing values"
FUNCTIONS: Final = ("gained", "delay_band", "features")
FORMS: Final = ("records", "arrow")
WORDS: Final = {"arrow": "Arrow", "records": "dicts"}
CONTESTANTS: Final = Contestants()
Record = dict[str, Any]
Function = Callable[[Record], Any]


def measure(run: Run) -> list[Case]:
    """Per function and form: the loop over dicts, and batchprep."""
    from batchprep.cli import row_functions
    from batchprep.cli.records import flights

    run.say("flights: making records")
    (rows,) = run.sizes(full=(1_000_000,), quick=(10_000,))
    table = flights(rows)  # at most as many as there are
    data = {"records": table.to_pylist(), "arrow": table}
    functions = [getattr(row_functions, name) for name in FUNCTIONS]
    return [_case(run, function, form, data) for function in functions for form in FORMS]


def _case(run: Run, function: Function, form: str, data: dict[str, Any]) -> Case:
    labels = {"function": function.__name__, "from": form}
    rows = len(data["records"])
    if run.over:
        return skipped(labels, rows)
    run.say(f"flights: {function.__name__} from {form}")
    check = partial(_check, [function(r) for r in data["records"]])
    return contest.hold(
        run, CONTESTANTS, function, data, check, labels=labels, rows=rows, form=form
    )


def _check(expected: list[Any], name: str, answer: Any) -> Rounding:
    from batchprep.cli.trial import count_differing

    differing = count_differing(
        answer if isinstance(answer, list) else answer.to_pylist(), expected
    )
    if differing:
        raise WrongAnswerError(name, f"{differing:,} rows differ from the row loop's")
    return Rounding()


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep", settles=True)
def _batchprep(function: Function) -> Callable[[Any], Any]:
    import batchprep as bp

    return bp.vectorize(function)


@CONTESTANTS.enter(ROW_LOOP, "row loop", given="records")
def _row_loop(function: Function) -> Callable[[list[Record]], list[Any]]:
    return lambda records: [function(r) for r in records]
