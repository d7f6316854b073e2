"""Dates, datetimes and timedeltas as int formulas: days, or microseconds, since 1970."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from typing import Final, TypeGuard

from batchprep.batch.times import FIRST_DAY
from batchprep.dtypes import TIME_BOUNDS, Kind
from batchprep.plan.build import build, either
from batchprep.plan.node import Node, const

DAY: Final = 86_400_000_000  # microseconds
HOUR: Final = 3_600_000_000
MINUTE: Final = 60_000_000
SECOND: Final = 1_000_000
SHORTEST: Final = 28  # days that every month has
THURSDAY: Final = 3  # counted from Monday: the weekday of 1970-01-01

Formula = Callable[[Node], Node]


def divided(x: Node, by: int) -> Node:
    """x // by, of microseconds; n days divided by a day are n."""
    if by == DAY and x.op == "imul" and x.args[1] is const(DAY):
        return x.args[0]  # what is past int64 has deviated where it was multiplied
    return build("ifloordiv", x, const(by))


def rest(x: Node, by: int) -> Node:
    """x % by."""
    return build("imod", x, const(by))


def plus(x: Node, number: int) -> Node:
    """x + number."""
    return build("iadd", x, const(number))


def times(x: Node, number: int) -> Node:
    """x * number."""
    return build("imul", x, const(number))


def day_of(kind: Kind, tick: Node) -> Node:
    """Days since 1970 of a date or a datetime."""
    return tick if kind == "date" else divided(tick, DAY)


def clock_of(tick: Node) -> Node:
    """Microseconds since midnight of a datetime; the rest over whole days of a timedelta."""
    return rest(tick, DAY)


def weekday(day: Node) -> Node:
    """0 for Monday."""
    return rest(plus(day, THURSDAY), 7)


def ordinal(day: Node) -> Node:
    """Days since the day before 0001-01-01."""
    return plus(day, FIRST_DAY)


def new_year(day: Node) -> Node:
    """January the 1st of the day's year."""
    return build("day_of_civil", build("year_of_day", day), const(1), const(1))


def iso_parts(day: Node) -> tuple[Node, Node, Node]:
    """Year, week and weekday of ISO 8601: a week belongs to the year of its Thursday."""
    of_week = weekday(day)
    thursday = plus(build("isub", day, of_week), THURSDAY)
    week = plus(divided(build("isub", thursday, new_year(thursday)), 7), 1)
    return build("year_of_day", thursday), week, plus(of_week, 1)


def no_date(year: Node, month: Node, day: Node) -> Node:
    """Whether there is no such date."""
    beyond = either(
        either(beyond_of(year, 1, 9999), beyond_of(month, 1, 12)), beyond_of(day, 1, 31)
    )
    if is_of_any_month(day):
        return beyond
    found = build("day_of_civil", year, month, day)
    return either(beyond, build("ine", build("month_of_day", found), month))


def is_of_any_month(day: Node) -> bool:
    """Whether it is a constant day that every month has."""
    return day.op == "const" and day.attr in range(1, SHORTEST + 1)


def beyond_of(x: Node, low: int, high: int) -> Node:
    """x < low or x > high: as literals, which ranges decide one by one."""
    return either(build("ilt", x, const(low)), build("igt", x, const(high)))


def outside(kind: Kind, tick: Node) -> Node:
    """Whether no date, datetime or timedelta of a buffer is that int."""
    return beyond_of(tick, *TIME_BOUNDS[kind])


def clock(hour: Node, minute: Node, second: Node, micro: Node) -> Node:
    """Microseconds since midnight."""
    total = build("iadd", times(hour, HOUR), times(minute, MINUTE))
    return build("iadd", build("iadd", total, times(second, SECOND)), micro)


def no_clock(hour: Node, minute: Node, second: Node, micro: Node) -> Node:
    """Whether there is no such time of day."""
    of_hour = either(beyond_of(hour, 0, 23), beyond_of(minute, 0, 59))
    return either(of_hour, either(beyond_of(second, 0, 59), beyond_of(micro, 0, SECOND - 1)))


def is_wrong_int(x: Node) -> Node:
    """Whether an argument of a constructor is past a C int: an OverflowError, not a ValueError."""
    return beyond_of(x, -(2**31), 2**31 - 1)


def is_naive_time(value: object) -> TypeGuard[time]:
    """Whether microseconds since midnight say all of a value."""
    return type(value) is time and value.tzinfo is None and value.fold == 0


def microseconds(moment: time) -> int:
    """Microseconds since midnight of a constant."""
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    return seconds * SECOND + moment.microsecond


ON_CLOCK: Final[dict[str, Formula]] = {
    "hour": lambda tick: divided(clock_of(tick), HOUR),
    "minute": lambda tick: rest(divided(tick, MINUTE), 60),
    "second": lambda tick: rest(divided(tick, SECOND), 60),
    "microsecond": lambda tick: rest(tick, SECOND),
}
ON_DAY: Final[dict[str, Formula]] = {
    "year": lambda day: build("year_of_day", day),
    "month": lambda day: build("month_of_day", day),
    "day": lambda day: build("day_of_month", day),
}
OF_SPAN: Final[dict[str, Formula]] = {
    "days": lambda tick: divided(tick, DAY),
    "seconds": lambda tick: divided(clock_of(tick), SECOND),
    "microseconds": lambda tick: rest(tick, SECOND),
}
