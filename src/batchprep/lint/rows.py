"""How code uses its row: what tells a record from other objects, and what a dict cannot do."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from batchprep.lint import messages
from batchprep.lint.finding import Edit
from batchprep.lint.scopes import Names, binding_of
from batchprep.lint.unit import Unit

# Methods that a dict has, too: the front end judges them.
OF_DICTS: Final = frozenset({"get", "items", "keys", "values", "copy"})
# What a Series has of its own, so that `row.name` is no field. Methods are told by their call.
OF_SERIES: Final = frozenset({
    "T", "array", "at", "attrs", "cat", "dt", "dtype", "dtypes", "empty", "flags", "hasnans",
    "iat", "iloc", "index", "is_unique", "list", "loc", "name", "nbytes", "ndim", "plot", "shape",
    "size", "sparse", "str", "struct", "values",
})  # fmt: skip
OF_TUPLES: Final = frozenset({"Index", "_fields", "_asdict", "_replace", "count", "index"})


@dataclass(frozen=True)
class RowUse:
    """Edits that turn `row.price` into `row["price"]`, and what cannot be turned ("": nothing)."""

    edits: tuple[Edit, ...] = ()
    obstacle: str = ""


def reads_keys(nodes: Iterable[ast.AST], row: str) -> bool:
    """Whether the code subscripts the name with text keys, or gets them."""
    return any(True for _ in _key_reads(nodes, row))


def _key_reads(nodes: Iterable[ast.AST], row: str) -> Iterator[ast.AST]:
    for root in nodes:
        for node in ast.walk(root):
            match node:
                case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str())):
                    if name == row:
                        yield node
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                    args=[ast.Constant(value=str()), *_],
                ):
                    if name == row:
                        yield node
                case _:
                    pass


def is_field_read(node: ast.AST, row: str) -> bool:
    """Whether an expression does nothing but hand a field, or the record, on."""
    match node:
        case ast.Name(id=name):
            return name == row
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant()):
            return name == row
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[*args]):
            return name == row and all(isinstance(arg, ast.Constant) for arg in args)
        case ast.Attribute(value=ast.Name(id=name)):
            return name == row
        case _:
            return False


def use_of_row(
    nodes: Iterable[ast.AST],
    row: str,
    unit: Unit,
    names: Names,
    own: frozenset[str],
    *,
    returned: bool = False,
) -> RowUse:
    """What must change in the code for its rows to be dicts, and not what pandas makes.

    `own` are the attributes that pandas' rows have of their own; `returned` says whether the row
    itself may be the result.
    """
    edits: list[Edit] = []
    for root in nodes:
        for node in ast.walk(root):
            obstacle = ""
            match node:
                case ast.Attribute(value=ast.Name(id=name)) if name == row:
                    obstacle = _attribute(node, unit, names, own, edits)
                case ast.Subscript(value=ast.Name(id=name), slice=index) if name == row:
                    obstacle = _subscript(index, node)
                case ast.Name(id=name, ctx=ast.Load()) if name == row:
                    obstacle = _whole(node, unit, names, own, returned=returned)
                case _:
                    pass
            if obstacle:
                return RowUse(obstacle=obstacle)
    return RowUse(tuple(edits))


def _attribute(
    node: ast.Attribute, unit: Unit, names: Names, own: frozenset[str], edits: list[Edit]
) -> str:
    text = ast.unparse(node)
    parent = names.parents.get(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    if called and node.attr in OF_DICTS and own is OF_SERIES:
        return ""
    # itertuples numbers the columns whose names are no identifiers: _1, _2.
    if called or node.attr in own or (own is OF_TUPLES and node.attr.startswith("_")):
        return messages.pandas_own_text(f"{text}()" if called else text)
    if not isinstance(node.ctx, ast.Load):
        return messages.writes_row_text(text)
    key = ast.unparse(node.value) + f'["{node.attr}"]'
    if any(isinstance(outer, ast.JoinedStr) for outer in names.enclosing(node)):
        return messages.in_f_string_text(text, key)
    edits.append(unit.edit(node, key))
    return ""


def _whole(node: ast.Name, unit: Unit, names: Names, own: frozenset[str], *, returned: bool) -> str:
    """What is in the way where a row is used whole: a Series gives its values, a dict its keys."""
    parent = names.parents[node]
    match parent:
        case ast.Attribute() | ast.Subscript(value=ast.Name()) if parent.value is node:
            return ""
        case ast.Dict() | ast.Call(func=ast.Name(id="dict"), args=[_]) if own is OF_SERIES:
            return ""
        case ast.Return() | ast.Lambda() if returned:
            return ""
        case ast.Call(func=ast.Name() as function, args=[first, *_]) if first is node:
            found = binding_of(names.scope_of(function), function.id)
            if found is not None and _takes_dicts(found.node, unit, names, own):
                return ""
        case _:
            pass
    return messages.whole_row_text(node.id)


def _takes_dicts(function: ast.AST, unit: Unit, names: Names, own: frozenset[str]) -> bool:
    """Whether a function of the file only reads text keys of its first argument."""
    if not isinstance(function, ast.FunctionDef) or not function.args.args:
        return False
    row = function.args.args[0].arg
    plain = (node for root in function.body for node in ast.walk(root))
    passes_on = any(
        isinstance(names.parents[node], ast.Call) for node in plain
        if isinstance(node, ast.Name) and node.id == row
    )  # fmt: skip
    return not passes_on and use_of_row(function.body, row, unit, names, own) == RowUse()


def _subscript(index: ast.expr, node: ast.Subscript) -> str:
    match index:
        case ast.Constant(value=str()) | ast.Name() | ast.JoinedStr():
            return ""
        case ast.Constant() | ast.Slice() | ast.UnaryOp():
            return messages.by_position_text(ast.unparse(node))
        case ast.List() | ast.Tuple():
            return messages.several_columns_text(ast.unparse(node))
        case _:
            return ""
