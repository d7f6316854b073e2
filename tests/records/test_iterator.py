"""Records that come one by one."""

import pytest

from batchprep.records import open_source
from batchprep.records.iterator import ITERATOR_ROWS, IteratorSource


class Counted:
    """Records of the given values, and how many were taken."""

    def __init__(self, values):
        self.taken = 0
        self.values = values

    def __iter__(self):
        for value in self.values:
            self.taken += 1
            yield {"v": value}


def test_nothing_is_pulled_before_it_is_needed():
    counted = Counted(range(5))
    source = open_source(iter(counted))
    batches = source.batches()

    assert counted.taken == 0
    assert len(next(batches)) == 5


def test_no_batch_is_pulled_ahead_of_its_turn():
    counted = Counted(range(10))
    source = IteratorSource(counted, rows=2)

    assert set(source.field("v").kinds) == {"int"}
    assert counted.taken == 2
    for number, batch in enumerate(source.batches(2)):
        assert counted.taken == 2 * (number + 1)
        assert batch.start == 2 * number


@pytest.mark.parametrize("rows", [1, 2, 3, 7])
def test_every_row_comes_once_and_in_order(rows):
    source = IteratorSource(Counted(range(7)), rows=3)
    source.field("v")

    values = [value for batch in source.batches(rows) for value in batch.values("v")]

    assert values == list(range(7))


def test_a_field_of_none_so_far_looks_further_ahead():
    source = IteratorSource(Counted([None] * 5 + [1] + [2] * 9), rows=2)

    assert set(source.field("v").kinds) == {"none", "int"}
    assert [len(batch) for batch in source.batches(4)] == [4, 4, 4, 3]


def test_the_look_ahead_ends():
    counted = Counted([None] * 100)
    source = IteratorSource(counted, rows=2)

    assert set(source.field("v").kinds) == {"none"}
    assert counted.taken == 18


def test_a_name_that_no_record_has_pulls_one_batch():
    counted = Counted(range(100))

    assert set(IteratorSource(counted, rows=2).field("w").kinds) == {"absent"}
    assert counted.taken == 2


def test_values_of_later_kinds_are_irregular():
    source = IteratorSource(Counted([1, 2, "x", None]), rows=2)
    field = source.field("v")
    first, second = source.batches(2)

    assert first.column("v", field).irregular is None
    assert second.column("v", field).irregular.tolist() == [True, True]


def test_rows_before_an_exception_come_first():
    def broken():
        yield {"v": 1}
        yield {"v": 2}
        raise OSError("gone")

    source = open_source(broken())
    assert set(source.field("v").kinds) == {"int"}
    batches = source.batches()

    assert next(batches).values("v") == [1, 2]
    with pytest.raises(OSError, match="gone"):
        next(batches)


def test_an_empty_iterator_has_no_batches():
    source = open_source(iter([]))

    assert source.names() == ()
    assert list(source.batches()) == []


def test_an_iterator_is_known_as_one():
    data = map(dict, [])
    source = open_source(data)

    assert (source.kind, source.data is data, source.length) == ("iterator", True, None)


def test_a_long_iterator_comes_in_batches():
    lengths = [
        len(batch) for batch in open_source(iter(Counted(range(ITERATOR_ROWS + 1)))).batches()
    ]

    assert lengths == [ITERATOR_ROWS, 1]
