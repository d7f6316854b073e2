"""The fuzzer itself: what it draws, and that it finds and shrinks a difference."""

from __future__ import annotations

import ast
import copy
import dataclasses
from datetime import datetime
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz import sharing
from tests.fuzz.campaign import Shard
from tests.fuzz.check import arrow_table
from tests.fuzz.counts import Counts, operations_of, reason_group, shortfalls
from tests.fuzz.functions import cases
from tests.fuzz.reached import NESTED_STATEMENTS, Wanted
from tests.fuzz.records import FieldSpec, as_records, rows_of
from tests.fuzz.subjects import Loop


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(cases())
def test_every_drawn_function_is_python(case):
    assert ast.parse(case.source).body


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(cases(grammar="nested"))
def test_every_drawn_nested_function_is_python(case):
    assert ast.parse(case.source).body


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_has_every_kind_of_every_field(seed):
    fields = (FieldSpec("a", ("int", "none", "str"), "wide"), FieldSpec("b", ("bool",), "calm"))

    rows = rows_of(Random(seed), fields, 5)

    assert {type(row["a"]) for row in rows} == {int, type(None), str}
    assert len(rows) == 5


def test_records_of_every_form_hold_the_row():
    assert as_records([{"a": 1}], "dict") == [{"a": 1}]
    assert as_records([{"a": 1}], "dataclass")[0].a == 1
    assert as_records([{"a": 1}], "namedtuple")[0] == (1,)


@pytest.mark.parametrize("seed", range(5))
def test_nested_rows_hold_strangers_and_share_nothing(seed):
    kinds = ("ints", "dicts", "dict", "datetime")
    fields = tuple(FieldSpec(kind, (kind, f"stray {kind}"), "wide") for kind in kinds)

    rows = rows_of(Random(seed), fields, 30)

    assert sharing.among(rows) == []
    assert any(not isinstance(row["dicts"], list) or {} in row["dicts"] for row in rows)
    assert {type(row["datetime"]) for row in rows} >= {datetime}


def test_rows_that_a_column_would_convert_make_no_table():
    assert arrow_table([{"a": [1, 2.5]}]) is None
    assert arrow_table([{"a": {"x": 1}}, {"a": {}}]) is None
    assert arrow_table([{"a": [1, None]}, {"a": []}]).to_pylist() == [{"a": [1, None]}, {"a": []}]
    assert arrow_table([{"a": 1}, {"a": 0.5}]) is None
    assert arrow_table([{"a": 2**64}]) is None
    assert arrow_table([{"a": 1}, {}]).to_pylist() == [{"a": 1}, {"a": None}]


def test_the_loop_equals_itself():
    counts = Shard(("loop",), lambda backend: Loop).run(0, 40)

    assert counts.functions["loop"] == 40
    assert counts.rows["failed"] > 0


def test_the_nested_loop_equals_itself_and_reaches_its_statements():
    counts = Shard(("loop",), lambda backend: Loop, grammar="nested").run(0, 60)

    assert counts.rows["failed"] > 0
    assert len(NESTED_STATEMENTS & counts.constructs.keys()) > 25


class Copying(Loop):
    """A loop that gives copies of what it should return."""

    def __call__(self, data, on_error, *args, **kwargs):
        answer = super().__call__(data, on_error, *args, **kwargs)
        return dataclasses.replace(answer, results=copy.deepcopy(answer.results))


def test_a_copy_of_a_part_of_the_record_is_found():
    with pytest.raises(AssertionError, match=r"parts of the record are \{\}, in the loop"):
        Shard(("loop",), lambda backend: Copying, grammar="nested", shrinking=False).run(2, 1000)


class WrongZero(Loop):
    """A loop that loses the sign of zero."""

    def __call__(self, data, on_error, *args, **kwargs):
        answer = super().__call__(data, on_error, *args, **kwargs)
        answer.results = answer.results and [
            0.0 if isinstance(value, float) and value == 0 else value for value in answer.results
        ]
        return answer


def test_a_lost_sign_of_zero_is_found_and_shrunk_to_one_row():
    with pytest.raises(AssertionError, match=r"row 0: 0\.0, the loop gives -0\.0") as found:
        Shard(("loop",), lambda backend: WrongZero).run(1, 1000)

    text = str(found.value)
    source = text[text.index("source='''") + 10 : text.index("''',")]
    assert operations_of(source) <= 5
    assert text.count("Call(") == 1


def test_a_run_that_reaches_too_little_says_what():
    counts = Counts()
    counts.functions["numpy"] = 10
    counts.compiled["numpy"] = 8
    counts.operations[3] = 10
    counts.constructs["+"] = 30

    wanted = Wanted(frozenset({"+", "-"}), frozenset({"integer overflow"}), 20, 0.9, 8)
    missing = shortfalls(counts, wanted)

    assert operations_of("K = -1\nf = lambda r: -r['a'] + 1 < K < 3") == 4
    assert [line.split(":")[0] for line in missing] == [
        "construct '-'",
        "deviation 'integer overflow'",
        "80.0% of the functions compile",
        "a median of 3.0 operations a function",
    ]
    assert Counts.from_dict(counts.to_dict()) == counts


@pytest.mark.parametrize(
    ("reason", "group"),
    [
        ("KeyError: 'a'", "KeyError: ..."),
        ("+ of none or int and float", "operator of other kinds"),
        ("none or int < str", "operator of other kinds"),
        ("irregular value in a", "irregular value"),
        ("math.sqrt domain error", "math function: domain error"),
        ("math.sqrt of none or str", "function of other kinds"),
        ("int beyond 64 bits", "int beyond 64 bits"),
        (".split that raises", "text function that raises"),
        ("pattern.search of none or str", "text function of other kinds"),
        ("result of loads that no column holds", "result that no column holds"),
    ],
)
def test_a_reason_counts_without_the_names_in_it(reason, group):
    assert reason_group(reason) == group
