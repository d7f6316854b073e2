"""Values that Python itself computes, known only as a pure function of nodes.

    r["s"].strip().lower()    a function of the string of r["s"]: it runs once per distinct string
    f"{r['a']}-{r['b']:.2f}"  a function of two nodes: it runs once per distinct pair of a block

Functions compose, so that only what a kernel needs becomes a node. Where the call may raise, the
rows for which it does are left to the interpreter.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

from batchprep.batch.times import time_of
from batchprep.dtypes import EMPTY, KIND_CODE, SCALAR_DTYPE, TIME_BOUNDS, Kind
from batchprep.plan.build import either, has_kind, invert, kind_code
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.pure import Held, outcome
from batchprep.plan.tables import Pure
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.dependencies import TableRead
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.sums import (
    NOTHING,
    Lazy,
    Static,
    Value,
    constant,
    is_literal,
    literal,
    literal_of,
    sequence,
    settled,
)

# Kinds that a result may have where nothing is known of it.
SCALARS: Final[tuple[Kind, ...]] = ("none", "bool", "int", "float", "str")

WITHOUT_TEXT: Final[frozenset[Kind]] = frozenset({"none", "bool", "int", "float"})

Decode = Callable[[Sequence[Any]], Any]


# Constants that cannot change in place, and whose methods are Python's own.
FIXED: Final[frozenset[type]] = frozenset({
    type(None), bool, int, float, complex, str, bytes, range, slice, date, datetime, time,
    timedelta, timezone, ZoneInfo, Decimal, Fraction, re.Pattern, re.Match, re.RegexFlag,
})  # fmt: skip
CONTAINERS: Final[frozenset[type]] = frozenset({tuple, frozenset, list, set, dict})


@dataclass(frozen=True)
class _Operand:
    """An argument: which nodes it is read from, and how. Without nodes it is a constant.

    read  the same from the value of its only node; AS_IT_IS, or None where there is no such way
    """

    key: Hashable
    nodes: tuple[Node, ...]
    decode: Decode
    read: Callable[[Any], Any] | None = None


def AS_IT_IS(value: Any) -> Any:  # noqa: N802  a constant, asked for by identity
    """What a node holds is the argument."""
    return value


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
) -> Value:
    """function(*values): pure, and the same for equal names (and keys) and arguments.

    kinds  what its result may be; None where that is not known
    fails  whether it may raise: such rows are left to the interpreter here and now
    safe, items  see Lazy
    """
    if any(isinstance(value, Sum) and not value.alternatives for value in values):
        return NOTHING  # no row gets here
    operands = _operands(frame, values, node)
    if not any(operand.nodes for operand in operands):
        return _evaluated(frame, name, function, [o.decode(()) for o in operands], node)
    nodes = tuple(dict.fromkeys(n for operand in operands for n in operand.nodes))
    places = [tuple(map(nodes.index, operand.nodes)) for operand in operands]
    known = (name, key, tuple((o.key, spots) for o, spots in zip(operands, places, strict=True)))
    safe = safe and kinds is not None and ({*kinds} <= WITHOUT_TEXT or all(map(_is_safe, values)))
    sure = not fails and all(v.pure.sure for v in values if isinstance(v, Lazy))
    only = kinds[0] if kinds is not None and len(kinds) == 1 and safe and sure else None
    kind = only if only in SCALAR_DTYPE else None
    shown = _shown(name, values[0], nodes)
    pure = Pure(known, _composed(function, operands, places), shown, sure, kind)
    if fails:
        frame.escape(outcome(pure, nodes, "raises"), f"{name} that raises", node)
    return Lazy(pure, nodes, kinds, items, safe)


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
    except Exception as error:  # noqa: BLE001  whatever it is, each row raises it
        frame.fault(TRUE, type(error).__name__, f"{name}: {type(error).__name__}", node)
        return NOTHING
    if type(found) in {list, tuple} and all(map(is_literal, found)):
        items = tuple(map(literal, found))
        return sequence(items, "list" if type(found) is list else "tuple")
    return constant(found)


def _composed(
    function: Callable[..., Any], operands: list[_Operand], places: list[tuple[int, ...]]
) -> Callable[..., Any]:
    """The function of what the nodes hold. It runs per value: the usual forms have no loop."""
    first, *others = operands
    if not any(operand.nodes for operand in others) and first.read is not None:
        return _of_first(function, first.read, [operand.decode(()) for operand in others])
    if all(o.read is AS_IT_IS for o in operands) and places == [(n,) for n in range(len(places))]:
        return function
    decoders = [(operand.decode, spots) for operand, spots in zip(operands, places, strict=True)]

    def called(*raw: Any) -> Any:
        return function(*[decode([raw[spot] for spot in spots]) for decode, spots in decoders])

    return called


def _of_first(
    function: Callable[..., Any], read: Callable[[Any], Any], rest: list[Any]
) -> Callable[[Any], Any]:
    if read is AS_IT_IS:
        return (lambda raw: function(raw, *rest)) if rest else function
    return (lambda raw: function(read(raw), *rest)) if rest else lambda raw: function(read(raw))


# ---------------------------------------------------------------------------------------- operands


def _operands(frame: Frame, values: Sequence[Value], node: ast.AST) -> list[_Operand]:
    """The arguments. Of several nodes, a text that one string gives is made before they meet."""
    operands = [_operand(frame, value, node) for value in values]
    if len({read for operand in operands for read in operand.nodes}) < 2:
        return operands
    made = [
        settle(frame, v, node) if isinstance(v, Lazy) and _is_text_of_text(v) else v for v in values
    ]
    return [_operand(frame, value, node) for value in made]


def _is_text_of_text(value: Lazy) -> bool:
    if value.kinds != ("str",) or not value.safe:
        return False
    return [read.dtype for read in value.nodes] == ["s"]


def _operand(frame: Frame, value: Value, node: ast.AST) -> _Operand:
    if isinstance(value, Lazy):
        function = value.pure.function
        read = function if len(value.nodes) == 1 else None
        return _Operand(value.pure.key, value.nodes, lambda raw: function(*raw), read)
    try:
        held = literal_of(value)
    except LookupError:
        return _sum_operand(frame, frame.lift(value, node), node)
    if isinstance(value, Static):
        _check_constant(frame, held, node)
    return _Operand(_fingerprint(held), (), lambda _: held)


def _check_constant(frame: Frame, held: Any, node: ast.AST) -> None:
    """Refuse objects that run code of their own, note those that may change in place."""
    if type(held) in FIXED or (isinstance(held, type) and held.__module__ == "builtins"):
        return
    if type(held) not in CONTAINERS:
        name = type(held).__name__
        frame.unsupported(node, f"a {name} in what Python evaluates by value cannot be compiled")
    if type(held) in {list, set, dict}:
        frame.tracer.depend(TableRead(held, held.copy()))
    content: Any = held
    for part in content:
        _check_constant(frame, part, node)
        if type(held) is dict:
            _check_constant(frame, content[part], node)


def _fingerprint(value: Any) -> Hashable:
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return type(value).__name__, repr(value)
    return Held(value)


def _sum_operand(frame: Frame, value: Sum, node: ast.AST) -> _Operand:
    """A value of the row: of several kinds, its kind code is read first."""
    if value.kinds in {("tuple",), ("list",), ("struct",)}:
        return _sequence_operand(frame, value, node)
    if not value.alternatives:  # no row gets here
        return _Operand("None", (), lambda _: None)
    value = _readable(frame, value, node)
    parts = [a for a in value if a.kind not in EMPTY]
    payloads = tuple(a.payload for a in parts if isinstance(a.payload, Node))
    if len(value.alternatives) == 1:
        only = value.alternatives[0].kind
        if only in EMPTY:
            return _Operand("None", (), lambda _: None)
        decode = DECODE.get(only)
        plain: Decode = (lambda raw: raw[0]) if decode is None else (lambda raw: decode(raw[0]))
        return _Operand(only, payloads, plain, decode or AS_IT_IS)
    code = kind_code(tuple((a.kind, a.guard) for a in value))
    places = {KIND_CODE[a.kind]: place for place, a in enumerate(parts, start=1)}
    converts = [DECODE.get(a.kind) for a in parts]

    def decoded(raw: Sequence[Any]) -> Any:
        place = places.get(raw[0], 0)
        if place == 0:
            return None
        convert = converts[place - 1]
        return raw[place] if convert is None else convert(raw[place])

    return _Operand(("sum", tuple(a.kind for a in value)), (code, *payloads), decoded)


def _readable(frame: Frame, value: Sum, node: ast.AST) -> Sum:
    """The value on rows where a node holds it; the others are left to the interpreter."""
    found, unknown = list[Alternative](), FALSE
    for a in value:
        if a.kind in EMPTY or (a.kind in SCALAR_DTYPE and isinstance(a.payload, Node)):
            found.append(a)
        else:
            unknown = either(unknown, a.guard)
    kinds = " or ".join(value.kinds)
    if not found:
        frame.unsupported(node, f"a value of kind {kinds} cannot be used here")
    frame.escape(unknown, f"value of {kinds}", node)
    return Sum(tuple(found))


def _sequence_operand(frame: Frame, value: Sum, node: ast.AST) -> _Operand:
    """A tuple, list or dict that the function made, of as many items on every row."""
    only = value.alternatives[0]
    slots = frame.slots(only.payload)
    whole = slots is not None and slots.base is FALSE and all(s.guard is TRUE for s in slots.slots)
    if slots is None or not whole:
        frame.unsupported(node, f"a {only.kind} that differs by row cannot be used here")
    parts = [_operand(frame, slot.value, node) for slot in slots.slots]
    ends = list(itertools.accumulate(len(part.nodes) for part in parts))
    cuts = [slice(end - len(p.nodes), end) for p, end in zip(parts, ends, strict=True)]
    keys = [slot.key for slot in slots.slots]
    makers: dict[Kind, Callable[[Iterable[Any]], Any]] = {
        "tuple": tuple,
        "list": list,
        "struct": lambda items: dict(zip(keys, items, strict=True)),
    }
    make = makers[only.kind]
    return _Operand(
        (only.kind, tuple(keys), tuple(part.key for part in parts), tuple(ends)),
        tuple(n for part in parts for n in part.nodes),
        lambda raw: make(p.decode(raw[cut]) for p, cut in zip(parts, cuts, strict=True)),
    )


# Kinds whose payload is not what Python holds.
DECODE: Final[dict[Kind, Callable[[Any], Any]]] = {k: partial(time_of, k) for k in TIME_BOUNDS}


# ------------------------------------------------------------------------------------------ results


def settle(frame: Frame, value: Lazy, node: ast.AST) -> Sum:
    """The value as nodes, one payload a kind."""
    kinds = SCALARS if value.kinds is None else value.kinds
    if not set(kinds) <= {*SCALARS, *SCALAR_DTYPE}:
        frame.unsupported(node, f"the result of {value.pure.name} cannot be kept in a column")
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
