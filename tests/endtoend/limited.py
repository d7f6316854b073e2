"""A run under a memory limit: `python -m tests.endtoend.limited WAY SOURCE MARGIN TARGET`.

WAY is "run" or "whole"; SOURCE is a file, or a number: so many bytes of records. The limit is what
this process holds once everything is imported and warm, and MARGIN bytes more. Prints the limit;
ends with 3 where the memory did not suffice.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import batchprep as bp

TEXT_BYTES = 480
NO_MEMORY = 3


def is_seven(r: dict[str, Any]) -> bool:
    return r["a"] % 1_000 == 7


def summed(r: dict[str, Any]) -> dict[str, Any]:
    return {"a": r["a"], "sum": r["b"] + r["c"] + r["d"]}


def ending(r: dict[str, Any]) -> dict[str, Any]:
    return {"a": r["a"], "last": r["text"][-1:]}


PIPES = {
    "files": bp.Pipeline(backend="numpy").filter(is_seven).map(summed),
    "records": bp.Pipeline(backend="numpy", on_unsupported="ignore").filter(is_seven).map(ending),
}


def records(total: int) -> Iterator[dict[str, Any]]:
    """New dicts with texts of their own, for so many bytes in all."""
    for number in range(total // TEXT_BYTES):
        yield {"a": number, "text": f"{number:0{TEXT_BYTES}d}"}


def few() -> dict[str, Any]:
    """A row of each kind, to import and compile what the run will use."""
    table = pa.table({"a": [7], "b": [1], "c": [2.0], "d": [3.0]})
    return {"files": table, "records": records(TEXT_BYTES)}


def held() -> int:
    """Bytes of writable private memory that this process has now, as RLIMIT_DATA counts them."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmData in /proc/self/status")


def main(way: str, source: str, margin: str, target: str) -> int:
    # Two cores at most: each thread of a pool reserves a stack of 8 MiB.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    kind = "records" if source.isdecimal() else "files"
    PIPES[kind].run(few()[kind], target)
    limit = held() + int(margin)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    print(limit, flush=True)
    try:
        # As a whole without a first pass for the types, which would only take longer to fail.
        data = records(int(source)) if kind == "records" else bp.scan(source, infer=way == "run")
        if way == "whole":
            kept = list(data) if kind == "records" else pa.table(data)
            del kept
        else:
            PIPES[kind].run(data, target, overwrite=True)
    except MemoryError:
        return NO_MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
