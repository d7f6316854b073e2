"""Programs that fall back whole, over worker processes, however little work they are."""

import math

import pytest

from batchprep.batch.batch import from_records
from batchprep.errors import Unsupported
from batchprep.rowfn.marked import MARK
from batchprep.rowfn.source import find_source
from batchprep.run import workers, workers_pool
from batchprep.run.program import Options, Program
from tests.run.programs import run

DIRTY = [1, 0, -7, None, 2.5, math.nan, "", "x\U0001f600", 2**70, True, b"raw", (1, "a"), -0.0]
RECORDS = [{"n": n, "value": DIRTY[n % len(DIRTY)], "k": "ab"[n % 2]} for n in range(300)]
for record in RECORDS[::17]:
    del record["value"]
WORDS = {"a": 10, "b": 20}


def described(r):
    parts = []
    for ch in repr(r.get("value")):
        parts.append(ch.upper())  # noqa: PERF401
    return {"text": "".join(parts), "value": r.get("value"), "k": WORDS[r["k"]]}


def pure(function):
    setattr(function, MARK, True)
    return function


def fallback(function, copies="no"):
    reason = Unsupported("a loop cannot be compiled")
    source = find_source(function)
    return Program(
        function=function, name=function.__name__, trace=None, unsupported=reason, copies=copies,
        source=source,
    )  # fmt: skip


def ran(function, records=RECORDS, *, count=2, copies="no", **options):
    chosen = Options(python_workers=count, **options)
    return run(fallback(function, copies), from_records(records), chosen)


def stage(ran):
    return ran.report.stages[0]


def same(results, wanted):
    return list(map(repr, results)) == list(map(repr, wanted)) and list(map(type, results)) == list(
        map(type, wanted)
    )


@pytest.fixture
def always_worth_it(monkeypatch):
    monkeypatch.setattr(workers, "LEAST_SAVED", -math.inf)
    monkeypatch.setattr(workers, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(workers_pool, "START_SECONDS", -math.inf)
