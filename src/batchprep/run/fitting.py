"""The interpreter's answers as the column of results takes them."""

from __future__ import annotations

from typing import Any, Final

import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_types import kind_of_type
from batchprep.batch.kinds import kind_of
from batchprep.dtypes import DROPPED, Kind
from batchprep.run.misfits import Misfit, check_fits, check_keys, struct_items
from batchprep.run.originals import Originals

PLAIN: Final[frozenset[Kind]] = frozenset({"none", "bool", "int", "float", "str", "date"})


class Fitting:
    """Answers for a column of a type; what stands in the batch's own columns is left there."""

    def __init__(self, dtype: pa.DataType, originals: Originals) -> None:
        self._dtype = dtype
        self._originals = originals

    def __call__(self, value: Any, place: int) -> Any:
        """The answer of the row at that place, with an Original for each value found.

        Errors:  Misfit for a value that the type cannot hold
        """
        return self._fitted(value, self._dtype, place, "")

    def _fitted(self, value: Any, dtype: pa.DataType, place: int, column: str) -> Any:
        if value is None or value is DROPPED:
            return value
        if pt.is_struct(dtype) and kind_of(value) in {"struct", "tuple"}:
            return self._struct(value, dtype, place, column)
        found = None if is_plain(dtype) else self._find(value, dtype, place, column)
        if found is not None:
            return found
        try:
            check_fits(value, dtype, column)
        except Misfit:
            found = self._find(value, dtype, place, column)
            if found is None and not _is_missing_time(value, dtype):
                raise
            return found
        return value

    def _struct(self, value: Any, dtype: pa.StructType, place: int, column: str) -> Any:
        found = self._find(value, dtype, place, column)
        if found is not None:
            return found
        check_keys(value, dtype, column)
        prefix = f"{column}." if column else ""
        types = {field.name: field.type for field in dtype}
        return {
            name: self._fitted(item, types[name], place, f"{prefix}{name}")
            for name, item in struct_items(value, dtype).items()
        }

    def _find(self, value: Any, dtype: pa.DataType, place: int, column: str) -> Any:
        return self._originals.find(value, place, dtype, column)


def _is_missing_time(value: Any, dtype: pa.DataType) -> bool:
    """Whether the value is pandas' NaT, which in a column of times is null."""
    return pt.is_temporal(dtype) and type(value).__name__ == "NaTType"


def is_plain(dtype: pa.DataType) -> bool:
    """Whether a Python value says all that a column of the type holds."""
    encoded = isinstance(dtype, pa.DictionaryType | pa.RunEndEncodedType)
    return not encoded and kind_of_type(dtype) in PLAIN
