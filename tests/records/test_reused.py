"""Iterators that hand out one record again and again are read as a loop reads them."""

import itertools

import pytest

import batchprep as bp
from batchprep.records.reused import apart, snapshot


def reused(count, writers=1):
    """Records of new values in the same dicts."""
    records = [{"a": None, "inner": {"b": [0]}} for _ in range(writers)]
    for number in range(count):
        record = records[number % writers]
        record["a"] = number
        record["inner"]["b"][0] = -number
        yield record


@pytest.mark.parametrize("writers", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 3, 4, 10_000])
def test_each_row_has_its_own_values(count, writers):
    function = bp.vectorize(lambda r: (r["a"] * 2, r["inner"]["b"][0]), backend="numpy")

    assert list(function(reused(count, writers))) == [(2 * n, -n) for n in range(count)]


def test_a_function_that_python_runs_gets_them_too():
    seen = []
    function = bp.vectorize(lambda r: seen.append(r["a"]), on_unsupported="ignore")
    list(function(reused(7)))

    assert seen == [*range(7)]


def test_a_pipeline_gets_them_too():
    pipe = bp.Pipeline().map(lambda r: {"b": r["a"] + 1})

    assert list(pipe(reused(6))) == [{"b": n + 1} for n in range(6)]


def total(records):
    found = 0
    for r in records:
        found += r["a"]
    return found


def test_a_whole_loop_gets_them_too():
    assert bp.vectorize_loop(total)(reused(3_000)) == sum(range(3_000))


def test_records_of_their_own_are_handed_on_as_they_are():
    records = [{"a": [n]} for n in range(9)]

    assert [*map(id, apart(iter(records), 99))] == [*map(id, records)]


def failing(count):
    yield from reused(count)
    raise ValueError("end")


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_an_exception_comes_after_the_records_before_it(count):
    records = apart(failing(count), 99)

    assert [r["a"] for r in itertools.islice(records, count)] == [*range(count)]
    with pytest.raises(ValueError, match="end"):
        next(records)


def test_no_more_is_asked_for_than_may_be():
    numbers = itertools.count()
    apart(({"a": next(numbers)} for _ in range(9)), 2)

    assert next(numbers) == 2


def test_what_holds_itself_or_cannot_be_copied_stays_itself():
    held = {}
    held["self"] = held
    moments = {"a": (generator := iter(()))}

    assert snapshot(held) is held
    assert snapshot(moments)["a"] is generator
