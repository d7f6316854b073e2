import numpy as np
import pyarrow as pa

from batchprep.plan.tables import Pure
from batchprep.run.words import FixedWords, Pool


def pooled(fixed, **columns):
    arrays = {name: pa.array(words) for name, words in columns.items()}
    return Pool(FixedWords(fixed), arrays)


def meant(pool, name, words):
    codes = np.arange(len(words), dtype=np.int32)
    mapped = pool.maps[name][codes] if name in pool.maps else codes
    return pool.take(mapped)


def test_one_column_keeps_its_codes():
    pool = pooled([], a=["x", "y"])

    assert pool.maps == {}
    assert pool.take(np.array([1, 0, 1])) == ["y", "x", "y"]


def test_a_string_has_one_code_in_the_whole_batch():
    words = {"a": ["x", "y"], "b": ["z", "y"], "c": ["w", "k", "x"]}
    pool = pooled(["k", "y"], **words)

    assert sorted(pool.strings()) == ["k", "w", "x", "y", "z"]
    for name, own in words.items():
        assert meant(pool, name, own) == own
    assert pool.strings()[pool.fixed.code("k")] == "k"
    assert pool.arrow().to_pylist() == pool.strings()


def test_many_fixed_words_are_found_too():
    fixed = [str(number) for number in range(1_000)]
    pool = pooled(fixed, a=["new", "7", "999"])

    assert len(pool) == 1_001
    assert meant(pool, "a", ["new", "7", "999"]) == ["new", "7", "999"]


def test_a_function_runs_once_per_word_and_once_per_fixed_word_for_all_batches():
    seen = []

    def length(word):
        seen.append(word)
        return len(word)

    fixed, pure = FixedWords(["", "long"]), Pure("length", length, "length")
    for words in (["a", "long"], ["bb"]):
        pool = Pool(fixed, {"a": pa.array(words)})
        assert pool.results(pure, len(pool)).values == list(map(len, pool.strings()))

    assert sorted(seen) == ["", "a", "bb", "long"]


def test_strings_that_a_function_gives_join_the_pool():
    pool = pooled(["k"], a=["x"])
    codes = pool.codes_of(["X", "k", "X", "x"])

    assert pool.take(codes) == ["X", "k", "X", "x"]
    assert len(pool) == 3
    assert pool.arrow().take(pa.array(codes)).to_pylist() == ["X", "k", "X", "x"]


def test_few_rows_of_a_large_pool():
    words = [f"word {number}" for number in range(1_000)]
    pool = pooled(["k"], a=words)

    assert pool.take(np.array([0, 1_000, 1, 0])) == ["k", "word 999", "word 0", "k"]


def test_columns_of_other_string_layouts():
    columns = {"a": pa.array(["x", "k"], pa.large_string()), "b": pa.array(["y"])}
    pool = Pool(FixedWords(["k"]), columns)

    assert meant(pool, "a", ["x", "k"]) == ["x", "k"]
    assert pool.arrow().type == pa.string()
