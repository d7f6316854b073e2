"""Calls: builtins, math, methods of dicts, and plain functions, which are inlined."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any, Final, cast

from batchprep.dtypes import Kind
from batchprep.errors import Unsupported
from batchprep.plan.build import build, either
from batchprep.plan.node import FALSE, TRUE, Node, const
from batchprep.plan.plain import behind_view, is_plain_class
from batchprep.plan.pure import total
from batchprep.plan.values import Slots, Sum
from batchprep.rowfn import numbers
from batchprep.rowfn.arithmetic import OPERATORS, operation
from batchprep.rowfn.dependencies import CallRead
from batchprep.rowfn.dicts import constant_dict, get, new_dict, only_dict, spread, with_key
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.keys import KEY_CALLS
from batchprep.rowfn.marked import is_marked
from batchprep.rowfn.messages import PURE_WRAPPER, of_library_text
from batchprep.rowfn.operators import binary
from batchprep.rowfn.pure_calls import FUNCTIONS, marked_call, pattern_method, pure_call
from batchprep.rowfn.purity import call_of_objects
from batchprep.rowfn.source import is_library, unwrap
from batchprep.rowfn.statics import static_get
from batchprep.rowfn.sums import (
    NOTHING,
    Lazy,
    Static,
    SumBuilder,
    Value,
    boolean,
    constant,
    literal,
    literal_of,
    sequence,
    settled,
)
from batchprep.rowfn.texts import lazy_len, text_method, with_texts
from batchprep.rowfn.time_makers import MAKERS, PURE_MAKERS
from batchprep.rowfn.times import time_method
from batchprep.rowfn.truth import compare, truth

Keywords = dict[str, Value]
Builtin = Callable[[Frame, list[Value], Keywords, ast.AST], Sum]

# From 3.12 on sum() of floats is compensated: another op than +.
_COMPENSATED_SUM: Final[bool] = sys.version_info >= (3, 12)
PYTHON_TYPE: Final[dict[Kind, type]] = {
    "none": type(None),
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "date": date,
    "datetime": datetime,
    "timedelta": timedelta,
    "list": list,
    "tuple": tuple,
    "struct": dict,
}


def call(
    frame: Frame, function: Value, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    """function(*arguments, **keywords)."""
    if not isinstance(function, Static):
        frame.unsupported(node, "calling a value of the row cannot be compiled")
    target = function.value
    if is_marked(target):
        return marked_call(frame, target, arguments, keywords, node)
    of_objects = call_of_objects(frame, target, arguments, keywords, node)
    if of_objects is not None:
        return of_objects
    handler = _known(_BUILTINS, target)
    if handler is not None:
        return handler(frame, arguments, keywords, node)
    known = _known(_PLAIN, target)
    if known is not None:
        return _plain(frame, known, target, arguments, keywords, node)
    maker = _known(MAKERS, target)
    if maker is not None:
        return maker(frame, arguments, keywords, node)
    symbol = _known(OPERATORS, target)
    if symbol is not None and len(arguments) == 2 and not keywords:
        return operation(frame, symbol, arguments[0], arguments[1], node)
    pure = _known(FUNCTIONS, target) or _known(PURE_MAKERS, target)
    if pure is not None:
        return pure_call(frame, target, pure, arguments, keywords, node)
    return _inline(frame, target, arguments, keywords, node)


def _known(table: dict[Any, Any], target: object) -> Any:
    try:
        return table.get(target)
    except TypeError:  # not hashable: none of ours
        return None


def _plain(
    frame: Frame,
    known: tuple[int, int, numbers.Handler],
    target: Any,
    arguments: list[Value],
    keywords: Keywords,
    node: ast.AST,
) -> Sum:
    fewest, most, handler = known
    if keywords or not fewest <= len(arguments) <= most:
        frame.unsupported(node, f"this form of {target.__name__} cannot be compiled")
    return handler(frame, [frame.lift(argument, node) for argument in arguments], node)


def _inline(
    frame: Frame, target: object, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    target = _row_function(target, arguments)
    try:
        inner = unwrap(target)
        frame.tracer.depend(CallRead(target, inner))
    except Unsupported as refused:
        frame.unsupported(node, refused.reason, refused.hint)
    leading = tuple(constant(value) for value in inner.args)
    named = {name: constant(value) for name, value in inner.keywords.items()} | keywords
    tracer = frame.tracer
    try:
        return tracer.call(inner.function, (*leading, *arguments), named, frame, node)
    except Unsupported as refused:
        if refused.span is None:
            frame.unsupported(node, refused.reason, refused.hint)
        if is_library(refused.span.file) and not is_library(frame.source.file):
            reason = of_library_text(inner.function, refused.reason, refused.span)
            frame.unsupported(node, reason, PURE_WRAPPER)
        raise


def _row_function(target: object, arguments: list[Value]) -> object:
    """The function that a vectorized one calls when it is given one record."""
    inner = getattr(target, "__row_function__", None)
    first = arguments[0] if arguments else None
    given_record = isinstance(first, Sum) and first.kinds == ("struct",)
    return inner if inner is not None and given_record else target


# ---- methods


def method(
    frame: Frame, owner: Value, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """owner.name(...) of a value of the row or a constant; None where it is a plain attribute."""
    if isinstance(owner, Static):
        shown = behind_view(owner.value)
        if isinstance(shown, dict) and name == "get":
            return _table_get(frame, shown, arguments, keywords, node)
        if isinstance(owner.value, re.Pattern):
            return pattern_method(frame, owner.value, name, arguments, keywords, node)
        return None
    if isinstance(owner, Sum) and not owner.alternatives:
        return NOTHING  # no row gets here
    found = time_method(frame, owner, name, arguments, keywords, node)
    if found is None and (isinstance(owner, Lazy) or "str" in owner.kinds):
        found = text_method(frame, owner, name, arguments, keywords, node)
    if found is not None:
        return found
    return _dict_method(frame, frame.lift(owner, node), name, arguments, keywords, node)


def _dict_method(
    frame: Frame, owner: Sum, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    table = constant_dict(frame, owner)
    if table is not None and name == "get":
        return _table_get(frame, table, arguments, keywords, node)
    if name == "get":
        key, default = _get_arguments(frame, arguments, keywords, node)
        return get(frame, owner, _known_key(frame, key, node), default, node)
    if name == "copy" and not arguments and not keywords:
        if only_dict(frame, owner, name, node).base is not FALSE:
            frame.unsupported(node, "a copy of the record, of whatever type that is")
        return new_dict(frame, spread(frame, Slots((), fresh=TRUE), owner, node))
    kinds = " or ".join(owner.kinds) or "nothing"
    frame.unsupported(node, f"the method .{name} of {kinds} cannot be compiled")


def _known_key(frame: Frame, key: Sum, node: ast.AST) -> object:
    try:
        return literal_of(key)
    except LookupError:
        frame.unsupported(node, "a key that differs by row cannot be compiled")


def _get_arguments(
    frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> tuple[Sum, Sum]:
    if keywords or len(arguments) not in (1, 2):
        frame.unsupported(node, ".get takes a key and a default")
    key = frame.lift(arguments[0], node)
    return key, frame.lift(arguments[1], node) if len(arguments) > 1 else literal(None)


def _table_get(
    frame: Frame, table: dict[Any, Any], arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    if keywords or len(arguments) not in (1, 2):
        frame.unsupported(node, ".get takes a key and a default")
    default = arguments[1] if len(arguments) > 1 else literal(None)
    return static_get(frame, table, arguments[0], default, node)


# ---- builtins


def _one(frame: Frame, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if keywords or len(arguments) != 1:
        frame.unsupported(node, f"this form of {name} cannot be compiled")
    return frame.lift(arguments[0], node)


def _bool(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if not arguments and not keywords:
        return literal(value=False)
    if len(arguments) == 1 and not keywords and isinstance(arguments[0], Lazy):
        return boolean(truth(frame, arguments[0], node))
    return boolean(truth(frame, _one(frame, "bool", arguments, keywords, node), node))


def _len(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if arguments and isinstance(arguments[0], Static):
        return _static_len(frame, arguments[0], node)
    if len(arguments) == 1 and isinstance(arguments[0], Lazy):
        return lazy_len(frame, arguments[0], node)
    operand = _one(frame, "len", arguments, keywords, node)
    result, wrong, unknown = SumBuilder(), FALSE, FALSE
    for a in operand:
        slots = frame.slots(a.payload)
        if a.kind == "str" and isinstance(a.payload, Node):
            result.put("int", a.guard, _text_len(a.payload))
        elif slots is not None and slots.base is FALSE:
            result.put("int", a.guard, _slot_count(frame, slots, node))
        elif a.kind in ("none", "bool", "int", "float", "date", "datetime", "timedelta"):
            wrong = either(wrong, a.guard)
        else:
            unknown = either(unknown, a.guard)
    found = result.build()
    numbers.refuse(frame, "len", operand, (wrong, unknown), node, compiled=bool(found.alternatives))
    return settled(found)


def _static_len(frame: Frame, argument: Static, node: ast.AST) -> Sum:
    if isinstance(argument.value, (tuple, frozenset)):
        return literal(len(argument.value))
    frame.unsupported(node, f"len of a {type(argument.value).__name__} cannot be compiled")


def _text_len(code: Node) -> Node:
    if code.op == "const":
        return const(len(str(code.attr)))
    return total("len", len, (code,), "int", None)


def _slot_count(frame: Frame, slots: Slots, node: ast.AST) -> Node:
    keys = [slot.key for slot in slots.slots]
    if len(set(keys)) != len(keys):
        frame.unsupported(node, "len of a dict whose keys differ by row cannot be compiled")
    count = const(0)
    for slot in slots.slots:
        count = build("iadd", count, build("b2i", slot.guard))
    return count


def _sum(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if keywords or len(arguments) not in (1, 2):
        frame.unsupported(node, "this form of sum cannot be compiled")
    result = frame.lift(arguments[1], node) if len(arguments) > 1 else literal(0)
    for item in _items(frame, "sum", arguments[0], node):
        if _COMPENSATED_SUM and "float" in (*result.kinds, *item.kinds):
            frame.unsupported(node, "sum of floats is compensated from Python 3.12 on", "use +")
        if "str" in result.kinds:
            frame.unsupported(node, "sum of strings cannot be compiled")
        result = binary(frame, "+", result, item, node)
    return result


def _items(frame: Frame, name: str, value: Value, node: ast.AST) -> list[Sum]:
    operand = frame.lift(value, node)
    only = operand.alternatives[0] if len(operand.alternatives) == 1 else None
    slots = None if only is None else frame.slots(only.payload)
    if only is None or slots is None or only.kind not in ("tuple", "list"):
        frame.unsupported(node, f"{name} of {' or '.join(operand.kinds)} cannot be compiled")
    if any(slot.guard is not TRUE for slot in slots.slots):
        frame.unsupported(node, f"{name} of a tuple whose length differs by row cannot be compiled")
    return [slot.value for slot in slots.slots]


def _extreme(name: str, relation: str) -> Builtin:
    def handler(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
        if keywords or not arguments:
            frame.unsupported(node, f"{name} with key or default cannot be compiled")
        if len(arguments) == 1:
            items = _items(frame, name, arguments[0], node)
        else:
            items = [frame.lift(argument, node) for argument in arguments]
        if not items:
            frame.fault(TRUE, "ValueError", f"{name} of nothing", node)
            return NOTHING
        best = items[0]
        for item in items[1:]:  # Python keeps the first of equals: `item if item > best else best`
            best = frame.pick(compare(frame, relation, item, best, node), item, best, node)
        return best

    return handler


def _divmod(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if keywords or len(arguments) != 2:
        frame.unsupported(node, "divmod takes two numbers")
    left, right = (frame.lift(argument, node) for argument in arguments)
    return sequence((binary(frame, "//", left, right, node), binary(frame, "%", left, right, node)))


def _pow(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if keywords or len(arguments) != 2:
        frame.unsupported(node, "pow with a modulus cannot be compiled")
    left, right = (frame.lift(argument, node) for argument in arguments)
    return binary(frame, "**", left, right, node)


def _isinstance(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if keywords or len(arguments) != 2 or isinstance(arguments[0], Static):
        frame.unsupported(node, "this form of isinstance cannot be compiled")
    classes = _classes(frame, arguments[1], node)
    result, unknown = FALSE, FALSE
    for a in frame.lift(arguments[0], node):
        slots = frame.slots(a.payload)
        if a.kind in {"other", "any"} or (slots is not None and slots.base is not FALSE):
            unknown = either(unknown, a.guard)
        elif issubclass(PYTHON_TYPE[a.kind], classes):
            result = either(result, a.guard)
    if unknown is not FALSE:
        frame.unsupported(node, "isinstance of a value of an unknown type")
    return boolean(result)


def _classes(frame: Frame, value: Value, node: ast.AST) -> tuple[type, ...]:
    if isinstance(value, Static):
        found = value.value
        classes = cast("tuple[Any, ...]", found if isinstance(found, tuple) else (found,))
        if all(isinstance(one, type) and is_plain_class(one) for one in classes):
            return classes
    frame.unsupported(node, "isinstance takes a class or a tuple of classes")


def _dict(frame: Frame, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Sum:
    if len(arguments) > 1:
        frame.unsupported(node, "dict takes at most one argument")
    slots = Slots((), fresh=TRUE)
    for argument in arguments:
        slots = spread(frame, slots, frame.lift(argument, node), node)
    for name, value in keywords.items():
        slots = with_key(slots, name, frame.held(value, node))
    return new_dict(frame, slots)


_BUILTINS: Final[dict[Any, Builtin]] = {
    builtins.bool: _bool,
    builtins.len: _len,
    builtins.sum: _sum,
    builtins.max: _extreme("max", "gt"),
    builtins.min: _extreme("min", "lt"),
    builtins.divmod: _divmod,
    builtins.pow: _pow,
    builtins.isinstance: _isinstance,
    builtins.dict: _dict,
    **KEY_CALLS,
}
_PLAIN: Final[dict[Any, tuple[int, int, numbers.Handler]]] = {
    builtins.abs: (1, 1, numbers.absolute),
    builtins.round: (1, 2, numbers.rounded),
    builtins.float: (0, 1, with_texts(float, "float", numbers.as_number)),
    builtins.int: (0, 2, with_texts(int, "int", numbers.as_whole)),
    **numbers.MATH_CALLS,
}
