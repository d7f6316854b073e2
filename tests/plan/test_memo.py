"""A pure function that remembers gives what it would give without."""

import datetime as dt
import math
import threading

import pytest

from batchprep.plan import memo
from batchprep.plan.memo import Memo


class Noted:
    """Gives its arguments in a list; `calls` are those that it was called with."""

    def __init__(self):
        self.calls = []

    def __call__(self, *values):
        self.calls.append(values)
        return [*map(repr, values)]


@pytest.fixture
def noted():
    return Noted()


def test_equal_arguments_are_asked_for_once(noted):
    remembered = Memo(noted)

    assert [remembered("a", 1), remembered("a", 1), remembered("b", 1)] == [
        ["'a'", "1"],
        ["'a'", "1"],
        ["'b'", "1"],
    ]
    assert noted.calls == [("a", 1), ("b", 1)]


UTC, EAST = dt.UTC, dt.timezone(dt.timedelta(hours=2))
APART = {
    "int and bool": (1, True),
    "int and float": (1, 1.0),
    "zeros of both signs": (0.0, -0.0),
    "text and bytes": ("a", b"a"),
    "None and 0": (None, 0),
    "date and its midnight": (dt.date(2024, 1, 2), dt.datetime(2024, 1, 2)),  # noqa: DTZ001
    "one moment in two zones": (
        dt.datetime(2024, 1, 1, 12, tzinfo=UTC),
        dt.datetime(2024, 1, 1, 14, tzinfo=EAST),
    ),
    "both folds": (
        dt.datetime(2024, 10, 27, 2, 30),  # noqa: DTZ001
        dt.datetime(2024, 10, 27, 2, 30, fold=1),  # noqa: DTZ001
    ),
}


@pytest.mark.parametrize("pair", APART.values(), ids=list(APART))
def test_what_python_tells_apart_is_asked_for_twice(noted, pair):
    remembered = Memo(noted)

    assert [remembered(one) for one in pair] == [[repr(one)] for one in pair]


def test_nan_is_remembered_by_its_bits(noted):
    remembered = Memo(noted)
    remembered(math.nan)
    remembered(float("nan"))

    assert len(noted.calls) == 1


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize("value", [[1], (1,), {"a": 1}, Text("a"), object()])
def test_arguments_of_other_types_are_not_remembered(noted, value):
    remembered = Memo(noted)
    remembered(value)
    remembered(value)

    assert len(noted.calls) == 2


def test_what_may_be_changed_is_each_calls_own():
    remembered = Memo(lambda x: {"a": [x]})
    first, second = remembered(1), remembered(1)
    first["a"].append(2)

    assert second == {"a": [1]}
    assert remembered(1) == {"a": [1]}


def test_an_exception_is_raised_again_without_a_further_call():
    calls = []

    def failing(x):
        calls.append(x)
        raise LookupError(x, "not known")

    remembered = Memo(failing)
    for _ in range(2):
        with pytest.raises(LookupError) as raised:
            remembered("a")
        assert raised.value.args == ("a", "not known")
    assert calls == ["a"]


def test_an_interrupt_is_not_remembered():
    calls = []

    def interrupted(x):
        calls.append(x)
        raise KeyboardInterrupt

    remembered = Memo(interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            remembered("a")
    assert calls == ["a", "a"]


def test_answers_are_forgotten_before_they_are_too_many(noted, monkeypatch):
    monkeypatch.setattr(memo, "MOST", 3)
    remembered = Memo(noted)
    for number in range(10):
        assert remembered(number) == [str(number)]
        assert len(remembered._known) <= 3


def test_a_function_that_calls_itself_through_its_memo_ends():
    remembered = Memo(lambda n: n if n < 2 else remembered(n - 1) + remembered(n - 2))

    assert remembered(30) == 832_040


def test_threads_that_ask_for_one_answer_make_one_call(noted):
    started = threading.Barrier(4)
    remembered = Memo(noted)
    found = []

    def ask():
        started.wait()
        found.append(remembered("a"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [["'a'"]] * 4
    assert noted.calls == [("a",)]
