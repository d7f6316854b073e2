"""What explain() says of a function whose kernel numba has not compiled yet."""

import math

import pytest

import batchprep as bp
from batchprep.run.inputs import Plans
from batchprep.run.ways import known_ways


def waved(r):
    return math.sin(r["a"]) * math.cos(r["b"]) + math.sin(r["b"]) * math.exp(r["a"])


def test_what_numba_alone_makes_faster_pays_once_its_kernel_is_there(monkeypatch):
    schema = {"a": float, "b": float}

    assert bp.vectorize(waved).explain(schema).pays.startswith("yes, once numba's kernel is there")
    assert bp.vectorize(waved, backend="numba").explain(schema).pays.startswith("yes:")
    monkeypatch.setattr(Plans, "has_risen", lambda _: True)
    assert bp.vectorize(waved).explain(schema).pays.startswith("yes:")


@pytest.mark.parametrize(
    ("compiled", "verdict"), [(4.0, "not yet, rows go to the interpreter"), (0.25, "yes, and more")]
)
def test_what_was_measured_of_numpy_is_no_verdict_on_numba(
    clock_of, monkeypatch, compiled, verdict
):
    clock_of(compiled=compiled, interpreter=1.0)
    run = bp.vectorize(waved)
    run([{"a": 1.5, "b": 0.5}] * 5_000)

    assert [ways.brief for ways in known_ways(run._programs.last.program.trace)] == [True]
    assert run.explain().pays.startswith(verdict)
    monkeypatch.setattr(Plans, "has_risen", lambda _: True)
    assert "measured: " not in run.explain().pays
