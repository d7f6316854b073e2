import pyarrow as pa
import pytest
from pyarrow import parquet

from benchmarks.agreement import WrongAnswerError, compared
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.jobs import JOBS, write_input
from benchmarks.tasks import pipelines
from benchmarks.tasks.pipelines import CONTESTANTS, FEW, TYPED, Piped, takers
from tests.benchmarks.scales import ROWS, measured

VECTORISED = {OURS, TYPED, "pandas", "polars", "duckdb"}
jobs = pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])


def write(name, job, source, path):
    CONTESTANTS[name].prepare(Piped(job, source))(path)


@jobs
def test_everyone_writes_what_the_row_loop_writes(job, tmp_path):
    source, path = write_input(job, tmp_path, ROWS), tmp_path / "written.parquet"
    write(ROW_LOOP, job, source, path)
    expected = pipelines.taken(path)

    assert expected.num_rows > 100
    for name in takers(job):
        write(name, job, source, path)
        assert pipelines.check(path, expected, name, None).largest_ulp <= 1


@jobs
def test_a_wrong_file_of_anyone_is_caught(job, tmp_path):
    path = tmp_path / "written.parquet"
    write(ROW_LOOP, job, write_input(job, tmp_path, ROWS), path)
    expected = pipelines.taken(path)
    # The same question about fewer trades: the right kind of file, and wrong.
    (tmp_path / "fewer").mkdir()
    other = write_input(job, tmp_path / "fewer", ROWS - 1)

    for name in takers(job):
        write(name, job, other, path)
        with pytest.raises(WrongAnswerError, match=name):
            pipelines.check(path, expected, name, None)


def test_nobody_is_credited_with_the_file_of_another(tmp_path):
    path = tmp_path / "written.parquet"
    parquet.write_table(pa.table({"a": [1]}), path)

    assert pipelines.check(path, pa.table({"a": [1]}), "first", None).rows == 0
    with pytest.raises(FileNotFoundError):
        pipelines.check(path, pa.table({"a": [1]}), "second", None)


@pytest.mark.parametrize("column", [pa.array(["a", "c"]), pa.array(["a", None])])
def test_a_wrong_text_is_caught(column):
    expected = pa.table({"text": ["a", "b"]})

    with pytest.raises(WrongAnswerError, match="someone: text: differs from the row loop's"):
        compared("someone", pa.table({"text": column}), expected)


def test_row_by_row_stops_at_few_rows_and_only_csv_is_told_its_types():
    parquet_job, _, csv_job = JOBS
    many = {
        name
        for name, contestant in takers(csv_job).items()
        if contestant.most_rows is None or contestant.most_rows > FEW
    }

    assert many == VECTORISED
    assert TYPED not in takers(parquet_job)


def test_every_job_says_where_its_time_goes():
    for case in measured("pipelines"):
        seconds = [case["notes"][f"{span}_seconds"] for span in ("read", "compute", "write")]
        assert all(seconds)
        assert case["notes"]["bottleneck"]
        assert ROW_LOOP in case["times"]
