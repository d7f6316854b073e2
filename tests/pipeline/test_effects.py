"""What interpreted steps see, and when: as in nested loops."""

from __future__ import annotations

import itertools

import pytest

import batchprep as bp

RECORDS = [{"a": 3}, {"a": 1}, {"a": 0}, {"a": 5}]


def logging(log, name, f):
    """The function, which writes down each value that it sees."""

    def logged(value):
        log.append((name, value["a"] if isinstance(value, dict) else value))
        return f(value)

    return logged


def pipe_of(log, on_error):
    empty = bp.Pipeline(on_error=on_error, on_unsupported="ignore")
    return (
        empty.filter(logging(log, "one", lambda r: r["a"] != 1))
        .flat_map(logging(log, "two", lambda r: [r["a"], -r["a"]]))
        .map(logging(log, "three", lambda x: 6 // x))
    )


def by_step(log):
    return {name: [value for n, value in log if n == name] for name in ("one", "two", "three")}


@pytest.mark.parametrize("source", [list, iter])
def test_no_step_sees_a_row_after_the_one_that_fails(source):
    log = []

    with pytest.raises(ZeroDivisionError):
        list(pipe_of(log, "raise")(source(RECORDS)))

    assert by_step(log) == {"one": [3, 1, 0], "two": [3, 0], "three": [3, -3, 0]}


@pytest.mark.parametrize("on_error", ["null", "drop"])
@pytest.mark.parametrize("source", [list, iter])
def test_every_step_sees_the_rows_after_one_that_fails_once(source, on_error):
    log = []

    list(pipe_of(log, on_error)(source(RECORDS)))

    assert by_step(log) == {
        "one": [3, 1, 0, 5],
        "two": [3, 0, 5],
        "three": [3, -3, 0, 0, 5, -5],
    }


def test_effects_of_interpreted_steps_come_in_the_order_of_nested_loops():
    log = []

    pipe_of(log, "drop")(RECORDS[:2] + RECORDS[3:])

    assert log == [
        ("one", 3), ("two", 3), ("three", 3), ("three", -3),
        ("one", 1),
        ("one", 5), ("two", 5), ("three", 5), ("three", -5),
    ]  # fmt: skip


def test_an_interpreted_step_after_compiled_ones_sees_what_they_pass_on():
    log = []
    pipe = (
        bp.Pipeline(on_unsupported="ignore")
        .filter(lambda r: r["a"] > 0)
        .map(lambda r: {"a": 6 // (r["a"] - 1)})
        .map(logging(log, "three", lambda r: r))
    )

    with pytest.raises(ZeroDivisionError):
        pipe([{"a": 3}, {"a": -1}, {"a": 2}, {"a": 1}, {"a": 4}])

    assert log == [("three", 3), ("three", 6)]


def test_an_interpreted_step_before_compiled_ones_runs_no_row_after_the_failing_one():
    log = []
    pipe = (
        bp.Pipeline(on_unsupported="ignore")
        .filter(logging(log, "one", lambda r: r["a"] != 3))
        .map(lambda r: {"a": 6 // (r["a"] - 1)})
    )

    with pytest.raises(ZeroDivisionError):
        pipe([{"a": 3}, {"a": 2}, {"a": 1}, {"a": 4}])

    assert log == [("one", 3), ("one", 2), ("one", 1)]


def test_results_before_the_failing_row_come_out_of_an_iterator_first():
    results = pipe_of([], "raise")(iter(RECORDS))

    assert list(itertools.islice(results, 2)) == [2, -2]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert list(results) == []


def test_results_of_a_generator_before_it_fails_come_out_of_an_iterator_first():
    def counted(r):
        yield r["a"]
        raise LookupError(r["a"])

    results = bp.Pipeline(on_unsupported="ignore").flat_map(counted)(iter([{"a": 1}, {"a": 2}]))

    assert next(results) == 1
    with pytest.raises(LookupError, match="1"):
        next(results)


def test_an_iterator_is_not_read_before_its_results_are():
    read = []

    def source():
        for record in RECORDS:
            read.append(record)
            yield record

    results = bp.Pipeline().filter(lambda r: r["a"] > 0)(source())

    assert read == []
    assert list(results) == [{"a": 3}, {"a": 1}, {"a": 5}]
    assert read == RECORDS


def test_what_a_source_raises_comes_after_the_results_of_the_rows_before():
    def source():
        yield {"a": 1}
        yield {"a": 2}
        raise OSError("the line is dead")

    results = bp.Pipeline().map(lambda r: r["a"] + 1)(source())

    assert list(itertools.islice(results, 2)) == [2, 3]
    with pytest.raises(OSError, match="the line is dead"):
        next(results)


def test_a_function_that_writes_and_returns_the_record_leaves_the_callers_alone():
    def marked(r):
        r["seen"] = True
        return r

    records = [{"a": 1}, {"a": 2}]

    found = bp.Pipeline().filter(lambda r: r["a"] > 0).map(marked).map(marked)(records)

    assert found == [{"a": 1, "seen": True}, {"a": 2, "seen": True}]
    assert records == [{"a": 1}, {"a": 2}]


def test_a_later_step_sees_no_write_of_a_with_columns_function():
    def doubled(r):
        r["a"] = r["a"] * 2
        return r

    pipe = bp.Pipeline(on_unsupported="ignore").with_columns(b=doubled, c=lambda r: r["a"])

    assert pipe([{"a": 1}]) == [{"a": 1, "b": {"a": 2}, "c": 1}]
