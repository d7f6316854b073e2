"""The article's task: price x volume, and its root above 50,000, as a user would write it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal

from benchmarks import agreement, contest
from benchmarks.aims import Aim, at_least, ratio_of
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.suite import Case, Run, skipped
from benchmarks.threaded import threaded
from benchmarks.timing import seconds_of
from benchmarks.trades import as_records, bitmaps, trades, values

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

TITLE: Final = "price x volume > 50,000, then the root"
THRESHOLD: Final = 50_000
FEW: Final = 100_000  # where row by row ends; beyond it the loop runs once, to check the others
FORMS: Final = ("arrow", "records")
VALUE_OR_NAN: Final = "float64 array, NaN for None"
Record = dict[str, Any]
Columns = Callable[[Any], tuple["np.ndarray", "np.ndarray"]]


def sqrt_value(r: Record) -> float | None:
    value = r["price"] * r["volume"]
    if value > THRESHOLD:
        return math.sqrt(value)
    return None


def power_value(r: Record) -> float | None:
    value = r["price"] * r["volume"]
    if value > THRESHOLD:
        return value**0.5  # pow: not sqrt's last bit in 0.08% of values
    return None


def guarded_value(r: Record) -> float | None:
    if r["price"] is not None and r["volume"] is not None:
        value = r["price"] * r["volume"]
        if value > THRESHOLD:
            return math.sqrt(value)
    return None


@dataclass(frozen=True)
class Task:
    """One variant: what runs, over which records, and in which form they come."""

    name: str
    title: str
    function: Callable[[Record], float | None]
    root: Literal["sqrt", "power"]
    null_share: float  # of the prices, and of the volumes
    form: str = "arrow"


SQRT: Final = Task("sqrt", "math.sqrt(value)", sqrt_value, "sqrt", 0.0)
TASKS: Final = (
    SQRT,
    Task("power", "value ** 0.5", power_value, "power", 0.0),
    Task("nulls", "math.sqrt(value), 5% None", guarded_value, "sqrt", 0.05),
)
WORDS: Final = {"arrow": "Arrow", "records": "dicts", **{task.name: task.title for task in TASKS}}
CONTESTANTS: Final = Contestants()


def measure(run: Run) -> list[Case]:
    """Medians per task, form and size; every answer is checked before anything is timed."""
    sizes = run.sizes(full=(1_000, FEW, 10_000_000), quick=(10_000,))
    return [case for rows in sizes for task in TASKS for case in _cases(run, task, rows)]


def _cases(run: Run, task: Task, rows: int) -> Iterator[Case]:
    # Many dicts are slow to make and say of each variant the same.
    forms = FORMS if rows <= FEW or task is SQRT else FORMS[:1]
    if run.over:
        yield from (skipped(_labels(task, form), rows) for form in forms)
        return
    run.say(f"{task.title}, {rows:,} rows: making them")
    table = trades(rows, task.null_share)
    data = {"arrow": table, "records": as_records(table)}
    once, check = expected_of(task, data["records"])
    for form in forms:
        run.say(f"{task.title}, {rows:,} rows, {form}")
        yield contest.hold(
            run,
            CONTESTANTS,
            replace(task, form=form),
            data,
            check,
            labels=_labels(task, form),
            rows=rows,
            form=form,
            once=once,
            moved=bytes_moved(task, rows) if form == "arrow" else None,
        )


def _labels(task: Task, form: str) -> dict[str, str | int]:
    return {"function": task.name, "from": form}


def expected_of(task: Task, records: list[Record]) -> tuple[float, contest.Check]:
    """Seconds that the row loop takes, and the check that an answer is the loop's."""
    loop = partial(_row_loop(task), records)
    answer: list[Any] = []
    once = seconds_of(lambda: answer.append(loop()))
    expected = agreement.answer_of(answer.pop())
    return once, lambda name, got: agreement.rounding(expected, agreement.answer_of(got), name)


def bytes_moved(task: Task, rows: int) -> float:
    """Of two columns and the result, and of their validity bits where there are nulls."""
    return rows * (3 * 8 + (3 if task.null_share else 1) / 8)


def aims(cases: list[Case]) -> Iterator[Aim]:
    """Ahead of the vectorised peers, near the limit, and a warm call of 1,000 rows in 0.1 ms."""
    for case in cases:
        rows, form = case["rows"], case["labels"]["from"]
        if not case["times"]:
            continue
        who = f"{case['labels']['function']} from {WORDS[form]}, {rows:,} rows"
        if form == "records" and rows >= FEW:
            yield at_least(who, "the row loop", ratio_of(case, ROW_LOOP), 3.0)
        if form == "arrow" and rows == 10_000_000:
            for name in ("numpy", "pandas", "numexpr", "pyarrow", "duckdb", "polars"):
                yield at_least(who, CONTESTANTS[name].title, ratio_of(case, name), 1.0)
            yield at_least(who, "numba by hand", ratio_of(case, "by_hand"), 1 / 1.15)
        if form == "arrow" and rows == 1_000:
            seconds = case["times"][OURS]["median_seconds"]
            yield f"{who}: warm call in 0.1 ms ({seconds * 1e3:.3f} ms)", seconds <= 1e-4


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(
    OURS,
    "batchprep",
    container="ChunkedArray from Arrow, list from dicts",
    settles=True,
    exact=True,
)
def _batchprep(task: Task) -> Callable[[Any], Any]:
    import batchprep as bp

    return bp.vectorize(task.function)


@CONTESTANTS.enter(
    ROW_LOOP,
    "row loop",
    # Over dicts that exist already, in either form: the case that favours it most.
    given="records",
    most_rows=FEW,
    container="list, from dicts that exist already",
    exact=True,
)
def _row_loop(task: Task) -> Callable[[list[Record]], list[float | None]]:
    function = task.function
    return lambda rows: [function(row) for row in rows]


@CONTESTANTS.enter("numpy", "NumPy", container=VALUE_OR_NAN)
def _numpy(task: Task) -> Callable[[Any], np.ndarray]:
    import numpy as np

    columns = _columns(task)
    root = np.sqrt if task.root == "sqrt" else lambda value: value**0.5

    def run(data: Any) -> np.ndarray:
        price, volume = columns(data)
        value = price * volume
        return np.where(value > THRESHOLD, root(value), np.nan)

    return run


@CONTESTANTS.enter("pandas", "pandas", container="float64 Series, NaN for None")
def _pandas(task: Task) -> Callable[[Any], pd.Series]:
    import numpy as np

    frame_of = _frames(task)
    root = np.sqrt if task.root == "sqrt" else lambda value: value**0.5

    def run(data: Any) -> pd.Series:
        frame = frame_of(data)
        value = frame["price"] * frame["volume"]
        return root(value.where(value > THRESHOLD))

    return run


@CONTESTANTS.enter("polars", "polars", container="Series")
def _polars(task: Task) -> Callable[[Any], pl.Series]:
    """A lazy expression on the streaming engine."""
    import polars as pl

    value = pl.col("price") * pl.col("volume")
    root = value.sqrt() if task.root == "sqrt" else value**0.5
    expression = pl.when(value > THRESHOLD).then(root)
    frame_of = _polars_frames(task)
    return lambda data: (
        frame_of(data).lazy().select(expression).collect(engine="streaming").to_series()
    )


@CONTESTANTS.enter("duckdb", "DuckDB", container="Arrow table")
def _duckdb(task: Task) -> Callable[[Any], pa.Table]:
    """A query over the Arrow table; dicts have to become one first."""
    import duckdb

    value = "price * volume"
    root = f"sqrt({value})" if task.root == "sqrt" else f"pow({value}, 0.5)"
    query = f"select case when {value} > {THRESHOLD} then {root} end as value from trades"
    connection = duckdb.connect()
    table_of = _tables(task)

    def run(data: Any) -> pa.Table:
        connection.register("trades", table_of(data))
        return connection.sql(query).to_arrow_table()

    return run


@CONTESTANTS.enter("pyarrow", "pyarrow", container="ChunkedArray")
def _pyarrow(task: Task) -> Callable[[Any], pa.ChunkedArray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing = pa.scalar(None, pa.float64())
    root = pc.sqrt if task.root == "sqrt" else lambda value: pc.power(value, 0.5)
    table_of = _tables(task)

    def run(data: Any) -> pa.ChunkedArray:
        table = table_of(data)
        value = pc.multiply(table["price"], table["volume"])
        return pc.if_else(pc.greater(value, THRESHOLD), root(value), nothing)

    return run


@CONTESTANTS.enter("numexpr", "numexpr", container=VALUE_OR_NAN)
def _numexpr(task: Task) -> Callable[[Any], np.ndarray]:
    """The formula in cache-sized blocks over threads."""
    import numexpr

    value = "(price * volume)"
    root = f"sqrt({value})" if task.root == "sqrt" else f"{value} ** 0.5"
    formula = f"where({value} > {THRESHOLD}, {root}, nothing)"
    columns = _columns(task)

    def run(data: Any) -> np.ndarray:
        price, volume = columns(data)
        return numexpr.evaluate(formula, {"price": price, "volume": volume, "nothing": math.nan})

    return run


@CONTESTANTS.enter("by_hand", "numba by hand", container=f"{VALUE_OR_NAN}, reused by the next call")
def _by_hand(task: Task) -> Callable[[Any], np.ndarray]:
    return by_hand(task)


def by_hand(task: Task, threads: int | None = None) -> Callable[[Any], np.ndarray]:
    """The limit: a loop for this task alone, over threads, into a buffer that is kept."""
    import numpy as np

    from benchmarks.loops import article as loops

    loop = loops.roots if task.root == "sqrt" else loops.powers
    columns: Callable[[Any], tuple[Any, ...]] = _columns(task)
    if task.null_share and task.form == "arrow":
        loop = loops.roots_of_valid
        columns = partial(_values_and_bitmaps, ("price", "volume"))
    run = threaded(loop, {"value": np.float64}, threads)
    return lambda data: run(*columns(data))["value"]


@CONTESTANTS.enter(
    "pandas_apply", "pandas.apply", most_rows=FEW, container="float64 Series, NaN for None"
)
def _pandas_apply(task: Task) -> Callable[[Any], pd.Series]:
    frame_of = _frames(task)
    return lambda data: frame_of(data).apply(task.function, axis=1)


@CONTESTANTS.enter("polars_elements", "polars map_elements", most_rows=FEW, container="Series")
def _polars_elements(task: Task) -> Callable[[Any], pl.Series]:
    import polars as pl

    called = pl.struct("price", "volume").map_elements(task.function, return_dtype=pl.Float64)
    frame_of = _polars_frames(task)
    return lambda data: frame_of(data).select(called).to_series()


# ------------------------------------------------------------------- from the form to their columns


def _columns(task: Task) -> Columns:
    """The two columns as arrays: from a table without a copy, or with NaN where there are nulls."""
    import numpy as np

    if task.form == "arrow":
        return lambda table: (table["price"].to_numpy(), table["volume"].to_numpy())
    price, volume = itemgetter("price"), itemgetter("volume")
    if task.null_share:
        # fromiter refuses None, array makes a NaN of it.
        return lambda rows: (
            np.array(list(map(price, rows)), np.float64),
            np.array(list(map(volume, rows)), np.float64),
        )
    return lambda rows: (
        np.fromiter(map(price, rows), np.float64, len(rows)),
        np.fromiter(map(volume, rows), np.int64, len(rows)),
    )


def _values_and_bitmaps(names: tuple[str, ...], table: pa.Table) -> tuple[np.ndarray, ...]:
    return (*values(table, names), *bitmaps(table, names))


def _tables(task: Task) -> Callable[[Any], pa.Table]:
    import pyarrow as pa

    return pa.Table.from_pylist if task.form == "records" else lambda table: table


def _frames(task: Task) -> Callable[[Any], pd.DataFrame]:
    import pandas as pd  # to_pandas would import it at the first call

    return pd.DataFrame if task.form == "records" else lambda table: table.to_pandas()


def _polars_frames(task: Task) -> Callable[[Any], pl.DataFrame]:
    import polars as pl

    if task.form == "arrow":
        return pl.from_arrow
    schema = {"price": pl.Float64, "volume": pl.Int64}
    return lambda rows: pl.DataFrame(rows, schema=schema)
