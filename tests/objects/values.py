"""Records of objects that no column of numbers or texts holds, at two levels, the same each time.

plain:  every field is of its own kind, so that most of them fit a column of Arrow
dirty:  beside these None, values of other kinds that nearly fit, and absent keys
"""

# ruff: noqa: DTZ001  naive datetimes are data here

from __future__ import annotations

import functools
import random
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from tests.objects.constants import INDIA, NAN, NEW_YORK, OSLO, Color, Level, Tier

Dirt = Literal["plain", "dirty"]
LEVELS: Final[tuple[Dirt, ...]] = ("plain", "dirty")
ROWS = 30
SPOILED = 0.2  # of the fields of a dirty record

PLAIN: Final[dict[str, tuple[Any, ...]]] = {
    "d": tuple(map(Decimal, (
        "0", "1", "1.00", "12.345", "-7.5", "0.005", "2.675", "1000", "999999.99", "0.1", "19.99",
    ))),
    "e": tuple(map(Decimal, ("3", "0.10", "-2", "0", "7.125", "100"))),
    "s": ("12.50", "abc", "", " 3 ", "1e3", "-0", "1_000", "٣", "0.1", "2,5", "NaN", "inf", "1/3"),
    "t": ("a-1 b-2", "", "x", "é-3", "c-9", "A-1", "none at all", "e\u0301-4", "½ Ⅷ"),
    "f": (
        Fraction(1, 3), Fraction(0), Fraction(-7, 2), Fraction(5), Fraction(10**20, 3),
        Fraction(22, 7),
    ),
    "z": (1 + 2j, 0j, complex(-1.5, -0.0), complex("nan"), complex(3, 4)),
    "raw": (b"", b"abc", b"\xff\x00", b"NO", "ß".encode(), b"12", b"a,b,c", b" pad ", b"NO:1"),
    "x": (0.0, -0.0, 1.5, -2.5, 0.1, 1e16, 1e300, NAN, float("inf"), 1000.0, 3.0),
    "y": (1.0, 0.5, -3.0, 0.0, 2.0, 10.0),
    "n": (0, 1, 2, 3, -1, 7, 12, 1000, -8, 2**53 + 1),
    "m": (1, 2, 3, 0, 5, 4),
    "b": (True, False),
    "nf": (*map(np.float64, (0.0, 1.5, -2.5, NAN, 1e16, 4.0)),),
    "ng": (*map(np.float32, (0.1, 1.5, -0.0, 3e38)),),
    "ni": (*map(np.int64, (0, 3, -7, 2**62)),),
    "nb": (np.True_, np.False_),
    "k": ("NO", "PL", "XX", "", "IE", "no"),
    "name": ("RED", "BLUE", "GREEN", "red", ""),
    "lvl": (1, 3, 7, 2, 0),
    "tier": ("gold", "silver", "tin"),
    "op": ("add", "mul", "pow"),
    "mixed": (1, 2, 0, 5, -1),
    "color": (Color.RED, Color.BLUE, Color.GREEN),
    "level": (Level.LOW, Level.HIGH, Level.MIDDLE),
    "rank": (Tier.GOLD, Tier.SILVER),
    "at": (
        datetime(2024, 2, 29, 23, 59, 59, 999999, OSLO),
        datetime(2024, 10, 27, 2, 30, tzinfo=OSLO),
        datetime(2024, 10, 27, 2, 30, tzinfo=OSLO, fold=1),
        datetime(2024, 7, 1, 6, tzinfo=OSLO), datetime(1969, 12, 31, 23, tzinfo=OSLO),
        datetime(2024, 1, 15, 12, 0, 0, 5, OSLO),
    ),
    "when": (
        datetime(2024, 3, 10, 3, 30, tzinfo=NEW_YORK), datetime(2024, 3, 10, 8, tzinfo=UTC),
        datetime(2024, 11, 3, 1, 30, tzinfo=NEW_YORK, fold=1), datetime(1, 1, 1, tzinfo=UTC),
        datetime(2024, 7, 1, 6, tzinfo=INDIA), datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
        datetime(2024, 3, 31, 2, 30, tzinfo=OSLO), datetime(2024, 7, 1, 6, tzinfo=OSLO),
    ),
    "naive": (
        datetime(2024, 3, 31, 2, 30), datetime(2024, 10, 27, 2, 30), datetime(1960, 1, 1),
        datetime(2024, 7, 1, 6, 0, 0, 123456), datetime(2024, 2, 29, 23, 59, 59),
    ),
    "day": (date(2024, 2, 29), date(1969, 12, 31), date(2024, 10, 27), date(9999, 12, 31)),
    "clock": (
        time(0), time(6, 30), time(12), time(23, 59, 59, 999999), time(14, 0, 1), time(22),
    ),
    "wait": (timedelta(0), timedelta(days=-1, seconds=5), timedelta(hours=49, microseconds=1)),
    "iso": (
        "2024-07-01T06:00:00+02:00", "2024-07-01", "2024-07-01T06:00:00Z", "", "nonsense",
        "2024-02-30T00:00:00+00:00", "2024-07-01 06:00:00.5-05:30", "20240701T06",
    ),
    "zone": ("Europe/Oslo", "UTC", "Asia/Kolkata", "America/New_York"),
    "ts": (0, 1_719_800_000, -86_400, 1_729_989_000, 2**40),
    "stamp": (
        pd.Timestamp("2024-07-01 06:00"), pd.Timestamp("2024-02-29 23:59:59.999999999"),
        pd.Timestamp("1969-12-31"),
    ),
    "j": ('{"a": 1}', "[1, 2.50]", "{bad", "null", '{"a": {"b": "ß"}}', "NaN"),
}  # fmt: skip

_NUMBERS = (None, "12", Decimal("NaN"), Decimal("Infinity"), 2.5, 3, True, NAN, 2**70)
NEARLY: Final[dict[str, tuple[Any, ...]]] = {
    "d": (*_NUMBERS, Decimal("sNaN"), Decimal("1E+1000"), Decimal("-0"), Fraction(1, 2)),
    "e": (*_NUMBERS, Decimal("-Infinity"), Decimal("1E-400")),
    "s": (None, 12, 2.5, Decimal("1.5"), b"12", ("1", 2)),
    "t": (None, 7, b"a-1"),
    "f": (*_NUMBERS, Decimal(1)),
    "z": (*_NUMBERS, 1j),
    "raw": (None, "abc", bytearray(b"NO"), 7, b"a"),
    "x": (None, "1.5", 3, True, Decimal(2), np.float64(2.5), 2**1100, 1j),
    "y": (None, 2, np.float32(0.5), Fraction(1, 2)),
    "n": (None, "3", 2.0, True, 2**70, np.int64(3), Decimal(3)),
    "m": (None, 2.0, True, np.int32(2), "2"),
    "nf": (None, 1.5, 3, np.float32(0.1), np.int64(3), True),
    "ng": (None, 0.1, np.float64(0.1)),
    "ni": (None, 3, np.int32(3), np.uint8(200), 2.5, np.float64(2.0)),
    "nb": (None, True, 0),
    "k": (None, 1, NAN, ("NO", 1), ["NO"], Tier.GOLD, np.str_("NO")),
    "name": (None, 1, "is_warm"),
    "lvl": (None, 1.0, True, "1", 2**70, Level.LOW, np.int64(7)),
    "tier": (None, Tier.GOLD, 1),
    "op": (None,),
    "mixed": (None, "1", 2.5, NAN, float("nan"), (1, "a"), b"x", True, 1.0, [1], Decimal(1), 2**70),
    "color": (None, "NO", "RED", Level.LOW),
    "level": (None, 1, 7.0, "LOW"),
    "rank": (None, "gold", 1),
    "at": (
        None, datetime(2024, 7, 1, 6), "2024-07-01", pd.Timestamp("2024-07-01", tz="Europe/Oslo"),
        datetime(2024, 7, 1, tzinfo=UTC), date(2024, 7, 1), pd.NaT,
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    ),
    "when": (None, datetime(2024, 7, 1, 6), 0, date(2024, 7, 1)),
    "naive": (
        None, datetime(2024, 10, 27, 2, 30, fold=1), datetime(2024, 7, 1, tzinfo=OSLO), "x",
        date(2024, 7, 1),
    ),
    "day": (None, datetime(2024, 2, 29, 12), "2024-02-29"),
    "clock": (None, time(6, tzinfo=UTC), "06:30", datetime(2024, 7, 1, 6), time(2, 30, fold=1)),
    "wait": (None, 60, timedelta(days=999_999_999)),
    "iso": (None, 5, datetime(2024, 7, 1)),
    "zone": (None, "Nowhere/Land", "", 3),
    "ts": (None, 2.5, NAN, 2**70, "0", float("inf")),
    "stamp": (None, pd.NaT, pd.Timestamp("2024-07-01", tz="Europe/Oslo"), datetime(2024, 7, 1)),
    "j": (None, 5, b"[1]"),
}  # fmt: skip
ABSENT = object()

COLUMNS: Final[dict[str, pa.DataType]] = {
    "d": pa.decimal128(18, 4), "e": pa.decimal128(10, 3), "s": pa.string(), "t": pa.string(),
    "raw": pa.binary(), "x": pa.float64(), "y": pa.float64(), "n": pa.int64(), "m": pa.int64(),
    "b": pa.bool_(), "k": pa.string(), "name": pa.string(), "lvl": pa.int64(),
    "tier": pa.string(), "op": pa.string(), "mixed": pa.int64(),
    "at": pa.timestamp("us", "Europe/Oslo"), "when": pa.timestamp("us", "UTC"),
    "naive": pa.timestamp("us"), "day": pa.date32(), "clock": pa.time64("us"),
    "wait": pa.duration("us"), "iso": pa.string(), "zone": pa.string(), "ts": pa.int64(),
    "j": pa.string(),
}  # fmt: skip


@functools.cache
def records(fields: tuple[str, ...], level: Dirt) -> tuple[dict[str, Any], ...]:
    """Records with these fields; every value of each pool occurs."""
    chance = random.Random(f"{fields} {level}")
    pools = [(PLAIN[name], NEARLY.get(name, (None,))) for name in fields]
    rows = max(ROWS, *(len(plain) + len(nearly) for plain, nearly in pools))
    columns = [_column(*pool, rows, chance, level) for pool in pools]
    return tuple(
        {name: value for name, value in zip(fields, row, strict=True) if value is not ABSENT}
        for row in zip(*columns, strict=True)
    )


def _column(
    plain: tuple[Any, ...], nearly: tuple[Any, ...], rows: int, chance: random.Random, level: Dirt
) -> list[Any]:
    values = [*plain, *chance.choices(plain, k=rows - len(plain))]
    if level == "dirty":
        strangers = (*nearly, ABSENT)
        values[len(plain) : len(plain) + len(strangers)] = strangers
        values = [
            chance.choice(strangers) if chance.random() < SPOILED / 2 else value for value in values
        ]
    chance.shuffle(values)
    return values


@functools.cache
def table(fields: tuple[str, ...]) -> pa.Table | None:
    """Plain records with a null here and there as a table; None where no column holds a field."""
    if not COLUMNS.keys() >= set(fields):
        return None
    rows = records(fields, "plain")
    return pa.table({name: _array(name, [row[name] for row in rows]) for name in fields})


def _array(name: str, values: list[Any]) -> pa.Array:
    values[len(values) // 2] = None
    return pa.array(values, COLUMNS[name])
