"""What tells records from other things that one may loop over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import Final

from batchprep.lint.row_loop import DataForm
from batchprep.lint.rows import reads_keys
from batchprep.lint.scopes import Binding, Names, binding_of

# Calls whose items take text keys and are no records: matches, elements of a page or a tree.
NO_RECORDS: Final = frozenset({
    "finditer", "find_all", "findall", "findAll", "find_elements", "select", "iter", "iterfind",
    "xpath", "css", "iter_child_nodes", "range", "open", "zip", "enumerate", "glob", "rglob",
    "iterdir", "walk", "readlines", "splitlines", "split",
})  # fmt: skip
# Calls whose items are dicts with text keys.
GIVE_RECORDS: Final = frozenset({"DictReader", "to_pylist", "to_dicts"})
OF_DICTS: Final = re.compile(r"(typing\.)?\w+\[((typing\.)?(Any)?[Dd]ict|Mapping)\b")
LISTS: Final = frozenset({"list", "sorted"})
ANNOTATED_LISTS: Final = ("list[", "List[", "typing.List[")
COUNTING: Final = frozenset({"append", "extend", "add", "update", "setdefault"})


class Evidence:
    """Says of data, and of names in a file, whether they are records or lists."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def is_no_record(self, data: ast.expr) -> bool:
        """Whether the items of the data are known not to be records."""
        match data:
            case ast.Call(func=ast.Name(id="iter" | "reversed"), args=[inner]):
                return self.is_no_record(inner)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return name in NO_RECORDS
            case ast.Name(id=name):
                found = binding_of(self._names.scope_of(data), name)
                value = found.node if found is not None and found.kind == "value" else None
                return isinstance(value, ast.Call) and self.is_no_record(value)
            case ast.Constant() | ast.JoinedStr():
                return True
            case _:
                return False

    def form_of(self, data: ast.expr, near: ast.AST) -> DataForm:
        """Whether the data are known to be a list."""
        match data:
            case ast.List() | ast.ListComp():
                return "list"
            case ast.Call(func=ast.Name(id=name)) if name in LISTS:
                return "list"
            case ast.Name(id=name):
                found = binding_of(self._names.scope_of(near), name)
                return "list" if found is not None and self._is_list(found) else "iterable"
            case _:
                return "iterable"

    def _is_list(self, binding: Binding) -> bool:
        match binding.kind, binding.node:
            case "parameter", ast.arg(annotation=ast.expr() as annotation):
                return ast.unparse(annotation).startswith(ANNOTATED_LISTS)
            case "value", ast.expr() as value:
                return not isinstance(value, ast.Name) and self.form_of(value, value) == "list"
            case _:
                return False

    def of_records(self, code: Sequence[ast.AST], row: str, data: ast.expr) -> bool:
        """Whether code asks its row for keys, itself or in a function that gets it whole."""
        if reads_keys(code, row) or self.hands_on(code, row):
            return True
        return self.holds_records(data) and _is_handed_on(code, row)

    def holds_records(self, data: ast.expr) -> bool:
        """Whether the data are known to be dicts with text keys."""
        match data:
            case ast.Call(func=ast.Attribute(attr="to_dict"), args=[ast.Constant(value="records")]):
                return True
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return name in GIVE_RECORDS
            case ast.List(elts=[ast.Dict(), *_]) | ast.ListComp(elt=ast.Dict()):
                return True
            case ast.Name(id=name):
                found = binding_of(self._names.scope_of(data), name)
                match found:
                    case Binding(kind="parameter", node=ast.arg(annotation=ast.expr() as kind)):
                        return bool(OF_DICTS.match(ast.unparse(kind)))
                    case Binding(kind="value", node=ast.expr() as value):
                        return not isinstance(value, ast.Name) and self.holds_records(value)
                    case _:
                        return False
            case _:
                return False

    def hands_on(self, nodes: Iterable[ast.AST], row: str) -> bool:
        """Whether the code calls a function of the file, which reads keys, with the row."""
        for root in nodes:
            for node in ast.walk(root):
                match node:
                    case ast.Call(func=function, args=[ast.Name(id=name), *_]) if name == row:
                        if self.takes_records(function):
                            return True
                    case _:
                        pass
        return False

    def takes_records(self, function: ast.expr) -> bool:
        """Whether a function of the file, or a lambda, reads text keys of its first argument."""
        found = self.function_of(function)
        if found is None:
            return False
        arguments = [*found.args.posonlyargs, *found.args.args]
        body = [found.body] if isinstance(found, ast.Lambda) else found.body
        return bool(arguments) and reads_keys(body, arguments[0].arg)

    def function_of(self, function: ast.expr) -> ast.FunctionDef | ast.Lambda | None:
        """The def or lambda that an expression names; None if it is of elsewhere."""
        match function:
            case ast.Lambda():
                return function
            case ast.Name(id=name):
                found = binding_of(self._names.scope_of(function), name)
                node = found.node if found is not None else None
                return node if isinstance(node, ast.FunctionDef | ast.Lambda) else None
            case _:
                return None

    def accumulates(self, loop: ast.For) -> bool:
        """Whether a loop counts, sums or fills something, and not only stops early."""
        for statement in loop.body:
            for node in ast.walk(statement):
                match node:
                    case ast.AugAssign() | ast.Subscript(ctx=ast.Store()):
                        return True
                    case ast.Call(func=ast.Attribute(attr=method)) if method in COUNTING:
                        return True
                    case _:
                        pass
        return False


def _is_handed_on(code: Sequence[ast.AST], row: str) -> bool:
    """Whether code calls anything with the row as its first argument."""
    calls = (n for root in code for n in ast.walk(root) if isinstance(n, ast.Call))
    firsts = (call.args[0] for call in calls if call.args)
    return any(isinstance(first, ast.Name) and first.id == row for first in firsts)
