"""Runs a row function over objects as a loop and through batchprep, and tells the differences."""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import batchprep as bp
from tests.fuzz import sharing
from tests.fuzz.answers import Differs, compare_answer
from tests.fuzz.compare import Outcome, same_through_arrow
from tests.objects.compare import same
from tests.tables.answering import Verdict, ask, compare_columns

RowFunction = Callable[[Any], Any]
Records = Sequence[dict[str, Any]]


class Subject:
    """A row function, vectorized once, so that its calls share what they can."""

    def __init__(self, function: RowFunction) -> None:
        self._function = function
        self._vectorized = bp.vectorize(function, on_unsupported="ignore")

    def examine(self, records: Records, backend: str, table: pa.Table | None = None) -> Verdict:
        """The verdict on a backend, over the records and then over a table."""
        own = copy.deepcopy(list(records))
        verdict = Verdict(outcomes=tuple(outcomes(self._function, own)))
        verdict.judge("null", lambda: self._compare(verdict, records, own, backend))
        if verdict.failing:
            verdict.judge("raise", lambda: self._compare_raised(verdict, records, backend))
        if table is not None:
            verdict.judge("arrow", lambda: self._compare_table(table, backend))
        return verdict

    def _compare(self, verdict: Verdict, records: Records, own: Records, backend: str) -> None:
        given = copy.deepcopy(list(records))
        answer = ask(self._vectorized, given, backend, "null")
        verdict.note(answer)
        compare_answer("null", list(verdict.outcomes), answer, same)
        if not same(given, list(records)):
            raise Differs("the records are no longer what they were")
        expected = [outcome.value for outcome in verdict.outcomes]
        _compare_sharing(answer.results, expected, given, own)
        again = [outcome.value for outcome in outcomes(self._function, copy.deepcopy(own))]
        found, kept = (sharing.kept(expected, other) for other in (answer.results, again))
        if found != kept:
            raise Differs(f"{list(found)} are objects of the function, in the loop {list(kept)}")

    def _compare_raised(self, verdict: Verdict, records: Records, backend: str) -> None:
        answer = ask(self._vectorized, copy.deepcopy(list(records)), backend, "raise")
        compare_answer("raise", list(verdict.outcomes), answer, same)

    def _compare_table(self, table: pa.Table, backend: str) -> None:
        looped = outcomes(self._function, bp.from_arrow(table).to_records())
        answer = ask(self._vectorized, table, backend, "null")
        compare_columns(looped, answer, is_in_column)


def outcomes(function: RowFunction, records: Records) -> list[Outcome]:
    """What the loop gives for each record: the very object, or the exception."""
    return [_outcome(function, record) for record in records]


def _outcome(function: RowFunction, record: Any) -> Outcome:
    try:
        return Outcome(value=function(record))
    except Exception as error:  # noqa: BLE001  whatever the row raises is the specification
        return Outcome(error=error)


def _compare_sharing(found: Any, expected: Any, given: Records, own: Records) -> None:
    if (ours := sharing.among(found)) != (loops := sharing.among(expected)):
        raise Differs(f"results share {ours}, in the loop {loops}")
    pairs = zip(sharing.of_records(found, given), sharing.of_records(expected, own), strict=True)
    for row, (ours, loops) in enumerate(pairs):
        if ours != loops:
            raise Differs(f"row {row}: parts of the record are {ours}, in the loop {loops}")


def is_in_column(python: Any, arrow: Any) -> bool:
    """Whether `arrow` is what the Python value becomes in a column."""
    if isinstance(python, dict) and isinstance(arrow, dict):
        return all(is_in_column(python.get(key), value) for key, value in arrow.items())
    if isinstance(python, np.generic):
        python = python.item()
    if isinstance(python, (enum.IntEnum, enum.StrEnum)):  # the int or text that it is
        python = python.value
    if python is pd.NaT:
        return arrow is None
    if isinstance(python, datetime) and isinstance(arrow, datetime):  # a column has one zone
        return same_moment(python, arrow)
    if isinstance(python, time) and python.tzinfo is None:  # and no folds
        python = python.replace(fold=0)
    return same_through_arrow(python, arrow) or same(python, arrow)


def same_moment(left: datetime, right: datetime) -> bool:
    """Whether two datetimes are one moment, or both without a zone and equal."""
    if left.tzinfo is None or right.tzinfo is None:
        return left.tzinfo is right.tzinfo and left == right
    return left.astimezone(UTC) == right.astimezone(UTC)
