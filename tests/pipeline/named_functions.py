"""Row functions that a pickle finds by their name."""

from __future__ import annotations


def positive(r):
    """Keeps records with a value above 0."""
    return r["a"] > 0


def halves(r):
    """Two records of each."""
    return [{"a": r["a"] / 2, "n": 0}, {"a": r["a"] / 2, "n": 1}]


def inverse(r):
    """Fails for 0."""
    return {**r, "inverse": 1 / (r["a"] - 1)}
