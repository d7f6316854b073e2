"""The table: writes into new lists and dicts, into the record, and through other names."""

from __future__ import annotations

import copy
from typing import Any

Record = dict[str, Any]


# ------------------------------------------------------------- the record is written and returned


def writes_fields_in_a_loop(r: Record) -> Any:
    for name in ("s", "k"):
        r[name] = r[name].strip().lower()
    return r


def writes_a_field_and_reads_it(r: Record) -> Any:
    r["total"] = r["n"] * r["m"]
    r["double"] = r["total"] * 2
    return r


def writes_into_a_nested_dict(r: Record) -> Any:
    r["user"]["name"] = r["user"]["name"].upper()
    return r


def writes_two_levels_down(r: Record) -> Any:
    r["user"]["address"]["city"] = "x"
    return r


def appends_to_a_field(r: Record) -> Any:
    r["tags"].append(r["s"])
    return r


def sorts_a_field(r: Record) -> Any:
    r["nums"].sort()
    return r


def augments_a_field(r: Record) -> Any:
    r["nums"] += [r["n"]]
    return r


def augments_a_number(r: Record) -> Any:
    r["n"] += 1
    return r


def writes_into_items(r: Record) -> Any:
    for item in r["items"]:
        item["total"] = item["qty"] * item["price"]
    return r


def replaces_items(r: Record) -> Any:
    for position, n in enumerate(r["nums"]):
        r["nums"][position] = n * 2
    return r


def deletes_a_field(r: Record) -> Any:
    del r["s"]
    return r


def pops_a_field(r: Record) -> Any:
    r["text"] = r.pop("s", None)
    return r


def set_default_of_the_record(r: Record) -> Any:
    r.setdefault("status", "new")
    r.setdefault("tags", []).append("seen")
    return r


def updates_the_record(r: Record) -> Any:
    r.update({"n": 0, "new": r["n"]}, s=r["s"])
    return r


def merges_into_the_record(r: Record) -> Any:
    r |= r["user"]
    return r


def renames_the_keys(r: Record) -> Any:
    for name in list(r):
        r[name.upper()] = r.pop(name)
    return r


def writes_on_some_rows(r: Record) -> Any:
    if r["n"] > 5:
        r["flag"] = True
    return r


def writes_before_it_raises(r: Record) -> Any:
    r["half"] = r["n"]
    r["ratio"] = r["n"] // r["m"]
    return r


def removes_while_it_loops(r: Record) -> Any:
    for name in r:
        if r[name] == 0:
            del r[name]
    return r


def writes_through_another_name(r: Record) -> Any:
    other = r
    other["n"] = -1
    return r


def writes_through_a_part(r: Record) -> Any:
    user = r["user"]
    user["seen"] = len(user)
    return r


def moves_a_part(r: Record) -> Any:
    r["names"] = r["tags"]
    r["tags"].append("end")
    return r


# ------------------------------------------------------- the record is written and not returned


def appends_and_returns_a_length(r: Record) -> Any:
    r["tags"].append("x")
    return len(r["tags"])


def appends_and_returns_the_list(r: Record) -> Any:
    tags = r["tags"]
    tags.append(1)
    return tags


def pops_and_returns_the_item(r: Record) -> Any:
    return r["nums"].pop()


def writes_and_returns_nothing(r: Record) -> Any:
    r["seen"] = True


def clears_a_field(r: Record) -> Any:
    r["nums"].clear()
    return r["n"]


EFFECTS = {
    "appends_and_returns_a_length", "appends_and_returns_the_list", "pops_and_returns_the_item",
    "writes_and_returns_nothing", "clears_a_field",
}  # fmt: skip


# ----------------------------------------------------------------------- a copy is written


def copy_is_written(r: Record) -> Any:
    out = dict(r)
    out["n"] = r["m"]
    return out


def copy_shares_its_lists(r: Record) -> Any:
    out = {**r}
    out["tags"] = [*out["tags"], "x"]
    return (out, r["tags"])


def deep_copy_is_written(r: Record) -> Any:
    out = copy.deepcopy(r)
    out["user"]["name"] = "x"
    out["tags"].append("y")
    return out


def list_is_copied_first(r: Record) -> Any:
    tags = list(r["tags"])
    tags.append(r["s"])
    return tags


def part_is_copied_first(r: Record) -> Any:
    user = dict(r["user"])
    user.pop("age", None)
    user["name"] = (user.get("name") or "").title()
    return user


# ----------------------------------------------------------------------- new objects


def two_names_for_one_list(r: Record) -> Any:
    a: list[Any] = []
    b = a
    a.append(r["n"])
    return b


def two_names_in_one_result(r: Record) -> Any:
    a = [r["n"]]
    out = {"a": a, "b": a}
    out["a"].append(r["s"])
    return out


def name_that_is_bound_anew(r: Record) -> Any:
    a = [r["n"]]
    b = a
    a = a + [1]
    b += [2]
    return (a, b)


def list_inside_itself(r: Record) -> Any:
    a = [r["n"]]
    b = [a, a]
    b[0].append(1)
    return len(b[1]) + len(b)


def multiplied_list_shares(r: Record) -> Any:
    rows = [[0]] * 2
    rows[0].append(r["n"])
    return rows


def new_list_by_branch(r: Record) -> Any:
    out = [1]
    other = out if r["b"] else [2]
    other.append(r["n"])
    return (out, other)


def list_methods(r: Record) -> Any:
    out = [3, 1]
    out.extend(r["nums"])
    out.insert(0, r["n"])
    out.remove(1)
    out.reverse()
    return out


def list_slices_are_written(r: Record) -> Any:
    out = list(range(5))
    out[1:3] = r["nums"]
    del out[0]
    return out


def dict_methods(r: Record) -> Any:
    out = {"a": 1}
    out.update(b=r["n"])
    out.setdefault("c", []).append(r["s"])
    out.setdefault("a", 5)
    popped = out.pop("b")
    return (out, popped, out.popitem())


def dict_with_computed_keys(r: Record) -> Any:
    out = {}
    out[r["s"]] = r["n"]
    out[r["k"]] = r["b"]
    return out


def dict_grows_on_some_rows(r: Record) -> Any:
    out = {"n": r["n"]}
    if r["b"]:
        out["tags"] = r["tags"]
    out["s"] = r["s"]
    return out


def key_is_deleted_and_written_again(r: Record) -> Any:
    out = {"a": 1, "b": 2}
    if r["b"]:
        del out["a"]
    out["a"] = r["n"]
    return out


def nested_new_dicts(r: Record) -> Any:
    out: dict[str, Any] = {"user": {}}
    out["user"]["name"] = r["s"]
    out["user"].setdefault("tags", []).extend(r["tags"])
    return out


def nested_counts(r: Record) -> Any:
    out: dict[str, dict[str, int]] = {}
    for item in r["items"]:
        out.setdefault(item["sku"], {}).setdefault("n", 0)
        out[item["sku"]]["n"] += item["qty"]
    return out


def set_is_filled(r: Record) -> Any:
    seen = set()
    for tag in r["tags"]:
        if tag in seen:
            return tag
        seen.add(tag)
    return seen


def augmented_tuple(r: Record) -> Any:
    out = ()
    for n in r["nums"]:
        out += (n,)
    return out


def part_of_the_record_in_a_new_list(r: Record) -> Any:
    return [r["tags"], r["user"], r["tags"]]


FIELDS = {
    "renames_the_keys": ("n", "s"),
    "removes_while_it_loops": ("n", "m"),
    "set_default_of_the_record": ("n", "tags"),
    "deep_copy_is_written": ("user", "tags"),
    "writes_and_returns_nothing": ("n",),
    "writes_fields_in_a_loop": ("s", "k"),
    "copy_shares_its_lists": ("n", "tags"),
}
