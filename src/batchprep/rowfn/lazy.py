"""Values that Python itself computes, known only as a pure function of nodes.

    r["s"].strip().lower()    a function of the string of r["s"]: it runs once per distinct string
    f"{r['a']}-{r['b']:.2f}"  a function of two nodes: it runs once per distinct pair of a block

Functions compose, so that only what a kernel needs becomes a node. Where the call may raise, the
rows for which it does are left to the interpreter.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeGuard

from batchprep.dtypes import DROPPED, SCALAR_DTYPE, Kind
from batchprep.errors import Unsupported
from batchprep.plan.build import either, has_kind, invert
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.plain import FIXED, behind_view, is_fixed, plain_object
from batchprep.plan.pure import outcome
from batchprep.plan.tables import Pure, Refused
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.composing import OBJECT, base_of, composed_of
from batchprep.rowfn.dependencies import TableRead
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.operands import (
    REGULAR,
    Operand,
    box,
    constant_operand,
    object_operand,
    sum_operand,
)
from batchprep.rowfn.sums import (
    COLUMNS,
    NOTHING,
    SCALARS,
    Lazy,
    SetDisplay,
    Static,
    Value,
    cells_of,
    constant,
    is_literal,
    literal,
    sequence,
    settled,
    single,
)

WITHOUT_TEXT: Final[frozenset[Kind]] = frozenset({"none", "bool", "int", "float"})

CONTAINERS: Final[frozenset[type]] = frozenset({tuple, frozenset, list, set, dict})


def apply_pure(
    frame: Frame,
    name: str,
    function: Callable[..., Any],
    values: Sequence[Value],
    kinds: tuple[Kind, ...] | None,
    node: ast.AST,
    *,
    fails: bool = True,
    safe: bool = True,
    items: tuple[Kind, ...] | None = None,
    key: Hashable = None,
    aliases: bool = False,
    kept: Sequence[Value] | None = None,
    makes: bool = True,
    keeps: bool = True,
    leaks: Sequence[Value] = (),
) -> Value:
    """function(*values): pure, and the same for equal names (and keys) and arguments.

    kinds  what its result may be; None where that is not known
    fails  whether it may raise: such rows are left to the interpreter here and now
    safe, items  see Lazy
    aliases  whether it may give an object that lives outside of the row
    kept  the values that its result may hold; None: any of them
    leaks  the values that its result is likely to hold as they are
    keeps  whether its results may be kept: they are not of any size
    makes  whether it may make an object: else equal calls give one
    """
    if any(isinstance(value, Sum) and not value.alternatives for value in values):
        return NOTHING  # no row gets here
    operands = _operands(frame, values, node)
    if not any(operand.nodes for operand in operands):
        found = _evaluated(frame, name, function, [o.decode(()) for o in operands], node)
        if not isinstance(found, Static) or not may_change(found.value):
            return found
        operands = [*operands, Operand("regular", (REGULAR,), lambda _: None)]
        function = partial(_without_last, function)
    nodes = tuple(dict.fromkeys(n for operand in operands for n in operand.nodes))
    fails = fails or any(operand.checked for operand in operands)
    places = [tuple(map(nodes.index, operand.nodes)) for operand in operands]
    known = (name, key, tuple((o.key, spots) for o, spots in zip(operands, places, strict=True)))
    safe = safe and kinds is not None and ({*kinds} <= WITHOUT_TEXT or all(map(_is_safe, values)))
    sure = not fails and all(v.pure.sure for v in values if isinstance(v, Lazy))
    only = kinds[0] if kinds is not None and len(kinds) == 1 and safe and sure else None
    kind = only if only in SCALAR_DTYPE else None
    shown = _shown(name, values[0], nodes) if values else name
    aliases = aliases or any(map(_lives_outside, operands))
    inside = [v for v, o in zip(values, operands, strict=False) if _is_composed(v, o)]
    covers = tuple(covered for v in inside for covered in _raising(v))
    composed = composed_of(function, operands, places)
    if not _is_fixed(kinds):
        _give_away(frame, values if kept is None else kept)
        # Equal calls give equal objects, not one.
        known = (known, frame.tracer.count((known, nodes)) if makes else 0)
    apart = _is_fixed(kinds) or not frame.tracer.composes
    inner = () if apart else tuple(_inner(values if kept is None else kept))
    base, then = base_of(function, values, operands)
    pure = Pure(
        known, composed, shown, sure, kind, covers=covers, aliases=aliases, inner=inner,
        base=base, then=then,
        keeps=keeps and all(v.pure.keeps for v in values if isinstance(v, Lazy)),
        handed_on=() if apart else tuple(_inner(leaks)),
    )  # fmt: skip
    if fails:
        frame.escape(outcome(pure, nodes, "raises"), f"{name} that raises", node)
    return Lazy(pure, nodes, kinds, items, safe)


def _inner(values: Sequence[Value]) -> Iterator[Node]:
    """Objects that functions of these values make a second time, inside of themselves."""
    for value in values:
        if isinstance(value, Lazy) and value.pure.key != OBJECT and not _is_fixed(value.kinds):
            yield outcome(value.pure, value.nodes, "any")
            yield from value.pure.inner


def _give_away(frame: Frame, values: Sequence[Value]) -> None:
    """Lists and dicts that the function made and that a result may hold: it may not change them."""
    for value in values:
        if isinstance(value, Sum):
            for cell in cells_of(value, frame.state.heap):
                cell.sealed = cell.given = cell is not frame.tracer.record


def _without_last(function: Callable[..., Any], *values: Any) -> Any:
    """The call of constants, whose result is made anew for each row."""
    return function(*values[:-1])


def _is_fixed(kinds: tuple[Kind, ...] | None) -> bool:
    """Whether values of these kinds cannot be changed."""
    return kinds is not None and COLUMNS.issuperset(kinds)


def _lives_outside(operand: Operand) -> bool:
    return operand.outside or (operand.constant and may_change(operand.decode(())))


def may_change(constant: Any) -> bool:
    """Whether an object may be changed, or hold one that may."""
    if type(constant) in {tuple, frozenset}:
        return any(map(may_change, constant))
    return type(constant) not in FIXED and not is_fixed(constant)


def is_data(constant: object) -> bool:
    """Whether an object is data and nothing else: what it holds is for check_constant."""
    return type(behind_view(constant)) in FIXED | CONTAINERS or is_fixed(constant)


def _raising(value: Lazy) -> tuple[Node, ...]:
    """The rows where the value, or what it is made of, raises."""
    return (outcome(value.pure, value.nodes, "raises"), *value.pure.covers)


def _is_safe(value: Value) -> bool:
    """Whether no lone surrogate comes in with an argument: Arrow could not hold the result."""
    if isinstance(value, Lazy):
        return value.safe
    return isinstance(value, Sum) or isinstance(value.value, (int, bytes))


def _shown(name: str, owner: Value, nodes: tuple[Node, ...]) -> str:
    """What the plan calls it: behind the methods that were called before, as `.strip.lower`."""
    if isinstance(owner, Lazy) and name.startswith(".") and len(nodes) == 1:
        return owner.pure.name + name
    return name


def _evaluated(
    frame: Frame, name: str, function: Callable[..., Any], values: list[Any], node: ast.AST
) -> Value:
    """The call of constants, made now."""
    try:
        found = function(*values)
    except Refused:
        frame.unsupported(node, f"{name} of an object that must not be touched")
    except Exception as error:  # noqa: BLE001  whatever it is, each row raises it
        frame.fault(TRUE, type(error).__name__, f"{name}: {type(error).__name__}", node)
        return NOTHING
    if type(found) is tuple and all(map(is_literal, found)):
        return sequence(tuple(map(literal, found)))
    return constant(found)


# ---------------------------------------------------------------------------------------- operands


def _operands(frame: Frame, values: Sequence[Value], node: ast.AST) -> list[Operand]:
    """The arguments. Of several nodes, a text that one string gives is made before they meet."""
    operands = [_operand(frame, value, node) for value in values]
    if len({read for operand in operands for read in operand.nodes}) < 2:
        return operands
    made = [
        settle(frame, v, node) if isinstance(v, Lazy) and _is_text_of_text(v) else v for v in values
    ]
    return [_operand(frame, value, node) for value in made]


def reads_row(frame: Frame, value: Value) -> bool:
    """Whether the value is read from the row."""
    if isinstance(value, Sum):
        return bool(sum_operand(value, frame.state.heap).nodes)
    return isinstance(value, Lazy)


def _is_composed(value: Value, operand: Operand) -> TypeGuard[Lazy]:
    """Whether the function itself makes the value: what raises there raises here."""
    return (
        isinstance(value, Lazy) and operand.key == value.pure.key and operand.nodes == value.nodes
    )


def _is_apart(frame: Frame, value: Lazy) -> bool:
    """Whether the value is handed on as one object, and not made again inside of a function."""
    return not frame.tracer.composes and not _is_fixed(value.kinds)


def _is_text_of_text(value: Lazy) -> bool:
    if value.kinds != ("str",) or not value.safe:
        return False
    return [read.dtype for read in value.nodes] == ["s"]


def _operand(frame: Frame, value: Value, node: ast.AST) -> Operand:
    if isinstance(value, Lazy) and _is_apart(frame, value):
        return object_operand(object_of(value))
    if isinstance(value, Lazy):
        function = value.pure.function
        read = function if len(value.nodes) == 1 else None
        checked = value.pure.key == OBJECT
        return Operand(
            value.pure.key, value.nodes, lambda raw: function(*raw), read, checked,
            outside=value.pure.aliases,
        )  # fmt: skip
    if isinstance(value, Static):
        check_constant(frame, value.value, node)
        return constant_operand(value.value)
    return _row_operand(frame, value, node)


def _row_operand(frame: Frame, value: Sum, node: ast.AST) -> Operand:
    try:
        return sum_operand(value, frame.state.heap)
    except Unsupported as refused:
        frame.unsupported(node, refused.reason)


def check_constant(frame: Frame, held: Any, node: ast.AST) -> None:
    """Refuse objects that run code of their own, note those that may change in place."""
    if isinstance(held, SetDisplay):
        frame.unsupported(node, "a set that the function makes, as a value")
    held = behind_view(held)
    if type(held) in FIXED or is_fixed(held):
        return
    if isinstance(held, type) and held.__module__ == "builtins":
        return
    if type(held) not in CONTAINERS:
        name = type(held).__name__
        frame.unsupported(node, f"a {name} in what Python evaluates by value cannot be compiled")
    if type(held) in {list, set, dict}:
        frame.tracer.depend(TableRead(held, held.copy()))
    content: Any = held
    for part in content:
        check_constant(frame, part, node)
        if type(held) is dict:
            check_constant(frame, content[part], node)


# ------------------------------------------------------------------------------------------ results


# A value that may be of more kinds is kept as an object.
MOST_KINDS: Final = 2


def held(frame: Frame, value: Value, node: ast.AST) -> Sum:
    """The value as part of a dict, tuple or result: as an object where its kind is not known."""
    if isinstance(value, Static) and is_own_object(value.value):
        return single("any", box(constant_operand(value.value)))
    if not isinstance(value, Lazy):
        return frame.lift(value, node)
    kinds = value.kinds
    if kinds is not None and COLUMNS.issuperset(kinds) and len(kinds) <= MOST_KINDS:
        return settle(frame, value, node)
    return single("any", object_of(value))


def is_own_part(held: object) -> bool:
    """Whether a part of a constant tuple is no set that the function makes."""
    return all(map(is_own_part, held)) if type(held) is tuple else not isinstance(held, SetDisplay)


def is_own_object(held: object) -> bool:
    """Whether a constant is given as the object that it is: no column holds its parts."""
    if isinstance(held, SetDisplay):
        return False
    if type(held) is tuple:
        return all(map(is_own_part, held)) and not all(
            isinstance(constant(part), Sum) for part in held
        )
    return held is not DROPPED


def has_objects(value: Value) -> bool:
    """Whether the value may be an object of the record, or of a kind that is not known."""
    if isinstance(value, Lazy):
        return value.kinds is None or not COLUMNS.issuperset(value.kinds)
    if not isinstance(value, Sum):
        return False
    return any(isinstance(a.payload, Node) and a.payload.dtype in {"r", "o"} for a in value)


def object_of(value: Lazy) -> Node:
    """The value as an object of the pool."""
    return value.nodes[0] if value.pure.key == OBJECT else outcome(value.pure, value.nodes, "any")


def opened(value: Value) -> Value:
    """The value; one that is an object of the pool on every row as a function of that."""
    if not isinstance(value, Sum) or value.kinds != ("any",):
        return value
    payload = value.alternatives[0].payload
    assert isinstance(payload, Node)  # noqa: S101  an object of the pool
    return Lazy(Pure(OBJECT, plain_object, OBJECT), (payload,), None)


def settle(frame: Frame, value: Lazy, node: ast.AST) -> Sum:
    """The value as nodes, one payload a kind."""
    kinds = SCALARS if value.kinds is None else value.kinds
    if not COLUMNS.issuperset(kinds):
        return single("any", object_of(value))
    if len(kinds) == 1 and kinds[0] != "none" and value.safe:
        return Sum((Alternative(kinds[0], TRUE, _part(value, kinds[0])),))
    code = _part(value, None)
    if not value.safe:
        reason = f"result of {value.pure.name} that no column holds"
        frame.escape(invert(any_kind(value, kinds)), reason, node)
    alternatives = [
        Alternative(kind, has_kind(code, kind), None if kind == "none" else _part(value, kind))
        for kind in kinds
    ]
    return settled(Sum(tuple(a for a in alternatives if a.guard is not FALSE)))


def is_kind(value: Lazy, kind: Kind) -> Node:
    """The rows where the value is of that kind."""
    if value.kinds is not None and kind not in value.kinds:
        return FALSE
    return has_kind(_part(value, None), kind)


def _part(value: Lazy, kind: Kind | None) -> Node:
    return outcome(value.pure, value.nodes, kind)


def any_kind(value: Lazy, kinds: Sequence[Kind]) -> Node:
    """The rows where the value is of one of these kinds."""
    found = FALSE
    for kind in kinds:
        found = either(found, is_kind(value, kind))
    return found
