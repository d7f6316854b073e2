"""Stages made of nodes, without a row function."""

import numpy as np

from batchprep.backends import get_backend
from batchprep.backends.kernel import NUMPY_DTYPE
from batchprep.ops import OPS
from batchprep.plan.node import const, in_order, intern
from batchprep.plan.stage import Deviation, Output, Stage


def apply(name, *args):
    """The op on those nodes, as it is: nothing folded."""
    op = OPS[name]
    return intern(name, args, None, args[-1].dtype if op.result == "?" else op.result)


def column(name, dtype):
    """A column that the stage reads."""
    kind = {"b": "bool", "i": "int", "f": "float", "s": "str", "k": "none", "r": "other"}[dtype]
    return intern("buffer", (), (name, kind), dtype)


def stage_of(outputs, guards=(), refs=()):
    """The stage with these outputs, and a deviation per guard."""
    order = in_order((*outputs, *guards))
    return Stage(
        inputs=tuple(node for node in order if node.op in {"kind", "buffer"}),
        strings=tuple(node for node in order if node.op == "const" and node.dtype == "s"),
        tables=tuple(node for node in order if node.op in {"word", "find", "gather"}),
        outputs=tuple(node for node in dict.fromkeys(outputs) if node.op != "const"),
        deviations=tuple(Deviation(guard, "test", None, ()) for guard in guards),
        template=Output(const(0), (), (), ()),
        refs=tuple(refs),
    )


def layout_of(inputs):
    """The array dtypes of inputs."""
    return {node: value.dtype for node, value in inputs.items() if isinstance(value, np.ndarray)}


def run(backend, stage, inputs, rows, *, math="exact"):
    """Outputs of the stage in order, and its deviation bytes."""
    kernel = get_backend(backend).compile(stage, layout_of(inputs), math)
    return run_kernel(kernel, stage, inputs, rows)


def run_kernel(kernel, stage, inputs, rows):
    """Outputs of the kernel in order, and its deviation bytes, in arrays that held rubbish."""
    outputs = {node: np.full(rows, 77, NUMPY_DTYPE[node.dtype]) for node in stage.outputs}
    deviation = np.full(rows, 99, np.uint8)
    kernel(inputs, outputs, deviation)
    return [*outputs.values(), deviation]
