"""Fields of Python dicts into buffers, read through CPython's C API in one pass.

It has no twin for the GPU, and unlike the other kernels it needs the GIL: numba calls the API's
functions as external symbols, and nothing here lets go of the lock. Every reference is borrowed
but that of a slice of the list, which holds the records of a block while they are read: a key
of the caller's own class may run any code when it is compared.
"""

# pyright: reportMissingParameterType=false

from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba.core import types

from batchprep.kernels.cpu import capi, known_texts, objects
from batchprep.kernels.cpu import plain_records as plain
from batchprep.kernels.cpu import record_fields as fields
from batchprep.kernels.cpu.capi import ADDRESS
from batchprep.kernels.cpu.capi import inlined as _inlined
from batchprep.kernels.cpu.capi import load_float64 as _load_float64
from batchprep.kernels.cpu.capi import load_int8 as _load_int8
from batchprep.kernels.cpu.capi import load_int64 as _load
from batchprep.kernels.cpu.capi import store as _store
from batchprep.kernels.cpu.record_fields import BLOCK
from batchprep.kernels.cpu.record_fields import address as _address
from batchprep.kernels.cpu.record_fields import cell as _cell
from batchprep.kernels.cpu.record_fields import mark_seen as _mark_seen
from batchprep.kernels.cpu.record_fields import type_of as _type_of

LOADING: Final = capi.LOADING
CACHE_SLOTS: Final = 4096  # 2**12
_GOLDEN: Final = np.uint64(0x9E37_79B9_7F4A_7C15)  # 2**64 over the golden ratio: spreads addresses
_SHIFT: Final = np.uint64(64 - 12)

FAILED: Final = -1  # an exception is set
READ: Final = 0
NOT_DICTS: Final = 1
RAISED: Final = 2

SCRATCH: Final = 1 + 2 * BLOCK  # int64: whether an int was too large; records and values of a block

_list_get: Any = types.ExternalFunction("PyList_GetItem", ADDRESS(ADDRESS, ADDRESS))
_list_slice: Any = types.ExternalFunction("PyList_GetSlice", ADDRESS(ADDRESS, ADDRESS, ADDRESS))
_list_size: Any = types.ExternalFunction("PyList_Size", ADDRESS(ADDRESS))
_append: Any = types.ExternalFunction("PyList_Append", types.int32(ADDRESS, ADDRESS))
_as_double: Any = types.ExternalFunction("PyFloat_AsDouble", types.float64(ADDRESS))
_as_int64: Any = types.ExternalFunction(
    "PyLong_AsLongLongAndOverflow", types.int64(ADDRESS, ADDRESS)
)
_subtract: Any = types.ExternalFunction("PyNumber_Subtract", ADDRESS(ADDRESS, ADDRESS))
_attribute: Any = types.ExternalFunction("PyObject_GetAttr", ADDRESS(ADDRESS, ADDRESS))
_raised: Any = types.ExternalFunction("PyErr_Occurred", ADDRESS())
_release: Any = types.ExternalFunction("Py_DecRef", types.void(ADDRESS))

_SYMBOLS: Final = (
    *objects.SYMBOLS, *plain.SYMBOLS, "PyErr_Occurred", "PyFloat_AsDouble", "PyList_Append",
    "PyList_GetItem", "PyList_GetSlice", "PyList_Size", "PyLong_AsLongLongAndOverflow",
    "PyNumber_Subtract", "PyObject_GetAttr",
)  # fmt: skip


@_inlined
def _read_float(value, row, field, layout):
    floats = _cell(field, fields.FLOATS)
    if floats != 0:
        if layout & objects.FLOATS:
            _store(floats + 8 * row, _load_float64(value + objects.FLOAT_VALUE))
        else:
            _store(floats + 8 * row, _as_double(value))
    return fields.FLOAT


@_inlined
def _read_int(value, row, field, layout, overflow):
    ints = _cell(field, fields.INTS)
    if ints != 0:
        if objects.is_short(value, layout):
            _store(ints + 8 * row, objects.short_int(value, layout))
        else:
            _read_long_int(value, row, field, overflow)
    return fields.INT


@numba.njit
def _read_long_int(value, row, field, overflow):
    number = _as_int64(value, overflow)
    if _load(overflow) == 0:
        _store(_cell(field, fields.INTS) + 8 * row, number)
    else:
        _store(_cell(field, fields.HUGE) + row, np.int8(1))
        _mark_seen(field, fields.HUGE_SEEN)


@_inlined
def _read_str(value, row, field, layout):
    places = _cell(field, fields.PLACES)
    if places != 0:
        place = _place(value, field, layout)
        if place < 0:
            return FAILED
        _store(places + 4 * row, np.int32(place))
    return fields.STR


@numba.njit
def _place(value, field, layout):
    """The place of a string among the words; FAILED where an exception is set.

    One that was met lately is known by its address, since the list of words keeps it alive; or, if
    it is short, by what is in it.
    """
    slot = np.int64((np.uint64(value) * _GOLDEN) >> _SHIFT)
    here = _cell(field, fields.CACHE) + 16 * slot
    if _load(here) == value:
        return _load(here + 8)
    beside = _cell(field, fields.CACHE) + 16 * (slot ^ 1)
    if _load(beside) == value:
        return _load(beside + 8)
    words = _cell(field, fields.WORDS)
    place = _list_size(words)
    if known_texts.is_told(value, layout):
        first, last, length = known_texts.words_of(value, layout)
        text = known_texts.slot_of(_cell(field, fields.TEXTS), first, last, length)
        if known_texts.has(text, first, last, length):
            return known_texts.place_in(text)
        known_texts.keep(text, first, last, length, place)
    if _append(words, value) != 0:
        return FAILED
    _store(beside, _load(here))
    _store(beside + 8, _load(here + 8))
    _store(here, np.int64(value))
    _store(here + 8, np.int64(place))
    return place


@numba.njit
def _read_rare(value, row, field, known, overflow):
    """A value of a type that is looked for after floats, ints and strings."""
    found = fields.rare_place(value, known)
    if found == fields.BOOL:
        return fields.read_bool(value, row, field, known)
    if found == fields.DATETIME:
        if _address(known, fields.LAYOUT) & objects.TIMES:
            return fields.read_moment(value, row, field)
        return _read_datetime(value, field, known, overflow)
    if found == fields.DATE:
        if _address(known, fields.LAYOUT) & objects.TIMES:
            return fields.read_day(value, row, field)
        return _kept(value, _cell(field, fields.DATES), found)
    if found == fields.TIMEDELTA:
        return _kept(value, _cell(field, fields.TIMEDELTAS), found)
    return found


@numba.njit
def _kept(value, objects, found):
    """`found`, once the value is in the list of objects, where there is one."""
    return FAILED if objects != 0 and _append(objects, value) != 0 else found


@numba.njit
def _read_datetime(moment, field, known, overflow):
    zone = _attribute(moment, _address(known, fields.TZINFO))
    if zone == 0:
        return FAILED
    has_zone = _type_of(zone) != _address(known, fields.NONE)
    _release(zone)
    if has_zone:
        return fields.OTHER
    fold = _attribute(moment, _address(known, fields.FOLD))
    if fold == 0:
        return FAILED
    has_fold = _as_int64(fold, overflow) != 0
    _release(fold)
    if has_fold:
        return fields.OTHER
    return _read_span(moment, _cell(field, fields.SPANS), _address(known, fields.EPOCH))


@numba.njit
def _read_span(moment, spans, epoch):
    """Keep the time since the epoch of a plain datetime, where it is wanted."""
    if spans == 0:
        return fields.DATETIME
    span = _subtract(moment, epoch)
    if span == 0:
        return FAILED
    outcome = _append(spans, span)
    _release(span)
    return fields.DATETIME if outcome == 0 else FAILED


@_inlined
def _read_value(value, row, field, known, layout, overflow):
    """Where a value is to be found in the table of what is known; FAILED after an exception."""
    if value == 0:
        return fields.ABSENT if _raised() == 0 else FAILED
    type_ = _type_of(value)
    if type_ == _address(known, fields.FLOAT):
        return _read_float(value, row, field, layout)
    if type_ == _address(known, fields.INT):
        return _read_int(value, row, field, layout, overflow)
    if type_ == _address(known, fields.STR):
        return _read_str(value, row, field, layout)
    return _read_rare(value, row, field, known, overflow)


@numba.njit
def _find_values(held, length, name, last, found):
    """The values of a field that are where the key was last, of the records of a block; else 0.

    A loop of its own: it waits for the memory of many records at once.
    """
    for row in range(length):
        _store(found + 8 * row, objects.known_value(_cell(held, row), name, last))


@numba.njit
def _read_field(held, start, length, field, known, overflow):
    """One field of the records whose addresses are held: how it went."""
    name, codes, seen = _cell(field, fields.NAME), _cell(field, fields.CODES) + start, 0
    found, last, layout = held + 8 * BLOCK, field + 8 * fields.LAST, _address(known, fields.LAYOUT)
    to_learn = objects.LEARNT_PER_BLOCK if layout & objects.DICTS else 0
    is_found = _cell(last, objects.KEY) != 0
    if is_found:
        _find_values(held, length, name, last, found)
    for row in range(length):
        record, value = _cell(held, row), 0
        if is_found:
            value = _cell(found, row)
        elif to_learn != 0:
            value = objects.known_value(record, name, last)
        if value == 0:
            # What was found before is not there any more where a key has run code of its own.
            if is_found:
                is_found = objects.has_entries(record)
            value = objects.asked_value(record, name, last, to_learn > 0)
            to_learn -= to_learn > 0
        place = _read_value(value, start + row, field, known, layout, overflow)
        if place < 0:
            return RAISED
        _store(codes + row, np.int8(fields.code_of(known, place)))
        seen |= 1 << place
    _mark_seen(field, seen)
    return READ


@numba.njit
def _read_block(block, start, held, table, count, known, overflow):
    """Every field of the records of a block, which holds them."""
    length = _list_size(block)
    for row in range(length):
        record = _list_get(block, row)
        if _type_of(record) != _address(known, fields.DICT):
            return NOT_DICTS
        _store(held + 8 * row, record)
    for number in range(count):
        field = table + 8 * fields.WIDTH * number
        outcome = _read_field(held, start, length, field, known, overflow)
        if outcome != READ:
            return outcome
    return READ


@numba.njit
def _read_blocks(records, first, length, table, count, known, scratch, left):
    """The blocks that are left, each held by a slice of its own; `left` is 0 where all are."""
    for start in range(0, length, BLOCK):
        if left != 0 and _load_int8(left + start // BLOCK) == 0:
            continue
        stop = min(start + BLOCK, length)
        block = _list_slice(records, first + start, first + stop)
        if block == 0:
            return RAISED
        outcome = NOT_DICTS  # as good as: the list has shrunk meanwhile
        if _list_size(block) == stop - start:
            outcome = _read_block(block, start, scratch + 8, table, count, known, scratch)
        if left != 0 and outcome == READ and _may_have_run(scratch + 8, stop - start):
            left = 0  # what was read of later records need not be there any more
        _release(block)
        if outcome != READ:
            return outcome
    return READ


@numba.njit
def _may_have_run(held, length):
    """Whether a key of any of these dicts may have run code when it was compared."""
    found = False
    for row in range(length):
        found |= objects.has_keys_of_any_type(_cell(held, row))
    return found


@numba.njit
def _place_strings(field, length, known, left):
    """The places of the strings whose addresses were read; FAILED where an exception is set."""
    codes, strings = _cell(field, fields.CODES), _cell(field, fields.STRINGS)
    code, layout = fields.code_of(known, fields.STR), _address(known, fields.LAYOUT)
    for row in range(length):
        is_read = _load_int8(codes + row) == code and _load_int8(left + row // BLOCK) == 0
        if is_read and _read_str(_cell(strings, row), row, field, layout) == FAILED:
            return FAILED
    return READ


@numba.njit
def _read_plain(records, first, length, table, count, known, work):
    """Read what can be read from memory alone: how it went."""
    if _list_size(records) < first + length:
        return NOT_DICTS
    plain.read_together(work, objects.items_of(records) + 8 * first)
    left = _cell(work, plain.LEFT)
    for number in range(count):
        field = table + 8 * fields.WIDTH * number
        has_strings = _cell(field, fields.STRINGS) != 0
        if has_strings and _place_strings(field, length, known, left) == FAILED:
            return RAISED
    return READ


def read_records(records, first, length, table, count, known, scratch, work):
    """Every field of a part of a list of dicts into its buffers: how it went.

    `table` has a row of fields.WIDTH columns for each of `count` fields; `known` has pairs of an
    address and a code for all PLACES_KNOWN; `scratch` is SCRATCH int64, of which the first is 0;
    `work` is the table of kernels/cpu/plain_records.py, 0 where the API is to read everything.
    After RAISED an exception is set.
    """
    outcome, left = READ, 0
    if work != 0:
        outcome = _read_plain(records, first, length, table, count, known, work)
        left = _cell(work, plain.LEFT)
    if outcome == READ:
        outcome = _read_blocks(records, first, length, table, count, known, scratch, left)
    for number in range(count):
        objects.forget(table + 8 * (fields.WIDTH * number + fields.LAST))
    return outcome


Read = Callable[[int, int, int, int, int, int, int, int], int]


def load() -> Read:
    """`read_records` as machine code, from numba's cache where it is there.

    What is raised in it is raised by the call.
    Errors:  LookupError where the interpreter does not show a function that is needed
    """
    return capi.machine_code(read_records, _SYMBOLS, 8)
