"""Records of dirty texts: three levels, the same each time.

ascii:  every field is of its own kind, and its texts are ASCII
texts:  the same with any Unicode but surrogates
dirty:  beside these None, numbers, bools, ints that no int64 holds, and absent keys
"""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from typing import Any, Final, Literal

Level = Literal["ascii", "texts", "dirty"]
LEVELS: Final[tuple[Level, ...]] = ("ascii", "texts", "dirty")
ROWS = 60
SPOILED = 0.2  # of the fields of a dirty record
HUGE = 2**70

TEXTS = (
    "", " ", "a", "A", "abc", "Abc def", "HELLO World", "  padded\t", "hello", "x" * 3000,
    "ab " * 700,
    "under_score-dash", "Mr. O'Brien", 'say "hi"', "back\\slash", "100%", "%s %d", "{0} {x}",
    "\\d+",
    "\x00", "a\x00b", "line\nline\r\nline\rline", "\n", "tab\tseparated\tvalues",
    "\x0b\x0c\x1c\x1d",
    "\x1e|\x1f|\x7f", "123", "-1", "1st", "True", "None", "nan", "a,b;c", "/usr/share/doc", "aaa",
    "ß", "Straße", "İstanbul", "ıI", "ﬁne ﬂow", "ŉ", "ǆ Ǆ ǅ", "ὈΔΥΣΣΕΎΣ", "ς", "ſ", "\u212a", "Å",
    "e\u0301te\u0301", "\u0301", "naïve café", "Łódź", "東京", "שלום", "नमस्ते", "🚚 heavy",
    "👩\u200d👩\u200d👧", "🇳🇴", "\U0010ffff", "\U00010400x", "\ud7ff\ue000", "\uffff", "\ufeffbom",
    "\u00a0nbsp\u00a0", "\u200bzero", "\u3000wide\u3000", "a\x85b\u2028c\u2029d", "٣٤", "१२",
    "１２", "²", "½", "一二", "Ⅷ", "ⓐ", "ᾳ", "ΐ", "Ǖ", "ß" * 500, "a\u0308\u0323", "‘quoted’", "…",
)  # fmt: skip
SHORT = (
    "", "a", " ", ",", "ab", "x", "-", ".", "A", "%", "\n", "\t", "aa", "l", "he", "_", "1", "\x00",
    "ß", "İ", "ﬁ", "\u0301", "é", "🚚", "٣", "\u00a0", "SS", "ς",
)  # fmt: skip
LISTS = (
    "a,b,c", "a,b", "a", "", ",", "a,,c", " a , b , c ", "1,2,3", "k=v", "k=v;k2=v2", "k=v=w",
    "a;b;c",
    "one two  three", "x-y-z", "a|b|c|d", "a, b, c", "3.5,4", "first\nsecond\nthird", "2024-01-31",
    "10:20:30", "a.b.c.tar.gz", "/a/b/c.txt", "key: value", "lat,lon,alt,", "a\tb\tc",
    "x" * 900 + ",y",
    "ß,İ,ﬁ", "東,京", "é,e\u0301", "٣,٤", "a\u2028b,c", "🚚,b", "a\u00a0b c", "k\u3000v w", "ı,I,i",
)  # fmt: skip
NUMBERS = (
    "0", "1", "-0", "+5", "007", " 12 ", "1_000", "1__0", "_1", "1_", "3.14", "-2.5e3", "1e400",
    "inf",
    "-Infinity", "nan", "NaN", "0x1f", "1,234.50", "", "abc", "1e-5", "  7\n",
    "9223372036854775807",
    "9223372036854775808", "9" * 25, "1.", ".", ".5", "True", "--5", "+ 5", "5\x00", "9" * 4400,
    "42",
    "-17", "100", "1e3", "1_0.0_1", "0b101", "1.7976931348623157e308", "4.9e-324", "0.1", "12abc",
    "１２", "٣", "१२", "٣.٥", "2²", "½", "\u00a05\u2003", "\u200b5", "\u22125", "五", "𝟙𝟚",
)  # fmt: skip
JSON = (
    '{"a": 1}', '{"a": null}', '{"a": "x", "b": [1, 2]}', "[1, 2]", "{bad", "", "null", '"text"',
    '{"a": 1.5e3}', '{"a": {"b": true}}', '{"b": 1}', "NaN", '{"a": 12345678901234567890}', "7",
    '{"a": "\\u00df"}', ' {"a":\n2} ', '{"a": 1, "a": 2}', '{"a": -0.0, "b": []}',
    '{"a": {"b": null}}',
    '{"a": [], "b": ["x"]}', "{'a': 1}", '{"a": "3"}', '{"a": "İ"}', '{"a": "e\u0301"}', '{"ß": 1}',
)  # fmt: skip
KEYS = ("NO", "PL", "IE", "no", "XX", "", "JP", "1", " NO", "gold", "silver", "ß", "İ", "東")
MAILS = (
    "ida.blom@example.org", " Kim@Uni.Example ", "no-at-sign", "a@b@c", "", "@", "x@y",
    "A.B+tag@mail.co",
    "two@one.org, three@four.com", "müller@bücher.example", "İ@example.org", "用户@例子.广告",
)  # fmt: skip
CODES = (
    "AB-1234", "ab-1", "ORD/2024/0007", "X9", "", "978-0-306-40615-7", "GB29 NWBK 6016",
    "2024-02-29",
    "tel: +47 22 33 44 55", "v1.2.3", "#ff00aa", "12.5kg", "10 x 20", "id=7&n=x", "AB-12\n",
    "A1B2C3",
    "AB-٣٤", "Ä-12", "AB\u20111234", "ＡＢ-1", "12½", "é-1", "K\u212a-9",
)  # fmt: skip
INTS = (
    0,
    1,
    2,
    3,
    -1,
    -2,
    5,
    7,
    12,
    40,
    65,
    97,
    255,
    1000,
    1114111,
    1114112,
    -300,
    2**53 + 1,
    10**12,
)
SMALL = (0, 1, 2, 3, -1, -2, -3, 4, 7, 12, -12)
FLOATS = (
    0.0, -0.0, 1.0, 2.5, -2.5, 0.1, 1e16, 1e22, 123456.789, -1e-7, 5e-324, 1.7976931348623157e308,
    float("inf"), float("-inf"), float("nan"), 0.5, 1.5, 2.675, 99.995, 3.0,
)  # fmt: skip
BOOLS = (True, False)

FIELDS: Final[dict[str, Sequence[Any]]] = {
    "s": TEXTS, "t": SHORT, "u": SHORT, "csv": LISTS, "n": NUMBERS, "j": JSON, "k": KEYS,
    "k2": KEYS, "mail": MAILS, "code": CODES, "i": INTS, "w": SMALL, "x": FLOATS, "b": BOOLS,
}  # fmt: skip
MISFITS = (None, None, None, 0, 7, -3, 2.5, float("nan"), True, HUGE)
ABSENT = object()
EXTREME = {
    HUGE, 2**53 + 1, "9223372036854775807", "9223372036854775808", "9" * 25,
    "1.7976931348623157e308", 1.7976931348623157e308, 1e22, '{"a": 12345678901234567890}',
}  # fmt: skip


@functools.cache
def records(fields: tuple[str, ...], level: Level) -> tuple[dict[str, Any], ...]:
    """Records with these fields; every value of the first one's pool occurs."""
    chance = random.Random(f"{fields} {level}")
    pools = [_pool(name, level) for name in fields]
    rows = max(ROWS, *map(len, pools))
    columns = [_column(pool, rows, chance, level) for pool in pools]
    return tuple(
        {name: value for name, value in zip(fields, row, strict=True) if value is not ABSENT}
        for row in zip(*columns, strict=True)
    )


def _pool(name: str, level: Level) -> Sequence[Any]:
    pool = FIELDS[name]
    return [value for value in pool if str(value).isascii()] if level == "ascii" else pool


def _column(pool: Sequence[Any], rows: int, chance: random.Random, level: Level) -> list[Any]:
    values = [*pool, *chance.choices(pool, k=rows - len(pool))]
    chance.shuffle(values)
    if level != "dirty":
        return values
    return [
        chance.choice((*MISFITS, ABSENT, ABSENT)) if chance.random() < SPOILED else value
        for value in values
    ]


def is_extreme(record: dict[str, Any]) -> bool:
    """Whether a value, or the number that it spells, is beyond what kernels compute exactly."""
    return any(value in EXTREME for value in record.values())
