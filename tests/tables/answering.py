"""A vectorized function is asked over some data; what it answers, and how it fared."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

import batchprep as bp
from tests.fuzz.answers import Differs
from tests.fuzz.compare import Outcome
from tests.fuzz.examples import OnError
from tests.fuzz.subjects import Answer, Failure

# The remedies for a value of no type.
NO_COLUMN: Final = (
    "Pass the type to hold it as returns=",
    "Give its .value or .name, or call",
    "Give a dict of its fields, or call",
)


@dataclass
class Verdict:
    """How a row function fared over some records."""

    differences: list[str] = field(default_factory=list)
    compiled: bool = False
    reason: str = ""
    deviating: int = 0
    outcomes: tuple[Outcome, ...] = ()

    @property
    def failing(self) -> int:
        """How many rows raise in the loop."""
        return sum(outcome.error is not None for outcome in self.outcomes)

    @property
    def always_raises(self) -> bool:
        return self.failing == len(self.outcomes)

    @property
    def is_misspelled(self) -> bool:
        """Whether a name in the case is none."""
        return any(type(outcome.error) is NameError for outcome in self.outcomes)

    def note(self, answer: Answer) -> None:
        """What the report said of the way that it ran."""
        self.compiled, self.reason = answer.compiled, answer.unsupported
        self.deviating = sum(answer.deviations.values())

    def judge(self, how: str, compare: Callable[[], None]) -> None:
        """Keep the difference that a comparison finds, with how it was asked."""
        try:
            compare()
        except Differs as difference:
            self.differences.append(f"{how}: {difference}")


def ask(vectorized: Any, data: Any, backend: str, on_error: OnError) -> Answer:
    """Results as a list, or the exception, and what the report says."""
    answer = Answer()
    with bp.use(backend=backend, on_error=on_error, threads=1):
        try:
            results = vectorized(data)
            answer.results = results.to_pylist() if isinstance(data, pa.Table) else list(results)
        except Exception as error:  # noqa: BLE001  the row's own exception is the answer
            answer.error = error
    with contextlib.suppress(LookupError):  # no report: the call itself failed, not a row
        _note_report(answer, vectorized.report())
    return answer


def _note_report(answer: Answer, report: Any) -> None:
    (stage,) = report.stages
    answer.compiled = stage.compiled
    answer.unsupported = stage.reason
    answer.deviations = dict(stage.deviations)
    answer.failures = [
        Failure(failure["row"], failure["type"], failure["message"])
        for failure in report.failures.to_pylist()
    ]


def compare_columns(
    outcomes: Sequence[Outcome], answer: Answer, equal: Callable[[Any, Any], bool]
) -> None:
    """Rows that are no failure have the loop's value; a value that no column holds is one."""
    if answer.error:
        raise Differs(f"raises {answer.error!r}, with on_error='null'") from answer.error
    failed = {failure.row: (failure.type, failure.message) for failure in answer.failures}
    for row, outcome in enumerate(outcomes):
        found = failed.get(row)
        if outcome.error:
            if found != (type(outcome.error).__name__, str(outcome.error)):
                raise Differs(f"row {row}: failure {found}, the loop raises {outcome.error!r}")
        elif found:
            if not any(remedy in found[1] for remedy in NO_COLUMN):
                raise Differs(f"row {row}: failure {found}, the loop gives {outcome.value!r}")
        elif not equal(outcome.value, answer.results[row]):
            raise Differs(f"row {row}: {answer.results[row]!r}, the loop gives {outcome.value!r}")
