"""A warm call does little beside its rows: counted in calls of Python functions, not in seconds."""

import sys

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch.record_rows import RecordRows
from batchprep.rowfn.trace import Trace
from batchprep.run.runner import FASTER_IN_PYTHON
from batchprep.run.tiers import TRIALS as RACED
from batchprep.run.ways import FIRST_ROWS, LARGE, TRIALS
from tests.run.clock import have_risen

# Of a call with any number of rows: 10% above what it takes.
MOST_FROM_ARROW = 155
MOST_FOR_AUTO = 9  # more of them: to choose, and to measure now and then
MOST_FROM_RECORDS = 140
TRIED = 2 + 2 * TRIALS  # calls until the ways of batches are settled, and one more


def root(r):
    value = r["price"] * r["volume"]
    if value > 50_000:
        return value / 2
    return None


def records_of(rows):
    return [{"price": i % 97 + 0.5, "volume": i % 1_999} for i in range(rows)]


def calls_of(function, data):
    """Calls of Python functions in one call, those of the row function left out."""
    called = []

    def note(frame, event, _):
        if event == "call" and frame.f_code is not function.function.__code__:
            called.append(frame.f_code)

    sys.setprofile(note)
    try:
        function(data)
    finally:
        sys.setprofile(None)
    return len(called)


def warm(data, calls=3, **options):
    run = bp.vectorize(root, **options)
    for _ in range(calls):
        run(data)
    return run


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("rows", [10, 1_000])
def test_a_call_from_arrow_makes_few_calls_of_its_own(backend, rows):
    table = pa.Table.from_pylist(records_of(rows))

    assert calls_of(warm(table, backend=backend), table) <= MOST_FROM_ARROW


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_nulls_make_few_calls_more(backend):
    def guarded(r):
        if r["price"] is not None and r["volume"] is not None:
            return r["price"] * r["volume"]
        return None

    records = [r if i % 3 else {**r, "price": None} for i, r in enumerate(records_of(1_000))]
    table = pa.Table.from_pylist(records)
    run = bp.vectorize(guarded, backend=backend)
    for _ in range(3):
        run(table)

    assert calls_of(run, table) <= MOST_FROM_ARROW + 10


@pytest.mark.parametrize("rows", [10, 1_000, 10_000])
def test_to_choose_the_backend_takes_few_calls(clock_of, rows):
    clock_of(compiled=1.0, interpreter=2.0)
    table = pa.Table.from_pylist(records_of(rows))
    run = bp.vectorize(root)
    with bp.use(backend="numba"):
        warm_up = [run(table) for _ in range(3)]
        fixed = calls_of(run, table)
    for _ in range(TRIED + RACED):
        run(table)

    assert calls_of(run, table) <= fixed + MOST_FOR_AUTO
    assert run.report().stages[0].backend == "numba"
    assert run(table) == warm_up[0]


def test_the_fields_of_a_schema_are_looked_at_once(monkeypatch):
    table = pa.Table.from_pylist(records_of(10))
    run = warm(table)
    looked, current = [], Trace.current
    monkeypatch.setattr(Trace, "current", lambda *of: looked.append(of) or current(*of))

    equal = pa.Table.from_pylist(records_of(20))
    other = table.set_column(0, "price", pa.array(range(10)))
    run(equal)
    assert not looked

    assert run(other).to_pylist() == [root(r) for r in other.to_pylist()]
    assert run(table).to_pylist() == [root(r) for r in table.to_pylist()]
    assert looked


@pytest.mark.parametrize("rows", [10, 1_000])
def test_a_call_that_the_interpreter_answers_makes_few_calls_of_its_own(clock_of, rows):
    clock_of(compiled=2.0, interpreter=1.0)
    records = records_of(rows)
    run = warm(records, TRIED)

    assert calls_of(run, records) <= MOST_FROM_RECORDS
    assert run.report().stages[0].backend == FASTER_IN_PYTHON


def test_columns_that_are_not_read_cost_a_call_nothing(clock_of):
    clock_of(compiled=1.0, interpreter=2.0)
    narrow = pa.Table.from_pylist(records_of(50))
    wide = narrow
    for number in range(500):
        wide = wide.append_column(f"c{number}", pa.array(range(50)).dictionary_encode())

    assert calls_of(warm(wide, TRIED), wide) == calls_of(warm(narrow, TRIED), narrow)


@pytest.mark.parametrize("rows", [10, LARGE - 1, 2 * LARGE])
@pytest.mark.parametrize("faster", ["compiled", "interpreter"])
def test_trials_stop_and_no_clock_is_asked_of_which_way_is_the_faster(clock_of, faster, rows):
    clock = clock_of(**{"compiled": 2.0, "interpreter": 2.0, faster: 1.0})
    records = records_of(rows)
    run = warm(records, TRIED)
    clock.parts.clear()
    expected = [root(r) for r in records]

    assert all(run(records) == expected for _ in range(20))
    assert clock.parts == [(faster, rows)] * 20


def test_dicts_go_whole_to_the_faster_way_behind_a_first_look(clock_of, monkeypatch):
    have_risen(monkeypatch)
    clock = clock_of(compiled=2.0, interpreter=1.0)
    rows = 10 * FIRST_ROWS
    warm(records_of(rows), TRIED)

    assert clock.parts == [
        ("compiled", rows),
        ("compiled", rows),
        ("interpreter", FIRST_ROWS),
        ("compiled", rows - FIRST_ROWS),
        ("interpreter", rows),
        ("compiled", rows),
        *[("interpreter", rows)] * 3,
    ]


def test_many_dicts_are_not_given_to_a_loop_that_is_slower_by_far(clock_of, monkeypatch):
    have_risen(monkeypatch)
    clock = clock_of(compiled=1.0, interpreter=50.0)
    warm(records_of(10 * FIRST_ROWS), TRIED)

    assert clock.rows["interpreter"] == FIRST_ROWS


# ------------------------------------------------------------- what is looked at only now and then


def settled(records, function, clock_of):
    clock_of(compiled=2.0, interpreter=1.0)
    run = bp.vectorize(function)
    for _ in range(TRIED):
        run(records)
    assert run.report().stages[0].backend == FASTER_IN_PYTHON
    return run


def test_where_the_interpreter_answers_only_a_few_records_are_read_for_kinds(clock_of, monkeypatch):
    records = records_of(1_000)
    run = settled(records, root, clock_of)
    read, field = [], RecordRows.field

    def noted(rows, name):
        read.append(len(rows))
        return field(rows, name)

    monkeypatch.setattr(RecordRows, "field", noted)
    run(records)

    assert read
    assert max(read) < 50


@pytest.mark.parametrize("place", [0, 333, 999])
@pytest.mark.parametrize("price", [None, "7", 2**70, True])
def test_a_value_of_another_kind_gives_what_the_loop_gives(clock_of, price, place):
    def shown(r):
        return None if r["price"] is None else (r["price"], r["price"] * 2)

    records = records_of(1_000)
    run = settled(records, shown, clock_of)
    records[place] = {"price": price, "volume": 1}
    expected = [shown(r) for r in records]

    found = run(records)

    assert found == expected
    assert [type(v) for r in found if r for v in r] == [type(v) for r in expected if r for v in r]


def test_records_of_other_kinds_get_a_program_of_their_own(clock_of):
    records = records_of(1_000)
    run = settled(records, lambda r: r["price"] * 2, clock_of)
    known = run._programs.last
    run([{"price": 3, "volume": 1}] * 1_000)

    assert run._programs.last is not known
    assert run._programs.last.asked["price"].kinds == {"int"}


def test_another_global_gives_another_program_at_once(clock_of):
    scale = 2.0

    def scaled(r):
        return r["price"] * scale

    records = records_of(100)
    run = settled(records, scaled, clock_of)
    known = run._programs.last
    scale = 3.0

    assert run(records) == [r["price"] * 3.0 for r in records]
    assert run._programs.last is not known


def test_a_list_that_the_kinds_did_not_show_is_copied_before_it_is_written(clock_of):
    def marked(r):
        r["seen"] = True
        if type(r["tags"]) is list:
            r["tags"].append("x")
        return r

    def given(tags):
        return [{"tags": tags if i == 333 else i} for i in range(1_000)]

    run = bp.vectorize(marked, on_unsupported="ignore")
    clock_of(compiled=2.0, interpreter=1.0)
    for _ in range(TRIED):
        run(given(1))
    records = given(["a"])

    assert run(records) == [marked({**r, "tags": ["a"] if i == 333 else i}) for i, r in
                            enumerate(given(["a"]))]  # fmt: skip
    assert records == given(["a"])
