"""The leaves "text" of a stage over one batch, chunk by chunk: from Arrow's bytes to Arrow's."""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from batchprep.backends.kernel import Array
from batchprep.batch.arrow_buffers import valid_rows
from batchprep.batch.arrow_rows import ArrowRows
from batchprep.batch.batch import Batch
from batchprep.batch.fresh_arrays import empty_array
from batchprep.batch.threads import CHUNK_ROWS, for_each_chunk
from batchprep.plan.node import Node
from batchprep.plan.tables import Outcome
from batchprep.run.byte_steps import Step, bytes_of
from batchprep.run.byte_texts import NOTHING, Bytes, Found, Keys, Texts, TooLong, joined, surrounded
from batchprep.run.text_rows import Choice, Reading, Steps, Sum, TextRows
from batchprep.run.words import FixedWords

LEAST_ROWS: Final = 2_000  # below it, encoding takes no longer than calling the kernels
MOST_BYTES: Final = 2**28  # of a column in a batch
_VALUES: Final[dict[str, Any]] = {"b": np.bool_, "i": np.int32}

Rows = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def is_readable(batch: Batch, name: str) -> bool:
    """Whether a column holds texts whose bytes lie there row by row."""
    if len(batch) < LEAST_ROWS or not isinstance(batch.rows, ArrowRows):
        return False
    array = batch.arrow(name)
    return array is not None and _is_plain(array.type) and array.nbytes <= MOST_BYTES


def _is_plain(dtype: pa.DataType) -> bool:
    return pt.is_string(dtype) or pt.is_large_string(dtype) or pt.is_string_view(dtype)


class Worked(NamedTuple):
    """What was worked out: arrays and texts by leaf, and how many texts were left to Python."""

    values: dict[Node, Array]
    texts: dict[Node, pa.Array[Any]]
    by_python: Counter[str]


class TextColumns:
    """The texts of a batch, as a stage's leaves want them."""

    def __init__(self, rows: TextRows, fixed: FixedWords, arrays: Mapping[str, Any]) -> None:
        self._rows = rows
        self._columns = {name: _Column(array) for name, array in arrays.items()}
        self._lookups = {
            node: Keys(texts, list(map(fixed.code, texts)), -1)
            for node, texts in rows.compared.items()
        }

    def work(self, length: int, threads: int) -> Worked:
        """All leaves, over all chunks.

        Errors:  TooLong where the texts of a result take 2 GiB or more
        """
        leaves = self._rows.leaves
        values = {leaf: _room_of(leaf, length) for leaf in leaves if _reading(leaf).what != "text"}
        texts: dict[Node, dict[int, Texts]] = {
            leaf: {} for leaf in leaves if _reading(leaf).what == "text"
        }
        by_python: Counter[str] = Counter()
        counting = threading.Lock()

        def work_on(start: int, end: int) -> None:
            chunk = _Chunk(self._rows, self._columns, start, end)
            for leaf, whole in values.items():
                whole[start:end] = self._values(leaf, chunk)
            for leaf, parts in texts.items():
                parts[start] = _packed(chunk.texts(_reading(leaf).node))
            with counting:
                by_python.update(chunk.by_python)

        for_each_chunk(work_on, length, threads)
        arrays = {leaf: _as_arrow(parts, length, threads) for leaf, parts in texts.items()}
        return Worked(values, arrays, by_python)

    def _values(self, leaf: Node, chunk: _Chunk) -> Array:
        reading = _reading(leaf)
        if reading.what == "value":
            return chunk.values(reading.node)
        return self._lookups[reading.node].found(chunk.texts(reading.node)).values


def _reading(leaf: Node) -> Reading:
    return cast("Reading", leaf.attr)


def _room_of(leaf: Node, length: int) -> Array:
    return empty_array(length, np.int32 if leaf.dtype == "s" else _VALUES[leaf.dtype])


class _Column:
    """Offsets and bytes of a string array."""

    def __init__(self, array: pa.Array[Any]) -> None:
        if pt.is_string_view(array.type):
            array = array.cast(pa.large_string())
        _, offsets, data = cast("Any", array.buffers())
        wide = pt.is_large_string(array.type)
        dtype = np.dtype(np.int64 if wide else np.int32)
        self._offsets = np.frombuffer(offsets, dtype, len(array) + 1, array.offset * dtype.itemsize)
        self._data = NOTHING if data is None or not data.size else np.frombuffer(data, np.uint8)
        self._valid = valid_rows(array)

    def valid(self, start: int, end: int) -> Mask:
        """Which rows of a chunk are not null."""
        return np.ones(end - start, np.bool_) if self._valid is None else self._valid[start:end]

    def texts(self, start: int, end: int) -> Texts:
        """Those of a chunk; a null is empty."""
        bounds = self._offsets[start : end + 1]
        first, last = int(bounds[0]), int(bounds[-1])
        places = (bounds - bounds[0]).astype(np.int32, copy=False)
        starts, ends = places[:-1], places[1:]
        if self._valid is not None:
            ends = np.where(self._valid[start:end], ends, starts)
        return Texts(self._data[first:last], starts, ends)


class _Chunk:
    """The texts of some rows, each made once."""

    def __init__(
        self, rows: TextRows, columns: Mapping[str, _Column], start: int, end: int
    ) -> None:
        self.by_python: Counter[str] = Counter()
        self._made = rows.made
        self._columns = columns
        self._bounds = start, end
        self._texts: dict[Node, Texts] = {}
        self._chains: dict[tuple[Node, tuple[Step, ...]], Any] = {}

    def texts(self, node: Node) -> Texts:
        """The text of each row, none of them hard."""
        found = self._texts.get(node)
        if found is None:
            found = self._texts[node] = self._settled(node, self._make(node))
        return found

    def values(self, node: Node) -> Array:
        """The bool or int that a function of a text gives."""
        made = cast("Steps", self._made[node])
        found = cast("Found", self._chain(made.of, made.steps))
        rows = _hard_rows(found.hard)
        if not len(rows):
            return found.values
        return _put(found.values, rows, self._answers(node, rows))

    def _make(self, node: Node) -> Texts:
        made = self._made[node]
        if made is None:
            name = cast("tuple[str, str]", node.attr)[0]
            return self._columns[name].texts(*self._bounds)
        if isinstance(made, Choice):
            return self._chosen(made)
        return self._sum(made) if isinstance(made, Sum) else self._chain(made.of, made.steps)

    def _chosen(self, made: Choice) -> Texts:
        holds = self._truth(made.condition)
        yes, no = self._branch(made.yes, holds), self._branch(made.no, ~holds)
        later = np.int32(len(yes.data))
        return Texts(
            np.concatenate([yes.data, no.data]),
            np.where(holds, yes.starts, no.starts + later),
            np.where(holds, yes.ends, no.ends + later),
        )

    def _branch(self, node: Node, rows: Mask) -> Texts:
        """A text, or a constant of which each of the rows has its own bytes."""
        if node.op != "const":
            return self.texts(node)
        constant = cast("Bytes", bytes_of(node.attr))
        ends = np.cumsum(rows, dtype=np.int64) * len(constant)
        if ends[-1] > MOST_BYTES:
            raise TooLong
        ends = ends.astype(np.int32)
        count = int(np.count_nonzero(rows))
        return Texts(np.tile(constant, count), ends - np.int32(len(constant)), ends)

    def _truth(self, condition: Node) -> Mask:
        """Where a condition of a choice holds."""
        match condition.op:
            case "and" | "or":
                one, other = map(self._truth, condition.args)
                return one & other if condition.op == "and" else one | other
            case "not":
                return ~self._truth(condition.args[0])
            case "has_kind":
                name = cast("str", condition.args[0].attr)
                valid = self._columns[name].valid(*self._bounds)
                return valid if condition.attr == "str" else ~valid
            case _:
                equal = self._equal(*condition.args)
                return equal if condition.op == "seq" else ~equal

    def _equal(self, one: Node, other: Node) -> Mask:
        text, constant = (other, one) if one.op == "const" else (one, other)
        found = _keys_of(cast("str", constant.attr)).found(self.texts(text))
        return found.values != 0

    def _chain(self, node: Node, steps: tuple[Step, ...]) -> Any:
        """What the steps make of a text: chains that begin alike go the first part once."""
        if not steps:
            return self.texts(node)
        found = self._chains.get((node, steps))
        if found is None:
            found = steps[-1].apply(self._chain(node, steps[:-1]))
            self._chains[node, steps] = found
        return found

    def _sum(self, made: Sum) -> Texts:
        whole: Texts | None = None
        before = ""
        for piece in made.pieces:
            if isinstance(piece, str):
                before += piece
                continue
            part: Texts = self._chain(*piece)
            if whole is None:
                whole = _around(part, before, "")
            else:
                whole = joined(whole, cast("Bytes", bytes_of(before)), part)
            before = ""
        assert whole is not None  # noqa: S101  a sum that reads a row has a text of it
        return _around(whole, "", before)

    def _settled(self, node: Node, texts: Texts) -> Texts:
        """The texts, those that the kernels left to Python behind the others."""
        rows = _hard_rows(texts.hard)
        if not len(rows):
            return texts._replace(hard=None)
        given = [text.encode() for text in self._answers(node, rows)]
        ends = len(texts.data) + np.cumsum([len(text) for text in given], dtype=np.int64)
        if ends[-1] > np.iinfo(np.int32).max:
            raise TooLong
        starts = np.concatenate(([len(texts.data)], ends[:-1]))
        data = np.concatenate([texts.data, np.frombuffer(b"".join(given), np.uint8)])
        return Texts(data, _put(texts.starts, rows, starts), _put(texts.ends, rows, ends))

    def _answers(self, node: Node, rows: Rows) -> list[Any]:
        """What the node's own function gives for these rows."""
        pure = cast("Outcome", node.attr).pure
        self.by_python[pure.name] += len(rows)
        columns = [_strings(self.texts(arg), rows) for arg in node.args]
        return list(map(pure.function, *columns))


@functools.lru_cache(maxsize=256)
def _keys_of(constant: str) -> Keys:
    return Keys([constant], [1], 0)


def _hard_rows(hard: Bytes | None) -> Rows:
    return np.zeros(0, np.intp) if hard is None else np.flatnonzero(hard)


def _put(values: Array, rows: Rows, answers: Sequence[Any] | Array) -> Array:
    values = values.copy()
    values[rows] = answers
    return values


def _strings(texts: Texts, rows: Rows) -> list[str]:
    data: Any = memoryview(cast("Any", texts.data))
    starts, ends = texts.starts[rows].tolist(), texts.ends[rows].tolist()
    return [str(data[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]


def _around(texts: Texts, before: str, after: str) -> Texts:
    if not before and not after:
        return texts
    head, tail = bytes_of(before), bytes_of(after)
    return surrounded(texts, cast("Bytes", head), cast("Bytes", tail))


def _packed(texts: Texts) -> Texts:
    """The texts one behind the other, and nothing between them."""
    starts, ends = texts.starts, texts.ends
    if len(starts) and starts[0] == 0 and np.array_equal(starts[1:], ends[:-1]):
        return texts._replace(data=texts.data[: ends[-1]])
    return surrounded(texts, NOTHING, NOTHING)


def _as_arrow(parts: Mapping[int, Texts], length: int, threads: int) -> pa.Array[Any]:
    """The texts of all chunks as one array.

    Errors:  TooLong where they take 2 GiB or more
    """
    order = [parts[start] for start in range(0, length, CHUNK_ROWS)]
    firsts = np.concatenate(([0], np.cumsum([len(part.data) for part in order], dtype=np.int64)))
    if firsts[-1] > np.iinfo(np.int32).max:
        raise TooLong
    offsets = empty_array(length + 1, np.int32)
    data = empty_array(int(firsts[-1]), np.uint8)
    offsets[0] = 0

    def put(start: int, end: int) -> None:
        part, first = parts[start], int(firsts[start // CHUNK_ROWS])
        np.add(part.ends, np.int32(first), out=offsets[start + 1 : end + 1])
        data[first : first + len(part.data)] = part.data

    for_each_chunk(put, length, threads)
    buffer: Callable[..., Any] = cast("Any", pa.py_buffer)
    return pa.Array.from_buffers(pa.string(), length, [None, buffer(offsets), buffer(data)])


def with_nulls(texts: pa.Array[Any], filled: npt.NDArray[np.bool_]) -> pa.Array[Any]:
    """The same texts, null where not filled."""
    _, offsets, data = cast("Any", texts.buffers())
    bits: Any = cast("Any", pa.py_buffer)(np.packbits(filled, bitorder="little"))
    return pa.Array.from_buffers(texts.type, len(texts), [bits, offsets, data])
