"""StandardScaler learns and gives what scikit-learn's does, in any number of parts."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
import sklearn.preprocessing
from hypothesis import example, given
from hypothesis import strategies as st

import batchprep as bp
from batchprep.transforms import NotFittedError, StandardScaler

NUMBERS = st.floats(-1e12, 1e12, allow_nan=False).map(lambda x: x if abs(x) > 1e-12 else 0.0)
VALUES = st.lists(st.one_of(NUMBERS, st.none(), st.just(math.nan)), min_size=1, max_size=40)
OPTIONS = st.fixed_dictionaries({"with_mean": st.booleans(), "with_std": st.booleans()})


def as_table(values):
    return pa.table({"x": pa.array(values, pa.float64(), from_pandas=False)})


def as_array(values):
    return np.array([[math.nan if value is None else value] for value in values], dtype=float)


def fitted(values, **options):
    return StandardScaler(["x"], **options).fit_batch(as_table(values)).finish()


def theirs(values, **options):
    # An all-NaN column is a warning there.
    with np.errstate(all="ignore"):
        return sklearn.preprocessing.StandardScaler(**options).fit(as_array(values))


def assert_close(ours, theirs, size=0.0):
    assert (ours is None) == (theirs is None)
    if ours is not None:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * size, equal_nan=True)


def largest(values):
    return max((abs(v) for v in values if v is not None and v == v), default=0.0)


@given(VALUES, OPTIONS)
@example([0.1] * 7, {})
@example([1e8 + 0.1] * 1000, {})
@example([1e6 + 1e-9, 1e6] * 20, {})
@example([None, math.nan], {})
def test_attributes_are_those_of_scikit_learn(values, options):
    ours, reference = fitted(values, **options), theirs(values, **options)

    assert_close(ours.mean_, reference.mean_, largest(values))
    assert_close(ours.var_, reference.var_, largest(values) ** 2)
    assert ours.n_samples_seen_ == reference.n_samples_seen_
    assert ours.n_features_in_ == reference.n_features_in_
    if options.get("with_std", True) and ours.var_[0] > 1e-20 * largest(values) ** 2:
        assert_close(ours.scale_, reference.scale_)


@pytest.mark.parametrize(
    ("values", "scale"),
    [([0.1] * 7, 1.0), ([1e8 + 0.1] * 1000, 1.0), ([0.0, 0.0], 1.0), ([1.0, 3.0], 1.0)],
)
def test_a_constant_column_has_scale_one(values, scale):
    assert fitted(values).scale_.tolist() == [scale]
    assert theirs(values).scale_.tolist() == [scale]


@given(VALUES, OPTIONS)
def test_scaled_values_are_those_of_numpy(values, options):
    scaler = fitted(values, **options)
    function = scaler.expressions()["x"].row_function()
    expected = as_array(values)[:, 0]
    with np.errstate(all="ignore"):
        expected = expected - scaler.mean_[0] if scaler.with_mean else expected
        expected = expected / scaler.scale_[0] if scaler.with_std else expected
    got = [function({"x": value}) for value in values]

    assert [value is None for value in got] == [value is None for value in values]
    np.testing.assert_array_equal([math.nan if v is None else v for v in got], expected)


def test_scaled_columns_are_doubles_on_every_backend(backend):
    scaler = StandardScaler(["x", "n", "b"])
    table = pa.table(
        {"x": [1.0, None, math.nan, 4.0], "n": [1, 2, 3, None], "b": [True, False] * 2}
    )
    expressions = scaler.fit_batch(table).finish().expressions()

    for column, expression in expressions.items():
        run = bp.vectorize(expression.row_function(), backend=backend, on_unsupported="raise")
        answers = run(table)
        assert answers.type == pa.float64()
        loop = [expression.row_function()(r) for r in table.to_pylist()]
        assert repr(answers.to_pylist()) == repr(loop), column


@given(VALUES, st.lists(st.integers(0, 40), max_size=4))
def test_parts_in_any_split_learn_what_the_whole_does(values, cuts):
    edges = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    parts = [values[a:b] for a, b in pairwise(edges)]
    whole, streamed, merged = fitted(values), StandardScaler(["x"]), StandardScaler(["x"])
    for part in parts:
        streamed = streamed.fit_batch(as_table(part))
        merged = StandardScaler(["x"]).fit_batch(as_table(part)).merge(merged)

    for one in (streamed, merged):
        assert one.n_samples_seen_ == whole.n_samples_seen_
        assert one.rows == len(values)
        assert_close(one.mean_, whole.mean_, largest(values))
        assert_close(one.var_, whole.var_, largest(values) ** 2)


def test_counts_differ_by_column_where_nulls_do():
    table = pa.table({"a": [1.0, 2.0], "b": [1.0, None]})
    scaler = StandardScaler(["a", "b"]).fit_batch(table).finish()

    assert scaler.n_samples_seen_.tolist() == [2, 1]
    assert scaler.feature_names_in_.tolist() == ["a", "b"]


def test_records_and_tables_learn_alike():
    records = [{"x": 1, "y": True}, {"x": 2.5, "y": None}, {"y": False}]
    batch = bp.from_records(records)

    from_records = StandardScaler(["x", "y"]).fit_batch(batch)
    from_table = StandardScaler(["x", "y"]).fit_batch(batch.to_arrow())

    assert from_records.moments == from_table.moments
    assert from_records.mean_.tolist() == [1.75, 0.5]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, 3], pa.int8()),
        pa.array([1, 3], pa.uint64()),
        pa.array([1, 3], pa.float32()),
        pa.array(["1", "3"]).cast(pa.decimal128(5, 2)),
        pa.array([1, 3]).dictionary_encode(),
        pa.chunked_array([[1], [3]]),
    ],
    ids=lambda array: str(array.type).split("<")[0],
)
def test_every_type_of_number_is_learned(array):
    assert StandardScaler(["x"]).fit_batch(pa.table({"x": array})).mean_.tolist() == [2.0]


def test_a_fitted_scaler_is_a_value():
    before = StandardScaler(["x"])
    after = before.fit_batch(as_table([1.0, 2.0]))

    assert not before.fitted
    assert after.fitted
    assert after.fresh() == before
    assert pickle.loads(pickle.dumps(after)) == after
    with pytest.raises(AttributeError):
        after.rows = 5


def test_repr_tells_what_is_not_default():
    assert repr(StandardScaler(["a", "b"])) == "StandardScaler(['a', 'b'])"
    assert repr(StandardScaler(["a"], with_mean=False)) == "StandardScaler(['a'], with_mean=False)"


@pytest.mark.parametrize("name", ["mean_", "var_", "scale_", "n_samples_seen_", "n_features_in_"])
def test_attributes_before_the_fit_say_how_to_fit(name):
    scaler = StandardScaler(["x"])

    assert not hasattr(scaler, name)
    with pytest.raises(NotFittedError) as caught:
        getattr(scaler, name)
    assert str(caught.value) == (
        "StandardScaler(['x']) is not fitted: run pipe = pipe.fit(source) first, which gives a "
        "fitted one"
    )
    assert isinstance(caught.value, LookupError)


def test_expressions_before_the_fit_say_how_to_fit():
    with pytest.raises(NotFittedError, match=r"pipe\.fit\(source\)"):
        StandardScaler(["x"]).expressions()


@pytest.mark.parametrize(
    ("data", "error", "text"),
    [
        (
            {"x": ["a"]},
            TypeError,
            (
                "StandardScaler: the column 'x' is string, not numbers; convert it with "
                '.with_columns(x=bp.col("x").cast(float)), or leave it out'
            ),
        ),
        (
            {"x": [1.0, -math.inf]},
            ValueError,
            (
                "StandardScaler: the column 'x' holds -inf in row 1, of which there is no mean; "
                "filter such rows out, or clip them"
            ),
        ),
        (
            {"X": [1.0], "y": [1]},
            KeyError,
            "StandardScaler: the data has no column 'x'; nearest names: X",
        ),
        (
            {"price": [1.0]},
            KeyError,
            "StandardScaler: the data has no column 'x'; columns: price",
        ),
    ],
)
def test_data_that_cannot_be_scaled_is_refused(data, error, text):
    with pytest.raises(error) as caught:
        StandardScaler(["x"]).fit_batch(pa.table(data))

    assert caught.value.args == (text,)


def test_a_fit_of_no_rows_is_refused():
    with pytest.raises(ValueError, match="the column 'x': the source gave no rows"):
        StandardScaler(["x"]).fit_batch(as_table([])).finish()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: StandardScaler("x"), TypeError, "takes a list of column names, not 'x'"),
        (lambda: StandardScaler([]), TypeError, "takes a list of column names"),
        (lambda: StandardScaler(["x", 1]), TypeError, "takes a list of column names"),
        (lambda: StandardScaler(["x", "x"]), ValueError, "names the column 'x' twice"),
        (lambda: StandardScaler(["x"], with_mean=1), TypeError, "with_mean=1 is not True or False"),
    ],
)
def test_bad_parameters_are_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_scalers_of_other_parameters_do_not_merge():
    with pytest.raises(ValueError, match="only transforms with the same parameters"):
        fitted([1.0]).merge(fitted([1.0], with_std=False))
