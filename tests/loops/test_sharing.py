"""Loops whose writes may be seen from elsewhere give what the loop gives, compiled or not."""

from __future__ import annotations

from collections import Counter

import pytest

import batchprep as bp
from tests.loops.test_table import outcome


def writes_into_items(records):
    n, o = 0, []
    for r in records:
        for item in r["items"]:
            n = n * 2 + 1
            item["k"] = n
        o.append([i["k"] + 0 for i in r["items"]])
    return n, o


def appends_to_a_field(records):
    n, o = 0, []
    for r in records:
        n = n * 2 + 1
        r["tags"].append(n)
        o.append(len(r["tags"]) * 2)
    return o


def writes_inside_of_a_field(records):
    n, o = 0, []
    for r in records:
        n = n * 2 + 1
        r["d"]["x"] = n
        o.append(r["d"]["x"] + 1)
    return o


def appends_to_an_unpacked_field(records):
    n, o = 0, []
    for r in records:
        tags, k = r["tags"], 1
        n = n * 2 + 1
        tags.append(n)
        o.append(len(r["tags"]) * 2)
    return o


def completes_a_new_record(records):
    c, o = Counter(), []
    for r in records:
        item = {"id": r["id"] * 2}
        c[r["s"]] += 1
        item["nth"] = c[r["s"]]
        o.append(item)
    return o


def writes_into_items_alone(records):
    n, o = 0, []
    for r in records:
        for item in r["items"]:
            n += 1
            item["k"] = n * item["v"]
    return n


def puts_a_field_under_two_keys(records):
    o = []
    for r in records:
        r["v"] = r["d"]
        r["v"]["z"] = 5
        o.append(r["d"].get("z"))
    return o


def replaces_a_field_that_it_reads(records):
    o = []
    for r in records:
        d = r["d"]
        r["d"] = {"x": r["id"] + 1}
        o.append((d["x"], r["d"]["x"]))
    return o, records


def keeps_records_by_key(records):
    seen = {}
    for r in records:
        r["dup"] = r["s"] in seen
        seen[r["s"]] = r
        r["label"] = f"{r['s']}-{len(seen)}"
    return seen, records


def asks_an_earlier_record_what_it_wrote(records):
    by = {}
    for r in records:
        p = by.get(r["s"])
        r["n"] = (p["n"] if p else 0) + r["id"] * 2
        by[r["s"]] = r
    return records


def writes_into_the_record_before(records):
    prev = None
    for r in records:
        if prev is not None:
            r["x"] = r["id"] - prev["id"]
            prev["next"] = r["id"] + 0
        prev = r
    return records


def reads_records_by_an_index_made_before(records):
    idx = {r["id"]: r for r in records}
    for r in records:
        p = idx[r["id"] // 2]
        r["depth"] = p.get("depth", 0) + 1
    return records


def ends_in_the_middle_of_its_writes(records):
    for i, r in enumerate(records):
        r["x"] = i * 2
        if r["id"] == 7:
            return r["x"], records
        r["y"] = r["x"] + 1
    return None


def writes_in_a_try(records):
    tot = {}
    for r in records:
        try:
            tot[r["s"]] = tot.get(r["s"], 0) + r["id"] / (r["id"] - 3)
        except ZeroDivisionError:
            r["bad"] = True
            continue
        r["ok"] = tot[r["s"]] * 2
    return tot, records


def swaps_two_fields(records):
    for r in records:
        r["s"], r["id"] = r["id"], r["s"]
    return records


def writes_two_fields_at_once(records):
    for r in records:
        r["a"] = r["b"] = r["id"] + 1
    return records


def asks_for_what_it_wrote(records):
    n = 0
    for r in records:
        if "new" not in r:
            r["new"] = 1
        else:
            n += 1
        if "new" in r:
            n += 2
        r2 = dict(r, q=n)
        r["len"] = len(r2)
    return n, records


def puts_copies_of_the_record(records):
    out = []
    for r in records:
        r["c"] = {**r, "k": 1}
        out.append({**r})
    return out


def carries_a_dict_of_its_own(records):
    last = {}
    for r in records:
        prev = last.get(r["s"], {"v": 0})
        cur = {"v": prev["v"] + r["id"]}
        last[r["s"]] = cur
        r["run"] = cur["v"] * 2
    return last, records


def reads_other_records(records, extra):
    for r in records:
        o = extra[r["id"] % len(extra)]
        r["z"] = o["id"] * 2
        r["id2"] = o.get("z", -1)
    return records


LOOPS = [
    writes_into_items,
    appends_to_a_field,
    writes_inside_of_a_field,
    appends_to_an_unpacked_field,
    completes_a_new_record,
    writes_into_items_alone,
    puts_a_field_under_two_keys,
    replaces_a_field_that_it_reads,
    keeps_records_by_key,
    asks_an_earlier_record_what_it_wrote,
    writes_into_the_record_before,
    reads_records_by_an_index_made_before,
    ends_in_the_middle_of_its_writes,
    writes_in_a_try,
    swaps_two_fields,
    writes_two_fields_at_once,
    asks_for_what_it_wrote,
    puts_copies_of_the_record,
    carries_a_dict_of_its_own,
]
COMPILED = [
    completes_a_new_record, replaces_a_field_that_it_reads, asks_an_earlier_record_what_it_wrote,
    carries_a_dict_of_its_own,
]  # fmt: skip


def rows():
    return [
        {
            "id": i,
            "s": "ab"[i % 2],
            "tags": [i],
            "d": {"x": i},
            "items": [{"v": i, "k": 0}, {"v": 2, "k": 0}][: i % 3],
        }
        for i in range(12)
    ]


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_a_write_is_seen_where_the_loop_sees_it(function):
    theirs, ours = rows(), rows()
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")

    assert outcome(run, ours) == outcome(function, theirs)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_a_write_is_seen_in_records_that_are_shared(function):
    theirs, ours = rows(), rows()
    theirs, ours = [*theirs, theirs[3], *theirs[:2]], [*ours, ours[3], *ours[:2]]
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="ignore")

    assert outcome(run, ours) == outcome(function, theirs)
    assert repr(ours) == repr(theirs)


def test_a_write_is_seen_through_an_argument_that_holds_records():
    theirs, ours = rows(), rows()
    run = bp.vectorize_loop(reads_other_records, backend="numpy", on_unsupported="ignore")

    assert run(ours, ours[:3]) == reads_other_records(theirs, theirs[:3])
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("function", COMPILED, ids=lambda f: f.__name__)
def test_a_loop_whose_writes_nothing_else_sees_is_compiled(function):
    run = bp.vectorize_loop(function, backend="numpy", on_unsupported="raise")

    run(rows())

    assert run.report().stages[0].compiled


def test_records_are_written_up_to_the_row_that_raises():
    def halved(records):
        for r in records:
            r["half"] = 100 / r["n"]

    theirs, ours = [{"n": n} for n in (1, 2, 0, 4)], [{"n": n} for n in (1, 2, 0, 4)]
    run = bp.vectorize_loop(halved, backend="numpy", on_unsupported="ignore")

    assert outcome(run, ours) == outcome(halved, theirs)
    assert ours == theirs == [{"n": 1, "half": 100.0}, {"n": 2, "half": 50.0}, {"n": 0}, {"n": 4}]
