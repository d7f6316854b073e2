"""Batches of the wanted size out of those that a reader gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

import pyarrow as pa

Rows: TypeAlias = pa.RecordBatch | pa.Table

BATCH_BYTES: Final = 1 << 26  # of a batch: wide rows come fewer at a time


class Chunk(NamedTuple):
    """Rows of a file, and the number of the first of them there."""

    data: Rows
    row: int


def rebatched(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[Chunk]:
    """The batches joined and cut to at most that many rows, and to about 64 MiB where joined."""
    waiting: list[pa.RecordBatch] = []
    count = size = row = 0
    for batch in batches:
        for part in _cut(batch, rows):
            if count + part.num_rows > rows or size > BATCH_BYTES:
                yield Chunk(_one(waiting), row)
                row += count
                waiting, count, size = [], 0, 0
            waiting.append(part)
            count += part.num_rows
            size += part.nbytes
    if waiting:
        yield Chunk(_one(waiting), row)


def _cut(batch: pa.RecordBatch, rows: int) -> Iterator[pa.RecordBatch]:
    if batch.num_rows <= rows:
        if batch.num_rows:
            yield batch
        return
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _one(batches: list[pa.RecordBatch]) -> Rows:
    return batches[0] if len(batches) == 1 else pa.Table.from_batches(batches)
