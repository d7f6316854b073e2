"""Strings and times: the row functions that a user would write, and everyone from Arrow."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from benchmarks import agreement, contest
from benchmarks.agreement import Rounding
from benchmarks.aims import Aim, at_least, ratio_of
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.looped import looped
from benchmarks.suite import Case, Run, skipped

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

TITLE: Final = "Strings and times, from Arrow"
SEED: Final = 20_130_103
EUROPE: Final = frozenset({"DE", "FR", "IT", "NO"})
COUNTRIES: Final = ("DE", "FR", "IT", "JP", "NO", "US", "XX")
TIERS: Final = {"free": 0, "plus": 1, "team": 2, "enterprise": 3}
PLANS: Final = ("free", "plus", "team", "enterprise", "trial")
PREFIX: Final = "zoë"
FIRST_NAMES: Final = ("Zoë", "ANNA", "Günther", "Li", "olga", "Pierre", "Marta", "JOHN")
START: Final = dt.datetime(2020, 1, 1)  # noqa: DTZ001  the task is on naive times
DAY: Final = dt.timedelta(days=1)
SATURDAY: Final = 5
SECONDS: Final = 4 * 365 * 86_400  # that the times span

Record = dict[str, Any]


def tagged(r: Record) -> Record:
    name = r["name"].strip().lower()
    return {
        "european": r["country"] in EUROPE,
        "tier": TIERS.get(r["plan"], -1),
        "known": name.startswith(PREFIX),
        "label": r["country"] + "/" + name,
    }


def dated(r: Record) -> Record:
    at = r["at"]
    weekday = at.weekday()
    return {
        "hour": at.hour,
        "weekday": weekday,
        "weekend": weekday >= SATURDAY,
        "days": (at - START).days,
        "month_end": (at + DAY).month != at.month,
    }


@dataclass(frozen=True)
class Task:
    """What runs, over which columns, and the columns that it gives."""

    name: str
    title: str
    function: Callable[[Record], Record]
    table: Callable[[int], pa.Table]
    gives: pa.Schema


def names(rows: int, distinct: int) -> pa.Table:
    """Rows of a country, a plan and a name, the same on every machine."""
    draw = np.random.default_rng(SEED)
    people = np.array([_name(number) for number in range(distinct)], object)
    order = draw.permutation(np.arange(rows) % distinct)
    columns = {
        "country": np.array(COUNTRIES, object)[draw.integers(0, len(COUNTRIES), rows)],
        "plan": np.array(PLANS, object)[draw.integers(0, len(PLANS), rows)],
        "name": people[order],
    }
    return pa.table({key: pa.array(found, pa.string()) for key, found in columns.items()})


def _name(number: int) -> str:
    return f"  {FIRST_NAMES[number % len(FIRST_NAMES)]} {number} "


def times(rows: int) -> pa.Table:
    """Rows of a naive time to the second, none before START."""
    draw = np.random.default_rng(SEED)
    ticks = np.datetime64(START, "us") + draw.integers(0, SECONDS, rows) * np.timedelta64(1, "s")
    return pa.table({"at": pa.array(ticks, pa.timestamp("us"))})


TAGGED: Final = pa.schema(
    [
        ("european", pa.bool_()),
        ("tier", pa.int64()),
        ("known", pa.bool_()),
        ("label", pa.string()),
    ]
)
DATED: Final = pa.schema(
    [
        ("hour", pa.int64()),
        ("weekday", pa.int64()),
        ("weekend", pa.bool_()),
        ("days", pa.int64()),
        ("month_end", pa.bool_()),
    ]
)
FEW: Final = 200
TASKS: Final = (
    Task("few", "200 distinct names", tagged, lambda rows: names(rows, FEW), TAGGED),
    Task("many", "each name twice", tagged, lambda rows: names(rows, rows // 2), TAGGED),
    Task("times", "times", dated, times, DATED),
)
WORDS: Final = {task.name: task.title for task in TASKS}
CONTESTANTS: Final = Contestants()
Answer = Callable[[pa.Table], Any]


def measure(run: Run) -> list[Case]:
    """Medians per task and size; every answer is compared with the row loop's before timing."""
    sizes = run.sizes(full=(2_000_000,), quick=(20_000,))
    return [_case(run, task, rows) for rows in sizes for task in TASKS]


def _case(run: Run, task: Task, rows: int) -> Case:
    labels = {"texts": task.name}
    if run.over:
        return skipped(labels, rows)
    run.say(f"{task.title}, {rows:,} rows")
    table = task.table(rows)
    once, expected = looped(task.function, table, task.gives)
    return contest.hold(
        run,
        CONTESTANTS,
        task,
        {"arrow": table},
        partial(check, expected),
        labels=labels,
        rows=rows,
        # The loop is slow, and its dicts fill the memory: the run that gave the answers counts.
        once=once,
        moved=table.nbytes + expected.nbytes,
        effort=run.scale.slow_effort,
    )


def check(expected: pa.Table, name: str, answer: Any) -> Rounding:
    """That an answer has the row loop's columns and values, and ours its types, too."""
    return agreement.compared(name, answer, expected, same_types=name == OURS)


def aims(cases: list[Case]) -> Iterator[Aim]:
    """Ahead of the best of the others by half, and of the loop."""
    for case in cases:
        if not case["times"]:
            continue
        who = f"{WORDS[case['labels']['texts']]}, {case['rows']:,} rows"
        others = [name for name in case["times"] if name not in {OURS, ROW_LOOP}]
        best = min(others, key=lambda name: ratio_of(case, name))
        yield at_least(who, CONTESTANTS[best].title, ratio_of(case, best), 1.5)
        yield at_least(who, "the row loop", ratio_of(case, ROW_LOOP), 1.0)


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep", settles=True, exact=True)
def _batchprep(task: Task) -> Answer:
    import batchprep as bp

    return bp.vectorize(task.function)


@CONTESTANTS.enter(ROW_LOOP, "row loop", most_rows=0)
def _row_loop(task: Task) -> Callable[[list[Record]], list[Record]]:
    return lambda records: [task.function(r) for r in records]


@CONTESTANTS.enter("pandas", "pandas")
def _pandas(task: Task) -> Answer:
    import pandas as pd  # noqa: F401  to_pandas would import it at the first call

    evaluate = _pandas_names if task.function is tagged else _pandas_times
    return lambda table: evaluate(table.to_pandas())


def _pandas_names(frame: pd.DataFrame) -> pd.DataFrame:
    name = frame["name"].str.strip().str.lower()
    return frame.assign(
        european=frame["country"].isin(list(EUROPE)),
        tier=frame["plan"].map(TIERS).fillna(-1).astype("int64"),
        known=name.str.startswith(PREFIX),
        label=frame["country"] + "/" + name,
    )[["european", "tier", "known", "label"]]


def _pandas_times(frame: pd.DataFrame) -> pd.DataFrame:
    at = frame["at"].dt
    weekday = at.day_of_week
    return frame.assign(
        hour=at.hour,
        weekday=weekday,
        weekend=weekday >= SATURDAY,
        days=(frame["at"] - START).dt.days,
        month_end=at.is_month_end,
    )[["hour", "weekday", "weekend", "days", "month_end"]]


@CONTESTANTS.enter("polars", "polars")
def _polars(task: Task) -> Answer:
    import polars as pl

    columns = _polars_names() if task.function is tagged else _polars_times()

    def run(table: pa.Table) -> pl.DataFrame:
        frame = pl.from_arrow(table)
        assert isinstance(frame, pl.DataFrame)
        return frame.lazy().select(**columns).collect(engine="streaming")

    return run


def _polars_names() -> dict[str, pl.Expr]:
    import polars as pl

    name = pl.col("name").str.strip_chars().str.to_lowercase()
    return {
        "european": pl.col("country").is_in(list(EUROPE)),
        "tier": pl.col("plan").replace_strict(TIERS, default=-1),
        "known": name.str.starts_with(PREFIX),
        "label": pl.col("country") + "/" + name,
    }


def _polars_times() -> dict[str, pl.Expr]:
    import polars as pl

    at = pl.col("at")
    weekday = at.dt.weekday() - 1
    return {
        "hour": at.dt.hour(),
        "weekday": weekday,
        "weekend": weekday >= SATURDAY,
        "days": (at - START).dt.total_days(),
        "month_end": at.dt.offset_by("1d").dt.month() != at.dt.month(),
    }


@CONTESTANTS.enter("duckdb", "DuckDB")
def _duckdb(task: Task) -> Answer:
    import duckdb

    columns = _sql_names() if task.function is tagged else _sql_times()
    query = f"select {columns} from given"
    connection = duckdb.connect()

    def run(table: pa.Table) -> pa.Table:
        connection.register("given", table)
        return connection.sql(query).to_arrow_table()

    return run


def _sql_names() -> str:
    european = ", ".join(f"'{country}'" for country in sorted(EUROPE))
    tiers = " ".join(f"when '{plan}' then {tier}" for plan, tier in TIERS.items())
    name = "lower(trim(name))"
    return (
        f"country in ({european}) as european, case plan {tiers} else -1 end as tier, "
        f"starts_with({name}, '{PREFIX}') as known, country || '/' || {name} as label"
    )


def _sql_times() -> str:
    weekday = 'isodow("at") - 1'
    return (
        f'hour("at") as hour, {weekday} as weekday, {weekday} >= {SATURDAY} as weekend, '
        f"date_diff('day', timestamp '{START}', \"at\") as days, "
        'day("at") = day(last_day("at")) as month_end'
    )


@CONTESTANTS.enter("pyarrow", "pyarrow")
def _pyarrow(task: Task) -> Answer:
    import pyarrow.compute as pc  # noqa: F401  its functions are made at the first import

    return _arrow_names if task.function is tagged else _arrow_times


def _arrow_names(table: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    name = pc.utf8_lower(pc.utf8_trim_whitespace(table["name"]))
    place = pc.index_in(table["plan"], pa.array(list(TIERS)))
    tier = pc.take(pa.array(TIERS.values(), pa.int64()), place)
    return pa.table(
        {
            "european": pc.is_in(table["country"], pa.array(list(EUROPE))),
            "tier": pc.fill_null(tier, -1),
            "known": pc.starts_with(name, PREFIX),
            "label": pc.binary_join_element_wise(table["country"], name, "/"),
        }
    )


def _arrow_times(table: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    at = table["at"]
    weekday = pc.day_of_week(at)
    start, day = pa.scalar(START, pa.timestamp("us")), pa.scalar(DAY, pa.duration("us"))
    return pa.table(
        {
            "hour": pc.hour(at),
            "weekday": weekday,
            "weekend": pc.greater_equal(weekday, SATURDAY),
            "days": pc.days_between(start, at),
            "month_end": pc.not_equal(pc.month(pc.add(at, day)), pc.month(at)),
        }
    )
