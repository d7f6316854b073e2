"""Ops on days since 1970 in the Gregorian calendar, from year 1 to 9999.

A day outside is the nearest one inside: whoever builds a date checks its bounds.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from batchprep.dtypes import TIME_BOUNDS
from batchprep.ops.op import Op

FIRST, LAST = TIME_BOUNDS["date"]
_ORDINAL: Final = dt.date(1970, 1, 1).toordinal()
_MONTH: Final = 31  # days of the longest


def _date(day: int) -> dt.date:
    return dt.date.fromordinal(min(max(day, FIRST), LAST) + _ORDINAL)


def _year(day: int) -> int:
    return _date(day).year


def _month(day: int) -> int:
    return _date(day).month


def _day_of_month(day: int) -> int:
    return _date(day).day


def _day_of_civil(year: int, month: int, day: int) -> int:
    first = dt.date(min(max(year, 1), 9999), min(max(month, 1), 12), 1)
    return first.toordinal() - _ORDINAL + min(max(day, 1), _MONTH) - 1


CALENDAR: Final = (
    Op(
        name="year_of_day",
        params="i",
        result="i",
        meaning=_year,
        scalar="k.year_of_day({0})",
        array="h.year_of_day({0})",
        c="bp_year_of_day({0})",
        cases=(((-1,), 1969), ((0,), 1970), ((LAST + 1,), 9999)),
    ),
    Op(
        name="month_of_day",
        params="i",
        result="i",
        meaning=_month,
        scalar="k.month_of_day({0})",
        array="h.month_of_day({0})",
        c="bp_month_of_day({0})",
        cases=(((-1,), 12), ((59,), 3), ((FIRST,), 1)),
    ),
    Op(
        name="day_of_month",
        params="i",
        result="i",
        meaning=_day_of_month,
        scalar="k.day_of_month({0})",
        array="h.day_of_month({0})",
        c="bp_day_of_month({0})",
        cases=(((-1,), 31), ((11_016,), 29)),  # 2000-02-29
    ),
    Op(
        name="day_of_civil",
        params="iii",
        result="i",
        meaning=_day_of_civil,
        scalar="k.day_of_civil({0}, {1}, {2})",
        array="h.day_of_civil({0}, {1}, {2})",
        c="bp_day_of_civil({0}, {1}, {2})",
        cases=(((2000, 2, 29), 11_016), ((2001, 2, 29), 11_382), ((1970, 1, 1), 0)),
    ),
)
