"""One example against nested loops: the first difference is raised, ready to be pasted."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import batchprep as bp
from tests.fuzz.check import load
from tests.fuzz.compare import fits_arrow, same, same_error, same_through_arrow
from tests.pipeline.example import Call, Example, pasted
from tests.pipeline.oracle import Loops, Outcome
from tests.pipeline.sources import FIRST_LABEL, LABEL_STEP, Data, data_of
from tests.pipeline.subjects import Answer, Failure, Subject

EmptyOf = Callable[[Example], Any]  # an empty pipeline, to which an example's steps are added
Checked = tuple[Call, Data, list[Outcome], Answer]


class Differs(AssertionError):  # noqa: N818  a finding
    """What of the answer is not as in nested loops."""


class Difference(AssertionError):  # noqa: N818  a finding
    """The answer to a call of an example is not what nested loops give."""

    def __init__(self, example: Example, position: int, text: str) -> None:
        super().__init__(text)
        self.example, self.position, self.text = example, position, text


def check(example: Example, empty_of: EmptyOf) -> list[Checked]:
    """Each call with what nested loops give and the answer that equals it; else a Difference."""
    ours, theirs = load(example.source), load(example.source)
    try:
        subject = Subject(example, theirs, empty_of(example))
    except Exception as error:
        raise Difference(example, 0, f"building it raises {error!r}") from error
    checked = []
    for position, call in enumerate(example.calls):
        try:
            checked.append(_check_call(example, call, ours, theirs, subject))
        except Differs as found:
            raise Difference(example, position, str(found)) from found.__cause__
    return checked


def _check_call(
    example: Example, call: Call, ours: dict[str, Any], theirs: dict[str, Any], subject: Subject
) -> Checked:
    data = data_of(call.rows, call.via)
    for namespace in (ours, theirs):
        namespace.get("LOG", []).clear()
    loops = Loops(example, ours)
    before = copy.deepcopy(data.records)
    records = copy.deepcopy(data.records)  # an effect of a function is seen here
    outcomes = loops.outcomes(records, call.on_error)
    fits = data.via in {"list", "iterator"} or all(o.error or fits_arrow(o.value) for o in outcomes)
    if not fits:  # a row fails where a column cannot hold its value, and the others must not
        call = dataclasses.replace(call, on_error="null")
        records = copy.deepcopy(before)
        outcomes = Loops(example, load(example.source)).outcomes(records, "null")
    container = _copied(data)
    answer = subject(data, call.on_error)
    if _refused(loops, data, answer):
        return call, data, outcomes, answer
    _compare(example, call, data, outcomes, answer, fits=fits)
    _compare_input(data, container, outcomes, before, records, answer)
    if fits and example.logs:
        _compare_logs(example, ours, theirs)
    return call, data, outcomes, answer


def _refused(loops: Loops, data: Data, answer: Answer) -> bool:
    """Whether the call was refused, and that was said and rightly so: it is no difference.

    polars has no type for some results; a column that no row has is KeyError, where it is known.
    """
    text = str(answer.error)
    if isinstance(answer.error, KeyError) and "no row has" in text:
        return any(f"'{name}'" in text for name in loops.lacking())
    return data.via == "polars" and isinstance(answer.error, TypeError) and "polars" in text


def _compare(
    example: Example,
    call: Call,
    data: Data,
    outcomes: list[Outcome],
    answer: Answer,
    *,
    fits: bool,
) -> None:
    failed = [outcome for outcome in outcomes if outcome.error]
    stops = call.on_error == "raise" and bool(failed)
    if stops and not same_error(failed[0].error, answer.error):
        raise Differs(
            f"raises {answer.error!r}, nested loops {failed[0].error!r}"
        ) from answer.error
    if not stops and answer.error:
        raise Differs(f"raises {answer.error!r}, nested loops do not") from answer.error
    if data.via == "iterator" and not answer.lazy:
        raise Differs("the answer to an iterator is no iterator")
    if not stops or data.via == "iterator":
        kept = [o for o in outcomes if not (o.error and call.on_error != "null")]
        _compare_results(example, data, kept, answer, fits=fits)
    if not stops:
        _compare_failures(data, failed, answer, fits=fits)
    _compare_counts(data, outcomes, answer, stops=stops)


# ------------------------------------------------------------------------------------- results


def _compare_results(
    example: Example, data: Data, kept: list[Outcome], answer: Answer, *, fits: bool
) -> None:
    found = answer.results.values
    if len(found) != len(kept):
        raise Differs(f"{len(found)} results {found!r}, nested loops give {len(kept)}")
    equal = _EQUAL.get(data.via, same_through_arrow)
    for place, (outcome, value) in enumerate(zip(kept, found, strict=True)):
        if fits_or(outcome, fits=fits) and not equal(outcome.value, value):
            raise Differs(
                f"result {place}, of row {outcome.row}: {value!r}, "
                f"nested loops give {outcome.value!r}"
            )
    if data.via in {"list", "iterator"} and not example.copies:
        _compare_identity(data, kept, found)
    _compare_container(data, kept, answer)


def fits_or(outcome: Outcome, *, fits: bool) -> bool:
    """Whether a column can hold the value: else its row may have failed."""
    return fits or outcome.error is not None or fits_arrow(outcome.value)


def _compare_identity(data: Data, kept: list[Outcome], found: list[Any]) -> None:
    for outcome, value in zip(kept, found, strict=True):
        if outcome.is_record and value is not data.records[outcome.row]:
            raise Differs(f"row {outcome.row}: a copy of the caller's record, not the record")


def same_through_pandas(python: Any, found: Any) -> bool:
    """Whether a frame's value is what the Python value becomes there: what is missing is NaN."""
    if isinstance(found, dict) and (python is None or isinstance(python, dict)):
        python = python or {}
        return python.keys() <= found.keys() and all(
            same_through_pandas(python.get(key), value) for key, value in found.items()
        )
    missing = found is None or (isinstance(found, float) and math.isnan(found))
    return missing if python is None else same(python, found)


_EQUAL: dict[str, Callable[[Any, Any], bool]] = {
    "list": same,
    "iterator": same,
    "pandas": same_through_pandas,
}
TABLES = {"arrow": "Table", "pandas": "DataFrame", "polars": "DataFrame"}
COLUMNS = {"arrow": "ChunkedArray", "pandas": "Series", "polars": "Series"}


def _compare_container(data: Data, kept: list[Outcome], answer: Answer) -> None:
    results = answer.results
    if data.via == "list" and results.container != "list":
        raise Differs(f"the answer to a list is a {results.container}")
    values = [outcome.value for outcome in kept if outcome.error is None]
    kinds = {isinstance(value, dict) for value in values}
    if data.via not in TABLES or len(kinds) != 1 or results.container == "list":
        return
    wanted = (TABLES if kinds == {True} else COLUMNS)[data.via]
    if results.container != wanted and None not in values:
        raise Differs(f"the answer is a {results.container}, {wanted} is wanted")
    orders = {tuple(value) for value in values} if kinds == {True} else set()
    if len(orders) == 1 and tuple(results.names or ()) not in orders:
        _compare_order(orders.pop(), tuple(results.names or ()))
    if results.labels is not None:
        labels = [FIRST_LABEL + LABEL_STEP * outcome.row for outcome in kept]
        if results.labels != labels:
            raise Differs(f"index labels {results.labels}, of the kept rows {labels}")


def _compare_order(wanted: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Other rows, which are not there, may have more columns; the order is the same."""
    if tuple(name for name in names if name in wanted) != wanted:
        raise Differs(f"columns {names}, nested loops give {wanted}")


# ------------------------------------------------------------------------- failures and counts


def _compare_failures(data: Data, failed: list[Outcome], answer: Answer, *, fits: bool) -> None:
    expected = [(o.row, type(o.error).__name__, str(o.error)) for o in failed]
    found = [(f.row, f.type, f.message) for f in answer.failures]
    if not fits:
        missing = [failure for failure in expected if failure not in found]
        if missing:
            raise Differs(f"failures {found} lack {missing}")
    elif found != expected:
        raise Differs(f"failures {found}, nested loops have {expected}")
    for failure in answer.failures:
        _compare_record(data, failure)


def _compare_record(data: Data, failure: Failure) -> None:
    """The failure's record is the source's as JSON, compared where JSON has all its values."""
    try:
        text = json.dumps(data.records[failure.row], ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        return
    if data.via in {"list", "iterator"} and failure.record != text:
        raise Differs(f"the record of a failure of row {failure.row}: {failure.record}, not {text}")


def _compare_counts(data: Data, outcomes: list[Outcome], answer: Answer, *, stops: bool) -> None:
    wanted = outcomes[-1].row + 1 if stops else len(data.records)
    if answer.rows is not None and answer.rows != wanted:
        raise Differs(f"the report counts {answer.rows} rows, {wanted} were read")
    stopped_at = wanted - 1 if stops else None
    if answer.rows is not None and answer.stopped_at != stopped_at:
        raise Differs(f"the report has stopped_at={answer.stopped_at}, not {stopped_at}")
    if stops or not answer.stages:
        return
    first, last = answer.stages[0]["rows_in"], answer.stages[-1]["rows_out"]
    results = len(answer.results.values)
    if (first, last) != (wanted, results):
        raise Differs(f"stages take {first} rows and give {last}, not {wanted} and {results}")


# ------------------------------------------------------------------------------ what must stay


def _copied(data: Data) -> Any:
    """The frame as it is now."""
    return copy.deepcopy(data.value) if data.via in {"pandas", "polars"} else None


def _compare_input(
    data: Data,
    container: Any,
    outcomes: list[Outcome],
    before: list[Any],
    records: list[Any],
    answer: Answer,
) -> None:
    if data.via == "arrow" and not same(bp.from_arrow(data.value).to_records(), data.records):
        raise Differs("the caller's table is changed")
    if data.via not in {"list", "iterator"}:
        if container is not None and not container.equals(data.value):
            raise Differs("the caller's frame is changed")
        return
    reached = outcomes[-1].row + 1 if answer.error and outcomes else len(before)
    expected = records[:reached] + before[reached:]
    if not same(expected, data.records):
        raise Differs(f"the caller's records are now {data.records!r}")


def _compare_logs(example: Example, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Each function that writes down its values sees those that nested loops show it, in order."""
    for name in {name for name, _ in ours["LOG"] + theirs["LOG"]}:
        wanted = [value for logged, value in ours["LOG"] if logged == name]
        found = [value for logged, value in theirs["LOG"] if logged == name]
        if found != wanted:
            raise Differs(f"{name} saw {found}, in nested loops {wanted}")


# ------------------------------------------------------------------------------ a smaller example


def smaller(found: Difference, empty_of: EmptyOf) -> Difference:
    """A difference with fewer calls, steps and rows, by trying without each."""
    found = _retry(found, empty_of, calls=(found.example.calls[found.position],))
    for step in reversed(found.example.steps):
        steps = tuple(kept for kept in found.example.steps if kept is not step)
        found = _retry(found, empty_of, steps=steps) if steps else found
    for row in reversed(found.example.calls[found.position].rows):
        calls = list(found.example.calls)
        call = calls[found.position]
        rows = [kept for kept in call.rows if kept is not row]
        calls[found.position] = dataclasses.replace(call, rows=rows)
        found = _retry(found, empty_of, calls=tuple(calls)) if rows else found
    return found


def _retry(found: Difference, empty_of: EmptyOf, **changed: Any) -> Difference:
    example = dataclasses.replace(found.example, **changed)
    try:
        check(example, empty_of)
    except Difference as again:
        return again
    return found


def pasteable(found: Difference) -> str:
    """The difference as an entry of EXAMPLES, and what differs."""
    return f'{found.text}\n\n"a name that says what was wrong": {pasted(found.example)},'
