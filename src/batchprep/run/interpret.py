"""Rows that the interpreter answers: each row's Python runs at most once, in row order."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from batchprep.batch.batch import Origin
from batchprep.batch.copies import deep_copy, record_copy
from batchprep.run.failures import failure, noted
from batchprep.run.misfits import Misfit
from batchprep.run.program import Copies, Options, Program
from batchprep.run.report import Failure, ReportBuilder
from batchprep.run.workers import Sharing, shared
from batchprep.run.workers_judge import judge


class Failed:
    """What stands for the answer of a row that failed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<failed>"


FAILED: Final = Failed()

Rows = npt.NDArray[np.intp]

# An answer and the place of its record -> the answer as the result column takes it, or Misfit.
Fit = Callable[[Any, int], Any]
_COPIERS: Final[dict[Copies, Callable[[Any], Any]]] = {
    "shallow": record_copy,
    "deep": deep_copy,
}


@dataclass(eq=False, slots=True)  # frozen, it would take a batch 2 us more
class Interpreter:
    """The row function in the interpreter, and what happens to rows that fail.

    `first_row` is the number of the batch's first row, `origin` its place for messages.

    Where a row raises, `before` takes the results of the rows of the batch ahead of it, if they
    are wanted; `answered` has those that were the interpreter's. `places` takes the rows that
    the results stand for. Results may be put at the end of `into`, which then is what is given.
    `held_back` takes failed rows in the place of the report.
    """

    program: Program
    options: Options
    report: ReportBuilder
    first_row: int
    origin: Origin
    before: list[Any] | None = None
    places: list[Rows] | None = None
    into: list[Any] | None = None
    answered: list[Any] = field(default_factory=list)
    held_back: list[Failure] | None = None

    def stand_for(self, rows: Rows | None, length: int) -> None:
        """Note which rows of the batch the results stand for; None: all of them."""
        if self.places is not None:
            self.places.append(np.arange(length) if rows is None else rows)

    def answers(
        self, records: Sequence[Any], rows: Sequence[int], fit: Fit | None = None
    ) -> list[Any]:
        """The answer for each record, FAILED where it has none; `rows` are their places.

        Errors:  under on_error="raise" the first failing row's own exception, with a note
        """
        function = _fitted(self._shared(records), fit)
        if self.options.on_error == "raise":
            return self._all_or_error(function, records, rows)
        return [
            self._answer(function, record, row) for record, row in zip(records, rows, strict=True)
        ]

    def _shared(self, records: Sequence[Any]) -> Callable[[Any], Any]:
        """The function; of one that falls back whole, other processes may know its answers."""
        program = self.program
        spared = self._spared(records)
        function = self._function(records, spared)
        if self.options.python_workers <= 1 or program.trace is not None:
            return function
        copied = program.copies != "no" and not spared
        judged = partial(judge, program.function, copied=copied)
        name, options = program.name, self.options
        sharing = Sharing(name, function, judged, options, self.report, self.first_row)
        return shared(sharing, records)

    def _spared(self, records: Sequence[Any]) -> frozenset[type]:
        """Classes whose records are given as they are, of a function that may get copies."""
        spared = self.program.spared
        return frozenset(() if spared is None else filter(spared, set(map(type, records))))

    def _function(self, records: Sequence[Any], spared: frozenset[type]) -> Callable[[Any], Any]:
        function, copier = self.program.function, _COPIERS.get(self.program.copies)
        if copier is None or (spared and all(type(record) in spared for record in records)):
            return function
        if not spared:
            return lambda record: function(copier(record))
        return lambda record: function(record if type(record) in spared else copier(record))

    def _all_or_error(
        self, function: Callable[[Any], Any], records: Sequence[Any], rows: Sequence[int]
    ) -> list[Any]:
        iterator = iter(records)
        try:
            # Nothing but the plain loop: how far the iterator came tells the failing row.
            if self.before is None:
                return [function(record) for record in iterator]
            for record in iterator:  # 5% slower, and keeps the answers before an exception
                self.answered.append(function(record))
        except Exception as error:
            place = len(records) - operator.length_hint(iterator) - 1
            told = self._told(error, records[place], rows[place])
            if told is error:
                raise  # not "from": that would hide the exception's own context
            raise told from None
        return self.answered

    def _told(self, error: Exception, record: Any, row: int) -> Exception:
        self.report.stopped(self.first_row + row)
        misfit = self._misfit_error(error, row)
        if misfit is not None:
            return misfit
        return noted(error, record, self.origin.row + row, self.program, self.origin.file)

    def _answer(self, function: Callable[[Any], Any], record: Any, row: int) -> Any:
        try:
            return function(record)
        except Exception as error:  # noqa: BLE001  whatever the user's code raises fails its row
            known = self._misfit_error(error, row) or error
            self.failed(known, record, row)
            return FAILED

    def failed(self, error: Exception, record: Any, row: int) -> None:
        """Note a row that failed."""
        found = failure(error, record, self.first_row + row, self.program)
        if self.held_back is None:
            self.report.failed(found)
        else:
            self.held_back.append(found)

    def _misfit_error(self, error: Exception, row: int) -> Exception | None:
        if not isinstance(error, Misfit):
            return None
        return error.as_error(
            self.origin.row + row,
            self.origin.file,
            declared=self.options.returns is not None,
        )


def _fitted(function: Callable[[Any], Any], fit: Fit | None) -> Callable[[Any], Any]:
    """The function with its answers fitted; it is called once for each record, in order."""
    if fit is None:
        return function
    places = count()

    def fitted(record: Any) -> Any:
        place = next(places)
        return fit(function(record), place)

    return fitted
