"""Long functions over few records: interpreted until tracing them would have paid."""

import pytest

import batchprep as bp
from batchprep.api import postponed
from batchprep.api.postponed import POSTPONED, Postponed, instructions
from batchprep.rowfn.record_reads import reads_fields_only
from batchprep.rowfn.source import Call

RECORDS = [{"n": n, "d": n % 7 + 1} for n in range(50)]


@pytest.fixture(autouse=True)
def long(monkeypatch):
    """Every function is long: its tracing is expected to take a minute."""
    monkeypatch.setattr(postponed, "TRACE_SECONDS", 60.0)


def share(r):
    return r["n"] / r["d"]


def stage_of(vectorized):
    (stage,) = vectorized.report().stages
    return stage.backend, stage.compiled, stage.reason


def test_few_records_are_not_worth_tracing():
    run = bp.vectorize(share)

    assert run(RECORDS) == [share(r) for r in RECORDS]
    assert stage_of(run) == ("interpreter", False, POSTPONED)


def test_it_is_traced_once_the_interpreter_has_taken_as_long():
    run = bp.vectorize(share)
    run(RECORDS)
    run._postponed.took(3600.0)

    assert run(RECORDS) == [share(r) for r in RECORDS]
    assert stage_of(run)[1:] == (True, "")


def test_what_is_traced_stays_so():
    run = bp.vectorize(share)
    run.explain(RECORDS)

    run(RECORDS)

    assert stage_of(run)[1]


@pytest.mark.parametrize("options", [{"backend": "numpy"}, {"on_unsupported": "raise"}])
def test_who_asks_for_a_compiled_function_gets_it(options):
    run = bp.vectorize(share, **options)
    run(RECORDS)

    assert stage_of(run)[1]


def test_many_records_are_traced_at_once(monkeypatch):
    monkeypatch.setattr(postponed, "TRACE_SECONDS", 50 * postponed.ROW_SECONDS)
    monkeypatch.setattr(postponed, "SHORT_SECONDS", 0.0)
    run, other = bp.vectorize(share), bp.vectorize(share)
    run(RECORDS[:10])
    other(RECORDS)

    assert not stage_of(run)[1]
    assert stage_of(other)[1]


def test_a_short_function_is_traced_at_once(monkeypatch):
    monkeypatch.undo()
    run = bp.vectorize(share)
    run(RECORDS)

    assert stage_of(run)[1]


def test_explain_tells_of_the_records_that_were_seen():
    run = bp.vectorize(share)
    run(RECORDS)

    assert run.explain().text() == bp.vectorize(share).explain(RECORDS).text()


def test_explain_knows_the_arguments_of_the_call():
    run = bp.vectorize(lambda r, most: min(r["n"], most))
    run(RECORDS, most=5)

    assert not stage_of(run)[1]
    assert run.explain().compiled


def test_a_record_that_is_written_into_stays_as_it_was():
    def doubled(r):
        r["n"] = r["n"] * 2
        return r

    records = [{"n": 1}, {"n": 2}]

    assert bp.vectorize(doubled)(records) == [{"n": 2}, {"n": 4}]
    assert records == [{"n": 1}, {"n": 2}]


def test_a_record_that_is_returned_is_the_same_object():
    run = bp.vectorize(lambda r: r)

    assert run(RECORDS)[3] is RECORDS[3]


def inverse(r):
    return helper(r["n"])


def helper(n):
    return 1 / n


def test_a_failing_row_tells_as_much_as_ever():
    notes = []
    for options in ({}, {"backend": "numpy"}):
        run = bp.vectorize(inverse, **options)
        with pytest.raises(ZeroDivisionError) as raised:
            run([{"n": 1}, {"n": 0}])
        notes.append((raised.value.__notes__, raised.traceback[-1].lineno))
        dropping = bp.vectorize(inverse, on_error="drop", **options)
        assert dropping([{"n": 1}, {"n": 0}]) == [1.0]
        notes.append(dropping.report().failures.to_pylist())

    assert notes[:2] == notes[2:]


def test_wrong_arguments_are_the_calls_fault():
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        bp.vectorize(share)(RECORDS, other=1)


def test_the_length_of_a_function_counts_what_it_calls():
    assert instructions(inverse) > instructions(helper) > 0
    assert instructions(len) == 0


def passes(r):
    return helper(r)


def keeps(r):
    return [r for _ in range(2)]


@pytest.mark.parametrize(
    ("function", "is_plain"),
    [(share, True), (inverse, True), (passes, False), (keeps, False), (lambda r: r, False)],
)
def test_a_record_of_which_only_fields_are_read_is_told_from_others(function, is_plain):
    assert reads_fields_only(Call(function)) is is_plain


def test_a_call_of_arrow_data_is_never_postponed():
    source = type("Source", (), {"kind": "arrow", "length": 1})()

    assert Postponed(share).program(source, (), {}) is None
