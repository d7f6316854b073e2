"""Code that Python runs inside of a compiled function gives the values that the loop gives."""

# ruff: noqa: C416, RUF015  row functions spell things as users do

import json
import statistics
import urllib.parse
from collections import Counter, OrderedDict, defaultdict
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pytest

from tests.fuzz.check import arrow_table
from tests.nested.harness import Subject
from tests.rowfn.piece_cases import Cases, check, is_compiled

cases = Cases()
ROWS = (
    {"a": 1, "b": 2, "n": 1, "s": "12", "t": [3, 1], "d": {"a": "x"}},
    {"a": 0, "b": 2, "n": 0, "s": "a b", "t": [], "d": {}},
    {"a": 2, "b": 1, "n": 2, "s": "7", "t": [1, 2, 3, 4], "d": {"a": "yz"}},
)


# ----------------------------------------------------------------------------- types and identity


@cases(*ROWS)
def one_computed_list_is_itself(r):
    first = sorted(r["t"])
    second = first
    return first is second


@cases(*ROWS)
def two_computed_lists_are_two(r):
    return sorted(r["t"]) is sorted(r["t"])


@cases(*ROWS)
def computed_list_that_a_dict_holds_is_itself(r):
    found = sorted(r["t"])
    held = dict(k=found)  # noqa: C408
    return held["k"] is found


@cases(*ROWS)
def set_of_constants_is_a_set(r):
    made = {1}
    return made | {r["n"]}


@cases(*ROWS)
def set_of_constants_is_written_as_a_set(r):
    return str({1}) + r["s"]


@cases(*ROWS)
def set_of_constants_in_an_f_string_is_a_set(r):
    return f"{ {1} }{r['s']}"


@cases(*ROWS)
def set_of_constants_beside_a_length_is_a_set(r):
    made = {1}
    return (made, len(r["t"]))


@cases(*ROWS)
def set_of_constants_in_a_dict_is_a_set(r):
    return {"a": {1, 2}, "b": [x for x in r["t"]]}


@cases(*ROWS)
def set_of_constants_in_a_list_is_a_set(r):
    return [{1}, r["t"]]


@cases(*ROWS)
def set_of_constants_behind_get_is_a_set(r):
    return {"k": {1}}.get("k")


def with_set(values, more):
    return values, more


@cases(*ROWS)
def set_of_constants_given_to_a_helper_is_a_set(r):
    return with_set({1}, r["t"])


@cases({"v": np.float64(1.5)}, {"v": 1.5}, {"v": np.int64(1)}, {"v": None})
def comparison_of_a_numpy_scalar_is_of_numpy(r):
    return r["v"] == 1


@cases({"v": np.array([1, 2])}, {"v": "a"}, {"v": None}, {"v": 2.5})
def comparison_of_an_array_is_an_array(r):
    return r["v"] != 1


@cases({"v": np.array([1, 2])}, {"v": np.array([1])})
def comparison_of_arrays_alone_is_an_array(r):
    return r["v"] == r["v"]


@cases(OrderedDict(a=1), {"a": 2}, OrderedDict(a=3, b=4))
def copy_method_of_an_ordered_record_is_ordered(r):
    return r.copy()


@cases(OrderedDict(a=1), Counter(a=2), {"a": 2})
def copy_of_an_ordered_record_written_in_a_loop_is_ordered(r):
    copied = r.copy()
    for key in ("z",):
        copied[key] = 1
    return copied


@cases(OrderedDict(a=1), Counter(a=2), {"a": 2})
def ordered_record_that_is_written_keeps_its_fields(r):
    r["n"] = 1
    return r


@cases({"s": "2024-01-02"}, {"s": "2024-03-04"})
def two_constructors_of_one_name_are_two(r):
    return (datetime.fromisoformat(r["s"]), date.fromisoformat(r["s"]))


@cases({"a": 1, "m": {}}, {"a": 2, "m": {"x": 1}})
def defaultdict_made_for_a_row_is_one(r):
    found = defaultdict(list)
    for key in ("p", "q"):
        found[key].append(r["a"])
    return found


# ------------------------------------------------------------------------------------- exceptions


@cases(*ROWS)
def exception_ahead_of_dumps_is_raised(r):
    x = 1 / r["n"]
    return json.dumps(r["n"])


@cases(*ROWS)
def exception_beside_dumps_is_raised(r):
    return [int(r["s"]), json.dumps(r["n"])]


@cases(*ROWS)
def missing_key_beside_dumps_is_raised(r):
    return {"a": r["nope"], "b": json.dumps(r["n"])}


@cases(*ROWS)
def comprehension_over_a_number_ahead_of_dumps_raises(r):
    x = [v for v in r["n"]]
    return json.dumps("a")


def first_of(*arguments):
    return [arguments[0]]


@cases(*ROWS)
def exception_ahead_of_a_helper_of_any_arguments_is_raised(r):
    x = 1 / r["n"]
    return first_of(r["n"])


@cases(*ROWS)
def slice_of_what_get_does_not_find_raises(r):
    return r["d"].get("a")[1:]


@cases(*ROWS)
def slice_of_a_number_in_a_list_raises(r):
    return [v for v in r["t"]][0][1:]


@cases(*ROWS)
def slice_of_parsed_json_raises(r):
    return json.loads(r["s"])[1:]


@cases(*ROWS)
def slice_of_a_bool_raises(r):
    return isinstance(r["d"].get("a"), int)[1:]


@cases({"s": "a b", "n": 1}, {"s": "é", "n": -1})
def isinstance_inside_a_library_helper_is_answered(r):
    return urllib.parse.quote(r["s"]) + "?" + str(r["n"] + 1)


@cases(*ROWS)
def exception_of_a_value_that_one_path_uses_is_raised_on_the_other(r):
    parsed = json.loads(r["s"])
    if r["a"]:
        return sorted(parsed)
    return 0


@cases(*ROWS)
def loop_that_returns_ends_the_row(r):
    for x in r["t"]:
        if x > 2:
            return [x, "found"]
    return [0, r["n"] + 1]


@cases(*ROWS)
def try_that_returns_ends_the_row(r):
    try:
        return int(r["s"])
    except ValueError:
        found = [r["s"]]
    return [found, "no number"]


@cases(*ROWS)
def name_that_a_handler_does_not_bind_has_no_value(r):
    try:
        found = int(r["s"])
    except ValueError:
        pass
    return [found]


@cases(*ROWS)
def name_of_an_exception_is_gone_behind_its_handler(r):
    error = None
    try:
        int(r["s"])
    except ValueError as error:
        pass
    return [error]


# ------------------------------------------------------------------- two uses of one fixed object


@cases(*ROWS)
def median_of_a_tuple_is_the_loops(r):
    return statistics.median((r["n"], r["a"], 3))


@cases({"d": Decimal("1.10"), "m": 2}, {"d": Decimal("0"), "m": 0})
def decimal_used_twice_is_the_loops(r):
    net = r["d"] * r["m"]
    return {"net": net, "gross": net + 1}


@cases({"t": ["b", "aa"]}, {"t": []}, {"t": ["a", "a"]})
def key_function_of_sorted_sees_its_own_name(r):
    return sorted(r["t"], key=lambda tag: (len(tag), tag))


# ------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("case", cases.listed, ids=str)
def test_a_piece_gives_the_loops_value(case, backend):
    check(case, backend)


OVER_TABLES = [case for case in cases.listed if case.records[0] is ROWS[0]]
TABLE = tuple({**row, "d": {"a": row["s"]}} for row in ROWS)


@pytest.mark.parametrize("case", OVER_TABLES, ids=str)
def test_a_piece_gives_the_loops_value_over_a_table(case):
    subject = Subject(lambda: case.function)

    assert arrow_table(list(TABLE)) is not None
    assert subject.examine(TABLE, "numpy", ("arrow",)).differences == []


NAMES = (
    "exception_beside_dumps_is_raised", "set_of_constants_in_a_list_is_a_set",
)  # fmt: skip


@pytest.mark.parametrize("case", [case for case in cases.listed if str(case) in NAMES], ids=str)
def test_a_piece_gives_the_loops_value_beside_a_numba_kernel(case):
    check(case, "numba")


def test_the_table_is_about_pieces():
    """A case that falls back whole says little: most of them are compiled."""
    compiled = sum(map(is_compiled, cases.listed[::3]))

    assert compiled > len(cases.listed[::3]) // 2
