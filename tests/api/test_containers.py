"""Which container gives which, and what is no container of records."""

from __future__ import annotations

import collections
import types

import numpy as np
import pandas as pd
import pytest

import batchprep as bp

RECORDS = [{"a": 1}, {"a": 2}]
ROWS = collections.namedtuple("ROWS", "a")

COLLECTIONS = {
    "list": RECORDS,
    "tuple": tuple(RECORDS),
    "dict view": dict(enumerate(RECORDS)).values(),
    "deque": collections.deque(RECORDS),
    "array of objects": np.array(RECORDS, dtype=object),
    "user list": collections.UserList(RECORDS),
    "set": {ROWS(1), ROWS(2)},
    "keys": {ROWS(1): 0, ROWS(2): 0}.keys(),
}


@pytest.fixture(autouse=True)
def one_backend():
    with bp.use(backend="numpy", on_unsupported="ignore"):
        yield


def doubled(r):
    return (r.a if isinstance(r, ROWS) else r["a"]) * 2


@pytest.mark.parametrize("data", COLLECTIONS.values(), ids=COLLECTIONS)
def test_collection_gives_a_list(data):
    assert sorted(bp.vectorize(doubled)(data)) == [2, 4]


@pytest.mark.parametrize("data", [iter(RECORDS), (r for r in RECORDS), map(dict, RECORDS)])
def test_iterator_gives_an_iterator(data):
    result = bp.vectorize(doubled)(data)

    assert iter(result) is result
    assert list(result) == [2, 4]


FRAME = pd.DataFrame({"a": [1, 2]})


@pytest.mark.parametrize("data", [FRAME.iloc[0], FRAME["a"], FRAME.index])
def test_pandas_object_that_is_no_frame_is_refused(data):
    with pytest.raises(TypeError, match="has no rows to run over; pass the frame itself"):
        bp.vectorize(doubled)(data)
    assert bp.vectorize(doubled)(FRAME.iloc[:1]).tolist() == [2]
    assert bp.vectorize(doubled)(FRAME.iloc[0].to_dict()) == 2


def written(r):
    r["a"] = r["a"] + 1
    return r


def written_deep(r):
    r["l"].append(1)
    return r


def test_record_that_cannot_be_written_to_raises_pythons_own_error():
    proxies = [types.MappingProxyType({"a": 1, "l": [0]})]

    with pytest.raises(TypeError, match="object does not support item assignment") as raised:
        bp.vectorize(written)(proxies)
    assert "row 0" in raised.value.__notes__[0]
    (result,) = bp.vectorize(written_deep)(proxies)
    assert result == {"a": 1, "l": [0, 1]}
    assert proxies[0]["l"] == [0]


def test_dict_that_stands_in_the_list_twice_is_two_records():
    record = {"a": 1}

    assert bp.vectorize(written)([record, record]) == [{"a": 2}, {"a": 2}]
    assert record == {"a": 1}
