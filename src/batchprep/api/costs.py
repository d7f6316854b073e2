"""Predicted nanoseconds a row, from a small table of measured costs.

The numbers are medians on one core of a 2-core Linux x86-64 machine. They rank the parts of a call;
they do not promise a time on another machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

from batchprep.api import cost_messages as messages
from batchprep.api.explain import Cost
from batchprep.dtypes import Kind
from batchprep.ops import OPS
from batchprep.ops.mathematics import MATHEMATICS
from batchprep.ops.op import Gap
from batchprep.plan.node import Node, in_order
from batchprep.plan.stage import MathMode, Output, Stage
from batchprep.plan.tables import Outcome
from batchprep.run.program import BackendName
from batchprep.schema import Field

# One op on one row. NumPy passes over memory once per op, numba keeps values in registers.
OP: Final[dict[str, float]] = {"python": 150.0, "numpy": 1.0, "numba": 0.3}
# exp, log, sin, ...: a call of the C library, the same from everywhere but python.
LIBRARY_OP: Final[dict[str, float]] = {"python": 200.0, "numpy": 12.0, "numba": 12.0}
FAST_OP: Final = 1.5  # one of them that numba has vectorised under math="fast"
HOST_OP: Final = 450.0  # an op that only Python can spell: formatting, round
# One run of a piece by Python, with what becomes of its result; of one with a loop in it.
PIECE: Final = 400.0
LOOPING_PIECE: Final = 1_500.0
# In the row loop: the same piece, an operator, reading a key; a dict made of a column's values.
LOOP_PIECE: Final = 0.8  # of the above
LOOP_OP: Final = 35.0
LOOP_FIELD: Final = 25.0
LOOP_MADE_FIELD: Final = 120.0
LOOPING: Final = ("for ", "while ")  # in the name of a piece
# Ops that check or choose: the loop does so where it computes.
UNSEEN: Final = frozenset({"not", "and", "or", "select", "i2f", "b2i"})
LEAVES: Final = frozenset({"const", "kind", "buffer", "ref", "object", "regular"})
ONE_INSTRUCTION: Final = frozenset({"sqrt", "floor", "ceil", "trunc"})
LIBRARY: Final = frozenset(op.name for op in MATHEMATICS) - ONE_INSTRUCTION | {"fpow"}


class Objects(NamedTuple):
    """What it takes to read a dict's field, and to make a result.

    `nullable` and `text` come on top of a field, `mixed` on top of a result that has several kinds;
    `container` is the dict or tuple itself. From Arrow a field takes next to nothing.
    """

    field: float
    nullable: float
    text: float
    result: dict[Kind, float]
    other: float
    mixed: float
    container: float


BY_PYTHON: Final = Objects(
    field=140.0,
    nullable=60.0,
    text=60.0,
    result={"none": 5.0, "bool": 15.0, "int": 20.0, "float": 20.0},
    other=30.0,
    mixed=60.0,
    container=100.0,
)
# Where numba is in use, and there are many.
BY_MACHINE_CODE: Final = Objects(
    field=10.0,
    nullable=4.0,
    text=20.0,
    result={"none": 1.0, "bool": 5.0, "int": 12.0, "float": 12.0, "str": 6.0},
    other=30.0,
    mixed=4.0,
    container=90.0,
)


class Tried(NamedTuple):
    """What both ways took, in nanoseconds a row.

    `wins`: compiled is the way taken; `brief`: only until numba's kernel is there.
    """

    compiled: float
    by_python: float
    wins: bool
    brief: bool


def predicted(stage: Stage, fields: Iterable[Field], backend: BackendName, mode: MathMode) -> Cost:
    """What one row of a list of dicts costs on that backend ("auto" as numba)."""
    name = "numba" if backend == "auto" else backend
    roots = [*stage.outputs, *(deviation.guard for deviation in stage.deviations)]
    nodes = [node for node in in_order(roots) if node.op not in LEAVES]
    host = [node for node in nodes if _is_host(node, name, mode)]
    objects = BY_MACHINE_CODE if name == "numba" else BY_PYTHON
    return Cost(
        ingest=math.fsum(_ingest(field, objects) for field in fields if field.name in stage.fields),
        kernel=math.fsum(_kernel(node, name, mode) for node in nodes if node not in host),
        host=HOST_OP * len(host),
        results=_result(stage.template, objects),
        pieces=_pieces(stage, by_row=True),
        distinct=_pieces(stage, by_row=False),
    )


def predicted_loop(stage: Stage, fields: Iterable[Field], *, columns: bool) -> float:
    """What one row takes in the row loop; over columns with the dict that it is made for it."""
    roots = [*stage.outputs, *(deviation.guard for deviation in stage.deviations)]
    ops = [node for node in in_order(roots) if node.op in OPS and node.op not in UNSEEN]
    read = sum(field.name in stage.fields for field in fields)
    made = (LOOP_MADE_FIELD if columns else 0.0) + LOOP_FIELD
    pieces = _pieces(stage, by_row=True) + _pieces(stage, by_row=False)
    return (
        LOOP_OP * len(ops)
        + made * read
        + LOOP_PIECE * pieces
        + _result(stage.template, BY_PYTHON) / 2
    )


def verdict(cost: Cost, loop: float, tried: Tried | None) -> str:
    """Whether it pays to compile: as measured where it ran, else as predicted."""
    if tried is not None:
        compiled, by_python, wins, brief = tried
        return messages.measured_text(compiled, by_python, wins=wins, brief=brief)
    clearly = messages.CLEARLY
    if clearly * cost.total <= loop < clearly * (cost.total + cost.distinct):
        return messages.BY_VALUE
    return messages.predicted_text(cost.total, loop, _why(cost))


def _why(cost: Cost) -> str:
    """What there is the most of."""
    if cost.pieces:
        return messages.BY_ROW
    if max(cost.ingest, cost.results) < cost.kernel:
        return messages.ALIKE
    return messages.FIELDS if cost.ingest >= cost.results else messages.OBJECTS


def _pieces(stage: Stage, *, by_row: bool) -> float:
    """Nanoseconds of what Python evaluates for each row, or else for each distinct text or row."""
    pieces = {
        (node.attr.pure, node.args): node.attr.pure.name
        for node in stage.tables
        if isinstance(node.attr, Outcome) and _is_by_row(node, node.attr) == by_row
    }
    looping = [any(word in name for word in LOOPING) for name in pieces.values()]
    return math.fsum(LOOPING_PIECE if loops else PIECE for loops in looping)


def _is_by_row(node: Node, outcome: Outcome) -> bool:
    return outcome.pure.aliases or any(arg.dtype == "o" for arg in node.args)


def _is_host(node: Node, backend: str, mode: MathMode) -> bool:
    op = OPS.get(node.op)
    if op is None or backend == "python":
        return False
    spelled = op.scalar if backend == "numba" else op.array
    return isinstance(spelled, Gap) or (mode == "exact" and not op.exact_on(backend))


def _ingest(field: Field, objects: Objects) -> float:
    nullable = objects.nullable if len(field.kinds) > 1 else 0.0
    return objects.field + nullable + (objects.text if "str" in field.kinds else 0.0)


def _kernel(node: Node, backend: str, mode: MathMode) -> float:
    if backend == "numba" and mode == "fast" and node.op in OPS and OPS[node.op].fast:
        return FAST_OP
    return (LIBRARY_OP if node.op in LIBRARY else OP)[backend]


def _result(output: Output, objects: Objects) -> float:
    cost = objects.mixed if len(output.kinds) > 1 else 0.0
    made = (objects.result.get(kind, objects.other) for kind in output.kinds)
    cost += max(made, default=0.0)
    for _, parts in output.parts:
        inner = math.fsum(_result(part.output, objects) for part in parts.parts)
        cost += objects.container + inner
    return cost
