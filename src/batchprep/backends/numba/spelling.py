"""How a node is written inside a numba kernel, and which nodes cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from numba.core import config

from batchprep.backends.constants import asked_kind
from batchprep.backends.numba.divisions import division
from batchprep.ops import OPS, Gap
from batchprep.ops.mathematics import MATHEMATICS
from batchprep.plan.node import Node
from batchprep.plan.stage import MathMode

# With Intel's vector library (package icc_rt) numba calls other functions than CPython's in loops
# that vectorise: up to 1 ulp, so not in exact mode.
_SVML: Final = frozenset(op.name for op in MATHEMATICS) - {
    "sqrt", "floor", "ceil", "trunc", "fmod_c", "remainder"
} | {"fpow"}  # fmt: skip


def is_host(math: MathMode) -> Callable[[Node], bool]:
    """Whether a node has no spelling that is exact enough: Python evaluates it."""
    svml = bool(getattr(config, "USING_SVML", False))

    def host(node: Node) -> bool:
        op = OPS.get(node.op)
        if op is None:
            return node.op == "call"
        exact = op.exact_on("numba") and not (svml and op.name in _SVML)
        return isinstance(op.scalar, Gap) or (math == "exact" and not exact)

    return host


def spelling(node: Node, table: str) -> str:
    """Text of the node over its arguments {0} {1} ...; `table` names its table, if it has one."""
    if node.op == "has_kind":
        return f"({{0}} == {asked_kind(node)})"
    if node.op == "find":
        return f"k.find_{'i64' if node.args[0].dtype == 'i' else 'f64'}({table}, {{0}})"
    if node.op in {"word", "gather"}:
        return f"{_LOAD[node.dtype].format(f'{table}[{{0}}]')}"
    return division(node) or cast("str", OPS[node.op].scalar)  # gaps are host ops


# One width per dtype inside a kernel: mixed widths unify in surprising ways (uint64 and int64
# become float64).
_LOAD = {
    "b": "({} != 0)",
    "i": "np.int64({})",
    "f": "np.float64({})",
    "s": "np.int64({})",
    "k": "np.int64({})",
    "r": "np.int64({})",
    "o": "np.int64({})",
}


def load(dtype: str, element: str) -> str:
    """Text of an element of an input."""
    return _LOAD[dtype].format(element)
