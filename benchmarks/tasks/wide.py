"""Eight columns in, a dict of eight features out: ratios, logarithms, a root, a clip, z-scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from benchmarks import agreement, contest
from benchmarks.agreement import Rounding
from benchmarks.aims import Aim, at_least, at_most, ratio_of
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.looped import looped
from benchmarks.suite import Case, Run, skipped
from benchmarks.threaded import threaded
from benchmarks.trades import bitmaps, values

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

TITLE: Final = "Eight columns to eight features, from Arrow"
SEED: Final = 20_130_104
NULL_SHARE: Final = 0.05
MEAN_AGE, STD_AGE = 38.5, 12.25
MOST_DISCOUNT: Final = 0.9
FAST: Final = "batchprep_fast"
# Where a NaN of a container without nulls is a None of the loop, roundings add up over operations.
MOST_ULP: Final = 8
CONTESTANTS: Final = Contestants()
Record = dict[str, Any]
Answer = Callable[[pa.Table], Any]


def features(r: Record) -> Record:
    value = r["price"] * r["volume"]
    cost, age = r["cost"], r["age"]
    return {
        "log_value": math.log1p(value),
        "log_clicks": math.log1p(r["clicks"]),
        "margin": None if cost is None else (r["price"] - cost) / r["price"],
        "rate": r["clicks"] / r["views"] if r["views"] > 0 else 0.0,
        "root": math.sqrt(value),
        "discount": min(max(r["discount"], 0.0), MOST_DISCOUNT),
        "age_z": None if age is None else (age - MEAN_AGE) / STD_AGE,
        "sold_out": r["volume"] >= r["stock"],
    }


GIVES: Final = pa.schema(
    [
        *((name, pa.float64()) for name in ("log_value", "log_clicks", "margin", "rate")),
        *((name, pa.float64()) for name in ("root", "discount", "age_z")),
        ("sold_out", pa.bool_()),
    ]
)
FLOATS: Final = ("price", "cost", "discount", "age")
INTS: Final = ("volume", "clicks", "views", "stock")
NULLABLE: Final = ("cost", "age")


def table(rows: int) -> pa.Table:
    """Four columns of floats, two with nulls, and four of whole numbers: the same everywhere."""
    draw = np.random.default_rng(SEED)
    columns = {
        "price": np.round(draw.lognormal(4.0, 1.0, rows), 2) + 0.01,
        "cost": np.round(draw.lognormal(3.5, 1.0, rows), 2),
        "discount": draw.normal(0.3, 0.4, rows),
        "age": np.round(draw.normal(MEAN_AGE, STD_AGE, rows), 1),
        "volume": draw.integers(1, 2_000, rows),
        "clicks": draw.integers(0, 500, rows),
        "views": draw.integers(0, 5_000, rows),
        "stock": draw.integers(1, 20_000, rows),
    }
    masks = {name: draw.random(rows) < NULL_SHARE for name in NULLABLE}
    return pa.table({name: pa.array(c, mask=masks.get(name)) for name, c in columns.items()})


def measure(run: Run) -> list[Case]:
    """Medians per size; exact and fast arithmetic stand side by side."""
    sizes = run.sizes(full=(100_000, 5_000_000), quick=(20_000,))
    return [_case(run, rows) for rows in sizes]


def _case(run: Run, rows: int) -> Case:
    if run.over:
        return skipped({}, rows)
    run.say(f"wide, {rows:,} rows: the row loop")
    given = table(rows)
    once, expected = looped(features, given, GIVES)
    run.say(f"wide, {rows:,} rows")
    return contest.hold(
        run,
        CONTESTANTS,
        None,
        {"arrow": given},
        partial(check, expected),
        labels={},
        rows=rows,
        once=once,
        moved=given.nbytes + expected.nbytes,
    )


def check(expected: pa.Table, name: str, answer: Any) -> Rounding:
    """How far the features are from the row loop's."""
    same_types = name in {OURS, FAST}
    return agreement.compared(name, answer, expected, same_types=same_types, most_ulp=MOST_ULP)


def aims(cases: list[Case]) -> Iterator[Aim]:
    """Exact ahead of NumPy, fast near the loops written by hand."""
    for case in cases:
        if case["times"] and case["rows"] == 5_000_000:
            yield at_least("wide, exact", "NumPy", ratio_of(case, "numpy"), 1.0)
            behind = ratio_of(case, FAST, to="by_hand")
            yield at_most("wide, fast, times the loops by hand", behind, 1.3)


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep", container="Arrow table", settles=True, exact=True)
def _batchprep(_task: None) -> Answer:
    import batchprep as bp

    return bp.vectorize(features)


@CONTESTANTS.enter(FAST, 'batchprep, math="fast"', container="Arrow table", settles=True)
def _batchprep_fast(_task: None) -> Answer:
    import batchprep as bp

    return bp.vectorize(features, math="fast")


@CONTESTANTS.enter(ROW_LOOP, "row loop", most_rows=0, container="list, from dicts that exist")
def _row_loop(_task: None) -> Callable[[list[Record]], list[Record]]:
    return lambda records: [features(r) for r in records]


@CONTESTANTS.enter("numpy", "NumPy", container="arrays, NaN for None")
def _numpy(_task: None) -> Answer:
    def run(given: pa.Table) -> dict[str, np.ndarray]:
        column = {name: given[name].to_numpy() for name in given.column_names}
        price, clicks, views = column["price"], column["clicks"], column["views"]
        value = price * column["volume"]
        rate = np.divide(clicks, views, where=views > 0, out=np.zeros(len(views)))
        return {
            "log_value": np.log1p(value),
            "log_clicks": np.log1p(clicks),
            "margin": (price - column["cost"]) / price,
            "rate": rate,
            "root": np.sqrt(value),
            "discount": np.clip(column["discount"], 0.0, MOST_DISCOUNT),
            "age_z": (column["age"] - MEAN_AGE) / STD_AGE,
            "sold_out": column["volume"] >= column["stock"],
        }

    return run


@CONTESTANTS.enter("pandas", "pandas", container="DataFrame")
def _pandas(_task: None) -> Answer:
    import pandas as pd

    def run(given: pa.Table) -> pd.DataFrame:
        frame = given.to_pandas()
        value = frame["price"] * frame["volume"]
        rate = (frame["clicks"] / frame["views"]).where(frame["views"] > 0, 0.0)
        return pd.DataFrame(
            {
                "log_value": np.log1p(value),
                "log_clicks": np.log1p(frame["clicks"]),
                "margin": (frame["price"] - frame["cost"]) / frame["price"],
                "rate": rate,
                "root": np.sqrt(value),
                "discount": frame["discount"].clip(0.0, MOST_DISCOUNT),
                "age_z": (frame["age"] - MEAN_AGE) / STD_AGE,
                "sold_out": frame["volume"] >= frame["stock"],
            }
        )

    return run


@CONTESTANTS.enter("polars", "polars", container="DataFrame")
def _polars(_task: None) -> Answer:
    """Lazy expressions on the streaming engine."""
    import polars as pl

    col = pl.col
    value = col("price") * col("volume")
    columns = {
        "log_value": value.log1p(),
        "log_clicks": col("clicks").log1p(),
        "margin": (col("price") - col("cost")) / col("price"),
        "rate": pl.when(col("views") > 0).then(col("clicks") / col("views")).otherwise(0.0),
        "root": value.sqrt(),
        "discount": col("discount").clip(0.0, MOST_DISCOUNT),
        "age_z": (col("age") - MEAN_AGE) / STD_AGE,
        "sold_out": col("volume") >= col("stock"),
    }

    def run(given: pa.Table) -> pl.DataFrame:
        frame = pl.from_arrow(given)
        assert isinstance(frame, pl.DataFrame)
        return frame.lazy().select(**columns).collect(engine="streaming")

    return run


@CONTESTANTS.enter("duckdb", "DuckDB", container="Arrow table")
def _duckdb(_task: None) -> Answer:
    import duckdb

    # It has no log1p: at these values ln(1 + x) is as good to a few last bits.
    query = (
        "select ln(1 + price * volume) as log_value, ln(1 + clicks) as log_clicks, "
        "(price - cost) / price as margin, "
        "case when views > 0 then clicks / views else 0.0 end as rate, "
        "sqrt(price * volume) as root, "
        f"least(greatest(discount, 0.0::double), {MOST_DISCOUNT}::double) as discount, "
        f"(age - {MEAN_AGE}) / {STD_AGE} as age_z, volume >= stock as sold_out from given"
    )
    connection = duckdb.connect()

    def run(given: pa.Table) -> pa.Table:
        connection.register("given", given)
        return connection.sql(query).to_arrow_table()

    return run


@CONTESTANTS.enter("pyarrow", "pyarrow", container="Arrow table")
def _pyarrow(_task: None) -> Answer:
    import pyarrow.compute as pc

    def run(given: pa.Table) -> pa.Table:
        price, clicks, views = given["price"], given["clicks"], given["views"]
        value = pc.multiply(price, given["volume"])
        quotient = pc.divide(pc.cast(clicks, pa.float64()), pc.cast(views, pa.float64()))
        clipped = pc.min_element_wise(pc.max_element_wise(given["discount"], 0.0), MOST_DISCOUNT)
        return pa.table(
            {
                "log_value": pc.log1p(value),
                "log_clicks": pc.log1p(clicks),
                "margin": pc.divide(pc.subtract(price, given["cost"]), price),
                "rate": pc.if_else(pc.greater(views, 0), quotient, 0.0),
                "root": pc.sqrt(value),
                "discount": clipped,
                "age_z": pc.divide(pc.subtract(given["age"], MEAN_AGE), STD_AGE),
                "sold_out": pc.greater_equal(given["volume"], given["stock"]),
            }
        )

    return run


@CONTESTANTS.enter("numexpr", "numexpr", container="arrays, NaN for None")
def _numexpr(_task: None) -> Answer:
    import numexpr

    formulas = {
        "log_value": "log1p(price * volume)",
        "log_clicks": "log1p(clicks)",
        "margin": "(price - cost) / price",
        "rate": "where(views > 0, clicks / (1.0 * views), 0.0)",
        "root": "sqrt(price * volume)",
        "discount": f"where(discount < 0, 0.0, where(discount > {MOST_DISCOUNT}, "
        f"{MOST_DISCOUNT}, discount))",
        "age_z": f"(age - {MEAN_AGE}) / {STD_AGE}",
        "sold_out": "volume >= stock",
    }

    def run(given: pa.Table) -> dict[str, np.ndarray]:
        columns = {name: given[name].to_numpy() for name in given.column_names}
        return {name: numexpr.evaluate(text, columns) for name, text in formulas.items()}

    return run


@CONTESTANTS.enter(
    "by_hand", "numba by hand", container="arrays, NaN for None, reused by the next call"
)
def _by_hand(_task: None) -> Answer:
    return by_hand()


def by_hand(threads: int | None = None) -> Answer:
    """The limit: a loop for each feature in blocks, a log1p that vectorises, buffers that stay."""
    from benchmarks.loops import wide as loops

    outputs = {field.name: field.type.to_pandas_dtype() for field in GIVES}
    run = threaded(loops.features, outputs, threads)
    names = (*FLOATS, *INTS)
    return lambda given: run(*values(given, names), *bitmaps(given, NULLABLE))
