"""Loops that fill dicts and sets."""

from __future__ import annotations

from collections import Counter, defaultdict


def groups_by_default(records):
    groups = defaultdict(list)
    for r in records:
        groups[r["s"]].append(r["n"])
    return dict(groups)


def groups_by_setdefault(records):
    groups = {}
    for r in records:
        groups.setdefault(r["s"].lower(), []).append(r)
    return groups


def groups_by_test(records):
    groups = {}
    for r in records:
        if r["s"] not in groups:
            groups[r["s"]] = []
        groups[r["s"]].append(r["n"])
    return groups


def counts_by_get(records):
    counts = {}
    for r in records:
        counts[r["s"]] = counts.get(r["s"], 0) + 1
    return counts


def counts_by_counter(records):
    counts = Counter()
    for r in records:
        counts[r["s"]] += 1
    return counts.most_common()


def counts_by_default(records):
    counts = defaultdict(int)
    for r in records:
        counts[r["n"] > 3] += 1
    return counts


def counts_by_test(records):
    counts = {}
    for r in records:
        if r["s"] in counts:
            counts[r["s"]] += 1
        else:
            counts[r["s"]] = 1
    return counts


def counts_of_mixed_keys(records):
    counts = {}
    for r in records:
        counts[r["x"]] = counts.get(r["x"], 0) + 1
    return counts


def counts_of_number_keys(records):
    counts = {}
    for r in records:
        key = r["n"] if r["n"] > 3 else r["n"] * 1.0
        counts[key] = counts.get(key, 0) + 1
    return counts


def sums_by_group(records):
    sums = {}
    for r in records:
        sums[r["s"]] = sums.get(r["s"], 0) + r["n"] * 0.1
    return sums


def sums_by_group_of_ints(records):
    sums = defaultdict(int)
    for r in records:
        sums[r["s"]] += r["n"]
    return sums


def sums_by_group_of_floats(records):
    sums = defaultdict(float)
    for r in records:
        sums[r["s"]] += r["n"]
    return sums


def sums_by_two_keys(records):
    sums = {}
    for r in records:
        key = (r["s"], r["n"] % 2)
        sums[key] = sums.get(key, 0) + 1
    return sums


def prepared_groups(records):
    sums = {"a": 0, "b": 0, "c": 0, "A": 0}
    for r in records:
        sums[r["s"]] += r["n"]
    return sums


def statistics_by_group(records):
    stats = {}
    for r in records:
        if r["s"] not in stats:
            stats[r["s"]] = {"n": 0, "total": 0.0}
        stats[r["s"]]["n"] += 1
        stats[r["s"]]["total"] += r["n"] * 1.5
    return stats


def sets_by_group(records):
    groups = defaultdict(set)
    for r in records:
        groups[r["s"].lower()].add(r["n"])
    return {key: sorted(values) for key, values in groups.items()}


def last_by_key(records):
    latest = {}
    for r in records:
        latest[r["s"]] = r["n"]
    return latest


def index_of_records(records):
    by_name = {}
    for r in records:
        by_name[r["s"]] = r
    return by_name


def distinct(records):
    names = set()
    for r in records:
        names.add(r["s"].strip())
    return sorted(names)
