"""Batches of records go the way that takes less time; whichever it is, nothing else tells."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch.batch import from_arrow, from_records
from batchprep.run import ways as ways_module
from batchprep.run.either_way import (
    MADE_AT_ONCE,
    MOST_WHOLE,
    MOST_WORDS,
    has_ways,
    part_of_batch,
)
from batchprep.run.program import Options
from batchprep.run.report import ReportBuilder
from batchprep.run.runner import FASTER_IN_PYTHON, run_batch
from batchprep.run.ways import (
    AGAIN_CALLS,
    LARGE,
    TRIAL,
    TRIALS,
    WARM_UP,
    known_ways,
)
from tests.run.clock import AUTO, FIRST_TRIALS, added, counted, have_risen, records_of
from tests.run.programs import traced_program

# ---------------------------------------------------------------------------------- which batches


def test_rows_have_ways_under_auto_alone():
    records = records_of(2 * LARGE)
    compiled = traced_program(counted, records)
    whole = dataclasses.replace(compiled, trace=None)
    table = from_arrow(pa.Table.from_pylist(records))

    assert has_ways(compiled, from_records(records), AUTO)
    assert has_ways(compiled, table, AUTO)
    assert has_ways(compiled, table, AUTO, "arrow")
    assert not has_ways(compiled, from_records(records), Options(backend="numpy"))
    assert not has_ways(whole, from_records(records), AUTO)
    assert not has_ways(compiled, from_records([]), AUTO)


def test_results_whose_type_the_records_decide_have_one_way():
    records = records_of(10)
    compiled = traced_program(counted, records)
    declared = dataclasses.replace(AUTO, returns=pa.struct([("n", pa.int64())]))

    assert not has_ways(compiled, from_records(records), AUTO, "arrow")
    assert has_ways(compiled, from_records(records), declared, "arrow")


@pytest.mark.parametrize(("words", "has"), [(MOST_WORDS, True), (MOST_WORDS + 1, False)])
def test_a_large_dictionary_is_not_evaluated_for_each_part(words, has):
    indices = np.zeros(2 * LARGE, np.int32)
    names = pa.DictionaryArray.from_arrays(indices, [f"n{i}" for i in range(words)])
    table = pa.table({"s": names, "n": indices})

    assert has_ways(traced_program(counted, table), from_arrow(table), AUTO) is has


def test_many_rows_without_pieces_have_one_way(monkeypatch):
    have_risen(monkeypatch)
    records = records_of(MOST_WHOLE)
    compiled = traced_program(added, records)
    table = pa.Table.from_pylist(records)

    assert not has_ways(compiled, from_records(records), AUTO)
    assert has_ways(compiled, from_records(records[:-1]), AUTO)
    assert not has_ways(compiled, from_arrow(table.slice(0, LARGE)), AUTO)
    assert has_ways(compiled, from_arrow(table.slice(0, LARGE - 1)), AUTO)


def test_a_part_of_a_batch_knows_its_rows():
    records = records_of(10)
    batch = from_records(records)
    part = part_of_batch(batch, 3, 5)

    assert part_of_batch(batch, 0, 10) is batch
    assert [record is own for record, own in zip(part.records(None), records[3:5], strict=True)]
    assert (len(part), part.start) == (2, batch.start + 3)


# --------------------------------------------------------------------------- one call, either way


@pytest.mark.parametrize(
    ("compiled", "interpreter", "most"), [(2.0, 1.0, "interpreter"), (1.0, 2.0, "compiled")]
)
def test_the_faster_way_gets_the_rest(clock_of, compiled, interpreter, most):
    clock = clock_of(compiled=compiled, interpreter=interpreter)
    records = records_of(10_000)

    results = bp.vectorize(counted, backend="auto")(records)

    assert results == [counted(r) for r in records]
    trials = WARM_UP + FIRST_TRIALS
    assert clock.rows[most] >= len(records) - trials
    assert clock.parts[-1] == (most, len(records) - trials)
    assert min(clock.rows.values()) > 0


def test_calls_of_few_rows_take_turns_and_settle(clock_of):
    clock = clock_of(compiled=3.0, interpreter=1.0)
    run = bp.vectorize(counted, backend="auto")
    for call in range(20):
        records = records_of(3 + call % 3)
        assert run(records) == [counted(r) for r in records]

    assert all(rows < 16 for _, rows in clock.parts)
    assert {way for way, _ in clock.parts[1 + 2 * TRIALS :]} == {"interpreter"}
    assert len(clock.parts) == 20 < AGAIN_CALLS


def forms_of(trace):
    return [*ways_module._of_trace(trace).values()]


def answer(program, records, options, first_row=0):
    """(results, results before the failing row, rows that they stand for, report, error)."""
    report, before, places = ReportBuilder(program), [], []
    results = error = None
    try:
        results = run_batch(
            program, from_records(records), options, report, first_row=first_row, form="python",
            before=before, places=places,
        )  # fmt: skip
    except ZeroDivisionError as raised:
        error = raised
    rows = [part.tolist() for part in places]
    return results, before, rows, report.build(), error


@pytest.mark.parametrize("on_error", ["null", "drop"])
def test_results_places_and_report_are_those_of_one_call(clock_of, on_error):
    clock_of(compiled=2.0, interpreter=1.0)
    records = records_of(6_000, zero_at={5, 300, 700, 2_000, 5_999})
    program = traced_program(counted, records)
    options = Options(backend="auto", on_error=on_error)
    found = answer(program, records, options, first_row=50)
    expected = answer(program, records, dataclasses.replace(options, backend="numpy"), first_row=50)

    assert found[:2] == expected[:2]
    assert [np.concatenate(found[2]).tolist()] == expected[2]
    mine, theirs = found[3], expected[3]
    assert mine.failures.to_pylist() == theirs.failures.to_pylist()
    assert mine.rows == theirs.rows == len(records)
    for stage, other in zip(mine.stages, theirs.stages, strict=True):
        assert (stage.rows_in, stage.rows_out) == (other.rows_in, other.rows_out)


@pytest.mark.parametrize("failing", [0, 100, WARM_UP, WARM_UP + TRIAL + 3, 2_500, 4_999])
@pytest.mark.parametrize("faster", ["compiled", "interpreter"])
def test_an_exception_of_any_part_is_that_of_its_row(clock_of, failing, faster):
    clock_of(**{"compiled": 2.0, "interpreter": 2.0, faster: 1.0})
    records = records_of(5_000, zero_at={failing, 4_999})
    program = traced_program(counted, records)
    results, before, rows, _, error = answer(program, records, AUTO)

    assert results is None
    assert before == [counted(r) for r in records[:failing]]
    assert [row for part in rows for row in part] == list(range(failing))
    assert f"row {failing:,}" in "\n".join(error.__notes__)


def test_rows_behind_the_failing_one_do_not_run(clock_of):
    clock = clock_of(compiled=1.0, interpreter=1.0)
    records = records_of(4_000, zero_at={10})
    answer(traced_program(counted, records), records, AUTO)

    assert sum(clock.rows.values()) == WARM_UP


def test_a_failing_part_is_no_trial(clock_of):
    clock_of(compiled=1.0, interpreter=0.1)
    records = records_of(4_000)
    program = traced_program(counted, records)
    for _ in range(5):
        answer(program, records_of(4_000, zero_at={1}), AUTO)

    (ways,) = (by_size.of(len(records)) for by_size in forms_of(program.trace))
    assert ways.next(len(records)) == ("compiled", WARM_UP)


def test_an_input_that_is_written_is_not_changed_either_way(clock_of):
    clock_of(compiled=2.0, interpreter=1.0)

    def titled(r):
        r["s"] = " ".join(w.title() for w in r["s"].split())
        return r

    records = records_of(4_000)
    results = bp.vectorize(titled, backend="auto")(records)

    assert records == records_of(4_000)
    assert results == [titled(r) for r in records_of(4_000)]


# ------------------------------------------------------------------------------------ from columns


def parsed(r):
    found = r["s"].partition(" ")
    return {"first": found[0], "n": 10 // r["n"], "half": r["n"] / 2 if r["n"] > 1 else None}


def open_ended(r):
    return [w.upper() for w in r["s"].split()] if 10 // r["n"] else None


def small(r):
    return int(r["s"].split("b")[1]) // r["n"]


FUNCTIONS = [counted, parsed, open_ended, small]


@pytest.fixture(params=["compiled", "interpreter"])
def faster(request, clock_of):
    clock = clock_of(**{"compiled": 2.0, "interpreter": 2.0, request.param: 1.0})
    clock.faster = request.param
    return clock


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("rows", [5, 6_000])
def test_a_table_gives_the_same_column_either_way(faster, function, rows):
    table = pa.Table.from_pylist(records_of(rows))
    run = bp.vectorize(function, backend="auto")
    found = [run(table) for _ in range(1 + 2 * TRIALS if rows < LARGE else 1)]
    expected = bp.vectorize(function, backend="numpy")(table)

    assert all(one.combine_chunks().equals(expected.combine_chunks()) for one in found)
    assert all(
        (one.schema if isinstance(one, pa.Table) else one.type)
        == (expected.schema if isinstance(expected, pa.Table) else expected.type)
        for one in found
    )
    assert min(faster.rows.values()) > 0


def test_the_report_says_that_the_interpreter_was_faster(clock_of):
    clock_of(compiled=2.0, interpreter=1.0)
    run = bp.vectorize(parsed, backend="auto")
    table = pa.Table.from_pylist(records_of(6_000))
    run(table)
    run(table)

    assert [stage.backend for stage in run.report().stages] == [FASTER_IN_PYTHON]
    assert run.report().rows == run.report().rows_out == 6_000


def test_records_of_columns_are_made_a_few_at_a_time(clock_of):
    clock = clock_of(compiled=2.0, interpreter=1.0)
    bp.vectorize(parsed, backend="auto")(pa.Table.from_pylist(records_of(30_000)))

    assert max(rows for way, rows in clock.parts if way == "interpreter") == MADE_AT_ONCE


@pytest.mark.parametrize("on_error", ["null", "drop"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_failed_rows_of_a_table_are_the_same_either_way(faster, function, on_error):
    table = pa.Table.from_pylist(records_of(6_000, zero_at={5, 300, 2_000, 2_001, 5_999}))
    run = bp.vectorize(function, backend="auto", on_error=on_error)
    plain = bp.vectorize(function, backend="numpy", on_error=on_error)

    assert run(table).combine_chunks().equals(plain(table).combine_chunks())
    mine, theirs = run.report(), plain.report()
    assert mine.failures.equals(theirs.failures)
    assert (mine.rows, mine.rows_out) == (theirs.rows, theirs.rows_out)


@pytest.mark.parametrize("failing", [3, WARM_UP + 10, 4_000])
def test_the_first_failing_row_of_a_table_raises_either_way(faster, failing):
    table = pa.Table.from_pylist(records_of(6_000, zero_at={failing, 5_999}))
    run = bp.vectorize(parsed, backend="auto")

    with pytest.raises(ZeroDivisionError) as raised:
        run(table)

    assert f"row {failing:,}" in "\n".join(raised.value.__notes__)
    assert run.report().stopped_at == failing


def large(r):
    return 2 ** int(r["s"].split("b")[1]) // r["n"]


def with_large(rows, misfits, zeros):
    records = records_of(rows, zero_at=zeros)
    return [{**r, "s": "a b70" if i in misfits else "a b5"} for i, r in enumerate(records)]


@pytest.mark.parametrize(
    ("misfits", "zeros", "error"),
    [({1_000}, {1_005}, OverflowError), ({1_005}, {1_000}, ZeroDivisionError)],
)
def test_a_value_without_a_place_in_the_column_fails_in_its_turn(faster, misfits, zeros, error):
    table = pa.Table.from_pylist(with_large(6_000, misfits, zeros))
    run = bp.vectorize(large, backend="auto", returns=pa.int64())

    with pytest.raises(error):
        run(table)

    assert run.report().stopped_at == 1_000


def test_values_without_a_place_are_failed_rows_among_the_others(faster):
    records = with_large(6_000, {40, 1_010, 1_000}, {41, 1_005})
    run = bp.vectorize(large, backend="auto", returns=pa.int64(), on_error="drop")
    plain = bp.vectorize(large, backend="numpy", returns=pa.int64(), on_error="drop")
    table = pa.Table.from_pylist(records)

    assert run(table).to_pylist() == plain(table).to_pylist()
    assert run.report().failures.equals(plain.report().failures)
    assert run.report().failures["row"].to_pylist() == [40, 41, 1_000, 1_005, 1_010]


def test_columns_of_richer_types_keep_them_either_way(faster):
    def handed(r):
        return {**r, "word": r["s"].split()[0]}

    rows = 3_000
    table = pa.table({
        "s": ["a b"] * rows,
        "t": pa.array(range(rows), pa.timestamp("ns")),
        "d": pa.array(["x", None] * (rows // 2)).dictionary_encode(),
        "u": pa.array([1, None] * (rows // 2), pa.uint8()),
    })  # fmt: skip
    expected = bp.vectorize(handed, backend="numpy")(table)
    found = bp.vectorize(handed, backend="auto")(table)

    assert found.schema == expected.schema
    assert found.combine_chunks().equals(expected.combine_chunks())


def test_a_pipeline_over_columns_goes_either_way(faster):
    pipe = bp.Pipeline().filter(lambda r: r["n"] != 2).map(parsed)
    table = pa.Table.from_pylist(records_of(6_000))
    with bp.use(backend="numpy"):
        expected = pipe(table)

    assert pipe(table).equals(expected)
    assert faster.rows["interpreter"]


def test_a_frame_goes_either_way(faster):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(records_of(6_000), index=range(7, 6_007))
    expected = bp.vectorize(parsed, backend="numpy")(frame)

    pd.testing.assert_frame_equal(bp.vectorize(parsed, backend="auto")(frame), expected)
    assert faster.rows["interpreter"]


def test_a_polars_frame_goes_either_way(faster):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(records_of(6_000))

    assert bp.vectorize(parsed)(frame).equals(bp.vectorize(parsed, backend="numpy")(frame))
    assert faster.rows["interpreter"]


def test_what_was_measured_of_a_trace_is_known(clock_of):
    clock_of(compiled=2.0, interpreter=1.0)
    table = pa.Table.from_pylist(records_of(6_000))
    program = traced_program(counted, table)
    report = ReportBuilder(program)
    run_batch(program, from_arrow(table), AUTO, report, first_row=0, form="python")

    (ways,) = known_ways(program.trace)
    assert [trial.seconds for trial in ways.tried] == [1.0, 2.0]
