"""Predicted nanoseconds a row, from a small table of measured costs.

The numbers are medians on one core of a 2-core Linux x86-64 machine. They rank the parts of a call;
they do not promise a time on another machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from batchprep.api.explain import Cost
from batchprep.dtypes import Kind
from batchprep.ops import OPS
from batchprep.ops.mathematics import MATHEMATICS
from batchprep.ops.op import Gap
from batchprep.plan.node import Node, in_order
from batchprep.plan.stage import MathMode, Output, Stage
from batchprep.run.program import BackendName
from batchprep.schema import Field

# One op on one row. NumPy passes over memory once per op, numba keeps values in registers.
OP: Final[dict[str, float]] = {"python": 150.0, "numpy": 1.0, "numba": 0.3}
# exp, log, sin, ...: a call of the C library, the same from everywhere but python.
LIBRARY_OP: Final[dict[str, float]] = {"python": 200.0, "numpy": 12.0, "numba": 12.0}
FAST_OP: Final = 1.5  # one of them that numba has vectorised under math="fast"
HOST_OP: Final = 450.0  # an op that only Python can spell: formatting, round
# One field of one dict; a None beside the values, or text, on top. From Arrow: next to nothing.
FROM_RECORDS: Final = 140.0
NULLABLE_FIELD: Final = 60.0
TEXT_FIELD: Final = 60.0
# One result as a Python object, by kind; a mixed position costs the check of its kind on top.
RESULT: Final[dict[Kind, float]] = {"none": 5.0, "bool": 15.0, "int": 20.0, "float": 20.0}
OTHER_RESULT: Final = 30.0
MIXED_RESULT: Final = 60.0
CONTAINER: Final = 100.0  # the dict or tuple itself
LEAVES: Final = frozenset({"const", "kind", "buffer", "ref", "object", "regular"})
ONE_INSTRUCTION: Final = frozenset({"sqrt", "floor", "ceil", "trunc"})
LIBRARY: Final = frozenset(op.name for op in MATHEMATICS) - ONE_INSTRUCTION | {"fpow"}


def predicted(stage: Stage, fields: Iterable[Field], backend: BackendName, mode: MathMode) -> Cost:
    """What one row of a list of dicts costs on that backend ("auto" as numba)."""
    name = "numba" if backend == "auto" else backend
    roots = [*stage.outputs, *(deviation.guard for deviation in stage.deviations)]
    nodes = [node for node in in_order(roots) if node.op not in LEAVES]
    host = [node for node in nodes if _is_host(node, name, mode)]
    return Cost(
        ingest=math.fsum(_ingest(field) for field in fields if field.name in stage.fields),
        kernel=math.fsum(_kernel(node, name, mode) for node in nodes if node not in host),
        host=HOST_OP * len(host),
        results=_result(stage.template),
    )


def _is_host(node: Node, backend: str, mode: MathMode) -> bool:
    op = OPS.get(node.op)
    if op is None or backend == "python":
        return False
    spelled = op.scalar if backend == "numba" else op.array
    return isinstance(spelled, Gap) or (mode == "exact" and not op.exact_on(backend))


def _ingest(field: Field) -> float:
    nullable = NULLABLE_FIELD if len(field.kinds) > 1 else 0.0
    return FROM_RECORDS + nullable + (TEXT_FIELD if "str" in field.kinds else 0.0)


def _kernel(node: Node, backend: str, mode: MathMode) -> float:
    if backend == "numba" and mode == "fast" and node.op in OPS and OPS[node.op].fast:
        return FAST_OP
    return (LIBRARY_OP if node.op in LIBRARY else OP)[backend]


def _result(output: Output) -> float:
    cost = MIXED_RESULT if len(output.kinds) > 1 else 0.0
    cost += max((RESULT.get(kind, OTHER_RESULT) for kind in output.kinds), default=0.0)
    for _, parts in output.parts:
        cost += CONTAINER + math.fsum(_result(part.output) for part in parts.parts)
    return cost
