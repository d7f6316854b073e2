"""Loops as people write them, and records for them."""

from __future__ import annotations

import random
from typing import Any

from tests.loops import cleaning, tallies

AS_THEY_STAND = [
    tallies.nested_counts,
    tallies.windows,
    tallies.group_prev_record,
    tallies.nth_of_group,
]
COMPILED = [
    function
    for module in (cleaning, tallies)
    for function in vars(module).values()
    if getattr(function, "__module__", "") == module.__name__ and function not in AS_THEY_STAND
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
