import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from batchprep.backends import get_backend
from batchprep.batch.batch import from_arrow
from batchprep.run import kernels
from batchprep.run.program import Options
from tests.run.programs import run, share_program

ROWS = 200_000
AUTO = Options(backend="auto")


def batch():
    return from_arrow(pa.table({"n": np.arange(ROWS), "d": np.arange(ROWS) % 7 + 1}))


class SlowBackend:
    """The numba backend, whose compiler waits until it is let go."""

    name = "numba"

    def __init__(self, error=None):
        self.let_go = threading.Event()
        self.compiled = 0
        self._error = error

    def compile(self, stage, layout, math):
        self.compiled += 1
        assert self.let_go.wait(30)
        if self._error is not None:
            raise self._error
        return get_backend("numba").compile(stage, layout, math)


@pytest.fixture
def slow(monkeypatch):
    backend = SlowBackend()
    put_in_place(backend, monkeypatch)
    yield backend
    backend.let_go.set()


def put_in_place(backend, monkeypatch):
    monkeypatch.setattr(
        kernels, "get_backend", lambda name: backend if name == "numba" else get_backend(name)
    )


def backend_of(program):
    return run(program, batch(), AUTO).report.stages[0]


def finished(backend, program):
    backend.let_go.set()
    deadline = time.monotonic() + 30
    while "numba" not in (found := backend_of(program)).backend and not found.reason:
        assert time.monotonic() < deadline
    return backend_of(program)


def test_auto_runs_on_numpy_until_the_kernel_is_compiled(slow):
    program = share_program()

    assert backend_of(program).backend == "numpy"
    assert backend_of(program).backend == "numpy"
    assert finished(slow, program).backend == "numba"
    assert slow.compiled == 1


def test_results_are_the_same_before_and_after_the_switch(slow):
    program = share_program()
    before = run(program, batch(), AUTO).results

    finished(slow, program)

    assert run(program, batch(), AUTO).results == before


def test_a_failed_compile_stays_on_numpy_and_is_reported(monkeypatch):
    backend = SlowBackend(RuntimeError("no such instruction"))
    put_in_place(backend, monkeypatch)
    program = share_program()
    backend_of(program)
    stage = finished(backend, program)

    assert stage.backend == "numpy"
    assert stage.reason == "numba cannot compile it: RuntimeError: no such instruction"
    assert backend.compiled == 1


def test_one_kernel_serves_all_batches_of_a_layout(monkeypatch):
    backend = SlowBackend()
    put_in_place(backend, monkeypatch)
    backend.let_go.set()
    program = share_program()

    for _ in range(3):
        run(program, batch(), Options(backend="numba"))

    assert backend.compiled == 1


def test_small_batches_add_up_to_a_compile(slow):
    program = share_program()
    small = from_arrow(pa.table({"n": np.arange(15_000), "d": np.arange(15_000) % 7 + 1}))
    for _ in range(5):
        run(program, small, AUTO)
    assert slow.compiled == 0

    for _ in range(10):
        run(program, small, AUTO)
    assert finished(slow, program).backend == "numba"
    assert run(program, small, AUTO).report.stages[0].backend == "numba"
