"""Powers by 0.5 and 2.0: a root or a product for most rows, pow where it may round otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from batchprep.dtypes import KIND_CODE
from batchprep.plan.node import Node, in_order
from batchprep.plan.stage import Output, Stage


class Guess(NamedTuple):
    """Texts: the value over the base {0}; where it is exact, over the base and the value {1}."""

    value: str
    sure: str


_GUESSES: Final = {
    0.5: Guess("math.sqrt({0})", "k.root_is_sure({0}, {1})"),
    2.0: Guess("({0} * {0})", "k.square_is_sure({0}, {1})"),
}


def guess(node: Node) -> Guess | None:
    """How the power is guessed; None for other nodes."""
    if node.op != "fpow" or node.args[1].op != "const":
        return None
    return _GUESSES.get(float(str(node.args[1].attr)))


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
