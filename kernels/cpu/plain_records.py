"""Fields of dicts whose parts are where CPython keeps them: read from memory alone.

Nothing here calls into the interpreter, counts a reference or runs code of anybody. So several
threads may read at once, while the one that called them holds the GIL for all, and everything they
read stays as it is. They take chunks of the list in turn; a block with a value that only the API
can read is left over for kernels/cpu/records.py.
"""

# pyright: reportMissingParameterType=false

from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba.core import types

from batchprep.kernels.cpu import capi, objects
from batchprep.kernels.cpu import record_fields as fields
from batchprep.kernels.cpu.capi import (
    add_shared,
    exchange_shared,
    fetch_ahead,
    inlined,
    load_float64,
    load_int64,
    store,
)
from batchprep.kernels.cpu.record_fields import BLOCK, cell

# The layout that has to hold for it; and either kind of ints.
_NEEDED: Final = objects.DICTS | objects.FLOATS | objects.TIMES | objects.LISTS
_INTS: Final = objects.SIZED_INTS | objects.TAGGED_INTS

# The table of work: int64, of which the first columns are written while it goes on.
NEXT: Final = 0  # the first block that nobody has taken yet
LENGTH: Final = 1  # records
ITEMS: Final = 2  # address of the first of them in the list
FIELDS: Final = 3  # address of the table of fields
COUNT: Final = 4  # of fields
KNOWN: Final = 5  # as kernels/cpu/records.py has it
LEFT: Final = 6  # address of int8, one a block: 1 where it is left over
HELPERS: Final = 7  # threads beside the one that holds the GIL
OWN: Final = 8  # address of WORKER columns for each thread, the caller's first

# Of each thread: its state, and after it the kinds that it has seen of each field, and scratch.
STATE: Final = 0
AWAY: Final = 0
READY: Final = 1
AT_WORK: Final = 2
DONE: Final = 3  # or not needed any more
SEEN: Final = 1
SEEN_FIELDS: Final = 64  # a table of more fields is read otherwise
SCRATCH: Final = SEEN + SEEN_FIELDS
WORKER: Final = SCRATCH + 2 * BLOCK

TAKEN: Final = 32  # blocks at a time
# Entries that are looked through: of the first dict of a block, and of one that is not like it.
MOST_ENTRIES: Final = 1_000
FEW_ENTRIES: Final = 32
AHEAD: Final = 24  # records: about as many as are read until memory has come
MOST_LEFT: Final = 8  # blocks of a chunk, after which the rest of it is left as well

_UNKNOWN: Final = -1  # only the API knows
_MISSING: Final = -2
_PATIENCE: Final = 20_000  # looks of a helper at its state, each of which lets others run

_give_way: Any = types.ExternalFunction("sched_yield", types.int32())
SYMBOLS: Final = ("PyUnicode_Compare", "sched_yield")


@inlined
def _find_keys(items, length, more, known, found):
    """Write where the keys of the dicts of a block are; whether each has its values beside them.

    `more` records follow in the list.
    """
    for row in range(length):
        fetch_ahead(load_int64(items + 8 * min(row + AHEAD, length + more - 1)))
        record = load_int64(items + 8 * row)
        is_dict = fields.type_of(record) == fields.address(known, fields.DICT)
        if not (is_dict and objects.has_own_values(record)):
            return False
        keys = load_int64(record + objects.DICT_KEYS)
        fetch_ahead(keys)
        store(found + 8 * row, keys)
    return True


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
def _is_at(keys, place, known_key, name):
    """Whether the key is at a place; mostly it is the very object that is known."""
    if place >= load_int64(keys + objects.KEYS_COUNT) or not objects.has_string_keys(keys):
        return False
    key = load_int64(objects.entries_of(keys) + objects.ENTRY * place)
    return key != 0 and (key == known_key or objects.is_equal(key, name))


@inlined
def _find_values(keys_found, length, name, values):
    """Write a field's values of a block, 0 where it is missing; whether all could be told."""
    place, known_key = max(_place_of(cell(keys_found, 0), name, MOST_ENTRIES), 0), name
    for row in range(length):
        keys, here = cell(keys_found, row), place
        if not _is_at(keys, place, known_key, name):
            here = _place_of(keys, name, FEW_ENTRIES)
            if here == _UNKNOWN:
                return False
        value = 0
        if here != _MISSING:
            entry = objects.entries_of(keys) + objects.ENTRY * here
            known_key, value = load_int64(entry), load_int64(entry + objects.ENTRY_VALUE)
        fetch_ahead(value)
        store(values + 8 * row, value)
    return True


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


@numba.njit(nogil=True)
def _read_field(keys_found, values, start, length, field, known):
    """One field of a block into its buffers: the kinds seen; _UNKNOWN where the API has to."""
    if not _find_values(keys_found, length, cell(field, fields.NAME), values):
        return _UNKNOWN
    codes, layout, seen = cell(field, fields.CODES) + start, fields.address(known, fields.LAYOUT), 0
    for row in range(length):
        place = _read_value(cell(values, row), start + row, field, known, layout)
        if place == _UNKNOWN:
            return _UNKNOWN
        store(codes + row, np.int8(fields.code_of(known, place)))
        seen |= 1 << place
    return seen


@numba.njit(nogil=True)
def _read_block(work, own, start, length):
    """Every field of a block; whether it was read."""
    items, known = cell(work, ITEMS) + 8 * start, cell(work, KNOWN)
    keys_found, values = own + 8 * SCRATCH, own + 8 * (SCRATCH + BLOCK)
    more = cell(work, LENGTH) - start - length
    if not _find_keys(items, length, more, known, keys_found):
        return False
    for number in range(cell(work, COUNT)):
        field = cell(work, FIELDS) + 8 * fields.WIDTH * number
        seen = _read_field(keys_found, values, start, length, field, known)
        if seen == _UNKNOWN:
            return False
        kinds = own + 8 * (SEEN + number)
        store(kinds, load_int64(kinds) | seen)
    return True


@numba.njit(nogil=True)
def _read_chunk(work, own, first, stop):
    """The blocks of a chunk; the table says which are left."""
    left = 0
    for block in range(first, stop):
        start = block * BLOCK
        length = min(BLOCK, cell(work, LENGTH) - start)
        if left > MOST_LEFT or not _read_block(work, own, start, length):
            left += 1
            store(cell(work, LEFT) + block, np.int8(1))


@numba.njit(nogil=True)
def _read_chunks(work, own):
    blocks = -(-cell(work, LENGTH) // BLOCK)
    while True:
        first = add_shared(work + 8 * NEXT, TAKEN)
        if first >= blocks:
            return
        _read_chunk(work, own, first, min(first + TAKEN, blocks))


@inlined
def _own(work, worker):
    return cell(work, OWN) + 8 * WORKER * worker


@inlined
def _exchange_state(work, worker, expected, state):
    """Whether it was what was expected, and is the state now."""
    own = _own(work, worker)
    return exchange_shared(own + 8 * STATE, expected, state) == expected


@inlined
def _state(work, worker):
    return add_shared(_own(work, worker) + 8 * STATE, 0)


@numba.njit(nogil=True)
def read_together(work, items):
    """Read everything, with the helpers that are ready, and let go of all others."""
    helpers = cell(work, HELPERS)
    store(work + 8 * ITEMS, items)
    for helper in range(1, helpers + 1):
        if not _exchange_state(work, helper, READY, AT_WORK):
            _exchange_state(work, helper, AWAY, DONE)
    _read_chunks(work, _own(work, 0))
    for helper in range(1, helpers + 1):
        while _state(work, helper) == AT_WORK:
            _give_way()
    for worker in range(helpers + 1):
        for number in range(cell(work, COUNT)):
            seen = cell(_own(work, worker), SEEN + number)
            fields.mark_seen(cell(work, FIELDS) + 8 * fields.WIDTH * number, seen)


def help_reading(work, helper):
    """Take part in read_together, once it begins; it begins soon, or is over."""
    if not _exchange_state(work, helper, AWAY, READY):
        return 0
    for _ in range(_PATIENCE):
        if _state(work, helper) != READY:
            break
        _give_way()
    _exchange_state(work, helper, READY, DONE)
    if _state(work, helper) != AT_WORK:
        return 0
    _read_chunks(work, _own(work, helper))
    _exchange_state(work, helper, AT_WORK, DONE)
    return 1


def await_helpers(work, looks):
    """Look so many times whether all helpers are ready: how many are."""
    helpers, ready = cell(work, HELPERS), 0
    for _ in range(looks):
        ready = 0
        for helper in range(1, helpers + 1):
            ready += _state(work, helper) == READY
        if ready == helpers:
            break
    return ready


def is_enough(holds):
    """Whether so much of the layout holds that records can be read."""
    return holds & _NEEDED == _NEEDED and holds & _INTS != 0


Call = Callable[[int, int], int]


def load() -> tuple[Call, Call]:
    """`help_reading` and `await_helpers` as machine code that lets go of the GIL.

    Errors:  LookupError where the interpreter does not show a function that is needed
    """
    return (
        capi.machine_code(help_reading, SYMBOLS, 2, keeps_lock=False),
        capi.machine_code(await_helpers, SYMBOLS, 2, keeps_lock=False),
    )
