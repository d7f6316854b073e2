"""Constant tables: `TABLE[r["k"]]`, `.get`, and `in` a constant collection."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from batchprep.batch.kinds import KIND_OF_TYPE
from batchprep.batch.times import tick_of
from batchprep.dtypes import INT64_MAX, INT64_MIN, SCALAR_DTYPE, TIME_BOUNDS, Kind
from batchprep.plan.build import both, build, either, select
from batchprep.plan.node import FALSE, TRUE, Node, const, intern
from batchprep.plan.pure import Held, total
from batchprep.plan.tables import KeyTable, ValueTable
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.dependencies import TableRead
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.sums import (
    NOTHING,
    SumBuilder,
    constant,
    is_literal,
    merge_sums,
    restricted,
    settled,
)

_UNHASHABLE: Final[frozenset[Kind]] = frozenset({"list", "struct"})
_FEW: Final = 4  # up to here comparisons in a row are cheaper than a search
_FILLER: Final[dict[Kind, Any]] = {
    "bool": False,
    "int": 0,
    "float": 0.0,
    "str": "",
    **dict.fromkeys(TIME_BOUNDS, 0),
}
_KEYS: Final[frozenset[Kind]] = frozenset(SCALAR_DTYPE)
_CELLS: Final[frozenset[Kind]] = frozenset({*SCALAR_DTYPE, "none"})


@dataclass(frozen=True)
class _Entries:
    """Keys that values of one kind can equal, and the value of each."""

    keys: tuple[Any, ...]
    values: tuple[Any, ...]


def table_lookup(
    frame: Frame, table: Mapping[Any, Any], key: Sum, node: ast.AST
) -> tuple[Sum, Node]:
    """(value, rows whose key is in the table)."""
    _check_keys(frame, table, node)
    frame.tracer.depend(TableRead(table, dict(table)))
    answer, present = NOTHING, FALSE
    for a in key:
        value, found = _lookup_kind(frame, table, a, node)
        found = both(a.guard, found)
        heap = frame.state.heap
        answer = merge_sums(a.guard, value, answer, heap, heap) if answer is not NOTHING else value
        present = either(present, found)
    _refuse_keys(frame, key, node)
    return answer, present


def contains(frame: Frame, container: Any, value: Sum, node: ast.AST) -> Node:
    """value in container, for a constant tuple, list, set or dict."""
    keys = list(container)
    _check_keys(frame, keys, node)
    if isinstance(container, (list, set, dict)):
        frame.tracer.depend(TableRead(container, container.copy()))
    result = FALSE
    hashed = isinstance(container, (set, frozenset, dict))
    for a in value:
        found = _member(frame, keys, a, node)
        result = either(result, both(a.guard, found))
    _refuse_keys(frame, value, node, hashed=hashed)
    return result


def element(frame: Frame, items: Sequence[Any], index: Sum, node: ast.AST) -> Sum:
    """items[index] of a constant tuple or list."""
    count = len(items)
    if isinstance(items, list):
        frame.tracer.depend(TableRead(items, items.copy()))
    result, wrong, other = SumBuilder(), FALSE, FALSE
    for a in index:
        if a.kind not in ("int", "bool") or not isinstance(a.payload, Node):
            bad = a.kind in ("none", "float", "str")
            wrong = either(wrong, a.guard if bad else FALSE)
            other = either(other, FALSE if bad else a.guard)
            continue
        at = build("b2i", a.payload) if a.kind == "bool" else a.payload
        outside = either(build("ige", at, const(count)), build("ilt", at, const(-count)))
        frame.fault(both(a.guard, outside), "IndexError", "IndexError", node)
        position = build("iadd", select(build("ilt", at, const(0)), const(count), const(0)), at)
        # An index that is out of range reads the filler.
        position = select(outside, const(0), build("iadd", position, const(1)))
        _put_all(frame, result, a.guard, position, tuple(items), node)
    frame.fault(wrong, "TypeError", "index of " + " or ".join(index.kinds), node)
    frame.escape(other, "index of " + " or ".join(index.kinds), node)
    return settled(result.build())


def _check_keys(frame: Frame, keys: Any, node: ast.AST) -> None:
    for key in keys:
        if not is_literal(key) and tick_of(key) is None:
            name = type(key).__name__
            frame.unsupported(node, f"a table with keys of type {name} cannot be compiled")


def _refuse_keys(frame: Frame, key: Sum, node: ast.AST, *, hashed: bool = True) -> None:
    """Keys that cannot be hashed raise; keys of kinds that we do not compile escape."""
    wrong, other = FALSE, FALSE
    for a in key:
        if hashed and a.kind in _UNHASHABLE:
            wrong = either(wrong, a.guard)
        elif a.kind not in _CELLS:
            other = either(other, a.guard)
    frame.fault(wrong, "TypeError", "unhashable key", node)
    if other is TRUE:
        frame.unsupported(node, f"a table key of kind {' or '.join(key.kinds)} cannot be compiled")
    frame.escape(other, "table key of kind " + " or ".join(key.kinds), node)


def _entries(table: Mapping[Any, Any], kind: Kind) -> _Entries:
    """The entries whose keys a value of that kind can equal: 1 == 1.0 == True."""
    found: dict[Any, Any] = {}
    for key, value in table.items():
        as_kind = _as_kind(key, kind)
        if as_kind is not None:
            found[as_kind] = value
    return _Entries(tuple(found), tuple(found.values()))


def _as_kind(key: Any, kind: Kind) -> Any:
    """The key as a value of the kind that equals it, or None where there is none."""
    if kind == "str":
        return key if isinstance(key, str) else None
    tick = tick_of(key)
    if kind in TIME_BOUNDS:
        return tick if KIND_OF_TYPE[type(key)] == kind else None
    if isinstance(key, str) or key is None or tick is not None:
        return None
    if kind == "float":
        widened = _as_float(key)
        return None if widened is None else widened + 0.0  # -0.0 and 0.0 are one key
    whole = not isinstance(key, float) or key.is_integer()
    if not whole or not INT64_MIN <= key <= INT64_MAX:
        return None
    return int(key)


def _as_float(key: float) -> float | None:
    if isinstance(key, float):
        return None if math.isnan(key) else key
    return float(key) if int(float(key)) == key else None


def _lookup_kind(
    frame: Frame, table: Mapping[Any, Any], a: Alternative, node: ast.AST
) -> tuple[Sum, Node]:
    if a.kind == "none":
        return (_value(frame, table[None], node), TRUE) if None in table else (NOTHING, FALSE)
    if a.kind not in _KEYS or not isinstance(a.payload, Node):
        return NOTHING, FALSE
    _escape_nan(frame, table, a, node)
    kind: Kind = "int" if a.kind == "bool" else a.kind
    entries = _entries(table, kind)
    if not entries.keys:
        return NOTHING, FALSE
    payload = build("b2i", a.payload) if a.kind == "bool" else a.payload
    position, entries = _position(kind, payload, entries)
    result = SumBuilder()
    _put_all(frame, result, TRUE, position, entries.values, node)
    return result.build(), build("ine", position, const(0))


def _escape_nan(frame: Frame, table: Any, a: Alternative, node: ast.AST) -> None:
    # `nan in (nan,)` depends on which object it is: Python asks for identity first.
    if a.kind == "float" and isinstance(a.payload, Node) and any(_is_nan(key) for key in table):
        frame.escape(both(a.guard, build("fisnan", a.payload)), "nan against a nan key", node)


def _is_nan(key: object) -> bool:
    return isinstance(key, float) and math.isnan(key)


def _position(kind: Kind, payload: Node, entries: _Entries) -> tuple[Node, _Entries]:
    """(1 + position among the entries or 0, the entries in that order)."""
    if kind == "str":
        places = {key: place for place, key in enumerate(entries.keys, start=1)}
        if payload.op == "const":
            return const(places.get(str(payload.attr), 0)), entries
        name = f"position of {len(places)} keys"
        place = total(name, lambda text: places.get(text, 0), (payload,), "int", Held(places))
        return place, entries
    order = sorted(range(len(entries.keys)), key=entries.keys.__getitem__)
    keys = tuple(entries.keys[i] for i in order)
    values = tuple(entries.values[i] for i in order)
    if payload.op == "const":
        return const(keys.index(payload.attr) + 1 if payload.attr in keys else 0), _Entries(
            keys, values
        )
    key_table = KeyTable(keys, SCALAR_DTYPE[kind])
    return intern("find", (payload,), key_table, "i"), _Entries(keys, values)


def _put_all(
    frame: Frame,
    result: SumBuilder,
    guard: Node,
    position: Node,
    values: tuple[Any, ...],
    node: ast.AST,
) -> None:
    """The value at a position (0: none of them), as a sum by the kinds of the values."""
    if position.op == "const":
        if position.attr:
            chosen = _value(frame, values[int(str(position.attr)) - 1], node)
            for a in restricted(chosen, guard):
                result.put(a.kind, a.guard, a.payload)
        return
    kinds: list[Kind] = [_literal_kind(frame, value, node) for value in values]
    for kind in dict.fromkeys(kinds):
        there = (
            TRUE if len(set(kinds)) == 1 else _gather([k == kind for k in kinds], "bool", position)
        )
        payload = None
        if kind != "none":
            filler = _FILLER[kind]
            cells = map(tick_of, values) if kind in TIME_BOUNDS else values
            column = [v if k == kind else filler for v, k in zip(cells, kinds, strict=True)]
            payload = _gather(column, kind, position)
        result.put(kind, both(guard, there), payload)


def _literal_kind(frame: Frame, value: object, node: ast.AST) -> Kind:
    if not is_literal(value) and tick_of(value) is None:
        name = type(value).__name__
        frame.unsupported(node, f"a table with values of type {name} cannot be compiled")
    return KIND_OF_TYPE[type(value)]


def _gather(values: list[Any], kind: Kind, position: Node) -> Node:
    dtype = SCALAR_DTYPE[kind]
    if all(type(v) is type(values[0]) and repr(v) == repr(values[0]) for v in values):
        return const(values[0])
    return intern("gather", (position,), ValueTable((_FILLER[kind], *values), dtype), dtype)


def _value(frame: Frame, value: object, node: ast.AST) -> Sum:
    return frame.lift(constant(value), node)


def _member(frame: Frame, keys: list[Any], a: Alternative, node: ast.AST) -> Node:
    if a.kind == "none":
        return const(None in keys)
    if a.kind not in _KEYS or not isinstance(a.payload, Node):
        return FALSE
    _escape_nan(frame, keys, a, node)
    kind: Kind = "int" if a.kind == "bool" else a.kind
    entries = _entries(dict.fromkeys(keys), kind)
    if not entries.keys:
        return FALSE
    payload = build("b2i", a.payload) if a.kind == "bool" else a.payload
    if len(entries.keys) <= _FEW:
        result = FALSE
        for key in sorted(entries.keys):  # a set of texts has another order in each process
            relation = {"str": "seq", "float": "feq"}.get(kind, "ieq")
            result = either(result, build(relation, payload, const(key)))
        return result
    position, _ = _position(kind, payload, entries)
    return build("ine", position, const(0))
