import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.cli.keeping import columns_to_keep, output_columns, with_record

TRADES = pa.table({"price": [2.5, 500.0], "volume": [4, 200], "day": ["mon", "tue"]})


def root_value(r):
    value = r["price"] * r["volume"]
    if value > 50_000:
        return value**0.5


def features(r):
    return {"value": r["price"] * r["volume"], "day": r["day"] + "!"}


def test_scalar_stands_beside_the_record_and_compiles(backend):
    f = bp.vectorize(with_record(root_value, "root"), backend=backend, on_unsupported="raise")

    assert f(TRADES).to_pylist() == [
        {"price": 2.5, "volume": 4, "day": "mon", "root": None},
        {"price": 500.0, "volume": 200, "day": "tue", "root": 100_000**0.5},
    ]


def test_dict_joins_the_record_and_goes_first():
    f = bp.vectorize(with_record(features, "unused"), on_unsupported="ignore")

    assert f(TRADES.to_pylist()) == [
        {"price": 2.5, "volume": 4, "day": "mon!", "value": 10.0},
        {"price": 500.0, "volume": 200, "day": "tue!", "value": 100_000.0},
    ]


def test_record_itself_is_left_alone():
    record = {"price": 2.5, "volume": 4, "day": "mon"}
    with_record(features, "unused")(record)

    assert record == {"price": 2.5, "volume": 4, "day": "mon"}


@pytest.mark.parametrize(
    ("text", "names"),
    [("a", ["a"]), ("a,b", ["a", "b"]), (" a , b ,", ["a", "b"]), ("a,a", ["a"]), ("*", ["*"])],
)
def test_names_to_keep(text, names):
    assert columns_to_keep(text) == names


def test_kept_columns_come_first_and_once():
    assert output_columns(["b", "a"], ["a", "c"]) == ["b", "a", "c"]
