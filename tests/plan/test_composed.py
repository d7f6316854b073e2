"""A composed function reads arguments once a row; over columns it gives what it gives called."""

import pytest

from batchprep.plan.composed import Composed
from batchprep.plan.plain import plain_object
from batchprep.plan.tables import Refused


def only(raw):
    return raw[0]


def composed(function, *arguments):
    """Of arguments (decode, read, places, key)."""
    decodes, reads, places, keys = zip(*arguments, strict=True)
    return Composed(function, decodes, reads, places, keys)


def over_columns(function, columns):
    return list(map(function.function, *function.read(columns)))


def test_columns_give_what_rows_give():
    pair = composed(
        lambda a, b: (a, b),
        (only, None, (1,), "plain"),
        (lambda raw: raw[0] + raw[1], None, (0, 1), "sum"),
    )
    columns = [[1, 2, 3], [10, 20, 30]]

    assert over_columns(pair, columns) == [pair(a, b) for a, b in zip(*columns, strict=True)]
    assert pair(1, 10) == (10, 11)


def test_equal_arguments_are_one_object():
    listed = composed(
        lambda a, b: (a, b), (list, list, (0,), "new list"), (list, list, (0,), "new list")
    )
    a, b = listed("x")

    assert a is b
    assert all(a is b for a, b in over_columns(listed, [["x", "y"]]))


def test_equal_readings_at_other_places_are_two_objects():
    listed = composed(
        lambda a, b: (a, b), (list, list, (0,), "new list"), (list, list, (1,), "new list")
    )
    a, b = listed("x", "x")

    assert a is not b
    assert all(a is not b for a, b in over_columns(listed, [["x"], ["x"]]))


def test_different_readings_at_one_place_are_two_objects():
    listed = composed(
        lambda a, b: (a, b), (list, list, (0,), "one list"), (list, list, (0,), "another list")
    )

    assert all(a is not b for a, b in over_columns(listed, [["x"]]))


def test_a_list_of_constants_is_a_new_one_for_each_row():
    listed = composed(
        lambda a, b: a, (lambda raw: [1], None, (), "display"), (only, None, (0,), "plain")
    )
    first, second = over_columns(listed, [["x", "y"]])

    assert first == second == [1]
    assert first is not second


def test_a_column_that_is_read_as_it_is_is_not_copied():
    same = composed(lambda a: a, (only, None, (0,), "plain"))
    column = [1, 2]

    assert same.read([column])[0] is column


def test_an_object_of_the_users_is_refused_row_by_row():
    class Own:
        pass

    read = composed(len, (lambda raw: plain_object(raw[0]), plain_object, (0,), "object"))

    assert over_columns(read, [[[1], "ab"]]) == [1, 2]
    assert read.read([[[1], Own()]]) is None
    assert read([1]) == 1
    with pytest.raises(Refused):
        read(Own())


def test_a_reading_that_raises_leaves_the_rows_to_be_read_alone():
    read = composed(len, (lambda raw: raw[0][1], lambda one: one[1], (0,), "second"))

    assert read.read([["ab", ""]]) is None
    assert read("ab") == 1
