"""What every source of rows gives: a schema for the front end, batches for the runner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, Protocol

from batchprep.batch.batch import Batch
from batchprep.schema import Field, RecordForm

SourceKind = Literal["list", "iterator", "arrow", "pandas", "polars", "record"]

ROWS: Final = 131_072  # of a batch: a column of doubles is 1 MiB


class Source(Protocol):
    """Rows to run a function over; a Schema in the sense of schema.py.

    kind    what the caller handed over, so that the answer comes in the same form
    data    the caller's own object
    length  number of rows, None where it is not known in advance
    """

    kind: SourceKind
    data: Any

    @property
    def form(self) -> RecordForm: ...

    @property
    def closed(self) -> bool: ...

    @property
    def length(self) -> int | None: ...

    def field(self, name: str) -> Field: ...

    def names(self) -> tuple[str, ...]: ...

    def batches(self, rows: int = ROWS) -> Iterator[Batch]:
        """Batches of at most that many rows, each made when it is asked for."""
        ...
