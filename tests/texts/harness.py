"""Runs a row function on a backend and tells where it differs from the row loop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import batchprep as bp
from tests.fuzz.answers import Differs, compare_answer
from tests.fuzz.compare import Outcome, loop, same
from tests.fuzz.examples import OnError
from tests.fuzz.subjects import Answer, Failure

RowFunction = Callable[[Any], Any]


@dataclass(frozen=True)
class Verdict:
    """How a row function fared over some records."""

    differences: tuple[str, ...]
    compiled: bool
    reason: str
    deviating: int
    outcomes: tuple[Outcome, ...]

    @property
    def failing(self) -> int:
        """How many rows raise in the loop."""
        return sum(outcome.error is not None for outcome in self.outcomes)


class Subject:
    """A row function, vectorized once, so that its backends and levels share what they can."""

    def __init__(self, function: RowFunction) -> None:
        self._function = function
        self._vectorized = bp.vectorize(function, on_unsupported="ignore")
        self._looped: dict[int, tuple[Sequence[Any], list[Outcome]]] = {}

    def examine(self, records: Sequence[Any], backend: str) -> Verdict:
        """Results and failures against the loop's, then the first exception as it is raised."""
        outcomes = self._outcomes(records)
        answer = self._answer(records, backend, "null")
        differences = _differences("null", outcomes, answer)
        if any(outcome.error for outcome in outcomes):
            raised = self._answer(records, backend, "raise")
            differences += _differences("raise", outcomes, raised)
        return Verdict(
            differences=tuple(differences),
            compiled=answer.compiled,
            reason=answer.unsupported,
            deviating=sum(answer.deviations.values()),
            outcomes=tuple(outcomes),
        )

    def _outcomes(self, records: Sequence[Any]) -> list[Outcome]:
        _, outcomes = self._looped.get(id(records), (None, None))
        if outcomes is None:
            outcomes = loop(self._function, records)
            self._looped[id(records)] = (records, outcomes)  # an id is unique while it is held
        return outcomes

    def _answer(self, records: Sequence[Any], backend: str, on_error: OnError) -> Answer:
        answer = Answer()
        with bp.use(backend=backend, on_error=on_error, threads=1):
            try:
                answer.results = self._vectorized(list(records))
            except Exception as error:  # noqa: BLE001  the row's own exception is the answer
                answer.error = error
        with contextlib.suppress(LookupError):  # no report: the call itself failed, not a row
            _note_report(answer, self._vectorized.report())
        return answer


def _differences(on_error: OnError, outcomes: list[Outcome], answer: Answer) -> list[str]:
    try:
        compare_answer(on_error, outcomes, answer, same)
    except Differs as difference:
        return [f"on_error={on_error!r}: {difference}"]
    return []


def _note_report(answer: Answer, report: Any) -> None:
    (stage,) = report.stages
    answer.compiled = stage.compiled
    answer.unsupported = stage.reason
    answer.deviations = dict(stage.deviations)
    answer.failures = [
        Failure(failure["row"], failure["type"], failure["message"])
        for failure in report.failures.to_pylist()
    ]
