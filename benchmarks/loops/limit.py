"""The two loops that only move memory."""

from __future__ import annotations

import numba


@numba.njit(nogil=True, error_model="numpy")
def triad(out, left, right):
    for i in range(len(out)):
        out[i] = left[i] + 3.0 * right[i]


@numba.njit(nogil=True, error_model="numpy")
def copy(out, left, right):  # noqa: ARG001  takes what the triad takes
    for i in range(len(out)):
        out[i] = left[i]
