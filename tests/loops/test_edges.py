"""Loops at the edges of what is compiled: they give what the loop gives, compiled or not."""

# ruff: noqa: A002  loops as people write them
from __future__ import annotations

import collections
from decimal import Decimal

import numpy as np
import pytest

import batchprep as bp
from tests.loops import examples
from tests.loops.test_table import outcome


class Tally:
    """An accumulator of the user's own, which also writes into what it is given."""

    def __init__(self):
        self.total = 0

    def add(self, record):
        self.total += record["n"]
        record["n"] = 0


def own_class(records):
    tally, out = Tally(), []
    for r in records:
        tally.add(r)
        out.append(r["n"] * 2)
    return tally.total, out


def captured_before(records):
    seen = set()
    known = lambda name: name in seen
    out = []
    for r in records:
        out.append(known(r["s"]))
        seen.add(r["s"])
    return out


def held_before(records):
    out = []
    box = {"out": out}
    lengths = []
    for r in records:
        out.append(r["n"])
        lengths.append(len(box["out"]))
    return lengths


def shadowed(records, max=min):
    most = 50
    for r in records:
        most = max(most, r["n"])
    return most


def decimal_total(records):
    total = Decimal("0.1")
    for r in records:
        total += int(r["n"]) * 2
    return total


def numpy_total(records):
    total = np.float64(0)
    for r in records:
        total += r["n"] * 0.1
    return total


def part_of_a_record(records):
    groups = {}
    for r in records:
        groups.setdefault(r["s"], r["tags"]).append(r["n"])
    return groups


def alias_of_a_record(records):
    total, out = 0, []
    for r in records:
        total += r["n"]
        same = r
        same["total"] = total
        out.append(r.get("total"))
    return out


def key_error_in_a_step(records):
    counts = {"a": 0}
    seen = []
    for r in records:
        seen.append(r["n"] + 1)
        counts[r["s"]] += 1
    return counts, seen


def caught_in_a_step(records):
    counts, missed = {"a": 0}, 0
    for r in records:
        try:
            counts[r["s"]] += 1
        except KeyError:
            missed += 1
    return counts, missed


def unhashable_key(records):
    counts = {}
    for r in records:
        counts[r["tags"]] = counts.get(r["tags"], 0) + 1
    return counts


def equal_keys(records):
    counts = {}
    for r in records:
        key = True if r["n"] == 1 else (1.0 if r["n"] == 2 else 1)
        counts[key] = counts.get(key, 0) + 1
    return counts


def ends_in_the_middle(records):
    seen, out, n = set(), [], 0
    for r in records:
        n += 1
        if r["s"] in seen and r["n"] == 5:
            break
        seen.add(r["s"])
        if r["n"] == 10:
            return "ten", n, out
        out.append((n, r["s"]))
    return out, n


def rebinds_in_the_loop(records):
    batch, batches = [], []
    for r in records:
        batch.append(r["n"] + 1)
        if len(batch) == 4:
            batches.append(batch)
            batch = []
    return batches, batch


def negative_zero(records):
    total, sums = -0.0, {"a": -0.0}
    for r in records:
        total += r["n"] * -0.0
        sums[r["s"]] = sums.get(r["s"], -0.0) + r["n"] * -0.0
    return total, sums


def kept_largest_of_equals(records):
    first = last = None
    for r in records:
        value = r["n"] % 3
        if first is None or value > first[0]:
            first = (value, r["s"])
        if last is None or value >= last[0]:
            last = (value, r["s"])
    return first, last


def large_ints(records):
    total, sums = 0, {}
    for r in records:
        total += r["n"] * 10**17
        sums[r["s"]] = sums.get(r["s"], 0) + r["n"] * 10**17
    return total, sums


def pieces_of_text(records):
    text, longest = "", ""
    for r in records:
        text = text + r["s"]
        longest = max(longest, r["s"])
    return text, longest


def matched(records):
    out = []
    for r in records:
        match r["s"]:
            case "a" | "A":
                out.append(1)
            case _:
                out.append(r["n"])
    return out


EDGES = [
    own_class, captured_before, held_before, shadowed, decimal_total, numpy_total,
    part_of_a_record, alias_of_a_record, key_error_in_a_step, caught_in_a_step, unhashable_key,
    equal_keys, ends_in_the_middle, rebinds_in_the_loop, negative_zero, kept_largest_of_equals,
    large_ints, pieces_of_text, matched,
]  # fmt: skip


@pytest.mark.parametrize("kind", [examples.clean, examples.dirty, examples.broken])
@pytest.mark.parametrize("function", EDGES, ids=lambda f: f.__name__)
def test_a_loop_at_the_edge_gives_what_the_loop_gives(function, kind):
    theirs, ours = kind(80), kind(80)
    run = bp.vectorize_loop(function, on_unsupported="ignore")

    expected = outcome(function, theirs)

    assert outcome(run, ours) == expected
    assert repr(ours) == repr(theirs)


def doubled(values):
    out, total = [], 0
    for value in values:
        out.append(value * 2)
        total += value
    return out, total


NO_RECORDS = [[1, 2], [1.5, -0.0], ["a"], [[1], [2]], (4, 5), collections.deque([7]), {8: 9}.keys()]


@pytest.mark.parametrize("values", NO_RECORDS, ids=str)
def test_values_that_are_no_records_are_gone_over_all_the_same(values):
    run = bp.vectorize_loop(doubled, on_unsupported="ignore")

    assert outcome(run, values) == outcome(doubled, values)


def test_a_list_that_shares_its_records_is_gone_over_as_it_is():
    def records():
        record = {"n": 1, "s": "a", "x": None, "tags": []}
        return [record, record, {"n": 2, "s": "b", "x": 1.0, "tags": [1]}, record]

    for function in (*examples.COMPILED, *EDGES):
        run = bp.vectorize_loop(function, on_unsupported="ignore")
        assert outcome(run, records()) == outcome(function, records())
