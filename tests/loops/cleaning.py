"""Whole loops as people write them: dirty data cleaned up, texts and lists taken apart."""

# ruff: noqa: PERF401, PLW2901, DTZ007  loops as people write them
from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import datetime


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


def dedup(records):
    seen, out = set(), []
    for r in records:
        key = (r["shop"], r["status"].lower())
        if key not in seen:
            seen.add(key)
            out.append(r)
    return out


def first_bad(records):
    for i, r in enumerate(records):
        if r["qty"] is None or r["qty"] < -100:
            return i, r
    return None


def text_report(records):
    lines = []
    text = ""
    for i, r in enumerate(records, 1):
        lines.append(f"{i:>4} {r['shop']:<8} {r['qty'] * r['w']:10.2f}")
        text += r["shop"][0]
    return "\n".join(lines), text


def while_inside(records):
    out = []
    for r in records:
        n, steps = abs(r["qty"]), 0
        while n > 1:
            n //= 2
            steps += 1
        out.append(steps)
    return out


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


def first_missing(records):
    for r in records:
        missing = [k for k in ("name", "price") if r.get(k) in (None, "")]
        if missing:
            return r["id"], missing
    return None


def last_seen_index(records):
    idx, dup = {}, []
    for i, r in enumerate(records):
        k = (r["shop"], r["qty"])
        if k in idx:
            dup.append((i, idx[k]))
        idx[k] = i
    return idx, dup
