"""Iterators and objects with several names behave in pieces as they do in the loop."""

# ruff: noqa: PERF401, PERF402, C416, C417  row functions spell things as users do

from collections import Counter, deque

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


# -------------------------------------------------------------------------------------- iterators


@cases(*ROWS)
def generator_in_a_name_is_used_up(r):
    numbers = (n for n in r["t"])
    first = next(numbers, None)
    return (first, list(numbers), list(numbers))


@cases(*ROWS)
def iterator_tested_with_in_is_used_up(r):
    numbers = iter(r["t"])
    return (1 in numbers, list(numbers))


@cases(*ROWS)
def iterator_behind_a_tuple_is_used_up(r):
    pair = (iter(r["t"]), 1)
    return list(pair[0]), list(pair[0])


@cases(*ROWS)
def iterator_of_a_ternary_is_used_up(r):
    chosen = iter(r["t"]) if r["a"] else iter([])
    return list(chosen), list(chosen)


@cases(*ROWS)
def iterator_in_a_dict_is_used_up(r):
    held = {"i": iter(r["t"])}
    return sum(1 for _ in held["i"]), sum(1 for _ in held["i"])


def iterator_over(values):
    return iter(values)


@cases(*ROWS)
def iterator_of_a_helper_is_used_up(r):
    numbers = iterator_over(r["t"])
    return list(numbers), list(numbers)


@cases(*ROWS)
def iterator_in_a_list_is_used_up(r):
    held = []
    for _ in (1,):
        held.append(iter(r["t"]))
    return list(held[0]), list(held[0])


@cases(*ROWS)
def iterator_of_a_helper_under_a_bare_except_is_used_up(r):
    try:
        numbers = iterator_over(r["t"])
    except:  # noqa: E722
        numbers = []
    return list(numbers), list(numbers)


def generated(values):
    for value in values:
        yield value * 2


@cases(*ROWS)
def generator_of_a_helper_is_used_up(r):
    numbers = generated(r["t"])
    return list(numbers), list(numbers)


@cases(*ROWS)
def view_of_a_dict_shows_later_writes(r):
    written = {"b": r["a"]}
    view = written.items()
    written["b"] = None
    return list(view)


@cases(*ROWS)
def keys_of_a_dict_show_later_keys(r):
    written = {"b": r["a"]}
    view = written.keys()
    written["c"] = None
    return list(view), len(view)


@cases(*ROWS)
def keys_of_the_record_show_later_keys(r):
    view = r.keys()
    r["zz"] = 1
    r["n"] = len(view)
    return r


# -------------------------------------------------------------------------- changes through names


@cases(*ROWS)
def list_of_a_ternary_is_the_list_itself(r):
    out = [1]
    other = out if r["a"] else [2]
    other.append(r["n"])
    return (out, other)


@cases(*ROWS)
def augmented_new_list_grows_under_both_names(r):
    total = []
    other = total
    total += r["t"]
    return total, other


@cases(*ROWS)
def augmented_comprehension_grows_under_both_names(r):
    first = [v for v in r["t"]]
    second = first
    second += [2]
    return first, second


@cases(*ROWS)
def augmented_sorted_list_grows_where_it_is_held(r):
    found = sorted(r["t"])
    held = {"k": found}
    found += [2]
    return held


@cases(*ROWS)
def augmented_sum_of_lists_grows_where_it_is_held(r):
    found = r["t"] + [1]
    held = {"k": found}
    found += [2]
    return held


@cases(*ROWS)
def augmented_item_grows_under_its_other_name(r):
    held = {"n": []}
    part = held["n"]
    held["n"] += r["t"]
    return part, held


@cases(*ROWS)
def augmented_set_grows_under_both_names(r):
    first = set()
    second = first
    first |= {1, r["n"]}
    return len(second)


@cases(*ROWS)
def augmented_list_of_constants_grows_under_both_names(r):
    first = [1]
    second = first
    second += [2]
    return first, second


@cases(*ROWS)
def augmented_counter_grows_under_both_names(r):
    first = Counter(r["s"])
    second = first
    first += Counter("1")
    return first, second


@cases(*ROWS)
def augmented_deque_grows_under_both_names(r):
    first = deque(r["t"])
    second = first
    first += [9]
    return list(second)


@cases(*ROWS)
def record_written_in_a_try_is_read_back(r):
    try:
        r["a"] = int(r["s"])
        r["b"] = r["a"] + 1
    except ValueError:
        r["b"] = r["a"]
    return r


@cases(*ROWS)
def copy_of_the_record_written_in_a_loop_is_read_back(r):
    copied = dict(r)
    total = 0
    for key in ("a", "b"):
        copied[key] = 5
        total += copied["a"]
    return total


@cases(*ROWS)
def new_dict_written_in_a_try_is_read_back(r):
    made = {"x": r["a"]}
    try:
        made["x"] = int(r["s"])
        made["y"] = made["x"] + 1
    except ValueError:
        made["y"] = made["x"]
    return made


@cases(*ROWS)
def popped_key_of_the_record_is_gone(r):
    for key in ("a", "b"):
        r.pop(key, None)
        r["g"] = r.get("a", "none")
    return r


@cases(*ROWS)
def record_written_under_its_name_shows_under_another(r):
    other = r
    for key in ("a", "b"):
        r[key] = 5
        r["e"] = other["a"]
    return r


@cases(*ROWS)
def record_written_under_another_name_is_written(r):
    other = r
    for key in ("a",):
        other[key] = 5
    return r


@cases(*ROWS)
def record_held_by_a_list_is_written(r):
    held = [r]
    for key in ("a",):
        r[key] = 5
    return held[0]


@cases(*ROWS)
def list_kept_by_a_comprehension_grows(r):
    current = []
    rows = [current for _ in r["t"]]
    for x in r["t"]:
        current.append(x)
    return rows


@cases(*ROWS)
def dict_kept_by_a_comprehension_is_written(r):
    made = {"a": r["a"]}
    kept = [made for _ in r["t"]]
    made["z"] = r["a"]
    return kept


@cases(*ROWS)
def dict_chosen_by_max_is_written(r):
    made = {"a": r["a"]}
    kept = max([made], key=len)
    made["z"] = r["a"]
    return kept


@cases(*ROWS)
def dict_given_by_a_lambda_is_written(r):
    made = {"a": r["a"]}
    kept = list(map(lambda _: made, r["t"]))
    made["z"] = 1
    return kept


@cases(*ROWS)
def dict_kept_by_a_try_is_written(r):
    made = {"a": r["a"]}
    try:
        kept = [made, int(r["s"])]
    except ValueError:
        kept = made
    made["z"] = 1
    return kept


@cases(*ROWS)
def copy_of_the_record_kept_by_a_comprehension_is_written(r):
    made = dict(r)
    kept = [made for _ in r["t"]]
    made["z"] = 1
    return kept


# ------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("case", cases.listed, ids=str)
def test_a_name_stands_for_what_it_stands_for_in_the_loop(case, backend):
    check(case, backend)


OVER_TABLES = [case for case in cases.listed if case.records[0] is ROWS[0]]
TABLE = tuple({**row, "d": {"a": row["s"]}} for row in ROWS)


@pytest.mark.parametrize("case", OVER_TABLES, ids=str)
def test_a_name_stands_for_what_it_does_in_the_loop_over_a_table(case):
    subject = Subject(lambda: case.function)

    assert arrow_table(list(TABLE)) is not None
    assert subject.examine(TABLE, "numpy", ("arrow",)).differences == []


NAMES = (
    "list_kept_by_a_comprehension_grows", "record_written_in_a_try_is_read_back",
    "augmented_sorted_list_grows_where_it_is_held",
)  # fmt: skip


@pytest.mark.parametrize("case", [case for case in cases.listed if str(case) in NAMES], ids=str)
def test_a_name_stands_for_what_it_does_in_the_loop_beside_a_numba_kernel(case):
    check(case, "numba")


def test_some_of_the_table_is_compiled():
    """Most aliases are left to the interpreter whole; the others are what is told apart here."""
    compiled = sum(map(is_compiled, cases.listed))

    assert compiled > len(cases.listed) // 4
