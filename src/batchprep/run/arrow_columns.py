"""Columns of a stage to one Arrow array of a given type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from batchprep.backends.kernel import Array
from batchprep.batch.arrow_buffers import valid_rows
from batchprep.batch.arrow_types import column_kind, numpy_type
from batchprep.batch.batch import Batch
from batchprep.batch.calendar import DAY_MILLISECONDS, in_unit
from batchprep.batch.joining import concatenated
from batchprep.batch.result import changed_as_double
from batchprep.dtypes import EMPTY, KIND_CODE, NUMERIC, TIME_BOUNDS, Kind
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.stage import Output, Part
from batchprep.run.arrow_calls import choose, nulls, number_array, take, union_array
from batchprep.run.assemble import Assembler
from batchprep.run.execute import Columns
from batchprep.run.misfits import Misfit, check_fits
from batchprep.run.result_types import fields_of
from batchprep.run.text_chunks import with_nulls
from batchprep.run.typed_arrays import struct_array, typed_array

Mask = npt.NDArray[np.bool_]
Where = Mask | None  # the rows that count; None: all of them

NUMBERS: Final[frozenset[Kind]] = frozenset({"int", "float"})
# Kind, dtype of its payload and id of a column's type: the column takes the values unchanged.
_AS_IT_IS: Final[frozenset[tuple[Kind, str, int]]] = frozenset(
    {("bool", "b", pa.bool_().id), ("int", "i", pa.int64().id), ("float", "f", pa.float64().id)}
)


class ArrowColumns:
    """Arrow arrays of a batch's results. Rows whose value does not fit are in `misfits`.

    What an array holds at rows that do not count, deviating ones above all, has no meaning.
    """

    def __init__(self, columns: Columns, batch: Batch) -> None:
        self._columns = columns
        self._batch = batch
        self._length = columns.length
        self.misfits: Mask | None = None

    def results(self, dtype: pa.DataType) -> pa.Array[Any]:
        """The results in that type."""
        deviating = self._columns.deviating
        return self._column(
            self._columns.stage.template, dtype, None if deviating is None else ~deviating
        )

    # ------------------------------------------------------------------------------ kinds of a row

    def _column(self, output: Output, dtype: pa.DataType, where: Where) -> pa.Array[Any]:
        if output.field is not None:
            return self._own_column(output.field, dtype, where)
        if isinstance(dtype, pa.UnionType):
            whole = self._whole_union(output, dtype)
            return whole if whole is not None else self._union(output, dtype, where)
        kinds = output.kinds
        if len(kinds) > 1 and pt.is_floating(dtype) and set(kinds) >= NUMBERS >= set(kinds) - EMPTY:
            return self._doubles(output, dtype, where)
        filled: list[Kind] = [kind for kind in output.kinds if kind not in EMPTY]
        if not filled:
            return nulls(self._length, dtype)
        array = self._piece(output, filled[0], dtype, where)
        for kind in filled[1:]:
            rows = self._rows_of(output, kind)
            array = choose(rows, self._piece(output, kind, dtype, where), array)
        return array

    def _rows_of(self, output: Output, kind: Kind) -> Mask:
        return self._columns.array(output.code) == KIND_CODE[kind]

    def _piece(self, output: Output, kind: Kind, dtype: pa.DataType, where: Where) -> pa.Array[Any]:
        """The rows of one kind; null elsewhere."""
        payload = dict(output.payloads).get(kind)
        if payload is not None and (kind, payload.dtype, dtype.id) in _AS_IT_IS:
            packed = self._columns.packed.get(output.code)
            filled = self._rows_if_mixed(output, kind) if packed is None else packed.filled()
            return number_array(self._columns.array(payload), dtype, filled)
        rows = self._rows_if_mixed(output, kind)
        if payload is None:
            return self._nested(output, kind, dtype, rows, where)
        counts = _both(rows, where)
        if kind in TIME_BOUNDS and _is_time_type(kind, dtype):
            return self._times(kind, payload, dtype, rows, counts)
        if kind in NUMERIC and _same_family(kind, dtype):
            values = self._columns.array(payload)
            return number_array(self._fitted(values, dtype, counts), dtype, rows)
        if payload.dtype == "s" and pt.is_string(dtype):
            return self._strings(payload, rows)
        if payload.dtype == "r":
            array = self._whole_field(payload, dtype)
            if array is not None:
                return _only(array, rows)
        return self._from_python(output, kind, dtype, counts)

    def _doubles(self, output: Output, dtype: pa.DataType, where: Where) -> pa.Array[Any]:
        """Ints and floats of one column: the int rows must be exact as floats."""
        payloads = dict(output.payloads)
        ints, rows = self._columns.array(payloads["int"]), self._rows_of(output, "int")
        floats, others = self._columns.array(payloads["float"]), self._rows_of(output, "float")
        whole = self._fitted(ints, dtype, _both(rows, where))
        part = self._fitted(floats, dtype, _both(others, where))
        filled = None if not EMPTY & set(output.kinds) else rows | others
        return number_array(np.where(rows, whole, part), dtype, filled)

    def _union(self, output: Output, dtype: pa.UnionType, where: Where) -> pa.Array[Any]:
        fields = list(dtype)
        places = {field.name: place for place, field in enumerate(fields)}
        codes = np.full(len(KIND_CODE), places.get("none", 0), np.int8)
        children = [nulls(self._length, field.type) for field in fields]
        for kind in output.kinds:
            place = places.get(kind)
            if place is not None and kind not in EMPTY:
                codes[KIND_CODE[kind]] = place
                children[place] = self._piece(output, kind, fields[place].type, where)
            elif kind not in EMPTY or "none" not in places:
                self._refuse(_both(self._rows_of(output, kind), where), kind)
        return union_array(codes[self._columns.array(output.code)], children, dtype)

    def _whole_union(self, output: Output, dtype: pa.DataType) -> pa.Array[Any] | None:
        """A union column of the batch itself, whose kinds we do not look into."""
        payload = dict(output.payloads).get("other")
        if payload is None or not set(output.kinds) <= {"other", *EMPTY}:
            return None
        array = self._whole_field(payload, dtype)
        return None if array is None else _only(array, self._rows_if_mixed(output, "other"))

    def _rows_if_mixed(self, output: Output, kind: Kind) -> Where:
        """The rows of a kind; None where all are."""
        return None if len(output.kinds) == 1 else self._rows_of(output, kind)

    def _refuse(self, rows: Where, kind: Kind) -> None:
        """Rows of a kind that the column has no place for; None needs no place."""
        if kind not in EMPTY:
            self._add_misfits(np.ones(self._length, np.bool_) if rows is None else rows)

    # ------------------------------------------------------------------------------------- scalars

    def _fitted(self, values: Array, dtype: pa.DataType, where: Where) -> Array:
        """Numbers in the dtype of a column; those that it would change are misfits."""
        target = numpy_type(dtype)
        if target == values.dtype:
            return values
        with np.errstate(all="ignore"):
            narrowed = values.astype(target)
        changed = _changed(values, narrowed)
        self._add_misfits(changed if where is None else changed & where)
        return narrowed

    def _add_misfits(self, rows: Mask) -> None:
        if rows.any():
            self.misfits = rows if self.misfits is None else self.misfits | rows

    def _times(
        self, kind: Kind, payload: Node, dtype: pa.DataType, rows: Where, counts: Where
    ) -> pa.Array[Any]:
        """Days or microseconds in the unit of a column; those that it would cut are misfits."""
        ticks = self._columns.array(payload)
        if kind == "date":
            days = ticks.astype(np.int32) if pt.is_date32(dtype) else ticks * DAY_MILLISECONDS
            return number_array(days, dtype, rows)
        values, changed = in_unit(ticks, cast("Any", dtype).unit)
        if changed is not None:
            self._add_misfits(changed if counts is None else changed & counts)
        return number_array(values, dtype, rows)

    def _strings(self, payload: Node, rows: Where) -> pa.Array[Any]:
        whole = self._columns.texts.get(payload)
        if whole is not None:
            return whole if rows is None else with_nulls(whole, rows)
        missing = None if rows is None else ~rows
        return take(self._columns.pool.arrow(), self._columns.array(payload), missing)

    def _whole_field(self, payload: Node, dtype: pa.DataType) -> pa.Array[Any] | None:
        """The batch's own columns of that type for which the payload stands, row by row."""
        arrays = {name: self._batch_column(name, dtype) for name in fields_of("other", payload)}
        if len(arrays) == 1:
            return next(iter(arrays.values()))
        refs = self._columns.stage.refs
        found = [arrays.get(name) for name in refs]
        if any(found[refs.index(name)] is None for name in arrays):
            return None
        kept = [array for array in found if array is not None]
        starts = np.cumsum([0 if array is None else self._length for array in found])
        numbers = self._columns.array(payload)
        places = starts[numbers] - self._length + np.arange(self._length)
        return take(concatenated(kept), places)

    def _batch_column(self, name: str, dtype: pa.DataType) -> pa.Array[Any] | None:
        try:
            array = self._batch.arrow(name)
        except ValueError:  # values that no one column type holds
            return None
        return array if array is not None and array.type == dtype else None

    def _own_column(self, name: str, dtype: pa.DataType, where: Where) -> pa.Array[Any]:
        """A field's own values."""
        array = self._batch_column(name, dtype)
        if array is not None:
            return array
        return self._converted(lambda rows: self._batch.values(name, rows), dtype, where)

    def _from_python(
        self, output: Output, kind: Kind, dtype: pa.DataType, where: Where
    ) -> pa.Array[Any]:
        assembler = Assembler(self._columns, self._batch)
        return self._converted(lambda rows: assembler.of_kind(output, kind, rows), dtype, where)

    def _converted(
        self,
        values_of: Callable[[npt.NDArray[np.intp]], Sequence[Any]],
        dtype: pa.DataType,
        where: Where,
    ) -> pa.Array[Any]:
        """Values that take the long way, one Python object each: exact whatever the type."""
        rows = np.arange(self._length) if where is None else np.flatnonzero(where)
        values = [_or_misfit(value, dtype) for value in values_of(rows)]
        wrong = [row for row, v in zip(rows.tolist(), values, strict=True) if v is _MISFIT]
        if wrong:
            misfits = np.zeros(self._length, np.bool_)
            misfits[wrong] = True
            self._add_misfits(misfits)
        array = typed_array([None if value is _MISFIT else value for value in values], dtype)
        if len(rows) == self._length:
            return array
        places = np.zeros(self._length, np.int64)
        places[rows] = np.arange(len(rows))
        missing = np.ones(self._length, np.bool_)
        missing[rows] = False
        return take(array, places, missing)

    # ------------------------------------------------------------------------------------- structs

    def _nested(
        self, output: Output, kind: Kind, dtype: pa.DataType, rows: Where, where: Where
    ) -> pa.Array[Any]:
        counts = _both(rows, where)
        if kind == "list" or not pt.is_struct(dtype):
            return self._from_python(output, kind, dtype, counts)
        return self._struct(output, kind, dtype, rows, counts)

    def _struct(
        self, output: Output, kind: Kind, dtype: pa.StructType, rows: Where, counts: Where
    ) -> pa.Array[Any]:
        parts = dict(output.parts)[kind]
        slots: dict[str, list[Part]] = {}
        for part in parts.parts:
            slots.setdefault(str(part.key), []).append(part)
        base = self._columns.array(parts.base)
        names = frozenset(self._batch.names() if parts.base is not FALSE else ())
        children = {
            field.name: self._child(
                slots.get(field.name, []), field, base if field.name in names else None, counts
            )
            for field in dtype
        }
        for key in slots.keys() - children.keys():
            for part in slots[key]:
                self._add_misfits(self._all_rows(_both(self._guard(part.guard), counts)))
        if names - children.keys():
            self._add_misfits(self._all_rows(_both(base, counts)))
        for field in dtype:
            if not field.nullable:
                self._refuse_nulls(children[field.name], counts)
        missing = np.zeros(self._length, np.bool_) if rows is None else ~rows
        return struct_array(children, dtype, missing)

    def _refuse_nulls(self, array: pa.Array[Any], where: Where) -> None:
        valid = valid_rows(array)
        if valid is not None:
            self._add_misfits(self._all_rows(_both(~valid, where)))

    def _child(
        self, parts: list[Part], field: pa.Field[Any], base: Mask | None, counts: Where
    ) -> pa.Array[Any]:
        """One field of a struct: the record's own value, then each slot where it holds."""
        array: pa.Array[Any] | None = None
        if base is not None and not any(part.guard is TRUE for part in parts):
            array = self._base_child(field, _both(base, counts), base)
        for part in parts:
            guard = self._guard(part.guard)
            found = self._column(part.output, field.type, _both(guard, counts))
            if guard is None:
                array = found
            else:
                nothing = nulls(self._length, field.type)
                array = choose(guard, found, nothing if array is None else array)
        return nulls(self._length, field.type) if array is None else array

    def _base_child(self, field: pa.Field[Any], where: Where, base: Mask) -> pa.Array[Any]:
        array = self._batch_column(field.name, field.type)
        if array is not None:
            return array if base.all() else _only(array, base)
        return self._converted(
            lambda rows: [r.get(field.name) for r in self._batch.records(rows)], field.type, where
        )

    def _guard(self, guard: Node) -> Where:
        return None if guard is TRUE else self._columns.array(guard)

    def _all_rows(self, rows: Where) -> Mask:
        return np.ones(self._length, np.bool_) if rows is None else rows


_MISFIT: Final = object()


def _or_misfit(value: Any, dtype: pa.DataType) -> Any:
    try:
        check_fits(value, dtype)
    except Misfit:
        return _MISFIT
    return value


def _same_family(kind: Kind, dtype: pa.DataType) -> bool:
    """Whether a column of numbers is filled from a NumPy array: only an int may become a float."""
    if kind == "bool":
        return pt.is_boolean(dtype)
    return pt.is_floating(dtype) or (kind == "int" and pt.is_integer(dtype))


def _is_time_type(kind: Kind, dtype: pa.DataType) -> bool:
    """Whether a column takes the ints of a kind, in its own unit."""
    if kind == "date":
        return pt.is_date(dtype)
    return pt.is_duration(dtype) if kind == "timedelta" else column_kind(dtype) == "datetime"


def _changed(values: Array, narrowed: Array) -> Mask:
    if values.dtype == np.int64 and narrowed.dtype == np.float64:
        return changed_as_double(values)
    if narrowed.dtype.kind == "f" and values.dtype.kind == "i":
        return changed_as_double(values) | (narrowed.astype(np.float64) != values)
    if narrowed.dtype.kind == "f":  # a type that was asked for rounds, within its range
        return np.isinf(narrowed) & ~np.isinf(values)
    info = np.iinfo(narrowed.dtype)
    return (values < info.min) | (values > min(int(info.max), 2**63 - 1))


def _only(array: pa.Array[Any], rows: Where) -> pa.Array[Any]:
    """The array with nulls at other rows."""
    if rows is None or pt.is_null(array.type):
        return array
    return choose(rows, array, nulls(len(array), array.type))


def _both(one: Where, other: Where) -> Where:
    if one is None or other is None:
        return other if one is None else one
    return one & other
