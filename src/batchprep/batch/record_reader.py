"""The machine code that reads lists of dicts, loaded beside the calls once there are many.

`Loader` serves other machine code that works on Python objects, too.
"""

from __future__ import annotations

import importlib
import os
import sys
import sysconfig
import threading
from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from batchprep.batch.kinds import KIND_OF_TYPE
from batchprep.batch.object_layout import layout_of
from batchprep.batch.threads import lent
from batchprep.batch.times import EPOCH
from batchprep.dtypes import KIND_CODE, Kind

# Setting up a call takes as long as 200 records of the ordinary way.
READ_ROWS: Final = 500
# Where numba is in use, because a stage is compiled by it, the code takes 0.3 s more, and seconds
# the first time on a machine, on a thread of its own: a batch of so many rows, or so many in small
# ones, are worth it.
# run/kernels.py has the same numbers. Nothing here imports numba where nobody else does.
LOAD_ROWS: Final = 20_000
LOAD_TOTAL: Final = 200_000
# Handing work to another thread takes as long as reading some thousand records: 20 to 60 us until
# it is there, where a CPU is free. Each look takes 5 ns, and a record 15.
SHARED_ROWS: Final = 50_000
MOST_LOOKS: Final = 100_000
_HEADER_BYTES: Final = 16  # of an object, where there is nothing in it for debugging or threads
_KERNEL: Final = "batchprep.kernels.cpu.records"

# As the kernel has them; they live as long as this module, since it knows their addresses only.
_OBJECTS: Final = (True, "tzinfo", "fold", EPOCH)

Table = npt.NDArray[np.int64]
Loaded = TypeVar("Loaded")


class RecordReader:
    """`read_records` of kernels/cpu/records.py, whose constants lay out its arguments."""

    def __init__(self, kernel: Any) -> None:
        self.layout = kernel.fields
        self.cache_shape: tuple[int, int] = (kernel.CACHE_SLOTS, 2)
        self.texts_shape: tuple[int, int] = (kernel.known_texts.SLOTS, kernel.known_texts.SLOT)
        self._kernel = kernel
        self._read = kernel.load()
        holds = layout_of(kernel.objects)
        self._known = _known(kernel.fields, holds)
        self.reads_plain: bool = kernel.plain.is_enough(holds)
        if self.reads_plain:
            self._help, self._await = kernel.plain.load()

    def read(self, records: list[Any], part: range, table: Table, threads: int = 1) -> bool:
        """Whether all fields of the table were read, of these records: then they are where it says.

        They are not where a record is no dict, or a key's own code raised. `threads` may read at
        the same time, where there are many records.
        """
        left = np.zeros(-(-len(part) // self.layout.BLOCK), np.int8)
        if not self.reads_plain or len(table) > self._kernel.plain.SEEN_FIELDS:
            return self._has_read(records, part, table, 0)
        helpers = threads - 1 if len(part) >= SHARED_ROWS else 0
        work = self._work(part, table, left, helpers)
        address = work.ctypes.data

        def help_reading(number: int) -> Table:
            self._help(address, number)
            return work  # lives as long as this may be called

        with lent(help_reading, helpers) as count:
            if count:
                self._ready(address, min(len(part) // 2, MOST_LOOKS))
            return self._has_read(records, part, table, address)

    def _ready(self, work: int, looks: int) -> int:
        """How many helpers are ready, after a short wait without the GIL."""
        return self._await(work, looks)

    def _has_read(self, records: list[Any], part: range, table: Table, work: int) -> bool:
        scratch = np.zeros(self._kernel.SCRATCH, np.int64)
        try:
            outcome = self._read(
                id(records),
                part.start,
                len(part),
                table.ctypes.data,
                len(table),
                self._known.ctypes.data,
                scratch.ctypes.data,
                work,
            )
        except Exception:  # noqa: BLE001  the ordinary way meets it again, at its own place
            return False
        return outcome == self._kernel.READ

    def _work(self, part: range, table: Table, left: npt.NDArray[np.int8], helpers: int) -> Table:
        """What kernels/cpu/plain_records.py shares out."""
        plain = self._kernel.plain
        work = np.zeros(plain.OWN + 1 + plain.WORKER * (helpers + 1), np.int64)
        work[plain.LENGTH], work[plain.COUNT], work[plain.HELPERS] = len(part), len(table), helpers
        work[plain.FIELDS], work[plain.KNOWN] = table.ctypes.data, self._known.ctypes.data
        work[plain.LEFT] = left.ctypes.data
        work[plain.OWN] = work[plain.OWN + 1 :].ctypes.data
        return work

    def kinds_seen(self, seen: int) -> list[Kind]:
        """Kinds of the values that were met, from a field's column SEEN."""
        layout = self.layout
        places = range(layout.OTHER + 1)
        return [_kind_at(layout, place) for place in places if seen >> place & 1]


def _known(layout: Any, holds: int) -> Table:
    """Address and kind code of what the kernel knows: types, and a few objects."""
    pairs = np.zeros((layout.PLACES_KNOWN, 2), np.int64)
    pairs[: layout.ABSENT, 0] = [id(type_) for type_ in layout.TYPES]
    codes = [KIND_CODE[_kind_at(layout, place)] for place in range(layout.OTHER + 1)]
    pairs[: layout.OTHER + 1, 1] = codes
    pairs[layout.TRUE : layout.LAYOUT, 0] = [id(object_) for object_ in _OBJECTS]
    pairs[layout.LAYOUT, 0] = holds
    return pairs


def _kind_at(layout: Any, place: int) -> Kind:
    if place < layout.ABSENT:
        return KIND_OF_TYPE[layout.TYPES[place]]
    return "absent" if place == layout.ABSENT else "other"


# Of all loaders, and held before LOADING: a fork that holds one lock waits for no other.
_importing: Final = threading.RLock()


class Loader(Generic[Loaded]):
    """Gets machine code on a thread of its own; the ordinary way serves until it is there.

    `make` makes what calls it, of the kernel's module.
    """

    # Has the module's kernel compiled by another process, which this one then only loads.
    prepare: ClassVar[Callable[[str], None] | None] = None

    def __init__(self, kernel: str, make: Callable[[Any], Loaded]) -> None:
        self.loaded: Loaded | None = None
        self._kernel = kernel
        self._make = make
        self._rows = 0
        self._is_hopeless = not is_supported()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._forking = 0  # the thread that is

    def ask(self, rows: int) -> None:
        """Start to load if so many more rows make it worth while."""
        self._rows += rows
        is_worth_it = rows >= LOAD_ROWS or self._rows >= LOAD_TOTAL
        if self._is_hopeless or not is_worth_it or "numba" not in sys.modules:
            return
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._load_beside, name="batchprep-load")
                self._thread.start()

    @property
    def is_coming(self) -> bool:
        """Whether it is being loaded."""
        thread = self._thread
        return self.loaded is None and thread is not None and thread.is_alive()

    def wait(self) -> Loaded | None:
        """The reader, loaded now if need be; None where this interpreter cannot have one."""
        if self._thread is not None:
            self._thread.join()
        elif not self._is_hopeless:
            self._load()
        return self.loaded

    def _load_beside(self) -> None:
        prepare = Loader.prepare
        if prepare is not None:
            prepare(self._kernel)
        self._load()

    def _load(self) -> None:
        try:
            with _importing:
                kernel = importlib.import_module(self._kernel)
            self.loaded = self._make(kernel)
        except Exception:  # noqa: BLE001  numba may fail in any way; the ordinary way does not need it
            self._is_hopeless = True

    def before_fork(self) -> None:
        """Wait until the thread holds no lock that a child would wait for ever to get."""
        _importing.acquire()
        kernel: Any = sys.modules.get(self._kernel)
        if kernel is not None:
            kernel.LOADING.acquire()
        self._forking = threading.get_ident()

    def after_fork(self) -> None:
        """Let the thread go on."""
        if self._forking != threading.get_ident():  # made while the fork was under way
            return
        self._forking = 0
        kernel: Any = sys.modules.get(self._kernel)
        if kernel is not None:
            kernel.LOADING.release()
        _importing.release()

    def after_fork_in_child(self) -> None:
        """Start afresh: the thread stayed in the parent."""
        self.after_fork()
        self._starting = threading.Lock()
        if self.loaded is None:
            self._thread = None


def is_supported() -> bool:
    """Whether this is a CPython with a GIL whose objects are laid out as in a release."""
    has_gil = not sysconfig.get_config_var("Py_GIL_DISABLED")
    return (
        sys.implementation.name == "cpython"
        and has_gil
        and object.__basicsize__ == _HEADER_BYTES
        and sys.maxsize == 2**63 - 1
    )


def loader_of(kernel: str, make: Callable[[Any], Loaded]) -> Loader[Loaded]:
    """A loader that forks cannot break."""
    loader = Loader(kernel, make)
    os.register_at_fork(
        before=loader.before_fork,
        after_in_parent=loader.after_fork,
        after_in_child=loader.after_fork_in_child,
    )
    return loader


_loader: Final = loader_of(_KERNEL, RecordReader)


def reader_for(rows: int) -> RecordReader | None:
    """The reader for a list of so many records; None where the ordinary way is to be taken."""
    if _loader.loaded is None:
        _loader.ask(rows)
        return None
    return loaded_for(rows)


def loaded_for(rows: int) -> RecordReader | None:
    """The same, which does not count them as records to be read."""
    return _loader.loaded if rows >= READ_ROWS else None


def is_coming(rows: int) -> bool:
    """Whether a reader for lists of so many records is being loaded."""
    reader_for(rows)
    return _loader.is_coming


def loaded_reader() -> RecordReader | None:
    """The reader, waited for: for tests and measurements."""
    return _loader.wait()
