"""The tasks on strings and on times, as the row functions that a user would write."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

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
TITLES: Final = {task.name: task.title for task in TASKS}
