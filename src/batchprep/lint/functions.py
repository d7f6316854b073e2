"""Function objects of a file's functions, made without running the file.

A function is compiled alone, and its code object gets globals in which stand only what is known
without running anything: other functions made like it, literals, and modules of Python itself.
"""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from batchprep.lint.constants import NotKnown, built_in, constant_value, imported_value
from batchprep.lint.row_code import RowCode, code_of_def, code_of_lambda
from batchprep.lint.scopes import Binding, Names, Scope
from batchprep.lint.unit import Unit
from batchprep.rowfn.recompile import quietly


class Functions:
    """Makes the functions of one file; `close` forgets their text."""

    def __init__(self, unit: Unit, names: Names) -> None:
        self._unit = unit
        self._names = names
        self._known: dict[ast.AST, Any] = {}
        self._files: list[str] = []
        self._made_so_far = 0
        # Of the function made last, and of its helpers.
        self._namespaces: list[dict[str, Any]] = []
        self.texts: list[str] = []

    def close(self) -> None:
        """Take the texts out of linecache."""
        for file in self._files:
            linecache.cache.pop(file, None)
        self._files.clear()

    def fresh(self, code: RowCode) -> FunctionType:
        """The function of that text; `texts` are then its own and its helpers'.

        Errors:  NotKnown where a default cannot be told; SyntaxError
        """
        self.close()
        self._known.clear()
        self._namespaces, self.texts = [], []
        return self._made(code)

    def assume(self, name: str, value: object) -> None:
        """Let a name that could not be told stand for a value, in the function made last."""
        for namespace in self._namespaces:
            namespace[name] = value

    def _made(self, code: RowCode, known_as: ast.AST | None = None) -> FunctionType:
        self._made_so_far += 1  # no two share a name: what is known of a file is kept by it
        file = f"<lint {self._unit.path} {self._made_so_far}>"
        with quietly():
            module = compile(code.text, file, "exec", dont_inherit=True)
        compiled = next(c for c in _codes(module) if c.co_name == code.name)
        self._files.append(file)
        linecache.cache[file] = (len(code.text), None, code.text.splitlines(keepends=True), file)
        namespace: dict[str, Any] = {"__builtins__": builtins, "__name__": "linted"}
        function = FunctionType(compiled, namespace)
        if known_as is not None:
            self._known[known_as] = function  # before its globals: it may call itself
        self._set_defaults(function, code)
        self._namespaces.append(namespace)
        self.texts.append(code.text)
        for name in sorted({name for c in _codes(compiled) for name in c.co_names}):
            try:
                namespace[name] = self._value(code.scope, name)
            except NotKnown:
                continue
        return function

    def _set_defaults(self, function: FunctionType, code: RowCode) -> None:
        if code.arguments is None:
            return
        positional = tuple(self._default(node, code) for node in code.arguments.defaults)
        function.__defaults__ = positional or None
        named = zip(code.arguments.kwonlyargs, code.arguments.kw_defaults, strict=True)
        function.__kwdefaults__ = {
            arg.arg: self._default(node, code) for arg, node in named if node is not None
        }

    def _default(self, node: ast.expr, code: RowCode) -> Any:
        if isinstance(node, ast.Name):
            return self._value(code.scope, node.id)
        return constant_value(node, functools.partial(self._called, code.scope))

    def _called(self, scope: Scope, name: ast.expr) -> Any:
        """What a called name stands for: a built-in, or something of an imported module."""
        match name:
            case ast.Name(id=word) if scope.lookup(word) is None:
                return built_in(name)
            case ast.Name(id=word):
                return self._value(scope, word)
            case ast.Attribute(value=ast.Name(id=word), attr=part):
                module = self._value(scope, word)
                return getattr(module, part, None) if isinstance(module, ModuleType) else None
            case _:
                return None

    def _value(self, scope: Scope, name: str) -> Any:
        found = scope.lookup(name)
        if found is None:
            raise NotKnown  # a built-in, or an attribute of that name
        at, bindings = found
        if len(bindings) != 1:
            raise NotKnown
        (binding,) = bindings
        if binding.node not in self._known:
            self._known[binding.node] = self._bound(binding, at)
        return self._known[binding.node]

    def _bound(self, binding: Binding, scope: Scope) -> Any:
        node = binding.node
        match binding.kind, node:
            case "def", ast.FunctionDef() if is_plain(node):
                own = self._names.scopes[node]
                return self._made(code_of_def(self._unit, node, own), node)
            case "value", ast.Lambda():
                own = self._names.scopes[node]
                return self._made(code_of_lambda(self._unit, node, own), node)
            case "value", ast.Name(id=name):
                return self._value(scope, name)
            case "value", _:
                return constant_value(node, functools.partial(self._called, scope))
            case "import", ast.alias():
                return imported_value(node, binding.module)
            case _:
                raise NotKnown


def is_plain(node: ast.FunctionDef) -> bool:
    """Whether a function is what its def says: no decorator, or only vectorize."""
    return all(
        ast.unparse(decorator).split("(")[0] in {"bp.vectorize", "batchprep.vectorize", "vectorize"}
        for decorator in node.decorator_list
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all within it, outer ones first."""
    waiting = [code]
    while waiting:
        found = waiting.pop(0)
        yield found
        waiting += [c for c in found.co_consts if isinstance(c, CodeType)]
