import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from batchprep.backends import get_backend
from batchprep.batch.batch import from_arrow
from batchprep.run import kernels, runner
from batchprep.run.inputs import plans_of
from batchprep.run.program import Options
from batchprep.run.tiers import AGAIN, SMALL_ROWS, TIMED, TRIALS, Race, Races
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


def test_a_kernel_that_is_there_runs_small_batches_too(monkeypatch):
    monkeypatch.setattr(runner, "ways_for", lambda *_: None)  # nor does the interpreter
    backend = SlowBackend()
    put_in_place(backend, monkeypatch)
    backend.let_go.set()
    program = share_program()
    small = from_arrow(pa.table({"n": np.arange(10), "d": np.arange(10) % 7 + 1}))
    run(program, small, AUTO)
    run(program, small, Options(backend="numba"))

    assert run(program, small, AUTO).report.stages[0].backend == "numba"
    assert backend.compiled == 1


def test_seconds_of_numpy_add_up_to_a_compile(slow, monkeypatch):
    monkeypatch.setattr(kernels, "AUTO_NUMBA_SECONDS", 0.0)
    program = share_program()
    small = from_arrow(pa.table({"n": np.arange(10), "d": np.arange(10) % 7 + 1}))
    run(program, small, AUTO)

    finished(slow, program)
    assert slow.compiled == 1


def raced(numpy, numba):
    race = Race()
    for backend, seconds in [*(("numpy", s) for s in numpy), *(("numba", s) for s in numba)]:
        race.took(backend, seconds)
    return race


def test_numba_takes_over_until_it_has_been_slower_by_a_margin():
    assert raced([1.0] * 3, []).numba_wins
    assert raced([1.0] * 3, [5.0] * 2).numba_wins
    assert raced([1.0] * 3, [1.05] * 3).numba_wins
    assert raced([], [5.0] * 3).numba_wins
    assert not raced([1.0] * 3, [1.2] * 3).numba_wins


def test_one_slow_chunk_decides_nothing():
    assert raced([2.0, 2.0, 2.0], [1.0, 99.0, 99.0]).numba_wins


def test_a_kernel_that_lost_is_tried_again():
    race = raced([1.0] * 3, [1.2] * 3)
    for _ in range(AGAIN):
        assert not race.numba_wins
        race.took("numpy", 1.0)

    assert race.numba_wins


def test_small_chunks_are_timed_now_and_then_once_numba_has_won():
    races = Races()
    for rows, timed in ((SMALL_ROWS - 1, 2), (SMALL_ROWS * 4, 2 * TIMED)):
        race = races.of(rows)
        for _ in range(TRIALS):
            assert race.is_timed()
            race.took("numba", 1.0)
        assert sum(race.is_timed() for _ in range(2 * TIMED)) == timed

    lost = races.of(10)
    for backend, seconds in [("numpy", 1.0)] * TRIALS + [("numba", 2.0)] * TRIALS:
        lost.took(backend, seconds)
    assert all(lost.is_timed() for _ in range(TIMED))  # until it is tried again


def test_chunks_of_other_sizes_have_races_of_their_own():
    races = Races()
    for backend, seconds in (("numpy", 1e-6), ("numba", 1.0)):
        for _ in range(TRIALS):
            races.took(backend, 10, seconds)

    assert not races.of(11).numba_wins
    assert races.of(65_536).numba_wins


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


def test_rows_that_the_interpreter_answers_add_up_to_a_compile(slow):
    program = share_program()
    small = from_arrow(pa.table({"n": np.arange(10), "d": np.arange(10) % 7 + 1}))
    run(program, small, AUTO)
    plans = plans_of(program.trace)

    plans.interpreted(kernels.AUTO_NUMBA_TOTAL - 11)
    assert slow.compiled == 0
    plans.interpreted(1)
    assert finished(slow, program).backend == "numba"
    assert slow.compiled == 1
