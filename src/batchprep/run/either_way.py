"""One batch, part by part in the way that takes less time: compiled, or in the interpreter."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

import pyarrow as pa

from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch, Origin
from batchprep.batch.record_reader import is_coming
from batchprep.batch.record_rows import RecordRows
from batchprep.run.inputs import plans_of
from batchprep.run.program import Form, Options, Program
from batchprep.run.repeats import expected_share
from batchprep.run.ways import LARGE, MOST, Next, Way, Ways, ways_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from batchprep.batch.rows import Rows
    from batchprep.rowfn.trace import Trace
    from batchprep.schema import Field

# Rows whose records are made of columns: of more at once, the garbage collector looks at them
# again and again (twice the time of a row for 65,536), and they take memory.
MADE_AT_ONCE: Final = 8_192
# Each part of a batch would evaluate all words of a dictionary, whether they occur in it or not.
MOST_WORDS: Final = 1_024
RISING: Final = "rising"  # of a form: numba's kernel is not there yet
# Of a stage without pieces, to read dicts into columns is most of the work: the plain loop may be
# as fast as long as they all stay in the caches. Of more records it never was, by numba's kernel:
# NumPy's, which answers until that is compiled, took up to 7 times as long as the loop.
MOST_WHOLE: Final = 32_768


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
    if trace is None or options.backend != "auto":
        return False
    return _has_ways(trace, batch.rows, len(batch), options, form)


def _has_ways(trace: Trace, rows: Rows, length: int, options: Options, form: Form) -> bool:
    if not length or _goes_one_way(trace, type(rows), length):
        return False
    kind = type(rows)
    if kind is ArrowRows and length < LARGE:
        return True  # it stays whole
    if form == "arrow" and options.returns is None and kind is not ArrowRows:
        return False
    return _has_parts(rows, trace.reads)


def _goes_one_way(trace: Trace, rows: type, length: int) -> bool:
    """Whether so many rows, of a stage without pieces, are always compiled."""
    fewest = MOST_WHOLE if rows is RecordRows else LARGE
    return length >= fewest and not trace.stage.has_pieces and not is_rising(trace, rows, length)


def is_rising(trace: Trace, rows: type, length: int) -> bool:
    """Whether compiled code is still to come that will read, or work on, so many records."""
    if rows is not RecordRows or length < LARGE or trace.stage.has_pieces:
        return False
    return is_coming(length) or not plans_of(trace).has_risen()


def ways_for(program: Program, batch: Batch, options: Options, form: Form) -> Ways | None:
    """What was measured of batches like this one; None where it has one way only."""
    trace = program.trace
    if trace is None or options.backend != "auto":
        return None
    rows, length = batch.rows, len(batch)
    kind = type(rows)
    if kind is ArrowRows and 0 < length < LARGE:  # as below, in less of a call on few rows
        return ways_of(trace, (form, kind)).of(length, whole=True)
    if not _has_ways(trace, rows, length, options, form):
        return None
    return _ways_for(trace, form, kind, length)


def _ways_for(trace: Trace, form: Form, kind: type, length: int) -> Ways:
    if is_rising(trace, kind, length):
        return ways_of(trace, (form, kind, RISING)).of(length, brief=True)
    whole = length < LARGE or not trace.stage.has_pieces
    return ways_of(trace, (form, kind)).of(length, whole=whole)


def settled_way(ways: Ways, batch: Batch) -> Way | None:
    """The way that a whole batch goes; None where it is to be run in parts, as run_parts does."""
    length, most = len(batch), _most_interpreted(type(batch.rows))
    if ways.best == "interpreter" and (ways.brief or most < length):
        return None
    return ways.settled(length)


def interpreter_is_settled(trace: Trace, records: int) -> bool:
    """Whether a list of so many records goes to the interpreter as it is."""
    if records >= MOST_WHOLE:
        return False
    return _ways_for(trace, "python", RecordRows, records).is_settled_on("interpreter")


def _most_interpreted(rows: type) -> int:
    """Records that the interpreter gets at once: then numba's kernel may be there."""
    return MOST if rows is RecordRows else MADE_AT_ONCE


def _has_parts(rows: Rows, reads: Mapping[str, Field]) -> bool:
    """Whether a part of the rows takes a share of their time."""
    if not isinstance(rows, ArrowRows):
        return getattr(rows, "divisible", False)
    return not any(
        isinstance(field.type, pa.DictionaryType)
        and field.name in reads
        and _words(rows.data.column(field.name)) > MOST_WORDS
        for field in rows.data.schema
    )


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
    most_interpreted = _most_interpreted(kind)
    ways = _ways_for(trace, form, kind, length)
    rising = plans_of(trace) if is_rising(trace, kind, length) else None

    def share(rows: int) -> float:
        return expected_share(batch, trace.stage, rows)

    while start < length:
        risen = rising is not None and not is_rising(trace, kind, length)
        way, most = Next("compiled", None) if risen else ways.next(length)
        if way == "interpreter":
            most = min(most or length, most_interpreted)
        end = length if most is None or length < LARGE else min(length, start + most)
        part = Part(part_of_batch(batch, start, end), start, way)
        begun = clock()
        run(part)
        seconds = clock() - begun
        if way == "compiled":  # the interpreter could have done without their kinds
            seconds += getattr(part.batch.rows, "kinds_seconds", 0.0)
        if not risen:
            ways.took(way, end - start, seconds, length, share)
        # Not at once: it would take turns with the loop, of a short batch to the end.
        if rising is not None and (end == length or end - start == most_interpreted):
            rising.await_kernels(length)
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
