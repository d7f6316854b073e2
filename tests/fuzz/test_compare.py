import pytest

from tests.fuzz.compare import fits_arrow, loop, same, same_error, same_through_arrow

NAN = float("nan")


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (1, True), (0.0, -0.0), (None, 0), ((1,), [1]), ("1", 1), (1.0, NAN)],
)
def test_values_that_python_tells_apart_are_not_the_same(left, right):
    assert not same(left, right)
    assert not same({"x": left}, {"x": right})
    assert not same((left, 2), (right, 2))


def test_nan_is_the_same_as_nan():
    assert same([NAN, (NAN, {"x": NAN})], [NAN, (float("nan"), {"x": -NAN})])


def test_key_order_counts():
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (KeyError("a"), KeyError("b")),
        (KeyError("a"), LookupError("a")),
        (ValueError(), None),
        (None, None),
    ],
)
def test_exceptions_of_other_type_or_arguments_are_not_the_same(left, right):
    assert not same_error(left, right)


def test_a_column_may_widen_an_int_but_not_change_it():
    assert same_through_arrow(3, 3.0)
    assert same_through_arrow({"a": 1}, {"a": 1, "b": None})
    assert same_through_arrow((1, "x"), {"0": 1.0, "1": "x"})
    assert not same_through_arrow(2**53 + 1, 2.0**53)
    assert not same_through_arrow({"a": 1}, {"b": 1})
    assert not same_through_arrow(1.0, 1)


def test_values_beyond_every_column_type_do_not_fit():
    assert fits_arrow({"a": (1, None, "x", 2.5)})
    assert not fits_arrow((2**53 + 1,))
    assert not fits_arrow(1j)


def test_the_loop_keeps_the_records_and_catches_per_row():
    records = [{"a": 1}, {"a": 0}]

    def invert(r):
        r["b"] = 1 / r["a"]
        return r

    first, second = loop(invert, records)

    assert first.value == {"a": 1, "b": 1.0}
    assert first.is_record
    assert isinstance(second.error, ZeroDivisionError)
    assert records == [{"a": 1}, {"a": 0}]
