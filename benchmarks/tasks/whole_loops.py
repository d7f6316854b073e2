"""Whole loops over records: sums, groups, extremes, lists, and values carried from row to row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa

from benchmarks import contest
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.contest import OURS, ROW_LOOP, Contestants
from benchmarks.suite import Case, Run, skipped
from benchmarks.trades import trades

TITLE: Final = "Whole loops over records"
SEED: Final = 20_130_103
SHOPS: Final = 200
FORMS: Final = ("records", "arrow")
CONTESTANTS: Final = Contestants()
Record = dict[str, Any]
Loop = Callable[[list[Record]], Any]


def first_dear(records: list[Record]) -> Record | None:
    for r in records:
        if r["price"] > 1e9:
            return r
    return None


def largest(records: list[Record]) -> float | None:
    best = None
    for r in records:
        if best is None or r["price"] > best:
            best = r["price"]
    return best


def turnover(records: list[Record]) -> float:
    total = 0.0
    for r in records:
        if r["volume"] > 10:
            total += r["price"] * r["volume"]
    return total


def count_by_shop(records: list[Record]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for r in records:
        counts[r["shop"]] = counts.get(r["shop"], 0) + 1
    return counts


def sum_by_shop(records: list[Record]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for r in records:
        sums[r["shop"]] = sums.get(r["shop"], 0) + r["price"] * r["volume"]
    return sums


def prices_by_shop(records: list[Record]) -> dict[str, list[float]]:
    prices: dict[str, list[float]] = {}
    for r in records:
        prices.setdefault(r["shop"], []).append(r["price"])
    return prices


def roots(records: list[Record]) -> list[float]:
    found: list[float] = []
    for r in records:
        value = r["price"] * r["volume"]
        if value > 50_000:
            found.append(value**0.5)
    return found


def level(records: list[Record]) -> float:
    found = 0.0
    for r in records:
        found = 0.9 * found + 0.1 * r["price"]
    return found


LOOPS: Final[dict[str, Loop]] = {
    "first": first_dear,
    "largest": largest,
    "sum": turnover,
    "counts": count_by_shop,
    "sums": sum_by_shop,
    "lists": prices_by_shop,
    "roots": roots,
    "level": level,
}
WORDS: Final = {
    "records": "dicts",
    "arrow": "Arrow",
    "first": "first row that matches, none does",
    "largest": "largest value",
    "sum": "sum of what a condition lets through",
    "counts": "count by shop",
    "sums": "sum by shop",
    "lists": "list of prices by shop",
    "roots": "roots above 50,000, in a list",
    "level": "a level of 0.9 and 0.1, from row to row",
}


def measure(run: Run) -> list[Case]:
    """Per loop and form: the loop over dicts that exist already, and batchprep."""
    (rows,) = run.sizes(full=(200_000,), quick=(5_000,))
    table = trades(rows).append_column("shop", _shops(rows))
    data = {"records": table.to_pylist(), "arrow": table}
    return [_case(run, name, form, data) for name in LOOPS for form in FORMS]


def _shops(rows: int) -> pa.Array[Any]:
    names = np.array([f"shop{number}" for number in range(SHOPS)], object)
    return pa.array(names[np.random.default_rng(SEED).integers(0, SHOPS, rows)], pa.string())


def _case(run: Run, name: str, form: str, data: dict[str, Any]) -> Case:
    labels = {"loop": name, "from": form}
    rows = len(data["records"])
    if run.over:
        return skipped(labels, rows)
    run.say(f"loops: {WORDS[name]}, from {WORDS[form]}")
    check = partial(_check, LOOPS[name](data["records"]))
    return contest.hold(
        run, CONTESTANTS, LOOPS[name], data, check, labels=labels, rows=rows, form=form
    )


def _check(expected: Any, name: str, answer: Any) -> Rounding:
    if repr(answer) != repr(expected):  # the order of keys, and each float to the last bit
        raise WrongAnswerError(name, "not the row loop's answer")
    return Rounding()


# ------------------------------------------------------------------------------------- contestants


@CONTESTANTS.enter(OURS, "batchprep", settles=True)
def _batchprep(loop: Loop) -> Callable[[Any], Any]:
    import batchprep as bp

    return bp.vectorize_loop(loop)


@CONTESTANTS.enter(ROW_LOOP, "the loop, dicts that exist already", given="records")
def _row_loop(loop: Loop) -> Loop:
    return loop


@CONTESTANTS.enter("made", "the loop, to_pylist", given="arrow")
def _made(loop: Loop) -> Callable[[Any], Any]:
    return lambda table: loop(table.to_pylist())
