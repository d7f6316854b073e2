"""Stages of random row functions, with the arrays of random records."""

from random import Random

from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from batchprep.errors import Unsupported
from batchprep.plan.node import in_order
from batchprep.records import open_source
from batchprep.rowfn.source import unwrap
from batchprep.rowfn.trace import trace
from batchprep.run.inputs import plans_of
from tests.backends.cpp import EXACT_IN_C
from tests.fuzz.check import load
from tests.fuzz.counts import operations_of
from tests.fuzz.functions import cases
from tests.fuzz.records import as_records, rows_of

# What a stage holds besides ops: leaves, tables and the test of a kind.
OTHERS = {"const", "kind", "buffer", "ref", "has_kind", "word", "find", "gather"}


def random_case(number):
    """The random function of that number."""
    drawn = []

    @seed(number)
    @settings(
        max_examples=1,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(cases())
    def draw(case):
        assume(operations_of(case.source))
        drawn.append(case)

    draw()
    return drawn[0]


def uses_only(stage, known):
    """Whether all nodes of a stage are known ones."""
    roots = (*stage.outputs, *(deviation.guard for deviation in stage.deviations))
    return all(node.op in known for node in in_order(roots))


def traced_stage(number, rows):
    """(stage, inputs) of a random function that compiles to ops with exact C spellings, or None."""
    case = random_case(number)
    records = as_records(rows_of(Random(number), case.fields, rows), case.form)
    source = open_source(records)
    call = unwrap(load(case.source)["f"])
    try:
        traced = trace(call, source, case.arguments, case.keywords)
    except Unsupported:
        return None
    batch = next(iter(source.batches()))
    plan = plans_of(traced).plan(batch)
    stage = plan.stage
    if not stage.outputs or not uses_only(stage, OTHERS.union(EXACT_IN_C)):
        return None
    bound = plan.bind(batch)
    return stage, {**bound.whole, **bound.rows}
