"""Arguments of pure functions: which nodes each is read from, and how."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from batchprep.batch.kinds import ABSENT
from batchprep.batch.times import time_of
from batchprep.dtypes import EMPTY, KIND_CODE, TIME_BOUNDS, Kind
from batchprep.errors import Unsupported
from batchprep.plan.build import kind_code, select
from batchprep.plan.node import FALSE, TRUE, Node, intern
from batchprep.plan.plain import plain_object
from batchprep.plan.pure import Held, outcome
from batchprep.plan.stage import Deviation
from batchprep.plan.tables import Outcome, Pure
from batchprep.plan.values import Alternative, Cell, Slots, Sum

Decode = Callable[[Sequence[Any]], Any]
Heap = Mapping[Cell, Slots]


@dataclass(frozen=True)
class Operand:
    """An argument. Without nodes it is a constant.

    read  the same from the value of its only node; AS_IT_IS, or None where there is no such way
    checked  whether reading it may refuse: an object that must not be touched
    constant  whether it is one object, the same for every row
    outside  whether it may be an object that lives outside of the row
    """

    key: Hashable
    nodes: tuple[Node, ...]
    decode: Decode
    read: Callable[[Any], Any] | None = None
    checked: bool = False
    constant: bool = False
    outside: bool = False


def AS_IT_IS(value: Any) -> Any:  # noqa: N802  a constant, asked for by identity
    """What a node holds is the argument."""
    return value


BOX: Final = "box"  # the key of a value that is made an object of the pool begins so
# The rows where no value is irregular.
REGULAR: Final = intern("regular", (), None, "b")
# Kinds whose payload is not what Python holds.
DECODE: Final[dict[Kind, Callable[[Any], Any]]] = {k: partial(time_of, k) for k in TIME_BOUNDS}


def constant_operand(value: object) -> Operand:
    """A Python object as an argument."""
    return Operand(fingerprint(value), (), lambda _: value, constant=True)


def fingerprint(value: object) -> Hashable:
    """A key that equal constants share; of other objects, the object itself."""
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return type(value).__name__, repr(value)
    return Held(value)


def sum_operand(value: Sum, heap: Heap) -> Operand:
    """A value of the row: of several kinds, its kind code is read first.

    Errors: Unsupported for a kind that no node holds
    """
    if not value.alternatives:  # no row gets here
        return constant_operand(None)
    if len(value.alternatives) == 1:
        return _payload_operand(value.alternatives[0], heap)
    field = _one_field(value)
    if field is not None:
        return object_operand(field)
    code = kind_code(tuple((a.kind, a.guard) for a in value))
    parts = [_payload_operand(a, heap) for a in value]
    cuts = _cuts(parts)
    places = {KIND_CODE[a.kind]: place for place, a in enumerate(value)}
    decodes = [part.decode for part in parts]

    def decoded(raw: Sequence[Any]) -> Any:
        place = places.get(raw[0], 0)
        return decodes[place](raw[cuts[place]])

    key = ("sum", tuple((a.kind, part.key) for a, part in zip(value, parts, strict=True)))
    nodes = (code, *(n for part in parts for n in part.nodes))
    return Operand(key, nodes, decoded, checked=any(part.checked for part in parts))


def _cuts(parts: Sequence[Operand]) -> list[slice]:
    """Where each part's nodes lie behind the first one."""
    ends = list(itertools.accumulate((len(part.nodes) for part in parts), initial=1))
    return [slice(start, end) for start, end in itertools.pairwise(ends)]


def _one_field(value: Sum) -> Node | None:
    """The objects of a field, where the value is that of one field and some kind needs them."""
    payloads = [a.payload for a in value if isinstance(a.payload, Node)]
    refs = {p.attr for p in payloads if p.op == "ref"}
    named = {_field_of(p) for p in payloads}
    if len(refs) != 1 or len(named) != 1:
        return None
    if any(test.attr == "absent" for test in _kind_tests(value.guard("none"))):
        return None  # .get gives None where the field is absent
    codes = {g.args[0] for a in value for g in _kind_tests(a.guard)}
    field = next(iter(refs))
    whole = all(code.op == "kind" and code.attr == field for code in codes)
    return object_leaf(cast("str", field)) if whole and codes else None


def _field_of(payload: Node) -> Hashable:
    if payload.op == "ref":
        return payload.attr
    return payload.attr[0] if payload.op == "buffer" else payload  # pyright: ignore[reportIndexIssue, reportOptionalSubscript, reportUnknownVariableType]


def _kind_tests(guard: Node) -> list[Node]:
    """The has_kind nodes that a guard is made of; the guard itself where it is anything else."""
    found: list[Node] = []
    stack = [guard]
    while stack:
        node = stack.pop()
        if node.op in {"and", "or", "not"}:
            stack.extend(node.args)
        elif node.op == "has_kind":
            found.append(node)
        elif node.op != "const":
            return [intern("has_kind", (guard,), "other", "b")]  # something else: no field's own
    return found


def object_leaf(name: str | None) -> Node:
    """The objects of a field; of None, the records themselves."""
    return intern("object", (), name, "o")


def object_operand(node: Node) -> Operand:
    """An object of the pool, on rows where reading it changes nothing."""
    return Operand("object", (node,), lambda raw: plain_object(raw[0]), plain_object, checked=True)


def _payload_operand(alternative: Alternative, heap: Heap) -> Operand:
    kind, payload = alternative.kind, alternative.payload
    if kind == "absent":
        return constant_operand(ABSENT)
    if kind in EMPTY:
        return constant_operand(None)
    if isinstance(payload, (Slots, Cell)):
        return _slots_operand(kind, payload, heap)
    if payload is None:
        reason = f"a value of kind {kind} cannot be used here"
        raise Unsupported(reason)
    if payload.dtype in {"r", "o"}:
        return object_operand(as_objects(payload))
    decode = DECODE.get(kind)
    if payload.op == "const":
        return constant_operand(decode(payload.attr) if decode else payload.attr)
    plain: Decode = (lambda raw: raw[0]) if decode is None else (lambda raw: decode(raw[0]))
    return Operand(kind, (payload,), plain, decode or AS_IT_IS)


def as_objects(payload: Node) -> Node:
    """Numbers in the pool of objects of what refs stand for."""
    if payload.dtype == "o":
        return payload
    if payload.op == "ref":
        return object_leaf(cast("str", payload.attr))
    condition, yes, no = payload.args  # refs are only ever chosen between
    return select(condition, as_objects(yes), as_objects(no))


def _slots_operand(kind: Kind, payload: Slots | Cell, heap: Heap) -> Operand:
    """A tuple, list or dict that the function made: a new one for each call."""
    slots = heap[payload] if isinstance(payload, Cell) else payload
    cells = {payload} if isinstance(payload, Cell) else slots.origins
    if slots.base is not FALSE and slots.fresh is FALSE and not slots.slots:
        return object_operand(object_leaf(None))
    starts = [_guard_operand(slots.base)]
    if slots.base is not FALSE:
        starts.append(object_operand(object_leaf(None)))
    guards = [_guard_operand(slot.guard) for slot in slots.slots]
    values = [sum_operand(slot.value, heap) for slot in slots.slots]
    parts = [*starts, *guards, *values]
    ends = list(itertools.accumulate((len(p.nodes) for p in parts), initial=0))
    cuts = [slice(start, end) for start, end in itertools.pairwise(ends)]
    keys = [slot.key for slot in slots.slots]
    decodes = [part.decode for part in parts]
    first, count = len(starts), len(keys)

    def made(raw: Sequence[Any]) -> Any:
        given = [decode(raw[cut]) for decode, cut in zip(decodes, cuts, strict=True)]
        found: dict[Any, Any] = dict(given[1]) if given[0] else {}
        held, values = given[first : first + count], given[first + count :]
        found.update((k, v) for k, holds, v in zip(keys, held, values, strict=True) if holds)
        return _MAKERS[kind](found)

    key = (kind, frozenset(cells), tuple(keys), tuple(part.key for part in parts))
    nodes = tuple(n for part in parts for n in part.nodes)
    return Operand(key, nodes, made, checked=any(part.checked for part in parts))


def _guard_operand(guard: Node) -> Operand:
    if guard in (TRUE, FALSE):
        return constant_operand(guard is TRUE)
    return Operand("bool", (guard,), lambda raw: raw[0], AS_IT_IS)


def _in_place(found: dict[Any, Any]) -> Iterable[Any]:
    return (found[place] for place in sorted(found))


_MAKERS: Final[dict[Kind, Callable[[dict[Any, Any]], Any]]] = {
    "struct": lambda found: found,
    "list": lambda found: list(_in_place(found)),
    "tuple": lambda found: tuple(_in_place(found)),
}


def boxed(value: Sum, heap: Heap) -> Node:
    """The value as an object of the pool, whatever its kind."""
    if len(value.alternatives) == 1:
        payload = value.alternatives[0].payload
        if isinstance(payload, Node) and payload.dtype in {"r", "o"}:
            return as_objects(payload)
    field = _one_field(value)
    if field is not None:
        return field
    return box(sum_operand(value, heap))


def box(operand: Operand) -> Node:
    """The argument as an object of the pool."""
    # A constant needs some array that tells how many rows there are.
    nodes = tuple(dict.fromkeys(operand.nodes)) or (REGULAR,)
    spots = [nodes.index(node) for node in operand.nodes]
    decode = operand.decode

    def made(*raw: Any) -> Any:
        return decode([raw[spot] for spot in spots])

    key = (BOX, operand.key, tuple(spots))
    pure = Pure(key, made, "object", sure=not operand.checked, fresh=not operand.constant)
    return outcome(pure, nodes, "any")


def refused_rows(nodes: Iterable[Node]) -> Iterator[Deviation]:
    """Rows whose boxes would hold an object that must not be touched, of those among the nodes."""
    for node in nodes:
        if isinstance(node.attr, Outcome) and node.attr.kind == "any":
            pure = node.attr.pure
            if not pure.sure and isinstance(pure.key, tuple) and pure.key[0] == BOX:
                guard = outcome(pure, node.args, "raises")
                yield Deviation(guard, "an object of a type that is not known", None, ())
