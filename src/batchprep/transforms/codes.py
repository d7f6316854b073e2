"""Row functions of OrdinalEncoder: the code of one row's value. The front end compiles them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from batchprep.transforms.messages import unknown_category_text


def code(column: str, table: Mapping[Any, float], r: Any) -> float:
    """The code of the value; ValueError for one that was not seen."""
    value = r.get(column)
    if value not in table:
        raise ValueError(unknown_category_text(column, value))
    return table[value]


def code_or_missing(column: str, table: Mapping[Any, float], missing: float, r: Any) -> float:
    """As code, but of null and NaN the code of missing values."""
    value = r.get(column)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    if value not in table:
        raise ValueError(unknown_category_text(column, value))
    return table[value]


def code_or_unknown(column: str, table: Mapping[Any, float], unknown: float, r: Any) -> float:
    """The code of the value; the code of unknown values for one that was not seen."""
    return table.get(r.get(column), unknown)


def code_missing_or_unknown(
    column: str, table: Mapping[Any, float], missing: float, unknown: float, r: Any
) -> float:
    """The code of the value, of missing or of unknown values."""
    value = r.get(column)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    return table.get(value, unknown)
