"""Code of a row function as a function of its own, which Python runs.

What the code reads from the row becomes parameters; constants and functions become globals. It may
hold only what is known to be pure: anything else is refused.
"""

from __future__ import annotations

import ast
import contextlib
import copy
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final

from batchprep.errors import Unsupported
from batchprep.plan.plain import field_of, is_single
from batchprep.plan.tables import Refused
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import CONTAINERS, FIXED, is_data
from batchprep.rowfn.owners import is_record, is_shared, owned_depth
from batchprep.rowfn.ownership import (
    MAKERS,
    VALUE_CALLS,
    Change,
    Ownership,
    is_plain_item,
)
from batchprep.rowfn.parameters import Parameters, load
from batchprep.rowfn.pieces import reusable, times, unchanging
from batchprep.rowfn.purity import (
    ATTRIBUTES,
    BUILTINS,
    CHANGING,
    READING,
    gives_iterator,
    is_pure,
    may_take_long,
    writes_as_called,
)
from batchprep.rowfn.returning import read_at_once
from batchprep.rowfn.statics import is_field_seen
from batchprep.rowfn.sums import Static, literal_of
from batchprep.rowfn.texts import WIDE

REFUSED: Final[dict[type, str]] = {
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.ClassDef: "a class",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.AsyncFunctionDef: "an async function",
}
_HANDLERS: Final[dict[type, str]] = {
    ast.Attribute: "_attribute",
    ast.Call: "_call",
    ast.FunctionDef: "_inner",
    ast.Lambda: "_inner",
    ast.With: "_with",
    ast.Try: "_try",
    ast.AugAssign: "_augmented",
    ast.Compare: "_comparison",
}


VIEWS: Final = frozenset({"items", "keys", "values"})


class Outline(Parameters):
    """Rewrites code to read parameters and globals of its own; refuses what may not be pure.

    copied   parameters that the code changes, and how deep
    written  the parameter that is the record, which the code changes
    endless  whether it may run for ever with a value that no row has
    called   the outermost function
    """

    def __init__(self, frame: Frame, bound: frozenset[str], owner: Ownership) -> None:
        super().__init__(frame, bound, owner)
        self.copied: dict[str, int] = {}
        self.written: str | None = None
        self.endless = False
        self.called: Any = None
        self._functions: set[str] = set()

    # ---------------------------------------------------------------------------------- nodes

    def visit(self, node: ast.AST) -> Any:
        """The node, reading parameters and globals."""
        word = REFUSED.get(type(node))
        if word is not None:
            self._refuse(node, f"{word} in code that Python would run on its own")
        handler = self._handler(node)
        return self.generic_visit(node) if handler is None else handler(node)

    def _handler(self, node: ast.AST) -> Callable[[Any], Any] | None:
        match node:
            case ast.Name(ctx=ast.Load()):
                return self._name
            case ast.Subscript(ctx=ast.Load()):
                return self._subscript
            case ast.BinOp(op=ast.Mult()):
                self.endless = True
                return self._product
            case ast.While() | ast.BinOp(op=ast.Pow() | ast.LShift()):
                self.endless = True
                return None
            case _:
                return getattr(self, _HANDLERS.get(type(node), ""), None)

    def _comparison(self, node: ast.Compare) -> ast.AST:
        """`is` of two objects: a piece may hold copies of one."""
        sides = [node.left, *node.comparators]
        for place, op in enumerate(node.ops):
            pair = sides[place : place + 2]
            if isinstance(op, (ast.Is, ast.IsNot)) and not any(map(self._is_single, pair)):
                self._refuse(node, "`is` of two objects")
        return self.generic_visit(node)

    def _is_single(self, node: ast.expr) -> bool:
        """Whether no copy of an object is ever made: None, a member of an enum, a class."""
        held = self._static(node)
        return _is_one_of_a_kind(node) or (held is not None and is_single(held.value))

    def _product(self, node: ast.BinOp) -> ast.AST:
        return self._constant_call("_times", times, self.visit(node.left), self.visit(node.right))

    def _subscript(self, node: ast.Subscript) -> ast.AST:
        return self._field(node) or self.generic_visit(node)

    def _augmented(self, node: ast.AugAssign) -> Any:
        """x += ... of what may be another's: it must be of a kind that is not changed in place."""
        self.endless |= isinstance(node.op, (ast.Mult, ast.Pow, ast.LShift))
        target = node.target
        found = self.generic_visit(node)
        if is_plain_item(target):
            item = copy.deepcopy(target)
            item.ctx = ast.Load()
            return [ast.Expr(self._constant_call("_unchanging", unchanging, item)), found]
        if not isinstance(target, ast.Name) or self.owner.made_here(target.id):
            return found
        names = self._frame.state.names
        if not self.owner.bindings.get(target.id) and owned_depth(self._frame, names, target.id):
            self.copied.setdefault(target.id, 1)  # a list or dict that the function has made
            return found
        return [ast.Expr(self._constant_call("_unchanging", unchanging, load(target.id))), found]

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        held = self._static(node)
        if held is not None:
            name = f"_c{len(self.constants)}"
            self._take_constant(name, held.value, node)
            return load(name)
        is_read = isinstance(node.ctx, ast.Load)
        if is_read and node.attr not in ATTRIBUTES and is_field_seen(self._frame, node.attr):
            owner = self.visit(node.value)
            return self._constant_call("_field_of", field_of, owner, ast.Constant(node.attr))
        owner = self._static(node.value)
        if owner is not None and not is_data(owner.value):  # the attribute runs code of its own
            self._refuse(node, f"the attribute .{node.attr} of a {type(owner.value).__name__}")
        if node.attr not in ATTRIBUTES or not is_read:
            self._refuse(node, f"the attribute .{node.attr} in code that Python would run")
        return ast.Attribute(self.visit(node.value), node.attr, ast.Load())

    def _static(self, node: ast.expr) -> Static | None:
        """The object that a name or an attribute of modules and classes stands for."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self._bound:
            return None
        if self._is_local(root.id):
            binding = self._frame.state.names.get(root.id)
            if binding is None or not isinstance(binding.value, Static):
                return None
        from batchprep.rowfn.expressions import traced

        try:
            value = traced(self._frame, node)
        except Unsupported:
            return None
        if isinstance(value, Static):
            return value
        with contextlib.suppress(LookupError):
            return Static(literal_of(value))
        return None

    # ---------------------------------------------------------------------------------- calls

    def _call(self, node: ast.Call) -> ast.expr:
        return self._field(node) or self._called(node)

    def _called(self, node: ast.Call) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Name) and func.id in self._bound:
            if func.id not in self._functions:
                self._refuse(node, f"a call of {func.id}, whatever that is")
            return self._with_arguments(func, node)
        held = self._static(func) if isinstance(func, ast.Name) else self._static_method(func)
        if held is not None:
            function = held.value
            self._check_callable(function, node)
            self._check_name(func, function)
            self.endless |= may_take_long(function)
            self.called = function if self.called is None else self.called
            called = self._global(f"_f{len(self.constants)}", function)
            found = self._with_arguments(called, node)
            own = isinstance(function, (FunctionType, MethodType)) and not gives_iterator(function)
            return self._constant_call("_reusable", reusable, found) if own else found
        if not isinstance(func, ast.Attribute):
            self._refuse(node, f"a call of {ast.unparse(func)}")
            return node
        if func.attr not in READING | CHANGING:  # check_changes judges what changes
            self._refuse(node, f"the method .{func.attr} in code that Python would run")
        self.endless |= func.attr in WIDE
        owner = ast.Attribute(self.visit(func.value), func.attr, ast.Load())
        return self._with_arguments(owner, node)

    def _static_method(self, func: ast.expr) -> Static | None:
        """A function of a module or class, or the method of an object of the user's."""
        if not isinstance(func, ast.Attribute):
            return None
        owner = self._static(func.value)
        if owner is None or (type(owner.value) in FIXED | CONTAINERS and func.attr in READING):
            return None
        return self._static(func)

    def _with_arguments(self, func: ast.expr, node: ast.Call) -> ast.Call:
        return ast.Call(
            func,
            [self.visit(arg) for arg in node.args],
            [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords],
        )

    def _check_name(self, func: ast.expr, function: Any) -> None:
        """A name that stands for a maker of new objects must be that maker."""
        known = isinstance(func, ast.Name) and func.id in MAKERS | VALUE_CALLS
        if known and not (isinstance(function, type) or function in BUILTINS):
            self._refuse(func, f"{ast.unparse(func)} is not the builtin of that name")

    def _check_callable(self, function: Any, node: ast.AST) -> None:
        """Refuse what may do more than give a value."""
        inner = function.__func__ if isinstance(function, MethodType) else function
        if isinstance(inner, FunctionType) and not is_pure(function):
            self.endless = True
            from batchprep.rowfn.pure_functions import check_function

            self.outside |= check_function(self._frame, function, node)
        elif not is_pure(function) or writes_as_called(function, node):
            name = getattr(function, "__name__", type(function).__name__)
            self._refuse(node, f"a call of {name}, which may do more than give a value")

    def _inner(self, node: ast.FunctionDef | ast.Lambda) -> ast.AST:
        """A function inside: its parameters and variables are its own."""
        if isinstance(node, ast.FunctionDef):
            if node.decorator_list:
                self._refuse(node, "a decorated function inside")
            self._functions.add(node.name)
            self.endless = True
        return self.generic_visit(node)

    def _try(self, node: ast.Try) -> ast.AST:
        """What Refused stands for is no exception of the user's: no handler may see it."""
        leaving = (ast.Return, ast.Break, ast.Continue)
        if any(isinstance(n, leaving) for s in node.finalbody for n in ast.walk(s)):
            self._refuse(node, "a finally block that returns")
        self.generic_visit(node)
        refused = self._global("_Refused", Refused)
        if node.handlers:
            node.handlers.insert(0, ast.ExceptHandler(refused, None, [ast.Raise()]))
        return node

    def _with(self, node: ast.With) -> ast.AST:
        items: list[ast.withitem] = []
        for item in node.items:
            called = item.context_expr
            held = self._static(called.func) if isinstance(called, ast.Call) else None
            if held is None or held.value is not contextlib.suppress or item.optional_vars:
                self._refuse(called, "with anything but contextlib.suppress")
            assert isinstance(called, ast.Call)  # noqa: S101  as was just seen
            function = self._global("_suppress", contextlib.suppress)
            items.append(ast.withitem(self._with_arguments(function, called)))
        return ast.With(items, [part for s in node.body for part in self._statements(s)])

    def _statements(self, node: ast.stmt) -> list[ast.stmt]:
        found: Any = self.visit(node)
        return found if isinstance(found, list) else [found]

    def check_readable(self, root: ast.AST) -> None:
        """Refuse iterators that are kept: what reads them once would be run at each use."""
        consumed = read_at_once(root)
        for node in ast.walk(root):
            if id(node) not in consumed and self._is_iterator(node):
                self._refuse(node, "an iterator is no value of a row")

    def _is_iterator(self, node: ast.AST) -> bool:
        """Whether it is a generator, an iterator or a view, which changes with its dict."""
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.GeneratorExp)
        if isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS and not node.args:
            return True
        held = self._static(node.func)
        return held is not None and gives_iterator(held.value)

    # -------------------------------------------------------------------------------- changes

    def check_changes(self) -> None:
        """Refuse changes of objects that somebody else may hold."""
        for change in self.owner.changes:
            self._check_change(change)

    def _check_change(self, change: Change) -> None:
        name, owner, deep = change.root, self.owner, change.depth == 2
        if name is None or change.depth > 2:
            self._refuse(change.node, "a change of an object that the code has not made")
        elif change.depth:
            if name in self.given:
                self._check_incoming(name, change, deep=deep)
            if not owner.made_here(name) and (name not in self.given or owner.bindings.get(name)):
                self._refuse(change.node, f"a change of {name}, which may be another's object")
            if deep and not owner.holds_own(name):
                self._refuse(change.node, f"a change of what {name} holds")

    def _check_incoming(self, name: str, change: Change, *, deep: bool) -> None:
        alone = not is_shared(self._frame, self._frame.state.names, name)
        top = alone and not deep and not self._frame.callers
        if is_record(self._frame, self.given[name]) and top:
            self.written = name
        elif owned_depth(self._frame, self._frame.state.names, name) <= deep:
            self._refuse(change.node, f"a change of {name}, which somebody else may hold")
        self.copied[name] = max(self.copied.get(name, 0), 2 if deep else 1)


def _is_one_of_a_kind(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))
