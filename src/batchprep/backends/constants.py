"""Leaves that are known when a kernel is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from batchprep.backends.kernel import NUMPY_DTYPE
from batchprep.dtypes import KIND_CODE, Kind
from batchprep.plan.node import Node
from batchprep.plan.stage import Stage

if TYPE_CHECKING:
    import numpy as np


def constant(node: Node, stage: Stage) -> np.generic[Any]:
    """Value of a const or ref node; strings have none before a batch is there."""
    value: Any = stage.refs.index(str(node.attr)) if node.op == "ref" else node.attr
    return NUMPY_DTYPE[node.dtype].type(value)


def is_string(node: Node) -> bool:
    """Whether the node is a constant whose code only the batch's pool knows."""
    return node.op == "const" and node.dtype == "s"


def asked_kind(node: Node) -> int:
    """Code of the kind that a `has_kind` node asks for."""
    kind: Kind = node.attr  # pyright: ignore[reportAssignmentType]  by the op
    return KIND_CODE[kind]
