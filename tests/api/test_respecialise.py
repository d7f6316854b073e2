"""A program is made anew where the records turn out to hold other kinds of values than before."""

from __future__ import annotations

from datetime import date
from itertools import chain, repeat
from typing import NamedTuple

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.api import calls, programs, respecialise
from batchprep.records import iterator
from tests.api.respecialised import (
    BATCH,
    FORMS,
    doubled,
    small_batches,
    stage,
    told,
    xs,
)
from tests.fuzz.compare import same


@pytest.fixture
def small():
    with small_batches():
        yield


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("records", "kinds"),
    [
        (xs(1, 1.5), "float"),
        (xs("a", 3), "int"),
        (xs(1, "a"), "str"),
        (xs(1, True), "bool"),
        (xs(1) + [{"x": 1.5}, {"x": "a"}] * (2 * BATCH), "float or str"),
    ],
)
def test_rows_after_the_seam_are_compiled(small, form, records, kinds):
    f = bp.vectorize(told, backend="numpy")

    assert same(list(f(FORMS[form](records))), [told(r) for r in records])
    assert stage(f).note == f"made anew for x {kinds} from row {3 * BATCH} on"
    assert stage(f).deviations == {"irregular value in x": BATCH}
    assert (stage(f).rows_in, stage(f).rows_out) == (len(records), len(records))


def test_every_backend_runs_what_is_made_anew(small, backend):
    f = bp.vectorize(doubled, backend=backend)

    assert same(f(xs(1, 0.5)), [2] * (2 * BATCH) + [1.0] * (2 * BATCH))
    assert stage(f).backend == backend
    assert stage(f).note == f"made anew for x float from row {3 * BATCH} on"
    assert stage(f).deviations == {"irregular value in x": BATCH}


def present(r):
    return "none" if r["x"] is None else r["x"] + r["y"]


@pytest.mark.parametrize("form", FORMS)
def test_stream_that_begins_with_nulls_reads_further_fields_at_the_seam(small, form):
    records = [{"x": None, "y": 0}] * (4 * BATCH) + [{"x": 2, "y": 0.5}] * (3 * BATCH)
    f = bp.vectorize(present, backend="numpy")

    assert same(list(f(FORMS[form](records))), [present(r) for r in records])
    # A list shows its fields in a sample, an iterator in the batch at the seam.
    further = f"; made anew for y float from row {6 * BATCH} on" if form == "list" else ""
    assert stage(f).note == f"made anew for x int from row {5 * BATCH} on{further}"


def get(r):
    return r.get("late", 0) + r["x"]


@pytest.mark.parametrize("form", FORMS)
def test_field_that_appears_late_is_compiled(small, form):
    records = xs(1) + [{"x": 1, "late": 2}] * (3 * BATCH)
    f = bp.vectorize(get, backend="numpy")

    assert list(f(FORMS[form](records))) == [get(r) for r in records]
    assert stage(f).note == f"made anew for late int from row {3 * BATCH} on"


class Point(NamedTuple):
    x: object


def test_records_with_attributes_are_as_good(small):
    points = [Point(1)] * BATCH + [Point(0.5)] * (2 * BATCH)
    f = bp.vectorize(lambda r: r.x * 2, backend="numpy")

    assert list(f(iter(points))) == [p.x * 2 for p in points]
    assert stage(f).note == f"made anew for x float from row {2 * BATCH} on"


@pytest.mark.parametrize("form", FORMS)
def test_kinds_are_only_ever_added(small, form):
    records = list(chain.from_iterable(repeat(xs(1, 1.5, rows=BATCH), 6)))
    f = bp.vectorize(doubled, backend="numpy")

    assert same(list(f(FORMS[form](records))), [doubled(r) for r in records])
    assert stage(f).note.count("made anew") == 1
    assert stage(f).deviations == {"irregular value in x": BATCH}


def test_other_kinds_again_and_again_are_given_up_after_a_few_times(small):
    values = [1, 0.5, "a", None, True, date(2024, 1, 1), [1], (1,), {"a": 1}]
    records = xs(*values)
    f = bp.vectorize(lambda r: r["x"] == 1, backend="numpy")

    assert list(f(iter(records))) == [r["x"] == 1 for r in records]
    assert stage(f).note.count("made anew") == respecialise.MOST_TIMES


def test_real_batches_are_judged_by_real_thresholds():
    rows = iterator.ITERATOR_ROWS
    records = xs(1, rows=rows) + xs(0.5, rows=rows + 1)
    f = bp.vectorize(doubled, backend="numpy")

    assert list(f(iter(records)))[-1] == 1.0
    assert stage(f).note == f"made anew for x float from row {2 * rows:,} on"
    assert "numpy on cpu (made anew for x float from row 131,072 on)" in str(f.report())


# ------------------------------------------------------------------------- what is not made anew


@pytest.fixture
def traced(monkeypatch):
    """The programs that are made from now on."""
    made, make = [], programs.make_program
    monkeypatch.setattr(
        programs, "make_program", lambda *given: made.append(make(*given)) or made[-1]
    )
    return made


def test_few_irregular_rows_are_left_to_the_interpreter(small, traced, monkeypatch):
    monkeypatch.setattr(calls, "STREAM_ROWS", 100)
    records = xs(1, rows=BATCH) + (xs(1, rows=94) + xs(0.5, rows=6)) * 5
    f = bp.vectorize(doubled, backend="numpy")

    assert same(list(f(iter(records))), [doubled(r) for r in records])
    assert stage(f).note == ""
    assert stage(f).deviations == {"irregular value in x": 30}
    assert len(traced) == 1


def test_small_batches_are_judged_together(small, monkeypatch):
    monkeypatch.setattr(respecialise, "FEWEST_ROWS", 3 * BATCH)
    records = xs(1, rows=BATCH) + xs(0.5, rows=4 * BATCH)
    f = bp.vectorize(doubled, backend="numpy")

    assert list(f(iter(records))) == [doubled(r) for r in records]
    assert stage(f).note == f"made anew for x float from row {3 * BATCH} on"


def test_one_odd_batch_among_many_small_ones_is_no_reason(small, monkeypatch, traced):
    monkeypatch.setattr(respecialise, "FEWEST_ROWS", 12 * BATCH)
    records = xs(1, rows=11 * BATCH) + xs(0.5, rows=BATCH) + xs(1, rows=2 * BATCH)
    f = bp.vectorize(doubled, backend="numpy")

    assert list(f(iter(records))) == [doubled(r) for r in records]
    assert len(traced) == 1


@pytest.mark.parametrize("value", [2**70, "\ud800"])
def test_values_that_no_kind_holds_are_not_traced_for(small, traced, value):
    records = xs(1 if value == 2**70 else "a", value, rows=6 * BATCH)
    f = bp.vectorize(doubled, backend="numpy")

    assert list(f(iter(records))) == [doubled(r) for r in records]
    assert stage(f).note == ""
    assert len(traced) == 1


def test_nothing_is_traced_when_no_batch_follows(small, traced):
    f = bp.vectorize(doubled, backend="numpy")
    list(f(iter(xs(1, 0.5, rows=BATCH))))

    assert len(traced) == 1


def test_declared_types_stay(small, traced):
    batch = bp.from_records(xs(1, 0.5), pa.schema([("x", pa.int64())]))
    f = bp.vectorize(doubled, backend="numpy")

    assert list(f(batch)) == [doubled(r) for r in xs(1, 0.5)]
    assert stage(f).note == ""
    assert len(traced) == 1


def test_a_second_call_knows_both_programs(small, traced):
    f = bp.vectorize(doubled, backend="numpy")
    for _ in range(3):
        list(f(iter(xs(1, 0.5))))

    assert stage(f).note == f"made anew for x float from row {3 * BATCH} on"
    assert len(traced) == 2


def local_import(r):
    if isinstance(r["x"], str):
        import re  # which cannot be compiled, where it is reached

        return re.escape(r["x"])
    return r["x"]


def test_program_that_would_not_compile_is_not_taken(small):
    records = xs(1, "a.b", rows=4 * BATCH)
    f = bp.vectorize(local_import, backend="numpy", on_unsupported="raise")

    assert list(f(iter(records))) == [local_import(r) for r in records]


# ------------------------------------------------------------------------------------- exceptions
