"""Kernels made ahead: for this process, and for the next one, which only loads them."""

import subprocess
import sys
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.api.precompile import Precompiled
from batchprep.backends.numba import compiler
from batchprep.batch.batch import from_records

NEXT = """
import pyarrow as pa
from batchprep.backends.numba import compiler
from tests.api.test_precompile import TABLE, ratio
ratio(TABLE)
print(ratio.report().stages[0].backend)
print({sum(k.result().stats.cache_hits.values()) for k in compiler._kernels.values()})
"""

TABLE = pa.table({"n": np.arange(10), "d": np.arange(10, dtype=np.int32) % 3})
RECORDS = [{"n": n, "d": n % 3} for n in range(10)]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BATCHPREP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler, "_kernels", {})


@bp.vectorize(backend="numba")
def ratio(r):
    return None if r["d"] is None or r["d"] == 0 else r["n"] / r["d"]


def unknown(r):
    r["seen"] = True


def texts(made):
    return [str(one).split(",")[0] for one in made]


def printed(script):
    command = [sys.executable, "-W", "error", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def test_the_next_process_loads_what_was_precompiled():
    (made,) = bp.precompile(ratio, TABLE)

    assert (made.name, made.backend, made.cached, made.reason) == ("ratio", "numba", False, "")
    assert printed(NEXT) == "numba\n{1}\n"


def test_auto_takes_what_was_precompiled_at_once():
    run = bp.vectorize(ratio.function)
    bp.precompile(run, TABLE)
    run(TABLE)

    assert run.report().stages[0].backend == "numba"


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (TABLE, TABLE),
        (TABLE.schema, pa.table({"n": [1, None], "d": pa.array([2, None], pa.int32())})),
        ({"n": int, "d": int}, RECORDS),
        ({"n": int, "d": int | None}, [{"n": 1, "d": None}, {"n": 1, "d": 2}]),
        (from_records(RECORDS), from_records(RECORDS)),
    ],
)
def test_a_call_of_such_data_compiles_nothing_more(given, called):
    run = bp.vectorize(ratio.function, backend="numba")
    (first,) = bp.precompile(run, given)
    known = set(compiler._kernels)
    run(called)

    assert not first.cached
    assert set(compiler._kernels) == known
    assert bp.precompile(run, given)[0].cached


def test_every_kind_of_a_field_may_be_named():
    kinds = {
        "a": bool | float,
        "b": str | None,
        "c": date,
        "d": datetime,
        "e": timedelta,
        "f": {"int", "absent"},
    }

    def flat(r):
        return (r["a"], r["b"], r["c"].year, r["d"].year, r["e"].days, r.get("f"))

    (made,) = bp.precompile(flat, kinds)

    assert made.reason == ""


def test_several_functions_are_told_one_by_one():
    made = bp.precompile([bp.vectorize(ratio.function), unknown, len], {"n": int, "d": int})

    assert texts(made) == [
        "ratio: numba",
        "unknown: not compiled. unknown writes into its record without returning it",
        "len: not compiled. len is a built-in",
    ]


def test_a_pipeline_is_precompiled_up_to_its_flat_map():
    pipe = bp.Pipeline().filter(lambda r: r["n"] > 2).flat_map(lambda r: [r, r])
    made = bp.precompile(pipe, TABLE)

    assert [(one.backend, bool(one.reason)) for one in made] == [
        ("numba", False),
        ("interpreter", True),
    ]
    assert made[0].name.startswith("filter(")


def test_another_math_has_a_kernel_of_its_own():
    def root(r):
        return r["n"] ** 0.5

    bp.precompile(root, TABLE)
    with bp.use(math="fast"):
        (made,) = bp.precompile(root, TABLE)

    assert not made.cached


def test_numpy_has_nothing_to_keep_on_disk(tmp_path):
    (made,) = bp.precompile(bp.vectorize(ratio.function), TABLE, backend="numpy")

    assert (made.backend, made.reason) == ("numpy", "")
    assert not (tmp_path / "cache").exists()


def test_a_line_tells_what_was_done():
    assert str(Precompiled("f", "numba", 0.5, cached=False)) == "f: numba, compiled, 0.50 s"
    assert str(Precompiled("f", "numba", 0.01, cached=True)) == (
        "f: numba, was there already, 0.01 s"
    )


@pytest.mark.parametrize(
    ("f", "data", "error", "text"),
    [
        (ratio, iter(RECORDS), TypeError, "precompiling ratio for an iterator would use up"),
        (ratio, [], ValueError, "precompiling ratio for no records: its fields have no kinds"),
        (7, RECORDS, TypeError, "f=7 is of type int\n  f takes a row function"),
        (ratio, {"n": "int", "d": "int"}, TypeError, "'int'"),
    ],
)
def test_what_cannot_be_precompiled_is_told(f, data, error, text):
    with pytest.raises(error, match=text):
        bp.precompile(f, data)


def test_only_compiled_backends_are_offered():
    with pytest.raises(ValueError, match="backend='python'"):
        bp.precompile(ratio, RECORDS, backend="python")
