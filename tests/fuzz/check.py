"""One example against the row loop: the first difference is raised, ready to be pasted."""

from __future__ import annotations

import atexit
import copy
import dataclasses
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

import batchprep as bp
from tests.fuzz import sharing
from tests.fuzz.answers import Differs, compare_answer, compare_fitting
from tests.fuzz.compare import Outcome, fits_arrow, loop, same, same_through_arrow
from tests.fuzz.examples import Call, Example
from tests.fuzz.records import as_records
from tests.fuzz.subjects import Answer, Subject

SAMPLED_ROWS = 2400  # of so many rows, inference looks at the first, middle and last 500
STRAY_POSITION = 600

HELD = {bool, int, float, str, list, dict, date, datetime, timedelta}  # by a column of its own

WRITES = '    r["'  # a statement that begins so writes into the record

SubjectOf = Callable[[Callable[..., Any]], Subject]


class Difference(AssertionError):  # noqa: N818  a finding
    """The answer to a call is not what the row loop gives."""

    def __init__(self, example: Example, position: int, text: str) -> None:
        super().__init__(text)
        self.example = example
        self.position = position
        self.text = text


@cache
def _folder() -> Path:
    path = Path(tempfile.mkdtemp(prefix="batchprep-fuzz-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def load(source: str) -> dict[str, Any]:
    """The namespace of a module with that source, in a real file so that it can be found."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    path = _folder() / f"case_{digest}.py"
    path.write_text(source, encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(source, str(path), "exec"), namespace)
    return namespace


def check(example: Example, subject_of: SubjectOf) -> list[Answer]:
    """The answers to the example's calls, each equal to the row loop; else a Difference."""
    namespace = load(example.source)
    subject = subject_of(namespace["f"])
    answers = []
    for position, call in enumerate(example.calls):
        _rebind(namespace, call.rebind)
        try:
            answers.append(_check_call(example, call, namespace["f"], subject))
        except Differs as found:
            raise Difference(example, position, str(found)) from found.__cause__
    return answers


def _rebind(namespace: dict[str, Any], changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if isinstance(value, dict):  # a table changes in place: nobody is told
            namespace[name].clear()
            namespace[name].update(value)
        else:
            namespace[name] = value


def _rows(call: Call) -> list[dict[str, Any]]:
    if not call.strays:
        return call.rows
    repeated = call.rows * (SAMPLED_ROWS // len(call.rows) + 1)
    repeated[STRAY_POSITION : STRAY_POSITION + len(call.strays)] = call.strays
    return repeated


def _check_call(example: Example, call: Call, function: Any, subject: Subject) -> Answer:
    def bound(record: Any) -> Any:
        return function(record, *example.arguments, **example.keywords)

    rows = _rows(call)
    if call.via == "arrow":
        table = arrow_table(rows)
        if table is not None:
            return _check_arrow(example, call, table, bound, subject)
    records = as_records(rows, example.form)
    outcomes = loop(bound, records)
    before = copy.deepcopy(records)
    data = iter(records) if call.via == "iterator" else records
    answer = subject(data, call.on_error, *example.arguments, **example.keywords)
    compare_answer(call.on_error, outcomes, answer, same)
    _compare_identity(example, call, outcomes, answer, records)
    _compare_sharing(example, call, outcomes, answer, records)
    _compare_records(example, call, outcomes, before, records)
    return answer


def _check_arrow(
    example: Example, call: Call, table: pa.Table, bound: Any, subject: Subject
) -> Answer:
    records = bp.from_arrow(table).to_records()
    expected = [{name: row.get(name) for name in table.column_names} for row in _rows(call)]
    if not same(records, expected):
        raise Differs(f"from_arrow(table).to_records() gives {records!r}")
    outcomes = loop(bound, records)
    nested = "json." not in example.source
    fits = all(o.error or fits_arrow(o.value, nested=nested) for o in outcomes)
    on_error = call.on_error if fits else "null"
    answer = subject(table, on_error, *example.arguments, **example.keywords)
    if fits:
        compare_answer(call.on_error, outcomes, answer, same_through_arrow)
    else:
        compare_fitting(outcomes, answer, nested=nested)
    return answer


def arrow_table(rows: list[dict[str, Any]]) -> pa.Table | None:
    """The rows as a table, an absent key as null; None where a column would have to convert."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    if any(_kinds(values) > 1 for values in columns.values()):
        return None
    try:
        table = pa.table({name: pa.array(values) for name, values in columns.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # a value that no column holds
        return None
    kept = all(same(table[name].to_pylist(), values) for name, values in columns.items())
    return table if kept else None


def _kinds(values: list[Any]) -> int:
    kinds = {type(value) for value in values} - {type(None)}
    return len(kinds) if kinds <= HELD else 2


def _compare_identity(
    example: Example, call: Call, outcomes: list[Outcome], answer: Answer, records: list[Any]
) -> None:
    """A record that is returned is the caller's own object."""
    # A function that writes into its record works on a copy; one that is not compiled may do so.
    if WRITES in example.source or answer.unsupported:
        return
    if answer.error or call.on_error == "drop":
        return
    for row, (outcome, result, record) in enumerate(
        zip(outcomes, answer.results, records, strict=True)
    ):
        if outcome.is_record and result is not record:
            raise Differs(f"row {row}: equal to the caller's record, which should be the result")


def _compare_sharing(
    example: Example, call: Call, outcomes: list[Outcome], answer: Answer, records: list[Any]
) -> None:
    """Results share lists and dicts with each other and with records as those of the loop do."""
    if WRITES in example.source or answer.error or call.on_error == "drop":
        return
    values = [outcome.value for outcome in outcomes]
    if (found := sharing.among(answer.results)) != (expected := sharing.among(values)):
        raise Differs(f"results share {found}, in the loop {expected}")
    owned = sharing.of_records(values, [outcome.record for outcome in outcomes])
    for row, places in enumerate(sharing.of_records(answer.results, records)):
        if places != owned[row]:
            raise Differs(f"row {row}: parts of the record are {places}, in the loop {owned[row]}")


def _compare_records(
    example: Example, call: Call, outcomes: list[Outcome], before: list[Any], after: list[Any]
) -> None:
    expected = before
    if example.effect:
        failing = [row for row, outcome in enumerate(outcomes) if outcome.error]
        reached = failing[0] + 1 if failing and call.on_error == "raise" else len(before)
        expected = [outcome.record for outcome in outcomes[:reached]] + before[reached:]
    if same(expected, after) or same(_grown(expected, outcomes), after):
        return
    raise Differs(f"the records are now {after!r}")


def _grown(records: list[Any], outcomes: list[Outcome]) -> list[Any]:
    """The records, with lists grown in place by += as those of the loop's own records are."""
    return [
        {name: _grown_list(value, outcome.record.get(name)) for name, value in record.items()}
        if isinstance(record, dict) and isinstance(outcome.record, dict)
        else record
        for record, outcome in zip(records, outcomes, strict=True)
    ]


def _grown_list(value: Any, after: Any) -> Any:
    is_grown = isinstance(value, list) and isinstance(after, list)
    return after if is_grown and same(after[: len(value)], value) else value


# ------------------------------------------------------------------------------ a smaller example


def smaller(found: Difference, subject_of: SubjectOf) -> Difference:
    """The same kind of difference with fewer calls and rows, by trying without each."""
    for attempt in (_alone, _rebound, _without_rows):
        found = attempt(found, subject_of)
    return found


def _retry(found: Difference, calls: tuple[Call, ...], subject_of: SubjectOf) -> Difference:
    example = dataclasses.replace(found.example, calls=calls)
    try:
        check(example, subject_of)
    except Difference as again:
        return again
    return found


def _alone(found: Difference, subject_of: SubjectOf) -> Difference:
    return _retry(found, (found.example.calls[found.position],), subject_of)


def _rebound(found: Difference, subject_of: SubjectOf) -> Difference:
    calls = found.example.calls[: found.position + 1]
    return found if len(calls) == 1 else _retry(found, calls, subject_of)


def _without_rows(found: Difference, subject_of: SubjectOf) -> Difference:
    call = found.example.calls[found.position]
    for row in reversed(call.rows):
        call = found.example.calls[found.position]
        rows = [kept for kept in call.rows if kept is not row]
        calls = list(found.example.calls)
        calls[found.position] = dataclasses.replace(call, rows=rows)
        if rows or not call.strays:
            found = _retry(found, tuple(calls), subject_of)
    return found


def pasteable(found: Difference) -> str:
    """The difference as an entry of EXAMPLES, and what differs."""
    example = found.example
    calls = "".join(f"        {call!r},\n" for call in example.calls)
    rest = "".join(
        f"    {name}={getattr(example, name)!r},\n"
        for name in ("form", "arguments", "keywords", "effect")
        if getattr(example, name)
    )
    return (
        f'{found.text}\n\n"a name that says what was wrong": Example(\n'
        f"    source='''\n{example.source}''',\n    calls=(\n{calls}    ),\n{rest}),"
    )
