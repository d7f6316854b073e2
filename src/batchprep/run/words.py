"""The string pool of a batch: every string that a stage may meet there, one code each."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch.arrow_buffers import data_view
from batchprep.plan.tables import Pure
from batchprep.run.arrow_calls import take
from batchprep.run.objects import ObjectPool
from batchprep.run.outcomes import Results, results_of, results_then

Codes = npt.NDArray[np.int32]
Objects = npt.NDArray[np.object_]


MANY: Final = 4  # words a result, above which only those that are shown become Python strings
NO_WORDS: Final[pa.Array[Any]] = pa.nulls(0, pa.string())


class FixedWords:
    """Strings of the stage itself: constants and values of tables. They come first in each pool."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(dict.fromkeys(words))
        self._codes = {word: code for code, word in enumerate(self.words)}
        # Of Python objects PyArrow makes an array only after it has imported pandas: 0.2 s.
        self.arrow = pa.array(self.words, pa.string()) if self.words else NO_WORDS
        self._results: dict[Pure, Results] = {}

    def __len__(self) -> int:
        return len(self.words)

    def code(self, word: str) -> int:
        """The code of one of them, the same in every batch."""
        return self._codes[word]

    def find(self, words: pa.Array[Any]) -> tuple[npt.NDArray[np.bool_], Codes]:
        """Which words are among them, and their codes."""
        if len(self.words) <= len(words):
            found = pc.index_in(words, self.arrow.cast(words.type))
            known = found.is_valid().to_numpy(zero_copy_only=False)
            return known, found.fill_null(0).to_numpy()
        get, strings = self._codes.get, python_strings(words)
        codes = np.fromiter((get(word, -1) for word in strings), np.int32, len(words))
        return codes >= 0, codes

    def results(self, pure: Pure) -> Results:
        """What a function gives for them: it runs once, however many batches there are."""
        found = self._results.get(pure)
        if found is None:
            base = pure.base
            whole = results_of(pure, [self.words]) if base is None else None
            found = whole or results_then(pure, self.results(cast("Pure", base)))
            self._results[pure] = found
        return found


class Pool:
    """Strings by code: the fixed ones, those of the batch's columns, those that tables give."""

    def __init__(self, fixed: FixedWords, columns: Mapping[str, pa.Array[Any]]) -> None:
        self.fixed = fixed
        self.maps: dict[str, Codes] = {}
        self._words = self._unify(columns) if columns else NO_WORDS
        self._strings: list[str] | None = None
        self._objects: Objects | None = None
        self._extra: list[list[str] | pa.Array[Any]] = []
        self._listed = 0  # how many of them are among the strings
        self._arrow: pa.Array[Any] | None = None
        self.base = self._count = len(fixed) + len(self._words)  # without what tables give
        self._codes: dict[str, int] | None = None
        self._growing = threading.RLock()  # chunks run on several threads
        self._results: dict[Pure, Results] = {}

    @cached_property
    def held(self) -> ObjectPool:
        """Objects that are no strings, numbered on their own."""
        return ObjectPool()

    def __len__(self) -> int:
        return self._count

    def _unify(self, columns: Mapping[str, pa.Array[Any]]) -> pa.Array[Any]:
        """The columns' words that are not fixed; `maps` turns a column's codes into the pool's."""
        words, maps = _merged(columns)
        if len(self.fixed) and len(words):
            known, codes = self.fixed.find(words)
            fresh = np.cumsum(~known, dtype=np.int32) + np.int32(len(self.fixed) - 1)
            place = np.where(known, codes, fresh).astype(np.int32, copy=False)
            words = words.filter(pa.array(~known))
            maps = {name: place if own is None else place[own] for name, own in maps.items()}
        self.maps = {name: own for name, own in maps.items() if own is not None}
        return words

    def strings(self) -> list[str]:
        """Every word, by code."""
        if self._strings is None or self._listed < len(self._extra):
            with self._growing:
                if self._strings is None:
                    self._strings = [*self.fixed.words, *python_strings(self._words)]
                while self._listed < len(self._extra):
                    words = self._extra[self._listed]
                    self._strings += words if isinstance(words, list) else python_strings(words)
                    self._listed += 1
        return self._strings

    def results(self, pure: Pure, count: int) -> Results:
        """What the function gives for so many words at least: it runs once on each."""
        found = self._results.get(pure)
        if found is None:
            found = self.fixed.results(pure)
        if len(found.values) < count:
            start = len(found.values)
            if pure.base is None:
                further = results_of(pure, [self.strings()[start:count]])
            else:
                further = results_then(pure, self.results(pure.base, count).part(start, count))
            found = found.extended(further)
        self._results[pure] = found
        return found

    def codes_of_array(self, words: pa.Array[Any]) -> Codes:
        """Codes of strings that Arrow holds; new ones join the pool."""
        with self._growing:
            if self._codes is not None:
                return self.codes_of(python_strings(words))
            known, before = self.arrow(), len(self)
            encoded: Any = pa.chunked_array([known, words.cast(known.type)]).dictionary_encode()
            own, given = (chunk.indices.to_numpy() for chunk in encoded.chunks)
            distinct = encoded.chunk(1).dictionary
            codes = np.full(len(distinct), -1, np.int32)
            codes[own[::-1]] = np.arange(before, dtype=np.int32)[::-1]  # the first of equal words
            fresh = np.flatnonzero(codes < 0)
            if len(fresh):
                codes[fresh] = self._added(take(distinct, fresh))
        return codes[given]

    def codes_of(self, words: Sequence[str]) -> Codes:
        """Codes of strings that a function gives; new ones join the pool."""
        with self._growing:  # chunks run on several threads
            codes = self._codes
            if codes is None:
                strings = self.strings()
                # Words that are shown only may be there again: the first counts.
                numbers = range(len(strings) - 1, -1, -1)
                codes = self._codes = dict(zip(reversed(strings), numbers, strict=True))
            fresh = [word for word in dict.fromkeys(words) if word not in codes]
            if fresh:
                codes.update(zip(fresh, self._added(fresh).tolist(), strict=True))
        return np.fromiter(map(codes.__getitem__, words), np.int32, len(words))

    def codes_for_show(self, words: list[str] | pa.Array[Any]) -> Codes:
        """Codes of strings that nothing will compare or look up: each gets one of its own."""
        with self._growing:
            return self._added(words)

    def _added(self, words: list[str] | pa.Array[Any]) -> Codes:
        first = self._count
        self._extra.append(words)
        self._count += len(words)
        return np.arange(first, self._count, dtype=np.int32)

    def are_few(self, count: int) -> bool:
        """Whether all words are worth having as Python strings, for so many results."""
        return self._strings is not None or len(self) <= MANY * count

    def take(self, codes: Codes) -> list[str]:
        """The string of each code."""
        if self._extra or (self._objects is None and len(self) > MANY * len(codes)):
            return self._few(codes)
        return self.objects()[codes].tolist()

    def objects(self) -> Objects:
        """Every word, by code, as an array of Python strings."""
        if self._objects is None:
            self._objects = np.fromiter(self.strings(), np.object_, len(self))
        return self._objects

    def _few(self, codes: Codes) -> list[str]:
        """The strings of few codes, without making Python strings of all words."""
        if self._strings is not None or self._extra:
            return list(map(self.strings().__getitem__, codes.tolist()))
        fixed, words, first = self.fixed.words, self._words, len(self.fixed)
        distinct, places = np.unique(codes, return_inverse=True)
        own = iter(python_strings(take(words, distinct[distinct >= first] - first)))
        chosen = [fixed[code] if code < first else next(own) for code in distinct.tolist()]
        return [chosen[place] for place in places.tolist()]

    def arrow(self) -> pa.Array[Any]:
        """Every word, by code."""
        found = self._arrow
        if found is None or len(found) < len(self):
            with self._growing:
                parts = [self.fixed.arrow, self._words, *map(_as_array, self._extra)]
            parts = [part.cast(pa.string()) for part in parts if len(part)]
            found = self._arrow = pa.concat_arrays(parts) if parts else NO_WORDS
        return found

    def arrow_of(self, codes: Codes) -> pa.Array[Any]:
        """The string of each code, as Arrow."""
        found = self._arrow  # which other threads need not have made anew for what they add
        if found is None or (len(codes) and int(codes.max()) >= len(found)):
            found = self.arrow()
        return take(found, codes)


def _as_array(words: list[str] | pa.Array[Any]) -> pa.Array[Any]:
    return pa.array(words, pa.string()) if isinstance(words, list) else words


def _merged(
    columns: Mapping[str, pa.Array[Any]],
) -> tuple[pa.Array[Any], dict[str, Codes | None]]:
    """Distinct words of all columns, and each column's codes among them (None: its own)."""
    names = list(columns)
    if len(names) == 1:
        return columns[names[0]], {names[0]: None}
    parts = [words.cast(pa.large_string()) for words in columns.values()]
    encoded: Any = pa.chunked_array(parts).dictionary_encode()
    maps: dict[str, Codes | None] = {
        name: data_view(chunk.indices, np.int32)
        for name, chunk in zip(names, encoded.chunks, strict=True)
    }
    maps[names[0]] = None  # its words come first, in their own order
    return encoded.chunk(len(names) - 1).dictionary, maps


def python_strings(words: pa.Array[Any]) -> list[str]:
    """The words, none of which is null, as Python strings."""
    return cast("list[str]", words.to_pylist())
