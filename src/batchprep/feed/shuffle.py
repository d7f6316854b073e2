"""Rows in random order, through a window of bounded size."""

from __future__ import annotations

import numpy as np

from batchprep.feed.block import Block
from batchprep.feed.rows import Rows, read_full


class Shuffled:
    """The rows of another in random order, each as likely at each place as the window allows.

    The window is filled and permuted; half of it leaves, new rows take its place, and all of it is
    permuted again. Rows that all fit into the window are shuffled perfectly. Of more, a row leaves
    at most a window early, and late by half a window more with probability 1/2 each time: data
    sorted by a column stays roughly sorted over distances of several windows.

    The order follows from the generator and the number of rows alone, not from the chunks that
    they come in.
    """

    def __init__(self, rows: Rows, window: Block, random: np.random.Generator) -> None:
        self._rows = rows
        self._window = window
        self._random = random
        self._order = np.empty(0, np.intp)  # places of the window's rows, in leaving order
        self._at = 0
        self._leaving = 0  # of the order, so many leave before the window is filled again
        self._ended = False

    def fill(self, block: Block) -> int:
        """Rows of one permutation at most."""
        if self._at == self._leaving and not self._refill():
            return 0
        count = min(len(block), self._leaving - self._at)
        block.rows(0, count).take(self._window, self._order[self._at : self._at + count])
        self._at += count
        return count

    def _refill(self) -> bool:
        """Whether any row is left to leave."""
        if self._ended:
            return False
        size, kept = len(self._window), self._close_gaps()
        held = kept + read_full(self._rows, self._window.rows(kept, size))
        self._ended = held < size
        self._order = self._random.permutation(held)
        self._at, self._leaving = 0, held if self._ended else (size + 1) // 2
        return held > 0

    def _close_gaps(self) -> int:
        """Move the rows that stay to the front of the window; their number."""
        kept = len(self._order) - self._leaving
        left = np.zeros(len(self._window), np.bool_)
        left[self._order[: self._leaving]] = True
        gaps = np.flatnonzero(left[:kept])
        # As many stay behind as there are gaps; in ascending order they are read twice as fast.
        self._window.move(kept + np.flatnonzero(~left[kept : len(self._order)]), to=gaps)
        return kept
