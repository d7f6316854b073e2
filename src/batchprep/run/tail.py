"""The rest of a chain in the interpreter: nested loops over the rows of its compiled part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from batchprep.batch.batch import Batch
from batchprep.dtypes import DROPPED
from batchprep.run.failures import failure, noted
from batchprep.run.interpret import FAILED
from batchprep.run.program import Options, Program
from batchprep.run.report import ReportBuilder


@dataclass(frozen=True)
class Link:
    """Steps up to the next flat_map, and that one: None where the chain ends.

    chain  row -> row, or DROPPED
    flat   row -> iterable of rows
    """

    chain: Callable[[Any], Any]
    flat: Callable[[Any], Any] | None


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

    def run(self, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Add the results of these values, which stand for these rows of the batch.

        Errors:  under on_error="raise" the first exception in the order of the nested loops, with
                 a note; the results before it are there
        """
        step = self._all if self.options.on_error == "raise" else self._each
        for value, row in zip(values, rows, strict=True):
            try:
                step(value, 0, row)
            except Exception as error:
                told = self._told(error, row)
                if told is error:
                    raise  # not "from": that would hide the exception's own context
                raise told from None
            finally:
                self.rows += [row] * (len(self.results) - len(self.rows))

    def _all(self, value: Any, depth: int, row: int) -> None:
        """The nested loops as they are written."""
        link = self.tail.links[depth]
        value = link.chain(value)
        if value is DROPPED:
            return
        if link.flat is None:
            self.results.append(value)
            return
        for item in link.flat(value):
            self._all(item, depth + 1, row)

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
