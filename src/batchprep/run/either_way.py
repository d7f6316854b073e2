"""One batch, part by part in the way that takes less time: compiled, or in the interpreter."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

import pyarrow as pa

from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch, Origin
from batchprep.batch.record_rows import RecordRows
from batchprep.plan.tables import has_pieces
from batchprep.run.program import Form, Options, Program
from batchprep.run.repeats import expected_share
from batchprep.run.ways import LARGE, Way, ways_of

if TYPE_CHECKING:
    from batchprep.batch.rows import Rows

# Rows whose records are made of columns: of more at once, the garbage collector looks at them
# again and again (twice the time of a row for 65,536), and they take memory.
MADE_AT_ONCE: Final = 8_192
# Each part of a batch would evaluate all words of a dictionary, whether they occur in it or not.
MOST_WORDS: Final = 1_024


class Divisible(Protocol):
    """Rows of which a part can be had, with the same types."""

    divisible: bool

    def part(self, start: int, end: int) -> Rows: ...


class Part(NamedTuple):
    """A part of a batch, the row of it that is its first, and the way that it goes."""

    batch: Batch
    start: int
    way: Way


def has_ways(program: Program, batch: Batch, options: Options, form: Form = "python") -> bool:
    """Whether the batch may go either way: rows at hand as records, and no backend asked for.

    Results are of the same types either way, so those of which the rows of a batch decide the
    Arrow type have one way only.
    """
    trace = program.trace
    if trace is None or options.backend != "auto" or not len(batch):
        return False
    if form == "arrow" and options.returns is None and type(batch.rows) is not ArrowRows:
        return False
    if not _has_parts(batch, frozenset(trace.reads)):
        return False
    return len(batch) < LARGE or has_pieces(trace.stage)


def _has_parts(batch: Batch, reads: frozenset[str]) -> bool:
    """Whether a part of the batch takes a share of its time."""
    rows = batch.rows
    if not isinstance(rows, ArrowRows):
        return getattr(rows, "divisible", False)
    encoded = (
        rows.data.column(field.name)
        for field in rows.data.schema
        if field.name in reads and isinstance(field.type, pa.DictionaryType)
    )
    return rows.divisible and not any(_words(column) > MOST_WORDS for column in encoded)


def _words(column: Any) -> int:
    chunks: list[Any] = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return max((len(chunk.dictionary) for chunk in chunks), default=0)


def run_parts(
    program: Program, batch: Batch, options: Options, form: Form, run: Callable[[Part], Any]
) -> None:
    """Run all rows of a batch, in order."""
    # Not the time on the wall: while others have the CPU, neither way is any slower. Worker
    # processes have their own.
    clock = time.thread_time if options.python_workers <= 1 else time.perf_counter
    trace, length, start = program.trace, len(batch), 0
    assert trace is not None  # noqa: S101  has_ways asked for it
    kind = type(batch.rows)
    ways = ways_of(trace, (form, kind)).of(length)

    def share(rows: int) -> float:
        return expected_share(batch, trace.stage, rows)

    while start < length:
        way, most = ways.next(length)
        if way == "interpreter" and kind is not RecordRows:
            most = MADE_AT_ONCE if most is None else min(most, MADE_AT_ONCE)
        end = length if most is None or length < LARGE else min(length, start + most)
        part = Part(part_of_batch(batch, start, end), start, way)
        begun = clock()
        run(part)
        seconds = clock() - begun
        ways.took(way, end - start, seconds, length, share)
        start = end


def records_made(batch: Batch) -> Iterator[Any]:
    """The records of a batch, not too many of them made at once where they are made."""
    if not getattr(batch.rows, "divisible", False):
        return iter(batch.records())
    starts = range(0, len(batch), MADE_AT_ONCE)
    parts = (part_of_batch(batch, at, min(at + MADE_AT_ONCE, len(batch))) for at in starts)
    return chain.from_iterable(part.records() for part in parts)


def part_of_batch(batch: Batch, start: int, end: int) -> Batch:
    """Rows of a batch, as a batch."""
    if start == 0 and end == len(batch):
        return batch
    origin = batch.origin
    moved = None if origin is None else Origin(origin.file, origin.row + start)
    rows = cast("Divisible", batch.rows)
    return Batch(rows.part(start, end), batch.start + start, moved)
