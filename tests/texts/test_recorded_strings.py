"""CPython's records of str methods, with constant arguments and with arguments from the row."""

from __future__ import annotations

import pytest

from tests.fuzz.summary import NOTE
from tests.texts import floors, recorded, spelling
from tests.texts.harness import Subject

RECORDS = recorded.string_records()
METHODS = tuple(dict.fromkeys(record.method for record in RECORDS))
FEWEST = 1712  # checked records in the release with the fewest

pytestmark = pytest.mark.skipif(not RECORDS, reason=recorded.ABSENT)


def _of(method):
    return [record for record in RECORDS if record.method == method and record.is_checked]


def _functions(written, spelled):
    names = {name: value for one in spelled for name, value in one.names.items()}
    return zip(spelled, written([one.body for one in spelled], names), strict=True)


def _unlike_the_record(record, outcome):
    """How the loop itself differs from what CPython's test expects."""
    if record.raises:
        return "" if isinstance(outcome.error, record.raises) else f"{record}: {outcome}"
    expected = not record.is_checked or (not outcome.error and outcome.value == record.result)
    return "" if expected else f"{record}: {outcome}"


def _examined(one, function, backend):
    verdict = Subject(function).examine(one.rows, backend)
    found = [f"{one.body}: {difference}" for difference in verdict.differences]
    pairs = zip(one.records, verdict.outcomes, strict=False)  # rows of no record follow
    return [*found, *filter(None, (_unlike_the_record(*pair) for pair in pairs))]


def _differences(written, spelled, backend):
    return [
        difference
        for one, function in _functions(written, spelled)
        for difference in _examined(one, function, backend)
    ]


def test_the_records_are_all_there():
    assert sum(record.is_checked for record in RECORDS) >= FEWEST
    assert len(METHODS) >= 40


@pytest.mark.parametrize("fast", ["python", "numpy"])
@pytest.mark.parametrize("method", METHODS)
def test_a_method_with_constant_arguments(method, fast, written):
    assert _differences(written, spelling.with_constants(_of(method)), fast) == []


@pytest.mark.parametrize("fast", ["python", "numpy"])
@pytest.mark.parametrize("method", METHODS)
def test_a_method_with_arguments_from_the_row(method, fast, written):
    assert _differences(written, spelling.with_fields(_of(method)), fast) == []


@pytest.mark.parametrize("fast", ["python", "numpy"])
def test_a_percent_format_of_a_field(fast, written):
    assert _differences(written, spelling.with_formats(RECORDS), fast) == []


def test_a_sample_on_numba(written):
    spelled = [
        one
        for method in METHODS
        for form in (spelling.with_constants, spelling.with_fields)
        for one in form(_of(method))
    ]

    assert _differences(written, spelled[:: floors.NUMBA_EVERY_RECORDED], "numba") == []


def _compiled(written, spelled, batches):
    """How many of the batches compile on numpy, and how many there are."""
    verdicts = [
        Subject(function).examine(rows, "numpy")
        for one, function in _functions(written, spelled)
        for rows in batches(one)
    ]
    return [verdict.compiled for verdict in verdicts]


def _check(record_property, what, compiled, floor):
    record_property(NOTE, f"{what} that compile: {sum(compiled)} of {len(compiled)}")
    assert sum(compiled) >= floor


def test_constant_arguments_compile(written, record_property):
    spelled = [one for method in METHODS for one in spelling.with_constants(_of(method))]
    compiled = _compiled(written, spelled, lambda one: [one.rows[: len(one.records)]])

    _check(record_property, "recorded calls", compiled, floors.RECORDED_CONSTANTS)


def test_arguments_from_the_row_compile(written, record_property):
    spelled = [one for method in METHODS for one in spelling.with_fields(_of(method))]
    compiled = _compiled(written, spelled, spelling.by_kinds)

    _check(record_property, "recorded calls of fields", compiled, floors.RECORDED_FIELDS)


def test_percent_formats_compile(written, record_property):
    spelled = spelling.with_formats(RECORDS)
    compiled = _compiled(written, spelled, lambda one: [one.rows])

    _check(record_property, "recorded % formats", compiled, floors.RECORDED_FORMATS)
