"""A writer killed at any moment leaves nothing half-written under the final name."""

import csv
import gzip
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.sinks.killed import TABLES, numbers

ROOT = Path(__file__).parents[2]
KILLS = 50
TARGETS = ["out.parquet", "out.csv", "out.ndjson.gz", "out.arrow", "out/"]
CASES = [(target, overwrite) for target in TARGETS for overwrite in (False, True)]
OLD, NEW = 1_000_000, 0


class Writers:
    def __init__(self, process):
        self.process = process

    def start(self, target, *, first=NEW, die_at=0, **options):
        """Start a writer; its process id."""
        order = {"target": target, "first": first, "die_at": die_at, "options": options}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return int(self.line())

    def line(self):
        line = self.process.stdout.readline().strip()
        assert line
        return line

    def end(self):
        """Wait for the writer's end; its exit code, -9 where it was killed."""
        while not (line := self.line()).startswith("ended"):
            pass
        return int(line.removeprefix("ended "))

    def whole(self, target, **options):
        self.start(target, **options)
        assert self.end() == 0


@pytest.fixture(scope="module")
def writers():
    with subprocess.Popen(
        [sys.executable, "-m", "tests.sinks.killed"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Writers(process)
        process.stdin.close()
        assert process.wait() == 0


def numbers_in(target):
    """The numbers under the final name, None where there is nothing; a half file is an error."""
    path = Path(target)
    if not path.exists():
        return None
    match "".join(path.suffixes):
        case ".csv":
            with path.open(newline="") as file:
                return [int(row["n"]) for row in csv.DictReader(file)]
        case ".ndjson.gz":
            with gzip.open(path) as file:
                return [json.loads(line)["n"] for line in file]
        case ".arrow":
            with pa.ipc.open_file(path) as file:
                return file.read_all()["n"].to_pylist()
        case _:
            parts = sorted(path.iterdir()) if path.is_dir() else [path]
            return [n for part in parts for n in pq.read_table(part)["n"].to_pylist()]


def options_of(target, overwrite):
    parts = {"rows_per_file": 900} if target.endswith("/") else {}
    return {"overwrite": overwrite, "row_group_rows": 1000, **parts}


def remove(target):
    path = Path(target)
    if path.is_dir():
        for part in path.iterdir():
            part.unlink()
        path.rmdir()
    path.unlink(missing_ok=True)


def set_aside(target):
    """Whether the old folder is out of the way, which lasts from one rename to the next."""
    return target.endswith("/") and any(p.suffix == ".old" for p in Path(target).parent.iterdir())


def check(target, overwrite):
    found = numbers_in(target)
    if overwrite:
        whole = found in (numbers(OLD), numbers(NEW)) or (found is None and set_aside(target))
    else:
        whole = found is None or found == numbers(NEW)
    assert whole, found


@pytest.mark.parametrize(("name", "overwrite"), CASES)
def test_a_writer_killed_while_it_writes_leaves_no_half_file(name, overwrite, writers, tmp_path):
    target, options = f"{tmp_path}/{name}", options_of(name, overwrite)
    choose = random.Random(f"{name} {overwrite}")
    if overwrite:
        writers.whole(target, first=OLD, **options)
    for _ in range(KILLS // len(CASES)):
        child = writers.start(target, **options)
        for _ in range(choose.randint(0, TABLES + 1)):  # the last line is "closing"
            writers.line()
        os.kill(child, signal.SIGKILL)
        writers.end()
        check(target, overwrite)
        if not overwrite:
            remove(target)

    writers.whole(target, **options)
    assert numbers_in(target) == numbers(NEW)
    assert [path.name for path in tmp_path.iterdir()] == [name.rstrip("/")]


@pytest.mark.parametrize(
    ("name", "overwrite"), [case for case in CASES if case[0] in {"out.csv", "out/"}]
)
def test_a_writer_killed_before_any_operation_on_files_leaves_no_half_file(
    name, overwrite, writers, tmp_path
):
    target, options = f"{tmp_path}/{name}", options_of(name, overwrite)
    moment, code, before = 0, -9, None
    while code == -9:
        moment += 1
        new = numbers(moment * OLD)
        writers.start(target, first=new[0], die_at=moment, **options)
        code = writers.end()
        found = numbers_in(target)
        if found is None and set_aside(target):
            continue  # the next writer gives the old folder its name back
        assert found in (before, new)
        before = found
        if not overwrite:
            remove(target)
            before = None

    assert code == 0
    assert moment > 5
    assert found == new
    assert [path.name for path in tmp_path.iterdir()] == ([name.rstrip("/")] if overwrite else [])
