"""Days since 1970 and the Gregorian calendar.

Source: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms (civil_from_days): a year
starts in March, so that the leap day is its last one.
"""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

from batchprep.kernels.cpu.jit import compiled
from batchprep.ops.calendar import FIRST, LAST

_TO_MARCH = 719_468  # days from 0000-03-01 to 1970-01-01
_ERA = 146_097  # days of 400 years


@compiled
def _march_day(day):
    """Days since 0000-03-01: never negative."""
    return min(max(day, FIRST), LAST) + _TO_MARCH


@compiled
def _year_of_era(rest):
    return (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365


@compiled
def _day_of_year(rest):
    """Days since March the 1st, of a day of its era."""
    year = _year_of_era(rest)
    return rest - (365 * year + year // 4 - year // 100)


@compiled
def year_of_day(day):
    """The year of a day since 1970."""
    number = _march_day(day)
    era = number // _ERA
    rest = number - era * _ERA
    year = _year_of_era(rest)
    is_next = rest - (365 * year + year // 4 - year // 100) >= 306  # January and February
    return year + era * 400 + (1 if is_next else 0)


@compiled
def month_of_day(day):
    """The month of a day since 1970."""
    number = _march_day(day)
    place = (5 * _day_of_year(number - number // _ERA * _ERA) + 2) // 153
    return place + 3 if place < 10 else place - 9


@compiled
def day_of_month(day):
    """The day of its month of a day since 1970."""
    number = _march_day(day)
    of_year = _day_of_year(number - number // _ERA * _ERA)
    place = (5 * of_year + 2) // 153
    return of_year - (153 * place + 2) // 5 + 1


@compiled
def day_of_civil(year, month, day):
    """Days since 1970; a month that is too short gives a day of the next."""
    in_bounds = min(max(month, 1), 12)
    of_march = in_bounds - 3 if in_bounds > 2 else in_bounds + 9
    number = min(max(year, 1), 9999) - (1 if in_bounds <= 2 else 0)
    era = number // 400
    rest = number - era * 400
    of_year = (153 * of_march + 2) // 5 + min(max(day, 1), 31) - 1
    return era * _ERA + rest * 365 + rest // 4 - rest // 100 + of_year - _TO_MARCH
