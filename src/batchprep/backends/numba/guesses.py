"""Values that a loop guesses, and redoes exactly in the rows where the guess may be wrong.

In exact mode, powers by 0.5 and 2.0: a root or a product, and pow where it may round otherwise.
In fast mode, sines and cosines: of angles that the vectorised kernels can reduce.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from llvmlite import binding
from numba.core import config

from batchprep.dtypes import KIND_CODE
from batchprep.ops import OPS
from batchprep.plan.node import Node, in_order
from batchprep.plan.stage import MathMode, Output, Stage


class Guess(NamedTuple):
    """Texts: the value over the argument {0}; where it will do, over that and the value {1}."""

    value: str
    sure: str


_POWERS: Final = {
    0.5: Guess("math.sqrt({0})", "k.root_is_sure({0}, {1})"),
    2.0: Guess("({0} * {0})", "k.square_is_sure({0}, {1})"),
}


_ANGLES: Final = {name: Guess(OPS[name].fast, "k.is_reduced({0})") for name in ("sin", "cos")}

# What a power is in fast mode, in every row: pow of -0.0 is 0.0, and of -infinity infinity.
_FAST_POWERS: Final = {0.5: "k.root_fast({0})", 2.0: "({0} * {0})"}


def guess(node: Node, math: MathMode) -> Guess | None:
    """How the node's value is guessed; None where it is not."""
    if math == "fast":
        return _ANGLES.get(node.op) if has_multiply_add() else None
    return _POWERS.get(exponent) if (exponent := _exponent(node)) is not None else None


def fast_spelling(node: Node) -> str:
    """Text of the node in fast mode; "": as in exact mode."""
    exponent, op = _exponent(node), OPS.get(node.op)
    if exponent in _FAST_POWERS:
        return _FAST_POWERS[exponent]
    return op.fast if op is not None and has_multiply_add() else ""


def _exponent(node: Node) -> float | None:
    """The constant by which the node is a power."""
    if node.op != "fpow" or node.args[1].op != "const":
        return None
    return float(str(node.args[1].attr))


@cache
def has_multiply_add() -> bool:
    """Whether the CPU multiplies and adds in one step: without, that is a call, and slow."""
    asked: object = getattr(config, "CPU_FEATURES", None)
    features = str(binding.get_host_cpu_features().flatten() if asked is None else asked)
    return "+fma" in features.split(",") or platform.machine() in {"aarch64", "arm64"}


@cache
def bounds_pow() -> bool:
    """Whether the C library promises how far its pow is from the true value: glibc does."""
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, OSError, ValueError):  # no such name on this system
        return False


class Use(NamedTuple):
    """Where a value is read: in the rows whose `code` is that of a kind."""

    code: Node
    kind: int


def only_use(stage: Stage, node: Node) -> Use | None:
    """The one place of the result that reads a value; None where anything else does."""
    roots = [*stage.outputs, *(deviation.guard for deviation in stage.deviations)]
    if any(node in reader.args for reader in in_order(roots)):
        return None
    uses = [
        Use(output.code, KIND_CODE[kind])
        for output in _positions(stage.template)
        for kind, payload in output.payloads
        if payload is node
    ]
    return uses[0] if len(uses) == 1 else None


def _positions(output: Output) -> Iterator[Output]:
    yield output
    for _, parts in output.parts:
        for part in parts.parts:
            yield from _positions(part.output)
