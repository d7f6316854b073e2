"""The table: arguments, recursion, closures, methods and partial."""

# What is tested is code as people write it.
# ruff: noqa: B023, PERF401, RUF015

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tests.nested.constants import METER, RATES, Basket, Meter, Order, Point

Record = dict[str, Any]


def added(*values: Any) -> Any:
    total = 0
    for value in values:
        total += value
    return total


def described(name: str, **facts: Any) -> str:
    return name + "".join(f" {key}={value}" for key, value in facts.items())


def scaled(value: Any, *, by: float = 2.0) -> Any:
    return value * by


def positional(a: Any, /, b: Any = 1) -> Any:
    return (a, b)


def star_arguments(r: Record) -> Any:
    return added(r["n"], r["m"], 1)


def star_arguments_of_a_field(r: Record) -> Any:
    return added(*r["nums"])


def star_arguments_of_none(r: Record) -> Any:
    return added() + r["n"]


def keyword_arguments(r: Record) -> Any:
    return described(r["s"], n=r["n"], b=r["b"])


def keyword_arguments_of_a_field(r: Record) -> Any:
    return described(r["s"], **r["meta"])


def keyword_only(r: Record) -> Any:
    return scaled(r["n"], by=0.5) + scaled(r["m"])


def positional_only(r: Record) -> Any:
    return positional(r["n"], b=r["s"])


def wrong_arguments(r: Record) -> Any:
    return positional(a=r["n"])


def factorial(n: int) -> int:
    return 1 if n < 2 else n * factorial(n - 1)


def depth_of(value: Any) -> int:
    if not isinstance(value, list):
        return 0
    return 1 + max((depth_of(part) for part in value), default=0)


def flattened(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in flattened(part)]
    return [value]


def recursion_on_a_number(r: Record) -> Any:
    return factorial(r["m"])


def recursion_on_a_list(r: Record) -> Any:
    return depth_of(r["grid"])


def recursion_on_a_dict(r: Record) -> Any:
    return flattened(r["user"])


def is_even(n: int) -> bool:
    return n == 0 or is_odd(n - 1)


def is_odd(n: int) -> bool:
    return n != 0 and is_even(n - 1)


def recursion_of_two(r: Record) -> Any:
    return is_even(r["m"])


def countdown(n: Any) -> Any:
    return countdown(n - 1)


def recursion_without_an_end(r: Record) -> Any:
    if r["n"] == 7:
        try:
            return countdown(r["n"])
        except RecursionError:
            return "too deep"
    return r["n"] + 1


def lambda_in_a_local(r: Record) -> Any:
    double = lambda value: value * 2
    return double(r["n"]) + double(r["m"])


def lambdas_in_a_dict(r: Record) -> Any:
    kinds = {True: lambda n: n + 1, False: lambda n: -n}
    return kinds[r["b"]](r["n"])


def lambda_with_a_default(r: Record) -> Any:
    return [f(1) for f in [lambda a, i=i: a + i for i in range(3)]][0] + r["n"]


def lambdas_share_the_loop_variable(r: Record) -> Any:
    functions = []
    for n in r["nums"]:
        functions.append(lambda: n)
    return [f() for f in functions]


def nested_function(r: Record) -> Any:
    rate = RATES.get(r["k"], 0.1)

    def priced(value: Any) -> Any:
        return value * (1 + rate)

    return priced(r["x"]) - priced(1)


def nested_function_with_nonlocal(r: Record) -> Any:
    count = 0

    def note(value: Any) -> None:
        nonlocal count
        if value:
            count += 1

    for n in r["nums"]:
        note(n)
    return count


def record_passed_on(r: Record) -> Any:
    return _label(r) + _label({**r, "s": "other"})


def _label(record: Record) -> str:
    return f"{record['s']}/{record.get('n', 0)}"


def part_passed_on(r: Record) -> Any:
    return _city(r["user"])


def _city(user: Any) -> Any:
    return ((user or {}).get("address") or {}).get("city") or "?"


def record_written_by_a_helper(r: Record) -> Any:
    out = dict(r)
    _stamp(out)
    return out


def _stamp(record: Record) -> None:
    record["stamped"] = True


def partial_of_a_helper(r: Record) -> Any:
    return functools.partial(scaled, by=3)(r["n"])


PERCENT = functools.partial(round, ndigits=1)


def partial_of_a_builtin(r: Record) -> Any:
    return PERCENT(r["x"])


def method_of_a_frozen_dataclass(r: Record) -> Any:
    return Order(r["s"], r["m"]).total(r["x"], discount=0.1)


def property_of_a_frozen_dataclass(r: Record) -> Any:
    order = Order(sku=r["s"], qty=r["n"])
    return order.sku if order.is_large else None


def dataclass_that_grows(r: Record) -> Any:
    basket = Basket()
    for tag in r["tags"]:
        basket.add(tag)
    return basket.items


def dataclass_as_the_result(r: Record) -> Any:
    return Basket([r["n"]]).add(r["s"])


def named_tuple_as_the_result(r: Record) -> Any:
    point = Point(r["n"], y=r["x"])
    return point._replace(x=point.y)


def method_of_a_plain_object(r: Record) -> Any:
    return METER.grade(r["n"])


def method_that_calls_another(r: Record) -> Any:
    return METER.named(r["k"])


def static_and_class_methods(r: Record) -> Any:
    return Meter.fallback(r["k"]) + str(Meter.lowest())


def object_that_is_called(r: Record) -> Any:
    return METER(r["n"])


def bound_method_in_a_name(r: Record) -> Any:
    grade = METER.grade
    return [grade(n) for n in r["nums"]]


def makes_power_of_a_closure() -> Callable[[Record], Any]:
    power, names = 2, ("n", "m")

    def power_of_a_closure(r: Record) -> Any:
        return [r[name] ** power for name in names] + [r["m"]]

    return power_of_a_closure


def makes_composed() -> Callable[[Record], Any]:
    steps = (abs, lambda n: n % 10, str)

    def composed(r: Record) -> Any:
        value = r["n"]
        for step in steps:
            value = step(value)
        return value

    return composed


FIELDS = {"power_of_a_closure": ("n", "m"), "record_passed_on": ("n", "s")}
