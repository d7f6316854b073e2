"""What CPython says of each character, as tables for kernels over bytes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
Traits = npt.NDArray[np.uint16]

# The two planes in which scripts with cases lie; what is beyond is left to Python.
KNOWN: Final = 0x20000
SIGMA: Final = 0x3A3  # whose lower case depends on where in a word it stands
LAST_SPACE: Final = 0x3000  # no character beyond it is white space
ASCII: Final = 128


def _is_title(character: str) -> bool:
    """Whether it is in title case alone: str.istitle says so of capitals, too."""
    return character.istitle() and not character.isupper()


TRAITS: Final[dict[str, Callable[[str], bool]]] = {
    "space": str.isspace,
    "alpha": str.isalpha,
    "decimal": str.isdecimal,
    "digit": str.isdigit,
    "numeric": str.isnumeric,
    "printable": str.isprintable,
    "ascii": str.isascii,
    "lower": str.islower,
    "upper": str.isupper,
    "title": _is_title,
}
BIT: Final = {name: 1 << place for place, name in enumerate(TRAITS)}

_CASES: Final[dict[str, Callable[[str], str]]] = {
    "lower": str.lower, "upper": str.upper, "casefold": str.casefold,
}  # fmt: skip


@functools.cache
def white_space() -> npt.NDArray[np.uint8]:
    """Whether str.strip takes a character off: all that it takes are in the table."""
    return np.array([chr(code).isspace() for code in range(LAST_SPACE + 1)], np.uint8)


@functools.cache
def in_case(method: str) -> Codes:
    """The character that each becomes; -1 where that depends, or is not one character."""
    convert = _CASES[method]
    found = [_only_code(convert(chr(code))) for code in range(KNOWN)]
    if method == "lower":
        found[SIGMA] = -1
    codes = np.array(found, np.int32)
    codes[0xD800:0xE000] = -1  # halves of pairs, which are no characters
    return codes


def _only_code(text: str) -> int:
    return ord(text) if len(text) == 1 else -1


@functools.cache
def traits(count: int) -> Traits:
    """Which of TRAITS each of so many characters has, by BIT."""
    found = np.zeros(count, np.uint16)
    texts = list(map(chr, range(count)))
    for name, holds in TRAITS.items():
        own = np.fromiter(map(holds, texts), np.bool_, count)
        found |= own.astype(np.uint16) << np.uint16(BIT[name].bit_length() - 1)
    return found
