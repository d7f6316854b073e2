"""Loops that count, add up and look for extremes."""

from __future__ import annotations


def counted(records):
    count = 0
    for r in records:
        if r["n"] > 3:
            count += 1
    return count


def counted_down(records):
    left = 1000
    for r in records:
        left -= 1
        if r["n"] > 3:
            left -= 2
    return left


def summed_ints(records):
    total = 0
    for r in records:
        total += r["n"]
    return total


def summed_floats(records):
    total = 0.0
    for r in records:
        if r["x"] is not None:
            total += r["x"]
    return total


def summed_from_int(records):
    total = 0
    for r in records:
        if r["x"] is not None:
            total += r["x"] * 0.1
    return total


def summed_unguarded(records):
    total = 0
    for r in records:
        total += r["x"]
    return total


def subtracted(records):
    left = 1e6
    for r in records:
        left -= r["n"] * 0.3
    return left


def summed_spelled_out(records):
    total = 0
    for r in records:
        total = total + r["n"] * 3
    return total


def several_sums(records):
    n = 0
    total = 0.0
    squares = 0.0
    for r in records:
        if r["x"] is None:
            continue
        n += 1
        total += r["x"]
        squares += r["x"] * r["x"]
    return {"n": n, "mean": total / n if n else None, "squares": round(squares, 3)}


def sum_of_mixed(records):
    total = 0
    for r in records:
        total += r["x"] or 0
    return total


def two_terms(records):
    total = 0.0
    for r in records:
        total += r["n"] * 0.7
        if r["n"] > 2:
            total -= 0.1
    return total


def joined_text(records):
    text = ""
    for r in records:
        text += r["s"].lower()
    return text


def share(records):
    hits = 0
    for r in records:
        if r["s"] == "a":
            hits += 1
    return hits / len(records) if records else 0.0


def largest(records):
    best = None
    for r in records:
        if best is None or r["n"] > best:
            best = r["n"]
    return best


def largest_with_record(records):
    best, record = None, None
    for r in records:
        score = r["n"] * 2 - 1
        if best is None or score > best:
            best = score
            record = r
    return best, record


def smallest(records):
    least = float("inf")
    for r in records:
        if r["x"] is not None and r["x"] < least:
            least = r["x"]
    return least


def largest_by_max(records):
    most = 0
    for r in records:
        most = max(most, r["n"])
    return most


def smallest_by_min(records):
    least = 99.5
    for r in records:
        if r["x"] is not None:
            least = min(least, r["x"])
    return least


def largest_either_way(records):
    most = 0
    for r in records:
        most = max(r["n"], most)
    return most


def longest_name(records):
    longest = ""
    for r in records:
        if r["s"] > longest:
            longest = r["s"]
    return longest


def range_of(records):
    low = high = None
    for r in records:
        value = r["n"] * 1.0
        if low is None or value < low:
            low = value
        if high is None or high < value:
            high = value
    return low, high
