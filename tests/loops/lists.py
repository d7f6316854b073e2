"""Loops that map, filter and collect."""

# ruff: noqa: PERF401  loops as people write them
from __future__ import annotations

LIMIT = 50
RATES = {"EUR": 1.1, "GBP": 1.3, "USD": 1.0}


def process_data_unoptimized(records):
    results = []
    for record in records:
        value = record["price"] * record["volume"]
        if value > 50_000:
            results.append(value**0.5)
    return results


def square(x):
    return x * x


def mapped(records):
    out = []
    for r in records:
        out.append(r["n"] * 2 + 1)
    return out


def filtered(records):
    out = []
    for r in records:
        if r["n"] > 3:
            out.append(r)
    return out


def filtered_with_continue(records):
    out = []
    for r in records:
        if r["x"] is None:
            continue
        if r["n"] % 2:
            continue
        out.append({"x": r["x"], "name": r["s"].upper()})
    return out


def two_lists(records):
    low, high = [], []
    for r in records:
        if r["n"] < 4:
            low.append(r["s"])
        else:
            high.append((r["s"], r["n"]))
    return low, high


def two_appends(records):
    out = []
    for r in records:
        out.append(r["n"])
        if r["n"] > 2:
            out.append(-r["n"])
    return out


def branches(records):
    out = []
    for r in records:
        if r["n"] > 5:
            out.append("high")
        elif r["n"] > 2:
            out.append(r["n"])
        else:
            out.append(None)
    return out


def helper_and_global(records):
    out = []
    for r in records:
        if square(r["n"]) > LIMIT:
            out.append(square(r["n"]))
    return out


def table_lookup(records):
    out = []
    for r in records:
        out.append(round(r["x"] * RATES.get(r["currency"], 0.5), 2) if r["x"] is not None else None)
    return out


def missing_key(records):
    out = []
    for r in records:
        out.append(r["n"] + RATES[r["currency"]])
    return out


def argument(records, limit=4, *, label="row"):
    out = []
    for r in records:
        if r["n"] >= limit:
            out.append(f"{label} {r['s']}")
    return out


def local_before(records):
    factor = 3
    names = {"a": 1, "b": 2}
    out = []
    for r in records:
        out.append(names.get(r["s"], 0) * factor)
    return out


def code_after(records):
    out = []
    for r in records:
        out.append(r["n"] * 1.5)
    out.sort()
    return out[:3], len(out), sum(out) / len(out) if out else None


def starts_full(records):
    out = ["header"]
    for r in records:
        out.append(r["s"])
    out.append("footer")
    return out


def extends(records):
    out = []
    for r in records:
        out.extend([r["n"], r["s"]])
    return out


def extends_by_operator(records):
    out = []
    for r in records:
        out += [r["n"]]
    return out


def walrus(records):
    out = []
    for r in records:
        if (name := r["s"].strip()) != "a":
            out.append(name)
    return out


def numbered(records):
    out = []
    for i, r in enumerate(records):
        out.append((i, r["n"] * i))
    return out


def numbered_from(records):
    out = []
    for i, r in enumerate(records, start=10):
        if i % 2:
            out.append(f"{i}: {r['s']}")
    return out


def by_position(records):
    out = []
    for i in range(len(records)):
        out.append(records[i]["n"] - i)
    return out


def by_position_named(records):
    total = 0
    for i in range(len(records)):
        r = records[i]
        total += r["n"] * i
    return total
