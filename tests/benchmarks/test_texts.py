import pyarrow as pa
import pytest

import batchprep as bp
from benchmarks import looped
from benchmarks.agreement import WrongAnswerError, compared
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.tasks import texts
from benchmarks.tasks.texts import CONTESTANTS, TASKS
from tests.benchmarks.scales import ROWS

tasks = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])
peers = pytest.mark.parametrize("name", [name for name in CONTESTANTS if name != ROW_LOOP])


def answer(name, task, table):
    return CONTESTANTS[name].prepare(task)(table)


def looped_over(task, table):
    return looped.looped(task.function, table, task.gives)[1]


@tasks
@peers
def test_everyone_gives_what_the_row_loop_gives(task, name):
    table = task.table(ROWS)

    texts.check(looped_over(task, table), name, answer(name, task, table))


@tasks
@peers
def test_a_wrong_answer_of_anyone_is_caught(task, name):
    table = task.table(ROWS)
    expected = looped_over(task, table)
    # The same question about the rows in another order: the right kind of answer, and wrong.
    other = table.take([*range(1, ROWS), 0])

    with pytest.raises(WrongAnswerError, match=f"{name}: .* differs from the row loop's"):
        texts.check(expected, name, answer(name, task, other))


def test_rows_and_columns_that_are_missing_are_caught():
    expected = pa.table({"label": ["a", "b"]})

    with pytest.raises(WrongAnswerError, match="someone: columns \\['label'\\] of 1 rows"):
        compared("someone", pa.table({"label": ["a"]}), expected)
    with pytest.raises(WrongAnswerError, match="someone: columns \\['name'\\] of 2 rows"):
        compared("someone", pa.table({"name": ["a", "b"]}), expected)


def test_another_type_is_an_error_of_ours_only():
    expected, small = pa.table({"tier": [1]}), pa.table({"tier": pa.array([1], pa.int8())})

    texts.check(expected, "polars", small)
    with pytest.raises(WrongAnswerError, match="tier is int8 instead of int64"):
        texts.check(expected, OURS, small)


def test_the_tasks_compile():
    for task in TASKS:
        assert bp.vectorize(task.function).explain(task.table(ROWS)).compiled


def test_names_repeat_as_often_as_the_task_says():
    few, many = (task.table(1_000)["name"].to_pylist() for task in TASKS[:2])

    assert len(set(few)) == 200
    assert len(set(many)) == 500


def test_the_loop_over_several_blocks_keeps_the_order(monkeypatch):
    (task, *_) = TASKS
    whole = looped_over(task, task.table(ROWS))
    monkeypatch.setattr(looped, "LOOP_ROWS", 7)

    assert looped_over(task, task.table(ROWS)) == whole
