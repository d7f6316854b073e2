"""Functions of texts that Arrow computes for whole columns give what CPython gives."""

import random

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.run import inputs, outcomes, words
from batchprep.run.arrow_texts import LEAST_WORDS
from batchprep.run.words import FixedWords, Pool

CONTROLS = [chr(code) for code in range(128)]
OTHERS = list("\x85\xa0\u1680\u2003\u2028\u3000ßıİςΣéÉzZ\u0301\U0001f600ǆ")
ASCII_WORDS = sorted({
    *("".join(random.Random(n).choices(CONTROLS, k=n % 9)) for n in range(LEAST_WORDS)),
    *(a + "Mi x" + b for a in CONTROLS for b in CONTROLS[:40]),
})  # fmt: skip
MIXED_WORDS = sorted({
    *ASCII_WORDS,
    *("".join(random.Random(n).choices(CONTROLS + OTHERS, k=n % 7)) for n in range(LEAST_WORDS)),
    *(a + "iX" + a for a in OTHERS),
})  # fmt: skip
KEYS = {"Mi x": 3, "": 4, "é": 5, "\x1f": 6}

FUNCTIONS = {
    "strip": lambda r: r["t"].strip(),
    "strip of None": lambda r: r["t"].strip(None),
    "lstrip": lambda r: r["t"].lstrip(),
    "rstrip": lambda r: r["t"].rstrip(),
    "strip of characters": lambda r: r["t"].strip("x \x1f"),
    "lower": lambda r: r["t"].lower(),
    "upper": lambda r: r["t"].upper(),
    "casefold": lambda r: r["t"].casefold(),
    "startswith": lambda r: r["t"].startswith("\x1d"),
    "starts with nothing": lambda r: r["t"].startswith(""),
    "endswith": lambda r: r["t"].endswith("é"),
    "ends with a letter": lambda r: r["t"].endswith("x"),
    "in": lambda r: "Mi" in r["t"],
    "nothing in it": lambda r: "" in r["t"],
    "replace": lambda r: r["t"].replace("i", "\x00é"),
    "replace by nothing": lambda r: r["t"].replace("Mi", ""),
    "replace of a pair": lambda r: r["t"].replace("aa", "a"),
    "find": lambda r: r["t"].find("x"),
    "len": lambda r: len(r["t"]),
    "slice": lambda r: r["t"][1:3],
    "slice to the end": lambda r: r["t"][2:],
    "slice from the start": lambda r: r["t"][:2],
    "slice of nothing": lambda r: r["t"][3:3],
    "before and after": lambda r: "é" + r["t"] + "x\x00",
    "chain": lambda r: r["t"].strip().lower().startswith("mi"),
    "chain to a text": lambda r: r["t"].lower().strip().replace("m", "M")[0:4],
    "keys": lambda r: KEYS.get(r["t"], -1),
    "length of a chain": lambda r: len(r["t"].strip()),
}
LEFT_TO_PYTHON = {
    "strip of other characters": lambda r: r["t"].strip("é"),
    "replace of nothing": lambda r: r["t"].replace("", "-"),
    "replace of some": lambda r: r["t"].replace("i", "I", 1),
    "find of nothing": lambda r: r["t"].find(""),
    "starts later": lambda r: r["t"].startswith("x", 1),
    "one of several": lambda r: r["t"].endswith(("x", "é")),
    "slice from the end": lambda r: r["t"][-2:],
    "slice in steps": lambda r: r["t"][0:5:2],
    "title": lambda r: r["t"].title(),
    "lone surrogate": lambda r: r["t"].startswith("\ud800"),
}


@pytest.fixture(autouse=True)
def by_code(monkeypatch):
    """Columns are encoded, whether the kernels over bytes are there or not."""
    monkeypatch.setattr(inputs, "are_loaded", lambda *_: False)


@pytest.fixture
def computed(monkeypatch):
    """Which functions were asked of Arrow, and whether it answered."""
    asked = []
    real = outcomes.over_words

    def over_words(pure, texts):
        found = real(pure, texts)
        asked.append(found is not None)
        return found

    monkeypatch.setattr(outcomes, "over_words", over_words)
    return asked


@pytest.mark.parametrize("texts", [ASCII_WORDS, MIXED_WORDS], ids=["ascii", "any text"])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_arrow_gives_what_python_gives(computed, function, texts):
    found = bp.vectorize(function, backend="numpy")(pa.table({"t": texts}))

    assert any(computed)
    assert found.to_pylist() == [function({"t": text}) for text in texts]


@pytest.mark.parametrize("function", LEFT_TO_PYTHON.values(), ids=LEFT_TO_PYTHON)
def test_what_arrow_gives_otherwise_is_left_to_python(computed, function):
    found = bp.vectorize(function, backend="numpy")(pa.table({"t": MIXED_WORDS}))

    assert not any(computed)
    assert found.to_pylist() == [function({"t": text}) for text in MIXED_WORDS]


def two_columns(length):
    draw = random.Random(length)
    pairs = [(draw.choice(MIXED_WORDS), draw.choice(MIXED_WORDS)) for _ in range(length)]
    return pa.table({"t": [a for a, _ in pairs], "u": [b for _, b in pairs]})


def compared(r):
    one, other = r["t"].strip().lower(), r["u"].strip().upper().lower()
    return one == other, one in {"mi x", ""}, one + "/" + other, r["t"] == other


@pytest.mark.parametrize("backend", ["python", "numpy", "numba"])
def test_texts_that_are_compared_have_one_code_each(backend):
    table = two_columns(3 * LEAST_WORDS)
    found = bp.vectorize(compared, backend=backend)(table).to_pylist()

    assert [tuple(row.values()) for row in found] == [compared(r) for r in table.to_pylist()]


def test_records_get_the_same_texts():
    records = two_columns(2 * LEAST_WORDS).to_pylist()

    assert bp.vectorize(compared, backend="numpy")(records) == [compared(r) for r in records]


def test_two_columns_are_joined_row_by_row(monkeypatch):
    calls = []
    real = outcomes.joined
    monkeypatch.setattr(outcomes, "joined", lambda columns: calls.append(1) or real(columns))
    table = two_columns(2 * LEAST_WORDS)
    found = bp.vectorize(lambda r: r["t"] + r["u"], backend="numpy")(table)

    assert calls
    assert found.to_pylist() == [r["t"] + r["u"] for r in table.to_pylist()]


def a_pool(*texts):
    fixed = FixedWords(["fix"])
    return Pool(fixed, {"t": pa.array([*texts])})


@pytest.mark.parametrize("as_arrow", [True, False])
def test_a_text_that_is_shown_twice_leaves_the_first_code_to_the_column(as_arrow):
    pool = a_pool("a", "b")
    shown = pool.codes_for_show(pa.array(["b", "c", "c"]) if as_arrow else ["b", "c", "c"])
    given = ["c", "b", "fix", "d", "d"]
    codes = pool.codes_of_array(pa.array(given)) if as_arrow else pool.codes_of(given)

    assert shown.tolist() == [3, 4, 5]
    assert codes.tolist() == [4, 2, 0, 6, 6]
    assert pool.take(codes) == given
    assert pool.arrow().to_pylist() == pool.strings() == ["fix", "a", "b", "b", "c", "c", "d"]
    assert len(pool) == 7


def test_both_ways_to_new_codes_agree():
    pool = a_pool("a")

    assert pool.codes_of(["x", "a"]).tolist() == [2, 1]
    assert pool.codes_of_array(pa.array(["a", "x", "y"])).tolist() == [1, 2, 3]
    assert pool.arrow_of(words.np.array([3, 1])).to_pylist() == ["y", "a"]
