"""Pieces run code of the user's as often as the loop, and in the caller's context."""

# ruff: noqa: RUF012, C420  row functions spell things as users do

import collections
import decimal
import enum
import threading
import warnings
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp

# ----------------------------------------------------------- code of the user's runs as in a loop


class Counted:
    """An object whose operations count themselves."""

    counts = collections.Counter()

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        Counted.counts["add"] += 1
        return self.value + other

    __radd__ = __add__

    def __eq__(self, other):
        Counted.counts["eq"] += 1
        return self.value == other

    def __lt__(self, other):
        Counted.counts["lt"] += 1
        return self.value < getattr(other, "value", other)

    def __hash__(self):
        Counted.counts["hash"] += 1
        return hash(self.value)

    def __str__(self):
        Counted.counts["str"] += 1
        return f"<{self.value}>"

    def __repr__(self):  # reports show it
        return f"<{self.value}>"

    def __bool__(self):
        Counted.counts["bool"] += 1
        return bool(self.value)


def added_or_none(r):
    try:
        found = r["t"][0] + 1
    except:  # noqa: E722
        found = None
    return found


class CountedText(str):
    """A text whose methods count themselves."""

    __slots__ = ()

    def upper(self):
        Counted.counts["upper"] += 1
        return str.upper(self)


USES = {
    "added": lambda r: [x + 1 for x in r["t"]] if r["a"] else 0,
    "summed ahead of an exception": lambda r: (sum(r["t"]), 1 // r["a"]),
    "compared": lambda r: r["t"] == [3, 1],
    "the greatest": lambda r: max(r["t"]),
    "sorted": lambda r: sorted(r["t"])[0] == 1,
    "in a set": lambda r: len(set(r["t"])),
    "written": lambda r: f"{r['t']}",
    "written one by one": lambda r: [str(x) for x in r["t"]],
    "the first added": lambda r: r["t"][0] + 1 if r["a"] else 0,
    "added under a bare except": added_or_none,
    "any": lambda r: any(r["t"]),
    "in a dict": lambda r: {x: 1 for x in r["t"]} and 1,
    "tested with in": lambda r: 3 in r["t"],
    "deep inside": lambda r: r["deep"] == {"x": [(3,)]},
    "a text in upper case": lambda r: [x.upper() for x in r["texts"]] if r["a"] else 0,
}


def counted_records():
    return [
        {
            "a": a, "t": [Counted(3), Counted(1)], "deep": {"x": [(Counted(3),)]},
            "texts": [CountedText("a")],
        }
        for a in (1, 0, 2)
    ]  # fmt: skip


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("name", USES)
def test_objects_of_the_users_classes_run_their_code_once_a_row(name, backend):
    function = USES[name]
    runs = []
    for run in (
        bp.vectorize(function, backend=backend, on_unsupported="ignore", on_error="null"),
        lambda records: [result_or_none(function, r) for r in records],
    ):
        records = counted_records()
        Counted.counts.clear()
        results = run(records)
        runs.append((dict(Counted.counts), [type(result) for result in results]))

    assert runs[0] == runs[1]


def result_or_none(function, record):
    try:
        return function(record)
    except ZeroDivisionError:
        return None


class Descriptor:
    reads = 0

    def __get__(self, owner, class_):
        Descriptor.reads += 1
        return Descriptor.reads


class Holder:
    value = Descriptor()


def test_a_descriptor_of_a_class_is_read_in_each_row(backend):
    def read(r):
        return [Holder.value for _ in (1,)]

    Descriptor.reads = 0
    run = bp.vectorize(read, backend=backend, on_unsupported="ignore")

    assert run([{"a": 1}, {"a": 2}, {"a": 3}]) == [[1], [2], [3]]


class Answering(type):
    asked = 0

    def __getitem__(cls, key):
        Answering.asked += 1
        return key

    def __contains__(cls, key):
        Answering.asked += 1
        return True

    def __instancecheck__(cls, one):
        Answering.asked += 1
        return True


class Asked(metaclass=Answering):
    pass


ASKING = {
    "an item": lambda r: Asked[r["s"]],
    "a member": lambda r: r["s"] in Asked,
    "an instance": lambda r: isinstance(r["s"], Asked),
}


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("name", ASKING)
def test_a_metaclass_that_answers_is_asked_in_each_row(name, backend):
    Answering.asked = 0
    bp.vectorize(ASKING[name], backend=backend, on_unsupported="ignore")([{"s": "a"}] * 70)

    assert Answering.asked == 70


class Colour(enum.Enum):
    RED = "red"

    @classmethod
    def _missing_(cls, value):
        Answering.asked += 1
        return cls.RED


def test_a_missing_member_is_looked_for_in_each_row(backend):
    def find(r):
        return [Colour(x) for x in r["t"]]

    Answering.asked = 0
    bp.vectorize(find, backend=backend, on_unsupported="ignore")([{"t": ["b"]}] * 70)

    assert Answering.asked == 70


# ------------------------------------------------------------------------ what a copy cannot hold


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_a_record_that_cannot_be_copied_deep_is_no_failure(backend):
    def write(r):
        inner = r["d"]
        inner["n"] = 1
        return r

    lock, numbers = threading.Lock(), (x for x in (1, 2))
    records = [{"d": {}, "t": numbers}, {"d": {"a": 1}, "t": lock}]
    results = bp.vectorize(write, backend=backend, on_unsupported="ignore")(records)

    assert [result["d"] for result in results] == [{"n": 1}, {"a": 1, "n": 1}]
    assert (results[0]["t"], results[1]["t"]) == (numbers, lock)
    assert [record["d"] for record in records] == [{}, {"a": 1}]


# --------------------------------------------------------------------------- the caller's context


@pytest.mark.parametrize("threads", [1, 2])
def test_pieces_see_the_callers_decimal_context(threads):
    def third(r):
        return [r["d"] / 3]

    records = [{"d": Decimal(i) + Decimal("0.1")} for i in range(40_000)]
    run = bp.vectorize(third, backend="numpy")
    with bp.use(threads=threads), decimal.localcontext() as context:
        context.prec = 5
        results = run(records)
        expected = [third(record) for record in records[-3:]]

    assert results[-3:] == expected
    assert max(len(result[0].as_tuple().digits) for result in results) == 5


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_pieces_raise_what_numpy_is_told_to_raise(backend):
    def logarithms(r):
        return [np.log(v) for v in r["l"]]

    run = bp.vectorize(logarithms, backend=backend)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        run([{"l": [0, 1]}] * 70)


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_pieces_warn_as_numpy_warns(backend):
    def logarithms(r):
        return [np.log(v) for v in r["l"]]

    run = bp.vectorize(logarithms, backend=backend)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run([{"l": [0, 1]}] * 3)

    assert {str(one.message) for one in caught} == {"divide by zero encountered in log"}


def test_a_table_is_not_changed_by_pieces_that_write():
    def collect(r):
        found = list(r["l"])
        found.append(len(found))
        return found

    table = pa.table({"l": [[1, 2], [], None]})
    before = table.to_pylist()
    results = bp.vectorize(collect, on_error="null", backend="numpy")(table)

    assert results.to_pylist() == [[1, 2, 2], [0], None]
    assert table.to_pylist() == before
