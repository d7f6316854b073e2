"""Random lists, dicts and dates: ragged, empty, with None inside, at the edges of the calendar."""

# ruff: noqa: DTZ001, DTZ901  most times in data have no zone

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from random import Random
from typing import Any

KINDS = frozenset({"ints", "strs", "dicts", "dict", "date", "datetime", "timedelta"})

LETTERS = ("a", "b", "red", "", "ß", "x,y", "A", "12")
INTS = (0, 1, 2, 3, -1, 7, 12, 100, -50)
WIDE_INTS = (2**53 + 1, 2**62, -(2**63), 2**31)
CITIES = ("Bergen", "", "Łódź", "York")
DATES = (
    date(2024, 2, 29), date(2023, 2, 28), date(1969, 12, 31), date(1970, 1, 1), date(2024, 12, 31),
    date(2000, 1, 3), date(1900, 3, 1),
)  # fmt: skip
EDGE_DATES = (date.min, date.max, date(9999, 1, 1), date(1, 12, 31), date(4, 2, 29))
TIMES = (
    datetime(2024, 2, 29, 23, 59, 59, 999999), datetime(1969, 12, 31, 23, 59, 59, 1),
    datetime(1970, 1, 1), datetime(2024, 7, 1, 6, 30), datetime(1999, 12, 31, 12, 0, 0, 500000),
)  # fmt: skip
EDGE_TIMES = (datetime.min, datetime.max, datetime(1, 1, 1, 0, 0, 0, 1), datetime(9999, 12, 31))
AWARE = (
    datetime(2024, 2, 29, 12, tzinfo=UTC),
    datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=2))),
)
WAITS = (
    timedelta(0), timedelta(days=1), timedelta(days=-1, microseconds=1), timedelta(hours=49),
    timedelta(seconds=-90), timedelta(microseconds=-1), timedelta(milliseconds=1500),
)  # fmt: skip
EDGE_WAITS = (timedelta.max, timedelta.min, timedelta(days=365 * 9000), timedelta(days=-999999999))
STRAYS: dict[str, tuple[Any, ...]] = {
    "ints": ([1, None], [1, 2.5], (1, 2), [True, "x"], "12", 3, [2**64], [[1]]),
    "strs": (["a", None], ["a", 1], ("a", "b"), "red", [b"x"], {"a": 1}, [["a"]]),
    "dicts": (
        [None], [{}], [{"k": "a"}], [{"k": None, "n": None}], [{"n": "3", "k": 1}], {"k": "a"},
        [{"k": "b", "n": 2.5, "more": [1]}], ["a"], ({"k": "a", "n": 1},),
    ),
    "dict": (
        {}, {"name": "a"}, {"name": None, "n": None}, {"n": 1, "name": "b"}, {1: "x"}, ["name"],
        {"name": 7, "n": "7", "place": None}, {"name": "a", "n": 1, "place": {}, "new": 1}, "name",
    ),
    "date": (*AWARE, TIMES[0], "2024-02-29", 20240229),
    "datetime": (*AWARE, DATES[0], "2024-02-29 12:00", 1.5),
    "timedelta": (60, "1 day", 0.5, TIMES[0]),
}  # fmt: skip


def nested_value(random: Random, kind: str, reach: str) -> Any:
    """A value of the kind, made anew; of a stray kind, one that is nearly right."""
    main = kind.removeprefix("stray ")
    if kind != main:
        return _copy(random.choice(STRAYS[main]))
    is_edge = reach == "wide" and random.random() < 0.3
    match main:
        case "ints":
            pool = INTS + WIDE_INTS if is_edge else INTS
            return [random.choice(pool) for _ in range(random.randrange(6))]
        case "strs":
            return [random.choice(LETTERS) for _ in range(random.randrange(5))]
        case "dicts":
            return [_item(random) for _ in range(random.randrange(4))]
        case "dict":
            return {**_named(random), "place": {"city": random.choice(CITIES)}}
        case "date":
            return random.choice(EDGE_DATES if is_edge else DATES)
        case "datetime":
            return random.choice(EDGE_TIMES if is_edge else TIMES)
    return random.choice(EDGE_WAITS if is_edge else WAITS)


def _item(random: Random) -> dict[str, Any]:
    return {"k": random.choice(LETTERS), "n": random.choice(INTS)}


def _named(random: Random) -> dict[str, Any]:
    return {"name": random.choice(LETTERS), "n": random.choice(INTS)}


def _copy(value: Any) -> Any:
    """The value with new lists and dicts: rows share none."""
    if isinstance(value, dict):
        return {key: _copy(part) for key, part in value.items()}
    return type(value)(map(_copy, value)) if isinstance(value, (list, tuple)) else value
