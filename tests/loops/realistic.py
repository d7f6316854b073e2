"""Whole loops as people write them: dirty data cleaned up, groups, running values, rows in rows."""

# ruff: noqa: PERF401, PLW2901, DTZ007  loops as people write them
from __future__ import annotations

import json
import random
from collections import Counter, defaultdict, deque
from datetime import datetime
from typing import Any


def clean_people(records):
    good, bad, n = [], [], 0
    for i, r in enumerate(records):
        n += 1
        try:
            age = int(r["age"])
            if age < 0:
                raise ValueError(f"negative age {age}")
        except (TypeError, ValueError) as e:
            bad.append({"row": i, "error": str(e), "value": r["age"]})
            continue
        name = (r.get("name") or "").strip().title()
        if not name:
            bad.append({"row": i, "error": "no name", "value": None})
            continue
        good.append({"name": name, "age": age, "adult": age >= 18})
    return good, bad, n


def errors_by_type(records):
    errors = defaultdict(list)
    ok = 0
    for i, r in enumerate(records):
        try:
            x = float(r["price"])
            ok += 1
        except ValueError:
            errors["value"].append(i)
        except TypeError:
            errors["type"].append(i)
    return dict(errors), ok


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


def dedup(records):
    seen, out = set(), []
    for r in records:
        key = (r["shop"], r["status"].lower())
        if key not in seen:
            seen.add(key)
            out.append(r)
    return out


def totals_reset(records):
    out, prev, total = [], None, 0
    for r in records:
        if r["shop"] != prev:
            total = 0
            prev = r["shop"]
        total += r["qty"]
        out.append({"shop": r["shop"], "total": total, "label": f"{r['shop']}-{total}"})
    return out


def first_bad(records):
    for i, r in enumerate(records):
        if r["qty"] is None or r["qty"] < -100:
            return i, r
    return None


def early_stop(records):
    out, budget = [], 500
    for r in records:
        cost = r["qty"] * r["w"]
        if cost > budget:
            break
        budget -= cost
        out.append((r["shop"], budget))
    return out


def text_report(records):
    lines = []
    text = ""
    for i, r in enumerate(records, 1):
        lines.append(f"{i:>4} {r['shop']:<8} {r['qty'] * r['w']:10.2f}")
        text += r["shop"][0]
    return "\n".join(lines), text


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


def while_inside(records):
    out = []
    for r in records:
        n, steps = abs(r["qty"]), 0
        while n > 1:
            n //= 2
            steps += 1
        out.append(steps)
    return out


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


def inverted(records):
    index = defaultdict(set)
    for r in records:
        for t in r["tags"]:
            index[t.lower()].add(r["id"])
    return {k: sorted(v) for k, v in index.items()}


def word_count(records):
    words = Counter()
    for r in records:
        for w in r["text"].split():
            w = w.strip(".,").lower()
            if len(w) > 2:
                words[w] += 1
    return words


def explode(records):
    rows = []
    for r in records:
        for item in r["items"]:
            rows.append({"id": r["id"], "sku": item["sku"], "total": item["n"] * item["p"]})
    return rows


def item_totals(records):
    by, n = {}, 0
    for r in records:
        for item in r["items"]:
            by[item["sku"]] = by.get(item["sku"], 0) + item["n"]
            n += 1
    return by, n


def order_values(records):
    out, grand = [], 0.0
    for r in records:
        total = 0
        for item in r["items"]:
            total += item["n"] * item["p"]
        grand += total
        out.append(total)
    return out, grand


def write_norm(records):
    for r in records:
        r["name"] = (r["name"] or "").strip().lower()
        r["key"] = f"{r['name']}|{r['shop']}"
        if not r["name"]:
            r["bad"] = True
    return records


def write_try(records):
    bad = 0
    for r in records:
        try:
            r["price"] = float(r["price"])
        except (TypeError, ValueError):
            r["price"] = None
            bad += 1
    return records, bad


def write_and_keep(records):
    out = []
    for r in records:
        if r["qty"] is None:
            continue
        r["value"] = r["qty"] * r["w"]
        out.append(r)
    return out


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


def match_status(records):
    ok, other = [], Counter()
    for r in records:
        match r["status"]:
            case "new" | "open":
                ok.append(r["id"])
            case s:
                other[s] += 1
    return ok, other


def validate(records):
    errors = []
    for i, r in enumerate(records):
        problems = []
        if not r["name"]:
            problems.append("name")
        if r["qty"] < 0:
            problems.append("qty")
        if problems:
            errors.append((i, problems))
    return errors


def parse_dates(records):
    out, failed = [], []
    for r in records:
        try:
            d = datetime.strptime(r["day"], "%Y-%m-%d")
        except ValueError:
            failed.append(r["id"])
        else:
            out.append((r["id"], d.year, d.month))
    return out, failed


def parse_json(records):
    out, errors = [], 0
    for r in records:
        try:
            data = json.loads(r["payload"])
            out.append({"id": r["id"], "x": data.get("x"), "n": len(data)})
        except (ValueError, AttributeError):
            errors += 1
    return out, errors


def continue_in_try(records):
    total, skipped = 0, []
    for r in records:
        try:
            n = int(r["age"])
        except (TypeError, ValueError):
            skipped.append(r["id"])
            continue
        finally:
            pass
        total += n
    return total, skipped


def eafp_count(records):
    counts, groups = {}, {}
    for r in records:
        key = r["status"].lower()
        try:
            counts[key] += 1
        except KeyError:
            counts[key] = 1
        try:
            groups[key].append(r["id"])
        except KeyError:
            groups[key] = [r["id"]]
    return counts, groups


def gap_written(records):
    prev = None
    for r in records:
        r["gap"] = None if prev is None else r["w"] - prev["w"]
        prev = r
    return records


def first_missing(records):
    for r in records:
        missing = [k for k in ("name", "price") if r.get(k) in (None, "")]
        if missing:
            return r["id"], missing
    return None


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


def last_seen_index(records):
    idx, dup = {}, []
    for i, r in enumerate(records):
        k = (r["shop"], r["qty"])
        if k in idx:
            dup.append((i, idx[k]))
        idx[k] = i
    return idx, dup


def cumulative_share(records):
    total = sum(r["qty"] for r in records if isinstance(r["qty"], int))
    acc, out = 0, []
    for r in records:
        acc += r["qty"]
        out.append({"id": r["id"], "share": acc / total if total else 0})
    return out


AS_THEY_STAND = [nested_counts, windows, group_prev_record, nth_of_group]
COMPILED = [
    function
    for name, function in list(globals().items())
    if getattr(function, "__module__", "") == __name__ and function not in AS_THEY_STAND
]
TEXTS = {
    "age": ["12", "40", " 7 ", "x", "-3", None, 33],
    "name": [" ann ", "bob", "", None, "Eve"],
    "price": ["1.5", "n/a", 3, None, "7", 2.25],
    "text": ["the cat sat.", "", "a dog, the end"],
    "day": ["2024-01-05", "2023-12-31", "bad"],
    "payload": ['{"x": 1}', "[1]", "oops", '{"x": null, "y": 2}'],
    "status": ["new", "Open", "done", "open"],
    "shop": ["A", "B", "C"],
}
DIRT = [None, True, 2.5, 2**70, float("nan"), "x"]


def rows(count: int, seed: int, *, dirty: bool = False) -> list[dict[str, Any]]:
    """Records, of which some lack a field or have a value of another kind where they are dirty."""
    chance = random.Random(seed)
    made: list[dict[str, Any]] = []
    for i in range(count):
        r: dict[str, Any] = {name: chance.choice(values) for name, values in TEXTS.items()}
        r |= {"id": i, "qty": chance.randrange(-5, 12), "w": round(chance.uniform(0, 40), 2)}
        r["tags"] = chance.sample(["A", "b", "Cc"], chance.randrange(3))
        r["items"] = [
            {"sku": chance.choice("xyz"), "n": chance.randrange(4), "p": chance.choice([1.5, 2.0])}
            for _ in range(chance.randrange(3))
        ]
        if dirty and chance.random() < 0.08:
            r[chance.choice(["qty", "w", "status", "shop", "tags", "items"])] = chance.choice(DIRT)
        if dirty and chance.random() < 0.02:
            del r[chance.choice(list(r))]
        made.append(r)
    return made
