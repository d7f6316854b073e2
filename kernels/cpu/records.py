"""Fields of Python dicts into buffers, read through CPython's C API in one pass.

It has no twin for the GPU, and unlike the other kernels it needs the GIL: numba calls the API's
functions as external symbols, and nothing here lets go of the lock. Every reference is borrowed
but that of a slice of the list, which holds the records of a block while they are read: a key
of the caller's own class may run any code when it is compared.
"""

# pyright: reportMissingParameterType=false

import datetime as dt
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba.core import types

from batchprep.kernels.cpu import capi, objects
from batchprep.kernels.cpu.capi import ADDRESS
from batchprep.kernels.cpu.capi import inlined as _inlined
from batchprep.kernels.cpu.capi import load_float64 as _load_float64
from batchprep.kernels.cpu.capi import load_int64 as _load
from batchprep.kernels.cpu.capi import store as _store

LOADING: Final = capi.LOADING
HEADER_BYTES: Final = 16  # of an object: a count of references and the address of its type

# What the kernel tells apart. The caller gives a table of addresses and codes: of each type and its
# kind, and of what follows.
TYPES: Final[tuple[type, ...]] = (
    float,
    int,
    str,
    type(None),
    bool,
    dt.datetime,
    dt.date,
    dt.timedelta,
    list,
    tuple,
    dict,
)
_FLOAT, _INT, _STR, _NONE, _BOOL, _DATETIME, _DATE, _TIMEDELTA, _LIST, _TUPLE, _DICT = range(11)
ABSENT: Final = 11  # only a code
OTHER: Final = 12  # the same
TRUE: Final = 13  # only addresses
TZINFO: Final = 14  # the str "tzinfo"
FOLD: Final = 15  # the str "fold"
EPOCH: Final = 16  # a naive datetime
LAYOUT: Final = 17  # no address: what holds of the layout of objects, as kernels/cpu/objects.py
PLACES_KNOWN: Final = 18

# The columns of the table that says where a field goes: addresses, 0 for what is not wanted.
NAME: Final = 0  # the str
CODES: Final = 1  # int8, one a row
FLOATS: Final = 2  # float64
INTS: Final = 3  # int64
HUGE: Final = 4  # bool: ints beyond int64
BOOLS: Final = 5  # bool
PLACES: Final = 6  # int32: places of the strings among the words
WORDS: Final = 7  # a list, to which each string is appended when it is first met, or met again
CACHE: Final = 8  # int64: address and place of strings met lately
SPANS: Final = 9  # a list, to which the time since EPOCH is appended for each plain datetime
DATES: Final = 10  # a list, to which each is appended
TIMEDELTAS: Final = 11  # the same
MOMENTS: Final = 12  # int64: microseconds since 1970 of plain datetimes, instead of SPANS
DAYS: Final = 13  # int64: days since 1970, instead of DATES
SEEN: Final = 14  # written: a bit for each place in TYPES, ABSENT and OTHER
LAST: Final = 15  # what objects.known_value knows, 0 at first
WIDTH: Final = 17

CACHE_SLOTS: Final = 4096  # 2**12
_GOLDEN: Final = np.uint64(0x9E37_79B9_7F4A_7C15)  # 2**64 over the golden ratio: spreads addresses
_SHIFT: Final = np.uint64(64 - 12)
HUGE_SEEN: Final = 1 << OTHER + 1

FAILED: Final = -1  # an exception is set
READ: Final = 0
NOT_DICTS: Final = 1
RAISED: Final = 2

BLOCK: Final = 128  # records: their dicts stay in the cache from field to field
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
    *objects.SYMBOLS, "PyErr_Occurred", "PyFloat_AsDouble", "PyList_Append", "PyList_GetItem",
    "PyList_GetSlice", "PyList_Size", "PyLong_AsLongLongAndOverflow", "PyNumber_Subtract",
    "PyObject_GetAttr",
)  # fmt: skip


@_inlined
def _cell(table, column):
    """An int64 of a row at an address."""
    return _load(table + 8 * column)


@_inlined
def _address(known, place):
    """The address of what is known."""
    return _load(known + 16 * place)


@_inlined
def _type_of(value):
    """Py_TYPE."""
    return _load(value + (HEADER_BYTES - 8))


@_inlined
def _read_float(value, row, field, layout):
    floats = _cell(field, FLOATS)
    if floats != 0:
        if layout & objects.FLOATS:
            _store(floats + 8 * row, _load_float64(value + objects.FLOAT_VALUE))
        else:
            _store(floats + 8 * row, _as_double(value))
    return _FLOAT


@_inlined
def _read_int(value, row, field, layout, overflow):
    ints = _cell(field, INTS)
    if ints != 0:
        if objects.is_short(value, layout):
            _store(ints + 8 * row, objects.short_int(value, layout))
        else:
            _read_long_int(value, row, field, overflow)
    return _INT


@numba.njit
def _read_long_int(value, row, field, overflow):
    number = _as_int64(value, overflow)
    if _load(overflow) == 0:
        _store(_cell(field, INTS) + 8 * row, number)
    else:
        _store(_cell(field, HUGE) + row, np.int8(1))
        _mark_seen(field, HUGE_SEEN)


@_inlined
def _mark_seen(field, bits):
    _store(field + 8 * SEEN, _cell(field, SEEN) | bits)


@_inlined
def _read_str(value, row, field):
    places = _cell(field, PLACES)
    if places != 0:
        place = _place(value, field)
        if place < 0:
            return FAILED
        _store(places + 4 * row, np.int32(place))
    return _STR


@numba.njit
def _place(value, field):
    """The place of a string among the words; FAILED where an exception is set.

    One that was met lately is known by its address: the list of words keeps it alive.
    """
    slot = np.int64((np.uint64(value) * _GOLDEN) >> _SHIFT)
    here = _cell(field, CACHE) + 16 * slot
    if _load(here) == value:
        return _load(here + 8)
    beside = _cell(field, CACHE) + 16 * (slot ^ 1)
    if _load(beside) == value:
        return _load(beside + 8)
    words = _cell(field, WORDS)
    place = _list_size(words)
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
    type_ = _type_of(value)
    found = OTHER
    for place in range(_NONE, _DICT + 1):
        if type_ == _address(known, place):
            found = place
            break
    if found == _BOOL:
        return _read_bool(value, row, field, known)
    if found == _DATETIME:
        if _address(known, LAYOUT) & objects.TIMES:
            return _read_moment(value, row, field)
        return _read_datetime(value, field, known, overflow)
    if found == _DATE:
        if _address(known, LAYOUT) & objects.TIMES:
            return _read_day(value, row, field)
        return _kept(value, _cell(field, DATES), found)
    if found == _TIMEDELTA:
        return _kept(value, _cell(field, TIMEDELTAS), found)
    return found


@_inlined
def _read_bool(value, row, field, known):
    bools = _cell(field, BOOLS)
    if bools != 0:
        _store(bools + row, np.int8(value == _address(known, TRUE)))
    return _BOOL


@numba.njit
def _kept(value, objects, found):
    """`found`, once the value is in the list of objects, where there is one."""
    return FAILED if objects != 0 and _append(objects, value) != 0 else found


@_inlined
def _read_moment(moment, row, field):
    if not objects.is_plain(moment):
        return OTHER
    moments = _cell(field, MOMENTS)
    if moments != 0:
        _store(moments + 8 * row, objects.microseconds_of(moment))
    return _DATETIME


@_inlined
def _read_day(date, row, field):
    days = _cell(field, DAYS)
    if days != 0:
        _store(days + 8 * row, objects.day_of(date))
    return _DATE


@numba.njit
def _read_datetime(moment, field, known, overflow):
    zone = _attribute(moment, _address(known, TZINFO))
    if zone == 0:
        return FAILED
    has_zone = _type_of(zone) != _address(known, _NONE)
    _release(zone)
    if has_zone:
        return OTHER
    fold = _attribute(moment, _address(known, FOLD))
    if fold == 0:
        return FAILED
    has_fold = _as_int64(fold, overflow) != 0
    _release(fold)
    if has_fold:
        return OTHER
    return _read_span(moment, _cell(field, SPANS), _address(known, EPOCH))


@numba.njit
def _read_span(moment, spans, epoch):
    """Keep the time since the epoch of a plain datetime, where it is wanted."""
    if spans == 0:
        return _DATETIME
    span = _subtract(moment, epoch)
    if span == 0:
        return FAILED
    outcome = _append(spans, span)
    _release(span)
    return _DATETIME if outcome == 0 else FAILED


@_inlined
def _read_value(value, row, field, known, layout, overflow):
    """Where a value is to be found in the table of what is known; FAILED after an exception."""
    if value == 0:
        return ABSENT if _raised() == 0 else FAILED
    type_ = _type_of(value)
    if type_ == _address(known, _FLOAT):
        return _read_float(value, row, field, layout)
    if type_ == _address(known, _INT):
        return _read_int(value, row, field, layout, overflow)
    if type_ == _address(known, _STR):
        return _read_str(value, row, field)
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
    name, codes, seen = _cell(field, NAME), _cell(field, CODES) + start, 0
    found, last, layout = held + 8 * BLOCK, field + 8 * LAST, _address(known, LAYOUT)
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
        _store(codes + row, np.int8(_load(known + 16 * place + 8)))
        seen |= 1 << place
    _mark_seen(field, seen)
    return READ


@numba.njit
def _read_block(block, start, held, table, count, known, overflow):
    """Every field of the records of a block, which holds them."""
    length = _list_size(block)
    for row in range(length):
        record = _list_get(block, row)
        if _type_of(record) != _address(known, _DICT):
            return NOT_DICTS
        _store(held + 8 * row, record)
    for number in range(count):
        field = table + 8 * WIDTH * number
        outcome = _read_field(held, start, length, field, known, overflow)
        if outcome != READ:
            return outcome
    return READ


@numba.njit
def _read_blocks(records, first, length, table, count, known, scratch):
    for start in range(0, length, BLOCK):
        stop = min(start + BLOCK, length)
        block = _list_slice(records, first + start, first + stop)
        if block == 0:
            return RAISED
        outcome = NOT_DICTS  # as good as: the list has shrunk meanwhile
        if _list_size(block) == stop - start:
            outcome = _read_block(block, start, scratch + 8, table, count, known, scratch)
        _release(block)
        if outcome != READ:
            return outcome
    return READ


def read_records(records, first, length, table, count, known, scratch):
    """Every field of a part of a list of dicts into its buffers: how it went.

    `table` has a row of WIDTH columns for each of `count` fields; `known` has pairs of an address
    and a code for all PLACES_KNOWN; `scratch` is SCRATCH int64, of which the first is 0. After
    RAISED an exception is set.
    """
    outcome = _read_blocks(records, first, length, table, count, known, scratch)
    for number in range(count):
        objects.forget(table + 8 * (WIDTH * number + LAST))
    return outcome


Read = Callable[[int, int, int, int, int, int, int], int]


def load() -> Read:
    """`read_records` as machine code, from numba's cache where it is there.

    What is raised in it is raised by the call.
    Errors:  LookupError where the interpreter does not show a function that is needed
    """
    return capi.machine_code(read_records, _SYMBOLS, 7)
