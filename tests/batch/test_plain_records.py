"""Helpers that read records beside the caller: what they call, and that none is waited for."""

import threading
import types as py_types

import numpy as np
import pytest
from numba.core import types

from batchprep.batch import record_reader
from batchprep.batch.record_columns import columns_of_dicts
from batchprep.batch.record_reader import RecordReader, loaded_reader
from batchprep.kernels.cpu import plain_records as plain
from batchprep.kernels.cpu import records as records_kernel
from batchprep.schema import Field

NUMBER = Field("a", frozenset({"int"}))


@pytest.fixture(scope="module")
def reader():
    found = loaded_reader()
    assert found is not None
    assert found.reads_plain
    return found


def table_of_work(helpers=1):
    work = np.zeros(plain.OWN + 1 + plain.WORKER * (helpers + 1), np.int64)
    work[plain.HELPERS] = helpers
    work[plain.OWN] = work[plain.OWN + 1 :].ctypes.data
    return work


def state_of(work, helper=1):
    return work[plain.OWN + 1 + plain.WORKER * helper + plain.STATE]


def symbols_reached(function, seen):
    """The external functions that a kernel calls, and that what it calls does."""
    code = function.__code__
    named = [function.__globals__.get(name) for name in code.co_names]
    modules = [value for value in named if isinstance(value, py_types.ModuleType)]
    named += [getattr(module, name, None) for module in modules for name in code.co_names]
    found = {value.symbol for value in named if isinstance(value, types.ExternalFunction)}
    for value in named:
        called = getattr(value, "py_func", None)
        if called is not None and called not in seen:
            seen.add(called)
            found |= symbols_reached(called, seen)
    return found


def test_without_the_lock_nothing_is_called_that_counts_references_or_runs_code():
    for function in (plain.help_reading, plain.await_helpers, plain.read_together.py_func):
        assert symbols_reached(function, set()) <= {"PyUnicode_Compare", "sched_yield"}
    assert symbols_reached(plain.help_reading, set()) == set(plain.SYMBOLS)
    assert "PyList_Append" in symbols_reached(records_kernel.read_records, set())


def test_a_helper_that_comes_late_reads_nothing(reader):
    work = table_of_work()
    work[plain.OWN + 1 + plain.WORKER + plain.STATE] = plain.DONE

    assert reader._help(work.ctypes.data, 1) == 0
    assert state_of(work) == plain.DONE


def test_a_helper_that_nobody_lets_begin_gives_up(reader):
    work = table_of_work()

    assert reader._help(work.ctypes.data, 1) == 0
    assert state_of(work) == plain.DONE


def test_helpers_that_are_away_are_not_waited_for(reader):
    work = table_of_work(helpers=3)

    assert reader._await(work.ctypes.data, 10) == 0


def test_many_records_are_shared_out_and_few_are_not(reader):
    class Watched(RecordReader):
        def _ready(self, work, looks):
            asked.append(threading.get_ident())
            return super()._ready(work, looks)

    asked, watched = [], Watched(records_kernel)
    enough = record_reader.SHARED_ROWS
    for rows, times in ((enough - 1, 0), (enough, 1)):
        records = [{"a": n} for n in range(rows)]
        columns = columns_of_dicts(records, range(rows), [NUMBER], watched, 2)
        assert columns["a"].buffers["int"].tolist() == [*range(rows)]
        assert len(asked) == times
