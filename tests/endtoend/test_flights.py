"""The flights from file to file equal the nested loops over their records."""

import csv
import json

import pytest

import batchprep as bp
from batchprep.cli.row_functions import delay_band, features
from tests.endtoend import files

LATE = 15


def landed(r):
    return r["arr_delay"] is not None and r["air_time"]


def leg(r):
    return {
        "month": r["month"],
        "carrier": r["carrier"],
        "tailnum": r["tailnum"],
        "flight": r["origin"] + "-" + r["dest"],
        "arr_delay": r["arr_delay"],
        "distance": r["distance"],
        "air_time": r["air_time"],
        "late": r["arr_delay"] > LATE,
    }


def gained(r):
    return r["distance"] / r["air_time"] * 60


NAMES = ("month", "flight", "tailnum", "late", "speed", "pace", "band")
LEGS = (
    bp.Pipeline()
    .filter(landed)
    .map(leg)
    .with_columns(speed=gained, pace=bp.col("air_time") * 60 / bp.col("distance"), band=delay_band)
    .select(*NAMES)
)


def legs(records):
    """The nested loops that LEGS stands for."""
    for r in records:
        if landed(r):
            row = leg(r)
            pace = row["air_time"] * 60 / row["distance"]
            row = {**row, "speed": gained(row), "pace": pace, "band": delay_band(row)}
            yield {name: row[name] for name in NAMES}


@pytest.fixture(scope="module")
def records(flights):
    return flights.to_pylist()


@pytest.fixture(scope="module")
def expected(records):
    return list(legs(records))


@pytest.mark.parametrize("suffix", files.SUFFIXES)
def test_from_any_format(suffix, flights, expected, tmp_path):
    source = files.write(flights, tmp_path / f"flights{suffix}")

    report = LEGS.run(bp.scan(source), tmp_path / "legs.parquet")

    assert files.same_rows(files.read(tmp_path / "legs.parquet", expected), expected)
    assert report.rows == flights.num_rows


@pytest.mark.parametrize("suffix", files.SUFFIXES)
def test_into_any_format_and_back(suffix, flights, expected, tmp_path):
    target = tmp_path / f"legs{suffix}"

    LEGS.run(flights, target)

    assert files.same_rows(files.read(target, expected), expected)
    assert files.same_rows(list(bp.scan(target)), expected)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_every_flight_through_parquet(all_of_them, tmp_path):
    source = files.write(all_of_them, tmp_path / "flights.parquet")
    expected = list(legs(all_of_them.to_pylist()))

    LEGS.run(source, tmp_path / "legs.parquet")

    assert len(expected) > 300_000
    assert files.same_rows(files.read(tmp_path / "legs.parquet", expected), expected)


def test_text_of_csv_as_the_dict_reader_gives_it(flights, tmp_path):
    source = files.write(flights, tmp_path / "flights.csv")

    def hours(r):
        return int(r["air_time"]) / 60 if r["air_time"] else None

    with source.open(newline="", encoding="utf-8") as lines:
        loop = [{"air_time": hours(r)} for r in csv.DictReader(lines) if r["month"] == "7"]

    pipe = bp.Pipeline().filter(lambda r: r["month"] == "7")
    pipe = pipe.map(lambda r: {"air_time": hours(r)})
    pipe.run(bp.scan(source, infer=False), tmp_path / "hours.parquet")

    assert files.same_rows(files.read(tmp_path / "hours.parquet", loop), loop)
    assert {row["air_time"] is None for row in loop} == {True, False}


def test_inferred_types_of_csv_are_those_of_the_table(flights, records, tmp_path):
    source = files.write(flights, tmp_path / "flights.csv")

    scanned = bp.scan(source)

    assert scanned.schema.types == flights.schema.types
    assert files.same_rows(list(scanned), records)


def test_a_scalar_gets_the_name_of_its_function(flights, records, tmp_path):
    bp.Pipeline().map(delay_band).run(flights, tmp_path / "bands.csv")

    expected = [{"delay_band": delay_band(r)} for r in records]
    assert files.same_rows(files.read(tmp_path / "bands.csv", expected), expected)


def failing(records, function):
    """(row, type, message) of each record whose loop raises, and the results of the others."""
    failures, results = [], []
    for number, record in enumerate(records):
        try:
            results.append(function(record))
        except Exception as error:  # noqa: BLE001  whatever the row function raises
            failures.append((number, type(error).__name__, str(error)))
    return failures, results


@pytest.mark.parametrize("suffix", [".parquet", ".ndjson", ".csv.gz"])
def test_failed_rows_are_dropped_and_kept_in_a_file(suffix, flights, records, tmp_path):
    source = files.write(flights, tmp_path / "flights.parquet")
    target = tmp_path / "failed" / f"rows{suffix}"
    target.parent.mkdir()

    def speed(r):
        return {"flight": r["flight"], "speed": r["distance"] / r["air_time"]}

    pipe = bp.Pipeline(on_error="drop").map(speed)
    report = pipe.run(source, tmp_path / "speeds.parquet", failures=target)

    failures, results = failing(records, speed)
    assert len(failures) > 100
    assert files.same_rows(files.read(tmp_path / "speeds.parquet", results), results)
    rows = list(bp.scan(target))
    assert [(row["row"], row["type"], row["message"]) for row in rows] == failures
    assert [json.loads(row["record"]) for row in rows] == [records[row["row"]] for row in rows]
    assert report.rows == flights.num_rows


def test_under_null_a_failed_row_is_a_row_of_nulls(flights, records, tmp_path):
    def speed(r):
        return {"flight": r["flight"], "speed": r["distance"] / r["air_time"]}

    pipe = bp.Pipeline(on_error="null").map(speed)
    report = pipe.run(flights, tmp_path / "speeds.parquet")

    failures, _ = failing(records, speed)
    failed = {row for row, _, _ in failures}
    empty = {"flight": None, "speed": None}
    expected = [empty if n in failed else speed(r) for n, r in enumerate(records)]
    assert files.same_rows(files.read(tmp_path / "speeds.parquet", expected), expected)
    kept = report.failures.to_pylist()
    assert [(row["row"], row["type"], row["message"]) for row in kept] == failures


def test_under_raise_nothing_is_written_and_the_row_is_named(flights, records, tmp_path):
    source = files.write(flights, tmp_path / "flights.parquet")
    (first, *_), _ = failing(records, lambda r: r["distance"] / r["air_time"])

    with pytest.raises(TypeError, match="unsupported operand") as caught:
        bp.Pipeline().map(lambda r: r["distance"] / r["air_time"]).run(
            source, tmp_path / "speeds.parquet"
        )

    assert f"row {first[0]:,}" in caught.value.__notes__[0]
    assert "flights.parquet" in caught.value.__notes__[0]
    assert [path.name for path in tmp_path.iterdir()] == ["flights.parquet"]


def by_month(flights, folder, suffix):
    months = flights["month"].to_pylist()
    for month in sorted(set(months)):
        rows = [row for row, known in enumerate(months) if known == month]
        part = flights.take(rows).drop_columns("month")
        files.write(part, folder / f"month={month}" / f"part{suffix}")


@pytest.mark.parametrize("suffix", [".parquet", ".csv.gz"])
def test_a_folder_by_month(suffix, flights, records, tmp_path):
    by_month(flights, tmp_path / "flights", suffix)

    LEGS.filter(lambda r: r["month"] in (2, 11)).run(
        bp.scan(tmp_path / "flights"), tmp_path / "legs.parquet"
    )

    # Folders are read in the order of their names: month=11 comes before month=2.
    ordered = sorted(records, key=lambda r: f"month={r['month']}")
    expected = [row for row in legs(ordered) if row["month"] in (2, 11)]
    assert files.same_rows(files.read(tmp_path / "legs.parquet", expected), expected)


def test_a_folder_of_parts_is_one_table_again(flights, expected, tmp_path):
    LEGS.run(flights, f"{tmp_path}/legs/", rows_per_file=2_500)

    parts = sorted((tmp_path / "legs").iterdir())
    sizes = [len(files.read(part, expected)) for part in parts]
    assert sizes[:-1] == [2_500] * (len(expected) // 2_500)
    assert files.same_rows(list(bp.scan(tmp_path / "legs")), expected)


def test_features_of_the_demo_equal_the_loop_in_every_container(flights, records, tmp_path):
    source = files.write(flights, tmp_path / "flights.parquet")
    pipe = bp.Pipeline().filter(landed).map(features)
    expected = [features(r) for r in records if landed(r)]

    assert files.same_rows(pipe(records), expected)
    assert files.same_rows(list(pipe(iter(records))), expected)
    for data in (flights, bp.scan(source)):
        assert files.same_rows(pipe(data).to_pylist(), expected)
    assert files.same_rows(pipe.head(7, records), expected[:7])
