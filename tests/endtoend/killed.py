"""Runs that end by SIGKILL: `python -m tests.endtoend.killed KIND KILLS SEED FOLDER`.

One warm process forks a child for each run, and each child dies at a random moment: at a call of
any of its threads, at something it asks of the file system, or when its files have a number of
bytes. After each death, what stands under the final name is looked at, and the run is done again.
Prints the counts as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import batchprep as bp
from tests.endtoend import files

BATCHES = 30
ROWS = 500  # of a batch
COMMIT = 500  # the last calls of a run, among them those that give the result its name
EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}
NAMES = {
    "parquet": "out.parquet",
    "csv": "out.csv.gz",
    "ndjson": "out.ndjson",
    "parts": "out/",
    "overwrite": "out.parquet",
    "overwrite_parts": "out/",
    "careless": "out.parquet",
}


def root(r: dict[str, Any]) -> dict[str, Any]:
    return {"n": r["n"], "root": r["x"] ** 0.5}


PIPE = bp.Pipeline(backend="numpy").filter(lambda r: r["n"] % 7 != 0).map(root)
EXPECTED = [root({"n": n, "x": n / 3}) for n in range(BATCHES * ROWS) if n % 7 != 0]
OLD = pa.table({"old": [1, 2, 3]})


def source() -> pa.RecordBatchReader:
    schema = pa.schema([("n", pa.int64()), ("x", pa.float64())])

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, BATCHES * ROWS, ROWS):
            n = np.arange(start, start + ROWS)
            yield pa.record_batch([n, n / 3], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def run(kind: str, folder: Path) -> None:
    target = f"{folder}/{NAMES[kind]}"
    if kind == "careless":  # what must be found out: it writes under the final name
        _write_carelessly(Path(target))
        return
    options: dict[str, Any] = {"row_group_rows": ROWS} if "parquet" in target else {}
    if "parts" in kind:
        options = {"rows_per_file": 4 * ROWS}
    PIPE.run(source(), target, overwrite=replaces(kind), **options)


def _write_carelessly(path: Path) -> None:
    with parquet.ParquetWriter(path, PIPE.schema(source())) as writer:
        for batch in source():
            writer.write_table(PIPE(pa.Table.from_batches([batch])))


def prepare(kind: str, folder: Path) -> None:
    """An empty folder, or one where an older result is to be replaced."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if kind == "overwrite":
        parquet.write_table(OLD, folder / NAMES[kind])
    if kind == "overwrite_parts":
        (folder / "out").mkdir()
        parquet.write_table(OLD, folder / "out" / "part-00000.parquet")


def state(kind: str, folder: Path) -> str:
    """What stands under the final name: absent, old, complete or half."""
    target = folder / NAMES[kind]
    if not target.exists():
        return "absent"
    paths = sorted(target.iterdir()) if target.is_dir() else [target]
    try:
        if replaces(kind) and [parquet.read_table(path) for path in paths] == [OLD]:
            return "old"
        rows = [row for path in paths for row in files.read(path, EXPECTED)]
    except Exception:  # noqa: BLE001  whatever a reader says of a half file
        return "half"
    return "complete" if files.same_rows(rows, EXPECTED) else "half"


def replaces(kind: str) -> bool:
    return kind.startswith("overwrite")


@dataclass
class Outcome:
    """Where the children died, and what they left."""

    died: int = 0
    lived: int = 0
    states: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def note(self, found: str, moment: str) -> None:
        self.states[found] = self.states.get(found, 0) + 1
        if found == "half":
            self.wrong.append(f"{moment}: half a result under the final name")


def main(kind: str, kills: int, seed: int, folder: Path) -> Outcome:
    draw = random.Random(seed)
    prepare(kind, folder)
    run(kind, folder)  # the pipeline is compiled now, in every child to come
    calls, events, size = _measured(kind, folder)
    outcome = Outcome()
    for _ in range(kills):
        way, limit = draw.choice(
            [
                ("call", draw.randint(0, calls)),
                ("call", draw.randint(calls - COMMIT, calls)),
                ("event", draw.randint(0, events)),
                ("bytes", draw.randint(0, size)),
            ]
        )
        prepare(kind, folder)
        _kill_one(kind, folder, way, limit, outcome)
        outcome.note(state(kind, folder), f"{way} {limit}")
        if kind != "careless":
            _again(kind, folder, f"{way} {limit}", outcome)
    return outcome


def _measured(kind: str, folder: Path) -> tuple[int, int, int]:
    """How many calls, file system events and bytes one whole run has."""
    counts = []
    for count_them in (_count_calls, _count_events):
        prepare(kind, folder)
        reading, writing = os.pipe()
        child = _forked(kind, folder, lambda f=count_them, to=writing: f(None, to))
        os.close(writing)
        _end_of(child)
        with os.fdopen(reading) as counted:
            counts.append(int(counted.read()))
    return counts[0], counts[1], _bytes(folder)


def _kill_one(kind: str, folder: Path, way: str, limit: int, outcome: Outcome) -> None:
    before = {"call": _count_calls, "event": _count_events}.get(way)
    child = _forked(kind, folder, lambda: before(limit, None) if before else None)
    status = None
    if way == "bytes":
        old = _bytes(folder) if replaces(kind) else 0
        while (status := _status(child, os.WNOHANG)) is None and _bytes(folder) - old < limit:
            os.sched_yield()
        if status is None:
            os.kill(child, signal.SIGKILL)
    status = _status(child, 0) if status is None else status
    if status == -signal.SIGKILL:
        outcome.died += 1
    elif status == 0:
        outcome.lived += 1
    else:
        outcome.wrong.append(f"{way} {limit}: ended with {status}")


def _again(kind: str, folder: Path, moment: str, outcome: Outcome) -> None:
    """The same run once more: it succeeds, and no leftovers remain."""
    if state(kind, folder) == "complete" and not replaces(kind):
        prepare(kind, folder)
    if _end_of(_forked(kind, folder, lambda: None)) != 0:
        outcome.wrong.append(f"{moment}: the rerun failed")
    if state(kind, folder) != "complete":
        outcome.wrong.append(f"{moment}: the rerun left no complete result")
    names = sorted(path.name for path in folder.iterdir())
    if names != [NAMES[kind].rstrip("/")]:
        outcome.wrong.append(f"{moment}: leftovers of the killed run: {names}")


def _forked(kind: str, folder: Path, before: Callable[[], Any]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        after = before()
        run(kind, folder)
        sys.setprofile(None)
        if after is not None:
            after()
    except BaseException:  # noqa: BLE001  the child must not go on as its parent
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _count_calls(fatal: int | None, to: int | None) -> Callable[[], None]:
    """Die at that call or return of any thread's functions, built-in ones too."""
    counter = count()

    def profile(frame: Any, event: str, argument: Any) -> None:
        if next(counter) == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    threading.setprofile(profile)
    sys.setprofile(profile)
    return lambda: _tell(counter, to)


def _count_events(fatal: int | None, to: int | None) -> Callable[[], None]:
    """Die before that thing that is asked of the file system."""
    counter = count()

    def hook(event: str, arguments: Any) -> None:
        if event in EVENTS and next(counter) == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return lambda: _tell(counter, to)


def _tell(counter: Iterator[int], to: int | None) -> None:
    if to is not None:
        os.write(to, str(next(counter)).encode())


def _status(child: int, options: int) -> int | None:
    pid, status = os.waitpid(child, options)
    return os.waitstatus_to_exitcode(status) if pid else None


def _end_of(child: int) -> int | None:
    return _status(child, 0)


def _bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):  # passes over folders that were renamed since
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += Path(parent, name).stat().st_size
    return total


if __name__ == "__main__":
    kind, kills, seed, folder = sys.argv[1:]
    print(json.dumps(asdict(main(kind, int(kills), int(seed), Path(folder)))))
