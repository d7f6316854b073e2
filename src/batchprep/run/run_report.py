"""The report of a run while it runs: reading, the stages of the chain, writing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from operator import attrgetter

from batchprep.run.bottleneck import find_bottleneck
from batchprep.run.peak_memory import PeakMemory
from batchprep.run.report import (
    Described,
    Failure,
    Report,
    ReportBuilder,
    StageKind,
    StageReport,
)

_row = attrgetter("row")


class _Traffic:
    """What went in, or out, so far: over all threads that take part."""

    __slots__ = ("bytes", "rows", "seconds", "threads")

    def __init__(self) -> None:
        self.bytes = 0
        self.rows: int | None = None
        self.seconds = 0.0
        self.threads: set[int] = set()

    def add(self, seconds: float, nbytes: int, rows: int | None) -> None:
        self.bytes += nbytes
        self.seconds += seconds
        self.threads.add(threading.get_ident())
        if rows is not None:
            self.rows = rows + (self.rows or 0)

    def stage(self, kind: StageKind, rows: int) -> StageReport:
        rows = rows if self.rows is None else self.rows
        return StageReport(
            name=kind,
            backend="",
            compiled=False,
            reason="",
            rows_in=rows,
            rows_out=rows,
            deviations={},
            seconds=self.seconds,
            device="cpu",
            kind=kind,
            threads=max(len(self.threads), 1),
            bytes=self.bytes,
        )


class RunReportBuilder:
    """The report of a run, from its parts.

    Reading and writing may be reported from any thread; each stage's own builder belongs to the
    thread that computes. `keep_failure` takes failed rows that are to go to a file: they are
    counted here and not kept.
    """

    def __init__(self, *, keep_failure: Callable[[Failure], None] | None = None) -> None:
        self._keep_failure = keep_failure
        self._lock = threading.Lock()
        self._read = _Traffic()
        self._written = _Traffic()
        self._stages: list[ReportBuilder] = []
        self._stopped_at: int | None = None
        self._skipped = 0
        self._memory = PeakMemory()
        self._started = time.perf_counter()
        self._finished: tuple[float, int] | None = None

    def stage(self, program: Described) -> ReportBuilder:
        """A builder for the next stage of the chain, which stands after those asked for before."""
        builder = ReportBuilder(program, keep_failure=self._keep_failure)
        with self._lock:
            self._stages.append(builder)
        return builder

    def reading(self, seconds: float, nbytes: int, rows: int | None = None) -> None:
        """Add what the source just took: seconds it was waited for, bytes of its files."""
        self._add(self._read, seconds, nbytes, rows)

    def writing(self, seconds: float, nbytes: int, rows: int | None = None) -> None:
        """Add what the sink just took: seconds, and bytes that its files grew by."""
        self._add(self._written, seconds, nbytes, rows)

    def skipped(self, row_groups: int) -> None:
        """So many row groups of the source's files were not read: no row of them counts."""
        self._skipped = row_groups

    def stopped(self, row: int) -> None:
        """The exception of that row of the source ends the run."""
        self._stopped_at = row

    def stop(self) -> None:
        """The run is over: stop the clock, and take the peak of memory."""
        if self._finished is None:
            self._finished = self._so_far()

    def build(self) -> Report:
        """The report so far."""
        seconds, peak = self._finished or self._so_far()
        with self._lock:
            parts = [builder.build() for builder in self._stages]
            read, written = self._ends(parts)
        stages = (read, *(stage for part in parts for stage in part.stages), written)
        return Report(
            rows=read.rows_out,
            seconds=seconds,
            # Stable: what one row of the source fails at stays in the order of the chain.
            failed=tuple(sorted((f for part in parts for f in part.failed), key=_row)),
            stages=stages,
            stopped_at=self._stop_row(parts),
            streamed=sum(part.streamed for part in parts),
            bytes_read=read.bytes,
            bytes_written=written.bytes,
            row_groups_skipped=self._skipped,
            peak_memory=peak,
            bottleneck=find_bottleneck(stages, seconds),
        )

    def _add(self, traffic: _Traffic, seconds: float, nbytes: int, rows: int | None) -> None:
        with self._lock:
            traffic.add(seconds, nbytes, rows)
            self._memory.sample()

    def _so_far(self) -> tuple[float, int]:
        return time.perf_counter() - self._started, self._memory.peak()

    def _ends(self, parts: list[Report]) -> tuple[StageReport, StageReport]:
        """Reading and writing; of rows that nobody counted, the chain's ends tell how many."""
        rows_in = parts[0].stages[0].rows_in if parts else self._written.rows or 0
        read = self._read.stage("read", rows_in)
        rows_out = parts[-1].stages[-1].rows_out if parts else read.rows_out
        return read, self._written.stage("write", rows_out)

    def _stop_row(self, parts: list[Report]) -> int | None:
        if self._stopped_at is not None:
            return self._stopped_at
        # A row that fails late in the chain may come before one that fails early in it.
        return min((p.stopped_at for p in parts if p.stopped_at is not None), default=None)
