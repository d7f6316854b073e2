"""Flights look their airports up, and the airports' own names go through every format."""

import math

import airportsdata
import pytest

import batchprep as bp
from tests.endtoend import files

AIRPORTS = airportsdata.load("IATA")
PLACES = {code: (found["lat"], found["lon"]) for code, found in AIRPORTS.items()}
HIGH = 2_000  # feet
# Of the low ones only, so that Denver and a few more are not found.
ZONES = {code: found["tz"] for code, found in AIRPORTS.items() if found["elevation"] < HIGH}
MILES = 3_958.8


def miles(r):
    """Great-circle distance between the two airports, by the haversine formula."""
    south, west = PLACES[r["origin"]]
    north, east = PLACES[r["dest"]]
    rise = math.sin(math.radians(north - south) / 2) ** 2
    run = math.sin(math.radians(east - west) / 2) ** 2
    share = rise + math.cos(math.radians(south)) * math.cos(math.radians(north)) * run
    return {"dest": r["dest"], "flown": r["distance"], "miles": 2 * MILES * math.asin(share**0.5)}


def zone(r):
    return {"flight": r["flight"], "zone": ZONES[r["dest"]]}


def known_zone(r):
    found = ZONES.get(r["dest"])
    return None if found is None else {"flight": r["flight"], "zone": found}


def test_distances_by_lookup_equal_the_loop(flights, tmp_path):
    source = files.write(flights, tmp_path / "flights.csv.gz")

    bp.Pipeline().map(miles).run(source, tmp_path / "miles.parquet")

    expected = [miles(r) for r in flights.to_pylist()]
    assert files.same_rows(files.read(tmp_path / "miles.parquet", expected), expected)
    # The formula is about flights: airlines fly what the globe says, to 1 in 100.
    assert all(abs(row["flown"] / row["miles"] - 1) < 0.01 for row in expected)


def test_an_unknown_airport_is_a_failed_row(flights, tmp_path):
    records = flights.to_pylist()
    unknown = [(n, repr(r["dest"])) for n, r in enumerate(records) if r["dest"] not in ZONES]
    expected = [zone(r) for r in records if r["dest"] in ZONES]

    report = (
        bp.Pipeline(on_error="drop")
        .map(zone)
        .run(flights, tmp_path / "zones.ndjson", failures=tmp_path / "failed.ndjson")
    )

    assert 100 < len(unknown) < 1_000
    assert files.same_rows(files.read(tmp_path / "zones.ndjson", expected), expected)
    failed = files.read(tmp_path / "failed.ndjson", expected)
    assert [(row["row"], row["message"]) for row in failed] == unknown
    assert {row["type"] for row in failed} == {"KeyError"}
    assert report.stages[-1].rows_in == len(expected)


def test_filter_map_drops_what_get_does_not_find(flights, tmp_path):
    bp.Pipeline().filter_map(known_zone).run(flights, tmp_path / "zones.arrow")

    expected = [zone(r) for r in flights.to_pylist() if r["dest"] in ZONES]
    assert files.same_rows(files.read(tmp_path / "zones.arrow", expected), expected)


def test_lookups_in_two_steps_equal_one_loop(flights):
    pipe = (
        bp.Pipeline()
        .filter_map(known_zone)
        .filter(lambda r: r["zone"] != "America/New_York")
        .flat_map(lambda r: ({**r, "part": part} for part in r["zone"].split("/")))
        .drop("zone")
    )

    expected = [
        {"flight": row["flight"], "part": part}
        for row in map(known_zone, flights.to_pylist())
        if row is not None and row["zone"] != "America/New_York"
        for part in row["zone"].split("/")
    ]
    assert files.same_rows(pipe(flights).to_pylist(), expected)
    assert files.same_rows(pipe(flights.to_pylist()), expected)


@pytest.mark.parametrize("suffix", [s for s in files.SUFFIXES if ".csv" not in s])
def test_names_in_any_script_come_back_as_they_were(suffix, airports, tmp_path):
    records = airports.to_pylist()
    target = tmp_path / f"airports{suffix}"

    bp.Pipeline().filter(lambda r: r["elevation"] > 0).run(airports, target)

    expected = [r for r in records if r["elevation"] > 0]
    assert any(not r["name"].isascii() for r in expected)
    assert {r["lid"] == "" for r in expected} == {True, False}
    assert files.same_rows(files.read(target, expected), expected)
    assert files.same_rows(list(bp.scan(target)), expected)


def test_empty_texts_stay_apart_from_nulls_in_a_csv_file(airports, tmp_path):
    def low_ones(r):
        return {"iata": r["iata"], "lid": r["lid"] if r["elevation"] < 1_000 else None}

    bp.Pipeline().map(low_ones).run(airports, tmp_path / "airports.csv")

    _, *lines = (tmp_path / "airports.csv").read_text(encoding="utf-8").splitlines()
    fields = [line.split(",")[1] for line in lines]
    written = [None if text == "" else text.strip('"') for text in fields]
    expected = [low_ones(r)["lid"] for r in airports.to_pylist()]
    assert written == expected
    assert {"", None} < set(expected)


def test_names_with_commas_and_quotes_go_through_csv(airports, tmp_path):
    target = tmp_path / "airports.csv.gz"

    bp.Pipeline().select("iata", "name", "city", "lat").run(airports, target)

    expected = [{k: r[k] for k in ("iata", "name", "city", "lat")} for r in airports.to_pylist()]
    named = [{**r, "city": r["city"] or None} for r in expected]
    assert any("," in r["name"] or '"' in r["name"] for r in expected)
    assert files.same_rows(files.read(target, named), named)
