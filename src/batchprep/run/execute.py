"""A compiled stage over one batch: columns, and the rows that the interpreter must answer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from batchprep.backends.kernel import NUMPY_DTYPE, Array
from batchprep.batch.batch import Batch
from batchprep.batch.fresh_arrays import empty_array
from batchprep.batch.threads import chunk_bounds, count_chunks, for_each_chunk
from batchprep.dtypes import KIND_CODE
from batchprep.plan.node import Node
from batchprep.plan.stage import Stage
from batchprep.run.chunk_arrays import ChunkArrays, Marks
from batchprep.run.inputs import Inputs, Plan
from batchprep.run.packed_codes import PackedCodes, packed_codes
from batchprep.run.program import Options
from batchprep.run.report import ReportBuilder
from batchprep.run.tiers import Tier
from batchprep.run.words import Pool

if TYPE_CHECKING:
    import pyarrow as pa

# Above this share of deviating rows, the interpreter on all rows of a chunk is as fast as picking
# out those rows and splicing their answers in. Small chunks are not worth the distinction.
MOST_DEVIATIONS: Final = 0.3
SMALLEST_JUDGED: Final = 1_024
MANY_DEVIATIONS: Final = "in a chunk where more than 30% of the rows deviate"

Mask = npt.NDArray[np.bool_]


class Columns(NamedTuple):
    """What a stage computed for a batch. `deviating` is None where no row deviates."""

    stage: Stage
    arrays: dict[Node, Array]
    packed: dict[Node, PackedCodes]
    pool: Pool
    deviating: Mask | None
    length: int
    texts: Mapping[Node, pa.Array[Any]]  # results that are there whole, and have no codes

    def array(self, node: Node) -> Array:
        """The values of a node, one a row; of a constant, a view that takes no memory."""
        if node in self.packed and node not in self.arrays:
            self.arrays[node] = self.packed[node].codes()
        if node in self.texts and node not in self.arrays:
            self.arrays[node] = self.pool.codes_for_show(self.texts[node])
        if node.op != "const":
            return self.arrays[node]
        value: Any = self.pool.fixed.code(str(node.attr)) if node.dtype == "s" else node.attr
        return np.broadcast_to(NUMPY_DTYPE[node.dtype].type(value), self.length)

    def dropped(self) -> Mask | None:
        """The rows that go no further, of those that do not deviate; None where none can be."""
        template = self.stage.template
        if "absent" not in template.kinds or template.field is not None:
            return None
        return self.array(template.code) == KIND_CODE["absent"]


def execute(plan: Plan, batch: Batch, options: Options, report: ReportBuilder) -> Columns:
    """Run a plan on a batch of at least one row."""
    # Kernels of the python backend hold the interpreter's lock: threads would only wait.
    threads = 1 if options.backend == "python" else options.threads
    inputs, stage, length = plan.bind(batch, threads), plan.stage, len(batch)
    if plan.by_row is not None:
        report.read_texts(set(plan.by_row.names()), length, inputs.by_python)
    packed = packed_codes(stage, length)
    outputs: dict[Node, Array] = {}
    for node in stage.outputs:
        if node not in packed:
            outputs[node] = empty_array(length, NUMPY_DTYPE[node.dtype])
    arrays = ChunkArrays(inputs, outputs, packed, Marks() if stage.deviations else None)
    if stage.outputs or stage.deviations:
        tier = plan.kernels.choose(options.backend, options.math, inputs.layout, length)
        _run_chunks(tier, arrays, length, threads=threads, report=report)
    deviation = None if arrays.marks is None else arrays.marks.whole(length)
    deviating = _deviating(stage, inputs, deviation, report)
    return Columns(stage, outputs, packed, inputs.pool, deviating, length, inputs.texts)


def _run_chunks(
    tier: Tier, arrays: ChunkArrays, length: int, *, threads: int, report: ReportBuilder
) -> None:
    def run_chunk(start: int, end: int) -> None:
        backend, kernel, timed = tier.current(end - start)
        used[backend] = None
        begun = time.perf_counter() if timed else 0.0
        arrays.run(kernel, start, end)
        if timed:
            tier.took(backend, end - start, time.perf_counter() - begun)

    used: dict[str, None] = {}
    for_each_chunk(run_chunk, length, threads, joined=True)
    threads = 1 if threads == 1 else min(threads, count_chunks(length))
    for backend in used:
        report.ran_on(backend, threads)
    trouble = tier.trouble()
    if trouble:
        report.remark(trouble)


def _deviating(
    stage: Stage, inputs: Inputs, deviation: Array | None, report: ReportBuilder
) -> Mask | None:
    """The rows that deviate, counted by reason; an irregular value goes before other reasons."""
    if deviation is None and not inputs.irregular:
        return None
    counts: Counter[str] = Counter()
    deviating: Mask | None = None
    for reason, irregular in inputs.irregular:
        fresh = irregular if deviating is None else irregular & ~deviating
        counts[reason] = int(np.count_nonzero(fresh))
        deviating = fresh.copy() if deviating is None else deviating | fresh
    if deviation is not None:
        found = deviation if deviating is None else np.where(deviating, np.uint8(0), deviation)
        for number, rows in enumerate(np.bincount(found).tolist()[1:]):
            counts[stage.deviations[number].reason] += rows
        deviating = found != 0 if deviating is None else deviating | (found != 0)
    if deviating is not None:
        counts[MANY_DEVIATIONS] = _give_up_chunks(deviating)
    for reason, rows in counts.items():
        if rows:
            report.deviated(reason, rows)
    return deviating


def _give_up_chunks(deviating: Mask) -> int:
    """Mark all rows of chunks in which too many deviate; how many that adds."""
    added = 0
    for start, end in chunk_bounds(len(deviating)):
        chunk = deviating[start:end]
        rows = int(np.count_nonzero(chunk))
        if len(chunk) >= SMALLEST_JUDGED and rows > MOST_DEVIATIONS * len(chunk):
            added += len(chunk) - rows
            chunk[:] = True
    return added
