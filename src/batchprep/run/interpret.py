"""Rows that the interpreter answers: each row's Python runs at most once, in row order."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from batchprep.run.failures import failure, noted
from batchprep.run.misfits import Misfit
from batchprep.run.program import Copies, Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.shapes import record_copy


class Failed:
    """What stands for the answer of a row that failed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<failed>"


FAILED: Final = Failed()

Check = Callable[[Any], None]  # raises Misfit for a value that the result column cannot hold
_COPIERS: Final[dict[Copies, Callable[[Any], Any]]] = {
    "shallow": record_copy,
    "deep": copy.deepcopy,
}


@dataclass(frozen=True)
class Interpreter:
    """The row function in the interpreter, and what happens to rows that fail."""

    program: Program
    options: Options
    report: ReportBuilder
    first_row: int

    def answers(
        self, records: Sequence[Any], rows: Sequence[int], check: Check | None = None
    ) -> list[Any]:
        """The answer for each record, FAILED where it has none; `rows` are their places.

        Errors:  under on_error="raise" the first failing row's own exception, with a note
        """
        function = _checked(self._function(), check)
        if self.options.on_error == "raise":
            return self._all_or_error(function, records, rows)
        return [
            self._answer(function, record, row) for record, row in zip(records, rows, strict=True)
        ]

    def _function(self) -> Callable[[Any], Any]:
        function, copier = self.program.function, _COPIERS.get(self.program.copies)
        return function if copier is None else lambda record: function(copier(record))

    def _all_or_error(
        self, function: Callable[[Any], Any], records: Sequence[Any], rows: Sequence[int]
    ) -> list[Any]:
        iterator = iter(records)
        try:
            # Nothing but the plain loop: how far the iterator came tells the failing row.
            return [function(record) for record in iterator]
        except Exception as error:
            place = len(records) - operator.length_hint(iterator) - 1
            told = self._told(error, records[place], rows[place])
            if told is error:
                raise  # not "from": that would hide the exception's own context
            raise told from None

    def _told(self, error: Exception, record: Any, row: int) -> Exception:
        misfit = self._misfit_error(error, row)
        if misfit is not None:
            return misfit
        return noted(error, record, self.first_row + row, self.program, self.options)

    def _answer(self, function: Callable[[Any], Any], record: Any, row: int) -> Any:
        try:
            return function(record)
        except Exception as error:  # noqa: BLE001  whatever the user's code raises fails its row
            known = self._misfit_error(error, row) or error
            self.report.failed(failure(known, record, self.first_row + row, self.program))
            return FAILED

    def _misfit_error(self, error: Exception, row: int) -> Exception | None:
        if not isinstance(error, Misfit):
            return None
        return error.as_error(self.first_row + row, self.options.location)


def _checked(function: Callable[[Any], Any], check: Check | None) -> Callable[[Any], Any]:
    if check is None:
        return function

    def checked(record: Any) -> Any:
        value = function(record)
        check(value)
        return value

    return checked
