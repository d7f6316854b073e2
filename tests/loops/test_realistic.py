"""Loops as people write them give what the loops give, and those of known kinds compile."""

from __future__ import annotations

import re

import pytest

import batchprep as bp
from batchprep.api import loop_records
from tests.loops import realistic
from tests.loops.test_table import outcome

ALL = [*realistic.COMPILED, *realistic.AS_THEY_STAND]
ADDRESS = re.compile("0x[0-9a-f]+")  # of an iterator that is handed back
named = pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)


def compare(run, function, make):
    theirs, ours = make(), make()

    assert outcome(run, ours) == outcome(function, theirs)
    assert repr(ours) == repr(theirs)  # a loop that writes into its records does so


@named
def test_a_realistic_loop_gives_what_the_loop_gives(function):
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")

    for seed in range(3):
        for dirty in (False, True):
            compare(run, function, lambda s=seed, d=dirty: realistic.rows(40, s, dirty=d))


@named
def test_a_realistic_loop_goes_on_from_batch_to_batch(function, monkeypatch):
    monkeypatch.setattr(loop_records, "ROWS", 7)
    monkeypatch.setattr(loop_records, "ROWS_OF_SEARCH", 3)
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")

    for dirty in (False, True):
        compare(run, function, lambda d=dirty: realistic.rows(30, 7, dirty=d))


@named
def test_a_realistic_loop_over_an_iterator_gives_what_the_loop_gives(function):
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")

    theirs, ours = realistic.rows(20, 3), realistic.rows(20, 3)

    found = outcome(run, iter(ours))

    assert ADDRESS.sub("", str(found)) == ADDRESS.sub("", str(outcome(function, iter(theirs))))
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("function", realistic.COMPILED, ids=lambda f: f.__name__)
def test_a_realistic_loop_is_compiled(function):
    strict = bp.vectorize_loop(function, backend="numpy", on_unsupported="raise")

    strict(realistic.rows(40, 1))

    (stage,) = strict.report().stages
    assert stage.compiled
    assert (strict.report().rows, stage.reason) == (40, "")


def test_most_realistic_loops_compile():
    assert len(realistic.COMPILED) >= 44
    assert len(realistic.AS_THEY_STAND) <= 4
