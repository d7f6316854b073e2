"""Texts as they come in data: of every script, in every state of repair."""

from __future__ import annotations

from random import Random
from typing import Literal

Flavour = Literal["words", "dirty", "numbers", "dates", "lists", "pairs", "json"]

WORDS = ("red", "green", "blue", "", "RED", "ß", "naïve", "1", "a", "long " * 8)
DIRTY = (
    "", " ", "\x00", "a\x00b", "\n", "a\r\nb\x0bc\x85d\u2028e", "\t tab\t", "  red  ", "Red,Green",
    "ß", "ẞ", "İ", "ı", "ﬁ", "ǅ", "ŉ", "ΑΣ", "ς", "e\u0301", "\u0301", "é", "a\u0308\u0323", "각",
    "日本語", "שלום", "\u200f", "\u200b", "\ufeff", "\u00a0x\u3000", "\u1680", "\x1c",
    "😀", "👩\u200d👧",
    "𝔘", "\U0010ffff", "\ud7ff\ue000", "٣", "१२", "²", "½", "Ⅷ", "㊿", "{}", "{0}", "{x", "%s",
    "%d%", "%%",
    "\\1", "\\", "'", '"', "'\"", "None", "nan", "True", "x" * 300, "aAbB", "a_b", "_1", "1a",
    "A B c",
)  # fmt: skip
NUMBERS = (
    "12", " 7 ", "-3", "+4", "1_000", "1__0", "_1", "3.5", "-0", "-0.0", "1e5", "1E-400", "1e400",
    "inf", "-Infinity", "nan", "NaN", "٣٤", "१२.५", "²", "½", "１２", "\u00a07\u2003", "9\n",
    "- 1", "1,5",
    "", "abc", "0x1F", "010", ".5", "5.", ".", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "1" * 40, "9007199254740993", "1\x00", "True",
)  # fmt: skip
DATES = (
    "2024-02-29", "2023-02-29", "1999-12-31T23:59:59", "0001-01-01", "9999-12-31", "2024-1-5",
    "31/12/2020", "", "20240229", "2024-06-01 12:00:00+02:00",
)  # fmt: skip
LISTS = (
    "a,b,c",
    "a,b",
    "1,2,3",
    ",",
    ",,",
    "a",
    "",
    "a, b",
    "red,ß",
    "x,,y",
    "1 2",
    "a b  c",
    "é,é",
)
PAIRS = ("k=v", "a=1", "=", "a==b", "a=", "=1", "a", "", "ß=ẞ", "x=1,y=2", "key = value", "a_1=٣")
JSON = (
    '{"a": 1}', '{"a": "x"}', '{"a": 2.5, "b": 7}', '{"a": null}', '{"a": true}', '{"b": 1}',
    "[1, 2]", '"text"', "null", "7", "", "{bad", '{"a": [1, "x"]}', '{"a": {"b": 1}}', '{"a": NaN}',
    '{"a": 18446744073709551616}', '{"a": "\\ud800"}', '{"a": "ß\\u0000"}', ' {"a": -0.0} ', "[]",
)  # fmt: skip
# JSON around a value of the row, so that it can be read whatever the field holds.
DOCUMENTS = (
    '{"a": %s}', '{"a": [%s]}', '{"a": {"b": %s}}', '{"a": "%s"}', '{"b": [%s]}',
    '{"a": "\\ud800%s"}', '{"a": 1844674407370955161%s}',
)  # fmt: skip
OF_FLAVOUR: dict[Flavour, tuple[str, ...]] = {
    "words": WORDS,
    "dirty": DIRTY,
    "numbers": NUMBERS,
    "dates": DATES,
    "lists": LISTS,
    "pairs": PAIRS,
    "json": JSON,
}
FLAVOURS: tuple[tuple[int, Flavour], ...] = (
    (3, "dirty"), (3, "numbers"), (2, "lists"), (2, "pairs"), (4, "json"), (1, "dates"),
)  # fmt: skip
SCRIPTS = (
    (0, 0x80),
    (0x80, 0x250),
    (0x300, 0x370),
    (0x370, 0x700),
    (0x2000, 0x2070),
    (0, 0x110000),
)


def text_of(random: Random, flavour: Flavour) -> str:
    """A text: mostly of the flavour, now and then of letters at random."""
    if flavour == "words" or random.random() < 0.85:
        return random.choice(OF_FLAVOUR[flavour])
    if random.random() < 0.3:
        return random.choice(DIRTY)
    first, last = random.choice(SCRIPTS)
    return "".join(_letter(random, first, last) for _ in range(random.randrange(6)))


def _letter(random: Random, first: int, last: int) -> str:
    code = random.randrange(first, last)
    return "?" if 0xD800 <= code < 0xE000 else chr(code)  # Arrow holds no lone surrogates
