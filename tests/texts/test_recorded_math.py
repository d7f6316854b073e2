"""CPython's table of math functions: of a float, and of the float that a text spells."""

from __future__ import annotations

import math

import pytest

from tests.fuzz.summary import NOTE
from tests.texts import floors, recorded
from tests.texts.harness import Subject

RECORDS = recorded.math_records()
NAMES = tuple(dict.fromkeys(record.name for record in RECORDS))
FEWEST = 433
# The widest bound of CPython's own test: 1,000 ulp of erfc, and 1e-15 near the zeros of lgamma.
BOUND = {"rel_tol": 1000 * 2.0**-52, "abs_tol": 1e-15}

pytestmark = pytest.mark.skipif(not RECORDS, reason=recorded.ABSENT)


def _of(name):
    return [record for record in RECORDS if record.name == name]


def _rows(records):
    return [{"x": float(record.argument), "t": record.argument} for record in records]


def _is_recorded(record, outcome):
    if record.raises or outcome.error:
        return type(outcome.error) is record.raises
    left, right = outcome.value, record.result
    if record.is_sign_open:
        left, right = abs(left), abs(right)
    return (math.isnan(left) and math.isnan(right)) or math.isclose(left, right, **BOUND)


def test_the_records_are_all_there():
    assert len(RECORDS) >= FEWEST


@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_a_float(name, backend, written):
    (function,) = written([f'math.{name}(r["x"])'])
    verdict = Subject(function).examine(_rows(_of(name)), backend)
    pairs = zip(_of(name), verdict.outcomes, strict=True)

    assert verdict.differences == []
    assert [pair for pair in pairs if not _is_recorded(*pair)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_function_of_a_text(name, backend, written):
    (function,) = written([f'math.{name}(float(r["t"]))'])

    assert Subject(function).examine(_rows(_of(name)), backend).differences == []


def test_math_compiles(written, record_property):
    plain = written([f'math.{name}(r["x"])' for name in NAMES])
    texts = written([f'math.{name}(float(r["t"]))' for name in NAMES])
    rows = [_rows(_of(name)) for name in NAMES]
    of_floats, of_texts = (
        [Subject(f).examine(r, "numpy").compiled for f, r in zip(functions, rows, strict=True)]
        for functions in (plain, texts)
    )

    record_property(
        NOTE,
        f"recorded math functions that compile: {sum(of_floats)} of {len(NAMES)} of floats, "
        f"{sum(of_texts)} of texts",
    )
    assert sum(of_floats) >= floors.RECORDED_MATH
    assert sum(of_texts) >= floors.RECORDED_MATH_OF_TEXT
