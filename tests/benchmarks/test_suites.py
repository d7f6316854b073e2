import json
import math
import platform
from functools import partial

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks import article, fallback, first_calls, flights, machine, tables
from benchmarks.agreement import WrongAnswerError
from benchmarks.peers import FORMS, PEERS, ROW_LOOP, peer, runner
from benchmarks.suite import Run, Scale
from benchmarks.tasks import TASKS
from benchmarks.timing import Effort, interleaved
from benchmarks.trades import as_records, trades

ROWS = 200
ONCE = Effort(least=1, most=1, seconds=0.0)
TINY = Scale(
    rows=(ROWS,),
    effort=ONCE,
    processes=1,
    steps=(1,),
    flights=ROWS,
    fallback_rows=ROWS,
    patience=0.0,
)


def tiny_run(**options):
    return Run(TINY, lambda words: None, **options)


@pytest.mark.parametrize("name", command.SUITES)
def test_small_sizes_run(name, monkeypatch):
    monkeypatch.setattr(first_calls, "BACKENDS", ("auto",))
    monkeypatch.setattr(first_calls, "PEERS", ("numpy",))

    cases = command.SUITES[name].measure(tiny_run())

    assert json.loads(json.dumps(cases)) == cases
    assert getattr(tables, name)(cases).row_count == len(cases) > 0


def test_everyone_takes_part_in_every_task():
    cases = article.measure(tiny_run())

    assert len(cases) == len(TASKS) * len(FORMS)
    assert all(list(case["times"]) == list(PEERS) for case in cases)
    assert {case["times"]["batchprep"]["ratio"] for case in cases} == {1.0}


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("form", FORMS)
def test_a_wrong_answer_of_anyone_is_caught(name, form):
    table = trades(ROWS)
    records = as_records(table)
    expected = article.agreement.answer_of(runner(ROW_LOOP, TASKS[0], "records")(records))
    # The same question about other trades: the right kind of answer, and wrong.
    other = table.slice(1, ROWS).take([*range(1, ROWS - 1), 0, 0]).combine_chunks()
    given = as_records(other) if form == "records" or name == ROW_LOOP else other

    with pytest.raises(WrongAnswerError, match=f"{name}: .* rows differ"):
        article.checked(name, partial(runner(name, TASKS[0], form), given), expected)


def test_a_rounding_is_reported_for_peers_and_an_error_of_ours():
    expected = article.agreement.answer_of([2.0])
    rounded = partial(list, [math.nextafter(2.0, 3.0)])

    assert article.checked("numpy", rounded, expected).largest_ulp == 1
    with pytest.raises(WrongAnswerError, match="batchprep: 1 rows differ in their last bits"):
        article.checked("batchprep", rounded, expected)


def test_the_two_roots_are_two_tasks():
    records = as_records(trades(20_000))
    first, second = (runner(ROW_LOOP, task, "records")(records) for task in TASKS[:2])

    assert first != second


def test_a_wrong_fallback_is_caught(monkeypatch):
    monkeypatch.setattr(fallback, "_loop", lambda records: [0.0 for _ in records])

    with pytest.raises(WrongAnswerError, match="fallback"):
        fallback.measure(tiny_run())


def test_wrong_flights_are_caught(monkeypatch):
    monkeypatch.setattr(flights, "count_differing", lambda got, expected: 3)

    with pytest.raises(WrongAnswerError, match="gained from records: 3 rows differ"):
        flights.measure(tiny_run())


def test_a_wrong_answer_ends_the_command(monkeypatch):
    wrong = partial(lambda task: lambda data: [0.0] * len(data))
    monkeypatch.setattr(peer("numpy"), "records", wrong)
    monkeypatch.setattr(command, "QUICK", TINY)

    result = CliRunner().invoke(command.main, ["--quick", "article"])

    assert result.exit_code == 1
    assert "numpy: " in result.output


def test_results_are_kept_where_told(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "QUICK", TINY)

    result = CliRunner().invoke(
        command.main, ["--quick", "fallback", "--results", str(tmp_path)], catch_exceptions=False
    )

    assert result.exit_code == 0
    kept = json.loads((tmp_path / "fallback.json").read_text())
    assert kept["name"] == "fallback"
    assert kept["cases"][0]["rows"] == ROWS


def test_what_has_no_time_left_is_said_to_be_skipped():
    cases = article.measure(tiny_run(deadline=0.0))

    assert all(case["skipped"] for case in cases)
    assert tables.article(cases).row_count == len(cases)


def test_the_machine_has_no_name_and_no_path():
    text = json.dumps(machine.describe())

    assert platform.node() not in text
    assert "/" not in text


def test_rounds_are_interleaved():
    order = []
    # A sample of one call each: the first shows how long a call takes.
    calls = {name: partial(slow, order, name) for name in "ab"}

    samples = interleaved(calls, Effort(least=2, most=3, seconds=60.0))

    assert "".join(order) == "ab" + "ab" * 3
    assert [len(found.seconds) for found in samples.values()] == [3, 3]


def slow(order, name):
    order.append(name)
    math.fsum(range(300_000))
