"""Whole loops as people write them: groups, running values, the row before."""

from __future__ import annotations

from collections import Counter, defaultdict, deque


def nested_counts(records):
    counts = {}
    for r in records:
        counts.setdefault(r["shop"], {})
        counts[r["shop"]][r["status"]] = counts[r["shop"]].get(r["status"], 0) + 1
    return counts


def nested_default(records):
    counts = defaultdict(lambda: defaultdict(int))
    for r in records:
        counts[r["shop"]][r["status"].lower()] += 1
    return {k: dict(v) for k, v in counts.items()}


def nested_counter(records):
    by = defaultdict(Counter)
    for r in records:
        by[r["shop"]][r["status"].upper()] += 1
    return by


def minmax_group(records):
    low, high = {}, {}
    for r in records:
        k, v = r["shop"], r["qty"] * 1.5
        if k not in low or v < low[k]:
            low[k] = v
        if k not in high or v > high[k]:
            high[k] = v
    return low, high


def max_by_group(records):
    best = {}
    for r in records:
        best[r["shop"]] = max(best.get(r["shop"], 0), r["qty"] * 2)
    return best


def top1(records):
    best = {}
    for r in records:
        cur = best.get(r["shop"])
        if cur is None or r["qty"] * r["w"] > cur["qty"] * cur["w"]:
            best[r["shop"]] = r
    return best


def totals_reset(records):
    out, prev, total = [], None, 0
    for r in records:
        if r["shop"] != prev:
            total = 0
            prev = r["shop"]
        total += r["qty"]
        out.append({"shop": r["shop"], "total": total, "label": f"{r['shop']}-{total}"})
    return out


def early_stop(records):
    out, budget = [], 500
    for r in records:
        cost = r["qty"] * r["w"]
        if cost > budget:
            break
        budget -= cost
        out.append((r["shop"], budget))
    return out


def windows(records):
    buf, out = deque(maxlen=3), []
    for r in records:
        buf.append(r["w"])
        out.append(sum(buf) / len(buf))
    return out


def chunks(records):
    batch, batches = [], []
    for r in records:
        batch.append({"k": r["shop"].upper(), "v": r["qty"] + 1})
        if len(batch) == 3:
            batches.append(batch)
            batch = []
    if batch:
        batches.append(batch)
    return batches


def group_prev(records):
    last, out = {}, []
    for r in records:
        prev = last.get(r["shop"])
        out.append(None if prev is None else r["w"] - prev)
        last[r["shop"]] = r["w"]
    return out


def group_prev_record(records):
    last = {}
    for r in records:
        p = last.get(r["shop"])
        r["delta"] = round(r["w"] - p["w"], 3) if p else None
        last[r["shop"]] = r
    return records


def group_running(records):
    totals = defaultdict(int)
    out = []
    for r in records:
        totals[r["shop"]] += r["qty"]
        out.append({"shop": r["shop"], "so_far": totals[r["shop"]], "pct": totals[r["shop"]] / 100})
    return out


def nth_of_group(records):
    counts = Counter()
    for r in records:
        counts[r["shop"]] += 1
        r["nth"] = counts[r["shop"]]
    return records


def ranks(records):
    rank, prev = 0, None
    for i, r in enumerate(records):
        if r["qty"] != prev:
            rank = i + 1
            prev = r["qty"]
        r["rank"] = rank
    return records


def sessions(records):
    s, last = 0, None
    out = []
    for r in records:
        if last is not None and (r["w"] - last > 10 or r["shop"] == "C"):
            s += 1
        out.append(f"s{s}")
        last = r["w"]
    return out


def ffill(records):
    last = None
    out = []
    for r in records:
        if r["name"]:
            last = r["name"]
        out.append({"id": r["id"], "name": last})
    return out


def streak(records):
    best = cur = 0
    for r in records:
        if r["qty"] > 4:
            cur += 1
            best = max(best, cur)
        else:
            cur = 0
    return best


def drawdown(records):
    peak, worst = 0.0, 0.0
    for r in records:
        v = r["w"] * 1.01
        if v > peak:
            peak = v
        worst = max(worst, peak - v)
    return peak, worst


def merge_dicts(records):
    merged = {}
    for r in records:
        e = merged.setdefault(r["id"] % 7, {"n": 0, "names": [], "sum": 0.0})
        e["n"] += 1
        e["names"].append(r["name"])
        e["sum"] += r["w"]
    return merged


def stats(records):
    s = {"n": 0, "total": 0.0, "missing": 0}
    for r in records:
        if r["name"] is None:
            s["missing"] += 1
            continue
        s["n"] += 1
        s["total"] += r["w"] * r["qty"]
    return s


def join_pairs(records):
    pairs = []
    prev = None
    for r in records:
        if prev is not None:
            pairs.append((prev["id"], r["id"], r["w"] - prev["w"]))
        prev = r
    return pairs


def gap_written(records):
    prev = None
    for r in records:
        r["gap"] = None if prev is None else r["w"] - prev["w"]
        prev = r
    return records


def deep_stats(records):
    stats = {}
    for r in records:
        s = stats.get(r["shop"])
        if s is None:
            s = stats[r["shop"]] = {"n": 0, "sum": 0, "max": None}
        s["n"] += 1
        s["sum"] += r["qty"] * 2
        if s["max"] is None or r["qty"] > s["max"]:
            s["max"] = r["qty"]
    return stats


def two_level(records):
    tree = defaultdict(lambda: defaultdict(list))
    for r in records:
        tree[r["shop"]][r["status"].lower()].append(r["id"])
    return {k: dict(v) for k, v in tree.items()}


def cumulative_share(records):
    total = sum(r["qty"] for r in records if isinstance(r["qty"], int))
    acc, out = 0, []
    for r in records:
        acc += r["qty"]
        out.append({"id": r["id"], "share": acc / total if total else 0})
    return out
