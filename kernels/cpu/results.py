"""Columns of a stage into a list of Python objects, made through CPython's C API in one pass.

It has no twin for the GPU, and it needs the GIL. Rows are made in blocks that stay in the cache:
each step writes new references into a column of slots, and a later one puts them into tuples,
lists or dicts. Column 0 is in the list of results itself: as PyList_SET_ITEM does, references are
stored where a list or tuple has its items. The garbage collector rests meanwhile, so no code but
this runs, and nobody sees a list or tuple that is not complete.
"""

# pyright: reportMissingParameterType=false

from collections.abc import Callable
from typing import Any, Final

import numba
from numba.core import types

from batchprep.kernels.cpu import capi
from batchprep.kernels.cpu import objects as layout
from batchprep.kernels.cpu.capi import (
    ADDRESS,
    inlined,
    load_float64,
    load_int8,
    load_int32,
    load_int64,
    store,
)

LOADING: Final = capi.LOADING

# What a step makes.
FLOAT: Final = 0  # of float64
INT: Final = 1  # of int64
BOOL: Final = 2  # of bool
PICKED: Final = 3  # the object of a list at an int32
NEXT: Final = 4  # the objects of a list in turn
ONE: Final = 5  # always the same object
TUPLE: Final = 6  # of the objects in `COUNT` columns of slots
LIST: Final = 7
DICT: Final = 8  # the same, by key

# The columns of the table of steps, int64 each.
OP: Final = 0
SLOTS: Final = 1  # number of the column of slots that it writes
CODES: Final = 2  # address of int8, one a row: the step makes only rows of CODE; 0: it makes all
CODE: Final = 3
SOURCE: Final = 4  # address of the numbers, or of the object
FROM: Final = 5  # PICKED: address of the list; the others of many: their first column of slots
COUNT: Final = 6  # of those columns
KEYS: Final = 7  # address of the list of a dict's keys; SOURCE is a dict that has them all
TAKEN: Final = 8  # written: how many objects of the list were used so far
ATOMS: Final = 9  # TUPLE, DICT: whether nothing in it is for the collector
WIDTH: Final = 10

# The table of objects that the caller gives.
NONE: Final = 0
FALSE: Final = 1
TRUE: Final = 2
LAYOUT: Final = 3  # no object: what holds of kernels/cpu/objects.py

FAILED: Final = -1  # an exception is set
WRITTEN: Final = 0

BLOCK: Final = 256  # rows
_COLUMN: Final = 8 * BLOCK  # bytes of a column of slots
SCRATCH_COLUMNS: Final = 2  # the rows of a block, and those of them that a step makes

# Where a list has the address of its items, and a tuple the items.
LIST_BYTES: Final = 40  # of a list of this layout
LIST_ITEMS: Final = 24
TUPLE_ITEMS: Final = tuple.__basicsize__

_new_float: Any = types.ExternalFunction("PyFloat_FromDouble", ADDRESS(types.float64))
_new_int: Any = types.ExternalFunction("PyLong_FromLongLong", ADDRESS(types.int64))
_new_tuple: Any = types.ExternalFunction("PyTuple_New", ADDRESS(ADDRESS))
_new_list: Any = types.ExternalFunction("PyList_New", ADDRESS(ADDRESS))
_copy_dict: Any = types.ExternalFunction("PyDict_Copy", ADDRESS(ADDRESS))
_set_in_dict: Any = types.ExternalFunction("PyDict_SetItem", types.int32(ADDRESS, ADDRESS, ADDRESS))
_keep: Any = types.ExternalFunction("Py_IncRef", types.void(ADDRESS))
_release: Any = types.ExternalFunction("Py_DecRef", types.void(ADDRESS))
_is_collected: Any = types.ExternalFunction("PyObject_IS_GC", types.int32(ADDRESS))
_untrack: Any = types.ExternalFunction("PyObject_GC_UnTrack", types.void(ADDRESS))
_stop_collector: Any = types.ExternalFunction("PyGC_Disable", types.int32())
_start_collector: Any = types.ExternalFunction("PyGC_Enable", types.int32())

_SYMBOLS: Final = (
    "PyDict_Copy",
    "PyDict_SetItem",
    "PyFloat_FromDouble",
    "PyGC_Disable",
    "PyGC_Enable",
    "PyList_New",
    "PyLong_FromLongLong",
    "PyObject_GC_UnTrack",
    "PyObject_IS_GC",
    "PyTuple_New",
    "Py_DecRef",
    "Py_IncRef",
)


@inlined
def _cell(table, column):
    """An int64 of a row at an address."""
    return load_int64(table + 8 * column)


@inlined
def _taken(slot, objects):
    """The reference in a slot, which is the caller's from now on; None's where there is none."""
    found = load_int64(slot)
    store(slot, 0)
    if found == 0:
        found = _cell(objects, NONE)
        _keep(found)
    return found


@inlined
def _items(listed):
    """The address of a list's items."""
    return load_int64(listed + LIST_ITEMS)


@numba.njit
def _choose(step, places, chosen, length):
    """Write which rows of the block the step makes; how many they are."""
    codes, code, count = _cell(step, CODES), _cell(step, CODE), 0
    if codes == 0:
        for row in range(length):
            store(chosen + 8 * row, row)
        return length
    for row in range(length):  # without a branch, which would often be mispredicted
        store(chosen + 8 * count, row)
        count += load_int8(codes + _cell(places, row)) == code
    return count


@numba.njit
def _make_floats(source, slots, places, chosen, count):
    for number in range(count):
        row = _cell(chosen, number)
        made = _new_float(load_float64(source + 8 * _cell(places, row)))
        if made == 0:
            return FAILED
        store(slots + 8 * row, made)
    return WRITTEN


@numba.njit
def _make_ints(source, slots, places, chosen, count):
    for number in range(count):
        row = _cell(chosen, number)
        made = _new_int(load_int64(source + 8 * _cell(places, row)))
        if made == 0:
            return FAILED
        store(slots + 8 * row, made)
    return WRITTEN


@numba.njit
def _keep_bools(source, slots, places, chosen, count, objects):
    for number in range(count):
        row = _cell(chosen, number)
        kept = _cell(objects, FALSE + (load_int8(source + _cell(places, row)) != 0))
        _keep(kept)
        store(slots + 8 * row, kept)
    return WRITTEN


@numba.njit
def _keep_picked(source, items, slots, places, chosen, count):
    for number in range(count):
        row = _cell(chosen, number)
        kept = _cell(items, load_int32(source + 4 * _cell(places, row)))
        _keep(kept)
        store(slots + 8 * row, kept)
    return WRITTEN


@numba.njit
def _keep_next(step, slots, chosen, count):
    items, taken = _items(_cell(step, SOURCE)), _cell(step, TAKEN)
    for number in range(count):
        kept = _cell(items, taken + number)
        _keep(kept)
        store(slots + 8 * _cell(chosen, number), kept)
    store(step + 8 * TAKEN, taken + count)
    return WRITTEN


@numba.njit
def _keep_one(kept, slots, chosen, count):
    for number in range(count):
        _keep(kept)
        store(slots + 8 * _cell(chosen, number), kept)
    return WRITTEN


@numba.njit
def _make_tuples(step, columns, slots, length, objects):
    first, count = columns + _COLUMN * _cell(step, FROM), _cell(step, COUNT)
    atoms = _cell(step, ATOMS) != 0
    for row in range(length):
        made = _new_tuple(count)
        if made == 0:
            return FAILED
        store(slots + 8 * row, made)
        collected = 0
        for place in range(count):
            value = _taken(first + _COLUMN * place + 8 * row, objects)
            store(made + TUPLE_ITEMS + 8 * place, value)
            if not atoms:
                collected |= _is_collected(value)
        if collected == 0:  # as the collector would, once the tuple is no longer in the cache
            _untrack(made)
    return WRITTEN


@numba.njit
def _make_lists(step, columns, slots, length, objects):
    first, count = columns + _COLUMN * _cell(step, FROM), _cell(step, COUNT)
    for row in range(length):
        made = _new_list(count)
        if made == 0:
            return FAILED
        store(slots + 8 * row, made)
        for place in range(count):
            value = _taken(first + _COLUMN * place + 8 * row, objects)
            store(_items(made) + 8 * place, value)
    return WRITTEN


@numba.njit
def _make_dicts(step, columns, slots, length, objects):
    first, count = columns + _COLUMN * _cell(step, FROM), _cell(step, COUNT)
    model, keys = _cell(step, SOURCE), _items(_cell(step, KEYS))
    atoms = _cell(step, ATOMS) != 0
    shows_entries = False
    if _cell(objects, LAYOUT) & layout.DICTS:
        shows_entries = layout.count_of_entries(model) == count
    for row in range(length):
        made = _copy_dict(model)
        if made == 0:
            return FAILED
        store(slots + 8 * row, made)
        for place in range(count):
            value = _taken(first + _COLUMN * place + 8 * row, objects)
            if shows_entries and (atoms or _is_collected(value) == 0):
                # A copy has its entries in the order of the model's, and nobody has seen it yet.
                _release(layout.exchanged(made, place, value))
                continue
            outcome = _set_in_dict(made, _cell(keys, place), value)
            _release(value)
            if outcome != 0:
                return FAILED
    return WRITTEN


@numba.njit
def _make(step, slots, columns, places, chosen, length, objects):
    """Fill a step's slots for the rows of a block: how it went."""
    op = _cell(step, OP)
    if op == TUPLE:
        return _make_tuples(step, columns, slots, length, objects)
    if op == LIST:
        return _make_lists(step, columns, slots, length, objects)
    if op == DICT:
        return _make_dicts(step, columns, slots, length, objects)
    count, source = _choose(step, places, chosen, length), _cell(step, SOURCE)
    if op == FLOAT:
        return _make_floats(source, slots, places, chosen, count)
    if op == INT:
        return _make_ints(source, slots, places, chosen, count)
    if op == BOOL:
        return _keep_bools(source, slots, places, chosen, count, objects)
    if op == PICKED:
        return _keep_picked(source, _items(_cell(step, FROM)), slots, places, chosen, count)
    if op == NEXT:
        return _keep_next(step, slots, chosen, count)
    return _keep_one(source, slots, chosen, count)


@numba.njit
def _make_all(block, length, table, count, columns, places, chosen, objects):
    """The results of a block of rows into its part of the list: how it went."""
    for number in range(count):
        step = table + 8 * WIDTH * number
        column = _cell(step, SLOTS)
        slots = block if column == 0 else columns + _COLUMN * column
        if _make(step, slots, columns, places, chosen, length, objects) != WRITTEN:
            return FAILED
    return WRITTEN


@numba.njit
def _write_block(block, length, table, count, columns, places, chosen, objects):
    """The same, and None where there is no result: every item is an object again.

    The list has a reference to None for each of them, which those with a result give back.
    """
    for row in range(length):
        store(block + 8 * row, 0)
    outcome = _make_all(block, length, table, count, columns, places, chosen, objects)
    none, made = _cell(objects, NONE), 0
    for row in range(length):  # without a branch, which would often be mispredicted
        found = _cell(block, row)
        made += found != 0
        store(block + 8 * row, found if found != 0 else none)
    for _ in range(made):
        _release(none)
    return outcome


@numba.njit
def _write_blocks(items, length, rows, table, count, columns, scratch, objects):
    places, chosen = scratch, scratch + _COLUMN
    for start in range(0, length, BLOCK):
        size = min(BLOCK, length - start)
        for row in range(size):
            place = start + row if rows == 0 else _cell(rows, start + row)
            store(places + 8 * row, place)
        block = items + 8 * start
        outcome = _write_block(block, size, table, count, columns, places, chosen, objects)
        if outcome != WRITTEN:
            return FAILED
    return WRITTEN


def write_results(
    results, first, length, rows, table, count, scratch, columns, slot_columns, objects
):
    """The results of so many rows into a list, from `first` on, where it has None: how it went.

    `rows` is the address of their numbers, int64; 0: all. `table` has a row of WIDTH columns for
    each of `count` steps; `scratch` is SCRATCH_COLUMNS * BLOCK int64, `columns` slot_columns *
    BLOCK, all 0; `objects` are the addresses of None, False and True. After FAILED an exception
    is set.
    """
    was_on = _stop_collector()
    items = _items(results) + 8 * first
    outcome = _write_blocks(items, length, rows, table, count, columns, scratch, objects)
    if outcome != WRITTEN:
        for slot in range(slot_columns * BLOCK):
            held = _cell(columns, slot)
            if held != 0:
                _release(held)
    if was_on != 0:
        _start_collector()
    return outcome


Write = Callable[[int, int, int, int, int, int, int, int, int, int], int]


def load() -> Write:
    """`write_results` as machine code, from numba's cache where it is there.

    What is raised in it is raised by the call.
    Errors:  LookupError where the interpreter does not show a function that is needed
    """
    return capi.machine_code(write_results, _SYMBOLS, 10)
