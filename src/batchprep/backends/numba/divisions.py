"""Floor divisions and remainders by a constant that vectorise, where their range is known."""

from __future__ import annotations

from typing import Final, cast

from batchprep.plan.node import Node

INT64: Final = 2**63
EXACT: Final = 2**52  # whole numbers whose quotients doubles tell apart: k.floor_divide_by
_DEEPEST: Final = 16  # of operands that a range is read off


def division(node: Node) -> str | None:
    """Text of `a // constant` or `a % constant` over {0}; None where LLVM's own is to be taken."""
    if node.op not in {"ifloordiv", "imod"}:
        return None
    value, by = node.args
    divisor = _constant(by)
    if divisor is None or divisor < 2:
        return None
    shift = (divisor & -divisor).bit_length() - 1
    odd = divisor >> shift
    if odd == 1 or largest(value) >> shift > EXACT:
        return None
    quotient = f"k.floor_divide_by({{0}}, {shift}, {odd})"
    if node.op == "ifloordiv":
        return quotient
    return f"k.subtract_i64({{0}}, k.multiply_i64({quotient}, {divisor}))"


def largest(node: Node, depth: int = _DEEPEST) -> int:
    """A bound of the absolute value of an int.

    >>> from batchprep.plan.build import build
    >>> from batchprep.plan.node import const, intern
    >>> ticks = intern("buffer", (), ("at", "datetime"), "i")
    >>> largest(ticks) == INT64, largest(build("imod", ticks, const(24)))
    (True, 24)
    """
    found = INT64
    if _constant(node) is not None:
        found = abs(cast("int", node.attr))
    elif depth and node.op in {"iadd", "isub"}:
        found = sum(largest(arg, depth - 1) for arg in node.args)
    elif node.op in {"ifloordiv", "imod"}:
        divisor = _constant(node.args[1])
        if divisor is not None and divisor > 0:
            whole = largest(node.args[0], depth - 1) if depth else INT64
            found = divisor if node.op == "imod" else whole // divisor + 1
    return min(found, INT64)  # what is beyond wraps


def _constant(node: Node) -> int | None:
    return cast("int", node.attr) if node.op == "const" and node.dtype == "i" else None
