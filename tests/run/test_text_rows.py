"""Functions of texts that run over Arrow's bytes row by row are exact, and make no strings."""

import random

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.batch import threads
from batchprep.kernels.cpu import texts as kernels
from batchprep.run import byte_texts, inputs, outcomes, text_chunks, words
from batchprep.run.text_chunks import LEAST_ROWS
from tests.run.test_byte_texts import ASCII, PECULIAR

EUROPE = frozenset({"DE", "FR", "É"})
TIERS = {"free": 0, "plus": 1, "": 7, "é": -1}
ROWS = LEAST_ROWS + 500


def tagged(r):
    name = r["name"].strip().lower()
    return {
        "european": r["country"] in EUROPE,
        "tier": TIERS.get(r["plan"], -1),
        "known": name.startswith("zoë"),
        "label": r["country"] + "/" + name,
    }


FUNCTIONS = {
    "tagged": tagged,
    "text": lambda r: r["name"].strip().upper(),
    "the text itself": lambda r: {"a": r["name"], "b": r["name"].isalpha()},
    "value": lambda r: len(r["name"].strip()) + r["country"].find("R"),
    "one of two": lambda r: r["name"].lower() if r["plan"] == "free" else r["country"] + "!",
    "text or None": lambda r: r["name"].upper() if len(r["country"]) > 1 else None,
    "text or constant": lambda r: "none" if r["plan"] == "" else r["plan"][:2],
    "compared as it is made": lambda r: (r["name"].strip().lower() == "é", r["plan"].strip() != ""),
    "f-string": lambda r: f"<{r['country']}:{r['name'].strip()}{r['plan'].lower()}>",
    "f-string of one": lambda r: f"{r['name'].strip()}-{r['name']}",
    "sum of many": lambda r: "a" + r["name"] + "/" + r["plan"] + r["name"].lower() + "b",
    "replaced": lambda r: r["name"].replace("a", "ab\n") + r["name"].removeprefix(" "),
    "faults": lambda r: 1 // len(r["plan"]),
    "or": lambda r: (r["name"] or "nothing").strip() + "!",
    "chosen, then stripped": lambda r: (r["plan"] if r["name"] == "é" else r["country"]).strip(),
    "caught": lambda r: r["plan"].upper() if 8 // len(r["plan"]) else "x",
}
BY_CODE = {
    "two texts compared": lambda r: r["name"] == r["plan"],
    "order": lambda r: r["name"] < "b",
    "chosen by another text": lambda r: (r["name"] if r["plan"] < "b" else "").strip(),
    "title": lambda r: r["name"].title(),
    "split": lambda r: r["name"].split("a")[0],
}
NULLABLE = {
    "checked": lambda r: None if r["name"] is None else r["name"].strip().lower(),
    "or": lambda r: (r["name"] or "").strip() + "!",
    "or a constant": lambda r: (r["name"] or "nobody").upper(),
    "shown": lambda r: f"{r['name']}/{r['plan']}",
    "length or 0": lambda r: len(r["name"]) if r["name"] else 0,
    "fails": lambda r: r["name"].upper(),
    "null or not": lambda r: (r["name"] is None, r["plan"] == "free"),
}


@pytest.fixture(scope="module", autouse=True)
def loaded():
    assert byte_texts.load_now(kernels.NAMES)


@pytest.fixture
def by_row(monkeypatch):
    """Columns of texts that were worked out by row, call by call."""
    seen = []
    real = text_chunks.TextColumns

    def columns(rows, fixed, arrays):
        seen.append(rows.fields)
        return real(rows, fixed, arrays)

    monkeypatch.setattr(inputs, "TextColumns", columns)
    return seen


def texts(seed, count=ROWS, *, nulls=False):
    draw = random.Random(seed)
    letters = [*ASCII, *" aAzZ" * 20, *PECULIAR] if seed % 2 else list(ASCII) * 2

    def text():
        return "".join(draw.choices(letters, k=draw.choice((0, 1, 2, 5, 9, 16, 30))))

    common = ["DE", "FR", "É", "free", "plus", "", " Zoë ", "é", "zoëlla"]
    found = [draw.choice(common) if draw.random() < 0.4 else text() for _ in range(count)]
    return [None if nulls and draw.random() < 0.2 else text for text in found]


def a_table(seed=1, **options):
    names = ("name", "country", "plan")
    return pa.table({n: texts(seed + 2 * place, **options) for place, n in enumerate(names)})


def looped(function, table, on_error="raise"):
    found = []
    for record in table.to_pylist():
        try:
            found.append(function(record))
        except Exception:
            if on_error == "raise":
                raise
            found.append(None)
    return found


def columns_of(answers):
    """What Arrow gives for tuples, as to_pylist has it."""
    return [{str(n): v for n, v in enumerate(a)} if isinstance(a, tuple) else a for a in answers]


def answered(function, table, backend="numpy", on_error="null"):
    return bp.vectorize(function, backend=backend, on_error=on_error)(table).to_pylist()


@pytest.mark.parametrize("seed", [0, 1], ids=["ascii", "any text"])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_rows_are_those_of_the_loop(by_row, function, seed):
    table = a_table(seed)

    assert answered(function, table) == columns_of(looped(function, table, "null"))
    assert by_row


@pytest.mark.parametrize("function", BY_CODE.values(), ids=BY_CODE)
def test_texts_that_need_codes_get_them(by_row, function):
    table = a_table()

    assert answered(function, table) == columns_of(looped(function, table, "null"))
    assert by_row == []


@pytest.mark.parametrize("function", NULLABLE.values(), ids=NULLABLE)
def test_a_null_is_none(by_row, function):
    table = a_table(nulls=True)

    assert answered(function, table) == columns_of(looped(function, table, "null"))
    assert by_row


def test_a_null_that_has_bytes_is_none(by_row):
    names = pa.array(["\xff" * 2, "a "] * ROWS)
    offsets, data = names.buffers()[1:]
    bits = np.packbits(np.arange(2 * ROWS) % 2, bitorder="little")
    broken = np.frombuffer(data, np.uint8).copy()
    broken[broken > 127] = 255
    buffers = [pa.py_buffer(bits), offsets, pa.py_buffer(broken)]
    table = pa.table({"name": pa.Array.from_buffers(pa.string(), 2 * ROWS, buffers)})

    assert answered(NULLABLE["or"], table) == ["!", "a!"] * ROWS
    assert answered(NULLABLE["checked"], table) == [None, "a"] * ROWS
    assert by_row


def all_of(dtype):
    return pa.schema([(name, dtype) for name in ("name", "country", "plan")])


SHAPES = {
    "string": lambda table: table,
    "large_string": lambda table: table.cast(all_of(pa.large_string())),
    "string_view": lambda table: table.cast(all_of(pa.string_view())),
    "slice": lambda table: table.slice(3, LEAST_ROWS + 5),
    "chunks": lambda table: pa.concat_tables([table.slice(0, 7), table.slice(7)]),
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
}  # fmt: skip
NOT_BY_ROW = {
    "dictionary": lambda table: table.cast(all_of(pa.dictionary(pa.int32(), pa.string()))),
    "few rows": lambda table: table.slice(0, 100),
    "no rows": lambda table: table.slice(0, 0),
}


@pytest.mark.parametrize("shape", [*SHAPES, *NOT_BY_ROW])
def test_arrays_of_any_shape_give_the_same(by_row, shape):
    table = (SHAPES | NOT_BY_ROW)[shape](a_table())
    found = answered(tagged, table)

    assert found == looped(tagged, table)
    assert bool(by_row) == (shape in SHAPES)


@pytest.mark.parametrize("backend", ["numba", "auto"])
def test_every_backend_reads_rows(by_row, backend):
    table = a_table(count=70_000)  # two chunks

    assert answered(tagged, table, backend) == looped(tagged, table)
    assert by_row


def test_the_python_backend_reads_codes(by_row):
    assert answered(tagged, a_table(), "python") == looped(tagged, a_table())
    assert by_row == []


def test_no_row_becomes_a_python_string(by_row, monkeypatch):
    def refused(*_):
        raise AssertionError

    for module, name in ((words, "python_strings"), (outcomes, "results_of"), (words, "_merged")):
        monkeypatch.setattr(module, name, refused)
    monkeypatch.setattr(text_chunks, "_strings", refused)
    table = a_table(0)
    found = bp.vectorize(tagged, backend="numpy")(table)

    assert by_row == [{"name", "country", "plan"}]
    assert found.num_rows == ROWS
    assert not found.column("label").chunk(0).null_count


def test_the_report_counts_what_was_left_to_python():
    names = ["A\u03a3", "B", " c "] * ROWS  # the lower case of sigma depends on its place
    run = bp.vectorize(lambda r: r["name"].lower(), backend="numpy")
    found = run(pa.table({"name": names}))
    (stage,) = run.report().to_dict()["stages"]

    assert found.to_pylist() == [name.lower() for name in names]
    assert stage["texts"] == {".lower": {"by_kernel": 2 * ROWS, "by_python": ROWS}}


def test_texts_of_which_python_answers_many_are_read_by_code_from_then_on(by_row):
    run = bp.vectorize(lambda r: r["name"].lower(), backend="numpy")
    few, many = (pa.table({"name": ["A\u03a3"] * n + ["b"] * (ROWS - n)}) for n in (99, ROWS))

    for table in (few, many, many):
        assert run(table).to_pylist() == [r["name"].lower() for r in table.to_pylist()]
    assert len(by_row) == 2
    assert run.report().to_dict()["stages"][0]["texts"] == {}


def test_results_too_long_for_one_array_take_the_other_way(by_row, monkeypatch):
    def too_long(*_):
        raise byte_texts.TooLong

    monkeypatch.setattr(text_chunks, "_as_arrow", too_long)
    table = a_table()

    assert answered(tagged, table) == looped(tagged, table)
    assert by_row


def test_a_function_of_many_steps_reads_codes(by_row):
    def many(r):
        name = r["name"]
        return [name.strip(), name.lower(), name.upper(), name[1:], name[:2], name + "a",
                "b" + name, name.replace("a", "b"), len(name)]  # fmt: skip

    table = a_table()

    assert answered(many, table) == looped(many, table)
    assert by_row == []


def test_one_function_serves_batches_of_both_kinds(by_row):
    run = bp.vectorize(NULLABLE["or"], backend="numpy")
    tables = [a_table(), a_table(nulls=True), a_table().slice(0, 10), a_table(3)]

    for table in tables:
        assert run(table).to_pylist() == looped(NULLABLE["or"], table)
    assert len(by_row) == 3


def test_kernels_that_are_not_there_leave_texts_to_codes(by_row, monkeypatch):
    monkeypatch.setattr(inputs, "are_loaded", lambda *_: False)

    assert answered(tagged, a_table()) == looped(tagged, a_table())
    assert by_row == []


def test_a_column_of_many_chunks_is_one_of_texts(by_row, monkeypatch):
    monkeypatch.setattr(threads, "CHUNK_ROWS", 512)
    monkeypatch.setattr(text_chunks, "CHUNK_ROWS", 512)
    names = [f" Name {n} " for n in range(64 * ROWS)]
    stripped = bp.vectorize(lambda r: r["name"].strip(), backend="numpy")

    assert stripped(pa.table({"name": names})).to_pylist() == [name.strip() for name in names]
