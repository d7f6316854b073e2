"""The process that compiles beside the calls: what it may see, and when it ends. Real processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba  # noqa: F401  without it no machine code is loaded
import pytest

from batchprep.backends.numba.store import kernel_directory
from batchprep.batch.record_reader import LOAD_ROWS, Loader
from batchprep.run import compiling
from batchprep.run.compile_process import CompileProcess, can_start

# No `if __name__`: what ran it a second time would be seen.
PROGRAM = """
import os, sys, time
print("main")
import numpy as np
import pyarrow as pa
import batchprep as bp
from batchprep.run.compiling import BACKGROUND

@bp.vectorize
def share(r):
    return r["n"] / r["d"]

table = pa.table({"n": np.arange(30_000), "d": np.arange(30_000) % 7 + 1})

def process():
    return BACKGROUND._process._process.pid

def until(is_so):
    deadline = time.monotonic() + 300  # the process has a low priority: a busy machine starves it
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)

def in_numba():
    share(table)
    return share.report().stages[0].backend == "numba"
"""
# Loops for bits of nulls and to compare with the C library's log1p are compiled there too.
LOADED = """
import math

@bp.vectorize
def share(r):
    return None if r["d"] is None else math.log1p(r["n"]) / r["d"]

table = pa.table({"n": table["n"], "d": pa.array([None, *range(1, 30_000)])})
until(in_numba)
from batchprep.backends.numba import compiler
stats = [kernel.result().stats for kernel in compiler._kernels.values()]
print({sum(s.cache_hits.values()) for s in stats}, {len(s.cache_misses) for s in stats})
print(os.getsid(process()) == process(), process())
"""
AT_EXIT = """
share(table)
until(lambda: BACKGROUND._is_waiting)
print(process())
"""
FORKED = """
share(table)
until(lambda: BACKGROUND._process)
if os.fork() == 0:
    assert BACKGROUND._process is None
    share(table)
    print("fork", os.getpid(), flush=True)
    sys.stdin.read()
    os._exit(0)
print("process", process(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kernels"


def program(tmp_path, then):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + then)
    # Newer Pythons warn of forks in a process with threads.
    return [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", str(path)]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def is_gone(process):
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return True
    return status.rpartition(")")[2].split()[0] == "Z"  # ended, and nobody has asked for it yet


def comes_true(is_so):
    deadline = time.monotonic() + 300
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.usefixtures("folder")
def test_the_process_compiles_and_the_caller_only_loads(tmp_path):
    main, kernels, process = run(program(tmp_path, LOADED))

    assert main == "main"
    assert kernels == "{1} {0}"
    own_session, pid = process.split()
    assert own_session == "True"
    assert comes_true(lambda: is_gone(int(pid)))


def test_what_is_compiled_at_an_exit_is_there_for_the_next_process(tmp_path, folder):
    _, pid = run(program(tmp_path, AT_EXIT))

    assert comes_true(lambda: is_gone(int(pid)))
    assert len(list(folder.glob("*.note"))) == 1


@pytest.mark.usefixtures("folder")
def test_the_process_ends_with_a_killed_caller_even_where_a_fork_of_it_lives(tmp_path):
    command = program(tmp_path, FORKED)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        lines = [one.stdout.readline().split() for _ in range(3)]
        process, fork = (int(dict(lines[1:])[name]) for name in ("process", "fork"))
        one.kill()
        one.wait()

        assert comes_true(lambda: is_gone(process))
        assert not is_gone(fork)
        one.stdin.close()
    assert comes_true(lambda: is_gone(fork))


def test_no_process_is_started_where_there_is_no_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(tmp_path / "file"))
    background = compiling.Background()
    monkeypatch.setattr(compiling, "BACKGROUND", background)

    compiling.compiled_elsewhere([("def kernel(): pass", ())], int)

    assert kernel_directory() is None
    assert background._process is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("executable", None), ("executable", "/usr/bin/uwsgi"), ("frozen", True)],
)
def test_no_process_is_started_where_the_executable_is_no_python(name, value, monkeypatch):
    assert can_start()
    monkeypatch.setattr(sys, name, value, raising=False)

    assert not can_start()


@pytest.mark.usefixtures("folder")
def test_a_process_that_was_killed_is_not_waited_for():
    background = compiling.Background()
    background._process = CompileProcess()
    os.kill(background._process._process.pid, signal.SIGKILL)

    assert background.elsewhere([], int) is False
    assert background._process is None


def test_a_module_is_compiled_elsewhere_once_for_its_environment(folder, monkeypatch):
    asked = []
    background = compiling.Background()
    monkeypatch.setattr(background, "elsewhere", lambda jobs, _: asked.append(jobs) or True)
    monkeypatch.setattr(compiling, "BACKGROUND", background)

    for _ in range(2):
        compiling.prepare_module("batchprep.kernels.cpu.records")
    monkeypatch.setattr(type(compiling.NUMBA), "environment", lambda _: "numba 99")
    compiling.prepare_module("batchprep.kernels.cpu.records")
    background.end()

    assert asked == [["batchprep.kernels.cpu.records"]] * 2
    assert len(list(folder.glob("records_*.note"))) == 2


def test_machine_code_for_records_is_prepared_before_it_is_loaded(monkeypatch):
    steps = []
    monkeypatch.setattr(Loader, "prepare", steps.append)
    loader = Loader("colorsys", lambda module: steps.append(module.__name__))
    loader.ask(LOAD_ROWS)
    loader.wait()

    assert "numba" in sys.modules
    assert steps == ["colorsys"] * 2


def test_a_background_that_has_nothing_to_do_ends(monkeypatch):
    monkeypatch.setattr(compiling, "IDLE_SECONDS", 0.01)
    background = compiling.Background()

    assert background.submit(lambda: 7).result() == 7
    thread = background._thread
    if thread is not None:
        thread.join()
    assert background._thread is None
    assert background.submit(lambda: 8).result() == 8


def test_what_fails_in_the_background_is_kept():
    background = compiling.Background()

    assert isinstance(background.submit(lambda: 1 // 0).exception(), ZeroDivisionError)
    background.end()
    assert isinstance(background.submit(lambda: 9).exception(), InterruptedError)
