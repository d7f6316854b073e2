"""Random loops over random records give what the loops give."""

from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

import batchprep as bp
from tests.loops.programs import Program, programs, rows
from tests.loops.test_table import outcome


@settings(max_examples=100, deadline=None)
@given(programs(), rows(), st.sampled_from([list, iter]))
def test_a_random_loop_gives_what_the_loop_gives(program: Program, records, container):
    function = program.function()
    theirs, ours = copy.deepcopy(records), copy.deepcopy(records)
    expected = outcome(function, container(theirs))

    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")

    assert outcome(run, container(ours)) == expected, program.text
    assert repr(ours) == repr(theirs), program.text


@settings(max_examples=20, deadline=None)
@given(programs(), rows(), rows())
def test_a_second_call_on_other_kinds_gives_what_the_loop_gives(program: Program, first, second):
    function = program.function()
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")
    outcome(run, first)
    theirs, ours = copy.deepcopy(second), copy.deepcopy(second)

    assert outcome(run, ours) == outcome(function, theirs), program.text
    assert repr(ours) == repr(theirs), program.text
