"""Every loop of the table gives the loop's own result, or its own exception."""

from __future__ import annotations

import copy
import re
import warnings

import pyarrow as pa
import pytest

import batchprep as bp
from tests.loops import examples

DATA = {"clean": examples.clean, "dirty": examples.dirty, "broken": examples.broken}


def outcome(function, records):
    try:
        return re.sub(r"iterator object at 0x\w+", "iterator", repr(function(records)))
    except Exception as error:  # noqa: BLE001  whatever the loop raises
        return type(error), error.args


@pytest.fixture(scope="module")
def vectorized():
    # Not "auto", under which the loop as it is written may turn out to be the faster one.
    return {f: bp.vectorize_loop(f, backend="numpy", on_unsupported="ignore") for f in examples.ALL}


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("function", examples.ALL, ids=lambda f: f.__name__)
def test_a_loop_over_a_list_gives_what_the_loop_gives(function, kind, vectorized):
    theirs, ours = DATA[kind](300), DATA[kind](300)

    assert outcome(vectorized[function], ours) == outcome(function, theirs)
    assert repr(ours) == repr(theirs)  # a loop that writes into its records does so


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("function", examples.ALL, ids=lambda f: f.__name__)
def test_a_loop_over_an_iterator_gives_what_the_loop_gives(function, kind, vectorized):
    records = DATA[kind](60)

    found = outcome(vectorized[function], iter(copy.deepcopy(records)))

    assert found == outcome(function, iter(copy.deepcopy(records)))


def test_a_record_that_an_iterator_hands_out_twice_is_written_twice():
    def doubled(records):
        for r in records:
            r["n"] += r["n"]

    records = [{"n": 1}] * 3
    bp.vectorize_loop(doubled, on_unsupported="ignore")(iter(records))

    assert records == [{"n": 8}] * 3


@pytest.mark.parametrize("function", examples.ENDING, ids=lambda f: f.__name__)
def test_a_loop_that_ends_early_reads_an_iterator_no_further(function, vectorized):
    theirs, ours = iter(examples.clean(60)), iter(examples.clean(60))

    assert outcome(vectorized[function], ours) == outcome(function, theirs)
    assert list(ours) == list(theirs)


@pytest.mark.parametrize("function", examples.ALL, ids=lambda f: f.__name__)
def test_a_loop_over_arrow_gives_what_its_records_give(function, vectorized):
    table = pa.Table.from_pylist(examples.clean(300))
    chunked = pa.concat_tables([table.slice(0, 120), table.slice(120)])

    expected = outcome(function, bp.from_arrow(chunked).to_records())

    assert outcome(vectorized[function], chunked) == expected


@pytest.mark.parametrize("function", examples.ALL, ids=lambda f: f.__name__)
def test_a_loop_over_no_records_runs_what_is_around_it(function, vectorized):
    assert outcome(vectorized[function], []) == outcome(function, [])


@pytest.mark.parametrize("function", examples.COMPILED, ids=lambda f: f.__name__)
def test_a_loop_of_a_known_class_is_compiled(function):
    strict = bp.vectorize_loop(function, on_unsupported="raise")

    strict(examples.clean(300))

    (stage,) = strict.report().stages
    assert stage.compiled
    assert (strict.report().rows, stage.reason) == (300, "")


@pytest.mark.parametrize("function", examples.PAIRS, ids=lambda f: f.__name__)
def test_a_loop_over_pairs_of_records_is_compiled(function):
    strict = bp.vectorize_loop(function, on_unsupported="raise")

    strict(examples.clean(300))

    (stage,) = strict.report().stages
    assert stage.compiled
    assert (strict.report().rows, stage.reason) == (299, "")


@pytest.mark.parametrize("function", examples.AS_THEY_STAND, ids=lambda f: f.__name__)
def test_any_other_loop_runs_as_it_stands(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FallbackWarning)
        run = bp.vectorize_loop(function)
        run(examples.clean(50))

    (stage,) = run.report().stages
    assert not stage.compiled
    assert stage.reason


def test_records_may_be_objects():
    rows = [examples.Row(i % 5, i / 3, "ab"[i % 2]) for i in range(200)]
    strict = bp.vectorize_loop(examples.attributes, on_unsupported="raise")

    assert repr(strict(rows)) == repr(examples.attributes(rows))
    assert strict.report().stages[0].compiled
