"""Results made by machine code: the loop's own values and types, and no reference too many."""

import datetime as dt
import gc
import sys

import numba  # noqa: F401  the code is loaded only where it is in use
import numpy as np
import pytest

import batchprep as bp
from batchprep.batch import result_writer
from batchprep.batch.result_writer import (
    WRITE_ROWS,
    Steps,
    dicts_of,
    loaded_writer,
    writer_for,
)
from batchprep.run import assemble

ROWS = 3 * WRITE_ROWS + 7  # several blocks, and a part of one


def records():
    return [
        {
            "x": n / 3 if n % 5 else n,
            "f": n * 0.5,
            "n": n - 300,
            "t": ("red", "green", "grün", "")[n % 4],
            "d": dt.date(2020, 1, 1) + dt.timedelta(n),
            "o": None if n % 3 else n,
        }
        for n in range(ROWS)
    ]


FUNCTIONS = {
    "one text": lambda r: r["t"].upper(),
    "root or nothing": lambda r: r["f"] ** 0.5 if r["f"] > 300 else None,
    "int or float": lambda r: r["n"] if r["n"] > 9 else r["f"],
    "five kinds": lambda r: (
        r["n"]
        if r["n"] < 0
        else r["f"]
        if r["n"] < 300
        else r["n"] > 900
        if r["n"] < 950
        else None
        if r["n"] < 1000
        else r["t"]
    ),
    "mixed field": lambda r: r["x"] * 2,
    "field that may be None": lambda r: r["o"] if r["o"] is None else r["o"] + 1,
    "pair": lambda r: (r["f"] * 2, r["n"] + 1),
    "pair with a constant": lambda r: (r["f"] * 2, "EUR", None, True, 7),
    "no elements": lambda r: (),
    "list": lambda r: [r["n"] + 1, r["t"], r["n"] > 5],
    "dict": lambda r: {"v": r["f"] * r["n"], "big": r["n"] > 50, "t": r["t"], "d": r["d"]},
    "no keys": lambda r: {},
    "dict in a dict": lambda r: {"a": {"b": (r["n"] * 2, [r["f"] + 1])}, "x": r["x"]},
    "part of two kinds": lambda r: (r["n"] if r["n"] > 9 else None, r["f"]),
    "dict or nothing": lambda r: {"v": r["f"] * 2} if r["n"] > 50 else None,
    "tuple or text": lambda r: (r["f"] * 2, r["t"]) if r["n"] > 50 else r["t"],
    "own field in a tuple": lambda r: (r["x"], r["n"] * 2),
    "date": lambda r: (r["d"] + dt.timedelta(days=1), r["d"] if r["n"] > 3 else r["f"]),
    "rows that deviate": lambda r: (r["n"] * 2**53, r["f"]),
}


def shape(value):
    """A value with the types of all that is in it, and the order of keys."""
    if type(value) is dict:
        return dict, [(key, shape(item)) for key, item in value.items()]
    if type(value) in {list, tuple}:
        return type(value), [shape(item) for item in value]
    return type(value), repr(value)


@pytest.fixture
def writer():
    found = loaded_writer()
    assert found is not None
    return found


@pytest.fixture
def written(monkeypatch, writer):
    """How many lists of results the machine code has made."""
    made = []

    class Counted:
        layout = writer.layout

        @staticmethod
        def write(steps, count, rows, into=None):
            made.append(count)
            return writer.write(steps, count, rows, into)

    monkeypatch.setattr(assemble, "writer_for", lambda rows: Counted if rows else None)
    return made


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_machine_code_makes_what_the_loop_makes(written, function):
    rs = records()
    found = bp.vectorize(function, backend="numpy", on_unsupported="raise")(rs)

    assert written
    assert [shape(value) for value in found] == [shape(function(r)) for r in rs]


def test_rows_that_are_dropped_leave_no_gap(written):
    pipe = bp.Pipeline().filter_map(lambda r: (r["n"], r["t"]) if r["n"] % 3 else None)
    rs = records()

    assert pipe(rs) == [(r["n"], r["t"]) for r in rs if r["n"] % 3]
    assert written


def test_results_of_rows_are_objects_of_their_own(written):
    function = bp.vectorize(lambda r: {"n": r["n"], "l": [r["n"]]}, backend="numpy")
    first, second, *_ = function(records())
    first["l"].append(1)
    first["z"] = 0

    assert written
    assert second == {"n": -299, "l": [-299]}


MIXED_KEYS = (0, 1, 2)
TEXT_KEYS = ("0", "1", "2")


def steps_of_all(writer, word, found, key, others=MIXED_KEYS):
    steps = Steps(writer.layout)
    numbers = np.arange(ROWS, dtype=np.int64) + 1000
    first = steps.reserve(4)
    codes = (numbers % 2).astype(np.int8)
    steps.numbers(first, numbers, "i", None, 0)
    steps.picked(first + 1, np.zeros(ROWS, np.int32), [word], codes, 0)
    steps.next_of(first + 2, [found] * ROWS, None, 0)
    steps.one(first + 3, word, codes, 1)
    inner = steps.reserve(1)
    steps.dicts(inner, [key, *others], first, atoms=False)
    steps.tuples(0, inner, 1, atoms=False)
    return steps


def test_dicts_can_be_collected_that_hold_what_the_collector_looks_into(writer):
    found = [1]
    steps = Steps(writer.layout)
    first = steps.reserve(2)
    steps.numbers(first, np.arange(ROWS), "i", None, 0)
    steps.one(first + 1, found, None, 0)
    steps.dicts(0, ["n", "l"], first, atoms=False)
    results = writer.write(steps, ROWS, None)

    assert results[7] == {"n": 7, "l": found}
    assert all(map(gc.is_tracked, results))


def new_text(end):
    """A text that nothing else holds."""
    return f"a {end}"


def counts(*objects):
    return [sys.getrefcount(one) for one in objects]


@pytest.mark.parametrize("others", [MIXED_KEYS, TEXT_KEYS])
def test_no_reference_is_lost_or_kept(writer, others):
    word, found, key = new_text("word"), object(), new_text("key")
    before = counts(word, found, key)
    steps = steps_of_all(writer, word, found, key, others)
    results = writer.write(steps, ROWS, None)
    del steps
    expected = dict(zip([key, *others], [1000, word, found, None], strict=True))

    assert results[0] == (expected,)
    assert counts(word, found, key) == [
        had + more for had, more in zip(before, (ROWS + 1, ROWS + 1, ROWS + 1), strict=True)
    ]
    del results, expected
    assert counts(word, found, key) == before


@pytest.mark.parametrize("others", [MIXED_KEYS, TEXT_KEYS])
@pytest.mark.parametrize("after", [0, 1, 5, 300, 700, 2_000])
def test_where_memory_ends_nothing_is_left_behind(writer, after, others):
    _testcapi = pytest.importorskip("_testcapi")
    word, found, key = new_text("word"), object(), new_text("key")
    before = counts(word, found, key)
    steps = steps_of_all(writer, word, found, key, others)
    # What is ready for use again would delay the end of memory.
    held = [(n, n) for n in range(10**4)], [{n: n} for n in range(10**4)]
    assert gc.isenabled()
    failed = False
    _testcapi.set_nomemory(after, 0)
    try:
        writer.write(steps, ROWS, None)
    except MemoryError:
        failed = True
    finally:
        _testcapi.remove_mem_hooks()
    del steps, held

    assert failed
    assert gc.isenabled()
    assert counts(word, found, key) == before


def test_a_collector_that_was_off_stays_off(writer):
    steps = steps_of_all(writer, "a", None, "b")
    gc.disable()
    try:
        writer.write(steps, ROWS, None)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_only_the_rows_asked_for_are_made(writer):
    steps = Steps(writer.layout)
    steps.numbers(0, np.arange(ROWS) * 0.5, "f", None, 0)
    rows = np.arange(0, ROWS, 2)

    assert writer.write(steps, len(rows), rows) == [row * 0.5 for row in rows.tolist()]


def test_no_rows_give_an_empty_list(writer):
    steps = Steps(writer.layout)
    steps.one(0, "x", None, 0)

    assert writer.write(steps, 0, None) == []


def test_short_results_are_made_the_ordinary_way(writer):
    assert writer_for(WRITE_ROWS - 1) is None
    assert writer_for(WRITE_ROWS) is writer


def test_a_python_that_lays_out_lists_in_another_way_takes_the_ordinary_way(writer):
    class Moved:
        LIST_BYTES = writer.layout.LIST_BYTES + 8
        LIST_ITEMS = writer.layout.LIST_ITEMS
        TUPLE_ITEMS = writer.layout.TUPLE_ITEMS

    with pytest.raises(LookupError):
        result_writer._check_items(Moved)


def test_dicts_of_columns_are_those_of_the_ordinary_way(writer):
    columns = [[*range(ROWS)], [[n] for n in range(ROWS)], [None, *"ab" * ROWS][:ROWS]]
    keys = ("n", "l", "t")
    made = dicts_of(keys, columns, ROWS)

    assert made == result_writer._dicts_by_column(keys, columns, ROWS)
    assert made[5]["l"] is columns[1][5]
    assert [*made[0]] == [*keys]


def test_dicts_of_no_columns_are_empty_and_apart(writer):
    made = dicts_of((), [], ROWS)
    made[0]["x"] = 1

    assert made[1:] == [{}] * (ROWS - 1)
