"""Keys of a class of their own, which run code while records are read."""

import gc

import pytest

from batchprep.batch.record_columns import columns_of_dicts
from batchprep.batch.record_reader import READ_ROWS
from batchprep.batch.record_rows import RecordRows
from batchprep.dtypes import KIND_CODE
from batchprep.schema import Field


class Key(str):
    """A key of a class of its own, with the hash of the name that is looked up."""

    __slots__ = ("action",)

    def __new__(cls, text, action):
        key = super().__new__(cls, text)
        key.action = action
        return key

    __hash__ = str.__hash__

    def __eq__(self, other):
        return self.action()


def raises(error):
    def action():
        raise error

    return action


def with_key(action, place=300, length=READ_ROWS):
    rs = [{"a": 1} for _ in range(length)]
    key = Key("a", lambda: False)
    rs[place] = {key: 2}
    key.action = action
    return rs


def test_an_exception_of_a_key_is_raised_as_in_the_ordinary_way(reader):
    rs = with_key(raises(ValueError("my own")))
    field = Field("a", frozenset({"int"}))

    assert columns_of_dicts(rs, range(len(rs)), [field], reader) is None
    with pytest.raises(ValueError, match="my own"):
        RecordRows(rs, "mapping").column("a", field)


def test_an_interrupt_while_a_key_is_compared_is_not_lost(reader):
    rs = with_key(raises(KeyboardInterrupt))

    with pytest.raises(KeyboardInterrupt):
        columns_of_dicts(rs, range(len(rs)), [Field("a", frozenset({"int"}))], reader)


def test_a_key_that_compares_equal_finds_its_value(reader):
    rs = with_key(lambda: True)
    field = Field("a", frozenset({"int"}))
    (column,) = columns_of_dicts(rs, range(len(rs)), [field], reader).values()

    assert column.buffers["int"][300] == 2


@pytest.mark.parametrize("kept", [0, 5, 301, 512])
def test_a_key_that_empties_the_list_meanwhile_does_no_harm(reader, kept):
    def empty():
        del rs[kept:]
        gc.collect()
        return False

    rs = with_key(empty, length=2_000)
    field = Field("a", frozenset({"int", "absent"}))
    columns = columns_of_dicts(rs, range(len(rs)), [field], reader)

    assert columns is None or len(columns["a"]) == 2_000


def test_a_key_that_clears_the_records_ahead_does_no_harm(reader):
    rs = [{"a": 1.5 * n} for n in range(2_000)]

    def clear():
        for record in rs[301:]:
            record.clear()
        gc.collect()
        return False

    key = Key("a", lambda: False)
    rs[300] = {key: 2.5}
    key.action = clear
    field = Field("a", frozenset({"float", "absent"}))
    codes = columns_of_dicts(rs, range(len(rs)), [field], reader)["a"].kind.tolist()

    assert codes == [KIND_CODE["float"]] * 300 + [KIND_CODE["absent"]] * 1_700
