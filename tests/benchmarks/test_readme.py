import shutil

import pytest

from benchmarks import machine, plot, readme, results
from benchmarks.contest import OURS
from benchmarks.tasks import sizes
from tests.benchmarks.scales import LIMIT, measured


def write(folder, *names):
    for name in names:
        results.write(folder, name, machine.describe(), LIMIT, measured(name))


def rows_of(lines):
    return [line for line in lines if line.startswith("| ")][2:]


def test_readme_has_the_numbers_of_the_committed_results():
    assert readme.section() in readme.FILE.read_text(encoding="utf-8")


def test_the_section_is_put_between_its_marks(tmp_path):
    file = tmp_path / "README.md"
    file.write_text(f"before\n{readme.OPEN}\nafter\n", encoding="utf-8")

    for _ in range(2):
        readme.rewrite(file)
        assert file.read_text(encoding="utf-8") == f"before\n{readme.section()}after\n"


def test_a_file_without_the_mark_is_refused(tmp_path):
    file = tmp_path / "README.md"
    shutil.copy(__file__, file)

    with pytest.raises(ValueError, match="needs the line <!-- numbers --> once"):
        readme.rewrite(file)


def test_the_table_of_tasks_has_a_line_for_each_that_has_results(tmp_path):
    write(tmp_path, "wide", "texts", "ingest", "assemble")
    found = results.read_all(tmp_path)

    lines = rows_of(list(readme.of_tasks(found)))

    assert len(lines) == 8
    assert lines[0].startswith("| Eight features of eight columns, Arrow | 200 | ")
    exact, fast = (found["wide"]["cases"][0]["times"][name] for name in (OURS, "batchprep_fast"))
    assert readme.words.duration(exact["median_seconds"]) in lines[0]
    assert readme.words.duration(fast["median_seconds"]) in lines[1]
    assert rows_of(list(readme.of_tasks({}))) == []


def test_the_best_of_the_others_is_named(tmp_path):
    write(tmp_path, "ingest")
    found = results.read_all(tmp_path)
    for case in found["ingest"]["cases"]:
        ours = case["times"][OURS]["median_seconds"]
        for name, times in case["times"].items():
            times["median_seconds"] = ours * (3.0 if name == "polars" else 5.0)
        case["times"][OURS]["median_seconds"] = ours

    lines = rows_of(list(readme.of_tasks(found)))

    assert all("| 5.0 | 3.0 (polars.from_dicts) |" in line for line in lines)


def test_the_table_of_files_has_a_line_for_each_job(tmp_path):
    write(tmp_path, "pipelines")
    found = results.read_all(tmp_path)

    assert len(rows_of(list(readme.of_files(found)))) == len(found["pipelines"]["cases"])


def test_the_picture_has_the_times_of_its_results(tmp_path):
    write(tmp_path, "sizes")
    cases = results.read("sizes", tmp_path)["cases"]

    for form in sizes.FORMS:
        ((rows, speed_up),) = plot.speed_ups(cases, form, "polars")[-1:]
        (times,) = (c["times"] for c in cases if c["labels"]["from"] == form and c["rows"] == rows)
        assert speed_up == times["row_loop"]["median_seconds"] / times["polars"]["median_seconds"]
    assert plot.speed_ups(cases, "arrow", "nobody") == []


def test_a_picture_is_small_and_the_same_each_time(tmp_path):
    pytest.importorskip("matplotlib")
    write(tmp_path, "sizes")

    first = plot.draw(tmp_path).read_bytes()

    assert plot.draw(tmp_path).read_bytes() == first
    assert len(first) < 60_000
    assert b"numba by hand" in first


def test_nothing_is_drawn_without_results(tmp_path):
    assert plot.draw(tmp_path) is None
