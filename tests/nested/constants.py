"""What the row functions of the table read from outside."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

LIMIT = 4
KEEP = ("sku", "qty")
ALLOWED = frozenset({"gift", "a", "x"})
RATES = {"NO": 0.25, "PL": 0.23, "": 0.0}
LABELS = {"NO": ["nordic", "cold"], "PL": ["central"], "JP": []}
TREE = {"a": {"b": {"c": 1}}, "x": {"b": {}}, "": None}
DEFAULT: list[Any] = []
STEPS = (1, 2, 5, 10)
RULES = ((100, "huge"), (10, "big"), (1, "some"))
FIELDS = [("n", int), ("s", str)]

Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Order:
    """An order: what a row function makes of a record."""

    sku: str
    qty: int = 1
    notes: tuple[str, ...] = ()

    @property
    def is_large(self) -> bool:
        return self.qty > LIMIT

    def total(self, price: float, *, discount: float = 0.0) -> float:
        return self.qty * price * (1 - discount)


@dataclass
class Basket:
    """A basket that grows."""

    items: list[Any] = field(default_factory=list)

    def add(self, item: Any) -> Basket:
        self.items.append(item)
        return self


class Meter:
    """A plain object with settings and no state of its own."""

    low = 0

    def __init__(self, high: int, names: dict[str, str]) -> None:
        self.high = high
        self.names = names

    def grade(self, value: Any) -> str:
        if value < self.low:
            return "below"
        return "above" if value > self.high else "within"

    def named(self, key: str) -> str:
        return self.names.get(key, self.fallback(key))

    @staticmethod
    def fallback(key: str) -> str:
        return f"<{key}>"

    @classmethod
    def lowest(cls) -> int:
        return cls.low

    def __call__(self, value: Any) -> Any:
        return min(value, self.high)


METER = Meter(10, {"NO": "Norway", "PL": "Poland"})


class RefusedError(ValueError):
    """An exception with arguments of its own."""

    def __init__(self, field: str, value: Any) -> None:
        super().__init__(field, value)
        self.field = field
        self.value = value
