"""Results handed back as pandas: a Series, or a DataFrame where the function returns dicts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from batchprep.batch.sameness import same_value
from batchprep.dtypes import KINDS, Kind
from batchprep.plan.node import FALSE, TRUE
from batchprep.plan.stage import Output, Part, Parts

# A column of one kind has pandas' own dtype; all else is object, so that values stay what they are
# (pandas would turn an int beside None or a float into a float).
NATIVE: Final[dict[Kind, tuple[type, str]]] = {
    "bool": (bool, "bool"),
    "int": (int, "int64"),
    "float": (float, "float64"),
    "str": (str, "str"),
    "datetime": (datetime, "datetime64[us]"),
    "timedelta": (timedelta, "timedelta64[us]"),
}
NOTHING: Final = float("nan")  # pandas' own sign of a value that is not there
NUMBERS: Final = frozenset({"bool", "int64", "float64"})
# What the Python values of a plain column are, and the dtype that holds all of them.
WIDE: Final[dict[np.dtype[Any], tuple[type, str]]] = {
    np.dtype("bool"): (bool, "bool"),
    **{np.dtype(f"int{bits}"): (int, "int64") for bits in (8, 16, 32, 64)},
    **{np.dtype(f"uint{bits}"): (int, "uint64") for bits in (8, 16, 32, 64)},
    **{np.dtype(f"float{bits}"): (float, "float64") for bits in (16, 32, 64)},
}
NO_PARTS: Final = Parts((), FALSE, FALSE)
MIXED: Final[tuple[Kind, ...]] = ("none", "other")  # any two kinds: the column is object


def from_results(
    results: list[Any],
    frame: Any,
    *,
    template: Output | None,
    places: npt.NDArray[np.intp],
    failed_are_none: bool = False,
) -> Any:
    """The results with the index of the rows that they stand for: `places` in the frame.

    `template` is the compiled function's, whose kinds decide the dtypes whatever the data is;
    without one the results' own types decide. A column of the frame that a dict result holds
    unchanged keeps its dtype.

    Nulls:   None stays None in an object column; a key that a row lacks is NaN there, as is every
             column of a row that failed
    """
    import pandas as pd

    whole = len(places) == len(frame) and bool((places == np.arange(len(frame))).all())
    kept = frame if whole else frame.iloc[places]
    if not _all_dicts(results, template, failed_are_none=failed_are_none):
        return _series(_values(results, None if template is None else _kinds(template)), kept.index)
    columns = {
        key: _series(_column(results, key, template, kept), kept.index)
        for key in _keys(results, template, kept)
    }
    return pd.DataFrame(columns, index=kept.index)


def _kinds(template: Output) -> tuple[Kind, ...]:
    return tuple(kind for kind in template.kinds if kind != "absent")


def _series(values: Any, index: Any) -> Any:
    # The dtype is named, since pandas would infer another one: None would become NaN.
    import pandas as pd

    return pd.Series(values, index=index, dtype=values.dtype, copy=False)


def _all_dicts(results: list[Any], template: Output | None, *, failed_are_none: bool) -> bool:
    if template is not None:
        return set(template.kinds) - {"absent"} == {"struct"}
    types = set(map(type, results))
    return dict in types and types <= ({dict, type(None)} if failed_are_none else {dict})


def _keys(results: Iterable[Any], template: Output | None, frame: Any) -> Iterable[Any]:
    """Keys in the order of the results, then those that only other rows would have."""
    found = dict.fromkeys(chain.from_iterable(filter(None, results)))
    own = frame.columns if _holds_record(template) else ()
    return {**found, **dict.fromkeys(own), **dict.fromkeys(p.key for p in _parts(template))}


def _column(results: list[Any], key: Any, template: Output | None, frame: Any) -> Any:
    # A row that failed under on_error="null" is None: it has no value in any column.
    values = [NOTHING if r is None else r.get(key, NOTHING) for r in results]
    found = [part for part in _parts(template) if part.key == key]
    if not found and key in frame.columns:
        own = _own_column(values, key, frame)
        if own is not None:
            return own
    if any(value is NOTHING for value in values):
        return _values(values, MIXED)
    if not found:  # handed through from the record, or interpreted: the values decide
        return _values(values, None)
    certain = len(found) == 1 and found[0].guard is TRUE
    return _values(values, found[0].output.kinds if certain else MIXED)


def _own_column(values: list[Any], key: Any, frame: Any) -> Any:
    """The frame's own column where the values are just that, else None."""
    from batchprep.records.pandas import FrameRows

    rows = FrameRows(frame)
    column = rows.series(key)
    if _same_numbers(values, column) or all(map(same_value, values, rows.values(key, None))):
        return column.array
    return None


def _same_numbers(values: list[Any], column: Any) -> bool:
    """Whether values are bit for bit those of a column of numbers; False promises nothing."""
    native = WIDE.get(column.dtype) if isinstance(column.dtype, np.dtype) else None
    if native is None or not set(map(type, values)) <= {native[0]}:
        return False
    try:
        made = np.fromiter(values, native[1], len(values))
    except OverflowError:
        return False
    return made.tobytes() == column.to_numpy().astype(native[1]).tobytes()


def _struct(template: Output | None) -> Parts:
    return dict(template.parts).get("struct", NO_PARTS) if template is not None else NO_PARTS


def _parts(template: Output | None) -> tuple[Part, ...]:
    return _struct(template).parts


def _holds_record(template: Output | None) -> bool:
    """Whether a result may be the record itself, or made from all of it."""
    return _struct(template).base is not FALSE


def _values(values: list[Any], kinds: tuple[Kind, ...] | None) -> Any:
    """An array of the kinds' dtype; object where they are mixed or a value does not fit."""
    kinds = _kinds_of(values) if kinds is None else kinds
    native = NATIVE.get(kinds[0]) if len(kinds) == 1 else None
    if native is not None and set(map(type, values)) <= {native[0]} and not _zoned(values):
        try:
            return _native(values, native[1])
        except (OverflowError, ValueError):  # an int past int64, a time span past 292,000 years
            pass
    # Not np.array: it would make a matrix of lists of one length.
    return np.fromiter(values, np.object_, len(values))


def _native(values: list[Any], dtype: str) -> Any:
    import pandas as pd

    if dtype in NUMBERS:  # pd.array lets an int past int64 wrap round
        return np.fromiter(values, dtype, len(values))
    return pd.array(cast("Any", values), dtype=cast("Any", dtype))


def _kinds_of(values: list[Any]) -> tuple[Kind, ...]:
    of_type: dict[type, Kind] = {kind_type: kind for kind, (kind_type, _) in NATIVE.items()}
    present = {of_type.get(kind_type, "other") for kind_type in set(map(type, values))}
    return tuple(kind for kind in KINDS if kind in present)


def _zoned(values: list[Any]) -> bool:
    # pandas would make one zone of several, and its Timestamp forgets the zone object.
    return any(type(value) is datetime and value.tzinfo is not None for value in values)
