"""Batches over a list that somebody changes after they were made."""

import pytest

from batchprep.batch import from_records


@pytest.mark.parametrize("count", [3, 1_000])
def test_a_list_that_grew_is_read_as_far_as_it_went(count):
    records = [{"a": row, "s": "x"} for row in range(count)]
    batch = from_records(records)

    records.append({"a": -1, "s": "y"})

    columns = batch.columns({name: batch.field(name) for name in ("a", "s")})
    assert [len(column) for column in columns.values()] == [count, count]
    assert len(batch.records()) == len(batch.values("a")) == len(batch.arrow("a")) == count


@pytest.mark.parametrize("read", ["records", "values", "column", "arrow"])
def test_a_list_that_lost_records_is_an_error(read):
    records = [{"a": row} for row in range(1_000)]
    batch = from_records(records)

    del records[990:]

    with pytest.raises(RuntimeError, match="990 of 1,000 are left"):
        getattr(batch, read)(*["a"][: read != "records"])
