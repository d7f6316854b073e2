"""What a piece of code reads from the row, as parameters of the function that it becomes."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from batchprep.batch.kinds import ABSENT
from batchprep.plan.build import invert
from batchprep.plan.node import FALSE, TRUE
from batchprep.plan.plain import PLAIN_TYPES, is_plain_class
from batchprep.plan.values import Alternative, Sum
from batchprep.rowfn.dicts import lookup
from batchprep.rowfn.frame import Binding, Frame
from batchprep.rowfn.lazy import FIXED, check_constant, is_data, may_change
from batchprep.rowfn.owners import reached
from batchprep.rowfn.ownership import Ownership
from batchprep.rowfn.pieces import bound_value, required
from batchprep.rowfn.sums import Static, Value, literal_of


class Parameters(ast.NodeTransformer):
    """Puts names in the place of what code reads from outside.

    given      parameters, and the values of the row that they stand for
    constants  globals
    optional   parameters that may be absent: names without a value
    outside    whether the code may give an object that lives outside of the row
    """

    def __init__(self, frame: Frame, bound: frozenset[str], owner: Ownership) -> None:
        self.given: dict[str, Value] = {}
        self.constants: dict[str, Any] = {}
        self.optional: set[str] = set()
        self.outside = False
        self.owner = owner
        self._frame = frame
        self._bound = bound

    def _check_callable(self, function: Any, node: ast.AST) -> None:
        """Refuse what may do more than give a value; a subclass knows what that is."""
        name = getattr(function, "__name__", type(function).__name__)
        self._refuse(node, f"{name} as a value")

    def _refuse(self, node: ast.AST, reason: str) -> NoReturn:
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
        elif isinstance(held, type):  # asked for by isinstance or except; calls are checked
            if not is_plain_class(held):
                self._refuse(node, f"{held.__name__} itself tells what it holds")
        elif callable(held) and type(held) not in PLAIN_TYPES:
            self._check_callable(held, node)
        elif is_data(held):
            check_constant(self._frame, held, node)
            self.outside |= may_change(held)
        else:
            what = type(held).__name__
            self._refuse(node, f"a {what} in code that Python would run on its own")
        self.constants[name] = held

    def _is_changed(self, name: str) -> bool:
        """Whether the code changes the dict of the name, under whatever name."""
        names = self._frame.state.names
        roots = {c.root for c in self.owner.changes if c.depth and c.root in names}
        own = set(reached(self._frame, names[name].value)) if roots else set[object]()
        return any(own.intersection(reached(self._frame, names[str(r)].value)) for r in roots)

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
        frame = self._frame
        if name in self._bound or not self._is_local(name) or name not in frame.state.names:
            return None
        binding = frame.state.names[name]
        value = binding.value
        if binding.bound is not TRUE or not isinstance(value, Sum) or value.kinds != ("struct",):
            return None
        if frame.tracer.schema.form != "mapping" or self._is_changed(name):
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
        return load(name)

    def _constant_call(self, name: str, function: Any, *args: ast.expr) -> ast.Call:
        return ast.Call(self._global(name, function), list(args), [])

    def _global(self, name: str, value: Any) -> ast.Name:
        self.constants[name] = value
        return load(name)


def load(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())
