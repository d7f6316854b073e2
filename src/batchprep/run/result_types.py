"""The Arrow type of a result: it follows from the function and the schema, or from all values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.arrow_types import (
    arrow_type_of_kinds,
    column_kind,
    members_of_union,
    type_key,
)
from batchprep.batch.batch import Batch
from batchprep.batch.kinds import KIND_OF_TYPE
from batchprep.dtypes import EMPTY, KINDS, TIME_BOUNDS, Kind
from batchprep.plan.node import FALSE, Node, in_order
from batchprep.plan.stage import Output, Parts
from batchprep.run.misfits import DICTS

if TYPE_CHECKING:
    from batchprep.rowfn.trace import Trace

# Kinds whose Arrow type follows from the values, not from the kind alone.
DEEP: Final[frozenset[Kind]] = frozenset(
    {"struct", "tuple", "list", "datetime", "timedelta", "other"}
)


def result_type(trace: Trace, batch: Batch) -> pa.DataType:
    """Type of the column of results, known without running, the same for every batch."""
    return output_type(trace.stage.template, batch)


def depends_on_batch(output: Output) -> bool:
    """Whether the type of a result has types of the batch's own columns in it."""
    if output.field is not None or any(fields_of(kind, node) for kind, node in output.payloads):
        return True
    return any(
        parts.base is not FALSE or any(depends_on_batch(part.output) for part in parts.parts)
        for _, parts in output.parts
    )


def output_type(output: Output, batch: Batch | None) -> pa.DataType:
    """Type of one position of a result; without a batch where it does not depend on one."""
    if output.field is not None and batch is not None and _is_arrow(batch):
        return column_type(output.field, batch)
    members = members_of_union(output.kinds)
    if len(members) == 1:
        return _kind_type(output, members[0], batch)
    return pa.sparse_union([pa.field(kind, _kind_type(output, kind, batch)) for kind in members])


def _kind_type(output: Output, kind: Kind, batch: Batch | None) -> pa.DataType:
    if output.field is not None and batch is not None and kind in DEEP:
        return _field_type(output.field, kind, batch)
    parts = dict(output.parts).get(kind)
    if parts is not None:
        return _parts_type(kind, parts, batch)
    payload = dict(output.payloads).get(kind)
    if payload is not None and payload.dtype == "o":
        return pa.null()  # the values tell
    names = () if payload is None or batch is None else fields_of(kind, payload)
    if batch is not None and names and (kind not in TIME_BOUNDS or _is_arrow(batch)):
        return merged_type(_field_type(name, kind, batch) for name in names)
    return arrow_type_of_kinds({kind})


def _parts_type(kind: Kind, parts: Parts, batch: Batch | None) -> pa.DataType:
    if kind == "list":
        items = merged_type(output_type(part.output, batch) for part in parts.parts)
        return pa.list_(items)
    types: dict[str, pa.DataType] = {}
    if batch is not None and parts.base is not FALSE:
        types = {str(name): column_type(name, batch) for name in batch.names()}
    for part in parts.parts:
        found, key = output_type(part.output, batch), str(part.key)
        replaced = key in types and part.guard is not FALSE and not _always(part.guard)
        types[key] = merged_type((types[key], found)) if replaced else found
    return pa.struct(list(types.items()))


def _always(guard: Node) -> bool:
    return guard.op == "const" and bool(guard.attr)


def _is_arrow(batch: Batch) -> bool:
    return isinstance(batch.rows, ArrowRows)


def fields_of(kind: Kind, payload: Node) -> tuple[str, ...]:
    """Names of the fields whose own values a payload stands for: their types are the result's."""
    if payload.dtype == "r":
        return tuple(str(node.attr) for node in in_order([payload]) if node.op == "ref")
    return _times_of(payload) if kind in TIME_BOUNDS else ()


def _times_of(payload: Node) -> tuple[str, ...]:
    """Fields that dates or times are picked from; none where some are computed."""
    names: dict[str, None] = {}
    seen: set[Node] = set()
    stack = [payload]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op == "select":
            stack += node.args[1:]
        elif node.op == "buffer":
            names[cast("tuple[str, Kind]", node.attr)[0]] = None
        else:
            return ()
    return tuple(names)


def column_type(name: str, batch: Batch) -> pa.DataType:
    """Type of a column of the batch."""
    try:
        column = batch.arrow(name)
    except ValueError:  # values that no one column type holds: the rows' kinds decide
        # As dicts: a row that lacks the column has no part in its type.
        return type_of_values([row[name] for row in batch.to_records() if name in row])
    return pa.null() if column is None else column.type


def _field_type(name: str, kind: Kind, batch: Batch) -> pa.DataType:
    """Type of the values of one kind in a column."""
    dtype = column_type(name, batch)
    if pt.is_union(dtype) and not (kind == "other" and _is_arrow(batch)):
        members = {field.name: field.type for field in cast("pa.UnionType", dtype)}
        return members.get(kind, pa.null())
    return dtype


def merged_type(types: Iterable[pa.DataType]) -> pa.DataType:
    """One type that holds the values of all: int and float make double, other mixes a union."""
    distinct = list({type_key(dtype): dtype for dtype in types}.values())
    if len(distinct) > 1:
        distinct = [dtype for dtype in distinct if not pt.is_null(dtype)]
    if not distinct:
        return pa.null()
    if len(distinct) == 1:
        return distinct[0]
    by_kind: dict[Kind, list[pa.DataType]] = {}
    for dtype in distinct:
        for kind, member in _members(dtype):
            by_kind.setdefault(kind, []).append(member)
    return _of_members({kind: _same_kind(kind, found) for kind, found in by_kind.items()})


def _members(dtype: pa.DataType) -> list[tuple[Kind, pa.DataType]]:
    if pt.is_union(dtype):
        return [(cast("Kind", field.name), field.type) for field in cast("pa.UnionType", dtype)]
    return [(column_kind(dtype), dtype)]


def _of_members(types: Mapping[Kind, pa.DataType]) -> pa.DataType:
    filled = types.keys() - EMPTY
    if len(filled) == 1:
        return types[next(iter(filled))]
    if filled == {"int", "float"}:
        return pa.float64()
    return pa.sparse_union([pa.field(kind, types[kind]) for kind in KINDS if kind in types])


def _same_kind(kind: Kind, types: Sequence[pa.DataType]) -> pa.DataType:
    distinct = list({type_key(dtype): dtype for dtype in types}.values())
    if len(distinct) == 1:
        return distinct[0]
    if kind == "struct":
        return _merged_struct(cast("Sequence[pa.StructType]", distinct))
    if kind == "list":
        lists = cast("Sequence[pa.ListType[Any]]", distinct)
        return pa.list_(merged_type(dtype.value_type for dtype in lists))
    if kind in {"date", "datetime", "timedelta", "other"}:
        return distinct[0]
    return arrow_type_of_kinds({kind})


def _merged_struct(types: Sequence[pa.StructType]) -> pa.DataType:
    fields: dict[str, list[pa.DataType]] = {}
    for field in chain.from_iterable(types):
        fields.setdefault(field.name, []).append(field.type)
    return pa.struct([(name, merged_type(found)) for name, found in fields.items()])


def type_of_values(values: Sequence[Any]) -> pa.DataType:
    """Type that follows from the kinds of all values; struct keys in first-seen order."""
    # One pass over the types: only the kinds in DEEP look at the values.
    types: dict[Kind, set[type]] = {}
    for type_ in set(map(type, values)):
        kind: Kind = "struct" if type_ in DICTS else KIND_OF_TYPE.get(type_, "other")
        types.setdefault(kind, set()).add(type_)
    members = members_of_union(types)
    found = [_type_of_kind(kind, values, types.get(kind, set())) for kind in members]
    if len(members) == 1:
        return found[0]
    return pa.sparse_union([pa.field(*member) for member in zip(members, found, strict=True)])


def _type_of_kind(kind: Kind, values: Sequence[Any], types: set[type]) -> pa.DataType:
    """Type of the values that are of these types, which are all those of the kind."""
    if kind not in DEEP:
        return arrow_type_of_kinds({kind})
    values = [value for value in values if type(value) in types]
    match kind:
        case "struct":
            keys = dict.fromkeys(chain.from_iterable(values))
            names = [key for key in keys if type(key) is str]
            return pa.struct([(n, type_of_values(_present(values, n))) for n in names])
        case "tuple":
            longest = max(map(len, values), default=0)
            columns = [[value[i] for value in values if i < len(value)] for i in range(longest)]
            return pa.struct([(str(i), type_of_values(c)) for i, c in enumerate(columns)])
        case "list":
            return pa.list_(type_of_values(list(chain.from_iterable(values))))
        case _:
            return _arrows_guess(values)


def _present(values: Sequence[Mapping[Any, Any]], key: Any) -> list[Any]:
    return [value[key] for value in values if key in value]


def _arrows_guess(values: Sequence[Any]) -> pa.DataType:
    """What Arrow makes of the first value that it can hold: the others must fit that.

    Of decimals it is the type that has the digits of all.
    """
    tries: Iterable[Sequence[Any]] = ([value] for value in values)
    if values and all(isinstance(value, Decimal) for value in values):
        tries = chain([values], tries)
    for some in tries:
        try:
            return pa.array(some).type
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue
    return pa.null()
