"""The demo's row functions over real flights, which have strings and missing values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import batchprep as bp
from batchprep.cli import row_functions
from batchprep.cli.records import flights
from batchprep.cli.trial import count_differing
from benchmarks.agreement import WrongAnswerError
from benchmarks.peers import batchprep
from benchmarks.suite import Case, Run
from benchmarks.timing import interleaved

if TYPE_CHECKING:
    import pyarrow as pa

FUNCTIONS: Final = (row_functions.gained, row_functions.delay_band, row_functions.features)


def measure(run: Run) -> list[Case]:
    """Per function: the loop over dicts, and batchprep from dicts and from Arrow."""
    run.say("flights: making records")
    table = flights(run.scale.flights)
    records = table.to_pylist()
    return [_case(run, function, table, records) for function in FUNCTIONS]


def _case(
    run: Run, function: Callable[[Any], Any], table: pa.Table, records: list[dict[str, Any]]
) -> Case:
    run.say(f"flights: {function.__name__}")
    compiled = {form: bp.vectorize(function) for form in ("records", "arrow")}
    data = {"records": records, "arrow": table}
    expected = [function(r) for r in records]
    for form, vectorized in compiled.items():
        batchprep.settle(vectorized, data[form], run.scale.patience)
        _check(function.__name__, form, vectorized(data[form]), expected)
    calls: dict[str, Callable[[], Any]] = {"row_loop": lambda: [function(r) for r in records]}
    calls |= {form: partial(vectorized, data[form]) for form, vectorized in compiled.items()}
    medians = {name: found.median for name, found in interleaved(calls, run.scale.effort).items()}
    return {
        "function": function.__name__,
        "rows": len(records),
        "deviations": sum(compiled["arrow"].report().stages[0].deviations.values()),
        **{f"{name}_seconds": seconds for name, seconds in medians.items()},
        "speedup_from_records": medians["row_loop"] / medians["records"],
        "speedup_from_arrow": medians["row_loop"] / medians["arrow"],
    }


def _check(name: str, form: str, result: Any, expected: list[Any]) -> None:
    got = result if isinstance(result, list) else result.to_pylist()
    differing = count_differing(got, expected)
    if differing:
        who = f"{name} from {form}"
        raise WrongAnswerError(who, f"{differing:,} rows differ from the row loop's")
