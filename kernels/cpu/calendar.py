"""Days since 1970 and the Gregorian calendar.

Source: Neri and Schneider, Euclidean affine functions and their application to calendar algorithms
(2022), and Howard Hinnant, chrono-Compatible Low-Level Date Algorithms (days_from_civil): a year
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


# A division by a constant as a product and a shift, exact for what is divided here: LLVM's own,
# exact for all of int64, does not vectorise, and takes ten times as long.


@compiled
def _century(number):
    """Centuries before a day, of which each fourth is a day longer: (4 * number + 3) // 146_097."""
    return ((4 * number + 3) * 240_828_848) >> 45


@compiled
def _day_of_century(number):
    return number - ((_ERA * _century(number)) >> 2)


@compiled
def _year_of_century(rest):
    """(4 * rest + 3) // 1461."""
    return ((4 * rest + 3) * 2_939_745) >> 32


@compiled
def _day_of_year(number):
    """Days since March the 1st."""
    rest = _day_of_century(number)
    return rest - ((1461 * _year_of_century(rest)) >> 2)


@compiled
def _month_from_march(of_year):
    """The month, of which 13 and 14 are January and February, and 2141 parts of 65,536 a day."""
    return 2141 * of_year + 197_913


@compiled
def year_of_day(day):
    """The year of a day since 1970."""
    number = _march_day(day)
    year = 100 * _century(number) + _year_of_century(_day_of_century(number))
    return year + (1 if _day_of_year(number) >= 306 else 0)  # January and February


@compiled
def month_of_day(day):
    """The month of a day since 1970."""
    of_year = _day_of_year(_march_day(day))
    month = _month_from_march(of_year) >> 16
    return month - 12 if of_year >= 306 else month


@compiled
def day_of_month(day):
    """The day of its month of a day since 1970."""
    parts = _month_from_march(_day_of_year(_march_day(day))) & 0xFFFF
    return ((parts * 125_379) >> 28) + 1  # parts // 2141


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
