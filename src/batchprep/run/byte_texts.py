"""Texts of a chunk as bytes, and the kernels over them: each function's texts or values, per row.

The kernels of kernels/cpu/texts.py are loaded beside the calls, one by one as they are needed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from batchprep.batch.fresh_arrays import empty_array
from batchprep.batch.record_reader import Loader, loader_of
from batchprep.run.characters import ASCII, BIT, KNOWN, in_case, traits, white_space

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int32]
Values = npt.NDArray[Any]
Kernel = Any

NOTHING: Final[Bytes] = np.zeros(0, np.uint8)
NO_CODES: Final[Places] = np.zeros(0, np.int32)
_KERNELS: Final = "batchprep.kernels.cpu.texts"


class Texts(NamedTuple):
    """The text of each row is data[start:end]; `hard` marks rows that Python has to answer.

    No two rows share bytes, so that all texts have at most as many as there are.
    """

    data: Bytes
    starts: Places
    ends: Places
    hard: Bytes | None = None


class Found(NamedTuple):
    """A value a row; `hard` as in Texts."""

    values: Values
    hard: Bytes | None = None


# ----------------------------------------------------------------------------------------- loading


@functools.cache
def _loader(name: str) -> Loader[Kernel]:
    return loader_of(_KERNELS, lambda kernels: kernels.load(name))


def are_loaded(names: Iterable[str], rows: int) -> bool:
    """Whether these kernels are there; else they are asked for if so many more rows make it."""
    missing = [loader for loader in map(_loader, names) if loader.loaded is None]
    for loader in missing:
        loader.ask(rows)
    return not missing


def load_now(names: Iterable[str]) -> bool:
    """Whether these kernels are there, waited for: for tests and measurements."""
    return None not in {_loader(name).wait() for name in names}


def _kernel(name: str) -> Kernel:
    return _loader(name).loaded


# ------------------------------------------------------------------------------- parts of the texts


def trimmed(texts: Texts, characters: str | None, *, left: bool, right: bool) -> Texts:
    """Without white space, or these ASCII characters, at either side."""
    if characters is None:
        wide = white_space()
        taken = wide[:ASCII]
    else:
        wide, taken = NOTHING, np.zeros(ASCII, np.uint8)
        taken[[ord(character) for character in characters]] = 1
    views = _views(texts)
    _kernel("trim")(*texts[:3], taken, wide, left, right, *views)
    return Texts(texts.data, *views, texts.hard)


def sliced(texts: Texts, start: int, stop: int | None) -> Texts:
    """text[start:stop]."""
    views = _views(texts)
    _kernel("cut")(*texts[:3], start, stop is not None, stop or 0, *views)
    return Texts(texts.data, *views, texts.hard)


def without(texts: Texts, pattern: Bytes, *, at_end: bool) -> Texts:
    """Without a prefix or suffix."""
    views = _views(texts)
    _kernel("without")(*texts[:3], pattern, at_end, *views)
    return Texts(texts.data, *views, texts.hard)


def _views(texts: Texts) -> tuple[Places, Places]:
    return empty_array(len(texts.starts), np.int32), empty_array(len(texts.starts), np.int32)


# --------------------------------------------------------------------------------- texts of its own


def recased(texts: Texts, method: str) -> Texts:
    """In lower or upper case, or casefold."""
    first = ord("a" if method == "upper" else "A")
    rows, data = len(texts.starts), empty_array(len(texts.data), np.uint8)
    hard = _copied(texts.hard, rows)
    for codes in _tables(method):
        hard = _copied(texts.hard, rows)
        _kernel("recase")(*texts[:3], first, codes, data, hard)
        if len(codes) or np.array_equal(hard, _copied(texts.hard, rows)):
            break
    return Texts(data, texts.starts, texts.ends, hard)


_tables_met: Final[set[str]] = set()


def _tables(method: str) -> Iterator[Places]:
    """No table, which does for ASCII, until that of all characters is made; then that one."""
    if method not in _tables_met:
        yield NO_CODES
        _tables_met.add(method)
    yield in_case(method)


def surrounded(texts: Texts, before: Bytes, after: Bytes) -> Texts:
    """before + text + after; one behind the other."""
    rows = len(texts.starts)
    out, views = _room(len(texts.data) + rows * (len(before) + len(after))), _views(texts)
    size = _kernel("surround")(*texts[:3], before, after, out, *views)
    return Texts(out[:size], *views, texts.hard)


def joined(texts: Texts, between: Bytes, others: Texts) -> Texts:
    """text + between + other, one behind the other."""
    rows = len(texts.starts)
    out = _room(len(texts.data) + len(others.data) + rows * len(between))
    views = _views(texts)
    size = _kernel("join")(*texts[:3], between, *others[:3], out, *views)
    return Texts(out[:size], *views, _either(texts.hard, others.hard))


def replaced(texts: Texts, pattern: Bytes, new: Bytes) -> Texts:
    """With another text in place of a pattern."""
    size, views = len(texts.data), _views(texts)
    if len(new) > len(pattern):
        found = _kernel("occurrences")(*texts[:3], pattern)
        size += found * (len(new) - len(pattern))
    out = _room(size)
    size = _kernel("replace")(*texts[:3], pattern, new, out, *views)
    return Texts(out[:size], *views, texts.hard)


_SLACK: Final = 8  # bytes that may be written behind the last text


def _room(size: int) -> Bytes:
    if size > np.iinfo(np.int32).max - _SLACK:
        raise TooLong
    return empty_array(size + _SLACK, np.uint8)


class TooLong(Exception):  # noqa: N818  no error of the user's: the texts take another way
    """Raised where the texts of a chunk take 2 GiB or more."""


def _copied(hard: Bytes | None, rows: int) -> Bytes:
    return np.zeros(rows, np.uint8) if hard is None else hard.copy()


def _either(one: Bytes | None, other: Bytes | None) -> Bytes | None:
    if one is None or other is None:
        return other if one is None else one
    return one | other


# --------------------------------------------------------------------------------- what they tell


def matching(texts: Texts, pattern: Bytes, *, at_end: bool) -> Found:
    """Whether each starts or ends with a pattern."""
    found = empty_array(len(texts.starts), np.bool_)
    _kernel("matches")(*texts[:3], pattern, at_end, found)
    return Found(found, texts.hard)


def places_of(texts: Texts, pattern: Bytes) -> Found:
    """text.find(pattern)."""
    found = empty_array(len(texts.starts), np.int32)
    _kernel("find")(*texts[:3], pattern, found)
    return Found(found, texts.hard)


def lengths(texts: Texts) -> Found:
    """len(text)."""
    found = empty_array(len(texts.starts), np.int32)
    _kernel("length")(*texts[:3], found)
    return Found(found, texts.hard)


def judged(texts: Texts, question: Question) -> Found:
    """What an `is...` method says."""
    rows = len(texts.starts)
    found = empty_array(rows, np.bool_)
    before = _copied(texts.hard, rows)
    hard = before
    for count in (ASCII, KNOWN):
        hard = before.copy()
        _kernel("judge")(*texts[:3], traits(count), *question, found, hard)
        if int(hard.sum()) == int(before.sum()):
            break
    return Found(found, hard)


class Question(NamedTuple):
    """Every character has one of some traits, one has `some`, none has `never`."""

    every: int
    some: int
    never: int
    empty: bool


def _every(*names: str, empty: bool = False) -> Question:
    bits = sum(BIT[name] for name in names)
    return Question(bits, 0, 0, empty)


QUESTIONS: Final[dict[str, Question]] = {
    "isspace": _every("space"),
    "isalpha": _every("alpha"),
    "isdecimal": _every("decimal"),
    "isdigit": _every("digit"),
    "isnumeric": _every("numeric"),
    "isalnum": _every("alpha", "decimal", "digit", "numeric"),
    "isprintable": _every("printable", empty=True),
    "isascii": _every("ascii", empty=True),
    "islower": Question(0, BIT["lower"], BIT["upper"] | BIT["title"], empty=False),
    "isupper": Question(0, BIT["upper"], BIT["lower"] | BIT["title"], empty=False),
}


LOOKUP: Final = ("position", "hash_table", "short_position", "place_short")  # kernels of Keys


class Keys:
    """Texts to be looked up, by a hash table over their bytes, and an int32 for each."""

    def __init__(self, keys: Sequence[str], values: Sequence[int], missing: int) -> None:
        encoded = [key.encode() for key in keys]
        sizes = [len(key) for key in encoded]
        self._shortest, self._longest = min(sizes, default=1), max(sizes, default=0)
        self._data = np.frombuffer(b"".join(encoded), np.uint8)
        self._bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        self._values = np.array(values, np.int32)
        self._missing = missing
        self._find: Callable[..., None] | None = None
        self._encoded = encoded if self._longest <= SHORT and len(keys) <= FEW else None

    def found(self, texts: Texts) -> Found:
        """The value of the key that each text equals, `missing` where it is none."""
        if self._find is None:  # threads that both find nothing make equal ones
            self._find = self._short() or self._any()
        found = empty_array(len(texts.starts), np.int32)
        self._find(*texts[:3], found)
        return Found(found, texts.hard)

    def _any(self) -> Callable[..., None]:
        slots = np.full(_power_of_two(4 * len(self._bounds)), -1, np.int32)
        _kernel("hash_table")(self._data, self._bounds, slots)
        sizes = self._shortest, self._longest
        fixed = self._data, self._bounds, slots, *sizes, self._values, self._missing
        return lambda *given: _kernel("position")(*given[:3], *fixed, given[3])

    def _short(self) -> Callable[..., None] | None:
        """For few short keys: a table without collisions, if a factor is found that makes one."""
        if self._encoded is None:
            return None
        words = np.frombuffer(b"".join(k.ljust(SHORT, b"\0") for k in self._encoded), np.uint64)
        keys = words[0::2].copy(), words[1::2].copy(), np.diff(self._bounds)
        count, size = len(self._encoded), _power_of_two(4 * len(self._encoded))
        shift, slots = 65 - size.bit_length(), np.empty(count, np.int32)
        for factor in _FACTORS.tolist():
            _kernel("place_short")(*keys, slots, factor, shift)
            if len(np.unique(slots)) == count:
                tables = [_spread(values, slots, size, 0) for values in keys[:2]]
                tables.append(_spread(keys[2], slots, size, -1))
                tables.append(
                    np.append(np.int32(self._missing), _spread(self._values, slots, size, 0))
                )
                return lambda *given: _kernel("short_position")(
                    *given[:3], *tables, factor, shift, given[3]
                )
        return None


SHORT: Final = 16  # bytes of a key
FEW: Final = 256  # keys
# Odd numbers of 64 bits; with a table four times too large, few in a hundred fit few keys.
_FACTORS: Final = np.random.default_rng(16).integers(2**63, 2**64, 500, np.uint64) | np.uint64(1)


def _spread(values: Values, slots: Places, size: int, filler: int) -> Values:
    table = np.full(size, filler, values.dtype)
    table[slots] = values
    return table


def _power_of_two(least: int) -> int:
    return max(2, 1 << (least - 1).bit_length())
