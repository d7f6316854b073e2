"""The one expression type: immutable, hash-consed, without control flow."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from batchprep.dtypes import KIND_CODE, DType, Kind

Domain = tuple[str, ...]  # () is rows; ("items",) the elements of the list field "items"

_ids = itertools.count()
_lock = threading.Lock()
_interned: weakref.WeakValueDictionary[tuple[Any, ...], Node] = weakref.WeakValueDictionary()


@dataclass(frozen=True, eq=False, repr=False, slots=True, weakref_slot=True)
class Node:
    """An op applied to nodes. Equal nodes are the same object: compare with `is`.

    Leaves: const (attr: the value), kind (attr: field name), buffer (attr: field name, kind),
    ref (attr: field name), object (attr: field name, or None for the record itself: its number in
    the pool of objects), regular (no value in the row is irregular), text (attr: what is worked out
    of a text before a kernel runs). Tables: word, call, find, gather (attr: see tables). All else
    is in ops.OPS, but `has_kind` (attr: kind), which asks a kind code.
    """

    op: str
    args: tuple[Node, ...]
    attr: Hashable
    dtype: DType
    domain: Domain
    id: int = field(default_factory=lambda: next(_ids))

    def __repr__(self) -> str:
        """Op and number: the printer shows the whole graph."""
        return f"<{self.op} #{self.id}>"


def intern(op: str, args: tuple[Node, ...], attr: Hashable, dtype: DType) -> Node:
    """The node of that op: its domain is the deepest of its arguments'."""
    domain = max((arg.domain for arg in args), key=len, default=())
    key = (op, args, _attr_key(attr), dtype, domain)
    with _lock:
        found = _interned.get(key)
        if found is None:
            found = Node(op, args, attr, dtype, domain)
            _interned[key] = found
        return found


def _attr_key(attr: Hashable) -> Hashable:
    # 1 == 1.0 == True and 0.0 == -0.0, but they are different constants; nan != nan, but one.
    return (type(attr), repr(attr)) if isinstance(attr, (bool, int, float)) else attr


def const(value: bool | int | float | str) -> Node:  # noqa: FBT001  a value, not a flag
    """A constant: bool, int64, float64 or a string of the pool."""
    dtypes: dict[type, DType] = {bool: "b", int: "i", float: "f", str: "s"}
    return intern("const", (), value, dtypes[type(value)])


def kind_const(kind: Kind) -> Node:
    """The code of a kind."""
    return intern("const", (), KIND_CODE[kind], "k")


TRUE: Final = const(value=True)
FALSE: Final = const(value=False)


def in_order(roots: Iterable[Node]) -> list[Node]:
    """Every node below the roots once, arguments first; iterative, so depth does not matter."""
    seen: set[Node] = set()
    ordered: list[Node] = []
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            ordered.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args) if arg not in seen)
    return ordered
