"""Rows over worker processes: the loop's results, objects and exceptions, or the loop itself."""

import decimal
import sys
import threading
import warnings

import pytest

from batchprep.batch.batch import from_arrow, from_records
from batchprep.records import open_source
from batchprep.run import workers, workers_pool
from batchprep.run.program import Options
from tests.run.over_workers import (
    RECORDS,
    WORDS,
    always_worth_it,
    described,
    fallback,
    pure,
    ran,
    same,
    stage,
)
from tests.run.programs import run

__all__ = ["always_worth_it"]


class BadRow(Exception):  # noqa: N818
    """An exception that no pickle brings back: it takes other arguments than it keeps."""

    def __init__(self, n, why):
        super().__init__(why)
        self.n = n
        self.add_note(f"see row {n}")


def picky(r):
    if r["n"] in {100, 250}:
        raise BadRow(r["n"], "not this one")
    return described(r)["text"]


def own_record(r):
    return r if r["n"] % 2 else described(r)


def marked(r):
    r["seen"] = True
    return r


pytestmark = pytest.mark.usefixtures("always_worth_it")


@pytest.fixture(params=["processes", "threads"])
def crew(request, monkeypatch):
    """Processes, and the threads that a Python without a global lock has instead."""
    if request.param == "threads":
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
        monkeypatch.setattr(workers_pool, "_kept", workers_pool._Kept())  # the processes stay
    yield request.param
    if request.param == "threads":
        workers_pool.dismiss()


def test_results_are_the_loops_in_its_order(crew):
    found = ran(described)

    assert same(found.results, [described(r) for r in RECORDS])
    assert stage(found).backend == f"interpreter on 2 {crew}"


def test_first_failing_row_raises_its_own_exception_with_the_note(crew):
    with pytest.raises(BadRow) as caught:
        ran(picky)

    assert type(caught.value) is BadRow
    assert (caught.value.args, caught.value.n) == (("not this one",), 100)
    assert caught.value.__notes__[0] == "see row 100"
    assert "row 100" in caught.value.__notes__[1]
    assert "test_workers.py" in caught.value.__notes__[1]
    assert "in picky" in caught.value.__notes__[1]


@pytest.mark.parametrize("on_error", ["null", "drop"])
def test_failed_rows_are_kept_as_data(crew, on_error):
    found = ran(picky, on_error=on_error)

    texts = [described(r)["text"] for r in RECORDS]
    expected = [None if n in {100, 250} else text for n, text in enumerate(texts)]
    assert found.results == [x for x in expected if x is not None or on_error == "null"]
    assert [(f.row, f.type, f.message) for f in found.report.failed] == [
        (100, "BadRow", "not this one"),
        (250, "BadRow", "not this one"),
    ]
    assert found.report.failed[0].file == __file__
    assert found.report.failed[0].line == picky.__code__.co_firstlineno + 2


def test_rows_ahead_of_a_failing_one_are_handed_over():
    from batchprep.run.report import ReportBuilder
    from batchprep.run.runner import run_batch

    program, before = fallback(picky), []
    with pytest.raises(BadRow):
        run_batch(
            program, from_records(RECORDS), Options(python_workers=2), ReportBuilder(program),
            first_row=0, form="python", before=before,
        )  # fmt: skip

    assert before == [described(r)["text"] for r in RECORDS[:100]]


def test_record_that_is_handed_back_is_the_callers_own_object(crew):
    found = ran(own_record)

    assert all(found.results[n] is RECORDS[n] for n in range(1, 300, 2))
    assert found.results[0] == described(RECORDS[0])


def test_lists_out_of_the_record_are_the_callers_own_objects():
    records = [{"n": n, "tags": [n], "flat": not n % 5} for n in range(200)]

    def tagged(r):
        for _ in range(2):
            pass
        return {"first": r["n"]} if r["flat"] else {"tags": (r["tags"], 1)}

    found = ran(tagged, records)

    assert all(found.results[n]["tags"][0] is records[n]["tags"] for n in range(200) if n % 5)
    assert "same objects" in stage(found).reason


def test_function_that_returns_the_record_it_writes_into_gets_copies():
    records = [{"n": n} for n in range(100)]
    found = ran(marked, [*records, records[0]], copies="shallow")

    assert found.results == [*({"n": n, "seen": True} for n in range(100)), {"n": 0, "seen": True}]
    assert records == [{"n": n} for n in range(100)]
    assert "processes" in stage(found).backend


def test_function_with_an_effect_runs_here_row_by_row():
    seen = []

    def noted(r):
        seen.append(r["n"])
        return r["n"]

    found = ran(noted)

    assert found.results == seen == list(range(300))
    assert stage(found).backend == "interpreter"
    assert "not shared among processes: seen is handed on" in stage(found).reason


def test_effects_of_rows_after_a_failing_one_do_not_happen():
    seen = []

    def noted(r):
        seen.append(r["n"])
        return 1 / (r["n"] - 5)

    with pytest.raises(ZeroDivisionError):
        ran(noted)

    assert seen == [0, 1, 2, 3, 4, 5]


def test_function_that_does_not_pickle_runs_here():
    lock = threading.Lock()

    @pure
    def locked(r):
        with lock:
            return r["n"]

    found = ran(locked)

    assert found.results == list(range(300))
    assert "does not pickle" in stage(found).reason


def test_rows_around_a_record_that_does_not_travel_are_shared():
    records = [{"n": n, "x": object() if n == 150 else None} for n in range(300)]

    def typed(r):
        for _ in range(1):
            pass
        return type(r["x"]).__name__

    found = ran(typed, records)

    assert found.results == ["object" if n == 150 else "NoneType" for n in range(300)]
    assert stage(found).backend == "interpreter on 2 processes"
    assert "records hold values of type builtins.object" in stage(found).reason


def test_sets_of_a_record_keep_their_order():
    records = [{"n": n, "tags": {f"tag{i}" for i in range(n % 7)}} for n in range(100)]

    def joined(r):
        return ",".join(r["tags"])

    found = ran(joined, records)

    assert found.results == [joined(r) for r in records]
    assert "a set, whose order" in stage(found).reason


def test_results_that_do_not_travel_are_made_here():
    def spaced(r):
        return (part for part in str(r["n"]))

    found = ran(spaced)

    assert [list(result) for result in found.results] == [list(str(n)) for n in range(300)]
    assert "results hold values of type builtins.generator" in stage(found).reason


def test_globals_are_those_of_the_call_and_not_of_the_import(monkeypatch):
    monkeypatch.setitem(WORDS, "a", -1)

    assert ran(described).results[0]["k"] == -1


def test_warning_of_a_row_is_given_here():
    def inverted(r):
        for _ in range(1):
            pass
        return ~(r["n"] == 150)

    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        results = [inverted(r) for r in RECORDS]
        expected = len(log)
        found = ran(inverted)

    assert found.results == results
    assert len(log) == 2 * expected


def test_decimals_are_computed_with_the_callers_precision():
    records = [{"n": decimal.Decimal(n)} for n in range(1, 200)]

    def third(r):
        for _ in range(1):
            pass
        return 1 / r["n"]

    with decimal.localcontext(prec=5):
        expected = [third(r) for r in records]
        found = ran(third, records)

    assert found.results == expected
    assert "processes" in stage(found).backend


def test_little_work_is_not_shared(monkeypatch):
    monkeypatch.setattr(workers, "LEAST_SAVED", 0.02)
    found = ran(described, RECORDS[:60])

    assert same(found.results, [described(r) for r in RECORDS[:60]])
    assert "too little work to share" in stage(found).reason


def test_one_process_is_the_default():
    assert Options().python_workers == 1
    assert "shared" not in stage(ran(described, count=1)).reason


def test_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr(workers_pool.importlib.util, "find_spec", lambda name: None)
    found = ran(described)

    assert same(found.results, [described(r) for r in RECORDS])
    assert "pip install 'batchprep[workers]'" in stage(found).reason


def test_arrow_results_have_the_loops_values():
    table = open_source(RECORDS).batches(1000)
    batch = next(iter(table))
    program = fallback(picky)
    here = run(program, batch, Options(on_error="null"), form="arrow")
    there = run(program, batch, Options(on_error="null", python_workers=2), form="arrow")

    assert there.results.equals(here.results)
    assert there.report.failed == here.report.failed


def test_rows_of_arrow_tables_are_shared():
    import pyarrow as pa

    batch = from_arrow(pa.table({"n": range(200), "k": ["a", "b"] * 100}))
    found = run(fallback(described), batch, Options(python_workers=2))

    assert found.results == [described(r) for r in batch.to_records()]
    assert "processes" in stage(found).backend
