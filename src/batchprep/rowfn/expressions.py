"""Expressions: one handler per kind of AST node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from batchprep.errors import Unsupported
from batchprep.plan.build import both, invert
from batchprep.plan.node import FALSE, TRUE, Node
from batchprep.plan.values import Slots, Sum
from batchprep.rowfn.arithmetic import operation
from batchprep.rowfn.calls import Keywords, call, method
from batchprep.rowfn.comparisons import compared, known_key
from batchprep.rowfn.dicts import constant_dict, item, lookup, new_dict, spread, with_key
from batchprep.rowfn.f_strings import f_string
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import opened
from batchprep.rowfn.operators import SYMBOL, unary
from batchprep.rowfn.outlined import outlined, reads_iterator
from batchprep.rowfn.statics import static_attribute, static_item
from batchprep.rowfn.sums import (
    NOTHING,
    Lazy,
    SetDisplay,
    Static,
    Value,
    boolean,
    constant,
    literal_of,
    sequence,
)
from batchprep.rowfn.texts import text_item
from batchprep.rowfn.times import iso_item, time_attribute
from batchprep.rowfn.truth import truth

Handler = Callable[[Frame, Any], Value]


def evaluate(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression on the frame's current path.

    What cannot be traced is left to Python as a piece of its own, the smallest that is pure.
    """
    if isinstance(node, (ast.Name, ast.Constant)):
        return opened(_HANDLERS[type(node)](frame, node))
    mark = frame.mark()
    try:
        return traced(frame, node)
    except Unsupported as refused:
        frame.go_back(mark)
        try:
            return outlined(frame, node, refused.reason)
        except Unsupported as impure:
            frame.go_back(mark)
            # Of what is always run by Python, the reason is why that cannot be done.
            raise (impure if isinstance(node, PIECES) else refused) from None


PIECES: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def traced(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression that is no piece for Python as a whole.

    Errors: Unsupported where it cannot be traced
    """
    handler = _HANDLERS.get(type(node))
    if handler is None:
        frame.unsupported(node, f"{_NAMES.get(type(node), 'this expression')} cannot be compiled")
    return opened(handler(frame, node))


def evaluate_sum(frame: Frame, node: ast.expr) -> Sum:
    """The value of an expression as a sum."""
    return frame.lift(evaluate(frame, node), node)


def _constant(_frame: Frame, node: ast.Constant) -> Value:
    return constant(node.value)


def _name(frame: Frame, node: ast.Name) -> Value:
    name = node.id
    if _is_mangled(frame, name):
        frame.unsupported(node, f"the private name {name} inside a class cannot be compiled")
    if name not in frame.local_names or name in frame.cells:
        return frame.tracer.outer_name(frame, name, node)
    binding = frame.state.names.get(name)
    if binding is None:
        frame.fault(TRUE, "UnboundLocalError", f"{name} has no value", node)
        return NOTHING
    frame.fault(invert(binding.bound), "UnboundLocalError", f"{name} may have no value", node)
    return binding.value


def _is_mangled(frame: Frame, name: str) -> bool:
    # Inside a class, Python itself reads __name as _Class__name.
    known = name in frame.local_names or name in frame.cells or name in frame.names
    return name.startswith("__") and not name.endswith("__") and not known


def _binary(frame: Frame, node: ast.BinOp) -> Value:
    left, right = evaluate(frame, node.left), evaluate(frame, node.right)
    symbol = SYMBOL.get(type(node.op))
    if symbol is None:
        frame.unsupported(node, "matrix multiplication cannot be compiled")
    return operation(frame, symbol, left, right, node)


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return boolean(invert(truth(frame, evaluate(frame, node.operand), node)))
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return constant(-value)  # pyright: ignore[reportOperatorIssue]
    assert isinstance(node.op, (ast.USub, ast.UAdd, ast.Invert))  # noqa: S101  all but `not`
    return unary(frame, node.op, evaluate_sum(frame, node.operand), node)


def _boolean(frame: Frame, node: ast.BoolOp) -> Value:
    """`and` and `or` give back an operand, of its own kind."""
    value = evaluate(frame, node.values[0])
    for operand in node.values[1:]:
        value = _then(frame, node, value, operand)
    return value


def _then(frame: Frame, node: ast.BoolOp, value: Value, operand: ast.expr) -> Value:
    if not isinstance(value, Lazy) or value.kinds is not None:
        value = frame.settled(value, node)
    holds = truth(frame, value, node)
    goes_on = holds if isinstance(node.op, ast.And) else invert(holds)
    kept = _narrowed(value, invert(goes_on))
    return frame.branch(goes_on, lambda: evaluate(frame, operand), lambda: kept, node)


def _narrowed(value: Value, condition: Node) -> Value:
    """The value without the kinds that cannot occur under the condition: `x or 0` is never None."""
    if not isinstance(value, Sum):
        return value
    kept = tuple(a for a in value if both(a.guard, condition) is not FALSE)
    return Sum(kept)


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    condition = truth(frame, evaluate(frame, node.test), node.test)
    return frame.branch(
        condition,
        lambda: evaluate(frame, node.body),
        lambda: evaluate(frame, node.orelse),
        node,
    )


def _comparison(frame: Frame, node: ast.Compare) -> Value:
    """A chain evaluates its middle once, and stops at the first False."""
    left = evaluate(frame, node.left)
    path, result = frame.state.path, TRUE
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = evaluate(frame, comparator)
        result = both(result, compared(frame, op, left, right, node))
        if len(node.ops) > 1 and any(isinstance(n, ast.NamedExpr) for n in ast.walk(comparator)):
            frame.unsupported(
                comparator, "an assignment inside a chained comparison cannot be compiled"
            )
        left = right
        frame.state.path = both(path, result)
    frame.state.path = path
    return boolean(result)


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    owner = evaluate(frame, node.value)
    keys = _slice(frame, node.slice)
    if isinstance(owner, Sum) and not owner.alternatives:
        return NOTHING  # no row gets here
    iso = iso_item(owner, keys)
    if iso is not None:
        return iso
    is_text = isinstance(owner, Sum) and ("str" in owner.kinds or len(keys) > 1)
    if is_text or isinstance(owner, Lazy):
        found = text_item(frame, owner, keys, node)
        if found is not None:
            return found
    if len(keys) > 1:
        frame.unsupported(node, "slicing this cannot be compiled")
    if isinstance(owner, Static):
        return static_item(frame, owner, keys[0], node)
    key = frame.lift(keys[0], node.slice)
    owner = frame.lift(owner, node)
    if frame.tracer.schema.form == "attributes" and _is_record(frame, owner):
        frame.unsupported(node, "this record is an object: its fields are attributes")
    table = constant_dict(frame, owner)
    if table is not None:
        return static_item(frame, Static(table), key, node)
    return item(frame, owner, known_key(frame, key, node), node)


def _slice(frame: Frame, node: ast.expr) -> list[Value]:
    """The key, or the three ends of a slice."""
    if not isinstance(node, ast.Slice):
        return [evaluate(frame, node)]
    ends = (node.lower, node.upper, node.step)
    return [constant(None) if end is None else evaluate(frame, end) for end in ends]


def _is_record(frame: Frame, value: Sum) -> bool:
    return any(a.payload is frame.tracer.record for a in value)


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    owner = evaluate(frame, node.value)
    if isinstance(owner, Static):
        return static_attribute(frame, owner, node.attr, node)
    found = time_attribute(frame, owner, node.attr, node)
    if found is not None:
        return found
    owner = frame.lift(owner, node)
    if (
        frame.tracer.schema.form == "attributes"
        and owner.kinds == ("struct",)
        and _is_record(frame, owner)
    ):
        slots = frame.slots(owner.alternatives[0].payload)
        value, present = lookup(frame, slots or Slots(()), node.attr, node)
        frame.fault(invert(present), "AttributeError", f"AttributeError: {node.attr!r}", node)
        return value
    kinds = " or ".join(owner.kinds) or "nothing"
    frame.unsupported(node, f"the attribute .{node.attr} of {kinds} cannot be compiled")


def _comprehension(frame: Frame, node: ast.expr) -> Value:
    frame.unsupported(node, "a comprehension is run by Python")


def _call(frame: Frame, node: ast.Call) -> Value:
    if reads_iterator(node):
        frame.unsupported(node, "a call that reads an iterator is run by Python")
    if isinstance(node.func, ast.Attribute):
        owner = evaluate(frame, node.func.value)
        arguments, keywords = _arguments(frame, node)
        found = method(frame, owner, node.func.attr, arguments, keywords, node)
        if found is not None:
            return found
        assert isinstance(owner, Static)  # noqa: S101  methods of sums are found or unsupported
        function = static_attribute(frame, owner, node.func.attr, node)
        return call(frame, function, arguments, keywords, node)
    function = evaluate(frame, node.func)
    arguments, keywords = _arguments(frame, node)
    return call(frame, function, arguments, keywords, node)


def _arguments(frame: Frame, node: ast.Call) -> tuple[list[Value], Keywords]:
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        frame.unsupported(node, "a call with *arguments cannot be compiled")
    if any(keyword.arg is None for keyword in node.keywords):
        frame.unsupported(node, "a call with **arguments cannot be compiled")
    arguments = [evaluate(frame, arg) for arg in node.args]
    return arguments, {str(k.arg): evaluate(frame, k.value) for k in node.keywords}


def _dict(frame: Frame, node: ast.Dict) -> Value:
    slots = Slots((), fresh=TRUE)
    for key, item_node in zip(node.keys, node.values, strict=True):
        if key is None:
            slots = spread(frame, slots, evaluate_sum(frame, item_node), item_node)
            continue
        name = known_key(frame, evaluate(frame, key), key)
        if not isinstance(name, str):
            frame.unsupported(key, "a dict whose keys are not strings cannot be compiled")
        slots = with_key(slots, name, frame.held(evaluate(frame, item_node), item_node))
    return new_dict(frame, slots)


def _tuple(frame: Frame, node: ast.Tuple) -> Value:
    if any(isinstance(element_node, ast.Starred) for element_node in node.elts):
        frame.unsupported(node, "a tuple with *items cannot be compiled")
    values = [evaluate(frame, element_node) for element_node in node.elts]
    if all(isinstance(value, Static) for value in values) and values:
        return Static(tuple(value.value for value in values if isinstance(value, Static)))
    return sequence(tuple(frame.held(value, node) for value in values))


def _list(frame: Frame, node: ast.List) -> Value:
    """A list display: a new list for each row, which nothing compiled writes into."""
    if any(isinstance(element_node, ast.Starred) for element_node in node.elts):
        frame.unsupported(node, "a list with *items cannot be compiled")
    return sequence(tuple(frame.held(evaluate(frame, part), part) for part in node.elts), "list")


def _set(frame: Frame, node: ast.Set) -> Value:
    """A set display: known only as a constant container of `in`."""
    values = [evaluate_sum(frame, element_node) for element_node in node.elts]
    try:
        items = tuple(literal_of(value) for value in values)
    except LookupError:
        frame.unsupported(node, "a set of computed values cannot be compiled")
    return Static(SetDisplay(items))


def _walrus(frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(frame, node.value)
    frame.assign(node.target.id, value)
    return value


def _joined(frame: Frame, node: ast.JoinedStr) -> Value:
    parts: list[str | tuple[Value, int, Value | None]] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(frame, part.value)
            spec = None if part.format_spec is None else evaluate(frame, part.format_spec)
            parts.append((value, part.conversion, spec))
        elif isinstance(part, ast.Constant):
            parts.append(str(part.value))
    return f_string(frame, parts, node)


_NAMES: Final[dict[type[ast.expr], str]] = {
    ast.GeneratorExp: "a generator expression",
    ast.Lambda: "a lambda inside a row function",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.Starred: "a starred expression",
}
_HANDLERS: Final[dict[type[ast.expr], Handler]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Compare: _comparison,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Dict: _dict,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.JoinedStr: _joined,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.NamedExpr: _walrus,
}
