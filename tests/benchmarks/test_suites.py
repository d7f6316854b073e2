import json
import math
import platform
import subprocess
import sys
from functools import partial

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks import limit, machine, results, tables
from benchmarks.agreement import Rounding, WrongAnswerError, answer_of, rounding
from benchmarks.contest import OURS, ROW_LOOP, Contestants, hold, settle
from benchmarks.suite import ALL_SECONDS, Run
from benchmarks.tasks import SECONDS, article, cold, fallback, flights, ingest, task
from benchmarks.timing import Effort, Samples, interleaved
from benchmarks.trades import as_records, trades
from tests.benchmarks.scales import LIMIT, ROWS, TINY, measured, tiny_run


@pytest.mark.parametrize("name", SECONDS)
def test_every_task_runs_over_few_rows_and_gives_the_documented_shape(name, tmp_path):
    if name == "loader":
        pytest.importorskip("torch")
    cases = measured(name)

    assert json.loads(json.dumps(cases)) == cases
    assert tables.table(task(name), cases).row_count == len(cases) > 0
    for case in cases:
        assert next(iter(case["times"])) == OURS
        assert case["times"][OURS]["ratio"] == 1.0
    results.write(tmp_path, name, machine.describe(), LIMIT, cases)
    assert len(results.read(name, tmp_path)["cases"]) == len(cases)
    aims = list(task(name).aims(cases)) if hasattr(task(name), "aims") else []
    assert all(isinstance(text, str) and met in {True, False} for text, met in aims)


@pytest.mark.parametrize("name", sorted(set(SECONDS) - {"fallback"}))
def test_what_has_no_time_left_is_said_to_be_skipped(name):
    cases = task(name).measure(tiny_run(deadline=0.0))

    assert cases
    assert all(case["skipped"] and not case["times"] for case in cases)
    assert tables.table(task(name), cases).row_count == len(cases)


def test_everyone_takes_part_in_every_variant():
    cases = measured("article")

    assert len(cases) == len(article.TASKS) * len(article.FORMS)
    assert all(list(case["times"]) == list(article.CONTESTANTS) for case in cases)


def test_columnar_results_tell_their_share_of_the_bandwidth():
    (case,) = measured("wide")
    times = case["times"][OURS]

    share = case["bytes"] / LIMIT.triad_all_threads / times["median_seconds"]
    assert times["of_limit"] == pytest.approx(share)
    assert "of_limit" not in case["times"][ROW_LOOP]


@pytest.mark.parametrize("name", article.CONTESTANTS)
@pytest.mark.parametrize("form", article.FORMS)
def test_a_wrong_answer_of_anyone_is_caught(name, form):
    table = trades(ROWS)
    _, check = article.expected_of(article.SQRT, as_records(table))
    # The same question about other trades: the right kind of answer, and wrong.
    other = table.slice(1, ROWS).take([*range(1, ROWS - 1), 0, 0]).combine_chunks()
    given = {"arrow": other, "records": as_records(other)}
    variant = article.Task(**{**vars(article.SQRT), "form": form})
    call = article.CONTESTANTS.calls(variant, given, form, ROWS)[name]

    with pytest.raises(WrongAnswerError, match=f"{name}: .* rows differ"):
        article.CONTESTANTS.checked(name, call(), check)


def test_a_rounding_is_reported_for_peers_and_an_error_of_ours():
    def check(name, got):
        return rounding(answer_of([2.0]), answer_of(got), name)

    rounded = [math.nextafter(2.0, 3.0)]

    assert article.CONTESTANTS.checked("numpy", rounded, check).largest_ulp == 1
    with pytest.raises(WrongAnswerError, match="batchprep: 1 rows differ in their last bits"):
        article.CONTESTANTS.checked(OURS, rounded, check)


def test_the_two_roots_are_two_tasks():
    records = as_records(trades(20_000))
    first, second = (
        article.CONTESTANTS[ROW_LOOP].prepare(variant)(records) for variant in article.TASKS[:2]
    )

    assert first != second


def test_a_contestant_is_one_function():
    contestants = Contestants()

    @contestants.enter(OURS, "ours")
    def _ours(factor):
        return lambda data: [factor * item for item in data]

    @contestants.enter("other", "another", given="tuple", most_rows=2)
    def _other(factor):
        return lambda data: [factor * item for item in data]

    data = {"list": [1, 2], "tuple": (1, 2)}
    options = {"labels": {"factor": 3}, "form": "list"}
    case = hold(tiny_run(), contestants, 3, data, exactly([3, 6]), rows=2, **options)
    large = hold(tiny_run(), contestants, 3, data, exactly([3, 6]), rows=3, **options)

    assert list(case["times"]) == [OURS, "other"]
    assert list(large["times"]) == [OURS]
    with pytest.raises(WrongAnswerError, match=OURS):
        hold(tiny_run(), contestants, 4, data, exactly([3, 6]), rows=2, **options)


def exactly(expected):
    def check(name, answer):
        if answer != expected:
            raise WrongAnswerError(name, "differs")
        return Rounding()

    return check


def test_a_wrong_fallback_is_caught(monkeypatch):
    wrong = partial(lambda _task: lambda records: [0.0 for _ in records])
    contestants = Contestants()
    contestants.enter(OURS, "wrong")(wrong)
    monkeypatch.setattr(fallback, "CONTESTANTS", contestants)

    with pytest.raises(WrongAnswerError, match="not the row loop's"):
        fallback.measure(tiny_run())


def test_wrong_flights_are_caught(monkeypatch):
    monkeypatch.setattr("batchprep.cli.trial.count_differing", lambda got, expected: 3)

    with pytest.raises(WrongAnswerError, match="batchprep: 3 rows differ"):
        flights.measure(tiny_run())


def test_a_wrong_answer_ends_the_command(monkeypatch):
    contestants = Contestants(ingest.CONTESTANTS)
    contestants.enter("polars", "wrong")(lambda schema: lambda records: {"price": [0.0]})
    monkeypatch.setattr(ingest, "CONTESTANTS", contestants)
    monkeypatch.setattr(command, "QUICK", TINY)

    result = CliRunner().invoke(command.main, ["--quick", "ingest"])

    assert result.exit_code == 1
    assert "polars: " in result.output


def test_results_are_kept_where_told_with_the_limit_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "QUICK", TINY)

    result = CliRunner().invoke(
        command.main, ["--quick", "fallback", "--results", str(tmp_path)], catch_exceptions=False
    )

    assert result.exit_code == 0
    kept = results.read("fallback", tmp_path)
    assert kept["cases"][0]["rows"] == ROWS
    assert kept["limit"]["copy_one_thread"] > 0


def test_what_was_left_out_is_said(monkeypatch):
    monkeypatch.setattr(command, "QUICK", TINY)
    monkeypatch.setattr(Run, "over", property(lambda run: True))

    result = CliRunner().invoke(command.main, ["--quick", "wide"], catch_exceptions=False)

    assert "Left out: wide 200 rows (time is up)." in result.output


def test_time_that_a_task_leaves_is_the_next_ones_and_a_tenth_is_kept():
    deadlines = dict(command._deadlines(tuple(SECONDS)))

    assert list(deadlines.values()) == sorted(deadlines.values())
    assert deadlines[list(SECONDS)[-1]] == pytest.approx(0.9 * ALL_SECONDS)


def test_the_limit_is_that_of_the_arrays_asked_for():
    found = limit.measure(2**16)

    assert found.share(found.triad_all_threads, 1.0) <= 1.0
    assert set(found.to_dict()) == set(LIMIT.to_dict())


def test_the_machine_has_no_name_and_no_path():
    text = json.dumps(machine.describe())

    assert platform.node() not in text
    assert "/" not in text


def test_rounds_are_interleaved():
    order = []
    # A sample of one call each: the first shows how long a call takes.
    calls = {name: partial(slow, order, name) for name in "ab"}

    samples = interleaved(calls, Effort(least=2, most=3, seconds=60.0))

    first, *rounds = ("".join(order[at : at + 2]) for at in range(0, len(order), 2))
    assert first == "ab"
    assert sorted(set(rounds)) == ["ab", "ba"]  # in an order of its own: seeded, so always this one
    assert len(rounds) == 3
    assert [len(found.seconds) for found in samples.values()] == [3, 3]


def slow(order, name):
    order.append(name)
    math.fsum(range(300_000))


def test_half_of_the_samples_lie_between_the_quartiles():
    assert Samples([5.0, 1.0, 2.0, 4.0, 3.0]).quartiles == (2.0, 4.0)
    assert Samples([1.0]).quartiles == (1.0, 1.0)


def test_a_call_is_settled_when_its_kernel_has_taken_over():
    import batchprep as bp

    table = trades(30_000)
    call = partial(bp.vectorize(article.sqrt_value), table)

    report = settle(call, table.num_rows, patience=60.0)

    assert "numba" in report.stages[0].backend


def test_a_cold_start_is_not_warmed_up_by_the_benchmark():
    code = "import json, sys; import benchmarks.cold_call; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=cold.ROOT, capture_output=True, text=True, check=True
    )

    loaded = set(json.loads(run.stdout))
    heavy = {"batchprep", "duckdb", "numba", "numexpr", "pandas", "polars", "pyarrow.compute"}
    assert "pyarrow" in loaded
    assert loaded & heavy == set()
