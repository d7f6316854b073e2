"""The table: for loops with break, continue, else and carried variables."""

# What is tested is code as people write it.
# ruff: noqa: B007, B905, PERF401

from __future__ import annotations

from typing import Any

from tests.nested.constants import ALLOWED, LIMIT, RATES, RULES, STEPS

Record = dict[str, Any]


def total_of_items(r: Record) -> Any:
    total = 0
    for item in r["items"]:
        total += item["qty"] * item["price"]
    return total


def total_of_items_sold(r: Record) -> Any:
    total, count = 0.0, 0
    for item in r["items"]:
        if not item["qty"]:
            continue
        total += item["price"]
        count += 1
    return total / count if count else None


def first_dear_item(r: Record) -> Any:
    for item in r["items"]:
        if item["price"] > 3:
            return item["sku"]
    return None


def first_dear_item_with_break(r: Record) -> Any:
    found = None
    for item in r["items"]:
        if item["price"] > 3:
            found = item
            break
    return found


def search_with_else(r: Record) -> Any:
    for tag in r["tags"]:
        if tag in ALLOWED:
            where = tag
            break
    else:
        where = "nowhere"
    return where


def else_after_continue(r: Record) -> Any:
    seen = []
    for n in r["nums"]:
        if n % 2:
            continue
        seen.append(n)
    else:
        seen.append("end")
    return seen


def loop_variable_afterwards(r: Record) -> Any:
    for n in r["nums"]:
        pass
    return n


def loop_over_nothing_keeps_the_name(r: Record) -> Any:
    tag = "before"
    for tag in r["tags"]:
        if tag == "gift":
            break
    return tag


def running_maximum(r: Record) -> Any:
    best = None
    for n in r["nums"]:
        if best is None or n > best:
            best = n
    return best


def running_totals(r: Record) -> Any:
    total, totals = 0, []
    for n in r["nums"]:
        total += n
        totals.append(total)
    return totals


def differences(r: Record) -> Any:
    last, found = None, []
    for n in r["nums"]:
        if last is not None:
            found.append(n - last)
        last = n
    return found


def counts_of_tags(r: Record) -> Any:
    counts: dict[str, int] = {}
    for tag in r["tags"]:
        counts[tag] = counts.get(tag, 0) + 1
    return counts


def groups_of_items(r: Record) -> Any:
    groups: dict[int, list[str]] = {}
    for item in r["items"]:
        groups.setdefault(item["qty"], []).append(item["sku"])
    return groups


def enumerated(r: Record) -> Any:
    text = ""
    for position, tag in enumerate(r["tags"], start=1):
        text += f"{position}:{tag};"
    return text


def zipped(r: Record) -> Any:
    total = 0
    for tag, n in zip(r["tags"], r["nums"]):
        total += len(tag) * n
    return total


def zipped_strictly(r: Record) -> Any:
    return [f"{a}{b}" for a, b in zip(r["tags"], r["nums"], strict=True)]


def over_a_range(r: Record) -> Any:
    total = 0
    for i in range(1, r["m"] + 1):
        total += i * r["n"]
    return total


def over_a_range_backwards(r: Record) -> Any:
    found = []
    for i in range(len(r["tags"]) - 1, -1, -1):
        found.append(r["tags"][i])
    return found


def nested_loops(r: Record) -> Any:
    total = 0
    for row in r["grid"]:
        for cell in row:
            if cell < 0:
                break
            total += cell
        else:
            total += 100
    return total


def pairs_of_two_lists(r: Record) -> Any:
    found = []
    for tag in r["tags"]:
        for other in r["tags"]:
            if tag < other:
                found.append(tag + other)
    return found


def loop_that_unpacks(r: Record) -> Any:
    found = {}
    for key, value in r["pairs"]:
        if key in found:
            found[key] += "|" + value
        else:
            found[key] = value
    return found


def loop_that_unpacks_with_a_star(r: Record) -> Any:
    found = []
    for head, *tail in r["grid"]:
        found.append((head, tail))
    return found


def loop_that_raises(r: Record) -> Any:
    for item in r["items"]:
        if item["qty"] > 10:
            raise ValueError(f"too many: {item['sku']}", item["qty"])
    return len(r["items"])


def loop_over_constants(r: Record) -> Any:
    for limit, name in RULES:
        if r["n"] >= limit:
            return name
    return "none"


def loop_over_steps(r: Record) -> Any:
    total = 0
    for step in STEPS:
        if step > r["m"]:
            break
        total += step
    return total


def loop_over_letters(r: Record) -> Any:
    depth = 0
    for letter in r["s"]:
        if letter in "aeiou":
            depth += 1
        elif letter == ",":
            depth -= 1
    return depth


def loop_over_words(r: Record) -> Any:
    longest = ""
    for word in r["phrase"].split():
        longest = word if len(word) > len(longest) else longest
    return longest


def loop_over_a_reversed_list(r: Record) -> Any:
    text = ""
    for tag in reversed(r["tags"]):
        text = text + tag[:1]
    return text


def loop_over_a_sorted_set(r: Record) -> Any:
    text = ""
    for tag in sorted(set(r["tags"])):
        text += tag + "/"
    return text


def loop_over_a_dict(r: Record) -> Any:
    total = 0
    for key in r["meta"]:
        total += r["meta"][key]
    return total


def loop_over_items_of_a_dict(r: Record) -> Any:
    found = []
    for key, value in r["meta"].items():
        if value is None or value == 0:
            continue
        found.append(f"{key}={value}")
    return "&".join(found)


def loop_over_the_record(r: Record) -> Any:
    return {key.upper(): value for key, value in r.items() if value is not None}


def loop_over_values_of_the_record(r: Record) -> Any:
    missing = 0
    for value in r.values():
        if value in (None, ""):
            missing += 1
    return missing


def loop_over_named_fields(r: Record) -> Any:
    found = []
    for name in ("n", "s", "absent"):
        if name in r:
            found.append((name, r[name]))
    return found


def loop_that_carries_two(r: Record) -> Any:
    low, high = None, None
    for n in r["nums"]:
        low = n if low is None else min(low, n)
        high = n if high is None else max(high, n)
    return (low, high)


def loop_that_swaps(r: Record) -> Any:
    a, b = 0, 1
    for _ in range(r["m"]):
        a, b = b, a + b
    return a


def loop_with_a_flag(r: Record) -> Any:
    seen = False
    for n in r["nums"]:
        if n > LIMIT:
            seen = True
    return {"seen": seen, "n": r["n"]}


def float_fold_keeps_its_order(r: Record) -> Any:
    total = 0.0
    for x in r["xs"]:
        total += x
    return total


def loop_with_return_in_the_middle(r: Record) -> Any:
    total = 0
    for n in r["nums"]:
        total += n
        if total > 8:
            return ("reached", total)
    return ("short", total)


def loop_whose_list_grows(r: Record) -> Any:
    todo = list(r["nums"])
    for n in todo:
        if n > 6 and len(todo) < 12:
            todo.append(n - 5)
    return todo


def dates_in_a_loop(r: Record) -> Any:
    at, found = r["at"], []
    for n in r["nums"][:3]:
        at = at + r["wait"]
        found.append((at, n))
    return found


def loop_beside_arithmetic(r: Record) -> Any:
    total = 0
    for n in r["nums"]:
        total += n
    return total * r["x"] + r["n"] if r["b"] else r["n"] - 1


def rate_in_a_loop(r: Record) -> Any:
    price = r["x"]
    for tag in r["tags"]:
        price = price * (1 + RATES.get(tag, 0.1))
    return round(price, 2)
