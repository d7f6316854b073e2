"""The rest of a chain in the interpreter: nested loops over the rows of its compiled part."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from batchprep.batch.batch import Batch
from batchprep.dtypes import DROPPED, Dropped
from batchprep.run.failures import failure, noted
from batchprep.run.interpret import FAILED
from batchprep.run.program import Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.workers import PROBE_SECONDS, Sharing
from batchprep.run.workers_judge import judge_all
from batchprep.run.workers_task import RERUN, SAME


@dataclass(frozen=True)
class Link:
    """Steps up to the next flat_map, and that one: None where the chain ends.

    chain  row -> row, or DROPPED
    flat   row -> iterable of rows
    """

    chain: Callable[[Any], Any]
    flat: Callable[[Any], Any] | None


def put_all(links: Sequence[Link], value: Any, results: list[Any], depth: int = 0) -> None:
    """Add the results of a value: nested loops over the links."""
    link = links[depth]
    value = link.chain(value)
    if type(value) is Dropped:  # in a worker, not the very object that is DROPPED here
        return
    if link.flat is None:
        results.append(value)
        return
    for item in link.flat(value):
        put_all(links, item, results, depth + 1)


@dataclass(frozen=True)
class TailResults:
    """All results of a value, as a worker process gives them."""

    links: tuple[Link, ...]

    @property
    def row_functions(self) -> tuple[Callable[[Any], Any], ...]:
        """All functions of it that are given a row."""
        found = (function for link in self.links for function in (link.chain, link.flat))
        return tuple(function for function in found if function is not None)

    def __call__(self, value: Any) -> list[Any]:
        results: list[Any] = []
        put_all(self.links, value, results)
        return results


@dataclass(frozen=True)
class Tail:
    """The links, and the program that stands for them in reports: it has no compiled form."""

    links: tuple[Link, ...]
    program: Program


@dataclass
class TailRun:
    """A tail over the rows of one batch. `results` grow row by row, `rows` says whose they are."""

    tail: Tail
    options: Options
    report: ReportBuilder
    batch: Batch
    results: list[Any] = field(default_factory=list[Any])
    rows: list[int] = field(default_factory=list[int])

    @property
    def _sharing(self) -> Sharing:
        function = TailResults(self.tail.links)
        name, start = self.tail.program.name, self.batch.start
        judged = partial(judge_all, function.row_functions)
        return Sharing(name, function, judged, self.options, self.report, start, many=True)

    def run(self, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Add the results of these values, which stand for these rows of the batch.

        Errors:  under on_error="raise" the first exception in the order of the nested loops, with
                 a note; the results before it are there
        """
        step = self._all if self.options.on_error == "raise" else self._each
        known = repeat(RERUN)
        decided, started = self.options.python_workers <= 1, time.perf_counter()
        for place, (value, row) in enumerate(zip(values, rows, strict=True)):
            seconds = 0.0 if decided or not place else time.perf_counter() - started
            if seconds > PROBE_SECONDS:
                known, decided = self._sharing.answers(values[place:], seconds / place), True
            answer = next(known)
            try:
                if answer is RERUN:
                    step(value, 0, row)
                else:
                    self.results += [value if item is SAME else item for item in answer]
            except Exception as error:
                told = self._told(error, row)
                if told is error:
                    raise  # not "from": that would hide the exception's own context
                raise told from None
            finally:
                self.rows += [row] * (len(self.results) - len(self.rows))

    def _all(self, value: Any, depth: int, row: int) -> None:
        """The nested loops as they are written."""
        del depth, row
        put_all(self.tail.links, value, self.results)

    def _each(self, value: Any, depth: int, row: int) -> None:
        """The same, where a row that fails leaves the others be."""
        if value is FAILED:
            self._put_failed()
            return
        link = self.tail.links[depth]
        try:
            value = link.chain(value)
        except Exception as error:  # noqa: BLE001  whatever the user's code raises fails its row
            self._fail(error, row)
            return
        if value is DROPPED:
            return
        if link.flat is None:
            self.results.append(value)
            return
        self._items(link.flat, value, depth, row)

    def _items(self, flat: Callable[[Any], Any], value: Any, depth: int, row: int) -> None:
        try:
            items = iter(flat(value))
        except Exception as error:  # noqa: BLE001  the same
            self._fail(error, row)
            return
        while True:
            try:
                item = next(items)
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001  the same; what came before it stays
                self._fail(error, row)
                return
            self._each(item, depth + 1, row)

    def _fail(self, error: Exception, row: int) -> None:
        start = self.batch.start
        self.report.failed(failure(error, self._record(row), start + row, self.tail.program))
        self._put_failed()

    def _put_failed(self) -> None:
        if self.options.on_error == "null":
            self.results.append(None)

    def _told(self, error: Exception, row: int) -> Exception:
        self.report.stopped(self.batch.start + row)
        origin = self.batch.origin
        start = self.batch.start if origin is None else origin.row
        location = self.options.location if origin is None else origin.file
        return noted(error, self._record(row), start + row, self.tail.program, location)

    def _record(self, row: int) -> Any:
        return self.batch.records(np.array([row]))[0]
