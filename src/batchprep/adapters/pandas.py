"""Results handed back as pandas: a Series, or a DataFrame where the function returns dicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Final, cast

from batchprep.dtypes import KINDS, Kind
from batchprep.plan.node import TRUE
from batchprep.plan.stage import Output, Part

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
MIXED: Final[tuple[Kind, ...]] = ("none", "other")  # any two kinds: the column is object


def from_results(
    results: list[Any], frame: Any, *, template: Output | None, dropped: Sequence[int] = ()
) -> Any:
    """The results with the frame's index, without the rows that were dropped.

    `template` is the compiled function's, whose kinds decide the dtypes whatever the data is;
    without one the results' own types decide.

    Nulls:   None stays None in an object column; a key that a row lacks is NaN there, as is every
             column of a row that failed
    """
    import pandas as pd

    index = frame.index.delete(list(dropped)) if len(dropped) else frame.index
    if not _all_dicts(results, template):
        kinds = None if template is None else template.kinds
        return pd.Series(_values(results, kinds), index=index)
    columns = {key: _column(results, key, template) for key in _keys(results, template)}
    return pd.DataFrame(columns, index=index)


def _all_dicts(results: list[Any], template: Output | None) -> bool:
    if template is not None:
        return template.kinds == ("struct",)
    return set(map(type, results)) == {dict}


def _keys(results: Iterable[Any], template: Output | None) -> Iterable[Any]:
    """Keys in the order of the results, then those that only other rows would have."""
    found = dict.fromkeys(chain.from_iterable(filter(None, results)))
    return {**found, **dict.fromkeys(part.key for part in _parts(template))}


def _column(results: list[Any], key: Any, template: Output | None) -> Any:
    # A row that failed under on_error="null" is None: it has no value in any column.
    values = [NOTHING if r is None else r.get(key, NOTHING) for r in results]
    if any(value is NOTHING for value in values):
        return _values(values, MIXED)
    found = [part for part in _parts(template) if part.key == key]
    if not found:  # handed through from the record, or interpreted: the values decide
        return _values(values, None)
    certain = len(found) == 1 and found[0].guard is TRUE
    return _values(values, found[0].output.kinds if certain else MIXED)


def _parts(template: Output | None) -> tuple[Part, ...]:
    parts = {} if template is None else dict(template.parts)
    return parts["struct"].parts if "struct" in parts else ()


def _values(values: list[Any], kinds: tuple[Kind, ...] | None) -> Any:
    """An array of the kinds' dtype; object where they are mixed or a value does not fit."""
    import pandas as pd

    kinds = _kinds_of(values) if kinds is None else kinds
    native = NATIVE.get(kinds[0]) if len(kinds) == 1 else None
    if native is not None and set(map(type, values)) <= {native[0]} and not _zoned(values):
        try:
            return pd.array(cast("Any", values), dtype=cast("Any", native[1]))
        except (OverflowError, ValueError):  # an int past int64, a time span past 292,000 years
            pass
    return pd.Series(values, dtype=object).array


def _kinds_of(values: list[Any]) -> tuple[Kind, ...]:
    of_type: dict[type, Kind] = {kind_type: kind for kind, (kind_type, _) in NATIVE.items()}
    present = {of_type.get(kind_type, "other") for kind_type in set(map(type, values))}
    return tuple(kind for kind in KINDS if kind in present)


def _zoned(values: list[Any]) -> bool:
    # pandas would make one zone of several, and its Timestamp forgets the zone object.
    return any(type(value) is datetime and value.tzinfo is not None for value in values)
