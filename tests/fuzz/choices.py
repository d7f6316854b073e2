"""Choices that Hypothesis makes, and can therefore shrink: the first option is the simplest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@cache
def _below(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound - 1)


class Choices:
    """Draws over a Hypothesis `draw`; ranges stay under 127, where Hypothesis draws evenly."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def below(self, bound: int) -> int:
        return self._draw(_below(bound)) if bound > 1 else 0

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the options, in proportion to the weights in front of them."""
        left = self.below(sum(weight for weight, _ in options))
        for weight, option in options:
            if left < weight:
                return option
            left -= weight
        raise AssertionError(options)

    def seed(self) -> int:
        return self._draw(st.integers(0, 2**32 - 1))
