"""A stage as compiled loops with host ops between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from batchprep.backends.constants import constant, is_string
from batchprep.backends.elementwise import evaluate
from batchprep.backends.kernel import NUMPY_DTYPE, Array, Span
from batchprep.backends.numba.bitmaps import Bitmaps, packing, unpacking
from batchprep.backends.numba.compiler import DOUBTS, Job, compiled, signature
from batchprep.backends.numba.render import Loop, is_local, render
from batchprep.backends.numba.replicas import comparisons, replicas_of
from batchprep.batch.null_codes import NullCodes
from batchprep.ops import OPS
from batchprep.plan.node import Node
from batchprep.plan.segments import Segment
from batchprep.plan.stage import MathMode, Stage

Layout = Mapping[Node, np.dtype[Any]]
Arrays = dict[Node, Any]

FIRST: Final = np.uint64(0)


class Chunk(NamedTuple):
    """What the steps of a stage work on."""

    tables: Mapping[Node, Any]
    reads: Arrays
    writes: Arrays
    deviation: Array


Step = Callable[[Chunk], None]


class NumbaKernel:
    """A stage of one loop, or of several with Python between them."""

    def __init__(
        self, stage: Stage, segments: Sequence[Segment], layout: Layout, math: MathMode
    ) -> None:
        self._leaves = stage.inputs
        self._temporaries = _temporaries(stage, segments)
        self._deviates = bool(stage.deviations)
        self._bitmaps = Bitmaps(packs=_packs(stage), unpacks=_unpacks(stage))
        self.pack = self._bitmaps.pack
        self._steps: list[Step] = [
            _HostStep(part, stage)
            if isinstance(part, Segment)
            else _LoopStep(part, stage, compiled(part.source, signature(part, layout)))
            for part in rendered(stage, segments, math)
        ]
        self.marked = is_marked(segments)

    @property
    def sources(self) -> tuple[str, ...]:
        """Texts of the compiled loops, in order."""
        return tuple(step.loop.source for step in self._steps if isinstance(step, _LoopStep))

    @property
    def functions(self) -> tuple[Any, ...]:
        """numba's dispatchers of the compiled loops, in order."""
        return tuple(step.function for step in self._steps if isinstance(step, _LoopStep))

    def over(self, inputs: Mapping[Node, Any], outputs: Mapping[Node, Array]) -> Span | None:
        """What runs the only loop on rows of whole columns; None where there are more steps."""
        (step, *others) = self._steps
        if others or not isinstance(step, _LoopStep) or self.marked != self._deviates:
            return None
        return step.over(inputs, outputs, self._bitmaps)

    def __call__(
        self, inputs: Mapping[Node, Any], outputs: Mapping[Node, Array], deviation: Array
    ) -> None:
        """Fill the outputs and the deviation byte of one chunk."""
        if not self.marked:
            deviation.fill(0)
        writes: Arrays = dict(outputs)
        for node in self._temporaries:
            writes[node] = np.empty(len(deviation), NUMPY_DTYPE[node.dtype])
        # A table's node stands for its data among the inputs, and for its rows' values here.
        reads: Arrays = {**inputs, **writes, **{leaf: inputs[leaf] for leaf in self._leaves}}
        for step in self._steps:
            step(Chunk(inputs, reads, writes, deviation))


def rendered(stage: Stage, segments: Sequence[Segment], math: MathMode) -> Iterator[Segment | Loop]:
    """The loop of each segment, and those that Python evaluates as they are."""
    for place, segment in enumerate(segments):
        if segment.host:
            yield segment
        else:
            replicas = replicas_of(_compared(segment, math))
            yield render(segment, stage, math, replicas, merge=is_marked(segments[:place]))


def shared(stage: Stage, segments: Iterable[Segment], math: MathMode) -> list[Job]:
    """Loops that a kernel needs besides its own, or that decide what its own are."""
    jobs = [packing()] if _packs(stage) else []
    jobs += [unpacking()] if _unpacks(stage) else []
    ops = {op for segment in segments if not segment.host for op in _compared(segment, math)}
    return jobs + comparisons(ops)


def _compared(segment: Segment, math: MathMode) -> set[str]:
    return {node.op for node in segment.nodes} if math == "exact" else set()


def _packs(stage: Stage) -> bool:
    return any(map(is_local, stage.outputs))


def _unpacks(stage: Stage) -> bool:
    return any(map(is_local, stage.inputs))


def is_marked(segments: Sequence[Segment]) -> bool:
    """Whether some loop of them writes deviation bytes."""
    return any(segment.guards for segment in segments if not segment.host)


def _temporaries(stage: Stage, segments: Sequence[Segment]) -> list[Node]:
    written = dict.fromkeys(node for segment in segments for node in segment.writes)
    return [node for node in written if node not in stage.outputs]


class _LoopStep:
    """One compiled loop and the order of its arguments."""

    def __init__(self, loop: Loop, stage: Stage, function: Callable[..., None]) -> None:
        self.loop = loop
        self.function = function
        self._read = tuple((node, is_local(node)) for node in loop.reads)
        self._local_reads = tuple(at for at, node in enumerate(loop.reads) if is_local(node))
        self._local_writes = tuple(at for at, node in enumerate(loop.writes) if is_local(node))
        self._scalars = [
            None if is_string(node) else constant(node, stage) for node in loop.scalars
        ]

    def __call__(self, chunk: Chunk) -> None:
        """Run the loop over the chunk."""
        reads = [_plain(chunk.reads[node]) for node in self.loop.reads]
        shared = self._shared(chunk.tables)
        writes = [chunk.writes[node] for node in self.loop.writes]
        marks = self._bytes(chunk.deviation)
        self.function(len(chunk.deviation), FIRST, *reads, *shared, *writes, *marks)

    def over(
        self, inputs: Mapping[Node, Any], outputs: Mapping[Node, Array], bitmaps: Bitmaps
    ) -> Span:
        """The loop on rows of whole columns; only what is local is cut."""
        loop, function, shared = self.loop, self.function, self._shared(inputs)
        local_reads, local_writes = self._local_reads, self._local_writes
        reads = [inputs[n] if local else _plain(inputs[n]) for n, local in self._read]
        writes = [outputs.get(n) for n in loop.writes]

        def run(start: int, end: int, fresh: Mapping[Node, Array], marks: Array) -> None:
            read: list[Any] = reads.copy()
            for at in local_reads:
                read[at] = _part(reads[at], start, end, bitmaps)
            written = writes.copy()
            for at in local_writes:
                whole, node = writes[at], loop.writes[at]
                written[at] = fresh[node] if whole is None else whole[start:end]
            scratch = self._bytes(marks)
            function(end - start, np.uint64(start), *read, *shared, *written, *scratch)

        return run

    def _bytes(self, marks: Array) -> list[Array]:
        """Deviation bytes, and scratch for the rows of which a guess is not sure."""
        scratch = [np.empty(len(marks), dtype) for dtype in DOUBTS] if self.loop.guesses else []
        return [marks, *scratch] if self.loop.marks else scratch

    def _shared(self, inputs: Mapping[Node, Any]) -> list[Any]:
        """Tables and scalars, the same for all rows."""
        if not self.loop.tables and None not in self._scalars:
            return self._scalars
        scalars = [
            np.int64(inputs[node]) if value is None else value
            for node, value in zip(self.loop.scalars, self._scalars, strict=True)
        ]
        return [*(_plain(inputs[node]) for node in self.loop.tables), *scalars]


def _part(codes: Any, start: int, end: int, bitmaps: Bitmaps) -> Array:
    """Codes of some rows, as the compiled signature wants them."""
    if isinstance(codes, NullCodes):
        return bitmaps.unpack(codes, start, end)
    return _plain(codes[start:end])


def _plain(array: Array) -> Array:
    """The array as the compiled signature wants it: contiguous, aligned, read-only."""
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = np.array(array)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


class _HostStep:
    """Ops that Python evaluates, element by element."""

    def __init__(self, segment: Segment, stage: Stage) -> None:
        self._nodes = segment.nodes
        self._constants = {
            arg: constant(arg, stage)
            for node in segment.nodes
            for arg in node.args
            if arg.op in {"const", "ref"} and not is_string(arg)
        }

    def __call__(self, chunk: Chunk) -> None:
        """Evaluate the ops over the chunk."""
        for node in self._nodes:
            args = [self._argument(arg, chunk.reads) for arg in node.args]
            if node.op == "call":
                result = chunk.tables[node](*args)
            else:
                result = evaluate(OPS[node.op].meaning, node.dtype, *args)
            rows = len(chunk.deviation)
            chunk.reads[node] = result if np.ndim(result) else np.full(rows, result)
            if node in chunk.writes:
                chunk.writes[node][...] = result

    def _argument(self, node: Node, reads: Arrays) -> Any:
        if node in self._constants:
            return self._constants[node]
        if is_string(node):
            return np.int32(reads[node])
        return reads[node].astype(NUMPY_DTYPE[node.dtype], copy=False)
