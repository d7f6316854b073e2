"""Known functions of texts over a whole array of words, by Arrow's kernels instead of Python's.

Only what Arrow computes as CPython does: some of it for all texts, the rest for ASCII. The other
words are left to the function itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc

from batchprep.backends.kernel import Array
from batchprep.plan.tables import Pure
from batchprep.run.text_chains import POSITION, chain_of

Words = Any  # an array of strings, or what a function gives for each
Compute = Callable[[Words], Words]

# What str.strip takes off, of ASCII; Arrow's own trim leaves \x1c to \x1f.
WHITESPACE: Final = " \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"
# Setting up the kernels takes as long as so many calls of Python's own method.
LEAST_WORDS: Final = 2_000

_compute: Final = cast("Any", pc)


class Step(NamedTuple):
    """One function of a chain. `ascii_only` tells that other texts are not Arrow's."""

    compute: Compute
    ascii_only: bool


def over_words(pure: Pure, words: Words) -> Words | None:
    """What a function gives for each of the words, as Arrow; None where Python has to say."""
    steps = _steps(pure) if len(words) >= LEAST_WORDS else None
    if steps is None:
        return None
    if not any(step.ascii_only for step in steps):
        return _run(steps, words)
    ascii_ = _compute.string_is_ascii(words)
    found = _run(steps, words)
    if _compute.all(ascii_).as_py():
        return found
    others = _compute.invert(ascii_)
    own = list(map(pure.function, words.filter(others).to_pylist()))
    return _compute.replace_with_mask(found, others, pa.array(own, found.type))


def is_sum(pure: Pure) -> bool:
    """Whether the function is `a + b` of two texts."""
    return pure.key == _SUM


def joined(columns: Sequence[Words]) -> Words:
    """One text after the other."""
    return _compute.binary_join_element_wise(*columns, "")


def _run(steps: Sequence[Step], words: Words) -> Words:
    for step in steps:
        words = step.compute(words)
    return words


@functools.lru_cache(maxsize=256)
def _steps(pure: Pure) -> tuple[Step, ...] | None:
    """The chain of functions, innermost first; None where one of them is not known here."""
    chain = chain_of(pure)
    if chain is None or not all(call.name in _GIVE_TEXT for call in chain[:-1]):
        return None
    made = [_STEPS.get((call.name, call.place)) for call in chain]
    steps = [m and m(*call.fixed) for m, call in zip(made, chain, strict=True)]
    known = [step for step in steps if step is not None]
    return tuple(known) if len(known) == len(steps) else None


_SUM: Final = ("+", None, (("str", (0,)), ("str", (1,))))


def _position(keys: Any) -> Step | None:
    """1 + the position of a word among keys, 0 elsewhere."""
    texts = _texts(list(keys))
    if texts is None:
        return None

    def find(words: Words) -> Words:
        found = _compute.index_in(words, texts.cast(words.type)).cast(pa.int64())
        return _compute.add(found, 1).fill_null(0)

    return Step(find, ascii_only=False)


def _texts(texts: list[str]) -> pa.Array[Any] | None:
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:  # a lone surrogate
        return None


# ----------------------------------------------------------------------------------- the functions

Make = Callable[..., Step | None]


def _trim(kernel: str) -> Make:
    def make(*characters: Any) -> Step | None:
        taken = characters[0] if characters and characters[0] is not None else WHITESPACE
        if len(characters) > 1 or type(taken) is not str or not (taken and taken.isascii()):
            return None
        trim = getattr(_compute, kernel)
        ascii_only = characters in {(), (None,)}  # other alphabets have white space, too
        return Step(lambda words: trim(words, characters=taken), ascii_only=ascii_only)

    return make


def _case(kernel: str) -> Make:
    def make(*rest: Any) -> Step | None:
        return None if rest else Step(getattr(_compute, kernel), ascii_only=True)

    return make


def _match(kernel: str) -> Make:
    def make(*rest: Any) -> Step | None:
        if len(rest) != 1 or not _is_text(rest[0]):
            return None
        match = getattr(_compute, kernel)
        return Step(lambda words: match(words, pattern=rest[0]), ascii_only=False)

    return make


def _replace(*rest: Any) -> Step | None:
    if len(rest) != 2 or not all(map(_is_text, rest)) or not rest[0]:
        return None
    old, new = rest
    replace = _compute.replace_substring
    return Step(lambda words: replace(words, pattern=old, replacement=new), ascii_only=False)


def _find(*rest: Any) -> Step | None:
    if len(rest) != 1 or not _is_text(rest[0]) or not rest[0]:
        return None
    find = _compute.find_substring  # in bytes
    return Step(lambda words: find(words, pattern=rest[0]).cast(pa.int64()), ascii_only=True)


def _slice(*bounds: Any) -> Step | None:
    start, stop, step = bounds
    start = 0 if start is None else start
    if step not in {None, 1} or start < 0 or (stop is not None and stop < start):
        return None
    cut = _compute.utf8_slice_codeunits
    return Step(lambda words: cut(words, start=start, stop=stop), ascii_only=False)


def _before(*rest: Any) -> Step | None:
    """`constant + text`."""
    if not _is_text(rest[0]):
        return None
    join = _compute.binary_join_element_wise
    return Step(lambda words: join(_scalar(rest[0], words), words, ""), ascii_only=False)


def _after(*rest: Any) -> Step | None:
    """`text + constant`."""
    if not _is_text(rest[0]):
        return None
    join = _compute.binary_join_element_wise
    return Step(lambda words: join(words, _scalar(rest[0], words), ""), ascii_only=False)


def _scalar(text: str, words: Words) -> Any:
    return pa.scalar(text, words.type)


def _is_text(value: object) -> bool:
    """Whether Arrow holds the text."""
    return type(value) is str and _texts([value]) is not None


# By name and by the place of the operand that is not constant.
_STEPS: Final[dict[tuple[Any, int], Make]] = {
    (".strip", 0): _trim("utf8_trim"),
    (".lstrip", 0): _trim("utf8_ltrim"),
    (".rstrip", 0): _trim("utf8_rtrim"),
    (".lower", 0): _case("ascii_lower"),
    (".casefold", 0): _case("ascii_lower"),
    (".upper", 0): _case("ascii_upper"),
    (".startswith", 0): _match("starts_with"),
    (".endswith", 0): _match("ends_with"),
    ("in", 1): _match("match_substring"),
    (".replace", 0): _replace,
    (".find", 0): _find,
    ("slice", 0): _slice,
    ("len", 0): lambda: Step(_compute.utf8_length, ascii_only=False),
    ("+", 0): _after,
    ("+", 1): _before,
    (POSITION, 0): _position,
}
_GIVE_TEXT: Final = frozenset({
    ".strip", ".lstrip", ".rstrip", ".lower", ".casefold", ".upper", ".replace", "slice", "+",
})  # fmt: skip


def numbers_of(found: Words) -> Array:
    """Bools or ints as NumPy."""
    return found.to_numpy(zero_copy_only=False)
