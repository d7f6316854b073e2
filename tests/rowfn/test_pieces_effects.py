"""Records are left as the contract says: as they were, or as the loop leaves them."""

import bisect
import copy
import operator
from collections import defaultdict

import pytest

import batchprep as bp
from tests.rowfn.piece_cases import Cases, check

cases = Cases()
ROWS = (
    {"a": 0, "n": 1, "t": [3, 1], "ll": [[1], [2]], "o": None},
    {"a": 1, "n": 2, "t": [], "ll": [[3]], "o": 1},
    {"a": 2, "n": 0, "t": [2], "ll": [[]], "o": None},
)
NESTED = ({"nums": "text", "tags": ["a"], "n": 1}, {"nums": [2, 1], "tags": [], "n": 2})


# ---------------------------------------------------------------------- records stay as they were


@cases(*NESTED)
def sorted_field_of_a_row_that_deviates_is_a_copys(r):
    r["nums"].sort()
    return r


@cases(*NESTED)
def moved_part_of_a_record_is_a_copys(r):
    r["names"] = r["tags"]
    r["tags"].append("end")
    return r


@cases(*NESTED)
def augmented_field_of_a_record_is_a_copys(r):
    r["nums"] += [r["n"]]
    return r


@cases(*ROWS, effect=True)
def list_in_a_copy_of_the_record_is_the_records(r):
    copied = dict(r)
    copied["t"].append(1)
    return copied


@cases(*ROWS, effect=True)
def augmented_field_under_a_name_is_the_records(r):
    t = r["t"]
    t += [1]
    return t


@cases(*ROWS, effect=True)
def augmented_field_with_another_result_is_the_records(r):
    a = r["t"]
    a += [1]
    return [1]


@cases(*ROWS, effect=True)
def multiplied_field_with_another_result_is_the_records(r):
    a = r["t"]
    a *= 2
    a = []
    return a


@cases(*ROWS, effect=True)
def augmented_field_behind_max_is_the_records(r):
    found = max(r["ll"], key=len, default=[0])
    if r["a"]:
        found *= 2
    return r["o"]


@cases(*ROWS, effect=True)
def augmented_field_in_a_branch_is_the_records(r):
    found = r["t"]
    if r["o"] is None:
        found += [[]]
    return (1, found)


@cases(*ROWS, effect=True)
def field_put_into_a_list_by_augmenting_is_the_records(r):
    found = []
    for _ in (1,):
        found += [r["t"]]
        found[-1].append(1)
    return found, 1 // r["a"]


@cases(*ROWS, effect=True)
def field_put_into_a_dict_by_augmenting_is_the_records(r):
    found = {}
    for _ in (1,):
        found |= {"x": r["t"]}
        found["x"].append(1)
    return found, 1 // r["a"]


@cases(*ROWS, effect=True)
def field_put_into_a_list_by_a_slice_is_the_records(r):
    found = []
    for _ in (1,):
        found[len(found) :] = [r["t"]]
        found[-1].append(1)
    return found, 1 // r["a"]


@cases(*ROWS, effect=True)
def field_appended_to_by_methodcaller_is_the_records(r):
    return list(map(operator.methodcaller("append", 1), [r["t"]])), 1 // r["a"]


APPEND = operator.methodcaller("append", 1)


@cases(*ROWS, effect=True)
def field_appended_to_by_a_methodcaller_of_the_module_is_the_records(r):
    return [APPEND(t) for t in r["ll"]], 1 // r["a"]


@cases(*ROWS, effect=True)
def field_inserted_into_by_bisect_is_the_records(r):
    return [bisect.insort(t, 2) for t in r["ll"]], 1 // r["a"]


def grown(values):
    values.append(1)
    return values


@cases(*ROWS, effect=True)
def field_appended_to_by_a_helper_is_the_records(r):
    return [grown(t) for t in r["ll"]], 1 // r["a"]


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("case", cases.listed, ids=str)
def test_records_are_left_as_the_contract_says(case, backend):
    check(case, backend)


def rows_until_failure(function, backend, records):
    run = bp.vectorize(function, backend=backend, on_unsupported="ignore")
    with bp.use(threads=1), pytest.raises(ZeroDivisionError):
        run(records)


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize(
    "name",
    [
        "field_put_into_a_list_by_augmenting_is_the_records",
        "field_put_into_a_list_by_a_slice_is_the_records",
        "field_put_into_a_dict_by_augmenting_is_the_records",
        "field_appended_to_by_methodcaller_is_the_records",
    ],
)
def test_rows_behind_the_failing_one_are_not_written(backend, name):
    function = next(case.function for case in cases.listed if str(case) == name)
    records = [copy.deepcopy(row) for row in (ROWS[1], ROWS[0], ROWS[2])]

    rows_until_failure(function, backend, records)

    assert records[2] == ROWS[2]


def test_a_defaultdict_is_not_written_by_reading_it(backend):
    def read(r):
        return r["d"]["p"] if r["a"] else 0

    records = [{"a": 0, "d": defaultdict(list)}, {"a": 1, "d": defaultdict(list)}]
    results = bp.vectorize(read, backend=backend, on_unsupported="ignore")(records)

    assert results == [0, []]
    assert records[0]["d"] == {}
    assert records[1]["d"]["p"] is results[1]


def test_a_factory_of_a_row_that_is_not_reached_is_not_called(backend):
    calls = []

    def read(r):
        return [r["d"][k] for k in ("m", "n")] if r["a"] else 0

    records = [{"a": 0, "d": defaultdict(lambda: calls.append(1))}]
    results = bp.vectorize(read, backend=backend, on_unsupported="ignore")(records)

    assert (results, calls) == ([0], [])
