"""An order of nodes by what they are: the same in every process, whatever was made there before.

Arguments of `and` and `or` are put in it. Their numbers, hashes of texts and addresses would differ
from process to process, and so would the text of a kernel, by which it is found on disk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from batchprep.plan.node import Node

# Height, what the ops say, and what names and constants say besides.
Order = tuple[int, int, int]

_MOST: Final = 64  # of the parts of an attr, by which it is told from another

COMMUTATIVE: Final = frozenset({"and", "or"})


class Structured(ABC):
    """What says of itself what it consists of."""

    __slots__ = ()

    @property
    @abstractmethod
    def structure(self) -> tuple[Any, ...]:
        """Texts, numbers and others of this class: equal for equal objects, in every process."""


def order_of(op: str, args: tuple[Node, ...], attr: Hashable, dtype: str) -> Order:
    """Where a node stands: by height, then by ops, then by names and constants.

    Names come last, so that functions that differ in nothing else become kernels of one text.
    """
    orders = [arg.order for arg in args]
    height = max(orders)[0] + 1 if orders else 1
    what, named = _code(op, dtype), 0
    if attr is not None:
        named = _code(_spelled(attr))
        if op == "has_kind" or (op == "const" and dtype in "bk"):  # part of a kernel's text
            what += named
    # The hash of a tuple of ints is the same in every process.
    shape = hash((what, *[o[1] for o in orders]))
    return height, shape, hash((shape, named, *[o[2] for o in orders]))


def is_alike(one: Node, other: Node) -> bool:
    """Whether two nodes differ in names and constants at most."""
    return one.order[:2] == other.order[:2]


@lru_cache(maxsize=1 << 12)
def _code(*texts: str) -> int:
    text = " ".join(texts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest())


def _spelled(value: object) -> str:
    """A text that tells attrs apart, without addresses and hashes."""
    if isinstance(value, Structured):
        return _spelled(value.structure)
    if isinstance(value, tuple):
        parts = cast("tuple[object, ...]", value)
        return f"{len(parts)}({','.join(map(_spelled, parts[:_MOST]))})"
    return repr(value)
