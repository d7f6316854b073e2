"""Pieces change no record, and run no code of the user's more or less often than the loop."""

# ruff: noqa: RUF012, C420  row functions spell things as users do

import collections
import copy
import decimal
import enum
import operator
import threading
import warnings
from collections import defaultdict
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from tests.rowfn.piece_cases import Cases, check

cases = Cases()
ROWS = (
    {"a": 0, "n": 1, "t": [3, 1], "ll": [[1], [2]], "o": None},
    {"a": 1, "n": 2, "t": [], "ll": [[3]], "o": 1},
    {"a": 2, "n": 0, "t": [2], "ll": [[]], "o": None},
)
NESTED = ({"nums": "text", "tags": ["a"], "n": 1}, {"nums": [2, 1], "tags": [], "n": 2})


# ---------------------------------------------------------------------- records stay as they were


@cases(*NESTED)
def sorted_field_of_a_row_that_deviates_is_a_copys(r):
    r["nums"].sort()
    return r


@cases(*NESTED)
def moved_part_of_a_record_is_a_copys(r):
    r["names"] = r["tags"]
    r["tags"].append("end")
    return r


@cases(*NESTED)
def augmented_field_of_a_record_is_a_copys(r):
    r["nums"] += [r["n"]]
    return r


@cases(*ROWS, effect=True)
def list_in_a_copy_of_the_record_is_the_records(r):
    copied = dict(r)
    copied["t"].append(1)
    return copied


@cases(*ROWS, effect=True)
def augmented_field_under_a_name_is_the_records(r):
    t = r["t"]
    t += [1]
    return t


@cases(*ROWS, effect=True)
def augmented_field_with_another_result_is_the_records(r):
    a = r["t"]
    a += [1]
    return [1]


@cases(*ROWS, effect=True)
def multiplied_field_with_another_result_is_the_records(r):
    a = r["t"]
    a *= 2
    a = []
    return a


@cases(*ROWS, effect=True)
def augmented_field_behind_max_is_the_records(r):
    found = max(r["ll"], key=len, default=[0])
    if r["a"]:
        found *= 2
    return r["o"]


@cases(*ROWS, effect=True)
def augmented_field_in_a_branch_is_the_records(r):
    found = r["t"]
    if r["o"] is None:
        found += [[]]
    return (1, found)


@cases(*ROWS, effect=True)
def field_put_into_a_list_by_augmenting_is_the_records(r):
    found = []
    for _ in (1,):
        found += [r["t"]]
        found[-1].append(1)
    return found, 1 // r["a"]


@cases(*ROWS, effect=True)
def field_put_into_a_dict_by_augmenting_is_the_records(r):
    found = {}
    for _ in (1,):
        found |= {"x": r["t"]}
        found["x"].append(1)
    return found, 1 // r["a"]


@cases(*ROWS, effect=True)
def field_put_into_a_list_by_a_slice_is_the_records(r):
    found = []
    for _ in (1,):
        found[len(found) :] = [r["t"]]
        found[-1].append(1)
    return found, 1 // r["a"]


@cases(*ROWS, effect=True)
def field_appended_to_by_methodcaller_is_the_records(r):
    return list(map(operator.methodcaller("append", 1), [r["t"]])), 1 // r["a"]


def grown(values):
    values.append(1)
    return values


@cases(*ROWS, effect=True)
def field_appended_to_by_a_helper_is_the_records(r):
    return [grown(t) for t in r["ll"]], 1 // r["a"]


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("case", cases.listed, ids=str)
def test_records_are_left_as_the_contract_says(case, backend):
    check(case, backend)


def rows_until_failure(function, backend, records):
    run = bp.vectorize(function, backend=backend, on_unsupported="ignore")
    with bp.use(threads=1), pytest.raises(ZeroDivisionError):
        run(records)


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize(
    "name",
    [
        "field_put_into_a_list_by_augmenting_is_the_records",
        "field_put_into_a_list_by_a_slice_is_the_records",
        "field_put_into_a_dict_by_augmenting_is_the_records",
        "field_appended_to_by_methodcaller_is_the_records",
    ],
)
def test_rows_behind_the_failing_one_are_not_written(backend, name):
    function = next(case.function for case in cases.listed if str(case) == name)
    records = [copy.deepcopy(row) for row in (ROWS[1], ROWS[0], ROWS[2])]

    rows_until_failure(function, backend, records)

    assert records[2] == ROWS[2]


def test_a_defaultdict_is_not_written_by_reading_it(backend):
    def read(r):
        return r["d"]["p"] if r["a"] else 0

    records = [{"a": 0, "d": defaultdict(list)}, {"a": 1, "d": defaultdict(list)}]
    results = bp.vectorize(read, backend=backend, on_unsupported="ignore")(records)

    assert results == [0, []]
    assert records[0]["d"] == {}
    assert records[1]["d"]["p"] is results[1]


def test_a_factory_of_a_row_that_is_not_reached_is_not_called(backend):
    calls = []

    def read(r):
        return [r["d"][k] for k in ("m", "n")] if r["a"] else 0

    records = [{"a": 0, "d": defaultdict(lambda: calls.append(1))}]
    results = bp.vectorize(read, backend=backend, on_unsupported="ignore")(records)

    assert (results, calls) == ([0], [])


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
