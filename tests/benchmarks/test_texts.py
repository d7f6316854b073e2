import json

import pyarrow as pa
import pytest

import batchprep as bp
from benchmarks import readme, tables, texts
from benchmarks.agreement import WrongAnswerError
from benchmarks.texts_peers import OURS, PEERS, ROW_LOOP, TITLES
from benchmarks.texts_tasks import TASKS
from tests.benchmarks.test_suites import ROWS, tiny_run

tasks = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
peers = pytest.mark.parametrize("name", PEERS)


def answer(name, task, table):
    _, prepare = PEERS[name]
    return prepare(task)(table)


@tasks
@peers
def test_everyone_gives_what_the_row_loop_gives(task, name):
    table = task.table(ROWS)
    _, expected = texts.looped(task, table)

    texts.check(name, answer(name, task, table), expected)


@tasks
@peers
def test_a_wrong_answer_of_anyone_is_caught(task, name):
    table = task.table(ROWS)
    _, expected = texts.looped(task, table)
    # The same question about the rows in another order: the right kind of answer, and wrong.
    other = table.take([*range(1, ROWS), 0])

    with pytest.raises(WrongAnswerError, match=f"{name}: .* differs from the row loop's"):
        texts.check(name, answer(name, task, other), expected)


def test_rows_and_columns_that_are_missing_are_caught():
    expected = pa.table({"label": ["a", "b"]})

    with pytest.raises(WrongAnswerError, match="someone: columns \\['label'\\] of 1 rows"):
        texts.check("someone", pa.table({"label": ["a"]}), expected)
    with pytest.raises(WrongAnswerError, match="someone: columns \\['name'\\] of 2 rows"):
        texts.check("someone", pa.table({"name": ["a", "b"]}), expected)


def test_another_type_is_an_error_of_ours_only():
    expected, small = pa.table({"tier": [1]}), pa.table({"tier": pa.array([1], pa.int8())})

    texts.check("polars", small, expected)
    with pytest.raises(WrongAnswerError, match="tier is int8 instead of int64"):
        texts.check(OURS, small, expected)


def test_the_tasks_of_the_suite_compile():
    for task in TASKS:
        assert bp.vectorize(task.function).explain(task.table(ROWS)).compiled


def test_names_repeat_as_often_as_the_task_says():
    few, many = (task.table(1_000)["name"].to_pylist() for task in TASKS[:2])

    assert len(set(few)) == 200
    assert len(set(many)) == 500


def test_the_loop_over_several_blocks_keeps_the_order(monkeypatch):
    (task, *_) = TASKS
    whole = texts.looped(task, task.table(ROWS))[1]
    monkeypatch.setattr(texts, "LOOP_ROWS", 7)

    assert texts.looped(task, task.table(ROWS))[1] == whole


def test_everyone_is_timed():
    cases = texts.measure(tiny_run())

    assert [case["task"] for case in cases] == [task.name for task in TASKS]
    assert all(list(case["times"]) == list(TITLES) for case in cases)
    assert all(case["times"][OURS]["ratio"] == 1.0 for case in cases)
    assert all(case["times"][ROW_LOOP]["samples"] == 1 for case in cases)
    assert json.loads(json.dumps(cases)) == cases


def test_what_has_no_time_left_is_said_to_be_skipped():
    cases = texts.measure(tiny_run(deadline=0.0))

    assert all(case["skipped"] for case in cases)
    assert tables.texts(cases).row_count == len(cases)


def test_the_readme_shows_a_row_per_task():
    found = {"machine": {"cores": 2, "architecture": "x86_64", "memory_gib": 8, "load": 0.1}}
    found["machine"]["python"] = "3.11.7"
    found["cases"] = texts.measure(tiny_run())

    lines = readme._of_texts(found)

    assert len([line for line in lines if line.startswith("| ")]) == 2 + len(found["cases"])
