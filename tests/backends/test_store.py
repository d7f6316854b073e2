"""The kernel folder: used only where nobody else can write, and safe among processes."""

import os
import subprocess
import sys

import pytest

from batchprep.backends.numba.store import kernel_directory, write_once

RUN_STAGE = """
import numpy as np
from batchprep.backends import get_backend
from tests.ops.stages import apply, column, layout_of, run_kernel, stage_of
x = column("x", "f")
stage = stage_of([apply("fmul", x, x)])
inputs = {x: np.arange(5.0)}
kernel = get_backend("numba").compile(stage, layout_of(inputs), "exact")
print(run_kernel(kernel, stage, inputs, 5)[0].tolist())
"""

FORK_WHILE_COMPILING = """
import os, threading
import numpy as np
from batchprep.backends import get_backend
from tests.ops.stages import apply, column, layout_of, run_kernel, stage_of
x = column("x", "f")
inputs = {x: np.arange(5.0)}

def stage(ops):
    node = x
    for _ in range(ops):
        node = apply("fadd", apply("ffloordiv", node, x), x)
    return stage_of([node])

def run(ops):
    kernel = get_backend("numba").compile(stage(ops), layout_of(inputs), "exact")
    run_kernel(kernel, stage(ops), inputs, 5)

run(1)
thread = threading.Thread(target=run, args=(40,))
thread.start()
child = os.fork()
if child == 0:
    run(40)
    os._exit(7)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture
def base(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(folder))
    return folder


def test_the_folder_is_made_for_the_user_alone(base):
    folder = kernel_directory()

    assert folder == base / "kernels"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_default_folder_is_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("BATCHPREP_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert kernel_directory() == tmp_path / "batchprep" / "kernels"


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_is_not_used(base, mode):
    folder = kernel_directory()
    folder.chmod(mode)

    assert kernel_directory() is None
    folder.chmod(0o700)
    base.chmod(mode)
    assert kernel_directory() is None


def test_a_folder_of_another_user_is_not_used(base, monkeypatch):
    assert kernel_directory() is not None
    monkeypatch.setattr(os, "getuid", lambda: base.stat().st_uid + 1)

    assert kernel_directory() is None


def test_a_link_is_not_used(base, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    base.mkdir(mode=0o700)
    (base / "kernels").symlink_to(elsewhere)

    assert kernel_directory() is None


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(file))

    assert kernel_directory() is None


def test_a_file_that_is_there_is_left_alone(base):
    folder = kernel_directory()
    path = write_once(folder, "kernel.py", "one = 1\n")
    before = path.stat().st_mtime_ns
    os.utime(path, ns=(1, 1))

    assert write_once(folder, "kernel.py", "one = 1\n") == path
    assert before != path.stat().st_mtime_ns == 1


def test_a_file_with_another_text_is_replaced(base):
    folder = kernel_directory()
    (folder / "kernel.py").write_text("one = ")

    assert write_once(folder, "kernel.py", "one = 1\n").read_text() == "one = 1\n"
    assert [path.name for path in folder.iterdir()] == ["kernel.py"]


def test_what_lies_in_the_file_is_not_executed(base):
    run_stage()
    (source,) = (base / "kernels").glob("kernel_*.py")
    source.write_text("raise SystemExit('executed')\n")

    assert run_stage() == "[0.0, 1.0, 4.0, 9.0, 16.0]\n"


@pytest.mark.parametrize("writable", [True, False])
def test_processes_that_start_together_agree(base, writable):
    if not writable:
        base.write_text("a file where the folder would be")
    command = [sys.executable, "-W", "error", "-c", RUN_STAGE]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    results = [process.communicate()[0] for process in started]

    assert results == ["[0.0, 1.0, 4.0, 9.0, 16.0]\n"] * 3


@pytest.mark.usefixtures("base")
def test_a_child_that_is_forked_during_a_compile_can_compile():
    assert run_script(FORK_WHILE_COMPILING, "-W", "ignore::DeprecationWarning") == "7\n"


def run_stage():
    return run_script(RUN_STAGE)


def run_script(script, *options):
    command = [sys.executable, "-W", "error", *options, "-c", script]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.parametrize("spoiled", [b"\xdf\xff", b"", b"pass\n"], ids=["bytes", "empty", "other"])
def test_a_spoiled_text_is_written_anew(base, spoiled):
    folder = kernel_directory()
    path = write_once(folder, "kernel.py", "größer = 1\n")
    path.write_bytes(spoiled)

    assert write_once(folder, "kernel.py", "größer = 1\n") == path
    assert path.read_bytes() == "größer = 1\n".encode()
    assert [found.name for found in folder.iterdir()] == ["kernel.py"]
