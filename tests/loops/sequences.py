"""Loops that end early or carry a value from row to row, with try and loops inside."""

# ruff: noqa: PERF401, F821, RUF007, B905  loops as people write them
from __future__ import annotations

from contextlib import suppress
from itertools import pairwise


def first_match(records):
    for r in records:
        if r["n"] > 7:
            return r
    return None


def first_match_kept(records):
    found = None
    for r in records:
        if r["s"].startswith("b"):
            found = r["n"]
            break
    return found


def any_match(records):
    for r in records:
        if r["n"] == 8:
            return True
    return False


def else_of_loop(records):
    for r in records:
        if r["n"] < -10:
            break
    else:
        return "none"
    return "some"


def until(records):
    out = []
    for r in records:
        if r["s"] == "stop":
            break
        out.append(r["n"])
    return out


def count_until(records):
    n = 0
    for r in records:
        n += 1
        if r["n"] > 8:
            return n, r["s"]
    return n, None


def running_total(records):
    total = 0
    out = []
    for r in records:
        total += r["n"]
        out.append({"n": r["n"], "total": total})
    return out


def running_mean(records):
    total, n, out = 0.0, 0, []
    for r in records:
        if r["x"] is None:
            out.append(None)
            continue
        n += 1
        total += r["x"]
        out.append(round(total / n, 3))
    return out


def difference(records):
    previous = None
    out = []
    for r in records:
        out.append(None if previous is None else r["n"] - previous)
        previous = r["n"]
    return out


def changes(records):
    last = ""
    n = 0
    for r in records:
        if r["s"] != last:
            n += 1
        last = r["s"]
    return n


def total_limited(records):
    total = 0
    out = []
    for r in records:
        total += r["n"]
        if total > 60:
            break
        out.append(r["s"])
    return out, total


def capped(records):
    out = []
    for r in records:
        if len(out) >= 5:
            break
        out.append(r["s"].upper())
    return out


def first_seen(records):
    seen = set()
    out = []
    for r in records:
        key = r["s"].strip().lower()
        if key in seen:
            continue
        seen.add(key)
        out.append(r["n"])
    return out


def codes(records):
    known = {}
    out = []
    for r in records:
        name = r["s"].upper()
        if name not in known:
            known[name] = len(known)
        out.append(known[name])
    return out, known


def clamped_balance(records):
    balance = 100.0
    out = []
    for r in records:
        change = r["n"] * 1.5 - 6
        balance += change
        if balance < 0:
            balance = 0.0
        out.append(balance)
    return out


def names_stay(records):
    for r in records:
        name = r["s"].upper()
    return name


def carried_in_try(records):
    out = []
    for r in records:
        try:
            gap = r["n"] - before
        except Exception:  # noqa: BLE001  that is what is tested
            gap = 0
        before = r["n"]
        out.append(gap)
    return out


def guarded(records):
    good, bad = [], []
    for i, r in enumerate(records):
        try:
            good.append(int(r["text"]))
        except ValueError as error:
            bad.append(f"row {i}: {error}")
        except TypeError:
            bad.append(i)
    return good, bad


def guarded_sum(records):
    total = 0.0
    failed = 0
    for r in records:
        try:
            total += float(r["text"])
        except (TypeError, ValueError):
            failed += 1
    return total, failed


def suppressed(records):
    out = []
    for r in records:
        with suppress(TypeError, ValueError):
            out.append(int(r["text"]) + 1)
    return out


def inner_loop(records):
    counts = {}
    for r in records:
        for tag in r["tags"]:
            counts[tag] = counts.get(tag, 0) + r["n"]
    return counts


def inner_comprehension(records):
    out = []
    for r in records:
        out.append([tag.upper() for tag in r["tags"]])
    return out


def gaps_of_pairs(records):
    out = []
    for a, b in zip(records, records[1:]):
        if a["s"] != b["s"]:
            out.append({"s": b["s"], "gap": b["n"] - a["n"]})
    return out


def pairs_kept(records):
    out = []
    for before, r in zip(records, records[1:]):
        out.append((before, r["n"] + 1))
    return out


def gaps_pairwise(records):
    out = []
    for a, b in pairwise(records):
        out.append(b["n"] * 2 - a["n"])
    return out


def in_order_until(records):
    for a, b in zip(records, records[1:]):
        if b["n"] < a["n"] - 9:
            return a["s"], b["s"]
    return None


def gaps_by_place(records):
    out = []
    for i in range(1, len(records)):
        out.append((i, records[i]["n"] - records[i - 1]["n"]))
    return out


def gaps_from_the_last(records):
    out = []
    for i in range(len(records)):
        out.append(records[i]["n"] - records[i - 1]["n"])
    return out


def gaps_written(records):
    for i in range(1, len(records)):
        records[i]["gap"] = records[i]["n"] - records[i - 1]["n"]
    return records
