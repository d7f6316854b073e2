"""Chains that cannot make sense are refused before a row is read, with what to write instead."""

from __future__ import annotations

import pyarrow as pa
import pytest

import batchprep as bp

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]})
STEPS = {
    "select": lambda pipe: pipe.select("a"),
    "drop": lambda pipe: pipe.drop("a"),
    "rename": lambda pipe: pipe.rename({"a": "b"}),
    "with_columns": lambda pipe: pipe.with_columns(c=lambda r: 1),
}


@pytest.mark.parametrize("step", STEPS)
def test_columns_of_a_scalar_are_refused(step):
    pipe = STEPS[step](bp.Pipeline().map(lambda r: r["a"] + 1))

    with pytest.raises(TypeError, match=r'return \{"'):
        pipe(TABLE)


@pytest.mark.parametrize("step", STEPS)
def test_columns_of_a_scalar_are_refused_before_rows_fail(step):
    pipe = STEPS[step](bp.Pipeline().map(lambda r: 1 // (r["a"] - 1)))

    with pytest.raises(TypeError, match=r'return \{"'):
        pipe([{"a": 1}])


def test_columns_of_dicts_and_nones_name_filter_map():
    pipe = bp.Pipeline().map(lambda r: {"x": 1} if r["a"] > 1 else None).select("x")

    with pytest.raises(TypeError, match="filter_map"):
        pipe(TABLE)


@pytest.mark.parametrize("names", [(1,), (None,), (["a"],)])
def test_select_takes_names(names):
    with pytest.raises((TypeError, ValueError)):
        bp.Pipeline().select(*names)


@pytest.mark.parametrize("names", [3, "a", {"a": 1}, {1: "a"}])
def test_rename_takes_a_dict_of_names(names):
    with pytest.raises(TypeError):
        bp.Pipeline().rename(names)


@pytest.mark.parametrize("option", ["backend", "math", "on_error", "on_unsupported"])
def test_an_option_that_does_not_exist_is_refused_with_those_that_do(option):
    with pytest.raises(ValueError, match=option):
        bp.Pipeline(**{option: "nonsense"})


@pytest.mark.parametrize("data", [3, None, "no/such/file.nothing", b"x"])
def test_what_is_no_data_is_refused(data):
    with pytest.raises((TypeError, ValueError, OSError)):
        bp.Pipeline().filter(lambda r: r["a"])(data)


def test_head_takes_no_negative_number():
    with pytest.raises(ValueError, match="count takes an int of at least 0"):
        bp.Pipeline().head(-1, [{"a": 1}])


def test_failed_rows_never_replace_the_source(tmp_path):
    source = tmp_path / "in.ndjson"
    source.write_text('{"a": 1}\n')

    with pytest.raises(ValueError, match=r"a file of the source[\s\S]*file of their own"):
        bp.Pipeline().run(source, tmp_path / "out.csv", failures=source, overwrite=True)

    assert source.read_text() == '{"a": 1}\n'
    assert [path.name for path in tmp_path.iterdir()] == ["in.ndjson"]


def test_failed_rows_never_replace_the_results(tmp_path):
    target = tmp_path / "out.csv"
    same = tmp_path / "." / "sub" / ".." / "out.csv"

    with pytest.raises(ValueError, match="is the file of the results"):
        bp.Pipeline().run([{"a": 1}], target, failures=same, overwrite=True)

    assert not target.exists()


@pytest.mark.parametrize("count", [1.0, "3", True, None, TABLE])
def test_head_takes_a_number_of_rows(count):
    with pytest.raises(TypeError, match="count takes an int of at least 0"):
        bp.Pipeline().head(count, TABLE)


def test_an_iterator_is_not_fitted_in_several_passes():
    pipe = bp.Pipeline().transform(bp.StandardScaler(["a"])).transform(bp.StandardScaler(["a"]))

    with pytest.raises(TypeError, match=r"2 passes over the source[\s\S]*bp\.scan"):
        pipe.fit(iter([{"a": 1.0}, {"a": 2.0}]))


def test_a_step_says_what_to_write_for_an_expression_and_for_a_constant():
    with pytest.raises(TypeError, match=r"filter\(expression\.row_function\(\)\)"):
        bp.Pipeline().filter(bp.col("a") > 1)
    with pytest.raises(TypeError, match=r"bp\.lit"):
        bp.Pipeline().with_columns(one=1)
