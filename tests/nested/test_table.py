"""At least 320 row functions over lists, dicts, loops and exceptions: equal to the row loop."""

from __future__ import annotations

import pytest

from tests.fuzz.summary import NOTE
from tests.nested import constants, floors, records
from tests.nested.harness import Subject
from tests.nested.table import CASES, GROUPS
from tests.tables.cases import always_raising, asked, compiled_note, misspelled, named_twice

FEWEST = 320
VIAS = {"python": ("list", "iterator"), "numpy": ("list", "arrow"), "numba": ("list",)}


@pytest.fixture(scope="module")
def verdict(written):
    """The verdict on a case, a backend and a level of dirt, kept for the tests that count."""
    texts = [case.name for case in CASES if case.make is None]
    functions = dict(zip(texts, written(texts, vars(constants)), strict=True))
    subjects = {
        case: Subject(case.make or (lambda case=case: functions[case.name]), effect=case.effect)
        for case in CASES
    }
    kept = {}

    def judge(case, backend, level):
        key = (case, backend, level)
        if key not in kept:
            rows = records.records(case.fields, level)
            kept[key] = subjects[case].examine(rows, backend, VIAS[backend])
        return kept[key]

    return judge


def test_the_table_is_large_and_its_names_are_unique():
    assert len(CASES) >= FEWEST
    assert named_twice(CASES) == []


def test_dirty_records_lack_keys_and_hold_strangers():
    rows = records.records(tuple(records.PLAIN), "dirty")
    items = [item for row in rows if isinstance(row.get("items"), list) for item in row["items"]]

    assert any(row.keys() != records.PLAIN.keys() for row in rows)
    assert all(any(row.get(name) is None for row in rows) for name in records.PLAIN)
    assert any(item is None for item in items)
    assert any(isinstance(item, dict) and "qty" not in item for item in items)


def test_cases_reach_what_they_name(verdict):
    judged = {case.name: verdict(case, "python", "plain") for case in CASES}

    assert misspelled(judged) == []
    assert len(always_raising(judged)) <= len(CASES) // 40, always_raising(judged)


@pytest.mark.parametrize(("case", "backend"), asked(CASES, floors.NUMBA_EVERY_CASE))
def test_a_case_equals_the_loop(case, backend, verdict):
    found = {level: verdict(case, backend, level).differences for level in records.LEVELS}

    assert found == {level: [] for level in records.LEVELS}


@pytest.mark.parametrize("group", GROUPS)
def test_compiled_cases_of_a_group(group, verdict, record_property):
    cases = [case for case in CASES if case.group == group]
    judged = {case.name: verdict(case, "numpy", "plain") for case in cases}
    compiled, note = compiled_note(group, judged, deviations=True)

    record_property(NOTE, note)
    assert compiled >= floors.TABLE.get(group, 0)
