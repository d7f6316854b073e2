"""A program is made anew where the records turn out to hold other kinds of values than before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from itertools import chain, repeat
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import batchprep as bp
from batchprep.api import calls, programs, respecialise
from batchprep.records import iterator
from batchprep.records import list as records_list
from batchprep.records import open as records_open
from batchprep.records.iterator import IteratorSource
from batchprep.records.scan import scanned
from batchprep.records.scan.records_source import RecordFileSource
from tests.fuzz.compare import same, same_error

BATCH = 8


@contextmanager
def small_batches(*, times: int = respecialise.MOST_TIMES) -> Iterator[None]:
    """Batches of a few rows, of which the first alone tells the kinds."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(calls, "LIST_ROWS", BATCH)
        patched.setattr(calls, "STREAM_ROWS", BATCH)
        patched.setattr(respecialise, "FEWEST_ROWS", BATCH // 2)
        patched.setattr(respecialise, "MOST_TIMES", times)
        patched.setattr(records_open, "IteratorSource", SmallIterator)
        patched.setattr(scanned, "RecordFileSource", SmallFiles)
        patched.setattr(iterator, "_LOOK_AHEAD", 1)
        patched.setattr(records_list, "sample", lambda records: records[:BATCH])
        yield


class SmallIterator(IteratorSource):
    def __init__(self, records):
        super().__init__(records, BATCH)

    def batches(self, rows=BATCH):
        return super().batches(rows)


class SmallFiles(RecordFileSource):
    def __init__(self, *given):
        super().__init__(*given)
        self._rows = BATCH

    def batches(self, rows=BATCH):
        return super().batches(rows)


@pytest.fixture
def small() -> Iterator[None]:
    with small_batches():
        yield


def doubled(r):
    return r["x"] * 2


def xs(*values, rows=2 * BATCH):
    """Records with each of the values in so many rows."""
    return [{"x": value} for value in values for _ in range(rows)]


def stage(function):
    return function.report().stages[0]


FORMS = {"list": lambda records: records, "iterator": iter}


# ----------------------------------------------------------------------------- what is made anew


def told(r):
    return {"x": r["x"], "is_one": r["x"] == 1}


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
