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

from batchprep.kernels.cpu import capi, objects, plain_blocks
from batchprep.kernels.cpu import record_fields as fields
from batchprep.kernels.cpu.capi import add_shared, exchange_shared, inlined, store
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
SEEN_FIELDS: Final = plain_blocks.MOST_FIELDS  # a table of more fields is read otherwise
SCRATCH: Final = SEEN + SEEN_FIELDS
WORKER: Final = SCRATCH + plain_blocks.SCRATCH

TAKEN: Final = 32  # blocks at a time
MOST_LEFT: Final = 8  # blocks of a chunk, after which the rest of it is left as well

_PATIENCE: Final = 20_000  # looks of a helper at its state, each of which lets others run

_give_way: Any = types.ExternalFunction("sched_yield", types.int32())
SYMBOLS: Final = ("PyUnicode_Compare", "sched_yield")


@inlined
def _read_block(work, own, start):
    """Every field of a block; whether it was read."""
    return plain_blocks.read_block(
        cell(work, ITEMS),
        start,
        cell(work, LENGTH),
        cell(work, FIELDS),
        cell(work, COUNT),
        cell(work, KNOWN),
        own + 8 * SCRATCH,
        own + 8 * SEEN,
    )


@numba.njit(nogil=True)
def _read_chunk(work, own, first, stop):
    """The blocks of a chunk; the table says which are left."""
    left = 0
    for block in range(first, stop):
        if left > MOST_LEFT or not _read_block(work, own, block * BLOCK):
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
