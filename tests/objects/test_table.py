"""At least 600 row functions over objects that no column holds: equal to the row loop."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.summary import NOTE
from tests.objects import floors, values
from tests.objects.harness import Subject
from tests.objects.table import CASES, GROUPS

FEWEST = 600
EVERY = {"python": 1, "numpy": 1, "numba": floors.NUMBA_EVERY_CASE}
ASKED = [
    pytest.param(case, backend, id=f"{case.group}: {case.name} [{backend}]")
    for backend, every in EVERY.items()
    for case in CASES[::every]
]

# What NumPy warns of is tested on its own; here its results are compared.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture(scope="module")
def verdict(written):
    """The verdict on a case, a backend and a level of dirt, kept for the tests that count."""
    texts = [case.name for case in CASES if case.function is None]
    functions = dict(zip(texts, written(texts), strict=True))
    subjects = {case: Subject(case.function or functions[case.name]) for case in CASES}
    kept = {}

    def judge(case, backend, level):
        key = (case, backend, level)
        if key not in kept:
            over_table = level == "plain" and backend == "numpy"
            table = values.table(case.fields) if over_table else None
            records = values.records(case.fields, level)
            kept[key] = subjects[case].examine(records, backend, table)
        return kept[key]

    return judge


def test_the_table_is_large_and_its_names_are_unique():
    names = Counter((case.group, case.name) for case in CASES)

    assert len(CASES) >= FEWEST
    assert [name for name, count in names.items() if count > 1] == []


def test_dirty_records_lack_keys_and_hold_strangers():
    rows = values.records(tuple(values.PLAIN), "dirty")

    assert any(row.keys() != values.PLAIN.keys() for row in rows)
    assert all(any(row.get(name) is None for row in rows) for name in values.PLAIN)


def test_cases_reach_what_they_name(verdict):
    judged = {case.name: verdict(case, "numpy", "plain") for case in CASES}
    misspelled = [
        name
        for name, one in judged.items()
        if any(type(outcome.error) is NameError for outcome in one.outcomes)
    ]
    always_raise = [name for name, one in judged.items() if one.failing == len(one.outcomes)]

    assert misspelled == []
    assert len(always_raise) <= len(CASES) // 40, always_raise


@pytest.mark.parametrize(("case", "backend"), ASKED)
def test_a_case_equals_the_loop(case, backend, verdict):
    found = {level: verdict(case, backend, level).differences for level in values.LEVELS}

    assert found == {level: [] for level in values.LEVELS}


@pytest.mark.parametrize("group", GROUPS)
def test_compiled_cases_of_a_group(group, verdict, record_property):
    cases = [case for case in CASES if case.group == group]
    reasons = {
        case.name: judged.reason
        for case in cases
        if not (judged := verdict(case, "numpy", "plain")).compiled
    }
    compiled = len(cases) - len(reasons)
    missing = [f"    {name}    ({reason})" for name, reason in reasons.items()]

    record_property(NOTE, "\n".join([f"{group}: {compiled} of {len(cases)} compile", *missing]))
    assert compiled >= floors.TABLE.get(group, 0)


def test_compiled_cases_deviate_only_where_they_must(verdict):
    judged = {case.name: verdict(case, "numpy", "plain") for case in CASES}
    deviating = {
        name for name, one in judged.items() if one.compiled and one.deviating > one.failing
    }

    assert deviating - floors.DEVIATING.keys() == set()
