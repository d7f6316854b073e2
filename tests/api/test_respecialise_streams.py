"""At the seam between two programs: order, failures, pipelines and files."""

from __future__ import annotations

import json
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import batchprep as bp
from tests.api.respecialised import (
    BATCH,
    FORMS,
    doubled,
    small_batches,
    stage,
    told,
    xs,
)
from tests.fuzz.compare import same, same_error


@pytest.fixture
def small():
    with small_batches():
        yield


def inverse(r):
    return 1 / r["x"]


def drained(results):
    got = []
    try:
        got.extend(results)
    except Exception as error:  # noqa: BLE001  whatever the row function raises
        return got, error
    return got, None


@pytest.mark.parametrize("row", [BATCH - 1, BATCH, 2 * BATCH - 1, 2 * BATCH, 3 * BATCH])
def test_rows_before_a_failing_one_at_the_seam_come_first(small, row):
    records = xs(1, rows=BATCH) + xs(0.5, rows=4 * BATCH)
    records[row] = {"x": 0}
    got, error = drained(bp.vectorize(inverse, backend="numpy")(iter(records)))

    assert got == [inverse(r) for r in records[:row]]
    assert isinstance(error, ZeroDivisionError)
    assert f"row {row}," in error.__notes__[0]


def further(r):
    return 0 if r["x"] is None else (r["x"], r["y"])


def test_no_more_is_read_at_the_seam_than_a_batch(small):
    records = [{"x": None, "y": None}] * (3 * BATCH) + [{"x": 1, "y": None}] * (6 * BATCH)
    read = []

    def source():
        for r in records:
            read.append(r)
            yield r

    f = bp.vectorize(further, backend="numpy")
    ahead = []
    for number, result in enumerate(f(source())):
        assert result == further(records[number])
        ahead.append(len(read) - number)

    assert max(ahead[2 * BATCH :]) == BATCH  # before that a field of nulls alone is looked into
    assert stage(f).note == f"made anew for x int from row {4 * BATCH} on"


@pytest.mark.parametrize("on_error", ["null", "drop"])
@pytest.mark.parametrize("form", FORMS)
def test_failed_rows_on_both_sides_of_the_seam_are_kept(small, on_error, form):
    records = xs(1, rows=BATCH) + xs(0.5, rows=3 * BATCH)
    bad = [0, BATCH, 2 * BATCH - 1, 2 * BATCH, 4 * BATCH - 1]
    for row in bad:
        records[row] = {"x": 0}
    f = bp.vectorize(inverse, backend="numpy", on_error=on_error)
    wanted = [None if r["x"] == 0 else inverse(r) for r in records]

    got = list(f(FORMS[form](records)))
    assert got == [value for value in wanted if on_error == "null" or value is not None]
    assert f.report().failures["row"].to_pylist() == bad
    assert stage(f).note


# -------------------------------------------------------------------------------- as in the loop


def mixed(r):
    x = r.get("x", "absent")
    if x is None:
        return {"none": r["y"]}
    if isinstance(x, str):
        return x + r["y"]
    return {"value": x // r["y"], "x": x, "record": r}


def kept(r):
    r["z"] = r["y"] if r.get("x") else r.get("x")
    return r


VALUES = [
    st.integers(-2, 2),
    st.floats(-1, 1),
    st.none(),
    st.sampled_from(["a", "b"]),
    st.booleans(),
    st.just(2**70),
    st.lists(st.integers(0, 1), max_size=1),
]
FIELD = st.sampled_from(VALUES)


@st.composite
def streams(draw):
    """Records in stretches, each of which has values of a few kinds of its own."""
    records: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 5))):
        of_x, of_y = st.one_of(draw(FIELD), draw(FIELD)), draw(FIELD)
        fields = st.fixed_dictionaries({"y": of_y}, optional={"x": of_x})
        records += draw(st.lists(fields, min_size=1, max_size=3 * BATCH))
    return records


@settings(max_examples=60)
@given(
    records=streams(),
    function=st.sampled_from([mixed, kept, doubled]),
    backend=st.sampled_from(["python", "numpy", "auto"]),
    form=st.sampled_from(sorted(FORMS)),
    on_error=st.sampled_from(["raise", "null", "drop"]),
)
def test_results_are_those_of_the_loop(records, function, backend, form, on_error):
    own = [dict(r) for r in records]
    outcomes = [outcome(function, r) for r in own]
    wanted, error = [], None
    for value, failed in outcomes:
        if failed is not None and on_error == "raise":
            error = failed
            break
        if failed is None or on_error == "null":
            wanted.append(value)
    f = bp.vectorize(function, backend=backend, on_error=on_error, on_unsupported="ignore")
    before = [dict(r) for r in records]
    with small_batches():
        got, raised = drained(f(FORMS[form](records))) if form == "iterator" else listed(f, records)

    assert raised is error is None or same_error(raised, error)
    assert same(got, wanted) or (form == "list" and error is not None)
    assert same(records, before)
    if on_error != "raise":
        failed_rows = [row for row, (_, failed) in enumerate(outcomes) if failed is not None]
        assert f.report().failures["row"].to_pylist() == failed_rows


def outcome(function, record):
    try:
        return function(record), None
    except Exception as error:  # noqa: BLE001  whatever the row function raises
        return None, error


def listed(f, records):
    try:
        return f(records), None
    except Exception as error:  # noqa: BLE001  whatever the row function raises
        return [], error


# -------------------------------------------------------------------------------------- pipelines


PIPE = bp.Pipeline(backend="numpy").filter(lambda r: r["x"] != 7).map(lambda r: {"b": r["x"] * 2})


@pytest.mark.parametrize("form", FORMS)
def test_chains_are_made_anew_too(small, form):
    records = xs(1, 7, 0.5, 7, "a")
    wanted = [{"b": r["x"] * 2} for r in records if r["x"] != 7]

    assert same(list(PIPE(FORMS[form](records))), wanted)
    note = PIPE.report().stages[-1].note
    assert note.startswith("made anew for x float from row ")
    assert note.count("made anew for x str") == 1


def twice(r):
    return {"b": r["x"] * 2}


def maybe(r):
    return None if isinstance(r["x"], str) else {"b": r["x"]}


def keyed(r):
    return {"b": r["x"], "c": 1} if isinstance(r["x"], float) else {"c": r["x"]}


def written(folder, source, *, times, function=twice):
    """What a run writes, what fails, and what its report says."""
    target = folder / f"{times}.parquet"
    pipe = bp.Pipeline(backend="numpy", on_error="drop").map(function)
    with small_batches(times=times):
        report = pipe.run(source, target, overwrite=True)
    return pq.read_table(target), report.failures, report.stages[1].note


STRETCHES = [st.integers(-2, 2), st.floats(-1, 1), st.sampled_from(["a", "b"]), st.booleans()]


@settings(max_examples=25)
@given(
    first=st.integers(-2, 2),
    values=st.lists(st.sampled_from(STRETCHES).flatmap(lambda of: of), max_size=4),
    function=st.sampled_from([twice, maybe, keyed, told]),
)
def test_columns_keep_the_type_that_the_first_batch_fixed(
    tmp_path_factory, first, values, function
):
    rows, folder = xs(first, *values), tmp_path_factory.mktemp("written")
    table, failures, note = written(folder, iter(rows), times=0, function=function)
    again, failed_again, _ = written(folder, iter(rows), times=4, function=function)

    assert note == ""
    assert again.schema == table.schema
    assert same(again.to_pylist(), table.to_pylist())
    assert failed_again.equals(failures)


def unspelled(r):
    return {"b": json.loads(r["x"]) if isinstance(r["x"], str) else r["x"]}


@pytest.mark.parametrize("function", [maybe, unspelled])
def test_columns_are_not_made_by_a_program_without_a_type_for_them(tmp_path, function):
    _, _, note = written(tmp_path, iter(xs(1, "1")), times=4, function=function)

    assert note == ""


def test_ndjson_is_read_by_the_program_made_anew(small, tmp_path):
    file = tmp_path / "rows.ndjson"
    file.write_text("".join(f"{json.dumps(r)}\n" for r in xs(1, 0.5)))
    table, failures, note = written(tmp_path, bp.scan(file), times=4)

    assert table["b"].to_pylist() == [2] * 2 * BATCH
    assert len(failures) == 2 * BATCH  # 1.0 is no int
    assert PIPE(bp.scan(file))["b"].to_pylist() == [2.0] * 2 * BATCH + [1.0] * 2 * BATCH
    assert note


def other_keys(r):
    return {"b": r.get("y") if isinstance(r["x"], str) else 0}


def test_ndjson_keeps_keys_that_only_later_values_ask_for(small, tmp_path):
    rows = [{"x": 1, "y": 1}] * (3 * BATCH) + [{"x": "a", "y": 2}] * 3
    file = tmp_path / "rows.ndjson"
    file.write_text("".join(f"{json.dumps(r)}\n" for r in rows))
    bp.Pipeline(backend="numpy").map(other_keys).run(bp.scan(file), tmp_path / "out.parquet")

    written = pq.read_table(tmp_path / "out.parquet")["b"].to_pylist()
    assert written == [0] * (3 * BATCH) + [2] * 3
