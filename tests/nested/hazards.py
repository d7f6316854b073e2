"""The table: parts not taken that would raise or never end, identity, odd results."""

# What is tested is code as people write it.
# ruff: noqa: C416

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.nested.constants import DEFAULT, LABELS, RATES

Record = dict[str, Any]


def endless_on_a_path_not_taken(r: Record) -> Any:
    n, steps = r["n"], 0
    if isinstance(n, int) and 0 < n < 10**9:
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
    return steps


def endless_for_some_values(r: Record) -> Any:
    m, steps = r["m"], 0
    if isinstance(m, int) and m >= 0:
        while m != 0:
            m -= 1
            steps += 1
    return steps


def huge_range_on_a_path_not_taken(r: Record) -> Any:
    if r["m"] > 100:
        return [i for i in range(10 ** r["m"])]
    return list(range(r["m"]))


def huge_text_on_a_path_not_taken(r: Record) -> Any:
    return "x" * (10**11) if r["s"] == "no such text" else r["s"] * 2


def endless_generator(r: Record) -> Any:
    def counted() -> Any:
        n = 0
        while True:
            yield n
            n += 1

    return next(n for n in counted() if n >= r["m"])


def guarded_by_a_length(r: Record) -> Any:
    return r["nums"][1] / r["nums"][0] if len(r["nums"]) > 1 and r["nums"][0] else None


def guarded_by_isinstance(r: Record) -> Any:
    if isinstance(r["user"], dict) and isinstance(r["user"].get("name"), str):
        return r["user"]["name"].upper()
    return str(r["user"])


def guarded_by_in(r: Record) -> Any:
    return LABELS[r["k"]][0] if r["k"] in LABELS and LABELS[r["k"]] else "none"


def guarded_by_an_early_return(r: Record) -> Any:
    if not r["items"]:
        return 0
    if r["items"][0] is None:
        return -1
    return r["items"][0]["qty"] + 1


def guarded_by_a_chain(r: Record) -> Any:
    return 0 < r["m"] < 12 // r["m"]


def unbound_on_some_rows(r: Record) -> Any:
    if r["n"] > 3:
        value = [r["n"]]
    return value


def unbound_after_a_loop(r: Record) -> Any:
    for n in r["nums"]:
        last = n
    return last


def own_list_returned(r: Record) -> Any:
    return r["tags"]


def own_list_or_a_new_one(r: Record) -> Any:
    return r["tags"] if r["b"] else []


def own_dict_through_names(r: Record) -> Any:
    user = r["user"]
    found = user
    return {"user": found, "again": r["user"]}


def own_item_returned(r: Record) -> Any:
    return r["items"][0]


def own_items_filtered(r: Record) -> Any:
    return [item for item in r["items"] if item["qty"]]


def own_items_sorted(r: Record) -> Any:
    return sorted(r["items"], key=lambda item: item["sku"])


def own_part_by_or(r: Record) -> Any:
    return r["tags"] or r["nums"] or DEFAULT


def own_record_in_a_list(r: Record) -> Any:
    return [r, r["tags"]]


def own_record_or_none(r: Record) -> Any:
    return r if r["b"] else None


def list_of_a_table(r: Record) -> Any:
    return LABELS.get(r["k"], DEFAULT)


def new_list_of_equal_texts(r: Record) -> Any:
    return [r["t"]]


def new_list_of_a_split(r: Record) -> Any:
    return r["s"].split(",")


def new_dict_of_equal_texts(r: Record) -> Any:
    return {"t": r["t"], "parts": [r["t"], []]}


def new_set_of_equal_texts(r: Record) -> Any:
    return {r["t"]}


def new_list_of_a_helper(r: Record) -> Any:
    return _letters(r["t"])


def _letters(text: str) -> list[str]:
    return sorted(text.upper())


def new_list_kept_in_two_places(r: Record) -> Any:
    letters = _letters(r["t"])
    return {"one": letters, "two": letters, "three": _letters(r["t"])}


def list_written_after_a_part(r: Record) -> Any:
    letters = _letters(r["t"])
    letters.append(r["n"])
    return letters


def empty_list_by_default(r: Record) -> Any:
    return r.get("absent", [])


def constant_tuple_with_a_list(r: Record) -> Any:
    return ("fixed", [], r["t"])


def identity_is_asked(r: Record) -> Any:
    tags = r["tags"]
    return tags is r["tags"] and tags[:] is not tags


def identity_of_new_lists(r: Record) -> Any:
    return _letters(r["t"]) is _letters(r["t"])


def function_as_the_result(r: Record) -> Any:
    return len if r["b"] else str.upper


def class_as_the_result(r: Record) -> Any:
    return type(r["opt"])


def ellipsis_and_not_implemented(r: Record) -> Any:
    return ... if r["b"] else NotImplemented


def mixed_kinds_by_branch(r: Record) -> Any:
    if r["m"] == 0:
        return None
    if r["m"] == 1:
        return "one"
    if r["m"] == 2:
        return [r["m"]]
    if r["m"] == 3:
        return {"m": r["m"]}
    return (r["m"],) if r["m"] == 4 else r["m"] / 2


def unhashable_key(r: Record) -> Any:
    return {r["s"]: 1, tuple(r["nums"]): 2}


def unhashable_in_a_set(r: Record) -> Any:
    return len({r["nums"][0], r["t"]})


def equal_keys_of_other_kinds(r: Record) -> Any:
    return {r["m"]: "int", float(r["m"]): "float", r["b"]: "bool"}


def nan_in_containers(r: Record) -> Any:
    x = r["x"]
    return (x in [x], [x] == [x], {x: 1}.get(x), x == x)


def zero_sign_in_a_list(r: Record) -> Any:
    return [r["x"] * 0, -r["x"]]


def large_ints_in_a_list(r: Record) -> Any:
    return [r["n"] ** 3, r["n"] * 2**40]


def attribute_of_a_dict(r: Record) -> Any:
    return r["user"].name


def call_of_a_field(r: Record) -> Any:
    return r["s"]() if r["b"] else r["s"]


def key_error_keeps_its_key(r: Record) -> Any:
    return RATES[(r["k"], r["b"])]


def index_error_of_a_new_list(r: Record) -> Any:
    return [1, 2, 3][r["m"]]


def unpacks_too_few(r: Record) -> Any:
    a, b = r["nums"]
    return a - b


def chained_get_of_a_list(r: Record) -> Any:
    return r["tags"].get("x") if r["b"] else None


def changed_while_looped(r: Record) -> Any:
    counts = {"a": r["n"]}
    for key in counts:
        counts[key + "x"] = 1
    return counts


def deep_nesting(r: Record) -> Any:
    out: Any = r["n"]
    for _ in range(r["m"] * 5):
        out = [out]
    return out


def depth(value: Any) -> int:
    return 0 if value <= 0 else 1 + depth(value - 1)


def deep_recursion(r: Record) -> Any:
    return depth(r["m"] * 20)


def recursion_error_is_raised(r: Record) -> Any:
    return depth(10**9) if r["n"] == 7 else r["n"]


def makes_table_of_lists() -> Callable[[Record], Any]:
    table = {"NO": [1, 2], "PL": []}

    def table_of_lists(r: Record) -> Any:
        return [*table.get(r["k"], [0]), r["n"]]

    return table_of_lists


FIELDS = {"empty_list_by_default": ("n",)}
