"""Rows that fail or never get to a piece: nothing hangs, crashes or is lost."""

import json
import subprocess
import sys
from collections import Counter, OrderedDict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from tests.rowfn.piece_cases import Cases, check

cases = Cases()
WORDS = ({"s": "12", "k": "a", "t": ["b", "a"]}, {"s": "x", "k": "b", "t": []})

# ----------------------------------------------------------------- rows that never get to a piece

# Run in a process of its own, which ends after a while: a row that is run although it never gets
# there would take for ever, or all of the memory.
UNREACHED = """
import itertools, math, re, resource, sys
import batchprep as bp

resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

def factorial(r): return math.factorial(r["h"]) if 0 <= r["h"] < 10 else "big"
def permuted(r): return math.perm(r["h"]) if r["h"] < 10 else 1
def combined(r): return math.comb(2 * r["h"], r["h"]) if r["h"] < 10 else 1
def power(r): return len(str(3 ** r["h"])) if r["h"] < 10 else 1
def power_of_objects(r): return [3 ** x for x in r["o"]] if r["h"] < 10 else 1
def shifted(r): return [len(bin(1 << x)) for x in r["o"]] if r["h"] < 10 else 1
def repeated(r): return [len("ab" * x) for x in r["o"]] if r["h"] < 10 else 1
def counted(r): return list(itertools.islice(itertools.count(), r["h"])) if r["h"] < 10 else 1
def orders(r): return len(list(itertools.permutations(r["t"]))) if r["h"] < 10 else 1
def products(r): return len(list(itertools.product(r["t"], repeat=r["h"]))) if r["h"] < 3 else 1
def chosen(r):
    half = len(r["t"]) // 2
    return [len(c) for c in itertools.combinations(r["t"], half)] if r["h"] < 10 else 1
def padded(r): return [len("a".zfill(x)) for x in r["o"]] if r["h"] < 10 else 1
def matched(r): return [bool(re.match("(a+)+$", w)) for w in r["w"]] if r["h"] < 10 else 1
def nested(r):
    t = r["t"]
    return sum(1 for a in t for b in t for c in t for d in t for e in t) if r["h"] < 10 else 1

def range_in_a_name(r):
    x = range(r["h"])
    if r["h"] < 10:
        return [y for y in x]
    return 1

def summed_range(r):
    x = range(r["h"])
    return sum(x) if r["h"] < 10 else 1

def while_loop(r):
    if r["h"] > 10:
        return "many"
    n = r["h"]
    while n != 0:
        n -= 1
    return n

def counts_down(n):
    while n != 0:
        n -= 1
    return n

def while_in_a_helper(r):
    return [counts_down(n) for n in r["o"]] if r["h"] < 10 else "many"

records = [
    {"h": 3, "o": [3], "t": "abc", "w": ["aa", "ab"]},
    {"h": 10**9, "o": [10**18], "t": "abcdefghijklmnopqrstuvwxyz" * 4, "w": ["a" * 40 + "b"]},
] * 2
for name, function in list(globals().items()):
    if getattr(function, "__module__", "") != "__main__" or name in {"counts_down"}:
        continue
    if not callable(function):
        continue
    print(name, flush=True)
    run = bp.vectorize(function, on_unsupported="ignore", backend=sys.argv[1], on_error="null")
    assert run(records) == [function(record) for record in records], name
print("all", flush=True)
"""


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_what_takes_for_ever_is_run_for_no_row_that_does_not_get_there(tmp_path, backend):
    script = tmp_path / "unreached.py"
    script.write_text(UNREACHED)
    process = subprocess.Popen(
        [sys.executable, str(script), backend], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    try:
        output, errors = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()

    assert (errors, output.split()[-1:]) == ("", ["all"])


def test_a_piece_runs_for_the_rows_that_get_to_it_alone(backend):
    seen = []

    @bp.pure
    def noted(x):
        seen.append(x)
        return [x]

    def choose(r):
        return [y + 0 for y in noted(r["h"])] if r["h"] < 10 else "big"

    records = [{"h": h} for h in (1, 50, 2, 60)]

    assert bp.vectorize(choose, backend=backend)(records) == [[1], "big", [2], "big"]
    assert sorted(set(seen)) == [1, 2]


# --------------------------------------------------------------------------------- rows that fail


@cases(*WORDS)
def number_of_a_text_in_a_list(r):
    return [int(r["s"]), r["k"]]


@cases(*WORDS)
def item_of_an_empty_list(r):
    return [x for x in r["t"]][0]  # noqa: C416, RUF015


@cases({"t": [1, 0]}, {"t": [2]}, {"t": []})
def division_inside_a_comprehension(r):
    return [10 // x for x in r["t"]]


@cases({"t": [1, 0]}, {"t": [2]}, {"t": []})
def exception_of_a_statement(r):
    total = 0
    for x in r["t"]:
        total += 1 // x
    return {"total": total}


@cases({"t": [1, 0]}, {"t": 7}, {"t": None})
def raise_with_values(r):
    if isinstance(r["t"], int):
        raise LookupError(r["t"], "no list")
    return [x for x in r["t"]]  # noqa: C416


@cases({"t": [3]}, {"t": []})
def name_that_a_loop_leaves_unbound(r):
    for x in r["t"]:
        last = [x]
    return last


@cases({"t": [3]}, {"t": []})
def stop_iteration_of_next(r):
    return next(iter(r["t"]))


@pytest.mark.parametrize("backend", ["python", "numpy"])
@pytest.mark.parametrize("case", cases.listed, ids=str)
def test_a_failing_row_fails_as_in_the_loop(case, backend):
    check(case, backend)


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_a_message_with_a_lone_surrogate_is_reported(backend):
    def number(r):
        return int(r["s"])

    run = bp.vectorize(number, backend=backend, on_error="null")

    assert run([{"s": "\ud800"}, {"s": "7"}]) == [None, 7]
    (failure,) = run.report().failures.to_pylist()
    assert failure["type"] == "ValueError"
    assert "\\ud800" in failure["message"]
    assert json.dumps(run.report().to_dict())


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_a_missing_key_that_is_a_lone_surrogate_is_reported(backend):
    def look_up(r):
        return {}[r["k"]]

    run = bp.vectorize(look_up, backend=backend, on_error="null", on_unsupported="ignore")

    assert run([{"k": "\ud800"}]) == [None]
    assert run.report().failures.to_pylist()[0]["type"] == "KeyError"


class Unwritable:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_a_record_that_cannot_be_written_is_reported(backend):
    def listed(r):
        return list(r["v"])

    run = bp.vectorize(listed, backend=backend, on_error="null", on_unsupported="ignore")

    assert run([{"v": Unwritable()}, {"v": [1]}]) == [None, [1]]
    assert run.report().failures.to_pylist()[0]["type"] == "TypeError"


def test_a_filter_that_gives_an_array_fails_as_the_loop_does():
    def keep(r):
        return np.array([r["a"], 1]) > 0

    kept = bp.Pipeline().filter(keep)
    with pytest.raises(ValueError, match="truth value"):
        kept([{"a": 1}])


# ------------------------------------------------------------------------------- Arrow in and out


def test_pairs_of_a_map_column_fit_a_list():
    table = pa.table({"mp": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64()))})

    def listed(r):
        return [r["mp"]]

    results = bp.vectorize(listed, backend="numpy")(table)

    assert results.to_pylist() == [[[("a", 1)]], [[]], [None]]


@pytest.mark.parametrize("kind", [Counter, OrderedDict])
def test_dicts_of_other_kinds_fit_a_struct_of_all_rows(kind):
    def count(r):
        return kind(dict.fromkeys(r["l"], 1))

    results = bp.vectorize(count, on_unsupported="ignore")(pa.table({"l": [["a"], ["b"], ["a"]]}))

    assert results.to_pylist() == [{"a": 1, "b": None}, {"a": None, "b": 1}, {"a": 1, "b": None}]


def test_no_rows_give_the_form_that_some_rows_give():
    def record(r):
        return {"a": [v for v in r["l"]], "b": r["s"]}  # noqa: C416

    table = pa.table({"l": [[1], [2, 3]], "s": ["x", "y"]})
    run = bp.vectorize(record, backend="numpy")

    some, none = run(table), run(table.slice(0, 0))

    assert some.to_pylist() == [{"a": [1], "b": "x"}, {"a": [2, 3], "b": "y"}]
    assert type(none) is type(some)
    assert none.column_names == ["a", "b"]


def test_pieces_over_a_table_give_the_values_of_the_loop(backend):
    def titled(r):
        words = [w.capitalize() for w in r["s"].split()]
        return {"words": words, "first": words[0] if words else None}

    table = pa.table({"s": ["a b", "", "c"] * 40})
    results = bp.vectorize(titled, backend=backend)(table)

    assert results.to_pylist() == [titled(record) for record in table.to_pylist()]


def test_a_record_may_be_written_into_by_several_pieces():
    def tidied(r):
        r.setdefault("n", 0)
        r.pop("b", None)
        return r

    records = [{"b": 1}, {"n": 2}]
    f = bp.vectorize(tidied, backend="numpy", on_unsupported="raise")

    assert f(records) == [{"n": 0}, {"n": 2}]
    assert records == [{"b": 1}, {"n": 2}]


@pytest.mark.parametrize("backend", ["python", "numpy", "numba"])
def test_what_raises_before_a_second_text_comes_in_is_not_lost(backend):
    def trimmed(r):
        unused = r["d"].rpartition("")[1].removesuffix(r["d"] or "red")  # an empty separator
        return {"x": 1, "unused": unused}

    def ignored(r):
        r["d"].rpartition("")[1].removesuffix(r["d"] or "red")
        return {"x": 1}

    records = [{"d": "a"}, {"d": ""}, {"d": None}]
    with bp.use(backend=backend, on_error="null"):
        assert bp.vectorize(trimmed)(records) == [None, None, None]
        assert bp.vectorize(ignored)(records) == [None, None, None]
