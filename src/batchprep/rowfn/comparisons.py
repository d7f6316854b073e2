"""Comparisons, membership and identity of any two values."""

from __future__ import annotations

import ast

from batchprep.plan.build import both, invert
from batchprep.plan.node import FALSE, Node
from batchprep.plan.plain import behind_view
from batchprep.plan.values import Sum
from batchprep.rowfn.constants import contains
from batchprep.rowfn.dicts import constant_dict, has_key
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import has_objects
from batchprep.rowfn.messages import ANY_KIND
from batchprep.rowfn.statics import plain_member
from batchprep.rowfn.sums import Lazy, SetDisplay, Static, Value, literal_of
from batchprep.rowfn.texts import inside
from batchprep.rowfn.time_operators import compare_clocks
from batchprep.rowfn.truth import RELATION, compare, identity, truth


def compared(frame: Frame, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Node:
    """left <op> right, of any comparison."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = identity(frame, left, right, node)
        return same if isinstance(op, ast.Is) else invert(same)
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = _inside(frame, left, right, node)
        return inside if isinstance(op, ast.In) else invert(inside)
    relation = RELATION[type(op)]
    left, right = plain_member(left), plain_member(right)
    if has_objects(left) or has_objects(right):  # what == gives need not be a bool
        frame.unsupported(node, "a comparison of values of any kind", ANY_KIND)
    clocks = compare_clocks(relation, left, right)
    if clocks is not None:
        return clocks
    return compare(frame, relation, frame.lift(left, node), frame.lift(right, node), node)


def _inside(frame: Frame, value: Value, container: Value, node: ast.AST) -> Node:
    if isinstance(value, Lazy) and has_objects(value):
        frame.unsupported(node, "`in` of a value of any kind", ANY_KIND)
    if isinstance(container, Static):
        return _inside_static(frame, value, behind_view(container.value), node)
    if isinstance(container, Sum) and not container.alternatives:
        return FALSE  # no row gets here
    if isinstance(container, Lazy) or "str" in container.kinds:
        found = inside(frame, value, container, node)
        if found is not None:
            return truth(frame, found, node)
    container = frame.lift(container, node)
    try:
        constants = literal_of(container)
    except LookupError:
        constants = None
    if isinstance(constants, (tuple, list)):
        return contains(frame, constants, frame.lift(value, node), node)
    if container.kinds in (("tuple",), ("list",)):
        return _among(frame, frame.lift(value, node), container, node)
    table = constant_dict(frame, container)
    if table is not None:
        return contains(frame, table, frame.lift(value, node), node)
    return has_key(frame, container, known_key(frame, value, node), node)


def _inside_static(frame: Frame, value: Value, held: object, node: ast.AST) -> Node:
    if type(held) not in (tuple, list, set, frozenset, dict, SetDisplay):
        frame.unsupported(node, f"`in` of a {type(held).__name__} cannot be compiled")
    return contains(frame, held, frame.lift(value, node), node)


def _among(frame: Frame, value: Sum, container: Sum, node: ast.AST) -> Node:
    """value in (a, b, c) of computed items: equal to one of them."""
    slots = frame.slots(container.alternatives[0].payload)
    if slots is None or any("float" in slot.value.kinds for slot in slots.slots):
        # Python asks for identity first, and nan is not equal to itself.
        frame.unsupported(node, "`in` of computed values that may be floats cannot be compiled")
    result = FALSE
    path = frame.state.path
    for slot in slots.slots:
        found = both(slot.guard, compare(frame, "eq", value, slot.value, node))
        result = invert(both(invert(result), invert(found)))
        frame.state.path = both(path, invert(result))
    frame.state.path = path
    return result


def known_key(frame: Frame, value: Value, node: ast.AST) -> object:
    """The key itself, where it is a constant."""
    try:
        return literal_of(value)
    except LookupError:
        frame.unsupported(node, "a key that differs by row cannot be compiled")
