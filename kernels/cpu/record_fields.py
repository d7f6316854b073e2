"""What the kernels that read fields of dicts have in common: their tables, and simple values."""

# pyright: reportMissingParameterType=false

import datetime as dt
from typing import Final

import numba
import numpy as np

from batchprep.kernels.cpu import objects
from batchprep.kernels.cpu.capi import inlined, load_int64, store

HEADER_BYTES: Final = 16  # of an object: a count of references and the address of its type
BLOCK: Final = 128  # records: their dicts stay in the cache from field to field

# What the kernels tell apart. The caller gives a table of addresses and codes: of each type and its
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
FLOAT, INT, STR, NONE, BOOL, DATETIME, DATE, TIMEDELTA, LIST, TUPLE, DICT = range(11)
ABSENT: Final = 11  # only a code
OTHER: Final = 12  # the same
TRUE: Final = 13  # only addresses
TZINFO: Final = 14  # the str "tzinfo"
FOLD: Final = 15  # the str "fold"
EPOCH: Final = 16  # a naive datetime
LAYOUT: Final = 17  # no address: what holds of kernels/cpu/objects.py
PLACES_KNOWN: Final = 18

# The columns of the table that says where a field goes: addresses, 0 for what is not wanted.
# Strings are objects first, where plain_records reads them, and places later.
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
HUGE_SEEN: Final = 1 << OTHER + 1
LAST: Final = 15  # what objects.known_value knows, 0 at first
STRINGS: Final = 17  # int64: addresses of strings
TEXTS: Final = 18  # int64: short strings met lately, as kernels/cpu/known_texts.py has them
WIDTH: Final = 19


@inlined
def cell(table, column):
    """An int64 of a row at an address."""
    return load_int64(table + 8 * column)


@inlined
def address(known, place):
    """The address of what is known."""
    return load_int64(known + 16 * place)


@inlined
def code_of(known, place):
    """The kind code of a place."""
    return load_int64(known + 16 * place + 8)


@inlined
def type_of(value):
    """Py_TYPE."""
    return load_int64(value + (HEADER_BYTES - 8))


@inlined
def mark_seen(field, bits):
    """Add places that were seen among the field's values."""
    store(field + 8 * SEEN, cell(field, SEEN) | bits)


@numba.njit(nogil=True)
def rare_place(value, known):
    """The place of a type that is looked for after floats, ints and strings; OTHER."""
    type_ = type_of(value)
    for place in range(NONE, DICT + 1):
        if type_ == address(known, place):
            return place
    return OTHER


@inlined
def read_bool(value, row, field, known):
    """Keep a bool where it is wanted: its place."""
    bools = cell(field, BOOLS)
    if bools != 0:
        store(bools + row, np.int8(value == address(known, TRUE)))
    return BOOL


@inlined
def read_moment(moment, row, field):
    """Keep a plain datetime where it is wanted: its place, or that of others."""
    if not objects.is_plain(moment):
        return OTHER
    moments = cell(field, MOMENTS)
    if moments != 0:
        store(moments + 8 * row, objects.microseconds_of(moment))
    return DATETIME


@inlined
def read_day(date, row, field):
    """Keep a date where it is wanted: its place."""
    days = cell(field, DAYS)
    if days != 0:
        store(days + 8 * row, objects.day_of(date))
    return DATE
