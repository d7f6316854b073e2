"""Loops that run as they stand, or have much around them."""

# ruff: noqa: PERF401  loops as people write them
from __future__ import annotations


def writes_record(records):
    for r in records:
        r["n2"] = r["n"] * 2
    return records


def updates_record(records):
    for r in records:
        r.update(n2=r["n"] * 2)
    return records


def prints(records):
    n = 0
    for r in records:
        print(r["n"], end="", file=None) if r["n"] > 100 else None
        n += 1
    return n


def twice(records):
    total = 0
    for r in records:
        total += r["n"]
    return [r["n"] / total for r in records] if total else []


def in_order(records):
    out = []
    for r in sorted(records, key=lambda r: r["n"]):
        out.append(r["s"])
    return out


def unrelated_loops(records):
    counts = {}
    for name in ("a", "b"):
        counts[name] = 0
    for r in records:
        counts[r["s"]] = counts.get(r["s"], 0) + 1
    for name in list(counts):
        counts[name] *= 10
    return counts


def shared_object(records):
    one = other = []
    for r in records:
        one.append(r["n"])
        other.append(r["s"])
    return one


def returned_early(records):
    if not records:
        return "nothing"
    out = []
    for r in records:
        out.append(r["n"] + 1)
    return out
