"""Runs a row function on a backend and tells where it differs from the row loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import batchprep as bp
from tests.fuzz.answers import compare_answer
from tests.fuzz.compare import Outcome, loop, same
from tests.fuzz.examples import OnError
from tests.fuzz.subjects import Answer
from tests.tables.answering import Verdict, ask

RowFunction = Callable[[Any], Any]


class Subject:
    """A row function, vectorized once, so that its backends and levels share what they can."""

    def __init__(self, function: RowFunction) -> None:
        self._function = function
        self._vectorized = bp.vectorize(function, on_unsupported="ignore")
        self._looped: dict[int, tuple[Sequence[Any], list[Outcome]]] = {}

    def examine(self, records: Sequence[Any], backend: str) -> Verdict:
        """Results and failures against the loop's, then the first exception as it is raised."""
        outcomes = self._outcomes(records)
        verdict = Verdict(outcomes=tuple(outcomes))
        verdict.note(self._judged(verdict, records, backend, "null"))
        if verdict.failing:
            self._judged(verdict, records, backend, "raise")
        return verdict

    def _judged(
        self, verdict: Verdict, records: Sequence[Any], backend: str, on_error: OnError
    ) -> Answer:
        answer = ask(self._vectorized, list(records), backend, on_error)
        outcomes = list(verdict.outcomes)
        verdict.judge(
            f"on_error={on_error!r}", lambda: compare_answer(on_error, outcomes, answer, same)
        )
        return answer

    def _outcomes(self, records: Sequence[Any]) -> list[Outcome]:
        _, outcomes = self._looped.get(id(records), (None, None))
        if outcomes is None:
            outcomes = loop(self._function, records)
            self._looped[id(records)] = (records, outcomes)  # an id is unique while it is held
        return outcomes
