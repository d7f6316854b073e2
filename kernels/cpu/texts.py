"""Parts of texts, and texts made of texts, of many in one pass over their bytes in UTF-8.

A text is the bytes from a start to an end, int32 each; no two share bytes. Constants are arrays of
bytes. What a kernel does not know, a character beyond its table or bytes that are no UTF-8, it
marks as hard: Python itself answers such a text.

These have no twin for the GPU, and never will: only codes and numbers go there.
"""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba.core import types

from batchprep.kernels.cpu import capi
from batchprep.kernels.cpu.cached import compile_cached
from batchprep.kernels.cpu.capi import inlined
from batchprep.kernels.cpu.text_values import (
    find,
    hash_table,
    judge,
    length,
    matches,
    place_short,
    position,
    short_position,
)
from batchprep.kernels.cpu.utf8 import (
    HIGH_BITS,
    WORD,
    backward,
    byte,
    code_at,
    copy,
    forward,
    is_ascii,
    is_same,
    last_before,
    least_of,
    most_of,
    put,
    put_code,
    put_word,
    search,
    width_at,
    word,
)

LOADING: Final = capi.LOADING
_ONES: Final = 0x0101010101010101


# ------------------------------------------------------------------------------- parts of the texts


def trim(data, starts, ends, taken, wide, left, right, new_starts, new_ends):
    """Without the characters at either side that `taken` has; `wide` has those beyond ASCII."""
    base = data.ctypes.data
    for row in range(len(starts)):
        start, end = base + starts[row], base + ends[row]
        while left and start < end:
            width = width_at(start, end)
            code = code_at(start, width)
            if not (taken[code] if width == 1 else width > 0 and code < len(wide) and wide[code]):
                break
            start += width
        while right and start < end:
            at = last_before(start, end)
            width = width_at(at, end)
            code = code_at(at, width)
            if not (taken[code] if width == 1 else width > 0 and code < len(wide) and wide[code]):
                break
            end = at
        new_starts[row] = start - base
        new_ends[row] = end - base


def cut(data, starts, ends, start, has_stop, stop, new_starts, new_ends):
    """text[start:stop], in characters."""
    base = data.ctypes.data
    for row in range(len(starts)):
        first, last = base + starts[row], base + ends[row]
        one = forward(first, last, start) if start >= 0 else backward(last, first, -start)
        other = last
        if has_stop and stop < 0:
            other = backward(last, first, -stop)
        elif has_stop and (start < 0 or stop < start):
            other = forward(first, last, stop)
        elif has_stop:
            other = forward(one, last, stop - start)
        new_starts[row] = one - base
        new_ends[row] = max(one, other) - base


def without(data, starts, ends, pattern, at_end, new_starts, new_ends):
    """Without a pattern at the start or the end, where it is there."""
    base, sought, count = data.ctypes.data, pattern.ctypes.data, len(pattern)
    for row in range(len(starts)):
        start, end = base + starts[row], base + ends[row]
        at = end - count if at_end else start
        held = end - start >= count and is_same(at, sought, count)
        new_starts[row] = starts[row] + (count if held and not at_end else 0)
        new_ends[row] = ends[row] - (count if held and at_end else 0)


# --------------------------------------------------------------------------------- texts of its own


@inlined
def _recase_ascii(start, to, count, first):
    """The letters from `first` on in the other case, eight bytes at once."""
    above = np.uint64(_ONES) * np.uint64(0x7F - (first + 25))  # makes the high bit of what is more
    least = np.uint64(_ONES) * np.uint64(0x80 - first)
    whole = count // WORD
    for place in range(whole):
        found = word(start + WORD * place)
        low = found & ~np.uint64(HIGH_BITS)
        letters = ((low + least) ^ (low + above)) & ~found & np.uint64(HIGH_BITS)
        put_word(to + WORD * place, found ^ (letters >> np.uint64(2)))
    for place in range(WORD * whole, count):
        found = byte(start + place)
        put(to + place, found ^ 0x20 if first <= found < first + 26 else found)


@inlined
def _recase_wide(start, end, to, wide):
    """Characters beyond ASCII by table; whether the table has all of them, as wide as they were."""
    at = start
    while at < end:
        if byte(at) < 0x80:
            at += 1
            continue
        width = width_at(at, end)
        code = code_at(at, width)
        if width == 0 or code < least_of(width) or code >= len(wide):
            return False
        new = np.int64(wide[code])
        if new < least_of(width) or new > most_of(width):
            return False
        put_code(to + (at - start), width, new)
        at += width
    return True


def recase(data, starts, ends, first, wide, out, hard):
    """Each of the 26 letters from `first` on in the other case, at the same places.

    `wide` is the character that each becomes, -1 where that is not one of its own.
    """
    base, to, limit = data.ctypes.data, out.ctypes.data, data.ctypes.data + len(data)
    _recase_ascii(base, to, len(out), first)
    for row in range(len(starts)):
        start, end = base + starts[row], base + ends[row]
        if not is_ascii(start, end, limit):
            hard[row] |= not _recase_wide(start, end, to + starts[row], wide)


def surround(data, starts, ends, before, after, out, new_starts, new_ends):
    """before + text + after, one behind the other; how many bytes that are."""
    base, limit = data.ctypes.data, data.ctypes.data + len(data)
    to, room = out.ctypes.data, out.ctypes.data + len(out)
    head, tail = before.ctypes.data, after.ctypes.data
    at = to
    for row in range(len(starts)):
        new_starts[row] = at - to
        at = copy(head, head + len(before), head + len(before), at, room)
        at = copy(base + starts[row], base + ends[row], limit, at, room)
        at = copy(tail, tail + len(after), tail + len(after), at, room)
        new_ends[row] = at - to
    return at - to


def join(data, starts, ends, between, further, its_starts, its_ends, out, new_starts, new_ends):
    """text + between + another, one behind the other; how many bytes that are."""
    base, limit = data.ctypes.data, data.ctypes.data + len(data)
    other, its_limit = further.ctypes.data, further.ctypes.data + len(further)
    to, room = out.ctypes.data, out.ctypes.data + len(out)
    middle, its_end = between.ctypes.data, between.ctypes.data + len(between)
    at = to
    for row in range(len(starts)):
        new_starts[row] = at - to
        at = copy(base + starts[row], base + ends[row], limit, at, room)
        for place in range(middle, its_end):
            put(at, byte(place))
            at += 1
        at = copy(other + its_starts[row], other + its_ends[row], its_limit, at, room)
        new_ends[row] = at - to
    return at - to


def occurrences(data, starts, ends, pattern):
    """How often a pattern is there in all texts, apart from each other."""
    base, sought, count = data.ctypes.data, pattern.ctypes.data, len(pattern)
    found = 0
    for row in range(len(starts)):
        at, end = base + starts[row], base + ends[row]
        while True:
            at = search(at, end, sought, count)
            if at < 0:
                break
            found += 1
            at += count
    return found


def replace(data, starts, ends, pattern, new, out, new_starts, new_ends):
    """Each text with another in place of a pattern; how many bytes that are."""
    base, limit = data.ctypes.data, data.ctypes.data + len(data)
    sought, count = pattern.ctypes.data, len(pattern)
    put, end_of_put = new.ctypes.data, new.ctypes.data + len(new)
    to, room = out.ctypes.data, out.ctypes.data + len(out)
    at = to
    for row in range(len(starts)):
        new_starts[row] = at - to
        start, end = base + starts[row], base + ends[row]
        while True:
            found = search(start, end, sought, count)
            if found < 0:
                break
            at = copy(start, found, limit, at, room)
            at = copy(put, end_of_put, end_of_put, at, room)
            start = found + count
        at = copy(start, end, limit, at, room)
        new_ends[row] = at - to
    return at - to


# ------------------------------------------------------------------------------------------ loading

_BYTES: Final = types.Array(types.uint8, 1, "C", readonly=True)
_PLACES: Final = types.Array(types.int32, 1, "C", readonly=True)
_NEW_BYTES: Final = types.Array(types.uint8, 1, "C")
_NEW_PLACES: Final = types.Array(types.int32, 1, "C")
_WORDS: Final = types.Array(types.uint64, 1, "C", readonly=True)
_FLAGS: Final = types.Array(types.boolean, 1, "C")
_TRAITS: Final = types.Array(types.uint16, 1, "C", readonly=True)
_TEXTS: Final = (_BYTES, _PLACES, _PLACES)
_VIEWS: Final = (_NEW_PLACES, _NEW_PLACES)
_YES: Final = types.boolean
_INT: Final = types.int64

SIGNATURES: Final[dict[Callable[..., Any], Any]] = {
    trim: types.void(*_TEXTS, _BYTES, _BYTES, _YES, _YES, *_VIEWS),
    cut: types.void(*_TEXTS, _INT, _YES, _INT, *_VIEWS),
    without: types.void(*_TEXTS, _BYTES, _YES, *_VIEWS),
    recase: types.void(*_TEXTS, _INT, _PLACES, _NEW_BYTES, _NEW_BYTES),
    surround: _INT(*_TEXTS, _BYTES, _BYTES, _NEW_BYTES, *_VIEWS),
    join: _INT(*_TEXTS, _BYTES, *_TEXTS, _NEW_BYTES, *_VIEWS),
    occurrences: _INT(*_TEXTS, _BYTES),
    replace: _INT(*_TEXTS, _BYTES, _BYTES, _NEW_BYTES, *_VIEWS),
    matches: types.void(*_TEXTS, _BYTES, _YES, _FLAGS),
    find: types.void(*_TEXTS, _BYTES, _NEW_PLACES),
    length: types.void(*_TEXTS, _NEW_PLACES),
    position: types.void(
        *_TEXTS, _BYTES, _PLACES, _PLACES, _INT, _INT, _PLACES, _INT, _NEW_PLACES
    ),
    short_position: types.void(
        *_TEXTS, _WORDS, _WORDS, _PLACES, _PLACES, types.uint64, _INT, _NEW_PLACES
    ),
    place_short: types.void(_WORDS, _WORDS, _PLACES, _NEW_PLACES, types.uint64, _INT),
    hash_table: types.void(_BYTES, _PLACES, _NEW_PLACES),
    judge: types.void(*_TEXTS, _TRAITS, _INT, _INT, _INT, _YES, _FLAGS, _NEW_BYTES),
}  # fmt: skip
NAMES: Final = tuple(kernel.__name__ for kernel in SIGNATURES)
_kernels: Final = {kernel.__name__: kernel for kernel in SIGNATURES}


def load(name: str) -> Callable[..., Any]:
    """The kernel of that name as machine code, from numba's cache where it is there."""
    kernel = _kernels[name]
    with LOADING:
        try:
            return _compiled(kernel, is_cached=True)
        except RuntimeError:  # no folder for the cache can be written
            return _compiled(kernel, is_cached=False)


def _compiled(kernel: Callable[..., Any], *, is_cached: bool) -> Callable[..., Any]:
    function: Any = numba.njit(nogil=True, error_model="numpy", cache=is_cached)(kernel)
    signature = SIGNATURES[kernel]
    if is_cached:
        compile_cached(function, lambda: function.compile(signature))
    else:
        function.compile(signature)
    function.disable_compile()
    return function
