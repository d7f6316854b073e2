"""Short strings that were met lately, by what is in them.

Records that were parsed have a string of their own for each value, however few values there are.
One of 16 bytes or less of ASCII is told by its first 8 and its last 8 bytes and its length.
"""

# pyright: reportMissingParameterType=false

from typing import Final

import numpy as np

from batchprep.kernels.cpu import objects
from batchprep.kernels.cpu.capi import inlined, load_int64, store

MOST_BYTES: Final = 16
_WORD: Final = 8  # bytes
SLOTS: Final = 1024  # 2**10
# The columns of a slot, int64, all 0 at first.
_FIRST: Final = 0
_LAST: Final = 8
_LENGTH: Final = 16  # one more, so that no string is told by zeros
_PLACE: Final = 24
SLOT: Final = 4
_GOLDEN: Final = np.uint64(0x9E37_79B9_7F4A_7C15)  # 2**64 over the golden ratio: spreads bits
_OTHER: Final = np.uint64(0xC2B2_AE3D_27D4_EB4F)  # a prime
_SHIFT: Final = np.uint64(64 - 10)


@inlined
def is_told(string, layout):
    """Whether a string is one of those."""
    return (
        objects.is_ascii(string, layout)
        and load_int64(string + objects.STRING_LENGTH) <= MOST_BYTES
    )


@inlined
def words_of(string, layout):
    """The first 8 bytes, or zeros behind fewer; the last 8, or 0 if there are fewer; the length."""
    length, start = load_int64(string + objects.STRING_LENGTH), objects.text_of(string, layout)
    first = load_int64(start)  # the object has no less, with the 0 at the end
    if length < _WORD:
        return first & ((1 << _WORD * length) - 1), 0, length
    return first, load_int64(start + length - _WORD), length


@inlined
def slot_of(table, first, last, length):
    """Where such a string is, if it was met lately."""
    mixed = np.uint64(first) * _GOLDEN ^ np.uint64(last + length) * _OTHER
    return table + 8 * SLOT * np.int64((mixed * _GOLDEN) >> _SHIFT)


@inlined
def has(slot, first, last, length):
    """Whether the slot is of that string."""
    return (
        load_int64(slot + _FIRST) == first
        and load_int64(slot + _LAST) == last
        and load_int64(slot + _LENGTH) == length + 1
    )


@inlined
def place_in(slot):
    """The place that is kept in a slot."""
    return load_int64(slot + _PLACE)


@inlined
def keep(slot, first, last, length, place):
    """Let the slot be of a string and have its place."""
    store(slot + _FIRST, first)
    store(slot + _LAST, last)
    store(slot + _LENGTH, length + 1)
    store(slot + _PLACE, place)
