import json
import mmap
import re
import threading
from html.parser import HTMLParser
from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from batchprep.errors import Unsupported
from batchprep.run.bottleneck import find_bottleneck
from batchprep.run.peak_memory import PeakMemory
from batchprep.run.report import Failure, Report, StageReport
from batchprep.run.run_report import RunReportBuilder
from batchprep.run.units import bytes_text, duration_text, rate_text, rows_text, short_rows_text

MIB = 1024 * 1024


def program(name="map(f)", *, compiled=True, reason=""):
    unsupported = Unsupported(reason) if reason else None
    return SimpleNamespace(name=name, trace=object() if compiled else None, unsupported=unsupported)


def failed(row):
    return Failure(row, "ValueError", "bad <price>", "prep.py", 3, '{"price": null}')


def stage(kind="compute", **changes):
    given = {
        "name": kind,
        "backend": "numpy",
        "compiled": True,
        "reason": "",
        "rows_in": 100,
        "rows_out": 100,
        "deviations": {},
        "seconds": 1.0,
        "device": "cpu",
        "kind": kind,
    }
    return StageReport(**{**given, **changes})


def run_of_two_stages(**options):
    builder = RunReportBuilder(**options)
    builder.reading(0.5, 4_000_000, 100)
    first = builder.stage(program("filter(f) > map(g)"))
    second = builder.stage(program("map(h)", compiled=False, reason="h is a generator"))
    first.ran_on("numba", threads=4)
    first.deviated("division by zero", 3)
    first.batch_done(100, 80, 0.25)
    first.failed(failed(7))
    second.batch_done(80, 80, 2.0)
    second.failed(failed(9))
    second.failed(failed(2))
    builder.writing(0.125, 1_200_000)
    return builder


# ------------------------------------------------------------------------------------ what it adds


def test_run_has_its_stages_in_order_between_reading_and_writing():
    report = run_of_two_stages().build()

    assert [s.name for s in report.stages] == ["read", "filter(f) > map(g)", "map(h)", "write"]
    assert [s.kind for s in report.stages] == ["read", "compute", "compute", "write"]
    assert [s.rows_out for s in report.stages] == [100, 80, 80, 80]
    assert [s.threads for s in report.stages] == [1, 4, 1, 1]
    assert [s.bytes for s in report.stages] == [4_000_000, 0, 0, 1_200_000]
    assert (report.bytes_read, report.bytes_written) == (4_000_000, 1_200_000)
    assert (report.rows, report.rows_out) == (100, 80)


def test_reading_and_writing_add_up():
    builder = RunReportBuilder()
    for _ in range(3):
        builder.reading(0.5, 10, 4)
        builder.writing(0.25, 5, 2)
    read, write = builder.build().stages

    assert (read.seconds, read.bytes, read.rows_out) == (1.5, 30, 12)
    assert (write.seconds, write.bytes, write.rows_out) == (0.75, 15, 6)


def test_rows_that_the_source_does_not_count_are_those_of_the_first_stage():
    builder = RunReportBuilder()
    builder.reading(0.5, 10)
    builder.stage(program()).batch_done(30, 20, 0.1)
    report = builder.build()

    assert (report.rows, report.rows_out) == (30, 20)


def test_run_that_only_reads_and_writes_hands_its_rows_through():
    builder = RunReportBuilder()
    builder.reading(0.5, 10, 30)
    report = builder.build()

    assert (report.rows, report.rows_out) == (30, 30)


def test_reading_from_several_threads_loses_no_count():
    builder = RunReportBuilder()
    together = threading.Barrier(4)

    def read():
        together.wait()
        for _ in range(200):
            builder.reading(0.001, 3, 2)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    read_stage = builder.build().stages[0]

    assert (read_stage.bytes, read_stage.rows_out, read_stage.threads) == (2400, 1600, 4)
    assert read_stage.seconds == pytest.approx(0.8)


def test_failures_of_all_stages_are_kept_in_the_order_of_the_source():
    report = run_of_two_stages().build()

    assert report.failures["row"].to_pylist() == [2, 7, 9]
    assert (report.failed_rows, report.streamed) == (3, 0)


def test_failures_that_go_to_a_file_are_counted_and_not_kept():
    kept = []
    report = run_of_two_stages(keep_failure=kept.append).build()

    assert [failure.row for failure in kept] == [7, 9, 2]
    assert report.failures.num_rows == 0
    assert report.failures.schema.names == ["row", "type", "message", "file", "line", "record"]
    assert (report.failed_rows, report.streamed) == (3, 3)
    assert "3 failed" in str(report)


def test_the_clock_stands_still_after_stop():
    builder = RunReportBuilder()
    builder.stop()
    first = builder.build()
    builder.stop()

    assert builder.build().seconds == first.seconds
    assert builder.build().peak_memory == first.peak_memory


def test_row_that_ends_the_run_is_that_of_the_run_or_of_a_stage():
    builder = RunReportBuilder()
    builder.stage(program()).stopped(41)
    assert builder.build().stopped_at == 41
    assert "stopped at row 41" in str(builder.build())

    builder.stopped(17)
    assert builder.build().stopped_at == 17


# ------------------------------------------------------------------------------------ peak memory


def held(megabytes):
    """Memory that goes back to the system as soon as it is closed, every page of it touched."""
    memory = mmap.mmap(-1, megabytes * MIB)
    memory.write(b"x" * len(memory))
    return memory


def test_peak_memory_counts_what_the_run_holds_for_a_while():
    builder = RunReportBuilder()
    before = builder.build().peak_memory
    memory = held(256)
    builder.reading(0.0, 0)
    memory.close()
    after = builder.build().peak_memory

    assert after - before > 200 * MIB


def test_peak_memory_of_a_later_run_is_its_own():
    first = PeakMemory()
    memory = held(512)
    first.sample()
    memory.close()

    second = PeakMemory()
    memory = held(128)
    second.sample()
    memory.close()

    # The process's own mark stays at the first peak; that of the second run lies below it.
    assert second.peak() < first.peak() - 200 * MIB
    assert second.peak() > PeakMemory().peak() + 50 * MIB


# ------------------------------------------------------------------------------------- bottleneck


@pytest.mark.parametrize(
    ("read", "compute", "write", "activity"),
    [(3.0, 1.0, 1.0, "reading"), (1.0, 3.0, 1.0, "computing"), (1.0, 1.0, 3.0, "writing")],
)
def test_bottleneck_is_what_was_busy_longest(read, compute, write, activity):
    stages = [
        stage("read", seconds=read),
        stage("compute", seconds=compute / 2),
        stage("compute", seconds=compute / 2),
        stage("write", seconds=write),
    ]
    found = find_bottleneck(stages, 4.0)

    assert (found.activity, found.share) == (activity, 0.75)
    assert found.advice
    assert str(found).startswith(f"{activity}, busy 75% of the time: ")


def test_bottleneck_counts_each_of_several_readers_by_its_share():
    stages = [stage("read", seconds=4.0, threads=4), stage(seconds=2.0), stage("write", seconds=0)]

    assert find_bottleneck(stages, 4.0).activity == "computing"


def test_bottleneck_names_the_stage_that_runs_in_the_interpreter():
    found = run_of_two_stages().build().bottleneck

    assert found.activity == "computing"
    assert "map(h) runs in the interpreter" in found.advice


def test_more_cpus_are_not_said_to_help_what_python_runs():
    stages = [stage(name="map(g)", pieces=True)]
    advice = find_bottleneck(stages, 1.0).advice

    assert "the pieces of map(g) that Python runs" in advice
    assert "one CPU at a time" in advice
    assert "more CPUs help (" in find_bottleneck([stage()], 1.0).advice


def test_bottleneck_names_the_stage_whose_rows_deviate():
    stages = [stage(name="map(g)", deviations={"division by zero": 40})]

    assert "40 rows of map(g)" in find_bottleneck(stages, 1.0).advice


def test_share_is_never_above_all():
    assert find_bottleneck([stage(seconds=9.0)], 4.0).share == 1.0


@pytest.mark.parametrize("stages", [[], [stage(seconds=0.0)]])
def test_nothing_that_took_time_is_no_bottleneck(stages):
    assert find_bottleneck(stages, 1.0) is None


def test_call_on_data_in_memory_has_no_bottleneck_and_no_peak():
    report = Report(3, 0.5, (), (stage(),))

    assert (report.bottleneck, report.peak_memory) == (None, None)
    assert str(report) == "3 rows in 500.0 ms, 0 failed\n  compute: numpy on cpu, 1.00 s"


# ------------------------------------------------------------------------------------------ views


def fixed_report():
    return Report(
        rows=6_800_000,
        seconds=2.0,
        failed=(failed(7),),
        stages=(
            stage("read", backend="", compiled=False, bytes=1_240_000_000, seconds=1.5),
            stage(
                name="filter(<lambda>) > map(g)",
                backend="numba",
                threads=2,
                deviations={"[red]k < 0[/]": 12},
                rows_in=6_800_000,
            ),
            stage("write", backend="", compiled=False, bytes=300_000_000, seconds=0.2),
        ),
        bytes_read=1_240_000_000,
        bytes_written=300_000_000,
        peak_memory=512_000_000,
        bottleneck=find_bottleneck([stage("read", seconds=1.5)], 2.0),
    )


def test_text_says_rate_bytes_memory_and_what_to_do():
    assert str(fixed_report()) == (
        "6,800,000 rows in 2.00 s, 1 failed\n"
        "  3.4 M rows/s, read 1.2 GB, wrote 300 MB, peak memory 512 MB\n"
        "  bottleneck: reading, busy 75% of the time: Parquet instead of CSV or NDJSON, fewer "
        "columns or a faster disk help; a faster function does not\n"
        "  read: 1.2 GB, 1.50 s\n"
        "  filter(<lambda>) > map(g): numba on cpu, 2 threads, 1.00 s\n"
        "    12 rows: [red]k < 0[/]\n"
        "  write: 300 MB, 200.0 ms"
    )


def test_plain_data_is_json_and_complete():
    plain = json.loads(json.dumps(fixed_report().to_dict()))

    assert plain["bottleneck"]["activity"] == "reading"
    assert plain["bottleneck"]["share"] == 0.75
    assert (plain["bytes_read"], plain["bytes_written"]) == (1_240_000_000, 300_000_000)
    assert (plain["rows"], plain["rows_out"], plain["failed_rows"]) == (6_800_000, 100, 1)
    assert plain["peak_memory"] == 512_000_000
    assert plain["stages"][1]["threads"] == 2
    assert plain["stages"][1]["deviations"] == {"[red]k < 0[/]": 12}
    assert [s["kind"] for s in plain["stages"]] == ["read", "compute", "write"]
    assert plain["failures"][0]["message"] == "bad <price>"


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_html_is_one_table_and_escapes_every_text():
    text = fixed_report()._repr_html_()
    parser = Cells()
    parser.feed(text)

    assert parser.open == []
    assert "filter(<lambda>) > map(g)" in parser.texts
    assert "12 [red]k < 0[/]" in parser.texts
    assert set(re.findall(r"<(\w+)", text)) == {"table", "caption", "br", "tr", "th", "td"}


def test_columns_that_say_nothing_are_left_out():
    quiet = Report(3, 0.5, (), (stage(),))
    headings = re.findall(r"<th[^>]*>(.*?)</th>", quiet._repr_html_())

    assert headings == ["stage", "ran on", "rows in", "rows out", "time"]


def test_rich_table_takes_no_text_for_markup():
    out = StringIO()
    Console(file=out, width=200).print(fixed_report())

    assert "12 [red]k < 0[/]" in out.getvalue()
    assert "3.4 M rows/s, read 1.2 GB" in out.getvalue()


# ------------------------------------------------------------------------------------------ units


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (9_960, "10 kB"),
        (999_400, "999 kB"),
        (999_600, "1.0 MB"),
        (1_240_000_000, "1.2 GB"),
        (5 * 10**18, "5000 PB"),
    ],
)
def test_bytes_have_two_digits_and_a_unit(count, text):
    assert bytes_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 us"), (0.9994, "999.4 ms"), (59.994, "59.99 s"), (60, "1 min 0 s")],
)
def test_durations_have_a_unit(seconds, text):
    assert duration_text(seconds) == text


def test_rows_and_rates():
    assert (rows_text(1), rows_text(12_345)) == ("1 row", "12,345 rows")
    assert short_rows_text(12_345) == "12 k rows"
    assert rate_text(10, 0.0) == ""
    assert rate_text(0, 1.0) == ""
