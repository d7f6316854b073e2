"""Values of text formats read back bit for bit: random ones."""

import csv
import datetime as dt
import decimal
import io
import json
import math
import struct
import zoneinfo

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from batchprep.sinks.csv_lines import csv_header, csv_lines
from batchprep.sinks.json_lines import json_lines

WORDS = st.text(st.characters(codec="utf-8")) | st.text('",\n\r\\ \t\x00ab', max_size=6)
# Every bit pattern of a double but those that differ from NaN in nothing that Python shows.
DOUBLES = st.binary(min_size=8, max_size=8).map(lambda b: struct.unpack("<d", b)[0])
FLOATS = DOUBLES.map(lambda x: x if x == x else float("nan")) | st.floats() | st.just(1e22)
INTS = st.integers(-(2**63), 2**63 - 1)
DAY = dt.datetime.fromisoformat
ZONES = st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC"])


def optional(values, most=20):
    return st.lists(st.none() | values, min_size=1, max_size=most)


def csv_rows(*arrays):
    names = [str(place) for place in range(len(arrays))]
    batch = pa.record_batch(list(arrays), names=names)
    text = (csv_header(batch.schema) + bytes(csv_lines(batch))).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows.pop(0) == names
    return rows


def json_rows(array):
    lines = bytes(json_lines(pa.record_batch([array], names=["x"]))).decode()
    assert lines.endswith("\n")
    return [json.loads(line)["x"] for line in lines[:-1].split("\n")]


def bits(value):
    # A text has one NaN: which of them it was is not kept.
    return struct.pack("<d", math.nan if math.isnan(value) else value)


@given(optional(FLOATS))
@example([0.1, 1e300, float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 5e-324, 1e16, 1e-7])
def test_floats_read_back_bit_for_bit(values):
    array = pa.array(values, pa.float64())

    cells = [cell for cell, _ in csv_rows(array, pa.array(range(len(values))))]
    for cell, found, value in zip(cells, json_rows(array), values, strict=True):
        if value is None:
            assert (cell, found) == ("", None)
        else:
            assert bits(float(cell)) == bits(value)
            assert bits(found) == bits(value)
            assert type(found) is float


@given(optional(st.floats(width=32, allow_nan=False)))
def test_a_narrow_float_reads_back_as_the_double_that_python_has(values):
    array = pa.array(values, pa.float32())
    cells = [cell for cell, _ in csv_rows(array, pa.array(range(len(values))))]

    assert [None if c == "" else float(c) for c in cells] == array.to_pylist()


@given(optional(INTS))
def test_ints_read_back_digit_for_digit(values):
    array = pa.array(values, pa.int64())
    cells = [cell for cell, _ in csv_rows(array, pa.array(range(len(values))))]

    assert [None if cell == "" else int(cell) for cell in cells] == values
    assert json_rows(array) == values


@given(optional(WORDS), st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]))
@example(["", None, '"', "\n", ",", "\r\n", " a ", "\x00", "\u2028", "\U0001f600"], pa.string())
def test_texts_read_back_character_for_character(values, dtype):
    array = pa.array(values, dtype)
    cells = [cell for cell, _ in csv_rows(array, pa.array(range(len(values))))]

    assert cells == ["" if value is None else value for value in values]
    assert json_rows(array) == values


@given(optional(WORDS))
def test_a_line_of_json_is_what_the_json_module_writes(values):
    batch = pa.record_batch([pa.array(values, pa.string())], names=['a"b'])

    lines = bytes(json_lines(batch)).decode().split("\n")[:-1]

    assert lines == [json.dumps({'a"b': value}, ensure_ascii=False) for value in values]


@given(optional(WORDS))
def test_only_an_empty_text_is_quoted_and_a_null_is_not(values):
    # The last column ends the line, so the first one ends where the comma of the second is.
    batch = pa.record_batch(
        [pa.array(values, pa.string()), pa.nulls(len(values))], names=["a", "b"]
    )
    text = bytes(csv_lines(batch)).decode()

    assert text.count("\n") == len(values) + sum((v or "").count("\n") for v in values)
    for value in values:
        special = value is not None and (value == "" or any(c in value for c in '",\n\r'))
        quoted = '"' + value.replace('"', '""') + '"' if special else value or ""
        line = quoted + ",\n"
        assert text.startswith(line)
        text = text.removeprefix(line)


@given(optional(st.datetimes()), st.sampled_from(["us", "ns"]))
def test_timestamps_are_as_isoformat_gives_them(values, unit):
    low, high = DAY("1700-01-01"), DAY("2200-01-01")
    if unit == "ns":
        values = [None if v is None else min(max(v, low), high) for v in values]
    array = pa.array(values, pa.timestamp(unit))

    assert json_rows(array) == [None if v is None else v.isoformat() for v in values]


@given(optional(st.datetimes(DAY("1800-01-01"), DAY("2037-01-01"))), ZONES)
def test_moments_in_a_zone_have_its_offset(values, zone):
    array = pa.array(values, pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    array = array.cast(pa.timestamp("us", zone))
    known = zoneinfo.ZoneInfo(zone)
    moments = [None if v is None else v.replace(tzinfo=dt.UTC).astimezone(known) for v in values]

    assert json_rows(array) == [None if m is None else m.isoformat() for m in moments]


@given(optional(st.timedeltas(dt.timedelta(-(10**8)), dt.timedelta(10**8))))
def test_durations_are_exact_seconds(values):
    array = pa.array(values, pa.duration("us"))
    cells = [cell for cell, _ in csv_rows(array, pa.array(range(len(values))))]

    for cell, value in zip(cells, values, strict=True):
        if value is None:
            assert cell == ""
        else:
            whole, _, digits = format_fixed(cell).partition(".")
            assert digits == digits[:6].ljust(6, "0")
            assert int(whole + digits) == value // dt.timedelta(microseconds=1)


def format_fixed(text):
    return f"{decimal.Decimal(text):f}"


@given(optional(st.lists(st.none() | st.lists(st.none() | WORDS, max_size=4), max_size=4), 6))
def test_lists_of_lists_read_back(values):
    assert json_rows(pa.array(values, pa.list_(pa.list_(pa.string())))) == values
    assert json_rows(pa.array(values, pa.large_list(pa.list_view(pa.string())))) == values


RECORDS = st.fixed_dictionaries({"a": st.none() | INTS, "b": st.none() | st.lists(WORDS)})


@given(optional(RECORDS, 8), st.integers(0, 5))
def test_structs_and_their_slices_read_back(values, first):
    dtype = pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))])
    array = pa.array([*values, None], dtype)

    assert json_rows(array) == [*values, None]
    if first < len(array):
        assert json_rows(array.slice(first)) == [*values, None][first:]
