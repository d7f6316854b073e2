import pyarrow as pa
import pytest

from batchprep.batch.batch import from_arrow, from_records
from batchprep.run.program import Options, Program
from tests.run.programs import root_value, root_value_program, run, share, share_program

TRADES = [{"price": 1.5 * i, "volume": i} for i in range(500)]


def fractions(rows, zero_at=()):
    return [{"n": i, "d": 0 if i in zero_at else i % 7 + 1} for i in range(rows)]


def test_results_equal_the_loop_on_every_backend(backend):
    ran = run(root_value_program(), from_records(TRADES), Options(backend=backend))

    assert ran.results == list(map(root_value, TRADES))
    assert ran.report.stages[0].backend == backend
    assert ran.report.stages[0].deviations == {}


def test_empty_batch_gives_no_results():
    assert run(share_program(), from_records([])).results == []


def test_deviating_row_is_answered_by_the_interpreter_in_its_place():
    seen = []

    def double_zero(r):
        seen.append(r)
        return "none" if r["d"] == 0 else r["n"] // r["d"]

    records = fractions(10, zero_at={3, 9})
    ran = run(share_program(double_zero), from_records(records))

    assert ran.results == [double_zero(r) for r in records]
    assert seen[:2] == [records[3], records[9]]
    assert seen[0] is records[3]
    assert ran.report.stages[0].deviations == {"division by zero": 2}


def test_irregular_row_is_answered_by_the_interpreter():
    records = [{"n": 8, "d": 2}, {"n": 2**70, "d": 1}, {"n": 3.5, "d": 2}, {"n": True, "d": 1}]

    ran = run(share_program(), from_records(records))

    assert list(map(repr, ran.results)) == [repr(share(r)) for r in records]
    assert ran.report.stages[0].deviations == {"irregular value in n": 3}


def test_first_failing_row_raises_and_later_rows_do_not_run():
    seen = []

    def noted(r):
        seen.append(r["n"])
        return share(r)

    with pytest.raises(ZeroDivisionError):
        run(share_program(noted), from_records(fractions(10, zero_at={4, 7})))

    assert seen == [4]


def test_an_irregular_row_before_a_failing_one_does_not_hide_it():
    records = [{"n": 3.5, "d": 2}, {"n": 1, "d": 0}, {"n": "a", "d": 1}]

    with pytest.raises(ZeroDivisionError):
        run(share_program(), from_records(records))


@pytest.mark.parametrize(("on_error", "expected"), [("null", [0, None, 2, None]), ("drop", [0, 2])])
def test_failed_rows_are_kept_in_the_report(on_error, expected):
    records = [{"n": 0, "d": 1}, {"n": 1, "d": 0}, {"n": 2, "d": 1}, {"n": "a", "d": 1}]
    ran = run(share_program(), from_records(records), Options(on_error=on_error), first_row=1_000)

    assert ran.results == expected
    failures = ran.report.failures.to_pylist()
    assert [f["row"] for f in failures] == [1_001, 1_003]
    assert [f["type"] for f in failures] == ["ZeroDivisionError", "TypeError"]
    assert failures[0]["message"] == "integer division or modulo by zero"
    assert failures[0]["file"].endswith("programs.py")
    assert failures[0]["record"] == '{"n": 1, "d": 0}'
    assert ran.report.rows == 4
    assert ran.report.stages[0].rows_out == len(expected)


def test_a_chunk_with_many_deviations_runs_in_the_interpreter():
    records = fractions(2_000)
    for r in records[:700]:
        r["n"] = float(r["n"])

    ran = run(share_program(), from_records(records))

    assert list(map(repr, ran.results)) == [repr(share(r)) for r in records]
    assert ran.report.stages[0].deviations == {
        "irregular value in n": 700,
        "in a chunk where more than 30% of the rows deviate": 1_300,
    }


def test_base_exceptions_pass_through_untouched():
    def interrupted(r):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        run(share_program(interrupted), from_records([{"n": 1, "d": 0}]), Options(on_error="null"))

    assert not hasattr(raised.value, "__notes__")


@pytest.mark.parametrize("copies", ["shallow", "deep"])
def test_rerun_rows_get_copies_where_the_function_writes(copies):
    def written(r):
        r["n"] = None
        return 1

    records = [{"n": 1, "d": 0}]

    assert run(share_program(written, copies), from_records(records)).results == [1]
    assert records == [{"n": 1, "d": 0}]


def interpreted(function, copies="no"):
    return Program(function=function, name="f", trace=None, copies=copies)


def test_whole_fallback_equals_the_loop():
    ran = run(interpreted(root_value), from_records(TRADES))

    assert ran.results == list(map(root_value, TRADES))
    assert ran.report.stages[0].compiled is False
    assert ran.report.stages[0].backend == "interpreter"


def test_whole_fallback_raises_stop_iteration_like_any_other_exception():
    def stops(r):
        if r["n"] == 2:
            raise StopIteration("at two")
        return r["n"]

    with pytest.raises(StopIteration, match="at two") as raised:
        run(interpreted(stops), from_records(fractions(5)))

    assert "row 2, " in raised.value.__notes__[0]


@pytest.mark.parametrize(("on_error", "expected"), [("null", [0, None, 0]), ("drop", [0, 0])])
def test_whole_fallback_keeps_failed_rows(on_error, expected):
    batch = from_records([{"n": 0, "d": 3}, {"n": 1, "d": 0}, {"n": 1, "d": 2}])
    ran = run(interpreted(share), batch, Options(on_error=on_error))

    assert ran.results == expected
    assert [f.row for f in ran.report.failed] == [1]


def test_records_from_arrow_are_rebuilt_for_the_interpreter():
    batch = from_arrow(pa.table({"n": [4, 5], "d": [2, 0], "unread": ["a", "b"]}))
    seen = []

    def collected(r):
        seen.append(r)
        return 0

    assert run(share_program(collected), batch).results == [2, 0]
    assert seen == [{"n": 5, "d": 0, "unread": "b"}]


def test_report_is_plain_data():
    report = run(share_program(), from_records(fractions(3, zero_at={1})), Options(on_error="null"))
    plain = report.report.to_dict()

    assert {"rows", "seconds", "stopped_at", "failures", "stages"} <= set(plain)
    assert list(plain["stages"][0]) == [
        "name", "backend", "compiled", "reason", "rows_in", "rows_out", "deviations", "seconds",
        "device", "kind", "threads", "bytes", "note", "texts",
    ]  # fmt: skip
    assert "1 row: division by zero" in str(report.report)
    assert "<table>" in report.report._repr_html_()
