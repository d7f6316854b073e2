"""Items and attributes of objects that are known while tracing: tables, modules, enums."""

from __future__ import annotations

import ast
import contextlib
import enum
import inspect
import operator
from collections import deque
from collections.abc import Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any

from batchprep.errors import Unsupported
from batchprep.plan.build import invert
from batchprep.plan.plain import behind_view, fields_of
from batchprep.plan.values import Sum
from batchprep.rowfn.constants import element, table_lookup
from batchprep.rowfn.dependencies import AttributeRead, MethodRead
from batchprep.rowfn.frame import Frame
from batchprep.rowfn.lazy import apply_pure, has_objects
from batchprep.rowfn.messages import KEPT_OUTSIDE
from batchprep.rowfn.sums import Lazy, Static, Value, constant


def static_item(frame: Frame, owner: Static, key: Value, node: ast.AST) -> Value:
    """owner[key] of a table or a sequence."""
    held = behind_view(owner.value)
    if type(held) is dict:
        found = _looked_up(frame, held, key, node)
        if found is None:  # keys or values that no column holds: Python looks them up
            return apply_pure(
                frame, "item of a table", operator.getitem, [Static(held), key], None, node
            )
        value, present = found
        frame.fault(invert(present), "KeyError", "KeyError of a constant table", node)
        return value
    if type(held) in (tuple, list):
        return element(frame, held, frame.lift(key, node), node)
    frame.unsupported(node, f"an item of a {type(held).__name__} cannot be compiled")


def static_get(
    frame: Frame, table: dict[Any, Any], key: Value, default: Value, node: ast.AST
) -> Value:
    """table.get(key, default)."""
    found = _looked_up(frame, table, key, node)
    if found is None:
        given = [Static(table), key, default]
        return apply_pure(frame, ".get of a table", dict[Any, Any].get, given, None, node)
    value, present = found
    return frame.pick(present, value, frame.lift(default, node), node)


def _looked_up(
    frame: Frame, table: Mapping[Any, Any], key: Value, node: ast.AST
) -> tuple[Sum, Any] | None:
    """What table_lookup gives; None where it cannot."""
    if isinstance(key, Lazy) and has_objects(key):
        return None
    deviations = len(frame.tracer.deviations)
    try:
        return table_lookup(frame, table, frame.lift(key, node), node)
    except Unsupported:
        del frame.tracer.deviations[deviations:]  # of the attempt
        return None


def static_attribute(frame: Frame, owner: Static, name: str, node: ast.AST) -> Value:
    """owner.name of a module, a class or a plain object."""
    held = owner.value
    if isinstance(held, enum.Enum) and name in {"value", "name"}:
        return constant(getattr(held, name))
    if name == "__members__" and type(held) is enum.EnumType:
        return Static(held.__members__)  # a new view of the same members at each access
    found = inspect.getattr_static(held, name, None)
    is_method = isinstance(found, (FunctionType, classmethod, staticmethod))
    if isinstance(found, property) and isinstance(found.fget, FunctionType):
        frame.tracer.depend(AttributeRead(type(held), name, found))
        return frame.tracer.call(found.fget, (owner,), {}, frame, node)
    if not is_method and _runs(held, name, found):
        keeps = isinstance(held, (set, list, dict, deque))
        reason = f"the attribute .{name} of a {type(held).__name__} cannot be compiled"
        frame.unsupported(node, reason, KEPT_OUTSIDE if keeps else "")
    try:
        value = getattr(held, name)
    except AttributeError:
        frame.unsupported(node, f"a {type(held).__name__} has no attribute {name}")
    if isinstance(value, MethodType):
        frame.tracer.depend(MethodRead(held, name, value.__func__))
    else:
        frame.tracer.depend(AttributeRead(held, name, value))
    return constant(value)


def _runs(held: Any, name: str, found: object) -> bool:
    """Whether an access runs code: that of a property, a slot or another descriptor."""
    if isinstance(held, ModuleType) or name in fields_of(type(held)):
        return False
    own = not isinstance(held, type) or type(found).__module__ != "builtins"
    return own and hasattr(type(found), "__get__")


def is_field_seen(frame: Frame, name: str) -> bool:
    """Whether a class or a constant that the code names has a field of that name."""
    named = [frame.namespace.get(one) for one in frame.names]
    for cell in frame.cells.values():
        with contextlib.suppress(ValueError):  # an empty cell
            named.append(cell.cell_contents)
    return any(name in fields_of(type_) for held in named for type_ in _types_in(held))


def _types_in(held: Any) -> Iterator[type]:
    """The type of a constant, or of what a table holds first; a class itself."""
    if type(held) in {list, tuple, dict} and held:
        first: Any = next(iter(held.values() if type(held) is dict else held))
        yield type(first)
    yield held if isinstance(held, type) else type(held)


def plain_member(value: Value) -> Value:
    """A member of an IntEnum or a StrEnum as the int or string that it compares as."""
    if isinstance(value, Static) and isinstance(value.value, enum.Enum):
        held = value.value
        for plain in (int, str):
            if isinstance(held, plain) and type(held).__eq__ is plain.__eq__:
                return constant(plain(held.value))
    return value
