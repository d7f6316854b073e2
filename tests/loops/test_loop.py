"""What is around the loops: warnings, explanations, reports, errors, options, methods, pickles."""

# ruff: noqa: PERF401  loops as people write them

from __future__ import annotations

import math
import pickle
import traceback
import warnings

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.api import fallbacks, loop_records
from tests.cases.shared import ABSENT, CASES
from tests.loops import examples, groups, lists, numbers, others
from tests.loops.test_table import outcome

LOOP_CASES = [c for c in (CASES.CASES if CASES else []) if c.dialect == "loop"]


# ------------------------------------------------------------------------------------ shared cases


@pytest.mark.skipif(CASES is None, reason=ABSENT)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("case", LOOP_CASES, ids=lambda c: c.name)
def test_a_shared_loop_gives_what_the_loop_gives(case, seed):
    run = bp.vectorize_loop(case.function, on_unsupported="ignore")
    theirs, ours = case.make(200, seed), case.make(200, seed)

    expected = outcome(case.function, theirs)

    assert outcome(run, ours) == expected
    assert repr(ours) == repr(theirs)  # a loop that writes into its records does so


@pytest.mark.skipif(CASES is None, reason=ABSENT)
def test_most_shared_loops_compile():
    wanted = {"clean_grants", "revenue_summary", "count_statuses", "session_gaps", "unique_members"}
    wanted |= {"code_genres", "split_good_bad", "scans_by_depot", "running_balance"}

    compiled = set()
    for case in LOOP_CASES:
        run = bp.vectorize_loop(case.function, on_unsupported="ignore")
        outcome(run, case.make(200, 1))
        if run.report().stages[0].compiled:
            compiled.add(case.name)

    assert compiled >= wanted


# ------------------------------------------------------------------------------------------ batches


@pytest.mark.parametrize("kind", [examples.clean, examples.dirty, examples.broken])
@pytest.mark.parametrize("function", examples.COMPILED, ids=lambda f: f.__name__)
def test_the_state_goes_on_from_batch_to_batch(function, kind, monkeypatch):
    monkeypatch.setattr(loop_records, "ROWS", 16)
    monkeypatch.setattr(loop_records, "ROWS_OF_SEARCH", 4)
    records = kind(90)

    run = bp.vectorize_loop(function, on_unsupported="ignore")

    assert outcome(run, records) == outcome(function, records)


def test_a_row_that_raises_in_a_later_batch_raises_in_the_users_own_line(monkeypatch):
    monkeypatch.setattr(loop_records, "ROWS", 16)
    records = examples.clean(100)
    records[70]["n"] = "seven"

    with pytest.raises(TypeError) as caught:
        bp.vectorize_loop(numbers.summed_ints)(records)

    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (frame.name, frame.line) == ("summed_ints", 'total += r["n"]')


# ---------------------------------------------------------------------------- identity of objects


def test_records_that_are_collected_are_the_callers_own():
    records = examples.clean(20)

    kept = bp.vectorize_loop(lists.filtered)(records)

    assert all(any(one is record for record in records) for one in kept)


def twice_collected(records):
    first, second = [], {}
    for r in records:
        made = {"n": r["n"] + 1}
        first.append(made)
        second[r["s"]] = made
    first[-1]["n"] = "changed"
    return first, second


def test_an_object_that_is_collected_twice_stays_one():
    records = examples.clean(8)

    run = bp.vectorize_loop(twice_collected, on_unsupported="ignore")

    assert repr(run(records)) == repr(twice_collected(records))


def nan_keys(records):
    codes, out = {}, []
    for r in records:
        v = r["x"] * 2.0
        if v not in codes:
            codes[v] = len(codes)
        out.append(codes[v])
    return out


def test_a_nan_is_found_again_as_the_object_that_it_is():
    records = [{"x": math.nan}, {"x": 1.0}, {"x": math.nan}]

    assert bp.vectorize_loop(nan_keys)(records) == nan_keys(records) == [0, 1, 2]


def test_the_state_before_the_loop_keeps_its_identity():
    def holds(records):
        out = []
        for r in records:
            out.append(r["n"] * 2)
        return {"out": out, "same": out}

    found = bp.vectorize_loop(holds)(examples.clean(5))

    assert found["out"] is found["same"]


# ------------------------------------------------------------------------------ what users are told


def sums_over_a_generator(records):
    total = 0
    for r in (r for r in records if r["n"]):
        total += r["n"]
    return total


def keeps_outside(records, found):
    for r in records:
        found.append(r["n"])


def test_a_loop_that_is_not_compiled_says_where_why_and_what_to_write():
    fallbacks._warned.clear()  # another test may have been told of the same place
    with pytest.warns(bp.FallbackWarning) as told:
        bp.vectorize_loop(others.updates_record)(examples.clean(3))

    text = str(told[0].message)
    assert "updates_record runs in the interpreter" in text
    assert 'r.update(n2=r["n"] * 2)' in text
    assert "changes its records in a way that may be seen from elsewhere" in text
    assert "out.append({**record, ...})" in text
    assert 'on_unsupported="ignore"' in text


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (sums_over_a_generator, "something made from records"),
        (others.in_order, "something made from records"),
        (keeps_outside, "changes found, which keeps_outside did not make"),
        (lambda records: [*records], "a lambda holds no loop"),
    ],
)
def test_a_verdict_names_its_reason(function, reason):
    with pytest.raises(bp.Unsupported, match=reason):
        bp.vectorize_loop(function, on_unsupported="raise")(examples.clean(3), [])


def unknown_call(records):
    n, out = 1, []
    for r in records:
        n += 1
        out.append(r["s"] + input(r["s"]))
    return out


def test_a_part_of_a_row_that_is_not_compiled_is_shown_in_the_users_own_text():
    with pytest.raises(bp.Unsupported) as caught:
        bp.vectorize_loop(unknown_call, on_unsupported="raise")(examples.clean(3))

    assert 'out.append(r["s"] + input(r["s"]))' in str(caught.value)
    assert "test_loop.py" in str(caught.value)


def test_a_step_that_is_not_compiled_is_shown_in_the_users_own_text():
    with pytest.raises(bp.Unsupported) as caught:
        bp.vectorize_loop(statefully_called, on_unsupported="raise")(examples.clean(3))

    assert 'total = combined(total, r["n"])' in str(caught.value)
    assert "combined(...) gets what the rows before have left" in str(caught.value)
    assert "test_loop.py" in str(caught.value)


def combined(total, value):
    return total * 2 + value


def statefully_called(records):
    total = 0
    for r in records:
        total = combined(total, r["n"])
    return total


def test_explain_says_of_each_state_how_it_is_computed():
    explained = bp.vectorize_loop(numbers.several_sums).explain(examples.clean(50))

    assert explained.compiled
    assert dict(explained.states) == {
        "n": "a count",
        "total": "a sum in row order",
        "squares": "a sum in row order",
    }
    assert str(explained).startswith("several_sums: compiled\n  n: a count\n")
    assert explained.to_dict()["rows"]["compiled"]


def test_explain_names_the_key_of_a_group():
    states = bp.vectorize_loop(groups.groups_by_setdefault).explain(examples.clean(9)).states

    assert states == (("groups", "grouped lists by r['s'].lower()"),)


def test_explain_runs_no_row_twice_and_changes_nothing():
    records = examples.clean(9)

    explained = bp.vectorize_loop(others.updates_record).explain(records)

    assert not explained.compiled
    assert "changes its records" in explained.reason
    assert records == examples.clean(9)


def test_a_report_counts_rows_and_deviations():
    records = examples.clean(500)
    records[7]["n"] = 2**70
    run = bp.vectorize_loop(numbers.summed_spelled_out)

    assert run(records) == numbers.summed_spelled_out(records)
    assert (run.report().rows, sum(run.report().stages[0].deviations.values())) == (500, 1)
    assert bp.last_report() is run.report()


# --------------------------------------------------------------------------- ways of calling it


@bp.vectorize_loop
def decorated(records, factor=2):
    """Doubles."""
    out = []
    for r in records:
        out.append(r["n"] * factor)
    return out


def test_it_is_a_decorator_and_takes_further_arguments():
    records = examples.clean(4)

    assert (decorated.__name__, decorated.__doc__) == ("decorated", "Doubles.")
    assert decorated(records) == [r["n"] * 2 for r in records]
    assert decorated(records, 3) == decorated(records, factor=3) == [r["n"] * 3 for r in records]


def test_a_decorated_loop_pickles_by_name():
    assert pickle.loads(pickle.dumps(decorated)) is decorated


class Shop:
    def __init__(self, factor):
        self.factor = factor

    @bp.vectorize_loop
    def scaled(self, records):
        out = []
        for r in records:
            out.append(r["n"] * self.factor)
        return out


def test_a_method_may_be_decorated():
    records = examples.clean(4)

    assert Shop(3).scaled(records) == [r["n"] * 3 for r in records]
    assert Shop(5).scaled(records) == [r["n"] * 5 for r in records]


def made(limit):
    def process(records):
        out = []
        for r in records:
            if r["n"] > limit:
                out.append(r["n"])
        return out

    return process


def test_a_closure_is_read_at_each_call():
    records = examples.clean(30)

    for limit in (2, 8):
        assert bp.vectorize_loop(made(limit))(records) == made(limit)(records)


def test_a_changed_global_is_seen(monkeypatch):
    run, records = bp.vectorize_loop(lists.helper_and_global), examples.clean(30)
    before = run(records)
    monkeypatch.setattr(lists, "LIMIT", 0)

    assert before != run(records) == lists.helper_and_global(records)


@pytest.mark.parametrize("backend", ["python", "numpy", "numba"])
def test_every_backend_gives_the_same(backend):
    records = examples.clean(300)
    run = bp.vectorize_loop(lists.process_data_unoptimized, backend=backend)

    assert run(records) == lists.process_data_unoptimized(records)


def test_a_wrong_option_is_refused():
    with pytest.raises(ValueError, match="on_unsupported='loud'"):
        bp.vectorize_loop(lists.mapped, on_unsupported="loud")
    with pytest.raises(TypeError, match="a function of many records"):
        bp.vectorize_loop(3)


def test_a_text_is_no_records():
    with pytest.raises(TypeError, match="holds no records"):
        bp.vectorize_loop(lists.mapped)("records.csv")


def test_frames_and_batches_are_taken_as_their_records():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    table = pa.table({"s": ["a", "b", "a"], "n": [1, 2, 3]})
    run = bp.vectorize_loop(groups.counts_by_get, on_unsupported="raise")

    for data in (table, table.to_batches()[0], bp.from_arrow(table)):
        assert run(data) == {"a": 2, "b": 1}
    for data in (pandas.DataFrame(table.to_pydict()), polars.DataFrame(table.to_pydict())):
        assert run(data) == {"a": 2, "b": 1}


def test_a_stream_of_arrow_is_read_once():
    table = pa.table({"s": ["a", "b", "a"], "n": [1, 2, 3]})
    run = bp.vectorize_loop(groups.counts_by_get, on_unsupported="raise")

    assert run(table.to_reader()) == {"a": 2, "b": 1}


def test_an_iterator_that_fails_gives_the_rows_before_first():
    def rows():
        yield {"n": 1}
        raise OSError("disk")

    def summed(records):
        total = 0
        try:
            for r in records:
                total += r["n"]
        except OSError:
            return total
        return None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FallbackWarning)
        assert bp.vectorize_loop(summed)(rows()) == 1
    with pytest.raises(OSError, match="disk"):
        bp.vectorize_loop(numbers.summed_ints)(rows())
