import json
from functools import partial

import pyarrow as pa
import pytest
from pyarrow import parquet

from benchmarks import pipelines, readme, tables
from benchmarks.agreement import Rounding, WrongAnswerError
from benchmarks.pipelines_jobs import JOBS, write_input
from benchmarks.pipelines_peers import FEW, OURS, PEERS, ROW_LOOP, TYPED, takes_part
from tests.benchmarks.test_suites import ROWS, tiny_run

VECTORISED = {OURS, TYPED, "pandas", "polars", "duckdb"}


def named(job):
    return job.name


def write(name, job, source, path):
    PEERS[name].prepare(job, source)(path)
    return parquet.read_table(path)


@pytest.mark.parametrize("job", JOBS, ids=named)
def test_everyone_writes_what_the_row_loop_writes(job, tmp_path):
    source = write_input(job, tmp_path, ROWS)
    expected = write(ROW_LOOP, job, source, tmp_path / "loop.parquet")

    assert expected.num_rows > 100
    for name in PEERS:
        if takes_part(name, job, ROWS):
            got = write(name, job, source, tmp_path / f"{name}.parquet")
            assert pipelines.compared(name, got, expected).largest_ulp <= 1


@pytest.mark.parametrize("job", JOBS, ids=named)
def test_a_wrong_file_of_anyone_is_caught(job, tmp_path):
    expected = write(ROW_LOOP, job, write_input(job, tmp_path, ROWS), tmp_path / "loop.parquet")
    # The same question about fewer trades: the right kind of file, and wrong.
    (tmp_path / "fewer").mkdir()
    other = write_input(job, tmp_path / "fewer", ROWS - 1)

    for name in PEERS:
        if takes_part(name, job, ROWS):
            path = tmp_path / f"{name}.parquet"
            call = partial(PEERS[name].prepare(job, other), path)
            with pytest.raises(WrongAnswerError, match=name):
                pipelines.checked(name, call, path, expected)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array(["a", "c"]), "a column of string differs"),
        (pa.array(["a", None]), "a column of string differs"),
        (pa.array(["a"]), "a column of string differs"),
    ],
)
def test_a_wrong_text_is_caught(column, words):
    expected = pa.table({"text": ["a", "b"]})

    with pytest.raises(WrongAnswerError, match=f"someone: {words}"):
        pipelines.compared("someone", pa.table({"text": column}), expected)


def test_columns_of_another_name_are_caught():
    with pytest.raises(WrongAnswerError, match="columns \\['b'\\], not \\['a'\\]"):
        pipelines.compared("someone", pa.table({"b": [1]}), pa.table({"a": [1]}))


def test_a_rounding_is_an_error_of_ours(tmp_path):
    path = tmp_path / "out.parquet"
    expected = pa.table({"x": [2.0]})
    rounded = partial(parquet.write_table, pa.table({"x": [2.0 + 2**-51]}), path)

    assert pipelines.checked("polars", rounded, path, expected) == Rounding(1, 1)
    with pytest.raises(WrongAnswerError, match=f"{OURS}: 1 rows differ in their last bits"):
        pipelines.checked(OURS, rounded, path, expected)


def test_row_by_row_stops_where_it_is_told():
    (job, *_) = JOBS
    at = {rows: {name for name in PEERS if takes_part(name, job, rows)} for rows in (FEW, FEW + 1)}

    assert at[FEW] == set(PEERS) - {TYPED}
    assert at[FEW + 1] == VECTORISED - {TYPED}


def test_a_case_says_where_the_time_went():
    cases = pipelines.measure(tiny_run())

    assert [case["job"] for case in cases] == [job.name for job in JOBS]
    for case in cases:
        assert set(case["spans"]) == {"read", "compute", "write", "wall"}
        assert all(seconds > 0 for seconds in case["spans"].values())
        assert case["bottleneck"]
        assert case["times"][OURS]["ratio"] == 1.0
        assert ROW_LOOP in case["times"]
    assert json.loads(json.dumps(cases)) == cases


def test_what_has_no_time_left_is_said_to_be_skipped():
    cases = pipelines.measure(tiny_run(deadline=0.0))

    assert all(case["skipped"] for case in cases)
    assert tables.pipelines(cases).row_count == len(cases)


def test_the_readme_shows_a_row_per_job_and_size():
    found = {"machine": {"cores": 2, "architecture": "x86_64", "memory_gib": 8, "load": 0.1}}
    found["machine"]["python"] = "3.11.7"
    found["cases"] = pipelines.measure(tiny_run())

    lines = readme._of_files(found)

    assert len([line for line in lines if line.startswith("| ")]) == 2 + len(found["cases"])
    assert "2 x86-64 cores, 8 GiB" in lines[0]
