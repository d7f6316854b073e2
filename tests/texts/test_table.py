"""At least 300 row functions of text work: equal to the row loop over dirty texts, everywhere."""

from __future__ import annotations

import pytest

from tests.fuzz.summary import NOTE
from tests.tables.cases import always_raising, asked, compiled_note, misspelled, named_twice
from tests.texts import dirty, floors
from tests.texts.harness import Subject
from tests.texts.table import CASES, GROUPS

FEWEST = 300


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
            kept[key] = subjects[case].examine(dirty.records(case.fields, level), backend)
        return kept[key]

    return judge


def test_the_table_is_large_and_its_names_are_unique():
    assert len(CASES) >= FEWEST
    assert named_twice(CASES) == []


@pytest.mark.parametrize("level", dirty.LEVELS)
def test_records_hold_what_their_level_promises(level):
    records = dirty.records(tuple(dirty.FIELDS), level)
    values = [value for record in records for value in record.values()]
    complete = all(record.keys() == dirty.FIELDS.keys() for record in records)
    texts = [value for value in values if isinstance(value, str)]

    assert complete == (level != "dirty")
    assert (None in values) == (dirty.HUGE in values) == (level == "dirty")
    assert all(map(str.isascii, texts)) == (level == "ascii")


def test_cases_reach_what_they_name(verdict):
    judged = {case.name: verdict(case, "python", "texts") for case in CASES}

    assert misspelled(judged) == []
    assert len(always_raising(judged)) <= len(CASES) // 20, always_raising(judged)


@pytest.mark.parametrize(("case", "backend"), asked(CASES, floors.NUMBA_EVERY_CASE))
def test_a_case_equals_the_loop(case, backend, verdict):
    found = {level: verdict(case, backend, level).differences for level in dirty.LEVELS}

    assert found == {level: [] for level in dirty.LEVELS}


@pytest.mark.parametrize("group", GROUPS)
def test_compiled_cases_of_a_group(group, verdict, record_property):
    cases = [case for case in CASES if case.group == group]
    judged = {case.name: verdict(case, "numpy", "texts") for case in cases}
    compiled, note = compiled_note(group, judged)

    record_property(NOTE, note)
    assert compiled >= floors.TABLE.get(group, 0)


def _is_beyond(case, level, judged):
    """Whether more rows deviate than those that raise or are extreme, and the stated share."""
    records = dirty.records(case.fields, level)
    allowed = judged.failing + sum(map(dirty.is_extreme, records))
    return judged.compiled and judged.deviating > allowed + floors.SHARES[level] * len(records)


def test_compiled_cases_deviate_only_where_they_must(verdict, record_property):
    beyond = {
        case.name: f"{judged.deviating} rows of {level}, of which {judged.failing} raise"
        for case in CASES
        for level in dirty.LEVELS
        if _is_beyond(case, level, judged := verdict(case, "numpy", level))
    }
    cured = sorted(floors.DEVIATING - beyond.keys())

    record_property(NOTE, f"text cases that no longer deviate beyond their share: {cured}")
    assert {name: rows for name, rows in beyond.items() if name not in floors.DEVIATING} == {}
