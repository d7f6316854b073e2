"""Steps that array code can do for all rows at once, told by their form."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from batchprep.loops.split import SLOT, Split, Step

Kind = Literal[
    "append",
    "extend",
    "add",
    "sum",
    "extreme",
    "last",
    "group_sum",
    "group_append",
    "put",
    "write",
    "exit",
]
COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.LtE: "<=",
}
MIRRORED: Final = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
BEATS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True)
class Operand:
    """What a step gets of each row: a slot, or a constant."""

    slot: str | None
    constant: Any = None


@dataclass(frozen=True)
class Shape:
    """The form of a step.

    kind      what it does to its state
    state     the name of the state; "" for an exit
    value     what is appended, added, compared or kept
    key       of a grouped state
    negative  a sum that subtracts
    start     what a missing key begins with; None: what the state itself does then
    beats     of an extreme: how a new value must compare with the one so far to take its place
    from_none whether an extreme may start from None
    as_it_is  whether a missing key begins with its first value itself
    others    further names that an extreme binds beside its own
    returns   whether an exit leaves the function
    """

    kind: Kind
    state: str
    value: Operand
    key: Operand | None = None
    negative: bool = False
    start: ast.expr | None = None
    beats: str = ""
    from_none: bool = False
    as_it_is: bool = False
    others: tuple[tuple[str, Operand], ...] = ()
    returns: bool = False


def shapes_of(split: Split) -> dict[int, Shape]:
    """The form of each step that array code may do, by number."""
    found = {step.number: shape for step in split.steps if (shape := _shape(step)) is not None}
    return {number: shape for number, shape in found.items() if not split.steps[number].controlled}


def _shape(step: Step) -> Shape | None:
    match step.statements:
        case (ast.Break(),):
            return Shape("exit", "", Operand(None))
        case (ast.Return(value=value),):
            operand = Operand(None) if value is None else _operand(value)
            return None if operand is None else Shape("exit", "", operand, returns=True)
        case (ast.Expr(value=ast.Call(keywords=[]) as call),):
            return _of_call(call, None)
        case (ast.AugAssign() as statement,):
            return _of_augmented(statement, None)
        case (ast.Assign(targets=[target], value=value),):
            return _of_assign(target, value)
        case (ast.If() as statement,):
            return _of_if(statement)
        case (ast.If(body=[ast.Assign(value=start)]), second):
            return _of_ensured(start, second)
        case _:
            return None


def _of_ensured(start: ast.expr, second: ast.stmt) -> Shape | None:
    match second:
        case ast.AugAssign():
            return _of_augmented(second, start)
        case ast.Expr(value=ast.Call(keywords=[]) as call):
            return _of_call(call, start)
        case _:
            return None


def _of_call(call: ast.Call, start: ast.expr | None) -> Shape | None:
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=state), attr="append" | "add" | "extend" as kind),
            args=[value],
        ):
            operand = _operand(value)
            return None if operand is None or start else Shape(kind, state, operand)
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Name(id=state), slice=key), attr="append"
            ),
            args=[value],
        ):
            return _grouped("group_append", state, key, value, start)
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=state), attr="setdefault"),
                    args=[key, ast.List(elts=[]) as empty],
                ),
                attr="append",
            ),
            args=[value],
        ) if start is None:
            return _grouped("group_append", state, key, value, empty)
        case _:
            return None


def _grouped(
    kind: Kind,
    state: str,
    key: ast.expr,
    value: ast.expr,
    start: ast.expr | None = None,
    *,
    negative: bool = False,
) -> Shape | None:
    of_key, of_value = _operand(key), _operand(value)
    if of_key is None or of_value is None:
        return None
    return Shape(kind, state, of_value, of_key, negative=negative, start=start)


def _of_augmented(node: ast.AugAssign, start: ast.expr | None) -> Shape | None:
    if not isinstance(node.op, ast.Add | ast.Sub):
        return None
    negative = isinstance(node.op, ast.Sub)
    match node.target:
        case ast.Name(id=state) if start is None:
            value = _operand(node.value)
            return None if value is None else Shape("sum", state, value, negative=negative)
        case ast.Subscript(value=ast.Name(id=state), slice=key):
            return _grouped("group_sum", state, key, node.value, start, negative=negative)
        case _:
            return None


def _of_assign(target: ast.expr, value: ast.expr) -> Shape | None:
    match target, value:
        case ast.Name(id=state), ast.BinOp(left=ast.Name(id=left), op=op, right=right) if (
            left == state and isinstance(op, ast.Add | ast.Sub)
        ):
            operand, negative = _operand(right), isinstance(op, ast.Sub)
            return None if operand is None else Shape("sum", state, operand, negative=negative)
        case ast.Name(id=state), ast.Call(func=ast.Name(id="max" | "min" as name)):
            return _of_maximum(state, name, value)
        case ast.Name(id=state), _:
            operand = _operand(value)
            return None if operand is None else Shape("last", state, operand)
        case ast.Subscript(value=ast.Name(id=record), slice=ast.Constant(value=key)), _ if (
            record.startswith(SLOT)
        ):
            return _of_write(record, key, value)
        case ast.Subscript(value=ast.Name(id=state), slice=key), _:
            return _of_put(state, key, value)
        case _:
            return None


def _of_write(record: str, key: Any, value: ast.expr) -> Shape | None:
    operand, into = _operand(value), _operand(ast.Name(record, ast.Load()))
    if operand is None or into is None:
        return None
    return Shape("write", "", operand, Operand(None, key), others=(("", into),))


def _of_maximum(state: str, name: str, value: ast.expr) -> Shape | None:
    match value:
        case ast.Call(args=[ast.Name(id=first), other], keywords=[]) if first == state:
            operand, beats = _operand(other), {"max": ">", "min": "<"}[name]
        case ast.Call(args=[other, ast.Name(id=second)], keywords=[]) if second == state:
            operand, beats = _operand(other), {"max": ">=", "min": "<="}[name]
        case _:
            return None
    # max(new, state) keeps the new one unless the state is greater: >= where no NaN is about.
    return None if operand is None else Shape("extreme", state, operand, beats=beats)


def _of_put(state: str, key: ast.expr, value: ast.expr) -> Shape | None:
    match value:
        case ast.BinOp(
            left=ast.Call(
                func=ast.Attribute(value=ast.Name(id=owner), attr="get"),
                args=[asked, ast.Constant() as start],
                keywords=[],
            ),
            op=ast.Add() | ast.Sub() as op,
            right=added,
        ) if owner == state and ast.unparse(asked) == ast.unparse(key):
            negative = isinstance(op, ast.Sub)
            return _grouped("group_sum", state, key, added, start, negative=negative)
        case _:
            return _grouped("put", state, key, value)


def _of_if(node: ast.If) -> Shape | None:
    """if best is None or x > best: best = x, or if k in d: d[k] += x else: d[k] = x."""
    compared = _comparison(node.test)
    if compared is not None and not node.orelse:
        return _of_extreme(node, *compared)
    match node:
        case ast.If(
            test=ast.Compare(left=key, ops=[ast.In()], comparators=[ast.Name(id=state)]),
            body=[ast.AugAssign(op=ast.Add()) as added],
            orelse=[ast.Assign(targets=[target], value=first)],
        ):
            return _of_test(state, key, added, target, first)
        case _:
            return None


def _of_test(
    state: str, key: ast.expr, added: ast.AugAssign, target: ast.expr, first: ast.expr
) -> Shape | None:
    """if k in d: d[k] += x else: d[k] = x."""
    place = f"{state}[{ast.unparse(key)}]"
    same = ast.unparse(added.target) == ast.unparse(target) == place
    shape = _of_augmented(added, None) if same else None
    if shape is None or shape.value != _operand(first):
        return None
    return dataclasses.replace(shape, as_it_is=True)


def _comparison(test: ast.expr) -> tuple[ast.Compare, bool] | None:
    match test:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            return test, False
        case ast.BoolOp(
            op=ast.Or(),
            values=[
                ast.Compare(
                    left=ast.Name(id=name),
                    ops=[ast.Is()],
                    comparators=[ast.Constant(value=None)],
                ),
                ast.Compare(ops=[op]) as second,
            ],
        ) if type(op) in COMPARISONS and name in _sides(second):
            return second, True
        case _:
            return None


def _sides(node: ast.Compare) -> list[str]:
    return [n.id for n in (node.left, *node.comparators) if isinstance(n, ast.Name)]


def _of_extreme(node: ast.If, compared: ast.Compare, from_none: bool) -> Shape | None:  # noqa: FBT001
    bound: dict[str, Operand] = {}
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                operand = _operand(value)
                if operand is None or name in bound:
                    return None
                bound[name] = operand
            case _:
                return None
    beats = COMPARISONS[type(compared.ops[0])]
    left, right = _operand(compared.left), _operand(compared.comparators[0])
    state = _state_of(compared, bound)
    if state is None or (left is None) == (right is None):
        return None
    if left is None:  # the state stands first: state < new
        beats, left = MIRRORED[beats], right
    assert left is not None  # noqa: S101  one side is an operand
    if bound[state] != left:
        return None
    others = tuple((name, operand) for name, operand in bound.items() if name != state)
    return Shape("extreme", state, left, beats=beats, from_none=from_none, others=others)


def _state_of(compared: ast.Compare, bound: Mapping[str, Operand]) -> str | None:
    return next((name for name in _sides(compared) if name in bound), None)


def _operand(node: ast.expr) -> Operand | None:
    match node:
        case ast.Name(id=name) if name.startswith(SLOT):
            return Operand(name.removeprefix(SLOT).replace("_", "."))
        case ast.Constant(value=value):
            return Operand(None, value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return Operand(None, -value)
        case ast.Tuple(elts=[]) | ast.List(elts=[]):
            return None
        case _:
            return None
