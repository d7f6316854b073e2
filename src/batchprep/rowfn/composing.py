"""Functions of what nodes hold, from a function and the readings of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from batchprep.plan.composed import Composed
from batchprep.plan.plain import plain_object
from batchprep.plan.tables import Pure
from batchprep.rowfn.operands import AS_IT_IS, Operand
from batchprep.rowfn.sums import Lazy, Value

# What is in the pool of objects already, and must be plain where it is read.
OBJECT: Final = "object"


def composed_of(
    function: Callable[..., Any], operands: list[Operand], places: list[tuple[int, ...]]
) -> Callable[..., Any]:
    """The function of what the nodes hold. It runs per value: the usual forms have no loop."""
    first, *others = operands
    checked = first.read is plain_object
    if all(o.constant for o in others) and first.read is not None and not checked:
        return _of_first(function, first.read, [operand.decode(()) for operand in others])
    if all(o.read is AS_IT_IS for o in operands) and places == [(n,) for n in range(len(places))]:
        return function
    reads = [None if o.read is AS_IT_IS else (o.read or _alone(o.decode)) for o in operands]
    decodes = [operand.decode for operand in operands]
    return Composed(function, decodes, reads, places, [operand.key for operand in operands])


def base_of(
    function: Callable[..., Any], values: Sequence[Value], operands: list[Operand]
) -> tuple[Pure | None, Callable[[Any], Any] | None]:
    """The pure value that the function's first argument is, and the function of that alone."""
    first = values[0] if values else None
    others = operands[1:]
    if (
        not isinstance(first, Lazy)
        or first.pure.key == OBJECT
        or not all(o.constant for o in others)
    ):
        return None, None
    if operands[0].nodes != first.nodes or not first.pure.keeps:  # it is handed on as one object
        return None, None
    rest = [operand.decode(()) for operand in others]
    return first.pure, (lambda value: function(value, *rest)) if rest else function


def _alone(decode: Callable[[Sequence[Any]], Any]) -> Callable[[Any], Any]:
    return lambda raw: decode((raw,))


def _of_first(
    function: Callable[..., Any], read: Callable[[Any], Any], rest: list[Any]
) -> Callable[[Any], Any]:
    if read is AS_IT_IS:
        return (lambda raw: function(raw, *rest)) if rest else function
    return (lambda raw: function(read(raw), *rest)) if rest else lambda raw: function(read(raw))
