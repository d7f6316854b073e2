"""Of the objects that pieces give, those are one that are one in the loop."""

# ruff: noqa: PERF401, C408, C416  row functions spell things as users do

import copy
from collections import Counter

import pytest

from tests.rowfn.piece_cases import Cases, check, is_compiled

cases = Cases()
LABELS = {"NO": ["nordic"], "SE": ["nordic", "eu"]}
TREE = {"a": {"b": {"x": 1}}}
DEFAULT = [0]
ROWS = (
    {"a": 1, "n": 0, "s": "a b", "t": [3, 1], "d": {"a": [1]}, "k": "NO"},
    {"a": 0, "n": 1, "s": "b", "t": [], "d": {}, "k": "SE"},
    {"a": 2, "n": 2, "s": "World", "t": [1, 2], "d": {"q": [7]}, "k": "DK"},
)


def made(values):
    return [1, *values]


def kept(value):
    found = {}
    for name in ("k",):
        found[name] = value
    return found


# ---------------------------------------------------- equal expressions make objects of their own


@cases(*ROWS)
def two_lists_of_one_line_are_two(r):
    return list(r["t"]), list(r["t"])


@cases(*ROWS)
def two_lists_of_two_lines_are_two(r):
    first = r["s"].split()
    second = r["s"].split()
    return first, second


@cases(*ROWS)
def two_sorted_lists_in_a_dict_are_two(r):
    return {"a": sorted(r["t"]), "b": sorted(r["t"])}


@cases(*ROWS)
def two_comprehensions_are_two(r):
    return [x for x in r["t"]], [x for x in r["t"]]


@cases(*ROWS)
def two_dicts_in_a_list_are_two(r):
    return [dict(r["d"]), dict(r["d"])]


@cases(*ROWS)
def two_unpacked_dicts_are_two(r):
    return {**r["d"]}, {**r["d"]}


@cases(*ROWS)
def two_copies_are_two(r):
    return r["d"].copy(), r["d"].copy()


@cases(*ROWS)
def two_slices_are_two(r):
    return r["t"][:], r["t"][:]


@cases(*ROWS)
def two_sums_of_lists_are_two(r):
    return r["t"] + [1], r["t"] + [1]


@cases(*ROWS)
def two_unpacked_lists_are_two(r):
    return [*r["t"]], [*r["t"]]


@cases(*ROWS)
def two_sets_are_two(r):
    return set(r["s"]), set(r["s"])


@cases(*ROWS)
def two_counters_are_two(r):
    return Counter(r["s"]), Counter(r["s"])


@cases(*ROWS)
def two_shallow_copies_are_two(r):
    return copy.copy(r["t"]), copy.copy(r["t"])


@cases(*ROWS)
def two_defaults_of_get_are_two(r):
    return r["d"].get("q", []), r["d"].get("q", [])


@cases(*ROWS)
def two_lists_behind_or_are_two(r):
    return r["t"] or [], r["t"] or []


@cases(*ROWS)
def two_calls_of_a_helper_are_two(r):
    return made(r["t"]), made(r["t"])


@cases(*ROWS)
def one_list_at_two_places_is_one_beside_another(r):
    first = sorted(r["s"].upper())
    return {"one": first, "two": first, "three": sorted(r["s"].upper())}


@cases(*ROWS)
def items_read_twice_are_two_lists(r):
    held = r["d"].items()
    return list(held), list(held)


# ------------------------------------------------------------------------------- one object stays


@cases(*ROWS)
def new_list_of_a_ternary_at_two_places_is_one(r):
    x = [] if r["a"] else [1]
    return x, x


@cases(*ROWS)
def dict_of_a_ternary_is_the_one_it_was_chosen_from(r):
    x = {"a": 1}
    y = {"a": 1}
    z = x if r["a"] else y
    return x, y, z


@cases(*ROWS)
def new_list_of_an_if_under_two_names_is_one(r):
    if r["a"]:
        x = [1]
    else:
        x = [2]
    y = x
    return y, x


@cases(*ROWS)
def list_kept_by_min_is_one(r):
    a = [v for v in r["t"]]
    b = min([a], key=len)
    return a, b


@cases(*ROWS)
def items_of_a_sorted_list_are_the_ones_that_went_in(r):
    a = [[v] for v in r["t"]]
    return a, sorted(a, key=str)


@cases(*ROWS)
def items_of_a_filtered_list_are_the_ones_that_went_in(r):
    a = [[v] for v in r["t"]]
    return a, [x for x in a if x]


@cases(*ROWS)
def items_of_a_slice_are_the_ones_that_went_in(r):
    a = [[v] for v in r["t"]]
    return a, a[0:1], list(a)


@cases(*ROWS)
def dict_held_by_a_dict_call_is_one(r):
    d = dict(r["d"])
    e = dict(w=d)
    return [d, e]


@cases(*ROWS)
def dict_repeated_by_a_comprehension_is_one(r):
    d = dict(r["d"])
    return [d for _ in range(2)]


@cases(*ROWS)
def items_of_a_doubled_list_are_ones(r):
    d = [[x] for x in r["t"]]
    d = d + d
    return d


@cases(*ROWS)
def list_held_by_two_lists_is_one(r):
    a = [v for v in r["t"]]
    b = [a]
    return b + [a]


@cases(*ROWS)
def list_held_by_a_dict_of_keywords_is_one(r):
    found = sorted(r["t"])
    d = dict(z=found)
    return d, found


@cases(*ROWS)
def list_appended_by_a_loop_is_one(r):
    found = [r["a"]]
    rows = []
    for _ in r["t"]:
        rows.append(found)
    return rows, found


@cases(*ROWS)
def dict_kept_by_a_helper_is_one(r):
    found = {"a": 1}
    return kept(found), found


@cases(*ROWS)
def dict_kept_by_two_calls_of_a_helper_is_one(r):
    found = {"a": 1}
    return kept(found), kept(found)


@cases(*ROWS)
def list_kept_by_two_calls_of_a_helper_is_one(r):
    found = sorted(r["t"])
    return kept(found), kept(found)


# -------------------------------------------------------------- what a module owns is given as is


@cases(*ROWS, owned=(LABELS,))
def list_of_a_table_is_the_tables(r):
    return LABELS[r["k"]]


@cases(*ROWS, owned=(LABELS, DEFAULT))
def default_of_a_table_is_the_modules(r):
    return LABELS.get(r["k"], DEFAULT)


@cases(*ROWS, owned=(LABELS,))
def list_of_a_table_in_a_list_is_the_tables(r):
    return [LABELS.get(r["k"]), r["t"] or LABELS["NO"]]


@cases(*ROWS, owned=(LABELS,))
def list_of_a_table_in_a_comprehension_is_the_tables(r):
    return [LABELS.get(key) for key in (r["k"], "NO")]


@cases(*ROWS, owned=(LABELS, DEFAULT))
def list_that_next_finds_in_a_table_is_the_tables(r):
    return next((LABELS[key] for key in LABELS if key == r["k"]), DEFAULT)


@cases(*ROWS, owned=(DEFAULT,))
def list_of_a_module_in_a_loop_is_the_modules(r):
    found = []
    for _ in r["t"]:
        found = DEFAULT
    return found


@cases(*ROWS, owned=(DEFAULT,))
def default_of_the_records_get_is_the_modules(r):
    return r.get("zz", DEFAULT), r.get("zz", DEFAULT)


@cases(*ROWS, owned=(TREE,))
def new_defaults_of_a_tree_are_two(r):
    return [TREE.get(r["s"], {}).get("b", {}), TREE.get(r["s"], {}).get("b", {})]


# ------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("case", cases.listed, ids=str)
def test_a_result_shares_what_it_shares_in_the_loop(case, backend):
    check(case, backend)


NAMES = ("two_sorted_lists_in_a_dict_are_two",)


@pytest.mark.parametrize("case", [c for c in cases.listed if str(c) in NAMES], ids=str)
def test_a_result_shares_what_it_shares_in_the_loop_beside_a_numba_kernel(case):
    check(case, "numba")


def test_the_table_is_about_pieces():
    """A case that falls back whole says little: most of them are compiled."""
    compiled = sum(map(is_compiled, cases.listed[::3]))

    assert compiled > len(cases.listed[::3]) // 2
