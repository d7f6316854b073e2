"""What a trace took from outside the row: closures, globals, attributes, tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import BuiltinMethodType, CellType, FunctionType
from typing import Any, Final, Protocol

from batchprep.errors import Unsupported
from batchprep.rowfn.source import Call, unwrap

MISSING: Final = object()


class Dependency(Protocol):
    """Something read while tracing that may be another at the next call."""

    def current(self) -> bool:
        """Whether it is still what it was."""
        ...


def same(left: object, right: object) -> bool:
    """Whether two objects are one constant: equal in type and value, nan and -0.0 apart."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, BuiltinMethodType):  # a method of a type in C, bound anew at each access
        return left.__self__ is getattr(right, "__self__", None) and left == right
    if isinstance(left, float):
        return repr(left) == repr(right)
    return left == right if isinstance(left, (bool, int, str, type(None))) else False


@dataclass(frozen=True)
class NameRead:
    """A name looked up in a namespace: a global, or a builtin behind one."""

    namespace: Mapping[str, Any]
    name: str
    value: object

    def current(self) -> bool:
        """The name still means that."""
        found = self.namespace.get(self.name, MISSING)
        return found is self.value or same(found, self.value)


@dataclass(frozen=True)
class CellRead:
    """A variable of an enclosing function."""

    cell: CellType
    value: object

    def current(self) -> bool:
        """The variable still has that value."""
        try:
            return same(self.cell.cell_contents, self.value)
        except ValueError:  # an empty cell
            return False


@dataclass(frozen=True)
class AttributeRead:
    """An attribute of a module, a class or an object."""

    owner: object
    name: str
    value: object

    def current(self) -> bool:
        """The attribute still has that value."""
        attribute = getattr(self.owner, self.name, MISSING)
        return attribute is self.value or same(attribute, self.value)


@dataclass(frozen=True)
class CodeRead:
    """The code and defaults of an inlined function."""

    function: Any
    code: object
    defaults: object
    keyword_defaults: Mapping[str, object]

    def current(self) -> bool:
        """The function has not been changed in place."""
        function = self.function
        return (
            function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and (
                not function.__kwdefaults__
                if not self.keyword_defaults
                else same_values(function.__kwdefaults__ or {}, self.keyword_defaults)
            )
        )


@dataclass(frozen=True)
class CallRead:
    """What a partial, a bound method or a callable object calls, and with what."""

    target: Any
    call: Call

    def current(self) -> bool:
        """It still calls that function with those arguments."""
        if isinstance(self.target, FunctionType):
            return True
        try:
            return same_call(unwrap(self.target), self.call)
        except Unsupported:  # it has been given another __call__
            return False


@dataclass(frozen=True)
class MethodRead:
    """A method of an object: bound anew at each access, so its function is compared."""

    owner: object
    name: str
    function: object

    def current(self) -> bool:
        """The name still gives a method of that function."""
        method = getattr(self.owner, self.name, None)
        return getattr(method, "__func__", None) is self.function


def same_call(left: Call, right: Call) -> bool:
    """Whether two calls have one function and the same leading arguments."""
    return (
        left.function is right.function
        and len(left.args) == len(right.args)
        and all(map(same, left.args, right.args))
        and same_values(left.keywords, right.keywords)
    )


def same_values(left: Mapping[str, object], right: Mapping[str, object]) -> bool:
    """Whether two dicts of constants have the same keys and values."""
    if left.keys() != right.keys():
        return False
    return not right or all(same(left[key], right[key]) for key in right)


@dataclass(frozen=True)
class TableRead:
    """The content of a mutable table."""

    table: Any
    snapshot: Any

    def current(self) -> bool:
        """The table still holds equal entries of the same types, in the same order."""
        if type(self.table) is not type(self.snapshot) or len(self.table) != len(self.snapshot):
            return False
        if isinstance(self.table, dict):
            return _same_items(self.table, self.snapshot) and _same_items(
                self.table.values(), self.snapshot.values()
            )
        if isinstance(self.table, (set, frozenset)):
            return self.table == self.snapshot
        return _same_items(self.table, self.snapshot)


def _same_items(left: Any, right: Any) -> bool:
    return all(map(_same_item, left, right))


def _same_item(left: object, right: object) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and _same_items(left, right)
    return same(left, right)
