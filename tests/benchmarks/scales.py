"""The smallest run of the benchmarks: everything happens, once, over few rows."""

from benchmarks.limit import Limit
from benchmarks.suite import Run, Scale
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
