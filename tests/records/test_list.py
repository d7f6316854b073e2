"""Sources that hold their records."""

import array
import collections
import dataclasses
import decimal
import types
from collections.abc import Mapping

import pytest

from batchprep.batch import from_records
from batchprep.records import open_source


@dataclasses.dataclass
class Trade:
    price: float


def kinds(data, name="v"):
    return set(open_source(data).field(name).kinds)


KINDS = [
    ([1, 2], {"int"}),
    ([None, 1], {"none", "int"}),
    ([None] * 1_000 + [1], {"none", "int"}),
    ([None] * 3_000 + [1] * 3_000 + ["x"] * 600, {"none", "int", "str"}),
    ([True, 1, 1.5], {"bool", "int", "float"}),
    ([1, 2**70], {"int"}),
    ([2**70], {"other"}),
    ([decimal.Decimal(1), b"x"], {"other"}),
    ([[], (), {}], {"list", "tuple", "struct"}),
]


@pytest.mark.parametrize(
    ("values", "expected"),
    KINDS,
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value)[:30],
)
def test_kinds_are_those_of_head_middle_and_tail(values, expected):
    assert kinds([{"v": value} for value in values]) == expected


def test_a_key_of_some_records_may_be_absent():
    assert kinds([{"v": 1}, {}]) == {"int", "absent"}
    assert kinds([{"a": 1}]) == {"absent"}
    assert kinds([]) == {"absent"}


def test_rows_that_are_no_records_are_irregular_and_kept():
    data = [{"v": 1}, None, "text", {"v": 2}]
    source = open_source(data)
    (batch,) = source.batches()

    assert set(source.field("v").kinds) == {"int"}
    assert batch.column("v", source.field("v")).irregular.tolist() == [False, True, True, False]
    assert batch.records()[1:3] == [None, "text"]


def test_records_of_another_form_are_irregular():
    source = open_source([{"v": 1}, Trade(1.5)])
    (batch,) = source.batches()

    assert source.form == "mapping"
    assert batch.column("v", source.field("v")).irregular.tolist() == [False, True]


def test_batches_are_slices_of_the_callers_records():
    data = [{"v": i} for i in range(5)]
    source = open_source(data)

    batches = list(source.batches(2))

    assert [len(batch) for batch in batches] == [2, 2, 1]
    assert [batch.start for batch in batches] == [0, 2, 4]
    assert batches[2].records()[0] is data[4]
    assert (source.kind, source.length, source.data is data) == ("list", 5, True)


@pytest.mark.parametrize("make", [tuple, collections.deque, collections.UserList])
def test_other_sequences_are_lists(make):
    data = make([{"v": 1}])
    source = open_source(data)

    assert (source.kind, source.data is data) == ("list", True)
    assert set(source.field("v").kinds) == {"int"}


POINT = collections.namedtuple("Point", "x")
RECORDS = [{"x": 1}, types.MappingProxyType({"x": 1}), POINT(1)]


@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_one_record_is_a_source_of_its_own(record):
    source = open_source(record)

    assert (source.kind, source.data is record, source.names()) == ("record", True, ("x",))


@pytest.mark.parametrize("data", [None, 1, "text", b"bytes"])
def test_what_holds_no_rows_is_refused(data):
    with pytest.raises(TypeError, match="is not data: pass an iterable of dicts"):
        open_source(data)


def test_a_batch_of_records_is_a_source():
    batch = from_records([{"v": 1}])
    source = open_source(batch)

    assert (source.kind, source.data is batch) == ("list", True)
    assert set(source.field("v").kinds) == {"int"}


def test_rows_of_numbers_are_a_source_without_fields():
    source = open_source(array.array("l", [1, 2]))

    assert set(source.field("v").kinds) <= {"other"}


class CountedReads(Mapping):
    """A record that counts how often its field is read."""

    reads = 0

    def __getitem__(self, name):
        CountedReads.reads += 1
        return {"n": 1}[name]

    def __iter__(self):
        return iter(["n"])

    def __len__(self):
        return 1


def test_few_records_are_read_once():
    CountedReads.reads = 0
    source = open_source([CountedReads() for _ in range(100)])

    field = source.field("n")
    (batch,) = source.batches()
    found = batch.column("n", field).buffers["int"].tolist()

    assert found == [1] * 100
    assert CountedReads.reads == 200  # asked whether it is there, and read


def test_a_sample_of_many_records_is_not_taken_for_all():
    records = [{"n": i} for i in range(3_000)]
    source = open_source(records)

    field = source.field("n")
    (batch,) = source.batches()

    assert batch.column("n", field).buffers["int"].tolist() == list(range(3_000))
