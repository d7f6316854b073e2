"""The body of one function: each name from outside, judged where it stands."""

from __future__ import annotations

import ast
import builtins
import dis
import functools
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, cast

from batchprep.rowfn.marks import MUTATORS
from batchprep.rowfn.source import FunctionSource, function_name
from batchprep.run import workers_messages as texts
from batchprep.run.workers_constants import CLOCKS, is_constant
from batchprep.run.workers_reads import (
    VIEWS,
    Above,
    is_made_set,
    is_plain_view,
    is_read,
    is_read_set,
)

UNBOUND: Final = object()
REFUSED: Final[dict[type[ast.AST], str]] = {
    ast.Import: "imports a module",
    ast.ImportFrom: "imports a module",
    ast.ClassDef: "defines a class",
    ast.AsyncFunctionDef: "is asynchronous",
    ast.AsyncFor: "is asynchronous",
    ast.AsyncWith: "is asynchronous",
    ast.Await: "is asynchronous",
}
SETS: Final[frozenset[type]] = frozenset({set, frozenset})
TABLES: Final[frozenset[type]] = frozenset({dict, list, tuple}) | SETS
GLOBAL_WRITES: Final = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
CELL_WRITES: Final = frozenset({"STORE_DEREF", "DELETE_DEREF"})


class Impure(Exception):  # noqa: N818  a verdict, not an error
    """The function may change or read something outside; the text says what."""


class Body:
    """The source of one function. `value` and `table` judge what its names stand for."""

    def __init__(
        self,
        function: FunctionType,
        source: FunctionSource,
        value: Callable[[object, str], None],
        table: Callable[[tuple[object, ...], str], None],
    ) -> None:
        self._value = value
        self._table = table
        self._name = function_name(function)
        self._node = source.node
        self._namespace = _namespace(function)
        self._outer = frozenset(_outer_names(function.__code__, self._name))

    def check(self) -> None:
        """Judge the whole body, without decorators, defaults and annotations: those ran before.

        Errors:  Impure
        """
        body = self._node.body
        for statement in body if isinstance(body, list) else [body]:
            self._visit(statement, ())

    def _visit(self, node: ast.AST, above: Above) -> None:
        what = REFUSED.get(type(node))
        if what is not None:
            raise Impure(texts.does_text(self._name, what))
        found = self._resolved(node)
        if found is not UNBOUND:
            self._use(node, found, above)
            return
        match node:
            case ast.Attribute():
                self._attribute(node, above)
            case ast.With(items=items):
                self._contexts(items)
            case ast.Set() | ast.SetComp():
                self._made_set(node, above)
            case _:
                pass
        if not _is_super(node):
            for child in ast.iter_child_nodes(node):
                self._visit(child, (node, *above[:2]))

    def _resolved(self, node: ast.AST) -> object:
        """What a name from outside means, or a member of a module; UNBOUND for all else."""
        match node:
            case ast.Name(id=name) if name in self._outer:
                if name not in self._namespace:
                    raise Impure(texts.does_text(name, "is not defined"))
                return self._namespace[name]
            case ast.Attribute(value=value, attr=attr):
                module = self._resolved(value)
                if isinstance(module, ModuleType):
                    return getattr(module, attr, UNBOUND)
            case _:
                pass
        return UNBOUND

    def _use(self, node: ast.AST, value: object, above: Above) -> None:
        name = ast.unparse(node)
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            raise Impure(texts.writes_outside_text(self._name, name))
        if value is set or value is frozenset:
            self._made_set(node, above)
        elif is_constant(value):
            return
        elif type(value) in TABLES:
            read = is_read_set if type(value) in SETS else is_read
            if not read(node, above, self._resolved):
                raise Impure(texts.table_text(name))
            self._table(_held(value), name)
        else:
            self._member(value, above)
            self._value(value, name)

    def _member(self, value: object, above: Above) -> None:
        """What an attribute of a function or class holds may be anything, and setting it shows."""
        parent = above[0] if above else None
        if not isinstance(parent, ast.Attribute | ast.Subscript):
            return
        if not isinstance(parent.ctx, ast.Load):
            raise Impure(texts.writes_outside_text(self._name, ast.unparse(parent)))
        attr = parent.attr if isinstance(parent, ast.Attribute) else ""
        if attr in MUTATORS or (isinstance(value, FunctionType) and attr != "__name__"):
            raise Impure(texts.table_text(ast.unparse(parent)))

    def _attribute(self, node: ast.Attribute, above: Above) -> None:
        text, attr = ast.unparse(node), node.attr
        if attr in CLOCKS:
            raise Impure(texts.does_text(self._name, f"reads the clock: {text}"))
        if attr.startswith("__") and attr != "__name__" and not _is_super(node):
            raise Impure(texts.does_text(self._name, f"reads {text}"))
        if attr in VIEWS and not is_plain_view(above, self._resolved):
            raise Impure(texts.set_text(self._name, text))

    def _contexts(self, items: list[ast.withitem]) -> None:
        for item in items:
            called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
            found = UNBOUND if called is None else self._resolved(called)
            if getattr(found, "__name__", "") != "suppress":
                text = f"enters {ast.unparse(item.context_expr)}"
                raise Impure(texts.does_text(self._name, text))

    def _made_set(self, node: ast.AST, above: Above) -> None:
        if not is_made_set(node, above, self._resolved):
            raise Impure(texts.set_text(self._name, ast.unparse(node)))


def _held(table: object) -> tuple[object, ...]:
    if isinstance(table, dict):
        pairs = cast("dict[Any, Any]", table)
        return (*pairs, *pairs.values())
    return (*cast("list[Any]", table),)


def _is_super(node: ast.AST) -> bool:
    """super().name: what it gives belongs to a class that is judged by itself."""
    match node:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[])):
            return True
        case _:
            return False


def _namespace(function: FunctionType) -> dict[str, object]:
    """What names from outside mean in a function; a variable that is not bound yet is not there."""
    found: dict[str, object] = {**vars(builtins), **function.__globals__}
    pairs = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in pairs:
        found.pop(name, None)
        try:
            found[name] = cell.cell_contents
        except ValueError:  # bound only later
            continue
    return found


def _outer_names(code: CodeType, name: str) -> Iterator[str]:
    """Names that a function looks up outside of itself; Impure where it sets one."""
    free = frozenset(code.co_freevars)
    yield from free - {"__class__"}
    for inner in _codes(code):
        for step in dis.get_instructions(inner):
            if step.opname in GLOBAL_WRITES or (step.opname in CELL_WRITES and step.argval in free):
                raise Impure(texts.writes_outside_text(name, step.argval))
            if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"} and step.argval != "super":
                yield step.argval


@functools.lru_cache(maxsize=256)
def _codes(code: CodeType) -> tuple[CodeType, ...]:
    inner = (c for c in code.co_consts if isinstance(c, CodeType))
    return (code, *(found for one in inner for found in _codes(one)))
