"""The string pool of a batch: every string that a stage may meet there, one code each."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.plan.tables import Pure
from batchprep.run.arrow_calls import take
from batchprep.run.objects import ObjectPool
from batchprep.run.outcomes import Results, results_of

Codes = npt.NDArray[np.int32]
Objects = npt.NDArray[np.object_]


NO_WORDS: Final[pa.Array[Any]] = pa.nulls(0, pa.string())


class FixedWords:
    """Strings of the stage itself: constants and values of tables. They come first in each pool."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(dict.fromkeys(words))
        self._codes = {word: code for code, word in enumerate(self.words)}
        self.arrow: pa.Array[Any] = pa.array(self.words, pa.string())
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
            found = self._results[pure] = results_of(pure, [self.words])
        return found


class Pool:
    """Strings by code: the fixed ones, those of the batch's columns, those that tables give."""

    def __init__(self, fixed: FixedWords, columns: Mapping[str, pa.Array[Any]]) -> None:
        self.fixed = fixed
        self.maps: dict[str, Codes] = {}
        self._words = self._unify(columns)
        self._strings: list[str] | None = None
        self._objects: Objects | None = None
        self._extra: list[str] = []
        self._codes: dict[str, int] | None = None
        self._growing = threading.RLock()  # chunks run on several threads
        self._results: dict[Pure, Results] = {}
        self.held = ObjectPool()  # objects that are no strings, numbered on their own

    def __len__(self) -> int:
        return len(self.fixed) + len(self._words) + len(self._extra)

    def _unify(self, columns: Mapping[str, pa.Array[Any]]) -> pa.Array[Any]:
        """The columns' words that are not fixed; `maps` turns a column's codes into the pool's."""
        if not columns:
            return NO_WORDS
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
        if self._strings is None:
            with self._growing:
                if self._strings is None:
                    self._strings = [*self.fixed.words, *python_strings(self._words)]
        return self._strings

    def results(self, pure: Pure) -> Results:
        """What the function gives for every word so far: it runs once on each."""
        found = self._results.get(pure)
        if found is None:
            found = self.fixed.results(pure)
        if len(found.values) < len(self.strings()):
            found = found.extended(results_of(pure, [self.strings()[len(found.values) :]]))
        self._results[pure] = found
        return found

    def codes_of(self, words: Sequence[str]) -> Codes:
        """Codes of strings that a function gives; new ones join the pool."""
        with self._growing:  # chunks run on several threads
            codes = self._codes
            if codes is None:
                codes = self._codes = {word: code for code, word in enumerate(self.strings())}
            fresh = [word for word in dict.fromkeys(words) if word not in codes]
            if fresh:
                codes.update(zip(fresh, self._added(fresh).tolist(), strict=True))
        return np.fromiter(map(codes.__getitem__, words), np.int32, len(words))

    def codes_for_show(self, words: Sequence[str]) -> Codes:
        """Codes of strings that nothing will compare or look up: each gets one of its own."""
        with self._growing:
            return self._added(words)

    def _added(self, words: Sequence[str]) -> Codes:
        strings = self.strings()
        first = len(strings)
        strings.extend(words)
        self._extra.extend(words)
        return np.arange(first, len(strings), dtype=np.int32)

    def take(self, codes: Codes) -> list[str]:
        """The string of each code."""
        if self._extra or (self._objects is None and len(self) > 4 * len(codes)):
            return self._few(codes)
        return self.objects()[codes].tolist()

    def objects(self) -> Objects:
        """Every word, by code, as an array of Python strings."""
        if self._objects is None:
            self._objects = np.fromiter(self.strings(), np.object_, len(self))
        return self._objects

    def _few(self, codes: Codes) -> list[str]:
        """The strings of few codes, without making Python strings of all words."""
        if self._strings is not None:
            return [self._strings[code] for code in codes.tolist()]
        fixed, words, first = self.fixed.words, self._words, len(self.fixed)
        distinct, places = np.unique(codes, return_inverse=True)
        own = iter(python_strings(take(words, distinct[distinct >= first] - first)))
        chosen = [fixed[code] if code < first else next(own) for code in distinct.tolist()]
        return [chosen[place] for place in places.tolist()]

    def arrow(self) -> pa.Array[Any]:
        """Every word, by code."""
        extra: pa.Array[Any] = pa.array(self._extra, pa.string())
        own = (self.fixed.arrow, self._words, extra)
        parts = [part.cast(pa.string()) for part in own if len(part)]
        return pa.concat_arrays(parts) if parts else NO_WORDS


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
        name: chunk.indices.to_numpy() for name, chunk in zip(names, encoded.chunks, strict=True)
    }
    maps[names[0]] = None  # its words come first, in their own order
    return encoded.chunk(len(names) - 1).dictionary, maps


def python_strings(words: pa.Array[Any]) -> list[str]:
    """The words, none of which is null, as Python strings."""
    return cast("list[str]", words.to_pylist())
