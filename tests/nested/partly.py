"""The table: a part that only the interpreter computes, beside arithmetic that compiles."""

from __future__ import annotations

import base64
import statistics
import textwrap
import urllib.parse
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.nested.constants import LABELS, RATES, RefusedError

Record = dict[str, Any]


def wrapped_text(r: Record) -> Any:
    return {"text": textwrap.shorten(r["phrase"], 12), "n": r["n"] * 2}


def quoted_text(r: Record) -> Any:
    return urllib.parse.quote(r["s"]) + "?" + str(r["n"] + 1)


def parsed_address(r: Record) -> Any:
    address = urllib.parse.urlsplit("http://h/" + r["s"])
    return (address.path, r["n"] - 1)


def encoded_text(r: Record) -> Any:
    return (base64.b64encode(r["s"].encode()), r["m"] / 4)


def exact_decimal(r: Record) -> Any:
    return Decimal(r["n"]) / 8


def decimal_of_text(r: Record) -> Any:
    value = Decimal(r["digits"] or "0")
    return value + 1 if r["b"] else r["m"] + 1


def fraction_beside_floats(r: Record) -> Any:
    return (Fraction(r["m"], 3), r["x"] * 2)


def median_of_a_field(r: Record) -> Any:
    middle = statistics.median(r["nums"])
    return middle * 2 if middle > r["n"] else r["n"] * 2


def complex_number(r: Record) -> Any:
    return complex(r["n"], r["m"]).real + r["n"]


def two_parts_of_one_helper(r: Record) -> Any:
    return _shape(r["s"]) + _shape(r["k"]) + r["n"]


def _shape(text: str) -> int:
    return len(textwrap.wrap(text, 3))


def part_in_a_condition(r: Record) -> Any:
    if textwrap.shorten(r["phrase"], 8).endswith("[...]"):
        return r["n"] + 1
    return r["n"] - 1


def part_in_a_branch(r: Record) -> Any:
    if r["n"] > 5:
        return statistics.fmean(r["nums"]) + r["n"]
    return r["n"] / 2


def part_not_reached_does_not_raise(r: Record) -> Any:
    if r["m"] > 0:
        return r["n"] // r["m"]
    return sorted(r["nums"])[0] if r["nums"] else None


def part_behind_an_and(r: Record) -> Any:
    return bool(r["nums"]) and sorted(r["nums"])[-1] * r["m"]


def part_behind_an_or(r: Record) -> Any:
    return r["s"] or LABELS[r["k"]]


def part_in_a_ternary(r: Record) -> Any:
    return r["nums"][2] if len(r["nums"]) > 2 else r["n"] + 0.5


def part_whose_exception_is_caught(r: Record) -> Any:
    try:
        rate = Decimal(r["s"])
    except ArithmeticError as error:
        return (type(error).__name__, r["n"] + 1)
    return (str(rate), r["n"] + 1)


def part_that_depends_on_another(r: Record) -> Any:
    words = textwrap.wrap(r["phrase"], 6)
    first = words[0] if words else ""
    return len(first) * r["n"] + len(words)


def part_of_computed_values(r: Record) -> Any:
    total = r["n"] * 3 + r["m"]
    return format(Decimal(total), ",") + "!"


def part_of_locals_by_branch(r: Record) -> Any:
    value = r["n"] if r["b"] else r["s"]
    return (textwrap.indent(str(value), "> "), r["m"] + 1)


def equal_values_of_other_kinds(r: Record) -> Any:
    return [str(value) for value in (r["n"], float(r["m"]), r["b"])]


def arithmetic_on_a_part(r: Record) -> Any:
    longest = max(r["tags"], key=len, default="")
    return len(longest) * 2 + r["n"] ** 2


def order_of_two_faults(r: Record) -> Any:
    first = r["nums"][0]
    second = r["n"] // r["m"]
    third = sorted(r["tags"])[0]
    return (first, second, third)


def fault_before_a_part(r: Record) -> Any:
    return (r["n"] // r["m"], sorted(r["tags"])[0])


def fault_after_a_part(r: Record) -> Any:
    return (sorted(r["tags"])[0], r["n"] // r["m"])


def part_that_raises_its_own_kind(r: Record) -> Any:
    return _refusing(r["s"]) * r["n"]


def _refusing(text: str) -> int:
    if "=" in text:
        raise RefusedError("s", text)
    return len(text)


def rate_of_a_part(r: Record) -> Any:
    rate = RATES.get(r["k"], sum(RATES.values()))
    return r["x"] * rate + len(sorted(r["tags"]))


def part_beside_a_written_record(r: Record) -> Any:
    r["words"] = textwrap.wrap(r["phrase"], 6)
    r["n"] = r["n"] + len(r["words"])
    return r


def bytes_and_views(r: Record) -> Any:
    return (bytearray(r["s"].encode()), r["n"] + 1)


def result_of_any_class(r: Record) -> Any:
    return slice(r["n"], r["m"] * 2)


def makes_count_of_calls() -> Callable[[Record], Any]:
    seen: list[Any] = []

    def count_of_calls(r: Record) -> Any:
        seen.append(r["n"])
        return len(seen)

    return count_of_calls


def makes_effect_of_a_helper() -> Callable[[Record], Any]:
    seen: list[Any] = []

    def noted(value: Any) -> Any:
        seen.append(value)
        return value

    def effect_of_a_helper(r: Record) -> Any:
        return noted(r["n"]) + noted(r["m"]) if r["b"] else r["n"] // r["m"]

    return effect_of_a_helper


def makes_effect_before_it_raises() -> Callable[[Record], Any]:
    counts = {"rows": 0, "failed": 0}

    def effect_before_it_raises(r: Record) -> Any:
        counts["rows"] += 1
        try:
            return r["n"] // r["m"]
        except ZeroDivisionError:
            counts["failed"] += 1
            raise

    return effect_before_it_raises


def makes_running_total() -> Callable[[Record], Any]:
    total = 0

    def running_total(r: Record) -> Any:
        nonlocal total
        total += r["m"]
        return total

    return running_total


def makes_memo() -> Callable[[Record], Any]:
    memo: dict[Any, list[Any]] = {}

    def memo_of_lists(r: Record) -> Any:
        if r["m"] not in memo:
            memo[r["m"]] = [r["m"]]
        return memo[r["m"]]

    return memo_of_lists


def makes_last_value() -> Callable[[Record], Any]:
    last: dict[str, Any] = {"n": None}

    def difference_to_the_last(r: Record) -> Any:
        before, last["n"] = last["n"], r["n"]
        return None if before is None else r["n"] - before

    return difference_to_the_last


def makes_shared_result() -> Callable[[Record], Any]:
    shared: list[Any] = ["shared"]

    def shared_result(r: Record) -> Any:
        return shared if r["b"] else [r["n"]]

    return shared_result


def makes_default_that_grows() -> Callable[[Record], Any]:
    def default_that_grows(r: Record, seen: list[Any] = []) -> Any:  # noqa: B006  what is tested
        seen.append(r["m"])
        return len(seen)

    return default_that_grows


def default_that_is_read(r: Record, names: dict[str, str] = {"NO": "Norway"}) -> Any:  # noqa: B006
    return names.get(r["k"], r["k"])


def makes_default_that_is_copied() -> Callable[[Record], Any]:
    def default_of_a_helper(value: Any, seen: list[Any]) -> int:
        seen.append(value)
        return len(seen)

    def default_that_is_copied(r: Record, seen: tuple[Any, ...] = ()) -> Any:
        return default_of_a_helper(r["n"], [*seen, r["m"]])

    return default_that_is_copied


FIELDS = {"equal_values_of_other_kinds": ("n", "m", "b")}
