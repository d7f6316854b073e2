"""A pipeline is a value: it does not change, can be shared by threads, and travels."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import cloudpickle
import pytest

import batchprep as bp
from tests.pipeline.named_functions import halves, inverse, positive

RECORDS = [{"a": 4, "b": "x"}, {"a": 0, "b": "y"}, {"a": 2, "b": "z"}, {"a": 6, "b": "x"}]
THREADS, CALLS = 8, 20
STEPS = {
    "filter": lambda pipe: pipe.filter(positive),
    "map": lambda pipe: pipe.map(inverse),
    "filter_map": lambda pipe: pipe.filter_map(inverse),
    "flat_map": lambda pipe: pipe.flat_map(halves),
    "with_columns": lambda pipe: pipe.with_columns(c=positive),
    "select": lambda pipe: pipe.select("a"),
    "drop": lambda pipe: pipe.drop("b"),
    "rename": lambda pipe: pipe.rename({"a": "x"}),
}


def chain(**options):
    options = {"on_unsupported": "ignore", **options}  # also in threads, where no use() reaches
    return bp.Pipeline(**options).filter(positive).flat_map(halves).map(inverse).drop("n")


def loops(records):
    for record in records:
        if positive(record):
            for item in halves(record):
                found = inverse(item)
                yield {key: value for key, value in found.items() if key != "n"}


def test_an_empty_pipeline_hands_the_records_through():
    assert bp.Pipeline()(RECORDS) == RECORDS
    assert list(bp.Pipeline()(iter(RECORDS))) == RECORDS


@pytest.mark.parametrize("step", STEPS)
def test_a_step_makes_a_new_pipeline_and_leaves_the_old(step):
    old = bp.Pipeline().filter(positive)
    before = old(RECORDS)

    new = STEPS[step](old)

    assert new is not old
    assert old(RECORDS) == before


def test_two_pipelines_that_grow_from_one_do_not_meet():
    trunk = bp.Pipeline().filter(positive)
    one, other = trunk.select("a"), trunk.select("b")

    assert one(RECORDS[:1]) == [{"a": 4}]
    assert other(RECORDS[:1]) == [{"b": "x"}]
    assert trunk(RECORDS[:1]) == RECORDS[:1]


def test_names_given_to_a_step_may_change_afterwards():
    names = {"a": "x"}
    pipe = bp.Pipeline().rename(names)
    names["b"] = "y"

    assert pipe(RECORDS[:1]) == [{"x": 4, "b": "x"}]


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_threads_share_a_pipeline_and_have_their_own_reports(backend):
    pipe = chain(backend=backend, on_error="drop")
    start = threading.Barrier(THREADS)

    def run(number):
        start.wait()
        for call in range(CALLS):
            records = RECORDS * (number + call + 1) + [{"a": 2, "b": None}] * number
            expected = list(_survivors(records))
            assert pipe(records) == expected
            assert pipe.report().rows == len(records)
            assert len(pipe.report().failures) == _failing(records)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(run, number) for number in range(THREADS)]:
            done.result()


def _survivors(records):
    for record in records:
        if record["a"] != 2:
            yield from loops([record])


def _failing(records):
    return 2 * sum(record["a"] == 2 for record in records)


def test_each_step_may_be_pickled_by_name():
    pipe = chain(backend="numpy", on_error="drop")

    again = pickle.loads(pickle.dumps(pipe))

    assert again(RECORDS) == pipe(RECORDS) == list(_survivors(RECORDS))
    assert len(again.report().failures) == 2


@pytest.mark.parametrize("step", STEPS)
def test_pipelines_of_every_step_pickle(step):
    pipe = STEPS[step](bp.Pipeline(on_error="null"))

    assert pickle.loads(pickle.dumps(pipe))(RECORDS) == pipe(RECORDS)


def test_a_pipeline_pickles_after_it_was_called():
    pipe = chain(on_error="null")
    pipe(RECORDS)

    assert pickle.loads(pickle.dumps(pipe))(RECORDS) == pipe(RECORDS)


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_a_pipeline_of_lambdas_pickles(pickler):
    factor = 3
    pipe = bp.Pipeline().map(lambda r: {"a": r["a"] * factor}).filter(lambda r: r["a"] > 0)

    assert pickle.loads(pickler.dumps(pipe))(RECORDS) == [{"a": 12}, {"a": 6}, {"a": 18}]


def test_a_pipeline_of_column_expressions_pickles():
    pipe = bp.Pipeline().with_columns(ratio=bp.col("a") / 4, last=bp.lit(1))

    assert pickle.loads(pickle.dumps(pipe))(RECORDS[:1]) == [
        {"a": 4, "b": "x", "ratio": 1.0, "last": 1}
    ]


def test_a_vectorized_function_is_a_step_as_its_function_is():
    vectorized = bp.vectorize(inverse)

    assert bp.Pipeline().map(vectorized)(RECORDS[:1]) == [inverse(RECORDS[0])]


@pytest.mark.parametrize("step", ["filter", "map", "filter_map", "flat_map"])
@pytest.mark.parametrize("wrong", [None, 3, "a", {"a": 1}])
def test_a_step_that_is_no_function_is_refused_when_it_is_added(step, wrong):
    with pytest.raises(TypeError, match=r"function"):
        getattr(bp.Pipeline(), step)(wrong)


def test_repr_names_the_steps():
    text = repr(chain())

    assert all(name in text for name in ("filter", "positive", "flat_map", "halves", "drop"))
