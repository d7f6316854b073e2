"""Short strings that are told by what is in them: one word for all that are equal, no more."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.batch.record_columns import _Target, columns_of_dicts
from batchprep.kernels.cpu import known_texts, objects
from batchprep.schema import Field
from tests.batch.readers import READERS, assert_same, ordinary

FIELD = Field("a", frozenset({"str"}))
READER = READERS["plain"]


def fresh(text):
    """An equal string that is another object, where there are such."""
    return (text + "+")[:-1]


def words_met(rs):
    target = _Target(FIELD, len(rs), READER)
    table = np.array([target.addresses()], np.int64)
    assert READER.read(rs, range(len(rs)), table)
    return target._words


LENGTHS = range(known_texts.MOST_BYTES + 3)
ALIKE = [
    *("a" * length for length in LENGTHS),
    *("\0" * length for length in LENGTHS),
    *("abcdefgh" + "x" * length + "abcdefgh" for length in range(3)),
    *("a" * length + "b" for length in LENGTHS),
    *("b" + "a" * length for length in LENGTHS),
    *("é", "\x7f", "\x80", "€uro", "\U0001f600", "nul\0nul", "nul"),
]


def test_strings_that_look_alike_are_told_apart():
    rs = [{"a": fresh(text)} for text in ALIKE * 20]
    (column,) = columns_of_dicts(rs, range(len(rs)), [FIELD], READER).values()
    words = column.words.to_pylist()

    assert [words[code] for code in column.buffers["str"]] == ALIKE * 20


@given(st.lists(st.text(st.sampled_from("ab\0é"), max_size=18), min_size=1, max_size=60))
def test_words_are_those_of_the_ordinary_way(texts):
    rs = [{"a": fresh(text)} for text in texts]
    expected = ordinary(rs, FIELD)

    for reader in READERS.values():
        assert_same(columns_of_dicts(rs, range(len(rs)), [FIELD], reader)["a"], expected)


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 16])
def test_equal_short_strings_are_one_word_however_many_objects_they_are(length):
    rs = [{"a": fresh("x" * length)} for _ in range(1_000)]

    assert words_met(rs) == ["x" * length]


def test_equal_long_strings_are_met_again():
    assert len(words_met([{"a": fresh("x" * 17)} for _ in range(100)])) == 100


def test_more_short_strings_than_there_are_slots_are_told_apart():
    texts = ["".join(letters) for letters in itertools.product("abcdefghij", repeat=4)]
    rs = [{"a": fresh(text)} for text in texts + texts]

    assert_same(columns_of_dicts(rs, range(len(rs)), [FIELD], READER)["a"], ordinary(rs, FIELD))


def test_the_layout_of_strings_is_known_here():
    layout = READER._known[READER.layout.LAYOUT, 0]

    assert (layout & objects.WIDE_TEXTS != 0) != (layout & objects.TEXTS != 0)
