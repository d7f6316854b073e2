"""CSV files, streamed by Arrow's own reader with types that are fixed before."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.csv as pacsv

from batchprep.records.scan.csv_layout import CsvColumns, CsvLayout
from batchprep.records.scan.csv_types import FALSE_WORDS, TRUE_WORDS
from batchprep.records.scan.files import OpenFile
from batchprep.records.scan.ranges import Pruning
from batchprep.records.scan.rebatch import Chunk, rebatched

if TYPE_CHECKING:
    from batchprep.records.scan.csv_guess import Guess

_BLOCK: Final = 1 << 22  # bytes that are parsed at a time
_GROWTH: Final = 16  # times, where a row is longer than a block
_LARGEST_BLOCK: Final = 1 << 30
# Arrow's words for a row, and for a header line, that no block holds.
_TOO_LONG: Final = ("straddles", "Empty CSV file or block")


class CsvReader:
    """A CSV file whose columns are of the given types; text where none is given.

    guess  where the types are its own, and each value is held against them
    start  bytes that are read in the place of the file
    """

    row_groups_skipped = 0
    total_rows: int | None = None

    def __init__(
        self,
        held: OpenFile,
        layout: CsvLayout,
        found: CsvColumns,
        types: Mapping[str, pa.DataType],
        *,
        nulls: bool,
        guess: Guess | None = None,
        start: pa.Buffer | None = None,
    ) -> None:
        self._held = held
        self._layout = layout
        self._found = found
        self._types = {name: types.get(name, pa.string()) for name in found.names}
        self._nulls = nulls
        self._guess = guess
        self._start = start
        self.bytes_read = 0

    @property
    def schema(self) -> pa.Schema:
        return pa.schema(list(self._types.items()))

    def position(self) -> str:
        return ""

    def chunks(
        self,
        columns: Sequence[str],
        rows: int,
        pruning: Pruning | None,  # noqa: ARG002  text holds no statistics
    ) -> Generator[Chunk]:
        yield from rebatched(self.blocks(columns), rows)

    def blocks(self, columns: Sequence[str], size: int | None = None) -> Iterator[pa.RecordBatch]:
        """Batches as Arrow parses them; the blocks grow where a row is longer than one.

        `size`: bytes of a block, which does not grow then
        """
        if not self._found.has_rows:
            return
        block, done = size or _BLOCK, 0
        while True:
            try:
                with self._opened(columns, block) as opened:
                    for batch in _after(opened, done):
                        self.bytes_read = self._held.reached
                        yield batch if self._guess is None else self._valued(batch, columns)
                        done += batch.num_rows
            except pa.ArrowInvalid as error:
                if size is not None or not _is_too_long(error) or block >= _LARGEST_BLOCK:
                    raise
                block *= _GROWTH
            else:
                return

    def _opened(self, columns: Sequence[str], block: int) -> Any:
        start = self._start
        stream: Any = self._held.stream() if start is None else pa.BufferReader(start)
        return pacsv.open_csv(
            stream,
            read_options=self._reading(block),
            parse_options=pacsv.ParseOptions(
                delimiter=self._layout.delimiter,
                quote_char=self._layout.quote or False,
                newlines_in_values=self._layout.quote is not None,
            ),
            convert_options=self._converting(columns),
        )

    def _valued(self, texts: pa.RecordBatch, columns: Sequence[str]) -> pa.RecordBatch:
        guess = self._guess
        if guess is None or not columns:
            return texts
        values = [guess.values(name, texts.column(name)) for name in columns]
        return pa.RecordBatch.from_arrays(values, names=list(columns))

    def _reading(self, block: int) -> pacsv.ReadOptions:
        return pacsv.ReadOptions(
            block_size=block,
            encoding="utf8" if self._layout.codec == "utf-8-sig" else self._layout.encoding,
            column_names=None if self._layout.header else list(self._found.names),
        )

    def _converting(self, columns: Sequence[str]) -> pacsv.ConvertOptions:
        # No columns at all means all of them to Arrow; the rows of one are counted instead.
        wanted = list(columns) or list(self._found.names[:1])
        return pacsv.ConvertOptions(
            column_types={name: self._read_as(name) for name in wanted},
            include_columns=wanted,
            null_values=list(self._layout.null_values) if self._nulls else [],
            strings_can_be_null=self._nulls,
            true_values=list(TRUE_WORDS),
            false_values=list(FALSE_WORDS),
        )

    def _read_as(self, name: str) -> pa.DataType:
        return self._types[name] if self._guess is None else pa.string()


def _is_too_long(error: pa.ArrowInvalid) -> bool:
    """Whether Arrow found a row longer than its block; a file without rows is not asked for any."""
    return any(words in str(error) for words in _TOO_LONG)


def _after(batches: Any, count: int) -> Iterator[pa.RecordBatch]:
    """The batches without their first rows."""
    for batch in batches:
        if count >= batch.num_rows > 0:
            count -= batch.num_rows
        else:
            yield batch.slice(count) if count else batch
            count = 0
