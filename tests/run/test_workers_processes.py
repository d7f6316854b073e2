"""Worker processes: kept, ended, killed, and none inside of one."""

import multiprocessing
import os
import signal
import sys

import pytest

from batchprep.run import workers_pool
from tests.run.over_workers import RECORDS, always_worth_it, described, pure, ran, same, stage

__all__ = ["always_worth_it"]
pytestmark = pytest.mark.usefixtures("always_worth_it")


def test_process_that_is_killed_is_an_error_that_names_the_rows():
    @pure
    def killed(r):
        if r["n"] == 200:
            os.kill(os.getpid(), signal.SIGKILL)
        return r["n"]

    with pytest.raises(RuntimeError, match="a worker process ended while it ran killed on rows"):
        ran(killed, on_error="null")

    assert same(ran(described).results, [described(r) for r in RECORDS])  # others take their place


def test_interrupt_ends_the_processes(monkeypatch):
    ran(described)
    executor = workers_pool._kept.crew._executor
    pids = list(executor._processes)
    submit = workers_pool.Processes.submit

    def interrupted(self, order, records):
        waiting = submit(self, order, records)
        signal.raise_signal(signal.SIGINT)
        return waiting

    monkeypatch.setattr(workers_pool.Processes, "submit", interrupted)
    # A shell that starts the tests behind itself has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ran(described)
    finally:
        signal.signal(signal.SIGINT, before)

    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_processes_are_kept_between_calls():
    @pure
    def process(r):
        return os.getpid()

    first, second = set(ran(process).results), set(ran(process).results)

    assert len((first | second) - {os.getpid()}) <= 2
    assert second - {os.getpid()}


def test_processes_start_anew_where_python_computes_otherwise():
    ran(described)
    assert workers_pool.is_warm(2)

    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(5_000)
    try:
        assert not workers_pool.is_warm(2)
    finally:
        sys.set_int_max_str_digits(digits)


def test_daemonic_process_has_no_workers(monkeypatch):
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    found = ran(described)

    assert same(found.results, [described(r) for r in RECORDS])
    assert "daemonic process" in stage(found).reason


def test_worker_process_has_no_workers_of_its_own():
    @pure
    def why(r):
        from batchprep.run.workers_pool import no_crew

        return no_crew()

    assert set(ran(why).results[1:]) == {"this is a worker process already"}
