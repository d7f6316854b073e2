"""One first call in a process of its own: `python -m benchmarks.first_call PEER FILE [BACKEND]`.

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

from benchmarks.peers import runner
from benchmarks.tasks import TASKS


def main(name: str, file: str, backend: str | None) -> dict[str, float]:
    # Read, not made: making a table from arrays imports pandas.
    with pa.OSFile(file) as source:
        table = pa.ipc.open_file(source).read_all()
    times = [time.perf_counter()]
    run = runner(name, TASKS[0], "arrow")
    if backend is not None:
        import batchprep as bp

        run = bp.vectorize(run, backend=backend)
    times.append(time.perf_counter())
    for _ in range(2):
        run(table)
        times.append(time.perf_counter())
    spans = [end - start for start, end in pairwise(times)]
    return dict(zip(("import_seconds", "first_seconds", "second_seconds"), spans, strict=True))


if __name__ == "__main__":
    name, file, *backend = sys.argv[1:]
    print(json.dumps(main(name, file, *backend or [None])))
