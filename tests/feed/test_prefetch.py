import gc
import os
import signal
import subprocess
import sys
import threading
import traceback
from contextvars import ContextVar

import pytest

from batchprep.adapters.loader import open_loader
from tests.feed.tables import loader, numbered

LONG = 60  # seconds until a thread that does not end is a failure


class Endless:
    """Tables without end that say when they are closed."""

    def __init__(self):
        self.closed = threading.Event()

    def __call__(self):
        try:
            while True:
                yield numbered(3)
        finally:
            self.closed.set()


def prefetching():
    return [thread for thread in threading.enumerate() if thread.name == "batchprep-feed"]


def ended(threads):
    for thread in threads:
        thread.join(LONG)
    return not any(thread.is_alive() for thread in threads)


@pytest.fixture
def endless():
    gc.collect()
    assert ended(prefetching())
    return Endless()


def test_leaving_the_loop_ends_the_thread_and_closes_the_tables(endless):
    for _ in open_loader(endless, batch_size=2):
        running = prefetching()
        break

    assert len(running) == 1
    assert ended(running)
    assert endless.closed.is_set()


def test_an_exception_in_the_loop_ends_the_thread_and_closes_the_tables(endless):
    running = []

    def loop():
        for _ in open_loader(endless, batch_size=2):
            running.extend(prefetching())
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        loop()

    assert ended(running)
    assert endless.closed.is_set()


def test_collecting_a_forgotten_iterator_ends_its_thread(endless):
    holder = {"batches": iter(open_loader(endless, batch_size=2))}
    holder["itself"] = holder
    next(holder["batches"])
    running = prefetching()
    del holder
    gc.collect()

    assert ended(running)
    assert endless.closed.is_set()


def test_close_waits_until_the_tables_are_closed(endless):
    with iter(open_loader(endless, batch_size=2)) as batches:
        next(batches)

    assert endless.closed.is_set()
    assert prefetching() == []
    assert list(batches) == []


def test_an_iterator_that_was_never_asked_ends_too(endless):
    iter(open_loader(endless, batch_size=2)).close()

    assert prefetching() == []


def test_no_more_than_two_batches_are_asked_for_ahead():
    gate = threading.Event()

    def tables():
        gate.wait(LONG)
        yield numbered(1)

    batches = iter(open_loader(tables, batch_size=1))
    asked = batches._line._requests.qsize()
    gate.set()
    batches.close()

    assert asked <= 2


def test_exceptions_come_with_their_type_and_traceback_after_the_batches_before():
    def tables():
        yield numbered(4)
        raise ZeroDivisionError("in the tables")

    seen = []
    with pytest.raises(ZeroDivisionError, match="in the tables") as caught:
        seen.extend(open_loader(tables, batch_size=2, features=["n"]))

    assert [x.tolist() for x in seen] == [[[0], [1]], [[2], [3]]]
    assert "tables" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert prefetching() == []


def test_an_exception_of_closing_is_raised_too():
    class Tables:
        def __init__(self):
            self.rest = [numbered(2)]

        def __iter__(self):
            return self

        def __next__(self):
            if not self.rest:
                raise StopIteration
            return self.rest.pop()

        def close(self):
            raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        list(open_loader(Tables, batch_size=2))


def test_tables_are_made_under_the_context_of_the_loop():
    setting = ContextVar("setting", default="none")
    seen = []

    def tables():
        seen.append(setting.get())
        yield numbered(1)

    setting.set("mine")
    list(open_loader(tables, batch_size=1))

    assert seen == ["mine"]


def test_two_epochs_can_run_side_by_side():
    batches = loader(numbered(6), batch_size=2, features=["n"])

    pairs = [(x.tolist(), y.tolist()) for x, y in zip(batches, batches, strict=True)]

    assert pairs == [([[a], [a + 1]], [[a], [a + 1]]) for a in (0, 2, 4)]


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_child_process_is_told_that_the_iterator_is_not_its_own(endless):
    batches = iter(open_loader(endless, batch_size=2))
    next(batches)
    child = os.fork()
    if child == 0:
        try:
            next(batches)
        except RuntimeError as error:
            os._exit(7 if "the process that made it" in str(error) else 8)
        os._exit(9)
    _, status = os.waitpid(child, 0)
    batches.close()

    assert os.waitstatus_to_exitcode(status) == 7


SCRIPT = """
import signal
import pyarrow as pa
from batchprep.feed import Loader

def tables():
    try:
        yield pa.table({"n": [1, 2]})
        while True:
            print("waiting", flush=True)
            %s
            yield pa.table({"n": [1, 2]})
    finally:
        print("closed", flush=True)

batches = iter(Loader(tables, batch_size=2))
next(batches)
%s
"""


def run_script(in_tables, in_loop):
    command = [sys.executable, "-c", SCRIPT % (in_tables, in_loop)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_program_can_end_with_an_iterator_still_open():
    with run_script("pass", "print('end')") as program:
        out, error = program.communicate(timeout=LONG)

    assert (program.returncode, error) == (0, "")
    assert out.splitlines()[-1] == "closed"


def test_an_interrupt_while_waiting_closes_the_tables():
    loop = "for _ in batches: pass"
    with run_script("signal.raise_signal(signal.SIGINT)", loop) as program:
        out, error = program.communicate(timeout=LONG)

    assert program.returncode == -signal.SIGINT
    assert out.splitlines()[-1] == "closed"
    assert error.rstrip().endswith("KeyboardInterrupt")
