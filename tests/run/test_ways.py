"""The faster way is found by trials of rows that have to be done anyway."""

import gc
import weakref

import pytest

from batchprep.run.program import Options
from batchprep.run.ways import (
    AGAIN_ROWS,
    GROWTH,
    LARGE,
    MOST,
    TRIAL,
    TRIALS,
    WARM_UP,
    Ways,
    WaysBySize,
    ways_of,
)
from tests.run.clock import FIRST_TRIALS

AUTO = Options(backend="auto")


# -------------------------------------------------------------------------------------- the trials


WHOLE = 1_000_000


def taken(ways, costs, parts, length=WHOLE, share=lambda rows: 1.0):
    """The parts that are run: the way and how many rows of each; costs are seconds a row."""
    found = []
    for _ in range(parts):
        way, most = ways.next(length)
        rows = length if most is None else min(most, length)
        cost = costs[way](rows) if callable(costs[way]) else costs[way]
        ways.took(way, rows, rows * cost, length, share)
        found.append((way, rows))
    return found


def test_the_ways_are_tried_in_turn_behind_a_warm_up():
    found = taken(Ways(), {"compiled": 1.0, "interpreter": 1.0}, 1 + 2 * TRIALS + 1)

    assert found == [
        ("compiled", WARM_UP),
        *[(way, TRIAL) for way in ("interpreter", "compiled")],
        *[(way, TRIAL * GROWTH) for way in ("interpreter", "compiled")] * 2,
        ("compiled", WHOLE),
    ]


@pytest.mark.parametrize("length", [100, WHOLE])
@pytest.mark.parametrize(
    ("compiled", "interpreter", "best"),
    [
        (1.0, 0.5, "interpreter"),
        (1.0, 0.95, "compiled"),
        (1.0, 1.0, "compiled"),
        (1.0, 9.0, "compiled"),
    ],
)
def test_a_way_takes_over_where_it_is_clearly_faster(compiled, interpreter, best, length):
    ways = Ways()
    taken(ways, {"compiled": compiled, "interpreter": interpreter}, 1 + 2 * TRIALS, length)

    assert ways.next(length) == (best, None)


def test_one_slow_trial_does_not_decide():
    ways = Ways()
    taken(ways, {"compiled": 1.0, "interpreter": 2.0}, 1 + 2 * TRIALS - 1)
    ways.took("compiled", TRIAL * GROWTH, TRIAL * GROWTH * 50.0, WHOLE, lambda rows: 1.0)

    assert ways.next(WHOLE) == ("compiled", None)


def test_the_warm_up_does_not_count():
    ways = Ways()
    ways.took("compiled", WARM_UP, 1e9, WHOLE, lambda rows: 1.0)
    taken(ways, {"compiled": 1.0, "interpreter": 2.0}, 2 * TRIALS)

    assert ways.next(WHOLE) == ("compiled", None)


def test_trials_grow_while_rows_cost_the_less_the_more_there_are():
    ways = Ways()
    costs = {"compiled": lambda rows: 0.5 + 3_000 / rows, "interpreter": 1.0}
    found = taken(ways, costs, 1 + 2 * TRIALS + 4)

    tried = [rows for way, rows in found if way == "compiled"][1 + TRIALS :]
    assert tried == [TRIAL * GROWTH**2, TRIAL * GROWTH**3]
    assert ways.next(WHOLE) == ("compiled", None)


def test_trials_do_not_grow_where_rows_cost_the_same():
    found = taken(Ways(), {"compiled": 3.0, "interpreter": 1.0}, 1 + 2 * TRIALS + 1)

    assert sum(rows for _, rows in found[:-1]) == WARM_UP + FIRST_TRIALS
    assert found[-1] == ("interpreter", WHOLE)


def test_trials_grow_where_values_repeat_and_no_further_than_one_chunk():
    ways = Ways()
    costs = {"compiled": 3.0, "interpreter": 1.0}
    found = taken(ways, costs, 15, share=lambda rows: 0.1)

    assert max(rows for way, rows in found if way == "compiled") == MOST
    assert ways.next(WHOLE) == ("interpreter", None)


def test_both_are_tried_again_after_many_rows_and_then_after_more():
    ways = Ways()
    costs = {"compiled": 1.0, "interpreter": 0.6}
    again = 2 * TRIALS
    taken(ways, costs, 1 + again)
    for rows in (AGAIN_ROWS, 2 * AGAIN_ROWS, 4 * AGAIN_ROWS):
        ways.took("interpreter", rows - 1, 1.0, WHOLE, lambda rows: 1.0)
        assert ways.next(WHOLE) == ("interpreter", None)
        ways.took("interpreter", 1, 1.0, WHOLE, lambda rows: 1.0)
        assert ways.next(WHOLE) == ("interpreter", TRIAL)
        taken(ways, costs, again)

    ways.took("interpreter", 8 * AGAIN_ROWS, 1.0, WHOLE, lambda rows: 1.0)
    taken(ways, {"compiled": 0.1, "interpreter": 0.6}, again)
    assert ways.next(WHOLE) == ("compiled", None)


def test_what_is_far_slower_is_tried_less_often():
    ways = Ways()
    taken(ways, {"compiled": 10.0, "interpreter": 1.0}, 1 + 2 * TRIALS)
    ways.took("interpreter", 9 * AGAIN_ROWS, 1.0, WHOLE, lambda rows: 1.0)

    assert ways.next(WHOLE) == ("interpreter", None)


def test_batches_of_about_one_size_share_their_ways():
    sizes = WaysBySize()

    assert sizes.of(1) is sizes.of(15)
    assert sizes.of(16) is not sizes.of(15)
    assert sizes.of(LARGE) is sizes.of(4 * LARGE - 1)
    assert sizes.of(10**8) is sizes.of(10**9)
    assert sizes.of(LARGE) is not sizes.of(LARGE - 1)


def test_ways_live_as_long_as_their_trace():
    class Trace:
        pass

    trace = Trace()
    ways = weakref.ref(ways_of(trace))

    assert ways_of(trace) is ways()
    assert ways_of(Trace()) is not ways()
    del trace
    gc.collect()
    assert ways() is None
