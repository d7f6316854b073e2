"""The names of a file: what each is bound to, in which scope, without running anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
BindingKind = Literal["def", "import", "value", "parameter", "other"]


@dataclass(frozen=True)
class Binding:
    """One place that binds a name; `node` is the def, the alias, the value or the parameter."""

    kind: BindingKind
    node: ast.AST
    module: str = ""  # of `from module import name`


@dataclass(eq=False)
class Scope:
    """A module, class, function or comprehension, and the names bound in it."""

    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    stars: bool = False  # `from x import *`

    def bind(self, name: str, binding: Binding) -> None:
        """Remember one more place that binds a name."""
        self.bindings.setdefault(name, []).append(binding)

    def outward(self) -> Iterator[Scope]:
        """This scope and those around it that its names are looked up in."""
        yield self
        scope = self.parent
        while scope is not None:
            if not isinstance(scope.node, ast.ClassDef):
                yield scope
            scope = scope.parent

    def lookup(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """The scope whose name it is, and what binds it there."""
        for scope in self.outward():
            if name in scope.bindings:
                return scope, scope.bindings[name]
        return None


@dataclass(eq=False)
class Names:
    """The scopes of a file, the parent of each node, and where each name is used."""

    tree: ast.Module
    scopes: dict[ast.AST, Scope] = field(default_factory=dict[ast.AST, Scope])
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict[ast.AST, ast.AST])
    order: list[ast.AST] = field(default_factory=list[ast.AST])
    words: set[str] = field(default_factory=set[str])
    uses: dict[str, list[ast.Name]] = field(default_factory=dict[str, list[ast.Name]])

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope that a node is evaluated in; for a function, the one it is defined in."""
        while True:
            node = self.parents[node]
            if node in self.scopes:
                return self.scopes[node]

    def enclosing(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, the innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node


def names_of(tree: ast.Module) -> Names:
    """The names of a file. Without recursion, for its code may be nested deeply."""
    names = Names(tree)
    root = Scope(tree, None)
    names.scopes[tree] = root
    stack: list[tuple[ast.AST, Scope]] = [(tree, root)]
    while stack:
        node, scope = stack.pop()
        names.order.append(node)
        inner = _entered(node, scope, names)
        _bind(node, scope, inner, names)
        for child in reversed(list(ast.iter_child_nodes(node))):
            names.parents[child] = node
            stack.append((child, _scope_for(node, child, scope, inner)))
    return names


def _entered(node: ast.AST, scope: Scope, names: Names) -> Scope:
    """The scope inside of a node: its own, if it makes one."""
    if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)):
        scope = names.scopes[node] = Scope(node, scope)
    return scope


def _scope_for(node: ast.AST, child: ast.AST, outer: Scope, inner: Scope) -> Scope:
    """Decorators, annotations and bases belong to the scope around what they stand at."""
    match node:
        case ast.FunctionDef(decorator_list=around) | ast.AsyncFunctionDef(decorator_list=around):
            return outer if child in around or child is node.returns else inner
        case ast.ClassDef(decorator_list=around, bases=bases, keywords=keywords):
            return outer if child in (*around, *bases, *keywords) else inner
        case _:
            return inner


def _bind(node: ast.AST, scope: Scope, inner: Scope, names: Names) -> None:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            scope.bind(name, Binding("def", node))
            names.words.add(name)
        case ast.arg(arg=name):
            scope.bind(name, Binding("parameter", node))
            names.words.add(name)
        case ast.Name(id=name):
            names.words.add(name)
            names.uses.setdefault(name, []).append(node)
            if not isinstance(node.ctx, ast.Load):
                scope.bind(name, _stored(node, names.parents[node]))
        case ast.Import() | ast.ImportFrom():
            _bind_imports(node, scope, names)
        case ast.Global() | ast.Nonlocal():
            for name in node.names:
                for outer in inner.outward():
                    outer.bind(name, Binding("other", node))
        case _:
            name = _otherwise_bound(node)
            if name:
                scope.bind(name, Binding("other", node))
                names.words.add(name)


def _otherwise_bound(node: ast.AST) -> str:
    match node:
        case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
            return name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return name
        case ast.MatchMapping(rest=str(name)):
            return name
        case _:
            return ""


def _stored(node: ast.Name, parent: ast.AST) -> Binding:
    match parent:
        case ast.Assign(targets=[target], value=value) if target is node:
            return Binding("value", value)
        case ast.AnnAssign(target=target, value=ast.expr() as value) if target is node:
            return Binding("value", value)
        case _:
            return Binding("other", node)


def _bind_imports(node: ast.Import | ast.ImportFrom, scope: Scope, names: Names) -> None:
    for alias in node.names:
        if alias.name == "*":
            scope.stars = True
            continue
        module = "" if isinstance(node, ast.Import) else "." * node.level + (node.module or "")
        name = alias.asname or alias.name.partition(".")[0]
        scope.bind(name, Binding("import", alias, module))
        names.words.add(name)


def binding_of(scope: Scope, name: str) -> Binding | None:
    """What binds a name, where only one place does."""
    found = scope.lookup(name)
    return found[1][0] if found is not None and len(found[1]) == 1 else None
