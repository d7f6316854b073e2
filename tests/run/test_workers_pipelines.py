"""Pipelines and options: rows over processes as a user asks for them."""

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import batchprep as bp
from batchprep.run import tail, workers, workers_pool

RECORDS = [{"n": n, "text": f"a{n} b{n % 3} c"} for n in range(200)]
TABLE = pa.Table.from_pylist(RECORDS)


def words(r):
    for place, word in enumerate(r["text"].split()):
        yield {"n": r["n"], "place": place, "word": word}


def itself(r):
    return [r, {"n": -r["n"]}]


def long_words(r):
    return len(r["word"]) > 1


def sized(r):
    return {"word": r["word"], "size": 10 // (r["n"] - 150)}


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch):
    monkeypatch.setattr(workers, "LEAST_SAVED", -math.inf)
    monkeypatch.setattr(tail, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(workers_pool, "START_SECONDS", -math.inf)


def pipeline(**options):
    return bp.Pipeline(on_unsupported="ignore", **options)


def last_stage(pipe):
    return [stage for stage in pipe.report().stages if stage.kind == "compute"][-1]


def test_steps_after_a_flat_map_are_shared():
    pipe = pipeline().flat_map(words).filter(long_words)
    expected = pipe(RECORDS)
    with bp.use(python_workers=2):
        assert pipe(RECORDS) == expected == [w for r in RECORDS for w in words(r) if long_words(w)]

    assert last_stage(pipe).backend == "interpreter on 2 processes"


def test_rows_that_go_on_as_they_are_stay_the_callers_own():
    pipe = pipeline().flat_map(itself)
    with bp.use(python_workers=2):
        results = pipe(RECORDS)

    assert all(results[2 * n] is RECORDS[n] for n in range(200))


def test_steps_behind_a_compiled_part_are_shared():
    pipe = pipeline().with_columns(m=bp.col("n") * 2).flat_map(words).filter(long_words)
    expected = pipe(TABLE)
    with bp.use(python_workers=2):
        assert pipe(TABLE).equals(expected)

    assert last_stage(pipe).backend == "interpreter on 2 processes"


def test_failing_row_of_a_tail_is_the_loops():
    pipe = pipeline().flat_map(words).map(sized)
    with bp.use(python_workers=2), pytest.raises(ZeroDivisionError) as caught:
        pipe(RECORDS)

    assert "row 150" in caught.value.__notes__[0]


@pytest.mark.parametrize("on_error", ["null", "drop"])
def test_failed_rows_of_a_tail_are_those_of_the_loop(on_error):
    pipe = pipeline(on_error=on_error).flat_map(words).map(sized)
    expected, failures = pipe(RECORDS), pipe.report().failures
    with bp.use(python_workers=2):
        assert pipe(RECORDS) == expected

    assert pipe.report().failures.equals(failures)
    assert failures.num_rows == 3


def test_tail_with_an_effect_runs_here():
    seen = []

    def noted(r):
        seen.append(r["n"])
        return r["text"].split()

    pipe = pipeline().flat_map(noted)
    with bp.use(python_workers=2):
        pipe(RECORDS)

    assert seen == list(range(200))
    assert "seen is handed on" in last_stage(pipe).reason


def test_files_are_shared_batch_by_batch(tmp_path):
    source, here, there = (tmp_path / f"{name}.parquet" for name in ("in", "here", "there"))
    pq.write_table(TABLE, source, row_group_size=60)
    pipe = pipeline().flat_map(words)
    pipe.run(source, here)
    with bp.use(python_workers=2):
        report = pipe.run(source, there)

    assert pq.read_table(there).equals(pq.read_table(here))
    assert "interpreter on 2 processes" in str(report)


def test_explain_says_whether_rows_would_be_shared():
    shared, alone = pipeline().flat_map(words), pipeline().flat_map(lambda r: [print(r)])
    assert shared.explain(RECORDS).sharing == ""
    with bp.use(python_workers=2):
        assert "shares its rows among 2 processes" in shared.explain(RECORDS).text()
        assert "print, of type builtin_function_or_method" in alone.explain(RECORDS).text()


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (-1, ValueError), ("all", TypeError), (True, TypeError)]
)
def test_number_of_workers_is_checked(value, error):
    with pytest.raises(error, match="python_workers takes an int of at least 1"):
        bp.use(python_workers=value)


def test_inner_block_may_ask_for_one_process():
    pipe = pipeline().flat_map(words)
    with bp.use(python_workers=2), bp.use(python_workers=1):
        pipe(RECORDS)

    assert last_stage(pipe).backend == "interpreter"
    assert "shared" not in last_stage(pipe).reason
