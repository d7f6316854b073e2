"""Runs a row function as a loop and through batchprep, and tells where the two differ."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

import batchprep as bp
from tests.fuzz import sharing
from tests.fuzz.answers import Differs, compare_answer
from tests.fuzz.check import arrow_table
from tests.fuzz.compare import Outcome, same, same_through_arrow
from tests.fuzz.examples import OnError
from tests.fuzz.subjects import Answer
from tests.tables.answering import Verdict, ask, compare_columns

RowFunction = Callable[[Any], Any]
Via = Literal["list", "iterator", "arrow"]
Records = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Drained:
    """What an iterator that was returned gives: it can be read once only."""

    kind: str
    items: list[Any]
    error: tuple[Any, ...] | None = None  # its exception's type and arguments


@dataclass(frozen=True)
class Looped:
    """What the loop gives: outcomes, the records as it leaves them, the state of the function."""

    outcomes: tuple[Outcome, ...]
    results: tuple[Any, ...]  # the very objects that were returned
    before: tuple[Any, ...]
    records: tuple[Any, ...]
    state: Any

    @property
    def writes(self) -> bool:
        """Whether the function writes into a record."""
        return not same(list(self.before), list(self.records))


class Subject:
    """A row function as a loop runs it, and vectorized. `make` gives it in its first state.

    effect  it lives by what it does to its record: that shows in the caller's records
    """

    def __init__(self, make: Callable[[], RowFunction], *, effect: bool = False) -> None:
        self._make = make
        self._effect = effect
        self._looped: dict[tuple[int, OnError], tuple[Records, Looped]] = {}
        self._vectorized: dict[RowFunction, Any] = {}

    def examine(self, records: Records, backend: str, vias: tuple[Via, ...]) -> Verdict:
        """The verdict over the records on a backend, however they are handed over."""
        verdict = Verdict(outcomes=self.looped(records).outcomes)
        for via in vias:
            self._note(verdict, records, backend, via, "null")
        if any(outcome.error for outcome in verdict.outcomes):
            self._note(verdict, records, backend, "list", "raise")
        return verdict

    def looped(self, records: Records, on_error: OnError = "null") -> Looped:
        """The loop over copies of the records; under "raise" it ends at the first exception."""
        key = (id(records), on_error)
        if key not in self._looped:
            # The records are held: an id is unique while its object lives.
            self._looped[key] = (records, _loop(self._make(), records, on_error))
        return self._looped[key][1]

    def _note(
        self, verdict: Verdict, records: Records, backend: str, via: Via, on_error: OnError
    ) -> None:
        table = arrow_table(list(records)) if via == "arrow" else None
        if via == "arrow" and table is None:
            return
        try:
            if table is None:
                answer = self._compare(records, backend, via, on_error, verdict)
            else:
                answer = self._compare_arrow(table, backend, verdict)
        except Differs as difference:
            verdict.differences.append(f"{via}, on_error={on_error!r}: {difference}")
            return
        if via == "list" and on_error == "null":
            verdict.note(answer)

    def _compare(
        self, records: Records, backend: str, via: Via, on_error: OnError, verdict: Verdict
    ) -> Answer:
        looped = self.looped(records, on_error)
        function, own = self._make(), copy.deepcopy(list(records))
        data = iter(own) if via == "iterator" else own
        answer = ask(self._vectorize(function), data, backend, on_error)
        returned = answer.results
        answer.results = answer.results and [drained(result) for result in answer.results]
        compare_answer(on_error, list(looped.outcomes), answer, same)
        self._compare_records(looped, own)
        if not same(looped.state, state_of(function)):
            raise Differs(f"leaves {state_of(function)!r}, the loop {looped.state!r}")
        if not answer.error:
            self._compare_sharing(looped, returned, own)
            self._compare_owned(looped, returned, records, on_error)
        return answer

    def _vectorize(self, function: RowFunction) -> Any:
        """The function vectorized: once, so that its calls share what they can."""
        if function not in self._vectorized:
            self._vectorized[function] = bp.vectorize(function, on_unsupported="ignore")
        return self._vectorized[function]

    def _compare_records(self, looped: Looped, own: list[Any]) -> None:
        expected = looped.records if self._effect else looped.before
        for row, pair in enumerate(zip(own, expected, strict=True)):
            if not same(*pair):
                raise Differs(f"row {row}: the record is now {pair[0]!r}, not {pair[1]!r}")

    def _compare_sharing(self, looped: Looped, results: list[Any], own: list[Any]) -> None:
        if sharing.among(results) != sharing.among(looped.results):
            found, expected = sharing.among(results), sharing.among(looped.results)
            raise Differs(f"results share {found}, in the loop {expected}")
        if looped.writes and not self._effect:
            return  # it works on a copy of its record
        found = sharing.of_records(results, own)
        expected = sharing.of_records(looped.results, looped.records)
        for row, pair in enumerate(zip(found, expected, strict=True)):
            if pair[0] != pair[1]:
                raise Differs(
                    f"row {row}: parts of the record are {pair[0]}, in the loop {pair[1]}"
                )

    def _compare_owned(
        self, looped: Looped, results: list[Any], records: Records, on_error: OnError
    ) -> None:
        """What belongs to the function is returned itself, and no copy of it."""
        again = _loop(self._make(), records, on_error)
        expected = sharing.kept(looped.results, again.results)
        found = sharing.kept(looped.results, results)
        if found != expected:
            raise Differs(
                f"{list(found)} are objects of the function, in the loop {list(expected)}"
            )

    def _compare_arrow(self, table: pa.Table, backend: str, verdict: Verdict) -> Answer:
        records = bp.from_arrow(table).to_records()
        looped = _loop(self._make(), records, "null")
        answer = ask(self._vectorize(self._make()), table, backend, "null")
        compare_columns(looped.outcomes, answer, same_through_arrow)
        return answer


def drained(value: Any) -> Any:
    """The value; of an iterator, what it gives."""
    if not isinstance(value, Iterator):
        return value
    items: list[Any] = []
    try:
        items.extend(value)
    except Exception as error:  # noqa: BLE001  it is raised where the iterator is read
        return Drained(type(value).__name__, items, (type(error), *error.args))
    return Drained(type(value).__name__, items)


def state_of(function: RowFunction) -> Any:
    """What a function keeps between rows: its closure and defaults, as far as they are data."""
    kept = {**inspect.getclosurevars(function).nonlocals, "defaults": function.__defaults__}
    return {
        name: copy.deepcopy(value)
        for name, value in kept.items()
        if isinstance(value, (int, float, str, list, dict, set)) or name == "defaults"
    }


def _loop(function: RowFunction, records: Records, on_error: OnError) -> Looped:
    own = copy.deepcopy(list(records))
    outcomes: list[Outcome] = []
    results: list[Any] = []
    for record in own:
        result, error = _outcome(function, record)
        results.append(result)
        outcomes.append(Outcome(value=drained(result), error=error))
        if error and on_error == "raise":
            break
    return Looped(
        outcomes=tuple(outcomes),
        results=tuple(results),
        before=tuple(copy.deepcopy(list(records))),
        records=tuple(own),
        state=state_of(function),
    )


def _outcome(function: RowFunction, record: Any) -> tuple[Any, Exception | None]:
    try:
        return function(record), None
    except Exception as error:  # noqa: BLE001  whatever the row raises is the specification
        return None, error
