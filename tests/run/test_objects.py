"""The pool of Python objects of one batch, and what rows share of them."""

import collections
import threading
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from batchprep.batch.batch import from_arrow, from_records
from batchprep.batch.kinds import ABSENT
from batchprep.plan.plain import plain_object
from batchprep.plan.tables import Refused
from batchprep.run.objects import FOREIGN, ObjectPool, spread


class Own:
    pass


def test_number_0_is_none():
    pool = ObjectPool()

    assert pool.results(np.zeros(2, np.int32)) == [None, None]


def test_objects_keep_their_numbers():
    pool = ObjectPool()
    first, second = pool.add([[1], "a"]), pool.add([{}])

    assert len({*first, *second, 0}) == 4
    assert pool.results(np.concatenate([second, first])) == [{}, [1], "a"]


def test_numbers_are_given_out_once_whatever_the_thread():
    pool, found = ObjectPool(), []
    started = threading.Barrier(4)

    def add(own):
        started.wait()
        found.extend((pool.add([own]), own) for _ in range(200))

    threads = [threading.Thread(target=add, args=(f"thread {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({int(numbers[0]) for numbers, _ in found}) == 800
    assert all(pool.results(numbers) == [own] for numbers, own in found)


def test_a_field_is_its_own_objects():
    records = [{"t": [1]}, {}, {"t": None}]
    pool = ObjectPool()
    found = pool.results(pool.field(from_records(records), "t"))

    assert found[0] is records[0]["t"]
    assert found[1] is ABSENT
    assert found[2] is None


def test_the_records_themselves_are_objects():
    records = [{"a": 1}, {"a": 2}]
    pool = ObjectPool()
    found = pool.results(pool.field(from_records(records), None))

    assert [one is own for one, own in zip(found, records, strict=True)] == [True, True]


def test_a_field_of_a_table_is_what_its_records_hold():
    batch = from_arrow(pa.table({"t": [[1], None]}))
    pool = ObjectPool()

    assert pool.results(pool.field(batch, "t")) == [[1], None]
    assert pool.results(pool.field(batch, "nope")) == [ABSENT, ABSENT]


HIDING = {
    "itself": Own,
    "in a list": lambda: [Own()],
    "in a dict": lambda: {"a": [Own()]},
    "in a tuple": lambda: (1, (Own(),)),
    "defaultdict": lambda: collections.defaultdict(list),
    "defaultdict in a list": lambda: [collections.defaultdict(list)],
    "subclass in a list": lambda: [type("Text", (str,), {})("a")],
}


@pytest.mark.parametrize("make", HIDING.values(), ids=list(HIDING))
def test_functions_are_not_given_what_holds_objects_of_the_user(make):
    records = [{"t": make()}, {"t": [1]}]
    pool = ObjectPool()
    numbers = pool.field(from_records(records), "t")
    foreign, own = pool.listed(numbers)

    assert foreign is FOREIGN
    assert own is records[1]["t"]
    assert pool.results(numbers)[0] is records[0]["t"]
    with pytest.raises(Refused):
        plain_object(foreign)


def test_objects_of_other_fields_are_listed_as_they_are():
    pool = ObjectPool()
    records = [{"t": Own(), "u": [1]}]
    pool.field(from_records(records), "t")
    numbers = pool.field(from_records(records), "u")

    assert pool.listed(numbers) == [[1]]


# ----------------------------------------------------------------------- results of several rows

PLACES = np.array([0, 1, 0, 0], np.intp)


@pytest.mark.parametrize("values", [[1, "a"], [None, Decimal(1)], [1.5, b"a"]], ids=repr)
def test_rows_share_what_nobody_can_change(values):
    found = spread(values, PLACES)

    assert found == [values[0], values[1], values[0], values[0]]
    assert all(one is values[place] for one, place in zip(found, PLACES, strict=True))


@pytest.mark.parametrize("values", [[[1], [2]], [{"b": 1, "a": 2}, {}], [["a"], 3]], ids=repr)
def test_rows_have_their_own_of_what_may_be_changed(values):
    found = spread(values, PLACES)

    assert found == [values[0], values[1], values[0], values[0]]
    assert len({id(found[row]) for row in (0, 2, 3)}) == 3
    assert [list(one) for one in (found[0], found[3])] == [list(values[0])] * 2


@pytest.mark.parametrize(
    "value",
    [
        {1},
        [[1]],
        {"a": []},
        ([],),
        collections.Counter("a"),
        collections.deque([1]),
        bytearray(b"a"),
    ],
    ids=repr,
)
def test_what_a_copy_would_not_do_for_is_left_to_a_call_for_each_row(value):
    assert spread([value, 1], PLACES) is None
