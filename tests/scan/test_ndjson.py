"""NDJSON without a schema: records as json.loads gives them."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.records import open_source
from batchprep.records.scan import scan

VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ndjson")


@given(
    records=st.lists(st.dictionaries(st.text(max_size=3), VALUE, max_size=3), max_size=5),
    ascii_only=st.booleans(),
    blank=st.sampled_from(["", "\n", " \t\r\n"]),
    end=st.sampled_from(["\n", "\r\n", " \n"]),
)
def test_records_are_what_json_loads_gives(folder, records, ascii_only, blank, end):
    lines = [json.dumps(record, ensure_ascii=ascii_only) for record in records]
    text = blank + "".join(line + end + blank for line in lines)
    (folder / "t.ndjson").write_bytes(text.encode("utf-8", "surrogatepass"))

    assert list(map(repr, scan(folder / "t.ndjson"))) == [repr(json.loads(line)) for line in lines]


def test_absent_keys_mixed_kinds_and_large_ints_stay(tmp_path):
    records = [{"a": 2**70}, {}, {"a": "x", "b": None}, {"a": 1.0}]
    path = tmp_path / "t.ndjson"
    path.write_text("\n\n".join(map(json.dumps, records)))

    source = open_source(scan(path))

    assert source.kind == "iterator"
    assert [record for batch in source.batches() for record in batch.records()] == records
    assert scan(path, columns=["b", "a"]).source().field("b").kinds >= {"absent"}
    assert list(scan(path, columns=["b"])) == [{}, {}, {"b": None}, {}]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"a": 1', "is no JSON"),
        ('{"a": 1} {"a": 2}', "is no JSON"),
        ("[1]", "is JSON, but no object"),
        ("5", "is JSON, but no object"),
        ("nothing", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ('{"a": ' + "9" * 5_000 + "}", "is no JSON"),
    ],
)
@pytest.mark.parametrize("schema", [None, pa.schema([("a", pa.int64())])])
def test_a_bad_line_is_an_error_with_its_number(tmp_path, line, text, schema):
    path = tmp_path / "t.ndjson"
    path.write_text('{"a": 1}\n\n' + line + "\n")

    with pytest.raises(ValueError, match=rf"t\.ndjson, line 3: .* {text}"):
        list(scan(path, schema=schema))


def test_bytes_that_are_no_text_name_their_place(tmp_path):
    path = tmp_path / "t.ndjson"
    path.write_bytes(b'{"a": "\xc3\xa9"}\n' * 90_000 + b'{"a": "\xff"}\n')

    with pytest.raises(ValueError, match=r"byte 1,080,007 \(line 90,001\): the bytes are no utf-8"):
        list(scan(path))


def test_characters_across_blocks_are_read(tmp_path):
    path = tmp_path / "t.ndjson"
    values = ["é" * 700_001, "x" * 3_000_000, "\u2028\x85"]
    path.write_text("".join(json.dumps({"a": v}, ensure_ascii=False) + "\n" for v in values))

    assert [record["a"] for record in scan(path)] == values


def test_a_byte_order_mark_is_left_out(tmp_path):
    (tmp_path / "t.ndjson").write_bytes(b'\xef\xbb\xbf{"a": 1}')

    assert list(scan(tmp_path)) == [{"a": 1}]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [("x", pa.int64()), (1.5, pa.int64()), (300, pa.int8()), (1, pa.string()), ("x", pa.date32()),
     (True, pa.int64()), (1, pa.timestamp("us")), (2**53 + 1, pa.float64()),
     ("x", pa.time64("us"))],
)  # fmt: skip
def test_a_value_that_does_not_fit_the_schema_names_its_line(tmp_path, value, dtype):
    path = tmp_path / "t.ndjson"
    path.write_text('{}\n\n{"a": null}\n' + json.dumps({"a": value}))

    with pytest.raises(ValueError, match=r"t\.ndjson, line 4, column 'a': .* does not fit"):
        list(scan(path, schema=pa.schema([("a", dtype)])))


def test_the_schema_is_that_of_the_first_records(tmp_path):
    (tmp_path / "t.ndjson").write_text('{"a": 1}\n{"a": 0.5, "b": "x"}\n')
    found = scan(tmp_path)

    assert found.schema == pa.schema([("a", pa.float64()), ("b", pa.string())])
    assert pa.table(scan(tmp_path, schema=found.schema))["b"].to_pylist() == [None, "x"]
    with pytest.raises(TypeError, match="pass schema="):
        found.__arrow_c_stream__()


def test_batches_know_their_file_and_row(tmp_path):
    for name, count in (("a", 3), ("b", 0), ("c", 4)):
        (tmp_path / f"{name}.ndjson").write_text('{"n": 1}\n' * count)
    source = scan(tmp_path).source()

    assert source.field("n").kinds == {"int"}
    assert [(b.start, len(b), b.origin.file[-8:], b.origin.row) for b in source.batches(2)] == [
        (0, 2, "a.ndjson", 0),
        (2, 1, "a.ndjson", 2),
        (3, 1, "c.ndjson", 0),
        (4, 2, "c.ndjson", 1),
        (6, 1, "c.ndjson", 3),
    ]
    assert source.bytes_read == source.total_bytes == 7 * 9
