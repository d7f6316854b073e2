"""Fields of a schema are looked up once, for all tables of an equal one."""

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.records.arrow_schemas import KEPT, arrow_fields


def schema_of(name, dtype="int64", **more):
    return pa.schema([pa.field(name, getattr(pa, dtype)(), **more)])


def test_equal_schemas_have_the_same_fields():
    known = arrow_fields(schema_of("a"))

    assert arrow_fields(schema_of("a")) is known
    assert arrow_fields(schema_of("a").with_metadata({"k": "v"})) is known
    assert known.field("a") is known.field("a")
    assert known.names == ("a",)


@pytest.mark.parametrize(
    "other",
    [schema_of("b"), schema_of("a", "int32"), schema_of("a", nullable=False), pa.schema([])],
)
def test_other_schemas_have_fields_of_their_own(other):
    known = arrow_fields(schema_of("a"))

    assert arrow_fields(other) is not known
    assert arrow_fields(other).names == tuple(other.names)
    assert arrow_fields(schema_of("a")).field("a") == known.field("a")


def test_only_the_last_few_are_kept():
    known = arrow_fields(schema_of("a"))
    for number in range(KEPT):
        arrow_fields(schema_of(f"c{number}"))

    assert arrow_fields(schema_of("a")) is not known


def test_a_name_that_occurs_twice_is_refused_each_time():
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])

    for _ in range(2):
        with pytest.raises(ValueError, match="a"):
            bp.vectorize(lambda r: r["a"])(table)


def test_tables_of_one_schema_and_then_another_give_their_own_results():
    run = bp.vectorize(lambda r: r["a"] + 1)
    ints = pa.table({"a": [1, 2]})
    texts = pa.table({"a": ["x"]})

    for _ in range(3):
        assert run(ints).to_pylist() == [2, 3]
        assert run(pa.table({"a": [1.5]})).to_pylist() == [2.5]
        with pytest.raises(TypeError):
            run(texts)
