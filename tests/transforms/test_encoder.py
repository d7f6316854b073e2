"""OrdinalEncoder learns and gives what scikit-learn's does, in any number of parts."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
import sklearn.preprocessing
from hypothesis import given
from hypothesis import strategies as st

import batchprep as bp
from batchprep.transforms import NotFittedError, OrdinalEncoder

NAN = math.nan
COLUMNS = st.one_of(
    st.lists(st.text(max_size=3), min_size=1),
    st.lists(st.integers(-(2**53), 2**53), min_size=1),
    st.lists(st.booleans(), min_size=1),
    st.lists(st.floats(allow_infinity=False), min_size=1),  # which scikit-learn refuses
)


def fitted(values, **options):
    return OrdinalEncoder(["x"], **options).fit_batch(pa.table({"x": values})).finish()


def codes_of(encoder, values, backend="python"):
    function = encoder.expressions()["x"]
    return bp.vectorize(function, backend=backend, on_unsupported="raise")(
        [{"x": value} for value in values]
    )


def theirs(values, **options):
    array = np.array([[v] for v in values], dtype=object if isinstance(values[0], str) else None)
    encoder = sklearn.preprocessing.OrdinalEncoder(**options).fit(array)
    return encoder.categories_[0], encoder.transform(array)[:, 0]


def same(ours, theirs):
    if ours.dtype == float:  # which zero stands for both differs
        ours, theirs = ours + 0.0, theirs + 0.0
    return ours.dtype == theirs.dtype and repr(ours.tolist()) == repr(theirs.tolist())


@given(COLUMNS)
def test_categories_and_codes_are_those_of_scikit_learn(values):
    categories, codes = theirs(values)
    encoder = fitted(values)

    assert same(encoder.categories_[0], categories)
    np.testing.assert_array_equal(codes_of(encoder, values), codes)


@pytest.mark.parametrize(
    ("values", "categories"),
    [
        (["b", "a", None, "b"], ["a", "b", NAN]),
        ([2, None, 1], [1.0, 2.0, NAN]),
        ([2.5, NAN, None], [2.5, NAN]),
        ([True, None], [True, NAN]),
        (pa.nulls(2), [NAN]),
        (pa.array(["b", "a"]).dictionary_encode(), ["a", "b"]),
        (pa.array(["b", "a"], pa.large_string()), ["a", "b"]),
        (pa.array(["b", "a"], pa.string_view()), ["a", "b"]),
    ],
    ids=str,
)
def test_nulls_come_last(values, categories):
    assert repr(fitted(values).categories_[0].tolist()) == repr(categories)


@pytest.mark.parametrize(
    ("seen", "options", "asked", "codes"),
    [
        (["b", "a"], {}, ["a", "b"], [0.0, 1.0]),
        (["b", None], {}, ["b", None], [0.0, NAN]),
        (["b", None], {"encoded_missing_value": -1}, ["b", None], [0.0, -1.0]),
        ([1.5, NAN], {"encoded_missing_value": -2}, [NAN, None, 1.5], [-2.0, -2.0, 0.0]),
        ([3, 1], {}, [3, 1.0, True], [1.0, 0.0, 0.0]),
        ([True, False], {}, [True, False], [1.0, 0.0]),
        (
            ["a", "b"],
            {"handle_unknown": "use_encoded_value", "unknown_value": -1},
            ["c", None, "b"],
            [-1.0, -1.0, 1.0],
        ),
        (
            ["a", None],
            {"handle_unknown": "use_encoded_value", "unknown_value": NAN,
             "encoded_missing_value": 7},
            ["c", None, "a"],
            [NAN, 7.0, 0.0],
        ),
        (["a"], {"categories": [["b", "a"]]}, ["a", "b"], [1.0, 0.0]),
        ([1], {"categories": [[1, 2, None]]}, [2, None], [1.0, NAN]),
    ],
)  # fmt: skip
def test_codes(seen, options, asked, codes, backend):
    encoder = fitted(seen, **options)

    assert repr(codes_of(encoder, asked, backend)) == repr(codes)


@pytest.mark.parametrize(("seen", "asked"), [(["a"], "z"), (["a"], None), ([1], 2), ([1.5], NAN)])
def test_a_value_that_was_not_seen_fails_its_row(seen, asked, backend):
    run = bp.vectorize(fitted(seen).expressions()["x"], backend=backend, on_unsupported="raise")

    with pytest.raises(ValueError, match="in column 'x' was not among") as caught:
        run([{"x": seen[0]}, {"x": asked}])
    assert str(caught.value).startswith(f"{asked!r} in column 'x'")
    assert "unknown_value=-1" in str(caught.value)


@given(COLUMNS, st.lists(st.integers(0, 20), max_size=4))
def test_parts_in_any_split_learn_what_the_whole_does(values, cuts):
    edges = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    streamed = merged = OrdinalEncoder(["x"])
    dtype = pa.array(values).type
    for a, b in pairwise(edges):
        table = pa.table({"x": pa.array(values[a:b], dtype)})
        streamed = streamed.fit_batch(table)
        merged = OrdinalEncoder(["x"]).fit_batch(table).merge(merged)
    whole = fitted(values)

    assert streamed.seen == merged.seen == whole.seen
    assert streamed.rows == merged.rows == len(values)


def test_ints_and_floats_of_different_batches_are_floats():
    encoder = learned([[1, 2], [None, None], [0.5]])

    assert repr(encoder.categories_[0].tolist()) == "[0.5, 1.0, 2.0, nan]"


@pytest.mark.parametrize(
    ("batches", "text"),
    [
        ([["a"], [1]], "OrdinalEncoder: the column 'x' holds text and int values, which have no"),
        ([[True], [1]], "OrdinalEncoder: the column 'x' holds bool and int values, which have no"),
        ([["a", 1]], "values, which have no common order; make them texts with"),
        ([[{"a": 1}]], "the column 'x' is struct<a: int64>; it encodes texts, ints, floats"),
    ],
)
def test_columns_without_an_order_are_refused(batches, text):
    with pytest.raises(TypeError, match=text):
        learned(batches)


def learned(batches):
    encoder = OrdinalEncoder(["x"])
    for values in batches:
        encoder = encoder.fit_batch(bp.from_records([{"x": value} for value in values]))
    return encoder


@pytest.mark.parametrize(
    ("values", "options", "text"),
    [
        ([], {}, "OrdinalEncoder cannot be fitted to the column 'x': the source gave no rows"),
        (["a", "c", None], {"categories": [["a"]]}, "the column 'x' holds 'c', None, not among"),
        (
            ["a", "b"],
            {"handle_unknown": "use_encoded_value", "unknown_value": 1},
            "unknown_value=1 is the code of a category of the column 'x', whose codes go from 0 to",
        ),
        (["a", None], {"encoded_missing_value": 0}, "encoded_missing_value=0 is the code of a"),
    ],
)
def test_a_fit_that_cannot_stand_is_refused(values, options, text):
    encoder = OrdinalEncoder(["x"], **options)

    with pytest.raises(ValueError, match=text):
        encoder.fit_batch(pa.table({"x": pa.array(values, pa.string())})).finish()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"handle_unknown": "ignore"}, ValueError, "handle_unknown='ignore' is not \"error\" or"),
        ({"unknown_value": 3}, TypeError, "unknown_value=3 needs handle_unknown="),
        ({"handle_unknown": "use_encoded_value"}, TypeError, "unknown_value=None is not an int"),
        (
            {"handle_unknown": "use_encoded_value", "unknown_value": 1.5},
            TypeError,
            "unknown_value=1.5 is not an int or nan",
        ),
        ({"encoded_missing_value": "x"}, TypeError, "encoded_missing_value='x' is not a number"),
        ({"categories": "all"}, TypeError, "categories='all' is not \"auto\" or a list"),
        ({"categories": ["ab"]}, TypeError, 'is not "auto" or a list of lists'),
        ({"categories": [["a"], ["b"]]}, ValueError, "2 lists of categories for 1 columns"),
        ({"categories": [[2, 1]]}, ValueError, "categories of 'x' are numbers out of order"),
        ({"categories": [[1, 1]]}, ValueError, "is not a list of distinct values"),
        ({"categories": [[None, "a"]]}, ValueError, "None or nan last"),
        ({"categories": [["a", 1]]}, TypeError, "holds text and int values"),
    ],
)
def test_bad_parameters_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        OrdinalEncoder(["x"], **options)


def test_a_fitted_encoder_is_a_value():
    before = OrdinalEncoder(["x"])
    after = before.fit_batch(pa.table({"x": ["b", "a"]}))
    back = pickle.loads(pickle.dumps(after))

    assert not before.fitted
    assert back.seen == after.seen
    assert pickle.loads(pickle.dumps(after.expressions()["x"]))({"x": "b"}) == 1.0
    with pytest.raises(AttributeError):
        after.rows = 5


def test_repr_tells_what_is_not_default():
    options = {"handle_unknown": "use_encoded_value", "unknown_value": -1}

    assert repr(OrdinalEncoder(["a"])) == "OrdinalEncoder(['a'])"
    assert repr(OrdinalEncoder(["a"], categories=[["x", "y"]], **options)) == (
        "OrdinalEncoder(['a'], categories=[['x', 'y']], handle_unknown='use_encoded_value', "
        "unknown_value=-1)"
    )


@pytest.mark.parametrize("name", ["categories_", "n_features_in_", "feature_names_in_"])
def test_attributes_before_the_fit_say_how_to_fit(name):
    encoder = OrdinalEncoder(["x"])

    assert not hasattr(encoder, name)
    with pytest.raises(NotFittedError, match=r"run pipe = pipe\.fit\(source\) first"):
        getattr(encoder, name)
