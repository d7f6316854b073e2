"""The one expression type: immutable, hash-consed, without control flow."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from batchprep.dtypes import KIND_CODE, DType, Kind
from batchprep.plan.order import COMMUTATIVE, Order, Structured, is_alike, order_of

Domain = tuple[str, ...]  # () is rows; ("items",) the elements of the list field "items"

_DEEPEST: Final = 16  # how far below a node its first leaf is looked for

_ids = itertools.count()
_lock = threading.Lock()
_interned: weakref.WeakValueDictionary[tuple[Any, ...], Node] = weakref.WeakValueDictionary()


@dataclass(frozen=True, eq=False, repr=False, slots=True, weakref_slot=True)
class Node(Structured):
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
    order: Order
    id: int = field(default_factory=lambda: next(_ids))

    @property
    def structure(self) -> tuple[Any, ...]:
        """What stands for it in the attr of another node."""
        return self.order

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
            found = Node(op, args, attr, dtype, domain, order_of(op, args, attr, dtype))
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
    """Every node below the roots once, arguments first; iterative, so depth does not matter.

    Of two arguments of `and` or `or` that are alike, the one comes first that reads what was
    reached first: then names do not count.
    """
    seen: dict[Hashable, int] = {}  # nodes, and names of fields
    ordered: list[Node] = []
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            ordered.append(node)
        elif node not in seen:
            seen[node] = len(seen)
            if not node.args and node.op != "const":
                seen.setdefault(_name(node), len(seen))
            stack.append((node, True))
            args = node.args
            if node.op in COMMUTATIVE and is_alike(*args):
                args = sorted(args, key=lambda arg: _reached(arg, seen))
            stack.extend((arg, False) for arg in reversed(args) if arg not in seen)
    return ordered


def _name(leaf: Node) -> Hashable:
    return leaf.attr[0] if isinstance(leaf.attr, tuple) else leaf.attr


def _reached(node: Node, seen: Mapping[Hashable, int]) -> list[int]:
    """When the node was reached, or what it reads: of each argument the first below it."""
    if node in seen or not node.args:
        return [_first_reached(node, seen)]
    return [_first_reached(arg, seen) for arg in node.args]


def _first_reached(node: Node, seen: Mapping[Hashable, int]) -> int:
    for _ in range(_DEEPEST):
        if node in seen or not node.args:
            break
        node = node.args[0]
    found = seen.get(node)
    if found is None and not node.args:
        found = seen.get(_name(node))
    return len(seen) if found is None else found
