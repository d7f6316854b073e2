"""The cases of the table over Arrow columns, which are read by row however few rows there are."""

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.kernels.cpu import texts as kernels
from batchprep.run import byte_texts, inputs, text_chunks
from tests.texts import dirty, floors
from tests.texts.table import CASES

INT64 = range(-(2**63), 2**63)


@pytest.fixture(scope="module")
def functions(written):
    texts = [case.name for case in CASES if case.function is None]
    known = dict(zip(texts, written(texts), strict=True))
    return {case: case.function or known[case.name] for case in CASES}


@pytest.fixture
def by_row(monkeypatch):
    """Columns of texts that were worked out by row."""
    assert byte_texts.load_now(kernels.NAMES)
    seen = []
    real = text_chunks.TextColumns

    def columns(rows, fixed, arrays):
        seen.append(rows.fields)
        return real(rows, fixed, arrays)

    monkeypatch.setattr(text_chunks, "LEAST_ROWS", 1)
    monkeypatch.setattr(inputs, "TextColumns", columns)
    return seen


def held(value):
    """Whether a column of one type holds the value of a row."""
    if type(value) is str:
        return not any(0xD800 <= ord(character) < 0xE000 for character in value)
    return type(value) in {bool, float, type(None)} or (type(value) is int and value in INT64)


def answers(function, table):
    """What the loop gives for each row; an exception stands for itself."""
    found = []
    for record in table.to_pylist():
        try:
            found.append(function(record))
        except Exception as error:  # noqa: BLE001  the row's own exception is the answer
            found.append(error)
    return found


def test_a_case_over_columns_equals_the_loop(functions, by_row):
    cases = set()
    for case, function in functions.items():
        records = [r for r in dirty.records(case.fields, "texts") if all(map(held, r.values()))]
        table = pa.Table.from_pylist(records)
        run = bp.vectorize(function, backend="numpy", on_error="null", on_unsupported="ignore")
        expected, before = answers(function, table), len(by_row)
        given = [one for one in expected if not isinstance(one, Exception)]
        if not all(map(held, given)) or len({*map(type, given)} - {type(None)}) > 1:
            continue
        found = run(table).to_pylist()
        failed = set(run.report().failures["row"].to_pylist())
        for row, (one, got) in enumerate(zip(expected, found, strict=True)):
            if isinstance(one, Exception):
                assert row in failed, (case.name, records[row])
            else:
                assert repr(got) == repr(one), (case.name, records[row])
        cases |= {case} if len(by_row) > before else set()

    assert len(cases) >= floors.BY_ROW
