"""What texts tell, of many in one pass over their bytes: as kernels/cpu/texts.py has them."""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import numpy as np

from batchprep.kernels.cpu.capi import inlined
from batchprep.kernels.cpu.utf8 import (
    PRIME,
    WORD,
    byte,
    characters,
    code_at,
    hashed,
    is_ascii,
    is_same,
    least_of,
    mask_of,
    search,
    width_at,
    word,
)


def matches(data, starts, ends, pattern, at_end, found):
    """Whether a text starts or ends with a pattern."""
    base, sought, count = data.ctypes.data, pattern.ctypes.data, len(pattern)
    for row in range(len(starts)):
        start, end = base + starts[row], base + ends[row]
        at = end - count if at_end else start
        found[row] = end - start >= count and is_same(at, sought, count)


def find(data, starts, ends, pattern, found):
    """The place of a pattern in characters, -1 where it is not there."""
    base, sought, count = data.ctypes.data, pattern.ctypes.data, len(pattern)
    for row in range(len(starts)):
        start = base + starts[row]
        at = search(start, base + ends[row], sought, count)
        found[row] = -1 if at < 0 else characters(start, at)


def length(data, starts, ends, found):
    """How many characters a text has."""
    base, limit = data.ctypes.data, data.ctypes.data + len(data)
    for row in range(len(starts)):
        start, end = base + starts[row], base + ends[row]
        found[row] = end - start if is_ascii(start, end, limit) else characters(start, end)


def position(data, starts, ends, keys, bounds, slots, shortest, longest, numbers, missing, found):
    """The number of the key that a text equals, `missing` where it is none.

    `bounds` are the ends of the keys' bytes, from 0 on; `slots` the hash table of their places,
    -1 where one is free, its length a power of two.
    """
    base, key = data.ctypes.data, keys.ctypes.data
    mask = len(slots) - 1
    for row in range(len(starts)):
        start, end = base + starts[row], base + ends[row]
        count = end - start
        number = np.int64(-1)
        if shortest <= count <= longest:
            slot = np.int64(hashed(start, end) & np.uint64(mask))
            number = np.int64(slots[slot])
            while number >= 0:
                first = np.int64(bounds[number])
                if bounds[number + 1] - first == count and is_same(key + first, start, count):
                    break
                slot = (slot + 1) & mask
                number = np.int64(slots[slot])
        found[row] = numbers[number] if number >= 0 else missing


def short_position(data, starts, ends, lows, highs, sizes, numbers, factor, shift, found):
    """The same for keys of at most 16 bytes, as two words, none of which share a slot.

    By slot: the words and the length (-1: free) of a key; a text's slot is the upper bits of its
    hash times `factor`. `numbers` has what is found for no key, then that of each slot.
    """
    base, limit = data.ctypes.data, data.ctypes.data + len(data)
    for row in range(len(starts)):
        start = base + starts[row]
        count = np.int64(ends[row]) - starts[row]
        low, high = _two_words(start, count, limit)
        slot = (_mixed(low, high, count) * np.uint64(factor)) >> np.uint64(shift)
        held = (lows[slot] == low) & (highs[slot] == high) & (sizes[slot] == count)
        # A product, where LLVM would make a branch of a choice: nothing foretells it, and it takes
        # twice as long.
        found[row] = numbers[(slot + np.uint64(1)) * np.uint64(held)]


@inlined
def _mixed(low, high, count):
    return low ^ (high * np.uint64(PRIME)) ^ np.uint64(count)


@inlined
def _two_words(start, count, limit):
    """The first 16 bytes of a text as two words, 0 beyond its end."""
    if start + 2 * WORD <= limit:
        return word(start) & mask_of(count), word(start + WORD) & mask_of(count - WORD)
    low = high = np.uint64(0)
    for place in range(min(count, WORD)):
        low |= np.uint64(byte(start + place)) << np.uint64(8 * place)
    for place in range(WORD, min(count, 2 * WORD)):
        high |= np.uint64(byte(start + place)) << np.uint64(8 * (place - WORD))
    return low, high


def place_short(lows, highs, sizes, slots, factor, shift):
    """The slot of each key, as short_position finds it."""
    for key in range(len(lows)):
        mixed = _mixed(lows[key], highs[key], np.int64(sizes[key]))
        slots[key] = np.int32((mixed * np.uint64(factor)) >> np.uint64(shift))


def hash_table(keys, bounds, slots):
    """Fill the table of `position` for keys that are distinct."""
    key, mask = keys.ctypes.data, len(slots) - 1
    for number in range(len(bounds) - 1):
        found = hashed(key + bounds[number], key + bounds[number + 1])
        slot = np.int64(found & np.uint64(mask))
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = number


def judge(data, starts, ends, traits, every, some, never, empty, found, hard):
    """Whether each character has one of the traits `every`, one has `some`, and none has `never`.

    Bits of `traits` by character; a mask of 0 asks nothing. Of no characters, it is `empty`.
    """
    base = data.ctypes.data
    for row in range(len(starts)):
        at, end = base + starts[row], base + ends[row]
        is_so, seen = empty or at < end, some == 0
        while at < end:
            width = width_at(at, end)
            code = code_at(at, width)
            if width == 0 or code < least_of(width) or code >= len(traits):
                hard[row] = 1
                break
            own = np.int64(traits[code])
            is_so &= (every == 0 or own & every != 0) and own & never == 0
            seen |= own & some != 0
            at += width
        found[row] = is_so and seen
