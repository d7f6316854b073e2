import os
import subprocess
import sys

import pyarrow as pa
import pytest

from batchprep.sinks import check_target, open_sink, staging
from batchprep.sinks.leases import LONGEST_NAME, lease_file, lease_folder

N = pa.schema([("n", pa.int64())])
ONE, TWO = pa.table({"n": [1]}), pa.table({"n": [2]})


def write(target, table=ONE, **options):
    with open_sink(target, N, **options) as sink:
        sink.write(table)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_not_replaced_unasked(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("mine")

    for opened in (lambda: open_sink(path, N), lambda: check_target(path)):
        with pytest.raises(FileExistsError) as caught:
            opened()
        assert str(caught.value) == (
            f"{path} exists, and nothing was written\n"
            "  Pass overwrite=True to replace it, or write to another name"
        )
    assert path.read_text() == "mine"
    assert names(tmp_path) == ["out.csv"]


def test_a_file_that_appears_while_rows_are_written_is_not_replaced(tmp_path):
    path = tmp_path / "out.csv"
    sink = open_sink(path, N)
    path.write_text("theirs")

    with pytest.raises(FileExistsError, match=r"out\.csv exists, and nothing was written"):
        sink.close()
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["out.csv"]


def test_a_file_stays_whole_until_it_is_replaced(tmp_path):
    path = tmp_path / "out.csv"
    write(path)
    path.chmod(0o640)
    with open_sink(path, N, overwrite=True) as sink:
        sink.write(TWO)
        assert path.read_text() == "n\n1\n"

    assert path.read_text() == "n\n2\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["out.csv"]


def test_an_aborted_replacement_keeps_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    write(path)

    open_sink(path, N, overwrite=True).abort()

    assert path.read_text() == "n\n1\n"
    assert names(tmp_path) == ["out.csv"]


def test_of_two_sinks_of_one_file_the_first_to_close_wins(tmp_path):
    first, second = open_sink(tmp_path / "out.csv", N), open_sink(tmp_path / "out.csv", N)
    first.write(ONE)
    second.write(TWO)
    second.close()

    with pytest.raises(FileExistsError):
        first.close()
    assert (tmp_path / "out.csv").read_text() == "n\n2\n"
    assert names(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_system_without_hard_links_still_replaces_nothing(tmp_path, monkeypatch, overwrite):
    def refuse(self, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(type(tmp_path), "hardlink_to", refuse)
    path = tmp_path / "out.csv"
    write(path, overwrite=overwrite)
    sink = open_sink(tmp_path / "other.csv", N)
    (tmp_path / "other.csv").write_text("theirs")

    with pytest.raises(FileExistsError):
        sink.close()
    assert path.read_text() == "n\n1\n"
    assert names(tmp_path) == ["other.csv", "out.csv"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "data").mkdir()
    link = tmp_path / "out.csv"
    link.symlink_to(tmp_path / "data" / "v1.csv")
    write(tmp_path / "data" / "v1.csv")

    write(link, TWO, overwrite=True)

    assert link.is_symlink()
    assert (tmp_path / "data" / "v1.csv").read_text() == "n\n2\n"
    assert names(tmp_path / "data") == ["v1.csv"]


def test_what_is_no_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")

    with pytest.raises(FileExistsError, match=r"pipe\.csv is no regular file, and is not replaced"):
        open_sink(tmp_path / "pipe.csv", N, overwrite=True)


def test_a_relative_path_means_the_folder_at_the_start(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    sink = open_sink("out.csv", N)
    monkeypatch.chdir(tmp_path)
    sink.close()

    assert names(tmp_path / "a") == ["out.csv"]


@pytest.mark.parametrize("name", ["é ☃'.csv", "x" * 251 + ".csv", "é" * 125 + ".csv"])
def test_any_file_name_will_do(name, tmp_path):
    write(tmp_path / name)

    assert names(tmp_path) == [name]


def test_long_names_that_begin_alike_are_told_apart(tmp_path):
    start = "x" * (LONGEST_NAME + 5)
    sink = open_sink(tmp_path / f"{start}1.csv", N)

    write(tmp_path / f"{start}2.csv")
    sink.close()

    assert names(tmp_path) == [f"{start}1.csv", f"{start}2.csv"]


def test_a_file_url_is_a_path(tmp_path):
    write(f"file://{tmp_path}/out.csv")

    assert names(tmp_path) == ["out.csv"]


# What killed runs leave: the locks are gone with the process, the files are not.


def leftover(lease):
    lease.release()
    return lease.path


@pytest.mark.parametrize("opened", [write, check_target])
def test_leftovers_of_killed_runs_are_removed(opened, tmp_path):
    path = tmp_path / "out.csv"
    leftover(lease_file(path))
    (leftover(lease_folder(path)) / "part-00000.csv").write_text("half")
    other = leftover(lease_file(tmp_path / "other.csv"))

    opened(path)

    assert names(tmp_path) == [other.name, *(["out.csv"] if opened is write else [])]


def test_the_temporary_file_of_a_run_that_goes_on_is_left_alone(tmp_path):
    sink = open_sink(tmp_path / "out.csv", N)
    code = (
        "import sys, pyarrow as pa; from batchprep.sinks import open_sink;"
        "open_sink(sys.argv[1], pa.schema([('n', pa.int64())])).close()"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "out.csv")], check=True)
    assert len(names(tmp_path)) == 2

    sink.abort()
    assert names(tmp_path) == ["out.csv"]


def test_a_folder_set_aside_by_a_killed_run_gets_its_name_back(tmp_path):
    folder = tmp_path / "out"
    write(f"{folder}/")
    lease = lease_folder(folder)
    folder.rename(lease.path.with_suffix(".old"))
    lease.release()

    with pytest.raises(FileExistsError):
        check_target(f"{folder}/")
    assert names(tmp_path) == ["out"]
    assert names(folder) == ["part-00000.parquet"]


def test_a_lock_lost_to_another_run_is_taken_again_under_another_name(tmp_path, monkeypatch):
    taken = []
    real = staging.lease_file.__globals__["fcntl"].flock

    def flock(descriptor, operation):
        if not taken:  # another run takes the file for a leftover before it is locked
            [found] = tmp_path.iterdir()
            found.unlink()
            taken.append(found)
        real(descriptor, operation)

    monkeypatch.setattr("batchprep.sinks.leases.fcntl.flock", flock)
    sink = open_sink(tmp_path / "out.csv", N)

    assert names(tmp_path) != [taken[0].name]
    sink.close()
    assert names(tmp_path) == ["out.csv"]


def test_without_locks_the_process_id_tells_a_killed_run(tmp_path, monkeypatch):
    def refuse(descriptor, operation):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("batchprep.sinks.leases.fcntl.flock", refuse)
    path = tmp_path / "out.csv"
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    leftover(lease_file(path)).rename(tmp_path / f".out.csv.batchprep-{dead}-0123456789ab.tmp")
    living = leftover(lease_file(path))

    write(path)

    assert names(tmp_path) == sorted([living.name, "out.csv"])
