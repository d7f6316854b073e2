"""A block of dicts into buffers, from memory alone: what the threads of plain_records.py do.

The time goes into waiting for memory. So a strip of records is read while what the strips behind it
need is on its way, and each loop does one simple thing for all records of the strip.
"""

# pyright: reportMissingParameterType=false

from typing import Final

import numba
import numpy as np

from batchprep.kernels.cpu import objects
from batchprep.kernels.cpu import record_fields as fields
from batchprep.kernels.cpu.capi import fetch_ahead, inlined, load_float64, load_int64, store
from batchprep.kernels.cpu.record_fields import BLOCK, cell

STRIP: Final = 16  # records
AHEAD: Final = 24  # records: about as many as are read until memory has come
CACHE_LINE_LOG2: Final = 6  # bytes
# Entries that are looked through: of the first dict of a block, and of one that is not like it.
MOST_ENTRIES: Final = 1_000
FEW_ENTRIES: Final = 32
MOST_FIELDS: Final = 64

# Scratch of int64. Of the first dict of the block: for each field the place of its entry, and its
# key; and what of any dict's keys is fetched ahead, as distances from their beginning.
_PLACES: Final = 0
_KEYS: Final = _PLACES + MOST_FIELDS
_FETCHED: Final = _KEYS + MOST_FIELDS
_FETCHED_COUNT: Final = _FETCHED + MOST_FIELDS + 1
# Of a strip: where the keys of each dict are, and a field's values.
_FOUND: Final = _FETCHED_COUNT + 1
_VALUES: Final = _FOUND + STRIP
SCRATCH: Final = _VALUES + STRIP

_UNKNOWN: Final = -1  # only the API knows
_MISSING: Final = -2
_MIXED: Final = 0
_ALIKE: Final = 1


@inlined
def _keys_of(record, known):
    """Where the keys of a dict are that has its values beside them; 0."""
    if fields.type_of(record) != fields.address(known, fields.DICT):
        return 0
    return load_int64(record + objects.DICT_KEYS) if objects.has_own_values(record) else 0


@numba.njit(nogil=True)
def _place_of(keys, name, most):
    """The place of a key among the entries, _MISSING; _UNKNOWN where there are more than `most`."""
    count, entries = load_int64(keys + objects.KEYS_COUNT), objects.entries_of(keys)
    if count > most or not objects.has_string_keys(keys):
        return _UNKNOWN
    for place in range(count):
        key = load_int64(entries + objects.ENTRY * place)
        if key != 0 and (key == name or objects.is_equal(key, name)):
            return place
    return _MISSING


@inlined
def _entry(keys, place):
    return objects.entries_of(keys) + objects.ENTRY * place


@numba.njit(nogil=True)
def _learn(keys, table, count, scratch):
    """Write where the fields are in the first dict of a block; whether it can be told."""
    fetched = 1
    store(scratch + 8 * _FETCHED, objects.KEYS_FORM)
    for number in range(count):
        name = cell(table + 8 * fields.WIDTH * number, fields.NAME)
        place, key = _place_of(keys, name, MOST_ENTRIES), name
        if place == _UNKNOWN:
            return False
        if place != _MISSING:
            value = _entry(keys, place) + objects.ENTRY_VALUE
            key, before = load_int64(_entry(keys, place)), cell(scratch, _FETCHED + fetched - 1)
            if value >> CACHE_LINE_LOG2 != (keys + before) >> CACHE_LINE_LOG2:
                store(scratch + 8 * (_FETCHED + fetched), value - keys)
                fetched += 1
        store(scratch + 8 * (_PLACES + number), place)
        store(scratch + 8 * (_KEYS + number), key)
    store(scratch + 8 * _FETCHED_COUNT, fetched)
    return True


@inlined
def _fetch(items, start, stop, last, known, scratch):
    """Fetch the keys of some records further on, and the records that are as far behind those."""
    fetched = cell(scratch, _FETCHED_COUNT)
    for row in range(start, stop):
        fetch_ahead(cell(items, min(row + 2 * AHEAD, last)))
        keys = _keys_of(cell(items, min(row + AHEAD, last)), known)
        if keys != 0:
            for number in range(fetched):
                fetch_ahead(keys + cell(scratch, _FETCHED + number))


@inlined
def _find_keys(items, length, known, found):
    """Write where the keys of a strip's dicts are.

    Gives _ALIKE where these are laid out alike, _MIXED; _UNKNOWN where one has no values there.
    """
    first, outcome = _keys_of(load_int64(items), known), _ALIKE
    for row in range(length):
        keys = _keys_of(cell(items, row), known)
        if keys == 0:
            return _UNKNOWN
        if not objects.are_alike(keys, first):
            outcome = _MIXED
        store(found + 8 * row, keys)
    return outcome


@inlined
def _find_alike(found, length, place, known_key, values):
    """Write the values of the entries at a place, up to one of another key: how many."""
    distance = _entry(cell(found, 0), place) - cell(found, 0)
    for row in range(length):
        entry = cell(found, row) + distance
        if load_int64(entry) != known_key:
            return row
        value = load_int64(entry + objects.ENTRY_VALUE)
        fetch_ahead(value)
        store(values + 8 * row, value)
    return length


@inlined
def _is_at(keys, place, known_key, name):
    """Whether the key is at a place; mostly it is the very object that is known."""
    if place >= load_int64(keys + objects.KEYS_COUNT) or not objects.has_string_keys(keys):
        return False
    key = load_int64(_entry(keys, place))
    return key != 0 and (key == known_key or objects.is_equal(key, name))


@numba.njit(nogil=True)
def _find_each(found, start, length, place, known_key, name, values):
    """Write a field's values, 0 where it is missing; whether all could be told."""
    for row in range(start, length):
        keys, here, value = cell(found, row), place, 0
        if not _is_at(keys, place, known_key, name):
            here = _place_of(keys, name, FEW_ENTRIES)
            if here == _UNKNOWN:
                return False
        if here != _MISSING:
            known_key = load_int64(_entry(keys, here))
            value = load_int64(_entry(keys, here) + objects.ENTRY_VALUE)
        fetch_ahead(value)
        store(values + 8 * row, value)
    return True


@inlined
def _find_values(scratch, length, number, name, likeness):
    """Write the values of a field of a strip; whether all could be told."""
    found, values = scratch + 8 * _FOUND, scratch + 8 * _VALUES
    place, known_key = cell(scratch, _PLACES + number), cell(scratch, _KEYS + number)
    is_there = 0 <= place < load_int64(cell(found, 0) + objects.KEYS_COUNT)
    done = 0
    if is_there and likeness == _ALIKE and objects.has_string_keys(cell(found, 0)):
        done = _find_alike(found, length, place, known_key, values)
    return done == length or _find_each(found, done, length, max(place, 0), known_key, name, values)


@inlined
def _read_int(value, row, field, layout):
    ints = cell(field, fields.INTS)
    if ints == 0:
        return True
    if objects.is_short(value, layout):
        store(ints + 8 * row, objects.short_int(value, layout))
        return True
    if objects.is_long_int64(value, layout):
        store(ints + 8 * row, objects.long_int64(value, layout))
        return True
    return False


@numba.njit(nogil=True)
def _read_rare(value, row, field, known):
    """The place of a value's type, as kernels/cpu/records.py has it; _UNKNOWN."""
    found = fields.rare_place(value, known)
    if found == fields.BOOL:
        return fields.read_bool(value, row, field, known)
    if found == fields.DATETIME:
        return fields.read_moment(value, row, field)
    if found == fields.DATE:
        return fields.read_day(value, row, field)
    if found == fields.TIMEDELTA and cell(field, fields.TIMEDELTAS) != 0:
        return _UNKNOWN
    return found


@inlined
def _read_value(value, row, field, known, layout):
    if value == 0:
        return fields.ABSENT
    type_ = fields.type_of(value)
    if type_ == fields.address(known, fields.FLOAT):
        floats = cell(field, fields.FLOATS)
        if floats != 0:
            store(floats + 8 * row, load_float64(value + objects.FLOAT_VALUE))
        return fields.FLOAT
    if type_ == fields.address(known, fields.INT):
        return fields.INT if _read_int(value, row, field, layout) else _UNKNOWN
    if type_ == fields.address(known, fields.STR):
        strings = cell(field, fields.STRINGS)
        if strings != 0:
            store(strings + 8 * row, value)
        return fields.STR
    return _read_rare(value, row, field, known)


@inlined
def _read_floats(values, length, floats, type_):
    """Keep values up to one of another type: how many."""
    for row in range(length):
        value = cell(values, row)
        if value == 0 or fields.type_of(value) != type_:
            return row
        store(floats + 8 * row, load_float64(value + objects.FLOAT_VALUE))
    return length


@inlined
def _read_short_ints(values, length, ints, type_, layout):
    """The same of ints of one digit."""
    for row in range(length):
        value = cell(values, row)
        if value == 0 or fields.type_of(value) != type_ or not objects.is_short(value, layout):
            return row
        store(ints + 8 * row, objects.short_int(value, layout))
    return length


@inlined
def _read_same(values, start, length, field, known):
    """Keep the first values of a strip, while all are floats or short ints: how many, and which."""
    first, floats, ints = cell(values, 0), cell(field, fields.FLOATS), cell(field, fields.INTS)
    if first == 0:
        return 0, 0
    type_, layout = fields.type_of(first), fields.address(known, fields.LAYOUT)
    if floats != 0 and type_ == fields.address(known, fields.FLOAT):
        return _read_floats(values, length, floats + 8 * start, type_), fields.FLOAT
    if ints != 0 and type_ == fields.address(known, fields.INT):
        return _read_short_ints(values, length, ints + 8 * start, type_, layout), fields.INT
    return 0, 0


@numba.njit(nogil=True)
def _read_values(values, start, length, field, known):
    """The values of a field of a strip into its buffers: the kinds seen; _UNKNOWN."""
    codes, layout = cell(field, fields.CODES) + start, fields.address(known, fields.LAYOUT)
    done, place = _read_same(values, start, length, field, known)
    seen, code = np.int64(done != 0) << place, np.int8(fields.code_of(known, place))
    for row in range(done):
        store(codes + row, code)
    for row in range(done, length):
        place = _read_value(cell(values, row), start + row, field, known, layout)
        if place == _UNKNOWN:
            return _UNKNOWN
        store(codes + row, np.int8(fields.code_of(known, place)))
        seen |= 1 << place
    return seen


@inlined
def _read_strip(items, start, length, last, table, count, known, scratch, seen):
    """Every field of a strip of records; whether it was read."""
    likeness = _find_keys(items + 8 * start, length, known, scratch + 8 * _FOUND)
    if likeness == _UNKNOWN:
        return False
    steps, fetched = 2 * count, start
    for number in range(count):
        field = table + 8 * fields.WIDTH * number
        # In between, a few at a time: no more than a core can wait for at once.
        stop = start + length * (2 * number + 1) // steps
        _fetch(items, fetched, stop, last, known, scratch)
        if not _find_values(scratch, length, number, cell(field, fields.NAME), likeness):
            return False
        fetched = start + length * (2 * number + 2) // steps
        _fetch(items, stop, fetched, last, known, scratch)
        found = _read_values(scratch + 8 * _VALUES, start, length, field, known)
        if found == _UNKNOWN:
            return False
        store(seen + 8 * number, cell(seen, number) | found)
    return True


@numba.njit(nogil=True)
def read_block(items, start, length, table, count, known, scratch, seen):
    """Every field of the block that starts there, of so many records; whether it was read.

    `items` is the address of those records', `table` and `known` as of kernels/cpu/records.py,
    `scratch` is SCRATCH int64; `seen` has the bits of the kinds of each field, which are added to.
    """
    stop, first = min(start + BLOCK, length), _keys_of(cell(items, start), known)
    if first == 0 or not _learn(first, table, count, scratch):
        return False
    for row in range(start, stop, STRIP):
        size = min(STRIP, stop - row)
        if not _read_strip(items, row, size, length - 1, table, count, known, scratch, seen):
            return False
    return True
