"""Bytes at addresses, and the characters that they are in UTF-8: for the kernels of texts."""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from batchprep.kernels.cpu.capi import ADDRESS, inlined

WORD: Final = 8  # bytes that are compared or copied at once
HIGH_BITS: Final = 0x8080808080808080  # set in the bytes of a word that are not ASCII
PRIME: Final = 0x100000001B3
_FNV: Final = 0xCBF29CE484222325


@intrinsic
def _byte(_context, _address):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(pointer), ir.IntType(64))

    return types.int64(ADDRESS), generate


@intrinsic
def _put(_context, _address, _value):
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any):
        address, value = arguments
        pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
        builder.store(builder.trunc(value, ir.IntType(8)), pointer)
        return context.get_dummy_value()

    return types.void(ADDRESS, types.int64), generate


@intrinsic
def _word(_context, _address):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(pointer, align=1)

    return types.uint64(ADDRESS), generate


@intrinsic
def _put_word(_context, _address, _value):
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any):
        address, value = arguments
        pointer = builder.inttoptr(address, ir.IntType(64).as_pointer())
        builder.store(value, pointer, align=1)
        return context.get_dummy_value()

    return types.void(ADDRESS, types.uint64), generate


byte: Any = _byte
put: Any = _put
word: Any = _word
put_word: Any = _put_word


# ------------------------------------------------------------------------------------- characters


@inlined
def _follows(at, end):
    """Whether a byte continues a character."""
    return at < end and (byte(at) & 0xC0) == 0x80


@inlined
def width_at(at, end):
    """Bytes of the character at an address; 0 where none begins or it ends too late."""
    lead = byte(at)
    if lead < 0x80:
        return 1
    if lead < 0xC2 or not _follows(at + 1, end):
        return 0
    if lead < 0xE0:
        return 2
    if not _follows(at + 2, end) or (lead == 0xED and byte(at + 1) >= 0xA0):  # half of a pair
        return 0
    if lead < 0xF0:
        return 3
    return 4 if lead < 0xF5 and _follows(at + 3, end) else 0


@inlined
def code_at(at, width):
    """The code point of a character of so many bytes; of none, the byte there."""
    lead = byte(at)
    if width < 2:
        return lead
    if width == 2:
        return (lead & 0x1F) << 6 | (byte(at + 1) & 0x3F)
    if width == 3:
        return (lead & 0x0F) << 12 | (byte(at + 1) & 0x3F) << 6 | (byte(at + 2) & 0x3F)
    low = (byte(at + 2) & 0x3F) << 6 | (byte(at + 3) & 0x3F)
    return (lead & 0x07) << 18 | (byte(at + 1) & 0x3F) << 12 | low


@inlined
def least_of(width):
    """The first code point that takes so many bytes."""
    return 0 if width == 1 else 0x80 if width == 2 else 0x800 if width == 3 else 0x10000


@inlined
def most_of(width):
    """The last code point that takes so many bytes."""
    return 0x7F if width == 1 else 0x7FF if width == 2 else 0xFFFF if width == 3 else 0x10FFFF


@inlined
def put_code(at, width, code):
    """Write a character of as many bytes as the one that stands there."""
    if width == 1:
        put(at, code)
        return
    for place in range(width - 1, 0, -1):
        put(at + place, 0x80 | (code & 0x3F))
        code >>= 6
    put(at, (0xF00 >> width & 0xFF) | code)


@inlined
def last_before(start, end):
    """The address of the last character before `end`."""
    at = end - 1
    while at > start and end - at < 4 and (byte(at) & 0xC0) == 0x80:
        at -= 1
    return at


@inlined
def mask_of(count):
    """The bits of so many bytes of a word."""
    whole = ~np.uint64(0)
    some = (np.uint64(1) << np.uint64((8 * count) & 63)) - np.uint64(1)
    return whole if count >= WORD else some if count > 0 else np.uint64(0)


@inlined
def is_ascii(start, end, limit):
    """Whether all bytes are ASCII; up to `limit` there is memory to read."""
    high, at = np.uint64(0), start
    if start + 2 * WORD <= limit:
        # Most texts are short, of a length that no branch can be foretold from: two words always.
        count = end - start
        high |= word(start) & mask_of(count)
        high |= word(start + WORD) & mask_of(count - WORD)
        at += 2 * WORD
    while at + WORD <= end:
        high |= word(at)
        at += WORD
    while at < end:
        high |= np.uint64(byte(at))
        at += 1
    return high & np.uint64(HIGH_BITS) == 0


# ------------------------------------------------------------------------------------------ bytes


@inlined
def copy(start, end, limit, at, room):
    """Copy bytes to `at`, beyond them where there is memory up to the limits; the new end."""
    count = end - start
    words = max(2 * WORD, (count + WORD - 1) & ~(WORD - 1))
    if start + words <= limit and at + words <= room:
        # As in is_ascii, two words always.
        put_word(at, word(start))
        put_word(at + WORD, word(start + WORD))
        for place in range(2 * WORD, count, WORD):
            put_word(at + place, word(start + place))
    else:
        for place in range(count):
            put(at + place, byte(start + place))
    return at + count


@inlined
def is_same(at, other, count):
    """Whether so many bytes are the same."""
    place = 0
    while place < count and byte(at + place) == byte(other + place):
        place += 1
    return place == count


@inlined
def search(start, end, pattern, count):
    """The address of the first place of a pattern, which is not empty; -1 where there is none."""
    first = byte(pattern)
    for at in range(start, end - count + 1):
        if byte(at) == first and is_same(at, pattern, count):
            return at
    return -1


@inlined
def hashed(start, end):
    """FNV-1a of the bytes."""
    found = np.uint64(_FNV)
    for at in range(start, end):
        found = (found ^ np.uint64(byte(at))) * np.uint64(PRIME)
    return found ^ (found >> np.uint64(32))


@inlined
def forward(at, end, count):
    """The address so many characters further on, at most the end."""
    while count > 0 and at < end:
        at += 1
        while at < end and (byte(at) & 0xC0) == 0x80:
            at += 1
        count -= 1
    return at


@inlined
def backward(at, start, count):
    """The address so many characters before, at least the start."""
    while count > 0 and at > start:
        at -= 1
        while at > start and (byte(at) & 0xC0) == 0x80:
            at -= 1
        count -= 1
    return at


@inlined
def characters(start, end):
    """How many characters begin there."""
    count = 0
    for at in range(start, end):
        count += (byte(at) & 0xC0) != 0x80
    return count
