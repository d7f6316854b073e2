"""The shared cases of dialect record equal the row loop, whether they compile or not."""

from __future__ import annotations

import copy

import pytest

from tests.cases import shared
from tests.fuzz.answers import compare_answer
from tests.fuzz.compare import Outcome, loop, same
from tests.fuzz.subjects import Answer, Compiled
from tests.fuzz.summary import NOTE

SEEDS = (1, 2, 3)
ROWS = 200
SLACK = 0.02  # of the dirty rows may deviate beyond those that raise

pytestmark = pytest.mark.skipif(shared.CASES is None, reason=shared.ABSENT)

VECTORISABLE = [pytest.param(c, id=c.name) for c in shared.record_cases(vectorisable=True)]
IMPURE = [pytest.param(c, id=c.name) for c in shared.record_cases(vectorisable=False)]


def _answer(case, backend, records, on_error="null") -> Answer:
    return Compiled(case.function, backend)(records, on_error)


@pytest.mark.parametrize("case", VECTORISABLE)
def test_a_case_equals_the_loop(case, backend):
    for seed in SEEDS:
        records = case.make(ROWS, seed)
        outcomes = loop(case.function, records)
        before = copy.deepcopy(records)

        for on_error in ("null", "raise", "drop"):
            answer = _answer(case, backend, records, on_error)

            compare_answer(on_error, outcomes, answer, same)
            assert same(before, records)


@pytest.mark.parametrize("case", IMPURE)
def test_an_impure_case_falls_back_with_a_reason(case):
    records = case.make(ROWS, 1)
    with shared.same_world():
        outcomes = loop(case.function, records)
    with shared.same_world():
        answer = _answer(case, "numpy", records)

    compare_answer("null", outcomes, answer, same)
    assert answer.unsupported
    assert not answer.compiled


def _compiles(case) -> bool:
    rows = shared.clean_rows(case, ROWS, 1)
    # Some generators put a zero or an empty text among their clean rows: those raise.
    fine = zip(rows, loop(case.function, rows), strict=True)
    clean = _answer(case, "numpy", [row for row, outcome in fine if outcome.error is None])
    records = [record for seed in SEEDS for record in case.make(ROWS, seed)]
    dirty, outcomes = _answer(case, "numpy", records), loop(case.function, records)
    return clean.compiled and not _deviating(clean) and _deviating(dirty) <= _allowed(outcomes)


def _deviating(answer: Answer) -> int:
    return sum(answer.deviations.values())


def _allowed(outcomes: list[Outcome]) -> float:
    return sum(outcome.error is not None for outcome in outcomes) + SLACK * len(outcomes)


def test_some_cases_compile(record_property):
    cases = shared.record_cases(vectorisable=True)
    compiled = [case.name for case in cases if _compiles(case)]

    record_property(
        NOTE, f"shared cases that compile: {len(compiled)} of {len(cases)}: {', '.join(compiled)}"
    )
    assert len(cases) == 36
    assert compiled
