"""The report of each thread's last call, per function and over all functions."""

from __future__ import annotations

import threading
from typing import Protocol
from weakref import WeakKeyDictionary

from batchprep.errors import messages
from batchprep.run.report import Report


class Builder(Protocol):
    """What makes a report while a call runs."""

    def stop(self) -> None: ...

    def build(self) -> Report: ...


class Run:
    """A call whose report is asked for while it runs or afterwards."""

    __slots__ = ("_builder", "_finished", "_report")

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._report: Report | None = None
        self._finished = False

    def finish(self) -> None:
        """Stop the clock. The report itself is made when it is asked for, which most are not."""
        self._builder.stop()
        self._finished = True

    def report(self) -> Report:
        """What the call did, or has done so far."""
        if not self._finished:
            return self._builder.build()
        if self._report is None:
            self._report = self._builder.build()
        return self._report


class _Last(threading.local):
    def __init__(self) -> None:
        self.run: Run | None = None
        self.by_function: WeakKeyDictionary[object, Run] = WeakKeyDictionary()


_last = _Last()


def started(function: object, builder: Builder) -> Run:
    """Note that a function begins a call in this thread."""
    run = Run(builder)
    _last.run = _last.by_function[function] = run
    return run


def last_report_of(function: object, name: str) -> Report:
    """What the function's last call in this thread did."""
    run = _last.by_function.get(function)
    if run is None:
        raise LookupError(messages.no_report_text(name))
    return run.report()


def last_report() -> Report:
    """What this thread's last call of a vectorized function or a pipeline did.

    Errors:  LookupError before any call in this thread

    >>> import batchprep as bp
    >>> bp.vectorize(lambda r: r["n"] + 1)([{"n": 1}, {"n": 2}])
    [2, 3]
    >>> bp.last_report().rows
    2
    """
    if _last.run is None:
        raise LookupError(messages.no_report_text("No vectorized function"))
    return _last.run.report()
