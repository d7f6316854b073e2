"""Count, mean and squared deviations of a column: a state that streams and merges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

EPSILON: Final = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Moments:
    """`count` numbers of a `mean`, with `squares` the sum of squared distances from it."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def merge(self, other: Moments) -> Moments:
        """Moments of both: the pairwise update of Chan, Golub and LeVeque (1979)."""
        if self.count == 0 or other.count == 0:
            return other if self.count == 0 else self
        count = self.count + other.count
        distance = other.mean - self.mean
        mean = self.mean + distance * (other.count / count)
        between = distance * distance * (self.count * other.count / count)
        return Moments(count, mean, self.squares + other.squares + between)

    @property
    def variance(self) -> float:
        """Of the numbers themselves (divided by their count); nan of none."""
        return self.squares / self.count if self.count else math.nan

    @property
    def center(self) -> float:
        """The mean; nan of none."""
        return self.mean if self.count else math.nan

    @property
    def scale(self) -> float:
        """The standard deviation; 1.0 where rounding alone may be what it measures."""
        variance = self.variance
        rounding = (self.count * self.center * EPSILON) ** 2
        if variance <= self.count * EPSILON * variance + rounding:
            return 1.0
        return math.sqrt(variance)


def moments_of(values: np.ndarray[Any, np.dtype[np.float64]]) -> Moments:
    """Moments of numbers, without the NaN among them.

    The mean is corrected by what rounding left in the distances from it, and so are their squares.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return Moments()
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(np.mean(known))
        distances = known - mean
        rest = float(np.mean(distances))
        squares = float(np.sum(distances * distances)) - len(known) * rest * rest
    return Moments(len(known), mean + rest, max(squares, 0.0) if squares == squares else squares)  # noqa: PLR0124
