"""Two NaN are two keys, however often a loop computes one."""

import pytest

import batchprep as bp
from tests.loops.test_table import outcome


def counted_by_item(records):
    counts = {}
    for r in records:
        if float(r["s"]) not in counts:
            counts[float(r["s"])] = 0
        counts[float(r["s"])] += 1
    return counts


def counted_by_get(records):
    counts = {}
    for r in records:
        counts[float(r["s"])] = counts.get(float(r["s"]), 0) + 1
    return len(counts), max(counts.values())


@pytest.mark.parametrize("texts", [["1", "2", "1"], ["nan", "1", "1"], ["1", "nan", "1", "nan"]])
@pytest.mark.parametrize("function", [counted_by_item, counted_by_get], ids=lambda f: f.__name__)
def test_a_key_that_is_computed_twice_is_two_where_it_is_nan(function, texts):
    records = [{"s": text} for text in texts * 30]
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")

    assert repr(outcome(run, records)) == repr(outcome(function, records))
