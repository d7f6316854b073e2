"""A kernel's text, and with it its place on disk, is the same whatever a process did before."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from batchprep.backends.numba.kernel import rendered
from batchprep.backends.numba.spelling import is_host
from batchprep.plan.build import both, either, has_kind
from batchprep.plan.node import intern
from batchprep.plan.segments import cut
from tests.backends.traced import random_case
from tests.plan.schemas import stage_of

FUNCTIONS = 40
PAST = 8  # functions that a process traces before: their fields come in another order


def test_the_texts_of_random_functions_are_those_of_processes_with_other_pasts_and_hashes():
    cases = [(number, random_case(number)) for number in range(FUNCTIONS)]
    processes = [_start(seed, *_with_a_past(cases, Random(seed))) for seed in (0, 1, 2)]
    answers = [json.loads(process.communicate()[0]) for process in processes]

    compared = 0
    for one, other in combinations(answers, 2):
        for number in one.keys() & other.keys():
            assert one[number] == other[number], cases[int(number)][1].source
            compared += len(one[number]) > 1
    assert compared > FUNCTIONS


def _with_a_past(cases, random):
    drawn = random.sample(cases, FUNCTIONS)
    past = [(None, replace(one, fields=_shuffled(one.fields, random))) for _, one in drawn[:PAST]]
    return past, drawn[PAST:]


def _shuffled(fields, random):
    return tuple(random.sample(fields, len(fields)))


def _start(seed, past, cases):
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.backends.printed"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
    )
    pickle.dump([*past, *cases], process.stdin)
    process.stdin.close()
    process.stdin = None
    return process


def _loops(stage):
    return [loop.source for loop in rendered(stage, cut(stage, is_host("exact")), "exact")]


def _nulls(names):
    return [has_kind(intern("kind", (), name, "k"), "none") for name in names]


@pytest.mark.parametrize("join", [both, either])
def test_two_orders_of_arguments_are_one_node(join):
    a, b, c = _nulls("abc")
    assert join(a, b) is join(b, a)
    assert join(join(a, b), c) is join(c, join(b, a))


def test_functions_that_differ_in_names_and_thresholds_alone_are_one_kernel():
    def one(r):
        return (r["b"] + 1.5) * r["c"] if r["b"] > 3 or r["a"] < 4 else r["a"]

    def other(r):
        return (r["x"] + 2.5) * r["y"] if r["x"] > 9 or r["z"] < 8 else r["z"]

    kinds = "none float"
    assert _loops(stage_of(one, a=kinds, b=kinds, c=kinds)) == _loops(
        stage_of(other, x=kinds, y=kinds, z=kinds)
    )
