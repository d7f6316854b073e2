"""Statements: they change names, dicts and the path condition."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from batchprep.dtypes import Kind
from batchprep.errors import Unsupported
from batchprep.plan.build import both, invert
from batchprep.plan.node import FALSE, TRUE
from batchprep.plan.values import Sum
from batchprep.rowfn.arithmetic import operation
from batchprep.rowfn.dicts import set_item, unpack
from batchprep.rowfn.expressions import evaluate, evaluate_sum
from batchprep.rowfn.frame import Frame, Return
from batchprep.rowfn.lazy import has_objects, may_change
from batchprep.rowfn.operators import SYMBOL
from batchprep.rowfn.outlined import makes_new, outline_statement
from batchprep.rowfn.sums import Lazy, Static, Value, literal, literal_of
from batchprep.rowfn.texts import unpacked
from batchprep.rowfn.times import iso_items
from batchprep.rowfn.truth import truth

Handler = Callable[[Frame, Any], None]


def run_block(frame: Frame, body: list[ast.stmt]) -> None:
    """Trace statements until no row goes on."""
    for statement in body:
        if frame.state.path is FALSE:
            return
        run_statement(frame, statement)


def run_statement(frame: Frame, statement: ast.stmt) -> None:
    """Trace one statement; one that cannot be traced is left to Python, if it is pure."""
    mark = frame.mark()
    try:
        _traced(frame, statement)
    except Unsupported as refused:
        frame.go_back(mark)
        try:
            outline_statement(frame, statement, refused.reason)
        except Unsupported as impure:
            frame.go_back(mark)
            # Of what is always run by Python, the reason is why that cannot be done.
            raise (refused if type(statement) in _HANDLERS else impure) from None


def _traced(frame: Frame, statement: ast.stmt) -> None:
    handler = _HANDLERS.get(type(statement))
    if handler is None:
        name = _NAMES.get(type(statement), "this statement")
        frame.unsupported(statement, f"{name} cannot be compiled")
    handler(frame, statement)


def _return(frame: Frame, node: ast.Return) -> None:
    value = literal(None) if node.value is None else evaluate(frame, node.value)
    if isinstance(value, (Static, Lazy)) and not frame.callers:
        value = frame.held(value, node)
    frame.returns.append(Return(frame.state.path, value, dict(frame.state.heap)))
    frame.state.path = FALSE


def _assign(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value)
    if isinstance(value, Lazy) and len(node.targets) == 1 and makes_new(frame, node.value):
        frame.tracer.fresh.add(value)
    for target in node.targets:
        _bind(frame, target, value)


def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is not None:
        _bind(frame, node.target, evaluate(frame, node.value))


def _bind(frame: Frame, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        frame.assign(target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        if any(isinstance(part, ast.Starred) for part in target.elts):
            frame.unsupported(target, "unpacking into *names cannot be compiled")
        count = len(target.elts)
        is_text = isinstance(value, Lazy) or (isinstance(value, Sum) and value.kinds == ("str",))
        iso = iso_items(value)
        parts: Sequence[Value]
        if iso is not None and len(iso) == count:
            parts = iso
        elif is_text:
            parts = unpacked(frame, value, count, target)
        else:
            parts = unpack(frame, frame.lift(value, target), count, target)
        for part, item in zip(target.elts, parts, strict=True):
            _bind(frame, part, item)
    elif isinstance(target, ast.Subscript):
        owner = evaluate_sum(frame, target.value)
        key = _key(frame, target)
        set_item(frame, owner, key, frame.held(value, target), target)
    else:
        frame.unsupported(target, "writing into an attribute cannot be compiled")


def _key(frame: Frame, target: ast.Subscript) -> object:
    if isinstance(target.slice, ast.Slice):
        frame.unsupported(target, "writing into a slice cannot be compiled")
    try:
        return literal_of(evaluate(frame, target.slice))
    except LookupError:
        frame.unsupported(target, "writing under a key that differs by row cannot be compiled")


def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    symbol = SYMBOL.get(type(node.op))
    if symbol is None:
        frame.unsupported(node, "matrix multiplication cannot be compiled")
    read = _as_read(node.target)
    left = evaluate(frame, read)
    if _may_be_changed(left):  # += changes a list in place, under every name of it
        frame.unsupported(node, "an augmented assignment to what may be a list, set or dict")
    value = operation(frame, symbol, left, evaluate(frame, node.value), node)
    _bind(frame, node.target, value)


def _may_be_changed(value: Value) -> bool:
    """Whether the value may be an object that its operators change in place."""
    if isinstance(value, Static):
        return may_change(value.value)
    return has_objects(value) or (isinstance(value, Sum) and bool(CHANGEABLE & {*value.kinds}))


CHANGEABLE: Final[frozenset[Kind]] = frozenset({"list", "struct", "other", "any"})


def _as_read(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment as the expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    return target


def _if(frame: Frame, node: ast.If) -> None:
    condition = truth(frame, evaluate(frame, node.test), node.test)
    before = frame.state
    yes_path, no_path = both(before.path, condition), both(before.path, invert(condition))
    if no_path is FALSE:
        run_block(frame, node.body)
        return
    if yes_path is FALSE:
        run_block(frame, node.orelse)
        return
    frame.state = before.fork(yes_path)
    run_block(frame, node.body)
    yes = frame.state
    frame.state = before.fork(no_path)
    run_block(frame, node.orelse)
    no = frame.state
    path = before.path if yes.path is yes_path and no.path is no_path else None
    frame.state = frame.joined(condition, yes, no, node)
    if path is not None:
        frame.state.path = path


def _expression(frame: Frame, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):  # a docstring
        evaluate(frame, node.value)


def _raise(frame: Frame, node: ast.Raise) -> None:
    # The interpreter raises it: what it is, and which message it has, need not be known.
    frame.escape(TRUE, "raise", node)
    frame.state.path = FALSE


def _assert(frame: Frame, node: ast.Assert) -> None:
    if not __debug__:  # python -O leaves them out
        return
    holds = truth(frame, evaluate(frame, node.test), node.test)
    frame.escape(invert(holds), "assert", node)
    frame.state.path = both(frame.state.path, holds)


def _nothing(frame: Frame, node: ast.Pass) -> None:
    del frame, node


_NAMES: Final[dict[type[ast.stmt], str]] = {
    ast.For: "a for loop",
    ast.While: "a while loop",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.With: "with",
    ast.Delete: "del",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Match: "match",
    ast.FunctionDef: "a function inside a row function",
    ast.ClassDef: "a class inside a row function",
}
_HANDLERS: Final[dict[type[ast.stmt], Handler]] = {
    ast.Return: _return,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.Expr: _expression,
    ast.Pass: _nothing,
    ast.Raise: _raise,
    ast.Assert: _assert,
}
