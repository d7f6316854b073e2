"""Runs of a pipeline: into a file, into a table, a first look."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from batchprep.api import pipeline_messages as texts
from batchprep.api.arrow_answers import arrow_answer
from batchprep.api.calls import stream
from batchprep.api.explaining import explain_program
from batchprep.api.gathered import (
    answer_of_parts,
    arrow_of_parts,
    gathered_stream,
    whole_answer,
)
from batchprep.api.given import is_scan
from batchprep.api.reports import started
from batchprep.api.respecialise import Respecialised
from batchprep.api.result_tables import empty_result, result_tables
from batchprep.errors.messages import explain_iterator_text
from batchprep.records import Scan
from batchprep.records.scan import FileSource
from batchprep.records.source import Source
from batchprep.run.overlap import ReadAhead, WriteBehind
from batchprep.run.progress import Progress
from batchprep.run.report import FAILURES, Report
from batchprep.run.run_report import RunReportBuilder
from batchprep.run.skipping import columns_read, skip_of
from batchprep.sinks import check_target, failures_sink, open_sink

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.api.explain import Explanation
    from batchprep.batch.batch import Batch
    from batchprep.run.program import Options
    from batchprep.run.report_chain import ChainReport
    from batchprep.run.route import Results, Route, RouteRun
    from batchprep.sinks import FailuresSink, Sink

RunOf = Callable[[Source, "Options", Callable[[Any], Any]], "RouteRun"]
LOOK_ROWS: Final = 1_024  # of a batch, where only the first results are wanted


@dataclass(frozen=True)
class Writing:
    """Where the results of a run go, how, and where its failed rows go."""

    target: str
    options: Mapping[str, Any]
    failures: str | None

    def check(self) -> None:
        """Raise what would end the run when it opens its files."""
        known = {k: v for k, v in self.options.items() if v is not None}
        check_target(self.target, **known)
        if self.failures is not None:
            self._check_own_file("the file of the results", [self.target])
            check_target(self.failures, overwrite=self.options["overwrite"])

    def check_source(self, source: Source) -> None:
        """Raise where failed rows would replace what they are read from."""
        if isinstance(source.data, Scan):
            self._check_own_file("a file of the source", source.data.files)

    def _check_own_file(self, role: str, others: Iterable[str]) -> None:
        if self.failures is not None:
            place = os.path.realpath(self.failures)
            if any(os.path.realpath(other) == place for other in others):
                raise ValueError(texts.same_file_text(self.failures, role))

    def open(self, schema: pa.Schema) -> Sink:
        """The sink of the results."""
        known = {k: v for k, v in self.options.items() if v is not None}
        return open_sink(self.target, schema, **known)

    def open_failures(self) -> FailuresSink | None:
        """The sink of the failed rows, if they have one."""
        if self.failures is None:
            return None
        return failures_sink(self.failures, FAILURES, overwrite=self.options["overwrite"])


def run_to_sink(
    pipe: object,
    run_of: RunOf,
    source: Source,
    options: Options,
    writing: Writing,
    *,
    progress: bool | None,
) -> Report:
    """Stream a source into a sink; what is written gets its name when all of it is there."""
    writing.check_source(source)
    with ExitStack() as stack:
        failures = writing.open_failures()
        if failures is not None:
            stack.enter_context(failures)
        builder = RunReportBuilder(keep_failure=None if failures is None else failures.add)
        noted = started(pipe, builder)
        stack.callback(noted.finish)
        run = run_of(source, options, builder.stage)
        source = narrowed(source, run.route, whole=writing.failures is not None)
        bar = stack.enter_context(Progress(*_totals(source), enabled=progress))
        batches = stack.enter_context(_Reading(source, builder, bar))
        tables = result_tables(run, batches, source)
        first = next(tables, None)
        if first is None:
            first = empty_result(run, source)
        sink = writing.open(first.schema)
        written = _Written(sink, builder)
        stack.push(written.end)
        writer = stack.enter_context(WriteBehind(sink, written))
        writer.put(first)
        for table in tables:
            writer.put(table)
        stack.callback(lambda: builder.skipped(getattr(source, "row_groups_skipped", 0)))
    return noted.report()


class _Reading:
    """The batches of a source: files are read ahead, the caller's own iterator where it is."""

    def __init__(self, source: Source, builder: RunReportBuilder, bar: Progress) -> None:
        self._source = source
        self._builder = builder
        self._bar = bar
        self._bytes = 0
        self._ahead = ReadAhead(source.batches(), self._waited)

    def __enter__(self) -> Iterator[Batch]:
        if isinstance(self._source.data, Scan):
            return self._shown(self._ahead.__enter__())
        return self._shown(self._source.batches())

    def __exit__(self, *raised: object) -> None:
        if isinstance(self._source.data, Scan):
            self._ahead.__exit__(*raised)

    def _waited(self, seconds: float, batch: Batch) -> None:
        total: int = getattr(self._source, "bytes_read", 0)
        self._builder.reading(seconds, total - self._bytes, len(batch))
        self._bytes = total

    def _shown(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches, each counted when it is done: when the next one is asked for."""
        seen = 0
        for batch in batches:
            yield batch
            total: int = getattr(self._source, "bytes_read", 0)
            self._bar.update(len(batch), total - seen)
            seen = total


class _Written:
    """Tells the report what a sink took."""

    def __init__(self, sink: Sink, builder: RunReportBuilder) -> None:
        self._sink = sink
        self._builder = builder
        self._bytes = 0

    def __call__(self, seconds: float, table: pa.Table) -> None:
        self._count(seconds, table.num_rows)

    def end(self, kind: type[BaseException] | None, *_raised: object) -> None:
        """Give what was written its name, which may take as long as the rest; or remove it."""
        if kind is not None:
            self._sink.abort()
            return
        started = time.perf_counter()
        self._sink.close()
        self._count(time.perf_counter() - started, 0)

    def _count(self, seconds: float, rows: int) -> None:
        total = self._sink.bytes
        self._builder.writing(seconds, total - self._bytes, rows)
        self._bytes = total


def narrowed(source: Source, route: Route, *, whole: bool = False) -> Source:
    """The source with the columns alone that the route reads; `whole`: with all of them."""
    # Of records of no declared type any may hold a value for which the route reads other keys.
    if not isinstance(source, FileSource):
        return source
    columns = None if whole else columns_read(route, source)
    skip = skip_of(route)
    if columns is None and skip is None:
        return source
    return source.narrowed(columns, skip)


def _totals(source: Source) -> tuple[int | None, int | None]:
    rows = getattr(source, "total_rows", None) or source.length
    return rows, getattr(source, "total_bytes", None)


def noted(pipe: object, report: ChainReport, run: Callable[[], Any]) -> Any:
    """What the run gives; the report is noted as the last one of the pipeline."""
    running = started(pipe, report)
    try:
        return run()
    finally:
        running.finish()


def answer_in_memory(
    pipe: object, run: RouteRun, report: ChainReport, source: Source, data: Any
) -> Any:
    """All results of data that is at hand, as its own kind; of files as Arrow."""
    if is_scan(data):
        return noted(pipe, report, lambda: whole_table(run, source))
    return noted(pipe, report, lambda: whole_answer(run, source, report.builders[0]))


def streamed(pipe: object, run: RouteRun, report: ChainReport, source: Source) -> Iterator[Any]:
    """The results of an iterator, one by one."""
    running = started(pipe, report)
    try:
        if run.route.tail is None and run.route.head is not None:
            builder = report.builders[0]
            yield from stream(run.route.head, source, run.options, builder, run.remake)
        else:
            yield from gathered_stream(run, source)
    finally:
        running.finish()


def whole_table(run: RouteRun, source: Source) -> Any:
    """All results of files, as a table or a column."""
    source = narrowed(source, run.route)
    head = run.route.head
    if run.route.tail is None and head is not None and source.kind == "arrow":
        return arrow_answer(head, source, run.options, run.last_report)
    return arrow_of_parts(list(_parts(run, source)), run, source)


def _parts(run: RouteRun, source: Source) -> Iterator[tuple[Batch, Results]]:
    head, options = run.route.head, run.options
    if head is None or run.route.tail is not None:
        yield from ((batch, run.results(batch)) for batch in source.batches())
        return
    programs = Respecialised(head, source, options, run.last_report, run.remake)
    for batch in source.batches():
        results = run.with_head(programs.of(batch)).results(batch)
        programs.ran(batch)
        yield batch, results


def head(run: RouteRun, source: Source, count: int) -> Any:
    """The first results, of the source's kind."""
    parts: list[tuple[Batch, Results]] = []
    left = count
    for batch in narrowed(source, run.route).batches(max(LOOK_ROWS, min(count, 65_536))):
        if left <= 0:
            break
        results = _first_results(run, batch, left)
        parts.append((batch, results))
        left -= len(results.values)
    return answer_of_parts(parts, run, source)


def _first_results(run: RouteRun, batch: Batch, count: int) -> Results:
    """The first results of a batch: a row that fails after them is none of our business."""
    ahead: list[Results] = []
    try:
        found = run.results(batch, ahead)
    except Exception:
        if not ahead or len(ahead[0].values) < count:
            raise
        found = ahead[0]
    return dataclasses.replace(found, values=found.values[:count], rows=found.rows[:count])


def result_schema(run: RouteRun, source: Source) -> pa.Schema:
    """Names and types of the results."""
    if source.kind == "iterator" and not isinstance(source.data, Scan):
        raise TypeError(explain_iterator_text(run.route.name))
    known = empty_result(run, source) if source.kind == "arrow" else None
    if known is not None and run.route.tail is None and run.route.parts[0].trace is not None:
        return known.schema
    first = next(result_tables(run, narrowed(source, run.route).batches(), source), None)
    return (empty_result(run, source) if first is None else first).schema


def explained(run: RouteRun, source: Source) -> Explanation:
    """How the parts of a route would run."""
    columns = source.kind in {"arrow", "polars", "pandas"}
    names = source.names()
    first, *others = (
        explain_program(part, run.options, names, (), columns=columns) for part in run.route.parts
    )
    if source.kind == "arrow" and first.compiled and not others:
        table = empty_result(run, source)
        types = ", ".join(f"{field.name}: {field.type}" for field in table.schema)
        first = dataclasses.replace(first, result_type=types)
    return dataclasses.replace(first, rest=others[0] if others else None)
