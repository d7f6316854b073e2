"""Types of CSV columns guessed from the first rows: what is seen is as if all were known."""

import gzip
import json
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import batchprep as bp
from batchprep.errors import FallbackWarning
from batchprep.records.scan import csv_guess, csv_reader, csv_survey, csv_types

# Each list is of one type or of none; a column is of one, and a few texts of others come later.
ALIKE = (
    ["1", "-2", "30", "0"],
    ["9007199254740993", "-5"],
    ["-0", "7"],
    ["1.5", "1e5", "-0.25", "3", ".5", "0.0"],
    ["nan", "inf", "-Infinity", "2.5", "1e999"],
    ["true", "False", "TRUE"],
    ["2024-01-31", "1999-12-01"],
    ["2024-01-31 10:00", "2024-01-31T10:00:00.25", "2024-01-31"],
    ["2024-01-31T10:00:00Z", "2024-01-31 10:00+00:00"],
    ["x", "é", "1 ", " 1", '"q""q"', '"a,b"'],
)
ODD = st.sampled_from(
    ["007", "+5", "0x1F", "-00", "9223372036854775808", "9223372036854775807", "9" * 400, "1_0"]
    + ["nan(1)", "+1.5", "01.5", "2024-02-30", "0000-01-01", "2024-01-31T10:00:00+02:00", "10:30"]
    + ["tRue", "yes", "NULL", "٣", "3 ", '"3"', "'3'", '"a\nb"']
)
TEXT = st.sampled_from([text for texts in ALIKE for text in texts])
NULL = st.sampled_from(["", '""', "NA"])


@st.composite
def columns(draw):
    """Texts of one type, or nulls; then, perhaps, another text among them."""
    texts = st.sampled_from(draw(st.sampled_from(ALIKE)))
    texts = draw(st.sampled_from([texts, texts, st.one_of(texts, NULL), NULL]))
    first = draw(st.lists(texts, min_size=8, max_size=12))
    other = st.just(draw(st.one_of(ODD, TEXT)))
    return first + draw(st.lists(st.one_of(texts, other), max_size=4))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("guess")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of a few rows, of which the first shows the types."""
    monkeypatch.setattr(csv_guess, "FIRST_BYTES", 40)
    monkeypatch.setattr(csv_reader, "_BLOCK", 40)
    monkeypatch.setattr(csv_types, "_PROBES", (1, 2))


@pytest.fixture
def surveys(monkeypatch):
    """The surveys of all rows that are made."""
    made = []
    survey = csv_survey.inferred_schema

    def counted(*given):
        made.append(given)
        return survey(*given)

    monkeypatch.setattr(csv_survey, "inferred_schema", counted)
    return made


def write(folder, files, end):
    """Each file's columns a and b, the shorter one with nulls at its end."""
    paths = []
    for number, (a, b, blank, suffix) in enumerate(files):
        length = max(len(a), len(b))
        rows = zip(a + [""] * (length - len(a)), b + [""] * (length - len(b)), strict=True)
        lines = ["a,b", *(f"{one},{other}" for one, other in rows)]
        lines[blank:blank] = [""] if blank else []
        data = ("\ufeff" + end.join([*lines, ""])).encode()
        paths.append(folder / f"{number}.csv{suffix}")
        paths[-1].write_bytes(gzip.compress(data) if suffix else data)
    return paths


def outcome(work, *given):
    try:
        return work(*given)
    except Exception as error:  # noqa: BLE001  compared
        return type(error), str(error), getattr(error, "__notes__", [])


def shown(found):
    """Types and values, of nan too."""
    dtype = found.type if isinstance(found, pa.ChunkedArray) else found.schema
    return dtype, repr(found.to_pylist())


PIPES = (
    bp.Pipeline().select("a", "b"),
    bp.Pipeline().map(lambda r: {"both": r["a"] is None and r["b"] is None, "b": r["b"]}),
    bp.Pipeline().map(lambda r: r["a"] * 2),
    bp.Pipeline(on_error="drop").filter(lambda r: r["b"] is not None).select("a"),
    bp.Pipeline(on_error="null").map(lambda r: {"sum": r["a"] + r["b"], "a": r["a"]}),
    bp.Pipeline().map(lambda r: {"text": str(r["a"]), "more": r["a"] == r["b"]}),
)


@settings(max_examples=30)
@given(
    files=st.lists(
        st.tuples(columns(), columns(), st.integers(0, 3), st.sampled_from(["", "", ".gz"])),
        min_size=1,
        max_size=2,
    ),
    end=st.sampled_from(["\n", "\r\n"]),
    pipe=st.sampled_from(PIPES),
    suffix=st.sampled_from([".parquet", ".csv", ".ndjson"]),
)
def test_a_run_writes_what_it_does_where_all_rows_are_read_first(folder, files, end, pipe, suffix):
    paths = write(folder, files, end)

    def run(look):
        source = bp.scan(paths, null_values=["", "NA"])
        if look:
            assert source.schema is not None
        target = folder / f"out{suffix}"
        with warnings.catch_warnings(), bp.use(backend="numpy", on_unsupported="ignore"):
            pipe.run(source, target, overwrite=True)
            table = pipe(source)
        if suffix != ".parquet":
            return target.read_bytes(), *shown(table)
        return *shown(pq.read_table(target)), *shown(table)

    assert outcome(run, False) == outcome(run, True)


@given(
    texts=st.lists(
        st.one_of(st.sampled_from([t for texts in ALIKE for t in texts]), ODD, st.none()),
        max_size=6,
    )
)
def test_values_are_there_where_their_type_is_left(texts):
    held = pa.array(["z", *texts], pa.string()).slice(1)

    for name, dtype in csv_types.TYPES.items():
        values = csv_types.values_of(held, name)
        left = name in csv_types.narrowed(frozenset({name}), held)

        assert (values is not None) == (left or not held.drop_null())
        if values is not None:
            assert values.type == dtype
            assert values.is_null().equals(held.is_null())


def numbered(path, count, *further):
    path.write_text("n,m\n" + "".join(f"{n},{n}\n" for n in range(1, count)) + "".join(further))
    return path


def test_types_that_hold_are_not_surveyed(tmp_path, surveys):
    path = numbered(tmp_path / "t.csv", 100)
    pipe = bp.Pipeline(backend="numpy").map(lambda r: {"n": r["n"] + 1})

    pipe.run(path, tmp_path / "out.parquet")

    assert pq.read_table(tmp_path / "out.parquet")["n"].to_pylist() == list(range(2, 101))
    assert pipe(path)["n"].to_pylist() == list(range(2, 101))
    assert not surveys


def test_the_type_of_a_column_that_nobody_reads_is_of_no_account(tmp_path, surveys):
    path = numbered(tmp_path / "t.csv", 100, "100,x\n")

    found = bp.Pipeline(backend="numpy").map(lambda r: {"n": r["n"] + 1})(path)

    assert found["n"].type == pa.int64()
    assert not surveys


def test_a_later_type_begins_the_run_anew(tmp_path, surveys):
    path = numbered(tmp_path / "t.csv", 100, "100,0.5\n")
    target = tmp_path / "out.parquet"
    target.write_bytes(b"what was there")
    pipe = bp.Pipeline(backend="numpy").map(lambda r: {"n": r["n"] + 1, "m": r["m"]})

    report = pipe.run(path, target, overwrite=True)

    written = pq.read_table(target)
    assert written.schema.field("m").type == pa.float64()
    assert written["m"].to_pylist() == [*map(float, range(1, 100)), 0.5]
    assert report.rows == pipe.report().rows == 100
    assert len(surveys) == 1
    assert [found.name for found in tmp_path.iterdir() if found not in {path, target}] == []


def test_an_exception_is_that_of_the_types_of_all_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_guess, "FIRST_FILES", 1)
    paths = [tmp_path / "0.csv", tmp_path / "1.csv"]
    paths[0].write_text("n\n0\n" + "1\n" * 100)
    paths[1].write_text("n\n1\nx\n")
    pipe = bp.Pipeline(backend="numpy").map(lambda r: 10 // r["n"])

    with pytest.raises(TypeError, match="unsupported operand") as caught:
        pipe.run(paths, tmp_path / "out.parquet")

    assert "n='0'" in "".join(caught.value.__notes__)
    assert sorted(tmp_path.iterdir()) == paths


def test_failed_rows_are_kept_once_and_in_the_types_of_all_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,m\n0,1\n" + "1,1\n" * 100 + "1,x\n")
    failures = tmp_path / "failed.ndjson"
    pipe = bp.Pipeline(backend="numpy", on_error="drop").map(lambda r: {"q": 10 // r["n"]})

    report = pipe.run(path, tmp_path / "out.parquet", failures=failures)

    lines = failures.read_text().splitlines()
    assert [json.loads(json.loads(line)["record"]) for line in lines] == [{"n": 0, "m": "1"}]
    assert report.rows == 102


def test_a_function_of_the_interpreter_runs_once_for_each_row(tmp_path):
    path = numbered(tmp_path / "t.csv", 100, "100,x\n")
    seen = []

    def noted(r):
        seen.append(r["m"])
        return {"m": r["m"]}

    pipe = bp.Pipeline().map(noted)
    with pytest.warns(FallbackWarning) as warned:
        pipe.run(path, tmp_path / "out.parquet")

    assert seen == [*map(str, range(1, 100)), "x"]
    assert len(warned) == 1


def test_what_python_does_for_a_failing_row_it_does_once(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_guess, "FIRST_FILES", 1)
    # A batch is of one file: the first has run where the second is read.
    paths = [numbered(tmp_path / "0.csv", 100), numbered(tmp_path / "1.csv", 1, "100,x\n")]
    seen = []

    def checked(r):
        if r["n"] == 5:
            raise ValueError(seen.append(r["m"]))
        return {"m": r["m"]}

    pipe = bp.Pipeline(backend="numpy", on_error="drop").map(checked)
    assert pipe.explain(bp.scan(paths)).compiled
    report = pipe.run(paths, tmp_path / "out.parquet")

    assert seen == ["5"]
    assert report.failures["row"].to_pylist() == [4]


def test_bytes_that_are_no_text_are_an_error_where_they_are_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"n,m\n" + b"1,y\n" * 100 + b"2,\xff\n")

    with pytest.raises(ValueError, match=r"t\.csv, byte 406 \(line 102\): the bytes are no utf-8"):
        bp.Pipeline(backend="numpy").select("n", "m").run(path, tmp_path / "out.parquet")


def test_a_ragged_row_is_an_error_with_its_line(tmp_path):
    path = numbered(tmp_path / "t.csv", 100, "1,2,3\n")

    with pytest.raises(ValueError, match=r"t\.csv, line 101: 3 fields where the header has 2"):
        bp.Pipeline(backend="numpy").select("n").run(path, tmp_path / "out.parquet")


@pytest.mark.parametrize("length", range(8, 13))
def test_a_row_that_the_first_bytes_cut_shows_no_types(tmp_path, length):
    path = tmp_path / "t.csv"
    path.write_text(f"{'n' * length},m\n" + "9007199254740993,2024-01-31 10:00\n" * 8)

    found = bp.Pipeline(backend="numpy").select("n" * length, "m")(path)

    assert found.schema.types == [pa.int64(), pa.timestamp("us")]


def test_columns_of_folders_keep_their_types(tmp_path, surveys):
    for year in (2023, 2024):
        (tmp_path / "in" / f"year={year}").mkdir(parents=True)
        numbered(tmp_path / "in" / f"year={year}" / "t.csv", 50)

    found = bp.Pipeline(backend="numpy").select("year", "n")(tmp_path / "in")

    assert found.schema.types == [pa.int64(), pa.int64()]
    assert not surveys
