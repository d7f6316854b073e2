import contextvars
import os
import queue
import threading

import numpy as np
import pyarrow as pa
import pytest

from batchprep.batch import threads
from batchprep.batch.batch import from_arrow, from_records
from batchprep.batch.threads import CHUNK_ROWS, chunk_bounds, for_each_chunk
from batchprep.run.program import Options
from tests.run.programs import root_value, root_value_program, run, share, share_program

LONG = 3 * CHUNK_ROWS + 17
MANY = 200 * CHUNK_ROWS + 7


def long_fractions(zero_at=()):
    d = np.arange(LONG) % 7 + 1
    d[list(zero_at)] = 0
    return from_arrow(pa.table({"n": np.arange(LONG), "d": d}))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("threads", [1, 4])
def test_results_do_not_depend_on_threads(backend, threads):
    zeros = [0, CHUNK_ROWS - 1, CHUNK_ROWS, 2 * CHUNK_ROWS, LONG - 1]
    options = Options(backend=backend, threads=threads, on_error="null")
    ran = run(share_program(), long_fractions(zeros), options)

    expected = [n // (n % 7 + 1) for n in range(LONG)]
    for row in zeros:
        expected[row] = None
    assert ran.results == expected
    assert [failure.row for failure in ran.report.failed] == zeros


def test_only_chunks_with_many_deviations_are_given_up():
    zeros = range(CHUNK_ROWS, CHUNK_ROWS + CHUNK_ROWS // 2)
    seen = []

    def noted(r):
        seen.append(r["n"])
        return -1 if r["d"] == 0 else share(r)

    run(share_program(noted), long_fractions([*zeros, LONG - 1]))

    assert seen == [*range(CHUNK_ROWS, 2 * CHUNK_ROWS), LONG - 1]


def test_chunks_inside_a_worker_stay_on_it():
    threads = set()

    def inner(start, end):
        threads.add(threading.get_ident())

    def outer(start, end):
        threads.clear()
        for_each_chunk(inner, LONG, 2)
        assert threads == {threading.get_ident()}

    for_each_chunk(outer, LONG, 2)


def test_a_helper_that_has_not_begun_is_not_waited_for():
    release, rows = threading.Event(), []
    for_each_chunk(lambda *_: None, LONG, 2)  # so that the pool is there
    held = threads._pool(1).submit(release.wait)
    try:
        for_each_chunk(lambda start, end: rows.append((start, end)), LONG, 2)
    finally:
        release.set()

    assert held.result()
    assert rows == threads.chunk_bounds(LONG)


def test_helpers_run_in_the_context_of_the_caller():
    variable, seen, met = contextvars.ContextVar("variable"), [], threading.Barrier(2, timeout=10)
    variable.set("the caller's")

    def work(start, end):
        if start < 2 * CHUNK_ROWS:
            met.wait()  # two threads have a chunk each
        seen.append((threading.get_ident(), variable.get()))

    for_each_chunk(work, LONG, 2)

    assert len({thread for thread, _ in seen}) == 2
    assert {value for _, value in seen} == {"the caller's"}


def test_an_exception_of_a_helper_is_raised_once_all_are_done():
    met, done = threading.Barrier(2, timeout=10), []
    caller = threading.get_ident()

    def work(start, end):
        if start < 2 * CHUNK_ROWS:
            met.wait()
        if threading.get_ident() != caller:
            raise ArithmeticError(start)
        done.append(start)

    with pytest.raises(ArithmeticError):
        for_each_chunk(work, LONG, 2)
    assert len(done) == 3


def test_threads_that_are_lent_run_beside_the_block():
    met, reached = [], threading.Barrier(3, timeout=10)

    def work(number):
        met.append(number)
        reached.wait()

    with threads.lent(work, 2) as count:
        reached.wait()
    assert count == 2
    assert sorted(met) == [1, 2]


def test_no_thread_is_lent_to_one_that_is_lent():
    counts = queue.SimpleQueue()

    def work(_):
        with threads.lent(work, 2) as count:
            counts.put(count)

    with threads.lent(work, 1):
        assert counts.get(timeout=10) == 0


def test_an_exception_of_a_chunk_is_raised():
    def failing(start, end):
        if start:
            raise ArithmeticError(start)

    with pytest.raises(ArithmeticError):
        for_each_chunk(failing, LONG, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_threads_work_after_a_fork():
    options = Options(backend="numpy", threads=2)
    expected = run(share_program(), long_fractions(), options).results

    child = os.fork()
    if child == 0:
        same = run(share_program(), long_fractions(), options).results == expected
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_small_batch_stays_on_numpy():
    records = [{"price": 2.0 * i, "volume": i} for i in range(100)]
    ran = run(root_value_program(), from_records(records), Options(backend="auto"))

    assert ran.results == list(map(root_value, records))
    assert ran.report.stages[0].backend == "numpy"


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_work_gets_one_chunk_at_a_time_however_many_there_are(threads):
    given = []
    for_each_chunk(lambda *span: given.append(span), MANY, threads)

    assert sorted(given) == chunk_bounds(MANY)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_work_that_asks_for_it_gets_neighbouring_chunks_at_once(threads):
    given = []
    for_each_chunk(lambda *span: given.append(span), MANY, threads, joined=True)
    starts, ends = zip(*sorted(given), strict=True)

    assert starts == (0, *ends[:-1])
    assert ends[-1] == MANY
    assert len(given) < len(chunk_bounds(MANY))
