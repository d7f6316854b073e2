"""The tasks without a file of their own here: everyone gives what the row loop gives."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import batchprep as bp
from benchmarks.agreement import WrongAnswerError
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.looped import looped
from benchmarks.orders import SCHEMAS, orders, records_of
from benchmarks.tasks import SECONDS, assemble, ingest, loader, scaling, sizes, task, wide
from tests.benchmarks.scales import ROWS, measured
from tests.docs import measured as performance

fields = pytest.mark.parametrize("fields", SCHEMAS)


def other_order(table):
    return table.take([*range(1, table.num_rows), 0]).combine_chunks()


@pytest.mark.parametrize("name", [name for name in wide.CONTESTANTS if name != ROW_LOOP])
def test_a_wrong_feature_of_anyone_is_caught(name):
    table = wide.table(ROWS)
    _, expected = looped(wide.features, table, wide.GIVES)
    answer = wide.CONTESTANTS[name].prepare(None)

    wide.check(expected, name, answer(table))
    with pytest.raises(WrongAnswerError, match=name):
        wide.check(expected, name, answer(other_order(table)))


def test_the_wide_task_has_nulls_zeros_and_values_to_clip():
    table = wide.table(2_000)
    _, expected = looped(wide.features, table, wide.GIVES)

    assert [table[name].null_count > 0 for name in table.column_names].count(True) == 2
    assert expected["margin"].null_count == table["cost"].null_count
    assert expected["rate"].to_pylist().count(0.0) > 0
    assert {0.0, wide.MOST_DISCOUNT} < set(expected["discount"].to_pylist())
    assert set(expected["sold_out"].to_pylist()) == {True, False}
    assert bp.vectorize(wide.features).explain(table).compiled


def test_the_logarithm_written_by_hand_is_within_an_ulp():
    from benchmarks.loops import wide as loops

    draw = np.random.default_rng(0)
    values = np.concatenate([[0.0, 5e-324, 1e-300, 1e-9, 1.0], draw.lognormal(0.0, 8.0, 2_000)])
    out = np.empty_like(values)
    loops._logs(values, np.ones(len(values), np.int64), out)

    expected = np.array([math.log1p(value) for value in values])
    assert np.abs(out.view(np.int64) - expected.view(np.int64)).max() <= 1


@fields
@pytest.mark.parametrize("name", ingest.CONTESTANTS)
def test_wrong_columns_of_anyone_are_caught(name, fields):
    table = orders(ROWS, fields)
    read = ingest.CONTESTANTS[name].prepare(SCHEMAS[fields])

    ingest.check(table, name, read(records_of(table)))
    with pytest.raises(WrongAnswerError, match=name):
        ingest.check(table, name, read(records_of(other_order(table))))


@fields
def test_wrong_dicts_of_anyone_are_caught(fields):
    table = orders(ROWS, fields)
    expected = table.to_pylist()

    for name, contestant in assemble.takers(fields).items():
        dicts = contestant.prepare(None)
        assemble.check(expected, name, dicts(table))
        with pytest.raises(WrongAnswerError, match=name):
            assemble.check(expected, name, dicts(other_order(table)))


def test_a_value_of_another_type_is_another_dict():
    with pytest.raises(WrongAnswerError, match="types differ"):
        assemble.check([{"a": 1}], "someone", [{"a": 1.0}])


@pytest.mark.parametrize(
    ("batches", "words"),
    [
        ([([[1.0], [2.0]], [0, 1])], "not shuffled"),
        ([([[2.0], [2.0]], [1, 1])], "not every row once"),
        ([([[1.0], [2.0]], [1, 0])], "features differ"),
        ([([[2.0]], [1]), ([[1.0]], [0])], "not of 4,096 rows"),
    ],
)
def test_a_wrong_epoch_is_caught(batches, words):
    arrays = [(np.array(x, np.float32), np.array(y)) for x, y in batches]

    with pytest.raises(WrongAnswerError, match=words):
        loader.check(np.array([[1.0], [2.0]], np.float32), "someone", arrays)


def test_only_the_first_epoch_is_kept():
    consume = loader.Consumer()

    assert consume(iter([(1, 2)])) == [(1, 2)]
    assert consume(iter([(1, 2)])) is None


def test_sizes_say_how_far_auto_is_behind_the_best_fixed_backend():
    case = measured("sizes")[0]
    times = {name: found["median_seconds"] for name, found in case["times"].items()}

    assert case["notes"]["behind_best"] == pytest.approx(
        times[OURS] / min(times[name] for name in sizes.FIXED)
    )


def test_the_serial_share_is_what_a_second_thread_does_not_shorten():
    assert scaling.serial_share(2.0, 2) == 0.0
    assert scaling.serial_share(1.0, 2) == 1.0
    assert scaling.serial_share(4 / 3, 2) == pytest.approx(0.5)
    assert scaling.serial_share(2.2, 2) == 0.0
    assert scaling.amdahl(0.0, 64) == 64.0
    assert scaling.amdahl(0.5, 64) == pytest.approx(1 / (0.5 + 0.5 / 64))


def test_every_file_of_a_task_is_in_the_table_of_tasks():
    folder = Path(sizes.__file__).parent
    names = {path.stem for path in folder.glob("*.py")} - {"__init__"}

    assert names == set(SECONDS)
    assert all(task(name).TITLE and len(task(name).CONTESTANTS) > 1 for name in names)


def test_orders_are_the_same_in_both_forms():
    for count, schema in SCHEMAS.items():
        table = orders(ROWS, count)
        assert table.schema == schema
        assert pa.Table.from_pylist(records_of(table), schema) == table


def test_the_page_on_performance_tells_an_estimate_as_such():
    text = "\n".join(performance._scaling({"cases": measured("scaling")}))

    assert text.startswith("| threads, from Arrow |")
    assert "An estimate, not a measurement" in text
    assert all(scaling.WORDS[name] in text for name in scaling.FUNCTIONS)
    assert list(performance._scaling(None)) == []
