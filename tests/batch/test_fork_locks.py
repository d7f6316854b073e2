"""Locks that a fork waits for."""

import subprocess
import sys
import threading

from batchprep.batch.fork_locks import ForkLocks

FORK_WHILE_LLVM_IS_CALLED = """
import os, signal, threading
from llvmlite import binding
import batchprep.backends.numba.compiler
held, done = threading.Event(), threading.Event()

def call():
    with binding.ffi.lib._lock:
        held.set()
        done.wait(0.2)

thread = threading.Thread(target=call)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    binding.get_host_cpu_name()
    os._exit(7)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_each_is_held_over_the_fork_and_let_go_after_it():
    locks = [threading.Lock(), threading.RLock()]
    guard = ForkLocks(*locks)
    guard.before()
    guard.before()  # of another handler
    assert locks[0].locked()
    guard.after()
    assert not locks[0].locked()
    guard.after()  # nothing is let go twice


def test_a_fork_that_had_begun_before_lets_nothing_go():
    lock = threading.Lock()
    guard = ForkLocks(lock)
    with lock:
        guard.after()
        assert lock.locked()


def test_one_thread_does_not_let_go_what_another_holds():
    lock = threading.Lock()
    guard = ForkLocks(lock)
    guard.before()
    other = threading.Thread(target=guard.after)
    other.start()
    other.join()
    assert lock.locked()
    guard.after()


def test_a_child_does_not_wait_for_a_call_of_llvm_in_its_parent():
    ran = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK_WHILE_LLVM_IS_CALLED],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ran.stdout.strip(), ran.stderr) == ("7", "")
