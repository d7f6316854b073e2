"""Who takes part in the tasks on strings and times: each turns an Arrow table into its own.

A peer is task -> (Arrow table -> answer). What it imports or connects to happens in the first
call, not when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from benchmarks.texts_tasks import DAY, EUROPE, PREFIX, SATURDAY, START, TIERS, Task, tagged

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Call = Callable[[pa.Table], Any]


def _batchprep(task: Task) -> Call:
    import batchprep as bp

    return bp.vectorize(task.function)


def _pandas(task: Task) -> Call:
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


def _polars(task: Task) -> Call:
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


def _duckdb(task: Task) -> Call:
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


def _pyarrow(task: Task) -> Call:
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


OURS: Final = "batchprep"
ROW_LOOP: Final = "row_loop"
PEERS: Final[dict[str, tuple[str, Callable[[Task], Call]]]] = {
    OURS: ("batchprep", _batchprep),
    "pandas": ("pandas", _pandas),
    "polars": ("polars", _polars),
    "duckdb": ("DuckDB", _duckdb),
    "pyarrow": ("pyarrow", _pyarrow),
}
# The loop is no peer: it runs over dicts, and its answer is what the others' are compared with.
TITLES: Final = {
    OURS: "batchprep",
    ROW_LOOP: "row loop",
    **{name: title for name, (title, _) in PEERS.items() if name != OURS},
}
