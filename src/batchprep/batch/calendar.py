"""Arrow's temporal integers as Python's dates, times and durations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from batchprep.batch.column import Mask
from batchprep.dtypes import INT64_MAX, INT64_MIN, TIME_BOUNDS, Kind

_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST_SECOND: Final = -62_135_596_800  # 0001-01-01
_END_SECOND: Final = 253_402_300_800  # 10000-01-01
DAY_MILLISECONDS: Final = 86_400_000
_DAY: Final = 86_400  # seconds; a zone may move an instant by up to a day
_MAX_DELTA: Final = 86_399_999_999_999  # seconds that a timedelta may span


def fits_datetime(ticks: npt.NDArray[np.int64], unit: str, *, zoned: bool) -> Mask:
    """Which instants a datetime can hold: years 1 to 9999, whole microseconds."""
    margin = _DAY if zoned else 0
    return _within(ticks, unit, _FIRST_SECOND + margin, _END_SECOND - margin)


def fits_timedelta(ticks: npt.NDArray[np.int64], unit: str) -> Mask:
    """Which durations a timedelta can hold: whole microseconds."""
    return _within(ticks, unit, -_MAX_DELTA, _MAX_DELTA + 1)


def fits_date(days: npt.NDArray[np.int64]) -> Mask:
    """Which days a date can hold: years 1 to 9999."""
    first, last = TIME_BOUNDS["date"]
    return (days >= first) & (days <= last)


def microseconds(
    ticks: npt.NDArray[np.int64], unit: str, kind: Kind
) -> tuple[npt.NDArray[np.int64], Mask]:
    """The ticks as microseconds, and which of them the buffers of the kind can hold."""
    if unit == "ns":  # years 1677 to 2262: all are in bounds
        return ticks // 1000, ticks % 1000 == 0
    low, high = TIME_BOUNDS[kind]
    scale = 10**6 // _PER_SECOND[unit]
    fits = (ticks >= -(-low // scale)) & (ticks <= high // scale)
    return (ticks if scale == 1 else ticks * scale), fits


def in_unit(micros: npt.NDArray[np.int64], unit: str) -> tuple[npt.NDArray[np.int64], Mask | None]:
    """Microseconds in another unit, and which of them it cuts; None where it cuts none."""
    if unit == "us":
        return micros, None
    if unit == "ns":
        return micros * 1000, (micros < -(-INT64_MIN // 1000)) | (micros > INT64_MAX // 1000)
    scale = 10**6 // _PER_SECOND[unit]
    return micros // scale, micros % scale != 0


def datetimes(ticks: npt.NDArray[np.int64], unit: str, zone: dt.tzinfo | None) -> list[Any]:
    """datetime of each instant, in its zone; numpy.datetime64 (UTC) where none can hold it."""
    fits = fits_datetime(ticks, unit, zoned=zone is not None)
    naive = _pick(ticks, fits, unit, "M8", np.datetime64)
    if zone is None:
        return naive
    in_utc = (v.replace(tzinfo=dt.UTC) if isinstance(v, dt.datetime) else v for v in naive)
    return [v.astimezone(zone) if isinstance(v, dt.datetime) else v for v in in_utc]


def timedeltas(ticks: npt.NDArray[np.int64], unit: str) -> list[Any]:
    """timedelta of each duration; numpy.timedelta64 where none can hold it."""
    values = _pick(ticks, fits_timedelta(ticks, unit), unit, "m8", np.timedelta64)
    for row in np.flatnonzero(ticks == INT64_MIN).tolist() if unit == "us" else ():
        values[row] = dt.timedelta(microseconds=INT64_MIN)  # NumPy's sign of nothing
    return values


def dates(days: npt.NDArray[np.int64]) -> list[Any]:
    """Date of each day number; numpy.datetime64 where none can hold it."""
    return _pick(days, fits_date(days), "D", "M8", np.datetime64)


def zone_named(name: str | None) -> dt.tzinfo | None:
    """The zone of an Arrow timestamp type: an IANA name or an offset such as +05:30."""
    if name is None:
        return None
    if name[0] not in "+-":
        return ZoneInfo(name)
    hours, minutes = name[1:].split(":")
    offset = dt.timedelta(hours=int(hours), minutes=int(minutes))
    return dt.timezone(-offset if name[0] == "-" else offset)


def _within(ticks: npt.NDArray[np.int64], unit: str, first: int, end: int) -> Mask:
    scale = _PER_SECOND[unit]
    # Beyond int64 the bound says nothing, and Python's ints keep the comparison exact.
    fits = (ticks >= max(first * scale, -(2**63))) & (ticks <= min(end * scale - 1, 2**63 - 1))
    return fits & (ticks % 1000 == 0) if unit == "ns" else fits


def _pick(
    ticks: npt.NDArray[np.int64],
    fits: Mask,
    unit: str,
    code: str,
    scalar: Callable[[int, Any], Any],
) -> list[Any]:
    """Python values where they fit, NumPy scalars of the full value elsewhere."""
    safe = np.where(fits, ticks, 0)
    safe, fine = (safe // 1000, "us") if unit == "ns" else (safe, unit)
    values: list[Any] = safe.view(f"{code}[{fine}]").tolist()
    for row in np.flatnonzero(~fits).tolist():
        values[row] = scalar(int(ticks[row]), unit)
    return values
