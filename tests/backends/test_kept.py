"""What the folder holds of kernels: spoiled files are noticed, old ones go, versions lie apart."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core import types

from batchprep.backends import get_backend
from batchprep.backends.numba import compiler
from batchprep.backends.numba.kept import is_intact, prune
from batchprep.backends.numba.store import kernel_directory
from batchprep.kernels.cpu.cached import compile_cached
from tests.ops.stages import apply, column, layout_of, run_kernel, stage_of

X = column("x", "f")
INPUTS = {X: np.arange(5.0)}
STAGE = stage_of([apply("fmul", X, X)])
SQUARES = [0.0, 1.0, 4.0, 9.0, 16.0]

COMPILE = """
from tests.backends import test_kept
print(test_kept.hits_of(test_kept.squares()))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler, "_kernels", {})
    return kernel_directory()


def squares():
    """The kernel as a new process gets it; it computes what it should."""
    compiler._kernels.clear()
    kernel = get_backend("numba").compile(STAGE, layout_of(INPUTS), "exact")
    assert run_kernel(kernel, STAGE, INPUTS, 5)[0].tolist() == SQUARES
    return kernel


def hits_of(kernel):
    (function,) = kernel.functions
    return sum(function.stats.cache_hits.values())


def keys(folder):
    return [path.stem.removeprefix("kernel_") for path in folder.glob("*.note")]


def test_a_kernel_is_noted_and_found(folder):
    assert hits_of(squares()) == 0
    (key,) = keys(folder)

    assert is_intact(folder, key)
    assert hits_of(squares()) == 1


def cut(path):
    path.write_bytes(path.read_bytes()[:100])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("files", "spoil"),
    [
        ("__pycache__/*.nbi", cut),
        ("__pycache__/*.nbc", flip),
        ("*.note", cut),
    ],
)
def test_a_spoiled_file_is_compiled_anew(files, spoil, folder):
    squares()
    for path in folder.glob(files):
        spoil(path)

    assert not is_intact(folder, *keys(folder))
    assert hits_of(squares()) == 0
    assert is_intact(folder, *keys(folder))
    assert hits_of(squares()) == 1


def test_machine_code_that_was_removed_is_compiled_anew(folder):
    squares()
    for path in folder.glob("__pycache__/*.nbc"):
        path.unlink()

    assert hits_of(squares()) == 0


def test_another_version_has_a_kernel_of_its_own(folder, monkeypatch):
    squares()
    monkeypatch.setattr(compiler, "_environment", lambda: "numba 99")

    assert hits_of(squares()) == 0
    assert len(keys(folder)) == 2
    monkeypatch.undo()


def test_processes_that_race_for_an_empty_folder_leave_a_kernel_that_loads(folder):
    command = [sys.executable, "-W", "error", "-c", COMPILE]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    results = [process.communicate(timeout=120)[0] for process in started]

    assert all(result in {"0\n", "1\n"} for result in results)
    squares()
    assert hits_of(squares()) == 1
    assert not list(folder.rglob("*tmp*"))


def of_kernel(folder, name, size, used):
    (folder / "__pycache__").mkdir(exist_ok=True)
    for path in (folder / f"kernel_{name}.note", folder / "__pycache__" / f"kernel_{name}.k.nbc"):
        path.write_bytes(b"x" * (size // 2))
        os.utime(path, (used, used))


def names(folder):
    return {path.name.partition(".")[0] for path in folder.rglob("*.*")}


def test_the_kernels_that_were_used_least_lately_are_pruned(folder):
    for place, name in enumerate("abcd"):
        of_kernel(folder, name, 1000, 1000.0 + place)

    prune(folder, 4000)
    assert names(folder) == {"kernel_a", "kernel_b", "kernel_c", "kernel_d"}

    prune(folder, 3000)
    assert names(folder) == {"kernel_c", "kernel_d"}


def test_a_kernel_in_use_is_not_pruned(folder):
    squares()
    of_kernel(folder, "old", 1000, 1000.0)

    prune(folder, 0)

    (key,) = keys(folder)
    assert is_intact(folder, key)


def test_a_use_is_noted(folder):
    squares()
    (note,) = folder.glob("*.note")
    os.utime(note, (1000.0, 1000.0))

    squares()

    assert note.stat().st_mtime > 1000.0


def test_a_folder_that_is_full_compiles_all_the_same(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._save_data", full)

    assert hits_of(squares()) == 0
    assert keys(folder) == []


def double(number):
    return 2 * number


@pytest.mark.parametrize("files", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("spoil", [cut, lambda path: path.write_bytes(b"\xff" * 3000)])
def test_a_spoiled_cache_of_a_hand_written_kernel_is_made_anew(files, spoil, tmp_path, monkeypatch):
    def hits():
        function = numba.njit(cache=True)(double)
        compile_cached(function, lambda: function.compile((types.int64,)))
        assert function(4) == 8
        return sum(function.stats.cache_hits.values())

    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert [hits(), hits()] == [0, 1]
    for path in tmp_path.rglob(files):
        spoil(path)

    assert [hits(), hits()] == [0, 1]
