"""One cold start in a process of its own: `python -m benchmarks.cold_call CONTESTANT FILE`.

Prints the seconds of import, first and second call as JSON. NumPy and pyarrow, which read the Arrow
file, are imported before the clock starts.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise

import numpy as np  # noqa: F401  see above
import pyarrow as pa

from benchmarks.tasks.article import SQRT
from benchmarks.tasks.cold import CONTESTANTS
from benchmarks.trades import as_records


def main(name: str, file: str) -> dict[str, float]:
    # Read, not made: making a table from arrays imports pandas.
    with pa.OSFile(file) as source:
        table = pa.ipc.open_file(source).read_all()
    contestant = CONTESTANTS[name]
    data = as_records(table) if contestant.given == "records" else table
    times = [time.perf_counter()]
    run = contestant.prepare(SQRT)
    times.append(time.perf_counter())
    for _ in range(2):
        run(data)
        times.append(time.perf_counter())
    return dict(
        zip(("import", "first", "second"), (b - a for a, b in pairwise(times)), strict=True)
    )


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
