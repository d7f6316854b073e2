"""Whether the answer to a call is what the row loop gives."""

from __future__ import annotations

from typing import Any

from tests.fuzz.compare import Outcome, fits_arrow, same_error, same_through_arrow
from tests.fuzz.examples import OnError
from tests.fuzz.subjects import Answer


class Differs(AssertionError):  # noqa: N818  a finding
    """What of the answer is not as in the row loop."""


def compare_answer(on_error: OnError, outcomes: list[Outcome], answer: Answer, equal: Any) -> None:
    failed = [outcome.error for outcome in outcomes if outcome.error]
    if on_error == "raise" and failed:
        if not same_error(failed[0], answer.error):
            raise Differs(f"raises {answer.error!r}, the loop {failed[0]!r}") from answer.error
        return
    if answer.error:
        raise Differs(f"raises {answer.error!r}, the loop does not") from answer.error
    _compare_results(on_error, outcomes, answer, equal)
    _compare_failures(outcomes, answer)


def _compare_results(
    on_error: OnError, outcomes: list[Outcome], answer: Answer, equal: Any
) -> None:
    kept = [o for o in outcomes if not (o.error and on_error == "drop")]
    if len(answer.results) != len(kept):
        raise Differs(f"{len(answer.results)} results, the loop gives {len(kept)}")
    for row, (outcome, result) in enumerate(zip(kept, answer.results, strict=True)):
        if not equal(outcome.value, result):
            raise Differs(f"row {row}: {result!r}, the loop gives {outcome.value!r}")


def _compare_failures(outcomes: list[Outcome], answer: Answer) -> None:
    expected = [
        (row, type(outcome.error).__name__, str(outcome.error))
        for row, outcome in enumerate(outcomes)
        if outcome.error
    ]
    found = [(failure.row, failure.type, failure.message) for failure in answer.failures]
    if found != expected:
        raise Differs(f"failures {found}, the loop has {expected}")


def compare_fitting(outcomes: list[Outcome], answer: Answer, *, nested: bool) -> None:
    """Rows whose value every column type takes: the others may fail, depending on the type."""
    if answer.error:
        raise Differs(f"raises {answer.error!r}, with on_error='null'") from answer.error
    failed = {failure.row for failure in answer.failures}
    for row, outcome in enumerate(outcomes):
        if outcome.error and row not in failed:
            raise Differs(f"row {row} is no failure, the loop raises {outcome.error!r}")
        fits = not outcome.error and fits_arrow(outcome.value, nested=nested)
        if fits and not same_through_arrow(outcome.value, answer.results[row]):
            raise Differs(f"row {row}: {answer.results[row]!r}, not {outcome.value!r}")
