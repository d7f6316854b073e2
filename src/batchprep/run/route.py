"""How a chain of steps runs over a source: a compiled part, and the rest in the interpreter."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from batchprep.batch.batch import Batch
from batchprep.rowfn.steps import Step
from batchprep.run.assemble import Rows
from batchprep.run.program import Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.runner import run_batch
from batchprep.run.tail import Tail, TailRun

if TYPE_CHECKING:
    from batchprep.records.source import Source


@dataclasses.dataclass(frozen=True)
class Route:
    """The parts of a chain for one schema; at least one of them is there.

    column  the name that a column of results gets which are no rows
    head    steps in one program: compiled, or the whole chain in the interpreter
    tail    steps after it, which the interpreter runs over its rows
    interpreted  the steps that are not compiled, wherever they are
    """

    name: str
    column: str
    head: Program | None
    tail: Tail | None
    interpreted: tuple[Step, ...] = ()

    @property
    def parts(self) -> tuple[Program, ...]:
        """The programs of the parts, in order."""
        tail = None if self.tail is None else self.tail.program
        return tuple(part for part in (self.head, tail) if part is not None)


@dataclasses.dataclass(frozen=True)
class Results:
    """Python results, and for each the row of the batch that it stands for."""

    values: list[Any]
    rows: Sequence[int] | Rows


class RouteRun:
    """One run over batches. `reports` are the builders of the route's parts, in order.

    `remake` makes the head anew for the kinds that a source's records have shown by then.
    """

    def __init__(
        self,
        route: Route,
        options: Options,
        reports: Sequence[ReportBuilder],
        remake: Callable[[Source], Program | None] | None = None,
    ) -> None:
        self.route = route
        self.options = options
        self.remake = remake
        self._reports = tuple(reports)

    def with_head(self, head: Program) -> RouteRun:
        """The same run with another head, which counts in the same report."""
        return RouteRun(dataclasses.replace(self.route, head=head), self.options, self._reports)

    @property
    def last_report(self) -> ReportBuilder:
        """The builder that counts what the last part gives."""
        return self._reports[-1]

    def results(self, batch: Batch, ahead: list[Results] | None = None) -> Results:
        """The results of a batch as Python objects.

        Errors:  under on_error="raise" the first exception in the order of the nested loops; what
                 came before it is put into `ahead`
        """
        if self.route.tail is None:
            return self._of_head(batch, self.options, ahead)
        if self.route.head is None:
            return self._of_tail(Results(list(batch.records()), range(len(batch))), batch, ahead)
        keeping = self.options
        if keeping.on_error != "raise":
            keeping = dataclasses.replace(keeping, on_error="keep")
        before: list[Results] = []
        try:
            values = self._of_head(batch, keeping, before)
        except Exception:
            # The rows ahead of it go their whole way first: one of them may fail earlier.
            done = self._of_tail(before[0], batch, ahead) if before else None
            if ahead is not None and done is not None:
                ahead.append(done)
            raise
        return self._of_tail(values, batch, ahead)

    def _of_head(self, batch: Batch, options: Options, ahead: list[Results] | None) -> Results:
        assert self.route.head is not None  # noqa: S101  a route has one part at least
        before: list[Any] | None = None if ahead is None else []
        places: list[Rows] = []
        try:
            values = run_batch(
                self.route.head,
                batch,
                options,
                self._reports[0],
                first_row=batch.start,
                form="python",
                before=before,
                places=places,
            )
        except Exception:
            if ahead is not None and before is not None and places:
                ahead.append(Results(before, places[0]))
            raise
        return Results(values, places[0] if places else ())

    def _of_tail(self, given: Results, batch: Batch, ahead: list[Results] | None) -> Results:
        assert self.route.tail is not None  # noqa: S101  called where there is one
        started, report = time.perf_counter(), self._reports[-1]
        run = TailRun(self.route.tail, self.options, report, batch)
        try:
            run.run(given.values, [int(row) for row in given.rows])
        except Exception:
            report.batch_done(0, 0, time.perf_counter() - started)
            if ahead is not None:
                ahead.append(Results(run.results, run.rows))
            raise
        seconds = time.perf_counter() - started
        report.batch_done(len(given.values), len(run.results), seconds)
        return Results(run.results, run.rows)
