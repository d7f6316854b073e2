"""No two rows share what may be changed, however often a piece runs."""

# ruff: noqa: PERF401, C416, PLW0127  row functions spell things as users do

from collections import deque

import pytest

from tests.rowfn.piece_cases import Cases, check, is_compiled

cases = Cases()
ROWS = (
    {"a": 1, "n": 0, "s": "a b", "t": [3, 1], "d": {"a": [1]}, "k": "NO"},
    {"a": 0, "n": 1, "s": "b", "t": [], "d": {}, "k": "SE"},
    {"a": 2, "n": 2, "s": "World", "t": [1, 2], "d": {"q": [7]}, "k": "DK"},
)


# ------------------------------------------------------------------- rows share nothing of theirs


@cases(*ROWS)
def list_of_a_dict_display_is_the_rows(r):
    return {"a": [1], "b": [2], "W": [3]}[r["s"][:1]]


@cases(*ROWS)
def list_of_a_dict_in_a_name_is_the_rows(r):
    d = {"a": [1], "b": [2]}
    return (d.get(r["s"][:1]), d)


@cases({"v": None}, {"v": [3]}, {"v": "a"})
def list_chosen_beside_objects_is_the_rows(r):
    return r["v"] if r["v"] else [1]


@cases({"v": None}, {"v": [3]}, {"v": "a"})
def dict_in_a_dict_chosen_beside_objects_is_the_rows(r):
    return {"a": r["v"] if r["v"] else {"k": [1]}}


@cases(*ROWS)
def appended_list_is_the_rows(r):
    x = []
    x.append(r["n"])
    return x


@cases(*ROWS)
def list_under_setdefault_is_the_rows(r):
    x = {}
    x.setdefault("k", []).append(r["n"])
    return x["k"]


@cases(*ROWS)
def list_of_a_try_is_the_rows(r):
    x = [1]
    try:
        x.append(10 // r["n"])
    except ZeroDivisionError:
        x = []
    return x


@cases(*ROWS)
def lists_of_a_loop_are_the_rows(r):
    x = []
    for _ in range(r["n"]):
        x.append([])
    return {"x": x}


@cases(*ROWS)
def list_of_either_branch_is_the_rows(r):
    x = None
    if r["n"]:
        x = []
    else:
        x = [1]
    x.append(2)
    return x


@cases(*ROWS)
def list_beside_a_sorted_one_is_the_rows(r):
    return sorted(r["t"]) if r["n"] else [0]


@cases(*ROWS)
def empty_list_beside_a_split_one_is_the_rows(r):
    return {"a": r["s"].split() if r["n"] else []}


@cases(*ROWS)
def empty_list_returned_early_is_the_rows(r):
    if r["n"] > 1:
        return []
    return [v for v in range(r["n"])]


@cases(*ROWS)
def list_that_a_loop_replaces_is_the_rows(r):
    a = r["s"].split() or r["t"]
    for _ in r["t"]:
        a = r["t"]
    return {"q": a}


@cases(*ROWS)
def list_that_ifs_replace_is_the_rows(r):
    a = [[]]
    if a:
        a.pop()
    if r["d"]:
        a = [r["n"]]
    for _ in range(2):
        a = a
    return (a, r["s"])


@cases(*ROWS)
def deque_of_a_text_is_the_rows(r):
    found = deque(r["s"])
    return {"found": list(found)}


@cases(*ROWS)
def set_of_a_text_is_in_the_loops_order(r):
    return list(set(r["s"])), set(r["s"])


# ------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("case", cases.listed, ids=str)
def test_rows_share_nothing_of_theirs(case, backend):
    check(case, backend)


NAMES = ("list_under_setdefault_is_the_rows",)


@pytest.mark.parametrize("case", [c for c in cases.listed if str(c) in NAMES], ids=str)
def test_rows_share_nothing_of_theirs_beside_a_numba_kernel(case):
    check(case, "numba")


def test_the_table_is_about_pieces():
    """A case that falls back whole says little: most of them are compiled."""
    compiled = sum(map(is_compiled, cases.listed[::3]))

    assert compiled > len(cases.listed[::3]) // 2
