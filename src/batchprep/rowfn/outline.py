"""Code of a row function as a function of its own, which Python runs.

What the code reads from the row becomes parameters; constants and functions become globals. It may
hold only what is known to be pure: anything else is refused.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final

from batchprep.batch.kinds import ABSENT
from batchprep.errors import Unsupported
from batchprep.plan.build import invert
from batchprep.plan.node import FALSE, TRUE
from batchprep.plan.plain import PLAIN_TYPES
from batchprep.plan.tables import Refused
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.frame import Binding, Frame
from batchprep.rowfn.lazy import CONTAINERS, FIXED, check_constant, may_change
from batchprep.rowfn.owners import is_record, owned_depth
from batchprep.rowfn.ownership import (
    MAKERS,
    VALUE_CALLS,
    Change,
    Ownership,
)
from batchprep.rowfn.pieces import bound_value, required, unchanging
from batchprep.rowfn.purity import ATTRIBUTES, BUILTINS, CHANGING, READING, gives_iterator, is_pure
from batchprep.rowfn.sums import Static, Value, literal_of

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
}


class Outline(ast.NodeTransformer):
    """Rewrites code to read parameters and globals of its own; refuses what may not be pure.

    given      parameters, and the values of the row that they stand for
    constants  globals
    """

    def __init__(self, frame: Frame, bound: frozenset[str], owner: Ownership) -> None:
        self.given: dict[str, Value] = {}
        self.constants: dict[str, Any] = {}
        self.optional: set[str] = set()  # parameters that may be UNBOUND
        self.copied: dict[str, int] = {}  # parameters that the code changes, and how deep
        self.written: str | None = None  # the parameter that is the record, which the code changes
        self.outside = False  # it may give an object that lives outside of the row
        self.endless = False  # it may run for ever with a value that no row has
        self.called: Any = None  # the outermost function
        self._frame = frame
        self._bound = bound
        self.owner = owner
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
            case ast.While() | ast.BinOp(op=ast.Mult() | ast.Pow() | ast.LShift()):
                self.endless = True
                return None
            case _:
                return getattr(self, _HANDLERS.get(type(node), ""), None)

    def _subscript(self, node: ast.Subscript) -> ast.AST:
        return self._field(node) or self.generic_visit(node)

    def _with(self, node: ast.With) -> ast.AST:
        self._check_suppress(node.items)
        return self.generic_visit(node)

    def _augmented(self, node: ast.AugAssign) -> Any:
        """x += ... of what may be another's: it must be of a kind that is not changed in place."""
        self.endless |= isinstance(node.op, (ast.Mult, ast.Pow, ast.LShift))
        target = node.target
        found = self.generic_visit(node)
        if not isinstance(target, ast.Name) or self.owner.made_here(target.id):
            return found
        return [ast.Expr(self._constant_call("_unchanging", unchanging, _load(target.id))), found]

    def _refuse(self, node: ast.AST, reason: str) -> Any:
        self._frame.unsupported(node, reason)

    def _name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if name in self._bound:
            return node
        if self._is_local(name):
            value = self._local(name, node)
        else:
            value = self._frame.tracer.outer_name(self._frame, name, node)
        try:
            held = literal_of(value)
        except LookupError:
            held = []
        # A list is made anew for each row.
        if isinstance(value, Static) or type(held) in FIXED:
            self._take_constant(name, held, node)
        else:
            self.given[name] = value
        if name in self.optional:
            return self._constant_call("_bound", bound_value, node, ast.Constant(name))
        return node

    def _is_local(self, name: str) -> bool:
        return name in self._frame.local_names and name not in self._frame.cells

    def _local(self, name: str, node: ast.AST) -> Value:
        binding = self._frame.state.names.get(name)
        if binding is None or binding.bound is FALSE:
            return self._refuse(node, f"{name} has no value here")
        return binding.value if binding.bound is TRUE else self._maybe(name, binding)

    def _maybe(self, name: str, binding: Binding) -> Sum:
        """The value of a name that some rows have not bound: absent there."""
        value = self._frame.held(binding.value, self._frame.source.node)
        self.optional.add(name)
        return Sum((Alternative("absent", invert(binding.bound), None), *value))

    def take_bound(self, name: str) -> None:
        """Make a parameter of a name that the code both reads and binds."""
        binding = self._frame.state.names.get(name)
        if binding is None or binding.bound is FALSE:
            return
        sure = binding.bound is TRUE
        self.given[name] = binding.value if sure else self._maybe(name, binding)

    def _take_constant(self, name: str, held: Any, node: ast.AST) -> None:
        if held is BaseException:
            self._refuse(node, "BaseException in code that Python would run on its own")
        elif isinstance(held, type):
            pass  # it is asked for by isinstance or except; calls are checked
        elif callable(held) and type(held) not in PLAIN_TYPES:
            self._check_callable(held, node)
        elif type(held) in FIXED or type(held) in CONTAINERS:
            check_constant(self._frame, held, node)
            self.outside |= may_change(held)
        else:
            what = type(held).__name__
            self._refuse(node, f"a {what} in code that Python would run on its own")
        self.constants[name] = held

    def _field(self, node: ast.Subscript | ast.Call) -> ast.expr | None:
        """r["k"] and r.get("k", default) of the record itself."""
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                default = None
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                args=[ast.Constant(value=str(key)), *rest],
                keywords=[],
            ) if len(rest) < 2:
                default = rest[0] if rest else ast.Constant(None)
            case _:
                return None
        value = self._record_field(name, key)
        if value is None:
            return None
        field = self._parameter(key, value)
        if "absent" not in value.kinds:
            return field
        if default is None:
            return self._constant_call("_required", required, field, ast.Constant(key))
        absent = self._global("_absent", ABSENT)
        found = ast.Compare(field, [ast.IsNot()], [absent])
        return ast.IfExp(found, field, self.visit(default))

    def _record_field(self, name: str, key: str) -> Sum | None:
        """A field of the record in a name, as it is here: absent where a row lacks it."""
        from batchprep.rowfn.dicts import lookup

        frame = self._frame
        if name in self._bound or not self._is_local(name) or name not in frame.state.names:
            return None
        binding = frame.state.names[name]
        value = binding.value
        if binding.bound is not TRUE or not isinstance(value, Sum) or value.kinds != ("struct",):
            return None
        if frame.tracer.schema.form != "mapping":
            return None
        slots = frame.slots(value.alternatives[0].payload)
        if slots is None:
            return None
        found, present = lookup(frame, slots, key, ast.Constant(None))
        if present is TRUE:
            return found
        return Sum((Alternative("absent", invert(present), None), *found))

    def _parameter(self, key: str, value: Sum) -> ast.expr:
        name = next((n for n, v in self.given.items() if n[0] == "_" and v == value), None)
        if name is None:
            name = f"_{len(self.given)}_{''.join(c for c in key if c.isalnum())}"
            self.given[name] = value
        return _load(name)

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        held = self._static(node)
        if held is not None:
            name = f"_c{len(self.constants)}"
            self._take_constant(name, held.value, node)
            return _load(name)
        if node.attr not in ATTRIBUTES or not isinstance(node.ctx, ast.Load):
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
            self.endless |= function is range
            self.called = function if self.called is None else self.called
            return self._with_arguments(self._global(f"_f{len(self.constants)}", function), node)
        if not isinstance(func, ast.Attribute):
            self._refuse(node, f"a call of {ast.unparse(func)}")
            return node
        if func.attr not in READING | CHANGING:  # check_changes judges what changes
            self._refuse(node, f"the method .{func.attr} in code that Python would run")
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
        elif not is_pure(function):
            name = getattr(function, "__name__", type(function).__name__)
            self._refuse(node, f"a call of {name}, which may do more than give a value")

    def _constant_call(self, name: str, function: Any, *args: ast.expr) -> ast.Call:
        return ast.Call(self._global(name, function), list(args), [])

    def _global(self, name: str, value: Any) -> ast.Name:
        self.constants[name] = value
        return _load(name)

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

    def _check_suppress(self, items: list[ast.withitem]) -> None:
        for item in items:
            called = item.context_expr
            held = self._static(called.func) if isinstance(called, ast.Call) else None
            if held is None or held.value is not contextlib.suppress or item.optional_vars:
                self._refuse(item.context_expr, "with anything but contextlib.suppress")
            self.constants["suppress"] = contextlib.suppress

    def check_readable(self, node: ast.expr | None) -> None:
        """Refuse a value that can be read once only."""
        is_iterator = isinstance(node, ast.GeneratorExp)
        if isinstance(node, ast.Call):
            held = self._static(node.func)
            is_iterator = held is not None and gives_iterator(held.value)
        if is_iterator:
            self._refuse(node or ast.Constant(None), "an iterator is no value of a row")

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
        if is_record(self._frame, self.given[name]) and not deep and not self._frame.callers:
            self.written = name
        elif owned_depth(self._frame, self._frame.state.names, name) <= deep:
            self._refuse(change.node, f"a change of {name}, which somebody else may hold")
        self.copied[name] = max(self.copied.get(name, 0), 2 if deep else 1)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())
