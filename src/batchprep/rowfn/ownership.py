"""Which names of a piece of code hold objects that the piece itself has made.

Only those may be changed where Python runs the piece on its own: nobody else sees it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from batchprep.rowfn.purity import CHANGING

DISPLAYS: Final = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MAKERS: Final = frozenset({
    "list", "dict", "set", "sorted", "defaultdict", "Counter", "OrderedDict", "deque", "bytearray",
})  # fmt: skip
MAKING_METHODS: Final = frozenset({"copy", "split", "rsplit", "splitlines", "most_common"})
# What gives a value that cannot be changed, or a new one.
VALUES: Final = (ast.Constant, ast.JoinedStr, ast.BinOp, ast.Compare, ast.UnaryOp)
VALUE_CALLS: Final = frozenset({
    "abs", "bool", "float", "int", "len", "round", "str", "sum", "repr", "ord", "chr", "hash",
})  # fmt: skip
FACTORIES: Final = frozenset({"list", "dict", "set", "int", "float", "str", "Counter"})


@dataclass(frozen=True)
class Change:
    """A place that changes an object: the name that leads to it, and how deep it lies in that."""

    root: str | None
    depth: int
    node: ast.AST


@dataclass
class Ownership:
    """What a piece of code binds, stores and changes.

    bindings  every expression that a name is bound to; None for one that is not known
    stored    every expression that is put into the object of a name, at the first level
    """

    bindings: dict[str, list[ast.expr | None]] = field(
        default_factory=lambda: defaultdict[str, list[ast.expr | None]](list)
    )
    stored: dict[str, list[ast.expr | None]] = field(
        default_factory=lambda: defaultdict[str, list[ast.expr | None]](list)
    )
    changes: list[Change] = field(default_factory=list[Change])

    def made_here(self, name: str) -> bool:
        """Whether whatever the name is bound to was made by the piece."""
        bound = self.bindings.get(name, [])
        return bool(bound) and all(value is not None and is_new(value) for value in bound)

    def holds_own(self, name: str) -> bool:
        """Whether all that the object of the name holds was made by the piece as well."""
        values = [*self.stored.get(name, [])]
        for bound in self.bindings.get(name, []):
            values += _contents(bound)
        return all(value is not None and (is_new(value) or is_value(value)) for value in values)


def read_ownership(nodes: Iterable[ast.AST]) -> Ownership:
    """The bindings and changes of statements or expressions; flow does not matter."""
    found = Ownership()
    for root in nodes:
        for node in ast.walk(root):
            _read(found, node)
    return found


def _read(found: Ownership, node: ast.AST) -> None:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _bind(found, target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _bind(found, target, value)
        case ast.NamedExpr(target=target, value=value):
            _bind(found, target, value)
        case ast.AugAssign():
            _read_augmented(found, node)
        case ast.For(target=target) | ast.comprehension(target=target):
            _bind(found, target, None)
        case ast.withitem(optional_vars=ast.expr() as target):
            _bind(found, target, None)
        case _:
            _read_other(found, node)


def _read_other(found: Ownership, node: ast.AST) -> None:
    match node:
        case ast.Delete(targets=targets):
            items = [t for t in targets if not isinstance(t, ast.Name)]
            found.changes += [_change(item, 0, node) for item in items]
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in CHANGING:
            found.changes.append(_change(owner, 1, node))
            if isinstance(owner, ast.Name):
                found.stored[owner.id] += _stored_by(attr, node)
        case _:
            for name in _captured(node):
                found.bindings[name].append(None)


def _read_augmented(found: Ownership, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        found.changes.append(Change(node.target.id, 0, node))
        found.stored[node.target.id] += _contents(node.value)
        return
    _bind(found, node.target, node.value)
    # The item itself may be a list, which += changes; where it is read without ado, that is seen.
    if not is_plain_item(node.target):
        found.changes.append(_change(node.target, 1, node))


def is_plain_item(target: ast.expr) -> bool:
    """Whether reading the item of a name does nothing else: its key is a name or a constant."""
    return (
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and isinstance(target.slice, (ast.Name, ast.Constant))
    )


def _captured(node: ast.AST) -> Iterator[str]:
    """Names that a node binds to what nobody here has made."""
    match node:
        case (
            ast.ExceptHandler(name=str() as name)
            | ast.MatchAs(name=str() as name)
            | ast.MatchStar(name=str() as name)
            | ast.MatchMapping(rest=str() as name)
            | ast.arg(arg=name)
        ):
            yield name
        case _:
            pass


def _bind(found: Ownership, target: ast.expr, value: ast.expr | None) -> None:
    match target:
        case ast.Name(id=name):
            found.bindings[name].append(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values: Sequence[ast.expr | None] = [None] * len(parts)
            if isinstance(value, ast.Tuple) and len(value.elts) == len(parts):
                values = value.elts
            for part, one in zip(parts, values, strict=True):
                _bind(found, part, one)
        case ast.Starred(value=inner):
            _bind(found, inner, ast.List([], ast.Load()))
        case ast.Subscript(value=owner):
            found.changes.append(_change(target, 0, target))
            if isinstance(owner, ast.Name):
                is_slice = isinstance(target.slice, ast.Slice)
                found.stored[owner.id] += _contents(value) if is_slice else [value]
        case _:
            found.changes.append(Change(None, 1, target))


def _change(target: ast.expr, more: int, node: ast.AST) -> Change:
    name, depth = root_of(target)
    return Change(name, depth + more, node)


def root_of(node: ast.expr) -> tuple[str | None, int]:
    """The name at the start of items of items, and how many steps they are."""
    depth = 0
    while True:
        match node:
            case ast.Name(id=name):
                return name, depth
            case ast.Subscript(value=inner):
                node, depth = inner, depth + 1
            case ast.Call(func=ast.Attribute(value=inner, attr="setdefault" | "get" | "pop")):
                node, depth = inner, depth + 1
            case _:
                return None, depth


def _stored_by(attr: str, call: ast.Call) -> list[ast.expr | None]:
    """What a changing method puts into its object."""
    match attr:
        case "append" | "add" | "appendleft":
            return list(call.args)
        case "insert" | "setdefault":
            return list(call.args[1:])
        case "pop" | "remove" | "clear" | "sort" | "reverse" | "popitem" | "discard" | "popleft":
            return []
        case "rotate" | "move_to_end":
            return []
        case _:
            return [None]


def _contents(bound: ast.expr | None) -> list[ast.expr | None]:
    """What a new object holds from the start."""
    match bound:
        case ast.List(elts=items) | ast.Set(elts=items):
            return list(items)
        case ast.Dict(keys=keys, values=values):
            return [v if k is not None else None for k, v in zip(keys, values, strict=True)]
        case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.DictComp(value=item):
            return [item]
        case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Name(id=factory)]):
            return [] if factory in FACTORIES else [None]
        case ast.Call(func=ast.Name(id="defaultdict"), args=[ast.Lambda(body=body)]):
            return [body]
        case ast.Call(func=ast.Name(id=name), args=[]) if name in MAKERS:
            return []
        case ast.Call(func=ast.Name(id="Counter")):
            return []
        case ast.Call(func=ast.Attribute(attr="split" | "rsplit" | "splitlines")):
            return []
        case _:
            return [None]


def is_new(node: ast.expr) -> bool:
    """Whether the expression makes a new object, or one that nobody can change."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in MAKERS or name in VALUE_CALLS
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in MAKING_METHODS
        case ast.IfExp(body=body, orelse=orelse):
            return is_new(body) and is_new(orelse)
        case _:
            return isinstance(node, (*DISPLAYS, *VALUES))


def is_value(node: ast.expr) -> bool:
    """Whether the expression gives something that nobody can change."""
    match node:
        case ast.Tuple(elts=items):
            return all(map(is_value, items))
        case ast.Call(func=ast.Name(id=name)):
            return name in VALUE_CALLS
        case ast.IfExp(body=body, orelse=orelse):
            return is_value(body) and is_value(orelse)
        case _:
            return isinstance(node, VALUES)


def leaking(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names whose object may be reached in another way afterwards, or is given away."""
    return frozenset(name for root in nodes for name in _leaks(root, kept=False))


def _leaks(node: ast.AST, *, kept: bool) -> Iterator[str]:
    """`kept` says whether the value of the node goes no further."""
    match node:
        case ast.Name(id=name):
            if not kept and isinstance(node.ctx, ast.Load):
                yield name
        case ast.Call():
            yield from _call_leaks(node)
        case ast.Compare() | ast.JoinedStr() | ast.FormattedValue() | ast.UnaryOp():
            yield from _child_leaks(node, *ast.iter_child_nodes(node))
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            yield from _child_leaks(node, iterated)
        case ast.Subscript(value=ast.Name() as value, slice=key):
            yield from _child_leaks(node, value, key)
        case _:
            yield from _child_leaks(node)


def _child_leaks(node: ast.AST, *kept: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        yield from _leaks(child, kept=child in kept)


def _call_leaks(node: ast.Call) -> Iterator[str]:
    function, measured = node.func, False
    if isinstance(function, ast.Attribute):
        yield from _leaks(function.value, kept=True)
    elif isinstance(function, ast.Name):
        measured = function.id in VALUE_CALLS
    for given in (*node.args, *(keyword.value for keyword in node.keywords)):
        yield from _leaks(given, kept=measured)
