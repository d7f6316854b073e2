"""`Loader`: batches for a training loop, epoch by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from batchprep.errors.messages import bad_type_text, bad_value_text
from batchprep.feed import messages
from batchprep.feed.block import NUMPY, Buffers
from batchprep.feed.epoch import Batches, Epoch, Tables
from batchprep.feed.layout import Wanted, layout_of, names_of
from batchprep.feed.prefetch import Prefetched

if TYPE_CHECKING:
    import pyarrow as pa

WINDOW_ROWS: Final = 262_144  # 32 MiB of window for 32 features


class Loader:
    """Batches of features, `x`, or of features and labels, `(x, y)`: each iter() is one epoch.

    x is float32, (rows, features), row-major; y is (rows,) for a label's name and (rows, labels)
    for a list of names, int64 where all labels are bools or ints, else float32. Each batch is
    memory of its own, writable, that nobody else holds. A thread prepares two batches ahead.

    `tables` gives the tables anew at each epoch; chunk sizes do not matter. Epoch e is shuffled by
    NumPy's generator seeded with [seed, e]: set_epoch(e) resumes there. Shuffling is perfect where
    all rows fit into `window_rows` and roughly local beyond it (see Shuffled); the window is memory
    of 4 bytes a feature and row.

    Nulls:   an error; NaN passes
    Errors:  ValueError for a null, a finite float beyond float32, a column that is not there;
             TypeError for a column that holds no numbers, before any row is packed. Batches before
             the row come first. Ints beyond 2**24 are rounded as features, as float32 does

    >>> import pyarrow as pa
    >>> table = pa.table({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "paid": [True, False, True]})
    >>> loader = Loader(lambda: iter([table]), batch_size=2, label="paid")
    >>> for x, y in loader:
    ...     print(x.tolist(), y.tolist())
    [[1.0, 0.5], [2.0, 1.5]] [1, 0]
    [[3.0, 2.5]] [1]
    """

    def __init__(
        self,
        tables: Tables,
        *,
        batch_size: int,
        features: Sequence[str] | None = None,
        label: str | Sequence[str] | None = None,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
        window_rows: int = WINDOW_ROWS,
        rows: int | None = None,
        schema: pa.Schema | None = None,
        buffers: Buffers = NUMPY,
    ) -> None:
        """Loader over the tables; with their schema, mistakes in names and types show now.

        `rows`, where known, gives the loader its length; `buffers` decides the kind of tensors.
        """
        _check_count("batch_size", batch_size, least=1)
        _check_count("window_rows", window_rows, least=1)
        _check_count("seed", seed, least=0)
        if rows is not None:
            _check_count("rows", rows, least=0)
        named = None if features is None else names_of(features)
        self._wanted = Wanted(named, names_of(label), one_label=isinstance(label, str))
        if schema is not None:
            named = layout_of(schema, self._wanted).features
            self._wanted = Wanted(named, self._wanted.labels, self._wanted.one_label)
        self._tables = tables
        self._batch_size, self._drop_last = batch_size, drop_last
        self._window_rows = window_rows if shuffle else None
        self._seed, self._epoch = seed, 0
        self._rows = rows
        self._buffers = buffers

    @property
    def features(self) -> tuple[str, ...]:
        """Names of x's columns, in order.

        Errors:  LookupError where they were neither named nor follow from a schema
        """
        if self._wanted.features is None:
            raise LookupError(messages.unknown_features_text())
        return self._wanted.features

    @property
    def epoch(self) -> int:
        """Number of the epoch that the next iter() starts."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Let the next iter() be that epoch, counted from 0."""
        _check_count("epoch", epoch, least=0)
        self._epoch = epoch

    def __iter__(self) -> Prefetched[Any]:
        seed = (self._seed, self._epoch)
        self._epoch += 1
        epoch = Epoch(
            self._wanted, self._batch_size, self._drop_last, self._window_rows, seed, self._buffers
        )
        return Prefetched(Batches(self._tables, epoch))

    def __len__(self) -> int:
        if self._rows is None:
            raise TypeError(messages.unknown_length_text())
        whole, rest = divmod(self._rows, self._batch_size)
        return whole + (rest > 0 and not self._drop_last)


def _check_count(name: str, value: object, *, least: int) -> None:
    wanted = f"an int of at least {least}"
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(bad_type_text(name, value, wanted))
    if value < least:
        raise ValueError(bad_value_text(name, value, wanted))
