"""Loops that write into their records: the writes as steps, and the record as the row sees it.

    for r in records:                          for r in records:
        r["v"] = r["n"] * 2        ->              now = {**r}
        r["w"] = r["v"] + 1                        put_0 = r["n"] * 2
                                                   now["v"] = put_0
                                                   record["v"] = put_0         # a step
                                                   record["w"] = now["v"] + 1  # a step

What a row computes reads the record as it was, or a copy with what the row itself has written. A
step then writes into the caller's own record. No other row may see that: each record is a dict of
its own, and nothing else that the loop reads may hold one of them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from batchprep.loops.names import CHANGERS, Names, roots

RECORD: Final = "batchprep_record"  # what the writes go into
NOW: Final = "batchprep_now"  # the record with what its row has written
PUT: Final = "batchprep_put_"
DISPLAYS = ast.Dict | ast.List | ast.Tuple | ast.IfExp
COLLECTING: Final = frozenset({"append", "insert", "setdefault", "appendleft"})


def writes_into(body: Sequence[ast.stmt], row: str) -> bool:
    """Whether statements write into the record."""
    return row in Names(body).written


def apart(
    body: Sequence[ast.stmt], row: str, refuse: Callable[[ast.AST], Any]
) -> tuple[list[ast.stmt], frozenset[str]]:
    """The statements with their writes as steps, and the keys that are added to.

    `refuse` is told of a use of the record that forbids it.
    """
    writer = _Writes(body, row, refuse)
    for statement in body:
        writer.check(statement)
    made = [new for statement in body for new in writer.statement(copy.deepcopy(statement))]
    if writer.is_read_back:
        copied = ast.Dict([None], [ast.Name(row, ast.Load())])
        first = ast.Assign([ast.Name(NOW, ast.Store())], copied)
        made.insert(0, ast.copy_location(first, body[0]))
    for statement in made:
        ast.fix_missing_locations(statement)
    return made, frozenset(writer.augmented)


class _Writes(ast.NodeTransformer):
    def __init__(
        self, body: Sequence[ast.stmt], row: str, refuse: Callable[[ast.AST], Any]
    ) -> None:
        self.row = row
        self.refuse = refuse
        self.count = 0
        self.body = body
        written = {key for s in body for n in ast.walk(s) if (key := self.key(n, ast.Store))}
        self.written_keys = written
        read = [key for s in body for n in ast.walk(s) for key in self.keys_read(n)]
        self.augmented = {
            str(self.key(n.target, ast.Store))
            for s in body
            for n in ast.walk(s)
            if isinstance(n, ast.AugAssign) and self.is_augmented(n)
        }
        self.is_read_back = bool(self.augmented) or any(
            key is None or key in written for key in read
        )

    # ------------------------------------------------------------------------------- what is known

    def key(self, node: ast.AST, context: type[ast.expr_context]) -> str | None:
        """The constant key of row["key"]."""
        match node:
            case ast.Subscript(
                value=ast.Name(id=self.row), slice=ast.Constant(value=str() as key), ctx=ctx
            ) if isinstance(ctx, context):
                return key
            case _:
                return None

    def keys_read(self, node: ast.AST) -> Iterator[str | None]:
        """The keys that an expression asks the record for; None: any of them."""
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=self.row), attr="get"),
                args=[ast.Constant(value=str() as key), *_],
            ):
                yield key
            case ast.Compare(
                left=ast.Constant(value=str() as key),
                ops=[ast.In() | ast.NotIn()],
                comparators=[ast.Name(id=self.row)],
            ):
                yield key
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                yield from (None for key, v in pairs if key is None and self.is_row(v))
            case ast.Call(func=ast.Name(id="dict"), args=[ast.Name(id=self.row)], keywords=[]):
                yield None
            case _:
                key = self.key(node, ast.Load)
                if key is not None:
                    yield key

    def is_row(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.row

    def is_augmented(self, node: ast.AST) -> bool:
        return isinstance(node, ast.AugAssign) and self.key(node.target, ast.Store) is not None

    # ----------------------------------------------------------------------------------- refusals

    def check(self, node: ast.AST) -> None:
        """Refuse what may change the record otherwise, give it a second name or hand it on."""
        match node:
            case ast.Assign():
                self.assigned(node)
            case ast.AugAssign(value=value) if self.is_augmented(node):
                self.check(value)
            case ast.Call(func=ast.Attribute() as func):
                self.called(node, func)
            case ast.Name():
                if self.is_row(node):
                    self.refuse(node)
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()) if (
                self.row in roots(node)
            ):
                self.refuse(node)  # inside of what the record holds
            case _ if any(True for _ in self.keys_read(node)):
                self.checks(n for n in ast.iter_child_nodes(node) if not self.is_row(n))
            case _:
                self.checks(ast.iter_child_nodes(node))

    def assigned(self, node: ast.Assign) -> None:
        written = {self.key(target, ast.Store) for target in node.targets} - {None}
        if (written and len(node.targets) > 1) or written & self.augmented:
            self.refuse(node)
        self.checks([t for t in node.targets if self.key(t, ast.Store) is None])
        held = not any(isinstance(target, ast.Name | ast.Tuple) for target in node.targets)
        if self.is_row(node.value) and isinstance(node.targets[0], ast.Name):
            self.check_alias(node, node.targets[0].id)
        else:
            (self.value if held else self.check)(node.value)

    def check_alias(self, node: ast.Assign, name: str) -> None:
        """Another name for the record may be asked for what no row writes."""
        asked = [
            asking
            for statement in self.body
            for inner in ast.walk(statement)
            for asking in _asked(inner, self.written_keys)
        ]
        everywhere = [n for s in self.body for n in ast.walk(s) if _is_read(n, name)]
        if len(node.targets) > 1 or not {id(n) for n in everywhere} <= set(map(id, asked)):
            self.refuse(node)

    def called(self, node: ast.Call, func: ast.Attribute) -> None:
        if not self.is_row(func.value):
            if func.attr in CHANGERS and self.row in roots(func.value):
                self.refuse(node)
            self.check(func.value)
        elif func.attr in CHANGERS or not any(self.keys_read(node)):
            self.refuse(node)
        for argument in node.args:
            (self.value if func.attr in COLLECTING else self.check)(argument)
        self.checks(node.keywords)

    def checks(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.check(node)

    def value(self, node: ast.expr) -> None:
        """A value that is put somewhere: the record itself may be, or be part of one."""
        if self.is_row(node):
            return
        if isinstance(node, DISPLAYS) and not any(self.keys_read(node)):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)
        else:
            self.check(node)

    # ---------------------------------------------------------------------------------- statements

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if block:
                setattr(node, name, [new for inner in block for new in self.statement(inner)])
        for inner in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            inner.body = [new for one in inner.body for new in self.statement(one)]
        match node:
            case ast.Assign(targets=[ast.Subscript() as target]) if self.key(target, ast.Store):
                return self.written(node, target, self.visit(node.value))
            case ast.AugAssign(target=ast.Subscript() as target) if self.is_augmented(node):
                read = ast.Subscript(ast.Name(NOW, ast.Load()), target.slice, ast.Load())
                return self.written(node, target, ast.BinOp(read, node.op, node.value))
            case ast.If() | ast.For() | ast.While() | ast.Try() | ast.With() | ast.Match():
                return [self.headed(node)]
            case _:
                return [self.visit(node)]

    def headed(self, node: ast.stmt) -> ast.stmt:
        """A statement of blocks with what stands before them."""
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self.visit(value))
            elif name in ("items", "handlers", "cases"):
                for part in value:
                    for inner, held in ast.iter_fields(part):
                        if isinstance(held, ast.expr):
                            setattr(part, inner, self.visit(held))
        return node

    def written(self, node: ast.stmt, target: ast.Subscript, value: ast.expr) -> list[ast.stmt]:
        step = ast.Subscript(ast.Name(RECORD, ast.Load()), target.slice, ast.Store())
        if not self.is_read_back:
            return [ast.copy_location(ast.Assign([step], value), node)]
        name = f"{PUT}{self.count}"
        self.count += 1
        now = ast.Subscript(ast.Name(NOW, ast.Load()), target.slice, ast.Store())
        made = [
            ast.Assign([ast.Name(name, ast.Store())], value),
            ast.Assign([now], ast.Name(name, ast.Load())),
            ast.Assign([step], ast.Name(name, ast.Load())),
        ]
        return [ast.copy_location(statement, node) for statement in made]

    # --------------------------------------------------------------------------------- expressions

    def visit(self, node: ast.AST) -> Any:
        if self.is_read_back and any(True for _ in self.keys_read(node)):
            return self.reading(node)
        return super().visit(node)

    def reading(self, node: ast.AST) -> ast.AST:
        """What asks the record asks the copy that has what the row has written."""
        match node:
            case ast.Call(func=ast.Attribute() as func):
                func.value = ast.copy_location(ast.Name(NOW, ast.Load()), func.value)
                node.args = [self.visit(argument) for argument in node.args]
            case ast.Call():
                node.args = [ast.copy_location(ast.Name(NOW, ast.Load()), node)]
            case ast.Compare():
                node.comparators = [ast.copy_location(ast.Name(NOW, ast.Load()), node)]
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                node.values = [
                    ast.copy_location(ast.Name(NOW, ast.Load()), value)
                    if key is None and self.is_row(value)
                    else self.visit(value)
                    for key, value in pairs
                ]
                node.keys = [key and self.visit(key) for key in node.keys]
            case ast.Subscript():
                node.value = ast.copy_location(ast.Name(NOW, ast.Load()), node.value)
            case _:
                pass
        return node


def _is_read(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _asked(node: ast.AST, written: set[str]) -> Iterator[ast.AST]:
    """Operands that are asked for a key that is not written, or whether they are None."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key), ctx=ast.Load()):
            if key not in written:
                yield owner
        case ast.Call(
            func=ast.Attribute(value=owner, attr="get"), args=[ast.Constant(value=str() as key), *_]
        ):
            if key not in written:
                yield owner
        case ast.Compare(
            left=owner, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]
        ):
            yield owner
        case ast.If(test=owner) | ast.IfExp(test=owner) | ast.UnaryOp(op=ast.Not(), operand=owner):
            yield owner
        case ast.BoolOp(op=ast.And(), values=[*owners, _]):
            yield from owners
        case _:
            return
