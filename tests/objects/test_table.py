"""At least 600 row functions over objects that no column holds: equal to the row loop."""

from __future__ import annotations

import pytest

from tests.fuzz.summary import NOTE
from tests.objects import floors, values
from tests.objects.harness import Subject
from tests.objects.table import CASES, GROUPS
from tests.tables.cases import always_raising, asked, compiled_note, misspelled, named_twice

FEWEST = 600

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
    assert len(CASES) >= FEWEST
    assert named_twice(CASES) == []


def test_dirty_records_lack_keys_and_hold_strangers():
    rows = values.records(tuple(values.PLAIN), "dirty")

    assert any(row.keys() != values.PLAIN.keys() for row in rows)
    assert all(any(row.get(name) is None for row in rows) for name in values.PLAIN)


def test_cases_reach_what_they_name(verdict):
    judged = {case.name: verdict(case, "numpy", "plain") for case in CASES}

    assert misspelled(judged) == []
    assert len(always_raising(judged)) <= len(CASES) // 40, always_raising(judged)


@pytest.mark.parametrize(("case", "backend"), asked(CASES, floors.NUMBA_EVERY_CASE))
def test_a_case_equals_the_loop(case, backend, verdict):
    found = {level: verdict(case, backend, level).differences for level in values.LEVELS}

    assert found == {level: [] for level in values.LEVELS}


@pytest.mark.parametrize("group", GROUPS)
def test_compiled_cases_of_a_group(group, verdict, record_property):
    cases = [case for case in CASES if case.group == group]
    judged = {case.name: verdict(case, "numpy", "plain") for case in cases}
    compiled, note = compiled_note(group, judged)

    record_property(NOTE, note)
    assert compiled >= floors.TABLE.get(group, 0)


def test_compiled_cases_deviate_only_where_they_must(verdict):
    judged = {case.name: verdict(case, "numpy", "plain") for case in CASES}
    deviating = {
        name for name, one in judged.items() if one.compiled and one.deviating > one.failing
    }

    assert deviating - floors.DEVIATING.keys() == set()
