"""Bodies of loops as row functions: what they append becomes what the function returns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from batchprep.lint import messages
from batchprep.lint.finding import Edit
from batchprep.lint.scopes import FUNCTIONS, Names
from batchprep.lint.unit import Unit

# Methods that change what they are called on.
CHANGING: Final = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popleft", "push",
    "remove", "reverse", "setdefault", "sort", "update",
})  # fmt: skip
LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)
NEVER: Final = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Delete,
                ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ClassDef)  # fmt: skip


@dataclass
class Body:
    """What a loop's body does.

    output     the list that it appends to; "" where it does not, or to several
    values     what it appends
    edits      from its appends to `return`
    drops      whether some rows append nothing
    gathers    why it takes more than a row function: it gathers several things; "" if not
    obstacle   why it is no row function, for another reason; "" if it is one
    """

    output: str = ""
    values: list[ast.expr] = field(default_factory=list[ast.expr])
    edits: list[Edit] = field(default_factory=list[Edit])
    drops: bool = False
    gathers: str = ""
    obstacle: str = ""


def body_of(loop: ast.For, unit: Unit, names: Names) -> Body:
    """What the body of a loop does, with the edits that make it a row function."""
    outputs = sorted({out for node in _inside(loop) if (out := appended_to(node)[0])})
    body = Body(output=outputs[0] if len(outputs) == 1 else "")
    body.gathers = _gathered(loop, outputs, names)
    body.obstacle = _obstacle(loop, body.output, names)
    if body.output and not body.gathers and not body.obstacle:
        falls = _Returns(unit, body).block(loop.body, tail=True)
        body.drops = body.drops or falls
    return body


def appended_to(node: ast.AST) -> tuple[str, ast.expr | None]:
    """(name of the list, value) of `name.append(value)` as a statement; ("", None) for others."""
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"),
                args=[value],
                keywords=[],
            )
        ):
            return name, value
        case _:
            return "", None


def _inside(loop: ast.For) -> Iterator[ast.AST]:
    for statement in loop.body:
        yield from ast.walk(statement)


# ------------------------------------------------------------------------- more than a row function


def _gathered(loop: ast.For, outputs: Sequence[str], names: Names) -> str:
    own = _own_names(loop)
    outer_outputs = [out for out in outputs if out not in own]
    if len(outer_outputs) > 1:
        return messages.several_lists_text(outer_outputs)
    for node in _inside(loop):
        found = _ends_early(node, loop, names) or _kept(node, loop, own, names)
        if found or (found := _filled(node, own, names)):
            return found
    return _reads_output(loop, outer_outputs)


def _ends_early(node: ast.AST, loop: ast.For, names: Names) -> str:
    ends = isinstance(node, ast.Return) or (
        isinstance(node, ast.Break) and _belongs(node, loop, names)
    )
    return messages.STOPS_EARLY if ends else ""


def _kept(node: ast.AST, loop: ast.For, own: frozenset[str], names: Names) -> str:
    """What is said of a name whose value goes on to the next row."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name)):
            kept = not _assigned_first(loop, name)
        case ast.Name(id=name, ctx=ast.Store()):
            kept = name in own and _carried(loop, name, names)
        case _:
            return ""
    return messages.carries_text(name) if kept else ""


def _filled(node: ast.AST, own: frozenset[str], names: Names) -> str:
    """What is said of an object of outside that is changed."""
    match node:
        case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            name = _root(node)
        case ast.Call(func=ast.Attribute(value=target, attr=method)) if method in CHANGING:
            name = "" if appended_to(names.parents[node])[0] else _root(target)
        case _:
            return ""
    return messages.fills_text(name) if name and name not in own else ""


def _reads_output(loop: ast.For, outputs: Sequence[str]) -> str:
    for output in outputs:
        uses = [n for n in _inside(loop) if isinstance(n, ast.Name) and n.id == output]
        appends = [n for n in _inside(loop) if appended_to(n)[0] == output]
        if len(uses) > len(appends):
            return messages.reads_output_text(output)
    return ""


def _own_names(loop: ast.For) -> frozenset[str]:
    """The names that the loop binds itself: its target, and what its body assigns."""
    bound = [*ast.walk(loop.target), *_inside(loop)]
    return frozenset(
        node.id for node in bound if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def _root(node: ast.expr) -> str:
    """The name that an attribute or item is taken of."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _carried(loop: ast.For, name: str, names: Names) -> bool:
    """Whether a name that the body assigns keeps its value from one row to the next."""
    scope = names.scope_of(loop)
    inside = set(_inside(loop)) | set(ast.walk(loop.target))
    bound_outside = any(
        node not in inside and not isinstance(node.ctx, ast.Load) and names.scope_of(node) is scope
        for node in names.uses[name]
    )
    return bound_outside and not _assigned_first(loop, name)


def _assigned_first(loop: ast.For, name: str) -> bool:
    """Whether each row assigns the name before it reads it."""
    if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(loop.target)):
        return True
    for statement in loop.body:
        mentioned = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if mentioned:
            return isinstance(statement, ast.Assign | ast.AnnAssign) and not any(
                isinstance(n.ctx, ast.Load) for n in mentioned
            )
    return False


def _belongs(node: ast.AST, loop: ast.For, names: Names) -> bool:
    """Whether a break or continue ends this loop's round, and not that of a loop inside."""
    return next(n for n in names.enclosing(node) if isinstance(n, LOOPS)) is loop


# --------------------------------------------------------------------------- no row function at all


def _obstacle(loop: ast.For, output: str, names: Names) -> str:
    if loop.orelse:
        return messages.LOOP_ELSE
    for node in _inside(loop):
        if isinstance(node, (*NEVER, *FUNCTIONS)) and not isinstance(node, ast.Lambda):
            return messages.not_in_row_function_text(node)
        if appended_to(node)[0] == output and output and _in_inner_loop(node, loop, names):
            return messages.SEVERAL_A_ROW
        written = isinstance(node, ast.Subscript | ast.Attribute) and isinstance(
            node.ctx, ast.Store
        )
        if written and _root(cast("ast.expr", node)) in _targets(loop):
            return messages.writes_row_text(ast.unparse(node))
    return _leak(loop, names)


def _targets(loop: ast.For) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name))


def _in_inner_loop(node: ast.AST, loop: ast.For, names: Names) -> bool:
    return next(n for n in names.enclosing(node) if isinstance(n, LOOPS)) is not loop


def _leak(loop: ast.For, names: Names) -> str:
    """A name of the loop that is read outside of it: a row function would keep it."""
    own = _own_names(loop)
    inside = {loop, *_inside(loop), *ast.walk(loop.target), *ast.walk(loop.iter)}
    scope = names.scope_of(loop)
    for name in sorted(own):
        for node in names.uses[name]:
            read = node not in inside and isinstance(node.ctx, ast.Load)
            if read and _reads_of(scope, node, names):
                return messages.used_after_text(name)
    return ""


def _reads_of(scope: object, node: ast.Name, names: Names) -> bool:
    """Whether a name read there is the scope's, and not one that another loop binds just before."""
    found = names.scope_of(node).lookup(node.id)
    if found is None or found[0] is not scope:
        return False
    others = (n for n in names.enclosing(node) if isinstance(n, ast.For))
    return not any(node.id in _own_names(other) for other in others)


# ------------------------------------------------------------------------------- appends as returns


class _Returns:
    """Turns appends into returns, where each is the last thing that a row does."""

    def __init__(self, unit: Unit, body: Body) -> None:
        self._unit = unit
        self._body = body

    def block(self, statements: Sequence[ast.stmt], *, tail: bool) -> bool:
        """Edit a block; whether a row may come to its end. `tail`: nothing comes after it."""
        at = 0
        while at < len(statements):
            statement, last = statements[at], at == len(statements) - 1
            name, value = appended_to(statement)
            follows = None if last else statements[at + 1]
            if name == self._body.output and value is not None:
                if not (last and tail) and not isinstance(follows, ast.Continue):
                    self._body.obstacle = messages.APPENDS_BEFORE_THE_END
                self._append(statement, value, follows)
                return False
            if isinstance(statement, ast.Continue):
                self._drop(statement)
                return False
            if not self._through(statement, tail=tail and last):
                return False
            at += 1
        return True

    def _through(self, statement: ast.stmt, *, tail: bool) -> bool:
        """Edit the blocks of a statement; whether a row may go on after it."""
        match statement:
            case ast.If(body=body, orelse=orelse):
                first = self.block(body, tail=tail)
                second = self.block(orelse, tail=tail)
                return first or second
            case ast.Raise():
                return False
            case ast.With() | ast.Try() | ast.Match():
                if any(self._ends_row(node) for node in ast.walk(statement)):
                    self._body.obstacle = messages.not_in_row_function_text(statement)
                return True
            case _:
                return True

    def _ends_row(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Continue) or appended_to(node)[0] == self._body.output

    def _append(self, statement: ast.stmt, value: ast.expr, follows: ast.stmt | None) -> None:
        line, column, _, _ = self._unit.span(statement)
        last_line, last_column = self._unit.span(follows or statement)[2:]
        first_line, first_column, end_line, end_column = self._unit.span(value)
        self._body.values.append(value)
        # In brackets a value may go on over several lines.
        opened, closed = ("return (", ")") if end_line > first_line else ("return ", "")
        self._body.edits += [
            Edit(line, column, first_line, first_column, opened),
            Edit(end_line, end_column, last_line, last_column, closed),
        ]

    def _drop(self, statement: ast.stmt) -> None:
        self._body.drops = True
        self._body.edits.append(self._unit.edit(statement, "return None"))


def certain_values(values: Iterable[ast.expr], row: str) -> bool:
    """Whether none of the values can be None."""
    return all(_certain(value, row) for value in values)


def _certain(value: ast.expr, row: str) -> bool:
    match value:
        case ast.Dict() | ast.List() | ast.Tuple() | ast.Set() | ast.JoinedStr() | ast.Compare():
            return True
        case ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Name(id=name):
            return name == row
        case ast.Constant(value=constant):
            return constant is not None
        # Numbers and texts: no type of Python gives None for these.
        case ast.BinOp() | ast.UnaryOp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in {"int", "float", "str", "round", "len", "abs", "dict", "list", "tuple"}
        case ast.IfExp(body=body, orelse=orelse):
            return _certain(body, row) and _certain(orelse, row)
        case _:
            return False
