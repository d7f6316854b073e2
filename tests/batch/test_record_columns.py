"""Columns of dicts that machine code reads: the same as those of the ordinary way, bit by bit."""

# ruff: noqa: DTZ001, DTZ901  naive datetimes are data here

import collections
import datetime as dt
import decimal
import enum
import gc
import itertools
import json
import math
import random
import struct
import sys
import threading
import zoneinfo

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from batchprep.batch.record_columns import columns_of_dicts, kinds_of_dicts
from batchprep.batch.record_reader import READ_ROWS
from batchprep.batch.record_rows import RecordRows
from batchprep.dtypes import KINDS
from batchprep.records.list import ListSource
from batchprep.schema import Field
from tests.batch.readers import READERS, assert_same, ordinary

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
ALL = frozenset(KINDS)
NAN = struct.unpack("d", struct.pack("Q", 0x7FF8_0000_DEAD_BEEF))[0]


class Shade(enum.IntEnum):
    DARK = 1


class Text(str):
    __slots__ = ()


class Number(float):
    __slots__ = ()


class Moment(dt.datetime):
    pass


edges = st.sampled_from(
    [
        *(2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**40, 0, -1),
        *(-0.0, 0.0, math.nan, NAN, math.inf, -math.inf, 5e-324),
        *(True, False, None, "", "\ud800", "é", "\U0001f600", "nul\0nul", "a" * 40),
        *(Shade.DARK, Text("a"), Number(1.5), np.float64(1), np.int64(1), np.bool_(1)),
        *(decimal.Decimal(1), 1j, b"a", object, [1], (1,), {"a": 1}, {1}, collections.Counter()),
        *(dt.date.min, dt.date.max, dt.datetime.min, dt.datetime.max, dt.datetime(1970, 1, 1)),
        *(dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, tzinfo=BERLIN)),
        *(dt.datetime(2020, 1, 1, fold=1), Moment(2020, 1, 1), dt.time(1), dt.time.max),
        *(dt.timedelta.min, dt.timedelta.max, dt.timedelta(0), dt.timedelta(microseconds=-1)),
    ]
)
values = st.one_of(
    edges, st.integers(), st.floats(), st.text(max_size=3), st.dates(), st.datetimes()
)
records = st.lists(st.dictionaries(st.sampled_from("abc"), values), min_size=1, max_size=20)
kind_sets = st.frozensets(st.sampled_from(KINDS), min_size=1) | st.just(ALL)
bounds = st.sampled_from([(), (-128, 127), (0, 2**32 - 1), (5, 10), (0, 2**64 - 1)])


@given(records, kind_sets, bounds)
@example([{"a": "\ud800"}, {"a": "x"}, {"a": "\ud800"}, {"a": 1}], ALL, ())
@example([{"a": "x"}, {}, {"a": "x"}], frozenset({"str"}), ())
@example([{"a": 2**63}, {"a": 7}], frozenset({"int"}), (5, 10))
@example([{"a": dt.datetime(2020, 1, 1, fold=1)}], frozenset({"datetime"}), ())
def test_columns_are_those_of_the_ordinary_way(rs, kinds, low_high):
    fields = [Field(name, kinds, *low_high) for name in "abc"]

    for reader in READERS.values():
        columns = columns_of_dicts(rs, range(len(rs)), fields, reader)
        for field in fields:
            assert_same(columns[field.name], ordinary(rs, field))


@given(st.lists(values, min_size=1, max_size=8), st.integers(0, 999), kind_sets)
def test_long_lists_are_read_like_short_ones(pool, seed, kinds):
    draw = random.Random(seed)
    rs = [shaped({"a": draw.choice(pool)}, draw) for _ in range(700)]
    part = range(3, 690)
    field = Field("a", kinds)
    expected = ordinary(rs, field, part)

    for reader in READERS.values():
        assert_same(columns_of_dicts(rs, part, [field], reader)["a"], expected)


class Made:
    def __init__(self, a):
        self.z = 1
        self.a = a


def shaped(record, draw):
    """The record, or one whose dict looks otherwise inside: now a rare one, now one of many."""
    shapes = {
        "as it is": lambda: record,
        "no key": dict,
        "another first": lambda: {"b": 2, **record},
        "another last": lambda: {**record, "b": 2},
        "many": lambda: {**dict.fromkeys(map(str, range(draw.randrange(600)))), **record},
        "a key of its own": lambda: {str(b"a", "ascii"): record["a"]},
        "parsed keys": lambda: {json.loads('["a"]')[0]: record["a"], "b": record["a"]},
        "deleted": lambda: without({"x": 1, **record, "y": 2}, draw.choice("xy")),
        "deleted and set": lambda: {**without({**record, "b": 1}, "a"), **record},
        "other keys": lambda: {1: 2, None: 3, **record},
        "of an object": lambda: vars(Made(record["a"])),
        "twice the value": lambda: {"b": record["a"], "A": record["a"], **record},
    }
    often = draw.choice(["as it is", "another first", "parsed keys", "of an object"])
    likely = "another last" if draw.random() < 0.1 else often
    return shapes[likely if draw.random() < 0.6 else draw.choice([*shapes])]()


def without(record, key):
    del record[key]
    return record


@pytest.mark.parametrize("distinct", [3, 200, 5_000, 20_000])
def test_strings_are_told_apart_however_many_there_are(reader, distinct):
    draw = random.Random(distinct)
    shared = [f"word {number}" for number in range(distinct)]
    rs = [{"a": draw.choice(shared), "b": f"own {draw.randrange(distinct)}"} for _ in range(20_000)]
    fields = [Field("a", frozenset({"str"})), Field("b", frozenset({"str", "none"}))]
    columns = columns_of_dicts(rs, range(len(rs)), fields, reader)

    for field in fields:
        assert_same(columns[field.name], ordinary(rs, field))


def test_what_any_thread_meets_is_in_the_column():
    # A chunk has 4,096 records, and whoever is free takes the next one.
    field = Field("a", frozenset({"float", "none"}))
    for number in range(12):
        rs = [{"a": 0.5}] * 50_000
        rs[4_096 * number + 3] = {"a": None}
        columns = columns_of_dicts(rs, range(len(rs)), [field], READERS["helped"])
        assert_same(columns["a"], ordinary(rs, field))


class Inventive(dict):
    def __getitem__(self, key):
        return 5


@pytest.mark.parametrize(
    "strange",
    [
        collections.OrderedDict(a=2),
        collections.defaultdict(int, a=2),
        collections.Counter(a=2),
        Inventive(a=2),
        None,
        7,
        ("a", 2),
        "a",
    ],
    ids=lambda strange: type(strange).__name__,
)
def test_one_record_that_is_no_plain_dict_takes_the_list_the_ordinary_way(reader, strange):
    rs = [{"a": 1}] * READ_ROWS + [strange]
    field = Field("a", frozenset({"int"}))

    assert columns_of_dicts(rs, range(len(rs)), [field], reader) is None
    assert_same(RecordRows(rs, "mapping").column("a", field), ordinary(rs, field))


def counts(objects):
    return [sys.getrefcount(o) for o in objects]


def test_references_are_given_back(reader):
    objects = [1.5, 2**40, 10**30, "some words", dt.datetime(2020, 1, 2), dt.date(2020, 1, 2)]
    objects += [dt.timedelta(3), [], (1, 2), {}, decimal.Decimal(1), Text("t"), "\ud800", BERLIN]
    objects += [dt.datetime(2020, 1, 1, tzinfo=BERLIN), dt.datetime(2020, 1, 1, fold=1)]
    keys = [json.loads('["a"]')[0] for _ in range(7)]
    rs = [{keys[n // 200]: objects[n % len(objects)]} for n in range(1_000)]
    before = counts(objects), counts(rs), counts(keys), sys.getrefcount(rs)
    columns_of_dicts(rs, range(len(rs)), [Field("a", ALL)], reader)

    assert (counts(objects), counts(rs), counts(keys), sys.getrefcount(rs)) == before


def test_reading_again_and_again_takes_no_more_memory(reader):
    rs = [{"a": dt.datetime(2020, 1, 1) + dt.timedelta(n), "b": f"x{n}"} for n in range(1_000)]
    rs[7]["a"] = dt.datetime(2020, 1, 1, tzinfo=BERLIN)
    fields = [Field("a", ALL), Field("b", ALL)]
    gc.collect()
    blocks, nones = sys.getallocatedblocks(), sys.getrefcount(None)
    for _ in range(20):
        columns_of_dicts(rs, range(len(rs)), fields, reader)
    gc.collect()

    assert sys.getallocatedblocks() - blocks < 1_000
    assert sys.getrefcount(None) - nones < 1_000


def test_names_that_are_no_plain_str_are_looked_up_the_ordinary_way(reader):
    rs = [{1: n, "a": 2} for n in range(READ_ROWS)]
    field = Field(1, frozenset({"int"}))

    assert RecordRows(rs, "mapping").columns((field,)) is None
    assert RecordRows(rs, "mapping").column(1, field).buffers["int"].tolist() == [*range(READ_ROWS)]


def test_a_tuple_of_dicts_gives_the_same_column(reader):
    rs = tuple({"a": n} for n in range(READ_ROWS))
    field = Field("a", frozenset({"int"}))

    assert_same(RecordRows(rs, "mapping").column("a", field), ordinary([*rs], field))


def test_batches_of_a_long_list_read_their_own_rows(reader):
    rs = [{"a": n, "b": str(n % 7)} for n in range(5_000)]
    source = ListSource(rs)
    fields = {name: source.field(name) for name in "ab"}
    batches = list(source.batches(1_024))
    numbers = [batch.columns(fields)["a"].buffers["int"].tolist() for batch in batches]

    assert [*itertools.chain(*numbers)] == [*range(5_000)]
    assert [r for batch in batches for r in batch.records()] == rs
    assert batches[1].values("a", np.array([0, 2])) == [1_024, 1_026]
    assert [len(batch) for batch in batches] == [1_024] * 4 + [904]


def test_threads_that_read_the_same_list_get_the_same_columns(reader):
    rs = [{"a": n / 3, "b": f"w{n % 50}"} for n in range(20_000)]
    fields = [Field("a", ALL), Field("b", ALL)]
    expected = [ordinary(rs, field) for field in fields]
    found = []

    def read():
        found.append(columns_of_dicts(rs, range(len(rs)), fields, reader))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for columns, (field, column) in itertools.product(found, zip(fields, expected, strict=True)):
        assert_same(columns[field.name], column)
    assert len(found) == 4


ints = st.integers(-(2**31), 2**31) | st.sampled_from([2**30 - 1, 2**30, -(2**30), 1 - 2**30])


@given(st.lists(ints, min_size=1, max_size=50))
def test_ints_of_one_digit_and_of_two_are_read(numbers):
    rs = [{"a": number} for number in numbers]
    field = Field("a", frozenset({"int"}))
    for reader in READERS.values():
        column = columns_of_dicts(rs, range(len(rs)), [field], reader)["a"]
        assert column.buffers["int"].tolist() == numbers


@given(st.lists(st.datetimes() | st.dates(), min_size=1, max_size=50))
def test_dates_and_datetimes_are_read(times):
    rs = [{"a": time} for time in times]
    field = Field("a", frozenset({"date", "datetime"}))
    expected = ordinary(rs, field)
    for reader in READERS.values():
        assert_same(columns_of_dicts(rs, range(len(rs)), [field], reader)["a"], expected)


@pytest.mark.parametrize("reader", READERS)
def test_a_name_that_was_never_hashed_is_found_in_records_that_differ(reader):
    records = [{"price": 1.5}, {"n": 1, "price": 2.5}] * 300
    never_hashed = b"price".decode

    kinds = kinds_of_dicts(records, range(600), never_hashed(), READERS[reader])
    field = Field(never_hashed(), frozenset({"float"}))
    columns = columns_of_dicts(records, range(600), (field,), READERS[reader])

    assert kinds == {"float"}
    assert_same(columns["price"], ordinary(records, field))
