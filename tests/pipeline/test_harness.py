"""The tests of chains themselves: that they see faults, and draw what they should."""

from __future__ import annotations

import datetime as dt
import math

import pytest

from tests.pipeline import example as example_module
from tests.pipeline.campaign import Campaign
from tests.pipeline.check import Difference, check
from tests.pipeline.choices import Recorded, shortest
from tests.pipeline.counts import Counts, shortfalls
from tests.pipeline.example import Example, Step
from tests.pipeline.oracle import Loops
from tests.pipeline.reached import REACHED
from tests.pipeline.standin import FAULTS, StandIn
from tests.pipeline.test_chains import ALL_CHAINS

ENOUGH = 1_000  # chains in which each fault is found


def test_nested_loops_equal_themselves_and_reach_every_step():
    counts = Campaign("loop", lambda example: StandIn(example.copies)).run(0, ALL_CHAINS)

    assert shortfalls(counts, REACHED) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault):
    faulty = Campaign("loop", lambda example: FAULTS[fault](example.copies), shrinking=0)

    with pytest.raises(AssertionError, match="Example"):
        faulty.run(0, ENOUGH)


def test_a_fault_is_shrunk_to_one_step_and_one_row():
    faulty = Campaign("loop", lambda example: FAULTS["select keeps the old order"](()))

    with pytest.raises(AssertionError) as found:
        faulty.run(1, ENOUGH)

    text = str(found.value)
    assert text.count("Step(") == 1
    assert text.count("Call(rows=[{") == 1


def test_what_is_printed_is_an_example():
    faulty = Campaign("loop", lambda example: FAULTS["filter hands out copies"](()), shrinking=1)
    with pytest.raises(AssertionError) as found:
        faulty.run(0, ENOUGH)
    text = str(found.value).partition('wrong": ')[2].partition("\n# ")[0].rstrip(",")

    example = eval(text, {**vars(math), **vars(example_module), "datetime": dt})

    check(example, lambda example: StandIn(example.copies))
    with pytest.raises(Difference):
        check(example, lambda example: FAULTS["filter hands out copies"](example.copies))


def test_a_script_of_choices_gives_the_same_choices():
    first = Recorded(3)
    made = [first.below(10), first.pick("abc"), first.seed()]
    again = Recorded(9, first.made)

    assert [again.below(10), again.pick("abc"), again.seed()] == made
    assert again.below(5) == 0


def test_a_script_is_made_short_and_small():
    assert shortest([9, 3, 80, 5, 40, 2], lambda made: max(made, default=0) > 30, 5) == [40]


def test_counts_travel_as_plain_data():
    counts = Counts()
    counts.groups["step", "map"] = 3

    assert Counts.from_dict(counts.to_dict()) == counts
    assert shortfalls(counts, {("step", "map"): 4}) == ["step 'map': 3 chains, at least 4 wanted"]


# --------------------------------------------------------------- the nested loops, written by hand


def outcomes(source, steps, records, on_error="null"):
    namespace = {}
    exec(source, namespace)
    found = Loops(Example(source, steps), namespace).outcomes(records, on_error)
    return [(o.row, o.value if o.error is None else repr(o.error)) for o in found]


def test_loops_give_what_comes_before_an_exception_midway():
    source = "def f(x):\n    yield x\n    1 // x\n    yield -x"
    steps = (Step("flat_map", "f"),)

    assert outcomes(source, steps, [2, 0]) == [
        (0, 2),
        (0, -2),
        (1, 0),
        (1, "ZeroDivisionError('integer division or modulo by zero')"),
    ]
    assert len(outcomes(source, steps, [2, 0, 3], "raise")) == 4


def test_loops_fail_the_sub_row_that_fails():
    source = "f = lambda x: [x, 0, -x]\ng = lambda x: 6 // x"

    assert outcomes(source, (Step("flat_map", "f"), Step("map", "g")), [2]) == [
        (0, 3),
        (0, "ZeroDivisionError('integer division or modulo by zero')"),
        (0, -3),
    ]


def test_loops_take_a_stop_iteration_for_a_failure():
    source = "f = lambda x: next(iter(()))"

    for kind in ("map", "filter", "filter_map", "flat_map"):
        assert outcomes(source, (Step(kind, "f"),), [1]) == [(0, "StopIteration()")]


def test_loops_name_the_failing_step():
    namespace = {"f": lambda r: {"a": 1}, "g": lambda r: r["b"]}
    steps = (Step("map", "f"), Step("rename", {"a": "c"}), Step("with_columns", {"x": "g"}))

    found = Loops(Example("", steps), namespace).outcomes([{"b": 1}], "null")

    assert [(type(o.error), o.position) for o in found] == [(KeyError, 2)]
