"""Which functions of texts the kernels over bytes know, and what they make of each call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from batchprep.run import byte_texts
from batchprep.run.byte_texts import Bytes, Found, Keys, Question, Texts
from batchprep.run.text_chains import POSITION, Call, Chain

Apply = Callable[[Texts], Any]


@dataclass(frozen=True)
class Step:
    """One call of a chain: what it makes of the texts, by which kernels; texts or values.

    `around` are the constants of one that only puts something before or behind a text.
    """

    apply: Apply
    kernels: frozenset[str]
    gives_texts: bool
    around: tuple[str, str] | None = None


def steps_of(chain: Chain) -> tuple[Step, ...] | None:
    """The chain's steps; None where the kernels do not know one of the functions."""
    steps = [_made(call) if call.name == POSITION else _step(call) for call in chain]
    known = [step for step in steps if step is not None]
    if len(known) < len(steps) or not all(step.gives_texts for step in known[:-1]):
        return None
    return tuple(known)


def _made(call: Call) -> Step | None:
    make = _STEPS.get((call.name, call.place))
    return None if make is None else make(*call.fixed)


_step: Final = functools.lru_cache(maxsize=512)(_made)  # but for tables, which may be large


def bytes_of(text: object) -> Bytes | None:
    """A constant text in UTF-8; None for anything else, and where it has none."""
    if type(text) is not str:
        return None
    try:
        return np.frombuffer(text.encode(), np.uint8)
    except UnicodeEncodeError:  # a lone surrogate
        return None


# ----------------------------------------------------------------------------------- the functions

Make = Callable[..., Step | None]
LONGEST_PATTERN: Final = 64  # bytes; looking for a longer one may take the product of the lengths


def _texts(apply: Apply, *kernels: str) -> Step:
    return Step(apply, frozenset(kernels), gives_texts=True)


def _values(apply: Callable[[Texts], Found], *kernels: str) -> Step:
    return Step(apply, frozenset(kernels), gives_texts=False)


def _trim(*, left: bool, right: bool) -> Make:
    def make(*fixed: Any) -> Step | None:
        characters = fixed[0] if fixed else None
        if len(fixed) > 1 or not (characters is None or _is_ascii(characters)):
            return None
        return _texts(
            lambda texts: byte_texts.trimmed(texts, characters, left=left, right=right), "trim"
        )

    return make


def _is_ascii(text: object) -> bool:
    return type(text) is str and text.isascii()


def _case(method: str) -> Make:
    def make(*fixed: Any) -> Step | None:
        if fixed:
            return None
        return _texts(lambda texts: byte_texts.recased(texts, method), "recase")

    return make


def _match(*, at_end: bool) -> Make:
    def make(*fixed: Any) -> Step | None:
        pattern = _only_pattern(fixed, empty=True)
        if pattern is None:
            return None
        return _values(lambda texts: byte_texts.matching(texts, pattern, at_end=at_end), "matches")

    return make


def _without(*, at_end: bool) -> Make:
    def make(*fixed: Any) -> Step | None:
        pattern = _only_pattern(fixed, empty=True)
        if pattern is None:
            return None
        return _texts(lambda texts: byte_texts.without(texts, pattern, at_end=at_end), "without")

    return make


def _only_pattern(fixed: Sequence[Any], *, empty: bool) -> Bytes | None:
    pattern = bytes_of(fixed[0]) if len(fixed) == 1 else None
    if pattern is None or (not empty and not 0 < len(pattern) <= LONGEST_PATTERN):
        return None
    return pattern


def _find(*fixed: Any) -> Step | None:
    pattern = _only_pattern(fixed, empty=False)
    if pattern is None:
        return None
    return _values(lambda texts: byte_texts.places_of(texts, pattern), "find")


def _contains(*fixed: Any) -> Step | None:
    pattern = _only_pattern(fixed, empty=False)
    if pattern is None:
        return None

    def contains(texts: Texts) -> Found:
        found = byte_texts.places_of(texts, pattern)
        return Found(found.values >= 0, found.hard)

    return _values(contains, "find")


def _replace(*fixed: Any) -> Step | None:
    if len(fixed) != 2:
        return None
    pattern, new = _only_pattern(fixed[:1], empty=False), bytes_of(fixed[1])
    if pattern is None or new is None:
        return None
    kernels = ("replace", "occurrences") if len(new) > len(pattern) else ("replace",)
    return _texts(lambda texts: byte_texts.replaced(texts, pattern, new), *kernels)


def _slice(*bounds: Any) -> Step | None:
    start, stop, step = bounds
    if step not in {None, 1} or not all(_is_bound(bound) for bound in (start, stop)):
        return None
    return _texts(lambda texts: byte_texts.sliced(texts, start or 0, stop), "cut")


def _is_bound(bound: Any) -> bool:
    return bound is None or abs(bound) < 2**31


def _around(before: Any, after: Any) -> Step | None:
    head, tail = bytes_of(before), bytes_of(after)
    if head is None or tail is None:
        return None
    step = _texts(lambda texts: byte_texts.surrounded(texts, head, tail), "surround")
    return replace(step, around=(before, after))


def _judge(question: Question) -> Make:
    def make(*fixed: Any) -> Step | None:
        return None if fixed else _values(lambda texts: byte_texts.judged(texts, question), "judge")

    return make


def _position(keys: Any) -> Step | None:
    if not all(bytes_of(key) is not None for key in keys):
        return None
    table = Keys(keys, range(1, len(keys) + 1), 0)
    return _values(table.found, *byte_texts.LOOKUP)


# By name and by the place of the operand that is not constant.
_STEPS: Final[dict[tuple[str, int], Make]] = {
    (".strip", 0): _trim(left=True, right=True),
    (".lstrip", 0): _trim(left=True, right=False),
    (".rstrip", 0): _trim(left=False, right=True),
    (".lower", 0): _case("lower"),
    (".casefold", 0): _case("casefold"),
    (".upper", 0): _case("upper"),
    (".startswith", 0): _match(at_end=False),
    (".endswith", 0): _match(at_end=True),
    (".removeprefix", 0): _without(at_end=False),
    (".removesuffix", 0): _without(at_end=True),
    ("in", 1): _contains,
    (".replace", 0): _replace,
    (".find", 0): _find,
    ("slice", 0): _slice,
    ("len", 0): lambda: _values(byte_texts.lengths, "length"),
    ("+", 0): lambda *fixed: _around("", fixed[0]),
    ("+", 1): lambda *fixed: _around(fixed[0], ""),
    (POSITION, 0): _position,
    **{(f".{name}", 0): _judge(question) for name, question in byte_texts.QUESTIONS.items()},
}
