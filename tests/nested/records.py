"""Records with lists, dicts and lists of dicts, at two levels, the same each time.

plain:  every field is of its own kind, so that the records fit a table
dirty:  lists hold None and strangers, dicts lack keys, fields are None, absent or of other kinds
"""

# ruff: noqa: DTZ001  records hold times of no zone

from __future__ import annotations

import copy
import functools
import random
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal

Level = Literal["plain", "dirty"]
LEVELS: Final[tuple[Level, ...]] = ("plain", "dirty")
ROWS = 36
RAGGED = 0.3  # of the fields of a dirty record, from the pool of values that are nearly right
SPOILED = 0.08  # of the fields of a dirty record, from the misfits

ITEMS = (
    {"sku": "RYE", "qty": 2, "price": 3.25},
    {"sku": "SOUR", "qty": 1, "price": 4.75},
    {"sku": "BUN-6", "qty": 0, "price": 2.0},
    {"sku": "ÉCLAIR", "qty": 12, "price": -0.0},
    {"sku": "", "qty": 3, "price": 1e16},
)
USERS = (
    {"name": "Ida", "age": 31, "address": {"city": "Bergen", "zip": "5003"}},
    {"name": "", "age": 0, "address": {"city": "", "zip": ""}},
    {"name": "Łukasz", "age": 17, "address": {"city": "Łódź", "zip": "90-001"}},
    {"name": "kim", "age": 64, "address": {"city": "York", "zip": "YO1"}},
)

PLAIN: Final[dict[str, tuple[Any, ...]]] = {
    "id": tuple(range(1, 12)),
    "n": (0, 1, 2, 3, 6, 7, 12, 27, 48, 97, -1, -8, 1000, 10**12, 2**53 + 1),
    "m": (0, 1, 2, 3, 4, 5, 6, 8),
    "x": (0.0, -0.0, 1.5, 2.5, -3.25, 1e16, 0.1, float("nan"), float("inf"), 1000.0),
    "b": (True, False),
    "s": ("red", "", "Blue", "k=v", "a,b,c", " padded ", "12", "-7", "3.5", "ß", "nan", "red"),
    "t": ("a", "", "x", "é", "e", "1"),
    "k": ("NO", "PL", "xx", "", "JP", "no"),
    "digits": ("0", "123", "978", "4006381333931", "", "12a", "000", "99999999999999999999"),
    "phrase": ("to be or not", "", "one", "a  b", "the end of the road", "É é ß"),
    "tags": (
        ["gift", "b2b"], [], ["return"], ["gift", "cold", "gift"], ["ß", ""], ["a", "b", "c", "d"],
    ),
    "nums": ([1, 2, 3], [], [5], [4, -4, 0, 4], [10, 9, 8, 7, 6], [2**40, 1], [0, 0]),
    "xs": ([0.5, 1.5], [], [-0.0, 0.0], [1e16, 1.0, -1e16], [0.1, 0.2, 0.3], [float("nan"), 1.0]),
    "gaps": ([1, None, 3], [None], [], [2, 2], [None, None, 5, 0]),
    "items": (
        list(ITEMS[:2]), [], [ITEMS[2]], list(ITEMS[2:]), [ITEMS[0], ITEMS[0], ITEMS[3]],
        list(ITEMS),
    ),
    "grid": ([[1, 2], [3, 4]], [], [[]], [[5], [], [6, 7, 8]], [[0, -1], [2]], [[1, 2, 3]]),
    "pairs": ([["a", "b"]], [], [["x", "1"], ["y", "2"]], [["x", "1"], ["x", "3"]], [["", ""]]),
    "user": USERS,
    "meta": (
        {"a": 1, "b": 2, "c": 3}, {"a": 0, "b": -5, "c": 7}, {"a": 9, "b": 9, "c": 9},
        {"a": -1, "b": 100, "c": 0},
    ),
    "opt": (None, 0, 1, 7, -3, 40),
    "day": (date(2024, 2, 29), date(1969, 12, 31), date(2023, 1, 1), date(9999, 12, 31)),
    "at": (
        datetime(2024, 2, 29, 23, 59, 59, 999999), datetime(1960, 1, 1), datetime(2024, 7, 1, 6),
    ),
    "wait": (timedelta(0), timedelta(days=-1, seconds=5), timedelta(hours=49, microseconds=1)),
}  # fmt: skip

NEARLY: Final[dict[str, tuple[Any, ...]]] = {
    "tags": (None, ["a", None], [None], ("gift", "x"), ["gift", 3], [["gift"]], {"gift", "odd"}),
    "nums": (None, [1, None, 3], [1, 2.5], [True, 2], (1, 2), [2**63, 1], ["4", 2], range(3)),
    "xs": (None, [1, 0.5], [None, 1.0], [float("inf"), float("-inf")], (0.5,), [True]),
    "gaps": (None, [1, "x", None], [None, 2.5]),
    "items": (
        None, [None, ITEMS[0]], [{"sku": "RYE"}], [{"qty": 1, "price": 2}, ITEMS[1]],
        [{"sku": None, "qty": None, "price": None}], (ITEMS[0],), [{}], ["RYE"],
        [{"sku": "RYE", "qty": "2", "price": "3.5"}], ITEMS[0],
    ),
    "grid": (None, [[1, None]], [None], [[1], [2.5]], [1, 2], [["a"], []], ((1,), (2, 3))),
    "pairs": (None, [["a"]], [["a", "b", "c"]], ["xy"], [("k", 1)], [[1, 2]], [None], [[[], 1]]),
    "user": (
        None, {}, {"name": None, "age": None}, {"name": "walk-in"}, {"name": 7, "age": "31"},
        {"name": "Bo", "age": 5, "address": None}, {"name": "Al", "age": 2.5, "address": {}},
        {"name": "Eve", "age": 40, "address": {"city": None, "zip": 5003}, "extra": [1]},
    ),
    "meta": (
        None, {}, {"a": 1}, {"c": 1, "a": 2}, {"a": None, "b": 2}, {1: "x"}, {"a": "x", "b": [1]},
        {"": 0, None: 1}, {"a": 1.5, "b": True, "c": 2**70},
    ),
    "n": (None, True, 2.0, "12", 2**63),
    "m": (None, True, 3.0, "2", -1),
    "x": (None, 3, "1.5", False),
    "s": (None, 12, b"red", ["red"]),
    "digits": (None, 123, "٣٤"),
    "phrase": (None, "\u00a0x y", 7),
    "day": (None, "2024-02-29", datetime(2024, 2, 29, 12)),
    "at": (None, "2024-02-29 06:00", date(2024, 2, 29)),
    "wait": (None, 60, 1.5),
}  # fmt: skip
MISFITS = (None, 0, 7, "text", 2.5, True, [], {}, (1, 2), {"a": 1}, [1], object)
HUGE = {"m": 8}  # elsewhere 2**70: m counts steps, and a loop of so many never ends
ABSENT = object()


@functools.cache
def records(fields: tuple[str, ...], level: Level) -> tuple[dict[str, Any], ...]:
    """Records with these fields that share no list and no dict."""
    chance = random.Random(f"{fields} {level}")
    rows = max(ROWS, *(len(PLAIN[name]) for name in fields))
    columns = [_column(name, rows, chance, level) for name in fields]
    return tuple(
        {
            name: copy.deepcopy(value)
            for name, value in zip(fields, row, strict=True)
            if value is not ABSENT
        }
        for row in zip(*columns, strict=True)
    )


def _column(name: str, rows: int, chance: random.Random, level: Level) -> list[Any]:
    pool = PLAIN[name]
    values = [*pool, *chance.choices(pool, k=rows - len(pool))]
    chance.shuffle(values)
    if level == "plain":
        return values
    nearly = NEARLY.get(name, (None,))
    misfits = (*MISFITS, HUGE.get(name, 2**70), ABSENT, ABSENT)
    spoiled = [_spoiled(value, nearly, misfits, chance) for value in values]
    spoiled[: len(nearly)] = nearly
    chance.shuffle(spoiled)
    return spoiled


def _spoiled(
    value: Any, nearly: tuple[Any, ...], misfits: tuple[Any, ...], chance: random.Random
) -> Any:
    drawn = chance.random()
    if drawn < SPOILED:
        return chance.choice(misfits)
    return chance.choice(nearly) if drawn < SPOILED + RAGGED else value
