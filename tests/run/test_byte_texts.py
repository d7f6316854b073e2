"""Kernels over the bytes of texts give what CPython's str gives."""

import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from batchprep.kernels.cpu import texts as kernels
from batchprep.run import characters
from batchprep.run.byte_steps import bytes_of, steps_of
from batchprep.run.byte_texts import FEW, QUESTIONS, Texts, joined, load_now, recased
from batchprep.run.text_chains import POSITION, Call

# Cases that change a text's length or meaning, white space of other alphabets, four bytes.
PECULIAR = "\x85\xa0\u1680\u2003\u2028\u3000éÉßİıςΣσﬁǅⱥȺKÅÿŸ𐐀𐐨😀٣²½ªª語\u0301\U000e0001"
ASCII = "".join(map(chr, range(128)))
SHORT_KEYS = ("", "a", "é", "A a", "x" * 16, "\0", "\0\0")
LONG_KEYS = (*SHORT_KEYS, "x" * 17, "é" * 20)
MANY_KEYS = tuple(map(str, range(FEW + 1)))


def by_position(keys):
    places = {key: place for place, key in enumerate(keys, 1)}
    return Call(POSITION, 0, (keys,)), lambda text: places.get(text, 0)


def by_method(name, *fixed):
    return Call(f".{name}", 0, fixed), lambda text: getattr(text, name)(*fixed)


CALLS = {
    "strip": by_method("strip"),
    "strip of None": by_method("strip", None),
    "strip of characters": by_method("strip", "a \x1c"),
    "strip of nothing": by_method("strip", ""),
    "lstrip": by_method("lstrip"),
    "rstrip": by_method("rstrip"),
    "lower": by_method("lower"),
    "upper": by_method("upper"),
    "casefold": by_method("casefold"),
    "startswith": by_method("startswith", "aé"),
    "startswith nothing": by_method("startswith", ""),
    "endswith": by_method("endswith", "Z"),
    "removeprefix": by_method("removeprefix", " "),
    "removesuffix": by_method("removesuffix", "é"),
    "replace": by_method("replace", "a", "xyé"),
    "replace of a pair": by_method("replace", "aa", "a"),
    "replace by nothing": by_method("replace", "é", ""),
    "find": by_method("find", "Z"),
    "in": (Call("in", 1, ("aa",)), lambda text: "aa" in text),
    "len": (Call("len", 0, ()), len),
    "before": (Call("+", 1, ("ab",)), lambda text: "ab" + text),
    "after": (Call("+", 0, ("/é1234567890123456",)), lambda text: text + "/é1234567890123456"),
    "short keys": by_position(SHORT_KEYS),
    "long keys": by_position(LONG_KEYS),
    "many keys": by_position(MANY_KEYS),
    "no keys": by_position(()),
    **{name: by_method(name) for name in QUESTIONS},
}
NOT_KNOWN = {
    "strip of other characters": by_method("strip", "é"),
    "lower of something": by_method("lower", 1),
    "replace of nothing": by_method("replace", "", "-"),
    "replace of some": by_method("replace", "a", "b", 1),
    "find of nothing": by_method("find", ""),
    "find of a long text": by_method("find", "a" * 65),
    "startswith later": by_method("startswith", "a", 1),
    "lone surrogate": by_method("startswith", "\ud800"),
    "slice in steps": (Call("slice", 0, (0, 5, 2)), None),
    "title": by_method("title"),
}

letters = st.one_of(
    st.sampled_from("aAzZ é"),
    st.sampled_from(ASCII),
    st.sampled_from(ASCII + PECULIAR),
    st.characters(exclude_categories=["Cs"]),
)
some_texts = st.lists(
    st.one_of(st.text(letters, max_size=20), st.sampled_from(LONG_KEYS + MANY_KEYS)), max_size=20
)
bounds = st.one_of(st.none(), st.integers(-25, 25), st.sampled_from([2**31 - 1, 1 - 2**31]))


@pytest.fixture(scope="module", autouse=True)
def loaded():
    assert load_now(kernels.NAMES)


def as_bytes(texts, skipped=0):
    """The texts but the first ones, as they lie in a slice of an array."""
    array = pa.array([*["é" * 3] * skipped, *texts], pa.string())
    _, offsets, data = array.buffers()
    places = np.frombuffer(offsets, np.int32)[skipped : len(array) + 1]
    return Texts(np.frombuffer(data or b"", np.uint8), places[:-1], places[1:])


def listed(found, count):
    """The texts or values, and whether each is Python's to answer."""
    hard = np.zeros(count, np.uint8) if found.hard is None else found.hard
    if not isinstance(found, Texts):
        return list(zip(found.values.tolist(), hard.tolist(), strict=True))
    data = found.data.tobytes()
    spans = zip(found.starts.tolist(), found.ends.tolist(), hard.tolist(), strict=True)
    return [(data[start:end].decode() if not h else None, h) for start, end, h in spans]


def check(call, function, texts, skipped=0):
    (step,) = steps_of((call,))
    for text, (answer, hard) in zip(
        texts, listed(step.apply(as_bytes(texts, skipped)), len(texts)), strict=True
    ):
        if hard:
            assert not text.isascii()
        else:
            expected = function(text)
            assert (answer, type(answer)) == (expected, type(expected)), text


@pytest.mark.parametrize(("call", "function"), CALLS.values(), ids=CALLS)
@settings(max_examples=40, deadline=None)
@given(texts=some_texts, skipped=st.integers(0, 2))
@example(texts=[*ASCII, *PECULIAR, "", ASCII, PECULIAR], skipped=1)
@example(texts=[a + b for a in "\x1c aAZé" for b in "\x1f aAZéΣ"], skipped=0)
def test_a_kernel_gives_what_python_gives(call, function, texts, skipped):
    check(call, function, texts, skipped)


@settings(max_examples=150, deadline=None)
@given(texts=some_texts, start=bounds, stop=bounds)
def test_a_slice_is_that_of_python(texts, start, stop):
    check(Call("slice", 0, (start, stop, None)), lambda text: text[start:stop], texts)


@settings(max_examples=100, deadline=None)
@given(pairs=st.lists(st.tuples(st.text(letters, max_size=20), st.text(letters, max_size=20))))
def test_two_texts_are_joined(pairs):
    texts, others = [one for one, _ in pairs], [other for _, other in pairs]
    found = listed(joined(as_bytes(texts, 1), bytes_of("é/"), as_bytes(others)), len(pairs))

    assert [answer for answer, _ in found] == [one + "é/" + other for one, other in pairs]


@pytest.mark.parametrize("method", ["lower", "upper", "casefold"])
def test_cases_of_every_character(method):
    texts = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    found = listed(recased(as_bytes(texts), method), len(texts))
    wrong = [
        text
        for text, (answer, hard) in zip(texts, found, strict=True)
        if not hard and answer != getattr(text, method)()
    ]
    left = sum(hard for _, hard in found)

    assert wrong == []
    assert left < 200 + (sys.maxunicode - characters.KNOWN + 1)


def test_no_white_space_lies_beyond_the_table():
    spaces = [code for code in range(sys.maxunicode + 1) if chr(code).isspace()]

    assert max(spaces) == characters.LAST_SPACE
    assert np.flatnonzero(characters.white_space()).tolist() == spaces


@pytest.mark.parametrize(("call", "function"), NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_other_calls_are_not_the_kernels(call, function):
    del function

    assert steps_of((call,)) is None


def test_a_chain_goes_on_only_from_texts():
    assert steps_of((Call("len", 0, ()), Call(".strip", 0, ()))) is None


BROKEN = (
    b"\xff", b"\xc3", b"a\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xc0\x80", b"\xed\xa0\x80",
    b"\xf5\x80\x80\x80",
)  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_bytes_that_are_no_text_are_left_to_python(broken):
    whole = np.frombuffer(broken, np.uint8)
    places = np.array([0, len(broken)], np.int32)
    texts = Texts(whole, places[:-1], places[1:])

    for name in ("lower", "upper"):
        assert recased(texts, name).hard.tolist() == [1]
    (step,) = steps_of((Call(".isalpha", 0, ()),))
    assert step.apply(texts).hard.tolist() == [1]
    (step,) = steps_of((Call(".strip", 0, ()),))
    found = step.apply(texts)
    assert (found.starts.tolist(), found.ends.tolist()) == ([0], [len(broken)])
