"""The smallest run of the benchmarks: everything happens, once, over few rows."""

from functools import cache

import pytest

from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.limit import Limit
from benchmarks.suite import Run, Scale
from benchmarks.tasks import cold, task
from benchmarks.timing import Effort

ROWS = 200
ONCE = Effort(least=1, most=1, seconds=0.0)
TINY = Scale(
    full=False,
    effort=ONCE,
    slow_effort=ONCE,
    processes=1,
    patience=0.0,
    most_rows=ROWS,
    limit_bytes=2**16,
)
LIMIT = Limit(2, 10e9, 12e9, 10e9, 12e9)


def tiny_run(**options):
    return Run(TINY, lambda words: None, **{"limit": LIMIT, **options})


@cache
def measured(name):
    """The task's cases over few rows: measured once for all tests, which leave them as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cold, "QUICK", {OURS, ROW_LOOP})
        return task(name).measure(tiny_run())
