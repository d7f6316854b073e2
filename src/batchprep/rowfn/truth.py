"""Truth, equality, order and identity over kinds: guard algebra, not arithmetic."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

from batchprep.dtypes import NUMERIC, TIME_BOUNDS, Kind
from batchprep.plan.build import both, build, either, invert
from batchprep.plan.node import FALSE, TRUE, Node, const
from batchprep.plan.pure import total
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.operators import as_float, as_int, beyond_float
from batchprep.rowfn.sums import Lazy, Static, Value

RELATION: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
SIGN: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MIRROR: Final = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
# Kinds of builtin types: values of two of them are never equal, and have no order.
_OTHERS: Final[frozenset[Kind]] = frozenset(
    {"none", "str", "list", "tuple", "struct", *TIME_BOUNDS}
)
_PLAIN: Final[frozenset[Kind]] = NUMERIC | _OTHERS
_ALWAYS_TRUE: Final[frozenset[Kind]] = frozenset({"date", "datetime"})


def truth(frame: Frame, value: Value, node: ast.AST) -> Node:
    """bool(value) as a node."""
    if isinstance(value, Static):
        return _static_truth(frame, value, node)
    if isinstance(value, Lazy):
        from batchprep.rowfn.texts import lazy_truth

        return lazy_truth(frame, value, node)
    result, unknown = FALSE, FALSE
    for a in value:
        holds = _kind_truth(frame, a)
        if holds is None:
            unknown = either(unknown, a.guard)
        else:
            result = either(result, both(a.guard, holds))
    if unknown is not FALSE:
        return _truth_by_python(frame, value, node)
    return result


def _truth_by_python(frame: Frame, value: Sum, node: ast.AST) -> Node:
    from batchprep.rowfn.lazy import apply_pure

    found = apply_pure(frame, "bool", bool, [value], ("bool",), node)
    return truth(frame, frame.lift(found, node), node)


def _static_truth(frame: Frame, value: Static, node: ast.AST) -> Node:
    if isinstance(value.value, (int, str, tuple, frozenset)):
        return const(bool(value.value))
    frame.unsupported(node, f"whether a {type(value.value).__name__} is true cannot be compiled")


def _kind_truth(frame: Frame, a: Alternative) -> Node | None:
    if a.kind == "none":
        return FALSE
    if a.kind in _ALWAYS_TRUE:
        return TRUE
    if isinstance(a.payload, Node):
        tests: dict[Kind, Callable[[Node], Node]] = {
            "bool": lambda x: x,
            "int": lambda x: build("ine", x, const(0)),
            "float": lambda x: build("fne", x, const(0.0)),
            "str": lambda x: build("sne", x, const("")),
            "timedelta": lambda x: build("ine", x, const(0)),
        }
        test = tests.get(a.kind)
        return None if test is None else test(a.payload)
    slots = frame.slots(a.payload)
    if slots is None or slots.base is not FALSE:
        return None
    result = FALSE
    for slot in slots.slots:
        result = either(result, slot.guard)
    return result


def compare(frame: Frame, relation: str, left: Sum, right: Sum, node: ast.AST) -> Node:
    """left <relation> right as a node."""
    wrong, unknown = FALSE, FALSE
    answers: list[tuple[Node, Node]] = []
    path = frame.state.path
    for a in left:
        for b in right:
            guard = both(a.guard, b.guard)
            frame.state.path = both(path, guard)
            if frame.state.path is FALSE:
                continue
            answer = _compare_pair(frame, relation, a, b, node)
            if isinstance(answer, Node):
                answers.append((guard, answer))
            elif answer == "error":
                wrong = either(wrong, guard)
            else:
                unknown = either(unknown, guard)
    frame.state.path = path
    kinds = f"{' or '.join(left.kinds)} {SIGN[relation]} {' or '.join(right.kinds)}"
    if unknown is not FALSE:
        if not answers:
            frame.unsupported(node, f"{kinds} cannot be compiled")
        frame.escape(unknown, kinds, node)
    frame.fault(wrong, "TypeError", kinds, node)
    if len(answers) == 1:  # rows of the other kinds deviate: their answer is free
        return answers[0][1]
    result = FALSE
    for guard, answer in answers:
        result = either(result, both(guard, answer))
    return result


def _compare_pair(
    frame: Frame, relation: str, a: Alternative, b: Alternative, node: ast.AST
) -> Node | str:
    if a.kind in NUMERIC and b.kind in NUMERIC:
        return _compare_numbers(frame, relation, a, b, node)
    if a.kind == b.kind == "str":
        return _compare_texts(relation, a.payload, b.payload)
    if a.kind == b.kind and a.kind in TIME_BOUNDS:
        assert isinstance(a.payload, Node)  # noqa: S101
        assert isinstance(b.payload, Node)  # noqa: S101
        return build("i" + relation, a.payload, b.payload)
    if a.kind == b.kind and a.kind in ("tuple", "list"):
        return _compare_items(frame, relation, a, b, node)
    if relation in ("eq", "ne"):
        if a.kind == b.kind == "none":
            return const(relation == "eq")
        # NaN is not None, and 1 is not "1": of two builtin types only numbers can be equal.
        different = a.kind != b.kind and {a.kind, b.kind} <= _PLAIN
        return const(relation == "ne") if different else "unknown"
    ordered = (
        a.kind in _PLAIN and b.kind in _PLAIN and (a.kind != b.kind or a.kind in ("none", "struct"))
    )
    return "error" if ordered else "unknown"


def _compare_items(
    frame: Frame, relation: str, a: Alternative, b: Alternative, node: ast.AST
) -> Node | str:
    """Tuples or lists that the function made: the first items that differ decide."""
    ours, theirs = _known_items(frame, a), _known_items(frame, b)
    if ours is None or theirs is None:
        return "unknown"
    longer = getattr(operator, relation)(len(ours), len(theirs))
    path, equal, result = frame.state.path, TRUE, FALSE
    if relation in ("eq", "ne") and len(ours) != len(theirs):
        return const(relation == "ne")
    for one, other in zip(ours, theirs, strict=False):
        same = compare(frame, "eq", one, other, node)
        differ = both(equal, invert(same))
        frame.state.path = both(path, differ)
        if frame.state.path is not FALSE:
            decided = relation == "ne"
            ordered = relation not in ("eq", "ne")
            answer = compare(frame, relation, one, other, node) if ordered else const(decided)
            result = either(result, both(differ, answer))
        equal = both(equal, same)
        frame.state.path = both(path, equal)
    frame.state.path = path
    return either(result, both(equal, const(longer)))


def _known_items(frame: Frame, a: Alternative) -> list[Sum] | None:
    """The items, where every row has as many and none may be NaN, which is not equal to itself."""
    slots = frame.slots(a.payload)
    if slots is None or any(slot.guard is not TRUE for slot in slots.slots):
        return None
    items = [slot.value for slot in slots.slots]
    return None if any("float" in item.kinds for item in items) else items


def _compare_numbers(
    frame: Frame, relation: str, a: Alternative, b: Alternative, node: ast.AST
) -> Node:
    assert isinstance(a.payload, Node)  # noqa: S101
    assert isinstance(b.payload, Node)  # noqa: S101
    if "float" not in (a.kind, b.kind):
        return build("i" + relation, as_int(a.kind, a.payload), as_int(b.kind, b.payload))
    # Python compares the exact values: a cast would round an int beyond 2**53.
    for one in (a, b):
        if one.kind == "int" and isinstance(one.payload, Node):
            frame.escape(beyond_float(one.payload), "int beyond 2**53 against a float", node)
    return build("f" + relation, as_float(a.kind, a.payload), as_float(b.kind, b.payload))


def _compare_texts(relation: str, a: Any, b: Any) -> Node:
    if relation in ("eq", "ne"):
        return build("s" + relation, a, b)
    if b.op == "const":
        return text_test(a, relation, b.attr)
    if a.op == "const":
        return text_test(b, _MIRROR[relation], a.attr)
    return total(SIGN[relation], getattr(operator, relation), (a, b), "bool", None)


def text_test(code: Node, relation: str, constant: str) -> Node:
    """A string compared with a constant, once per distinct string."""
    function = getattr(operator, relation)
    if code.op == "const":
        return const(bool(function(code.attr, constant)))
    name = f"{SIGN[relation]} {constant!r}"
    return total(name, lambda text: function(text, constant), (code,), "bool", constant)


def identity(frame: Frame, left: Value, right: Value, node: ast.AST) -> Node:
    """left is right: for None, True and False; other objects have no identity here."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Lazy) and isinstance(other, Sum) and other.kinds == ("none",):
            from batchprep.rowfn.lazy import is_kind

            return is_kind(one, "none")
    left, right = frame.settled(left, node), frame.settled(right, node)
    for one, other in ((left, right), (right, left)):
        if isinstance(other, Sum) and len(other.alternatives) == 1 and isinstance(one, Sum):
            kind, payload = other.alternatives[0].kind, other.alternatives[0].payload
            if kind == "none":
                return one.guard("none")
            if kind == "bool" and isinstance(payload, Node) and payload.op == "const":
                return _is_bool(one, payload)
        if isinstance(one, Static) and isinstance(other, Static):
            return const(one.value is other.value)
        if isinstance(one, Static) and isinstance(other, Sum) and other.kinds == ("none",):
            return FALSE
    frame.unsupported(
        node, "`is` cannot be compiled but for None, True and False", _instead_of_is(left, right)
    )


def _instead_of_is(left: Value, right: Value) -> str:
    """What asks the same; pandas' missing values are equal to nothing, not to themselves either."""
    missing = any(
        isinstance(value, Static) and type(value.value).__name__ in {"NaTType", "NAType"}
        for value in (left, right)
    )
    return "Write pd.isna(...)." if missing else "Write ==."


def _is_bool(value: Sum, constant: Node) -> Node:
    found = value.get("bool")
    if found is None or not isinstance(found.payload, Node):
        return FALSE
    held = found.payload if constant is TRUE else invert(found.payload)
    return both(found.guard, held)
