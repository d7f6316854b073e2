"""Dates, naive datetimes and timedeltas as the ints of their buffers, and back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from batchprep.batch.arrow_buffers import data_view
from batchprep.batch.column import Mask
from batchprep.batch.kinds import is_plain_datetime, is_short_timedelta
from batchprep.dtypes import Kind

Ticks = npt.NDArray[np.int64]

EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001  naive, as the values are
FIRST_DAY: Final = EPOCH.toordinal()
MICROSECOND: Final = dt.timedelta(microseconds=1)
_NONE: Final = frozenset({type(None)})
_VIEWS: Final[dict[Kind, str]] = {"date": "M8[D]", "datetime": "M8[us]", "timedelta": "m8[us]"}


def all_plain(moments: Iterable[dt.datetime]) -> bool:
    """Whether microseconds since 1970 say all of each datetime."""
    moments = list(moments)
    # By type: neither truth nor equality of a zone is asked, which are its own code.
    zones = set(map(type, map(attrgetter("tzinfo"), moments)))
    return zones <= _NONE and not any(map(attrgetter("fold"), moments))


def ticks_of_dates(values: list[dt.date]) -> Ticks:
    """Days since 1970."""
    return data_view(pa.array(values, pa.date32()), np.int32).astype(np.int64)


def ticks_of_datetimes(values: list[dt.datetime]) -> Ticks:
    """Microseconds since 1970 of plain datetimes."""
    return data_view(pa.array(values, pa.timestamp("us")), np.int64)


def ticks_of_timedeltas(values: list[dt.timedelta]) -> tuple[Ticks, Mask | None]:
    """Microseconds, and the values that have too many for int64."""
    try:
        return data_view(pa.array(values, pa.duration("us")), np.int64), None
    except pa.ArrowInvalid:  # for the least that fit, too
        ticks = [tick_of(value) for value in values]
        long = np.fromiter((tick is None for tick in ticks), np.bool_, len(values))
        return np.fromiter((tick or 0 for tick in ticks), np.int64, len(values)), long


def tick_of(value: Any) -> int | None:
    """The int that stands for a date, datetime or timedelta; None for any other value."""
    if type(value) is dt.date:
        return value.toordinal() - FIRST_DAY
    if is_plain_datetime(value):
        return (value - EPOCH) // MICROSECOND
    return value // MICROSECOND if is_short_timedelta(value) else None


def time_of(kind: Kind, tick: int) -> Any:
    """The date, datetime or timedelta that an int stands for."""
    return _MAKERS[kind](tick)


def times_of(kind: Kind, ticks: Ticks) -> list[Any]:
    """The same of each; anything where the int is out of the kind's bounds."""
    return np.ascontiguousarray(ticks, np.int64).view(_VIEWS[kind]).tolist()


_MAKERS: Final[dict[Kind, Callable[[int], Any]]] = {
    "date": lambda tick: dt.date.fromordinal(tick + FIRST_DAY),
    "datetime": lambda tick: EPOCH + dt.timedelta(microseconds=tick),
    "timedelta": lambda tick: dt.timedelta(microseconds=tick),
}
