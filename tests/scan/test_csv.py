"""CSV text: the fields are csv.DictReader's, the types those that every value has."""

import csv
import datetime as dt
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from batchprep.records.scan import scan
from batchprep.records.scan.csv_types import ALL, narrowed, type_of

FIELD = st.text(st.sampled_from('ab1," \n\r\t;é\u2028\x00'), max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("csv")


def read(path, text, encoding="utf-8", **options):
    path.write_bytes(text.encode(encoding))
    return list(scan(path, encoding=encoding, **options))


@given(
    rows=st.lists(st.tuples(FIELD, FIELD, FIELD), max_size=8),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_text_is_what_dict_reader_gives(folder, rows, delimiter, end, quoting):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(["a", "b ", ""])
    writer.writerows(rows)
    wanted = list(csv.DictReader(io.StringIO(out.getvalue(), newline=""), delimiter=delimiter))

    # csv.writer leaves a line feed without quotes where rows end in "\r": such rows are ragged.
    if any(None in row or None in row.values() for row in wanted):
        with pytest.raises(ValueError, match="fields where the header has 3"):
            read(folder / "t.csv", out.getvalue(), infer=False, delimiter=delimiter)
    else:
        found = read(folder / "t.csv", out.getvalue(), infer=False, delimiter=delimiter)
        assert found == wanted


PARSERS = {
    pa.int64(): int,
    pa.float64(): float,
    pa.bool_(): lambda text: text.lower() == "true",
    pa.date32(): dt.date.fromisoformat,
    pa.timestamp("us"): dt.datetime.fromisoformat,
    pa.timestamp("us", "UTC"): dt.datetime.fromisoformat,
    pa.string(): str,
    pa.null(): None,
}
TEXTS = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.integers(-20, 20).map(str),
    st.floats().map(repr),
    st.floats(-10, 10).map(lambda x: f"{x:.3g}"),
    st.sampled_from(["true", "False", "yes", "007", "-0", "+5", "0x1f", "1_0", " 5", "5 "]),
    st.sampled_from([".5", "5.", "1e5", "1e400", "-.5", ".", "-", "nan", "-inf", "Infinity"]),
    st.sampled_from(["nan(1)", "00.5", "01.5", "0.5", "9007199254740993", "9007199254740993.0"]),
    st.sampled_from(["2024-02-29", "2023-02-29", "0000-01-01", "20240101", "2024-01-01T05"]),
    st.sampled_from(["2024-01-01 05:06:07", "2024-01-01T05:06:07.123456", "2024-01-01T05:06:07Z"]),
    st.sampled_from(["2024-01-01T05:06:07.123456789", "2024-01-01T05:06:07+02:00"]),
    st.sampled_from(["", "", "٣", "x"]),
)  # fmt: skip


def same(one, other):
    return repr(one) == repr(other) or one == other


@given(st.lists(st.lists(TEXTS, max_size=3), max_size=4))
def test_inferred_values_are_pythons_parse_of_the_text(folder, parts):
    paths = []
    for number, texts in enumerate(parts):
        paths.append(folder / f"p{number}.csv")
        paths[-1].write_text("".join(f"{text},x\n" for text in ["v", *texts]), encoding="utf-8")
    texts = [text for part in parts for text in part]
    if not paths:
        return

    found = scan(paths, columns=["v"])
    parse = PARSERS[found.schema.field("v").type]

    values = [record["v"] for record in found]
    assert len(values) == len(texts)
    for value, text in zip(values, texts, strict=True):
        if not text:
            assert value is None
        elif isinstance(value, dt.datetime) and value.tzinfo is not None:
            assert value == parse(text)
        else:
            assert same(value, parse(text))
            assert not isinstance(value, float) or not text.isdigit() or int(value) == int(text)


@pytest.mark.parametrize(
    ("texts", "dtype"),
    [
        (["1", "-2"], pa.int64()),
        (["9223372036854775807"], pa.int64()),
        (["9223372036854775808"], pa.string()),
        (["007"], pa.string()),
        (["1", "2.5"], pa.float64()),
        (["9007199254740993", "2.5"], pa.string()),
        (["9007199254740993", "-0"], pa.string()),
        (["-0", "3"], pa.float64()),
        (["0x1F", "3"], pa.string()),
        (["1e999", "-inf", "3"], pa.float64()),
        (["nan(1)", "3"], pa.string()),
        (["+4712345"], pa.string()),
        (["1", "nan"], pa.float64()),
        (["true", "FALSE"], pa.bool_()),
        (["1", "true"], pa.string()),
        (["2024-01-31"], pa.date32()),
        (["2024-01-31", "2024-01-31 10:00:00"], pa.timestamp("us")),
        (["2024-01-31T10:00:00Z"], pa.timestamp("us", "UTC")),
        (["2024-01-31T10:00:00+02:00"], pa.string()),
        (["2024-01-31T10:00:00Z", "2024-01-31T10:00:00"], pa.string()),
        ([None, None], pa.null()),
    ],
)
def test_a_type_is_one_that_every_text_has(texts, dtype):
    one_by_one = ALL
    for text in texts:
        one_by_one = narrowed(one_by_one, pa.array([text], pa.string()))

    assert type_of(narrowed(ALL, pa.array(texts, pa.string()))) == dtype
    assert type_of(one_by_one) == dtype


def test_a_type_follows_from_the_last_row_too(tmp_path):
    count = 300_000
    path = tmp_path / "t.csv"
    path.write_text("n,m\n" + "1,1\n" * count + "x,2\n")

    found = pa.table(scan(path))

    assert found.schema.types == [pa.string(), pa.int64()]
    assert found["n"][-1].as_py() == "x"
    assert found.num_rows == count + 1


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    text = "﻿ä,b\r\n1,x\r\n"

    assert read(tmp_path / "t.csv", text) == [{"ä": 1, "b": "x"}]
    assert read(tmp_path / "t.csv", text, infer=False) == [{"ä": "1", "b": "x"}]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_other_encodings_are_read_where_they_are_named(tmp_path, encoding):
    assert read(tmp_path / "t.csv", "ä,b\né,2\n", encoding) == [{"ä": "é", "b": 2}]


def test_quoted_line_ends_and_delimiters_stay_in_the_value(tmp_path):
    text = 'a,b\n"x\n,""y""",1\n'

    assert read(tmp_path / "t.csv", text) == [{"a": 'x\n,"y"', "b": 1}]


def test_a_quoted_line_end_across_every_block_is_kept(tmp_path):
    value = "line\n" * 1_000
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + f'"{value}",1\n' * 2_000)

    found = pa.table(scan(path))

    assert set(found["a"].to_pylist()) == {value}
    assert found.num_rows == 2_000


@pytest.mark.parametrize("lead", ["", "\n" * 5_000_000, '"x\n', '"'])
def test_a_header_line_longer_than_a_block_names_the_columns(tmp_path, lead):
    end = '"' if '"' in lead else ""
    name = "n" * 5_000_000

    rows = read(tmp_path / "wide.csv", f"{lead}{name}{end},b\n1,x\n2,y\n")

    assert rows == [
        {f"{lead}{name}".strip('"').lstrip("\n"): n, "b": b} for n, b in [(1, "x"), (2, "y")]
    ]


def test_a_long_field_in_the_first_row_needs_no_header(tmp_path):
    limit = csv.field_size_limit()
    text = "long " * 40_000

    assert read(tmp_path / "long.csv", f"{text},1\n", header=False) == [{"f0": text, "f1": 1}]
    assert csv.field_size_limit() == limit


def test_a_ragged_row_behind_a_long_field_is_named(tmp_path):
    with pytest.raises(ValueError, match="line 3: 1 fields where the header has 2"):
        read(tmp_path / "ragged.csv", f"a,b\n{'long ' * 40_000},1\n2\n")


def test_a_row_longer_than_a_block_is_read_once(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "s,1\n" * 1_500_000 + "x" * 9_000_000 + ",2\ns,3\n")

    found = pa.table(scan(path))

    assert found.num_rows == 1_500_002
    assert found["b"].to_pylist()[-3:] == [1, 2, 3]
    assert len(found["a"][-2].as_py()) == 9_000_000


def test_without_a_header_columns_have_numbers_or_the_names_of_the_schema(tmp_path):
    text = "1,x\n2,y\n"
    named = pa.schema([("n", pa.int8()), ("s", pa.string())])

    assert read(tmp_path / "t.csv", text, header=False)[0] == {"f0": 1, "f1": "x"}
    assert read(tmp_path / "t.csv", text, header=False, schema=named)[1] == {"n": 2, "s": "y"}


def test_other_texts_may_stand_for_null(tmp_path):
    found = read(tmp_path / "t.csv", "a,b\nNA,-\n3,x\n", null_values=["NA", "-"])

    assert found == [{"a": None, "b": None}, {"a": 3, "b": "x"}]


def test_a_header_alone_is_a_file_of_no_rows(tmp_path):
    (tmp_path / "t.csv").write_text("a,b")
    found = scan(tmp_path / "t.csv")

    assert (found.schema.names, list(found)) == (["a", "b"], [])


@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize("columns", [None, ["b"]])
def test_a_ragged_row_is_an_error_with_its_line(tmp_path, infer, columns):
    text = 'a,b\n"1\n1",2\n\n1,2,3\n'

    with pytest.raises(ValueError, match=r"t\.csv, line 5: 3 fields where the header has 2: 1,2,3"):
        read(tmp_path / "t.csv", text, infer=infer, columns=columns)


def test_a_value_of_another_type_names_its_place(tmp_path):
    schema = pa.schema([("a", pa.int64())])

    with pytest.raises(ValueError, match=r"t\.csv, line 3 \(row 1\), column 'a': 'x' is no int64"):
        read(tmp_path / "t.csv", "a,b\n1,2\nx,3\n", schema=schema)


def test_a_type_that_no_text_has_says_what_to_declare(tmp_path):
    schema = pa.schema([("a", pa.list_(pa.int64()))])

    with pytest.raises(ValueError, match=r"list<item: int64> is not supported; declare the column"):
        read(tmp_path / "t.csv", "a,b\n1,2\n", schema=schema)


def test_bytes_that_are_no_text_name_their_place(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n3,\xff\n")

    with pytest.raises(ValueError, match=r"t\.csv, byte 10 \(line 3\): the bytes are no utf-8"):
        list(scan(path))


def test_a_file_without_a_header_line_is_an_error(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"")

    with pytest.raises(ValueError, match="so it has no header line"):
        list(scan(tmp_path / "t.csv"))


def test_names_that_occur_twice_are_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"t\.csv: the column names a occur more than once"):
        read(tmp_path / "t.csv", "a,a\n1,2\n")


@pytest.mark.parametrize("options", [{"delimiter": "ab"}, {"quote": ""}, {"encoding": "utf-9"}])
def test_options_that_cannot_be_are_errors_at_once(tmp_path, options):
    (tmp_path / "t.csv").write_text("a\n1\n")

    with pytest.raises(ValueError, match=next(iter(options))):
        scan(tmp_path / "t.csv", **options)
