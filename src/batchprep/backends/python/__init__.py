"""The graph by the ops' meanings: slow, and the definition that the other backends are held to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from batchprep.backends.constants import asked_kind, constant, is_string
from batchprep.backends.kernel import NUMPY_DTYPE, Array
from batchprep.ops import OPS
from batchprep.plan.finish import INPUT_OPS
from batchprep.plan.node import Node, in_order
from batchprep.plan.segments import LEAVES, TABLES
from batchprep.plan.stage import MathMode, Stage

if TYPE_CHECKING:
    import numpy as np

_BLOCK: Final = 1024  # rows whose values of all nodes are held as Python objects

Values = dict[Node, Sequence[Any]]


class PythonKernel:
    """A stage evaluated node by node over lists of Python values."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.guards = [deviation.guard for deviation in stage.deviations]
        self.order = in_order((*stage.outputs, *self.guards))

    def __call__(
        self, inputs: Mapping[Node, Any], outputs: Mapping[Node, Array], deviation: Array
    ) -> None:
        """Fill the outputs and the deviation byte of one chunk."""
        tables = {node: inputs[node].tolist() for node in self.stage.tables if node.op != "call"}
        for start in range(0, len(deviation), _BLOCK):
            rows = slice(start, min(start + _BLOCK, len(deviation)))
            values: Values = {}
            arrays: dict[Node, Array] = {}  # of a call's arguments: its parts are asked for by them
            for node in self.order:
                values[node] = self._column(node, values, inputs, tables, rows, arrays)
            for node, array in outputs.items():
                array[rows] = values[node]
            columns = [values[guard] for guard in self.guards]
            deviation[rows] = list(map(_first, zip(*columns, strict=True))) if columns else 0

    def _column(
        self,
        node: Node,
        values: Values,
        inputs: Mapping[Node, Any],
        tables: Mapping[Node, list[Any]],
        rows: slice,
        arrays: dict[Node, Array],
    ) -> list[Any]:
        if node.op in INPUT_OPS:
            return inputs[node][rows].astype(NUMPY_DTYPE[node.dtype]).tolist()
        if node.op in LEAVES:
            value = inputs[node] if is_string(node) else constant(node, self.stage).item()
            return [value] * (rows.stop - rows.start)
        columns = [values[arg] for arg in node.args]
        if node.op == "call":
            for arg, column in zip(node.args, columns, strict=True):
                if arg not in arrays:
                    arrays[arg] = _array(column, arg)
            return inputs[node](*(arrays[arg] for arg in node.args)).tolist()
        if node.op in TABLES:
            return list(map(_lookup(node), repeat(tables[node]), *columns))
        return list(map(_meaning(node), *columns))


def _array(column: Sequence[Any], node: Node) -> Array:
    import numpy as np

    return np.array(column, NUMPY_DTYPE[node.dtype])


def _first(guards: tuple[bool, ...]) -> int:
    return guards.index(True) + 1 if True in guards else 0


def _meaning(node: Node) -> Callable[..., Any]:
    if node.op == "has_kind":
        return asked_kind(node).__eq__
    return OPS[node.op].meaning


def _lookup(node: Node) -> Callable[[list[Any], Any], Any]:
    return _find if node.op == "find" else list.__getitem__


def _find(keys: list[Any], value: float) -> int:
    place = bisect_left(keys, value)
    return place + 1 if place < len(keys) and keys[place] == value else 0


class PythonBackend:
    """Runs stages in the interpreter."""

    name = "python"

    def compile(
        self, stage: Stage, layout: Mapping[Node, np.dtype[Any]], math: MathMode
    ) -> PythonKernel:
        """A kernel; the meanings are exact for every layout and in both modes."""
        del layout, math
        return PythonKernel(stage)


BACKEND: Final = PythonBackend()
