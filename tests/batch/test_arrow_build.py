"""Values of records as Arrow arrays: at once where that is exact."""

from hypothesis import given
from hypothesis import strategies as st

from batchprep.batch import arrow_build, from_records
from batchprep.batch.arrow_build import _Values, array_of_values

ONE_TYPE = st.one_of(
    *(
        st.lists(st.none() | of, max_size=9)
        for of in (
            st.booleans(),
            st.integers(-(2**64), 2**64),
            st.floats(),
            st.text(),
            st.dates(),
            st.booleans() | st.integers(0, 1),
        )
    )
)


@given(ONE_TYPE)
def test_values_of_one_type_make_the_array_that_looking_at_each_does(values):
    def made(make):
        try:
            array = make()
        except ValueError as error:
            return str(error)
        return array.type, repr(array.to_pylist())

    whole = _Values(values, range(len(values)), "a")

    assert made(lambda: array_of_values(values, "a", None)) == made(
        lambda: arrow_build._build(whole, None)
    )


def test_names_come_in_the_order_in_which_records_have_them():
    records = [{"b": 1}, {"c": 1, "a": 2}, {"a": 1, "b": 2, "d": 3}]

    assert from_records(records).to_arrow().column_names == ["b", "c", "a", "d"]
