"""At least 320 row functions over lists, dicts, loops and exceptions: equal to the row loop."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.summary import NOTE
from tests.nested import constants, floors, records
from tests.nested.harness import Subject
from tests.nested.table import CASES, GROUPS

FEWEST = 320
EVERY = {"python": 1, "numpy": 1, "numba": floors.NUMBA_EVERY_CASE}
VIAS = {"python": ("list", "iterator"), "numpy": ("list", "arrow"), "numba": ("list",)}
ASKED = [
    pytest.param(case, backend, id=f"{case.group}: {case.name} [{backend}]")
    for backend, every in EVERY.items()
    for case in CASES[::every]
]


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
    names = Counter((case.group, case.name) for case in CASES)

    assert len(CASES) >= FEWEST
    assert [name for name, count in names.items() if count > 1] == []


def test_dirty_records_lack_keys_and_hold_strangers():
    rows = records.records(tuple(records.PLAIN), "dirty")
    items = [item for row in rows if isinstance(row.get("items"), list) for item in row["items"]]

    assert any(row.keys() != records.PLAIN.keys() for row in rows)
    assert all(any(row.get(name) is None for row in rows) for name in records.PLAIN)
    assert any(item is None for item in items)
    assert any(isinstance(item, dict) and "qty" not in item for item in items)


def test_cases_reach_what_they_name(verdict):
    judged = {case.name: verdict(case, "python", "plain") for case in CASES}
    misspelled = [
        name
        for name, one in judged.items()
        if any(type(outcome.error) is NameError for outcome in one.outcomes)
    ]
    always_raise = [
        name for name, one in judged.items() if all(outcome.error for outcome in one.outcomes)
    ]

    assert misspelled == []
    assert len(always_raise) <= len(CASES) // 40, always_raise


@pytest.mark.parametrize(("case", "backend"), ASKED)
def test_a_case_equals_the_loop(case, backend, verdict):
    found = {level: verdict(case, backend, level).differences for level in records.LEVELS}

    assert found == {level: [] for level in records.LEVELS}


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
    missing += [
        f"    {case.name}    compiles; {judged.deviating} of {len(judged.outcomes)} rows deviate"
        for case in cases
        if (judged := verdict(case, "numpy", "plain")).deviating > judged.failing
    ]

    record_property(NOTE, "\n".join([f"{group}: {compiled} of {len(cases)} compile", *missing]))
    assert compiled >= floors.TABLE.get(group, 0)
