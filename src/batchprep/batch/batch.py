"""A batch: named columns over the caller's own rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa

from batchprep.batch.access import form_of_records, form_of_type, types_of_records
from batchprep.batch.arrow_rows import ArrowRows, check_distinct
from batchprep.batch.column import Column
from batchprep.batch.messages import not_arrow_text, not_record_text
from batchprep.batch.preview import preview
from batchprep.batch.record_rows import RecordRows
from batchprep.batch.rows import Indices, Rows
from batchprep.schema import Field, RecordForm

_ColumnKey = tuple[str, frozenset[str], int, int]


class Origin(NamedTuple):
    """Where a batch was read: the file, and the number of its first row there."""

    file: str
    row: int


class Batch:
    """Named columns, converted when they are first asked for and then kept.

    `rows` is what the batch stands on; `start` the number of its first row in the source;
    `origin` its place in a file, None for data in memory. from_records and from_arrow make one;
    it goes wherever records do, and into anything that takes Arrow data.

    >>> batch = from_records([{"a": 1, "b": "x"}, {"a": 2}])
    >>> len(batch), batch.names(), batch.to_records()
    (2, ('a', 'b'), [{'a': 1, 'b': 'x'}, {'a': 2}])
    """

    def __init__(self, rows: Rows, start: int = 0, origin: Origin | None = None) -> None:
        self.rows = rows
        self.start = start
        self.origin = origin
        self._length = len(rows)
        self._fields: dict[str, Field] = {}
        self._columns: dict[_ColumnKey, Column] = {}

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return preview(self)

    @property
    def form(self) -> RecordForm:
        """How fields are read: r["a"] (mapping) or r.a (attributes)."""
        return self.rows.form

    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return self.rows.names()

    def field(self, name: str) -> Field:
        """What the kinds of a column are in this batch by itself."""
        if name not in self._fields:
            self._fields[name] = self.rows.field(name)
        return self._fields[name]

    def null_free(self, name: str) -> bool:
        """Whether the column is known to have no null; False promises nothing."""
        return self.rows.null_free(name)

    def column(self, name: str, field: Field | None = None) -> Column:
        """The column in exactly the kinds of the field; other values are irregular."""
        field = self.field(name) if field is None else field
        key = (name, field.kinds, field.low, field.high)
        found = self._columns.get(key)
        if found is None:
            found = self._columns[key] = self.rows.column(name, field)
        return found

    def columns(self, fields: Mapping[str, Field], threads: int = 1) -> dict[str, Column]:
        """Several columns, by the names of their fields: dicts are read in one pass.

        `threads` may read dicts at the same time.

        >>> batch = from_records([{"a": 1, "b": 2.5}])
        >>> columns = batch.columns({name: batch.field(name) for name in batch.names()})
        >>> columns["b"].buffers["float"].tolist()
        [2.5]
        """
        if isinstance(self.rows, RecordRows):
            missing = [f for name, f in fields.items() if _key(name, f) not in self._columns]
            for name, column in (self.rows.columns(missing, threads) or {}).items():
                self._columns[_key(name, fields[name])] = column
        found: dict[str, Column] = {}
        for name, field in fields.items():
            found[name] = self.column(name, field)
        return found

    def records(self, indices: Indices | None = None) -> Sequence[Any]:
        """Records of these rows: the caller's own objects, or dicts rebuilt from Arrow."""
        return self.rows.records(indices)

    def values(self, name: str, indices: Indices | None = None) -> list[Any]:
        """Python values of one column at these rows."""
        return self.rows.values(name, indices)

    def arrow(self, name: str) -> pa.Array[Any] | None:
        """The column as Arrow, the caller's own array where there is one; None if unknown."""
        return self.rows.arrow(name) if name in self._known_names else None

    @cached_property
    def _known_names(self) -> frozenset[str]:
        return frozenset(self.names())

    def to_records(self) -> list[dict[str, Any]]:
        """Every row as a dict: absent keys stay absent, NaN stays apart from None.

        >>> from_records([{"a": 1}, {"b": None}]).to_records()
        [{'a': 1}, {'b': None}]
        """
        return self.rows.dicts()

    def to_arrow(self) -> pa.Table:
        """The batch as an Arrow table; an absent key becomes null.

        Errors:  ValueError for a value that its column's type cannot hold
        """
        names = self.names()
        table = pa.table([self.rows.arrow(name) for name in names], names=[str(n) for n in names])
        return table if names else table_without_columns(len(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def _key(name: str, field: Field) -> _ColumnKey:
    return name, field.kinds, field.low, field.high


def table_without_columns(length: int) -> pa.Table:
    """A table that has rows and no columns."""
    return pa.table({"": pa.nulls(length)}).select([])


def from_records(records: Iterable[Any], schema: pa.Schema | None = None) -> Batch:
    """Batch of dicts, dataclass instances or named tuples; the records are kept, not copied.

    A schema fixes the columns and their types: a value that does not fit is kept as it is,
    and is an error only where it must become Arrow.

    >>> from_records([{"price": 2.5}, {"price": None}]).to_arrow()["price"].to_pylist()
    [2.5, None]
    """
    rows = records if isinstance(records, (list, tuple)) else list(records)
    # Once per type: asking each record took longer than reading two fields of it.
    strange = {type_ for type_ in types_of_records(rows) if form_of_type(type_) is None}
    for number, record in enumerate(rows) if strange else ():
        if type(record) in strange:
            raise TypeError(not_record_text(record, number))
    return Batch(RecordRows(rows, form_of_records(rows), schema))


def from_arrow(data: Any) -> Batch:
    """Batch over Arrow data: anything with __arrow_c_stream__ or __arrow_c_array__.

    >>> from_arrow(pa.table({"n": [1, 2]})).to_records()
    [{'n': 1}, {'n': 2}]
    """
    table = table_of(data)
    check_distinct(table.schema.names)
    return Batch(ArrowRows(table))


def table_of(data: Any) -> pa.Table | pa.RecordBatch:
    """Arrow data as a table, zero-copy where it is in memory."""
    if isinstance(data, (pa.Table, pa.RecordBatch)):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(data).read_all()
    if hasattr(data, "__arrow_c_array__"):
        return pa.record_batch(data)
    raise TypeError(not_arrow_text(data))
