"""Sums of kinds while a function is traced: made, merged, frozen."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from batchprep.batch.kinds import KIND_OF_TYPE
from batchprep.batch.times import tick_of, time_of
from batchprep.dtypes import DROPPED, INT64_MAX, INT64_MIN, SCALAR_DTYPE, TIME_BOUNDS, Kind
from batchprep.errors import Unsupported
from batchprep.plan.build import both, either, invert, select
from batchprep.plan.node import FALSE, TRUE, Node, const
from batchprep.plan.tables import Pure
from batchprep.plan.values import Alternative, Cell, Slot, Slots, Sum
from batchprep.rowfn.operands import boxed

Payload = Node | Slots | Cell | None
Heap = Mapping[Cell, Slots]

LITERAL_KIND: Final[dict[type, Kind]] = {
    type(None): "none",
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
}
# Kinds that a result may have where nothing is known of it.
SCALARS: Final[tuple[Kind, ...]] = ("none", "bool", "int", "float", "str")
# Kinds that a kernel works with.
COLUMNS: Final[frozenset[Kind]] = frozenset({*SCALARS, *SCALAR_DTYPE})
NOTHING: Final = Sum(())  # the value of an expression that raises for every row


class SetDisplay(frozenset[Any]):
    """A set that the function makes of constants: a container of `in`, elsewhere a new set."""


@dataclass(frozen=True, eq=False)
class Static:
    """A Python object known while tracing: a function, a module, a table, a big int."""

    value: Any


@dataclass(frozen=True, eq=False)
class Lazy:
    """A value known only as a pure function of nodes, see lazy.

    kinds  what it may be; None where that is not known
    items  kinds of what it holds, where it is a list of texts or the like
    safe   whether every result of these kinds can be held: no int beyond 64 bits, no surrogates
    """

    pure: Pure
    nodes: tuple[Node, ...]
    kinds: tuple[Kind, ...] | None
    items: tuple[Kind, ...] | None = None
    safe: bool = False


Value = Sum | Static | Lazy


def is_literal(value: object) -> bool:
    """Whether the object is a scalar that the graph can hold."""
    kind = LITERAL_KIND.get(type(value))
    if kind == "str":
        return _is_encodable(value)
    return kind is not None and (kind != "int" or INT64_MIN <= value <= INT64_MAX)  # pyright: ignore[reportOperatorIssue]


def _is_encodable(text: Any) -> bool:
    # Arrow holds UTF-8: a lone surrogate has none.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def constant(value: object) -> Value:
    """A Python object as a value: a sum where it is a scalar, a date, a time or a timedelta."""
    if is_literal(value):
        return literal(value)
    tick = tick_of(value)
    return Static(value) if tick is None else single(KIND_OF_TYPE[type(value)], const(tick))


def literal(value: Any) -> Sum:
    """None, a bool, an int64, a float or a string as a sum of one kind."""
    kind = LITERAL_KIND[type(value)]
    return single(kind, None if value is None else const(value))


def single(kind: Kind, payload: Payload) -> Sum:
    """A sum of one kind."""
    return Sum((Alternative(kind, TRUE, payload),))


def boolean(node: Node) -> Sum:
    """A bool."""
    return single("bool", node)


def sequence(items: tuple[Sum, ...], kind: Kind = "tuple") -> Sum:
    """A tuple of values."""
    slots = tuple(Slot(position, TRUE, item) for position, item in enumerate(items))
    origins = frozenset({Cell()}) if kind == "list" else frozenset[Cell]()
    return single(kind, Slots(slots, fresh=TRUE, origins=origins))


def literal_of(value: Value) -> object:
    """The Python object of a constant sum; raises LookupError where it is not one."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Lazy):
        raise LookupError  # noqa: TRY004  as for any value of the row
    if len(value.alternatives) == 1:
        only = value.alternatives[0]
        if only.guard is TRUE:
            if only.kind == "none":
                return None
            if isinstance(only.payload, Node) and only.payload.op == "const":
                held = only.payload.attr
                return time_of(only.kind, cast("int", held)) if only.kind in TIME_BOUNDS else held
            if only.kind in ("tuple", "list") and isinstance(only.payload, Slots):
                items = (literal_of(slot.value) for slot in only.payload.slots)
                return tuple(items) if only.kind == "tuple" else list(items)
    raise LookupError


class SumBuilder:
    """Collects alternatives with disjoint guards, one payload per kind."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._found: dict[Kind, tuple[Node, Payload]] = {}

    def put(self, kind: Kind, guard: Node, payload: Payload) -> None:
        """Add rows of a kind; a kind that is there already gets one merged payload."""
        if guard is FALSE:
            return
        if kind in self._found:
            before, old = self._found[kind]
            self._found[kind] = (either(before, guard), _pick(guard, payload, old, {}, {}))
        else:
            self._found[kind] = (guard, payload)

    def build(self) -> Sum:
        """The sum so far."""
        return Sum(tuple(Alternative(k, g, p) for k, (g, p) in self._found.items()))


def settled(value: Sum) -> Sum:
    """A lone kind holds on every row that goes on: the others deviate, their value is free."""
    if len(value.alternatives) != 1:
        return value
    return single(value.alternatives[0].kind, value.alternatives[0].payload)


def restricted(value: Sum, condition: Node) -> Sum:
    """The value on the rows of the condition."""
    kept = (Alternative(a.kind, both(condition, a.guard), a.payload) for a in value)
    return Sum(tuple(a for a in kept if a.guard is not FALSE))


def merge(condition: Node, yes: Value, no: Value, yes_heap: Heap, no_heap: Heap) -> Value:
    """`yes` where the condition holds, else `no`; cells are looked up in their own heaps."""
    if yes is no or condition is TRUE:
        return yes
    if condition is FALSE:
        return no
    if isinstance(yes, Static) and isinstance(no, Static) and yes.value is no.value:
        return yes
    return merge_sums(condition, lifted(yes), lifted(no), yes_heap, no_heap)


def merge_sums(condition: Node, yes: Sum, no: Sum, yes_heap: Heap, no_heap: Heap) -> Sum:
    """As merge, of sums."""
    if yes == no:
        return yes
    if yes.alternatives and no.alternatives and _need_objects(yes, no):
        return _merge_objects(condition, yes, no, yes_heap, no_heap)
    otherwise = invert(condition)
    merged: list[Alternative] = []
    for ours in yes:
        theirs = no.get(ours.kind)
        guard, payload = both(condition, ours.guard), ours.payload
        if theirs is not None:
            guard = either(guard, both(otherwise, theirs.guard))
            payload = _pick(condition, payload, theirs.payload, yes_heap, no_heap)
        merged.append(Alternative(ours.kind, guard, payload))
    merged += [
        Alternative(theirs.kind, both(otherwise, theirs.guard), theirs.payload)
        for theirs in no
        if yes.get(theirs.kind) is None
    ]
    return Sum(tuple(a for a in merged if a.guard is not FALSE))


def _need_objects(yes: Sum, no: Sum) -> bool:
    """Whether one is an object already, or a value of the record where the other is made here."""
    if "any" in {*yes.kinds, *no.kinds}:
        return True
    pairs = ((ours.payload, no.get(ours.kind)) for ours in yes)
    return any(
        theirs is not None and isinstance(ours, Node) != isinstance(theirs.payload, Node)
        for ours, theirs in pairs
        if ours is not None
    )


def _merge_objects(condition: Node, yes: Sum, no: Sum, yes_heap: Heap, no_heap: Heap) -> Sum:
    """As merge_sums, where one is an object of the pool: so is the result, but where absent."""
    absent = either(
        both(condition, yes.guard("absent")), both(invert(condition), no.guard("absent"))
    )
    heaps = {**yes_heap, **no_heap}
    for cell in (*cells_of(yes, heaps), *cells_of(no, heaps)):
        cell.sealed = cell.given = True
    ours, theirs = boxed(_present(yes), yes_heap), boxed(_present(no), no_heap)
    found = Alternative("any", invert(absent), select(condition, ours, theirs))
    gone = () if absent is FALSE else (Alternative("absent", absent, None),)
    return Sum((*gone, found))


def _present(value: Sum) -> Sum:
    return Sum(tuple(a for a in value if a.kind != "absent"))


def lifted(value: Value) -> Sum:
    """A sum: a constant tuple of scalars becomes one; other objects cannot."""
    if isinstance(value, Sum):
        return value
    if isinstance(value, Lazy):  # a frame settles it
        raise TypeError(value)
    if value.value is DROPPED:
        return single("absent", None)
    if type(value.value) is tuple:
        return sequence(tuple(lifted(constant(item)) for item in value.value))
    name = type(value.value).__name__
    reason = f"a constant of type {name} cannot be part of a compiled value"
    raise Unsupported(reason)


def _pick(condition: Node, yes: Payload, no: Payload, yes_heap: Heap, no_heap: Heap) -> Payload:
    if yes is no:
        return yes
    if isinstance(yes, Node) and isinstance(no, Node):
        return select(condition, yes, no)
    if isinstance(yes, (Slots, Cell)) and isinstance(no, (Slots, Cell)):
        return merge_slots(condition, _slots(yes, yes_heap), _slots(no, no_heap), yes_heap, no_heap)
    reason = "one branch gives a value of the record, the other a new dict, tuple or list"
    raise Unsupported(reason)


def _slots(payload: Slots | Cell, heap: Heap) -> Slots:
    if isinstance(payload, Slots):
        return payload
    payload.sealed = True
    found = heap[payload]
    return dataclasses.replace(found, origins=found.origins | {payload})


def merge_slots(condition: Node, yes: Slots, no: Slots, yes_heap: Heap, no_heap: Heap) -> Slots:
    """Slots of both: those at the front with the same keys are shared, the others guarded."""
    if yes is no:
        return yes
    otherwise = invert(condition)
    shared: list[Slot] = []
    for ours, theirs in zip(yes.slots, no.slots, strict=False):
        if ours.key != theirs.key or type(ours.key) is not type(theirs.key):
            break
        shared.append(_merge_slot(condition, ours, theirs, yes_heap, no_heap))
    count = len(shared)
    ours_only = [_guarded(slot, condition, yes_heap) for slot in yes.slots[count:]]
    theirs_only = [_guarded(slot, otherwise, no_heap) for slot in no.slots[count:]]
    return Slots(
        (*shared, *ours_only, *theirs_only),
        either(both(condition, yes.base), both(otherwise, no.base)),
        either(both(condition, yes.fresh), both(otherwise, no.fresh)),
        yes.origins | no.origins,
    )


def _merge_slot(condition: Node, ours: Slot, theirs: Slot, yes_heap: Heap, no_heap: Heap) -> Slot:
    if ours is theirs:
        return ours
    guard = either(both(condition, ours.guard), both(invert(condition), theirs.guard))
    value = merge_sums(condition, ours.value, theirs.value, yes_heap, no_heap)
    return Slot(ours.key, guard, value)


def _guarded(slot: Slot, condition: Node, heap: Heap) -> Slot:
    return Slot(slot.key, both(condition, slot.guard), frozen(slot.value, heap))


def frozen(value: Sum, heap: Heap) -> Sum:
    """The value with the content of its cells in their place."""
    if all(isinstance(a.payload, Node) or a.payload is None for a in value):
        return value
    return Sum(tuple(Alternative(a.kind, a.guard, _freeze(a.payload, heap)) for a in value))


def cells_of(value: Sum, heap: Heap) -> Iterator[Cell]:
    """Every dict and list that the value is or holds, once for each place; itself first."""
    for alternative in value:
        payload = alternative.payload
        if isinstance(payload, Cell):
            yield payload
            payload = heap[payload]
        if isinstance(payload, Slots):
            yield from payload.origins
            for slot in payload.slots:
                yield from cells_of(slot.value, heap)


def _freeze(payload: Payload, heap: Heap) -> Payload:
    if isinstance(payload, (Slots, Cell)):
        found = _slots(payload, heap)
        slots = (Slot(slot.key, slot.guard, frozen(slot.value, heap)) for slot in found.slots)
        return Slots(tuple(slots), found.base, found.fresh, found.origins)
    return payload
