"""The table: match statements, generators and iterators, tools of the standard library."""

# What is tested is code as people write it.
# ruff: noqa: B905

from __future__ import annotations

import functools
import itertools
import operator
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from tests.nested.constants import Point

Record = dict[str, Any]


def match_on_a_value(r: Record) -> Any:
    match r["k"]:
        case "NO" | "PL":
            return "europe"
        case "" | None:
            return None
        case other:
            return other * 2


def match_on_a_mapping(r: Record) -> Any:
    match r["user"]:
        case {"name": str(name), "address": {"city": city}}:
            return f"{name} of {city}"
        case {"name": name, **rest}:
            return (name, len(rest))
        case _:
            return "nobody"


def match_on_a_sequence(r: Record) -> Any:
    match r["nums"]:
        case []:
            return "empty"
        case [one]:
            return one
        case [first, *_, last] if first < last:
            return ("rises", last - first)
        case [first, *rest]:
            return (first, rest)


def match_on_a_class(r: Record) -> Any:
    match r["opt"]:
        case bool():
            return "bool"
        case int(n) if n > 5:
            return n
        case int() | float():
            return "small"
        case None:
            return "none"
        case str() as text:
            return text


def match_on_an_object(r: Record) -> Any:
    match Point(r["n"], r["s"]):
        case Point(x=0, y=text):
            return text
        case Point(x, y):
            return (y, x)


def match_without_a_case(r: Record) -> Any:
    result = "unset"
    match r["m"]:
        case 1:
            result = "one"
        case 2 | 3:
            result = "few"
    return result


def evens(values: Any) -> Iterator[Any]:
    for value in values:
        if value % 2 == 0:
            yield value


def generator_helper(r: Record) -> Any:
    return list(evens(r["nums"]))


def generator_helper_summed(r: Record) -> Any:
    return sum(evens(r["nums"])) + r["n"]


def generator_as_the_result(r: Record) -> Any:
    return evens(r["nums"])


def generator_function(r: Record) -> Any:
    for tag in r["tags"]:
        yield {"tag": tag, "n": r["n"]}


def iterator_read_once(r: Record) -> Any:
    numbers = (n for n in r["nums"])
    first = next(numbers, None)
    return (first, list(numbers), list(numbers))


def iterator_shared_by_zip(r: Record) -> Any:
    numbers = iter(r["nums"])
    return list(zip(numbers, numbers))


def iterator_tested_with_in(r: Record) -> Any:
    numbers = iter(r["nums"])
    return (4 in numbers, list(numbers))


def map_as_the_result(r: Record) -> Any:
    return map(len, r["tags"])


def counted(r: Record) -> Any:
    return dict(Counter(r["tags"]).most_common(1))


def counter_as_the_result(r: Record) -> Any:
    return Counter(r["tags"])


def default_dict(r: Record) -> Any:
    groups = defaultdict(list)
    for tag in r["tags"]:
        groups[len(tag)].append(tag)
    return groups


def accumulated(r: Record) -> Any:
    return list(itertools.accumulate(r["nums"]))


def grouped(r: Record) -> Any:
    return [(key, len(list(part))) for key, part in itertools.groupby(r["nums"], lambda n: n > 3)]


def chained(r: Record) -> Any:
    return list(itertools.chain(r["nums"], *r["grid"]))


def reduced(r: Record) -> Any:
    return functools.reduce(lambda a, b: a * 10 + b, r["nums"], 0)


def item_getter(r: Record) -> Any:
    return sorted(r["items"], key=operator.itemgetter("price"))


@functools.cache
def cached(n: int) -> list[int]:
    return [n, n + 1]


def cached_helper(r: Record) -> Any:
    return cached(r["m"])
