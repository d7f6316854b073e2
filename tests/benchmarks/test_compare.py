import json

import pytest
from click.testing import CliRunner

from benchmarks import compare, results
from benchmarks.compare import changes, main
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.limit import Limit
from tests.benchmarks.scales import LIMIT

MACHINE = {
    "cores": 2,
    "architecture": "x86_64",
    "cpu": "some",
    "memory_gib": 8,
    "load": 0.1,
    "python": "3.11.7",
    "versions": {},
}


def times(median, spread=0.0, samples=9):
    return {
        "median_seconds": median,
        "low_seconds": median * (1 - spread),
        "high_seconds": median * (1 + spread),
        "ratio": 1.0,
        "samples": samples,
    }


def case(rows=1_000, **contestants):
    return {"labels": {"from": "arrow"}, "rows": rows, "times": contestants, "notes": {}}


def folder(path, *cases, limit=LIMIT):
    results.write(path, "made", MACHINE, limit, list(cases))
    return path


def only(base, new):
    (change,) = changes(compare.read(str(base)), compare.read(str(new)))
    return change


def compared(tmp_path, old, new, **limits):
    base = folder(tmp_path / "base", old, limit=limits.get("old", LIMIT))
    fresh = folder(tmp_path / "new", new, limit=limits.get("new", LIMIT))
    return CliRunner().invoke(main, [str(base), str(fresh)], catch_exceptions=False)


def test_a_slower_machine_cancels_against_the_row_loop(tmp_path):
    old = case(**{OURS: times(1.0), ROW_LOOP: times(10.0)})
    new = case(**{OURS: times(3.0), ROW_LOOP: times(20.0)})

    ours, loop = changes(
        *map(compare.read, map(str, (folder(tmp_path / "a", old), folder(tmp_path / "b", new))))
    )

    assert (ours.told_in, round(ours.ratio, 6), ours.verdict) == ("row loop", 1.5, "slower")
    assert (loop.told_in, round(loop.ratio, 6)) == ("triad", 2.0)


def test_without_a_loop_times_are_told_in_triads_of_the_same_run(tmp_path):
    slow = Limit(2, *(bandwidth / 4 for bandwidth in (10e9, 12e9, 10e9, 12e9)))
    base = folder(tmp_path / "base", case(**{OURS: times(1.0)}))
    new = folder(tmp_path / "new", case(**{OURS: times(2.0)}), limit=slow)

    change = only(base, new)

    assert (change.told_in, round(change.ratio, 6), change.verdict) == ("triad", 0.5, "faster")


@pytest.mark.parametrize(
    ("median", "spread", "verdict", "code"),
    [
        (1.0, 0.0, "", 0),
        (1.04, 0.0, "", 0),  # a change, and none that matters
        (1.06, 0.0, "slower", 1),
        (1.2, 0.02, "slower", 1),
        (1.2, 0.15, "", 0),  # within the spread
        (0.9, 0.0, "faster", 0),
        (0.9, 0.1, "", 0),
    ],
)
def test_a_change_is_marked_beyond_the_spread(tmp_path, median, spread, verdict, code):
    old = case(**{OURS: times(1.0), ROW_LOOP: times(10.0)})
    new = case(**{OURS: times(median, spread), ROW_LOOP: times(10.0)})

    result = compared(tmp_path, old, new)

    assert result.exit_code == code
    assert [
        w for w in ("slower", "faster") if f" {w} " in result.output.split("batchprep:")[0]
    ] == ([verdict] if verdict else [])


def test_quartiles_of_both_runs_and_of_both_loops_count(tmp_path):
    base = folder(tmp_path / "a", case(**{OURS: times(1.0, 0.1), ROW_LOOP: times(4.0, 0.2)}))
    new = folder(tmp_path / "b", case(**{OURS: times(2.0, 0.1), ROW_LOOP: times(4.0, 0.2)}))

    change, _ = changes(compare.read(str(base)), compare.read(str(new)))

    assert change.ratio == pytest.approx(2.0)
    assert change.least == pytest.approx((1.8 / 4.8) / (1.1 / 3.2))
    assert change.most == pytest.approx((2.2 / 3.2) / (0.9 / 4.8))


def test_a_triad_that_is_not_steady_is_a_spread(tmp_path):
    shaken = LIMIT.against(Limit(2, 8e9, 12e9, 10e9, 12e9))
    base = folder(tmp_path / "base", case(**{OURS: times(1.0)}))
    new = folder(tmp_path / "new", case(**{OURS: times(1.2)}), limit=shaken)

    change = only(base, new)

    assert shaken.steadiness == 0.8
    assert (change.verdict, round(change.least, 6), round(change.most, 6)) == ("", 0.96, 1.5)
    assert only(base, folder(tmp_path / "calm", case(**{OURS: times(1.2)}))).verdict == "slower"


def test_two_samples_have_a_spread_all_the_same(tmp_path):
    old = case(**{OURS: times(1.0, samples=2), ROW_LOOP: times(10.0)})
    new = case(**{OURS: times(1.2, samples=2), ROW_LOOP: times(10.0)})

    assert compared(tmp_path, old, new).exit_code == 0


def test_a_peer_that_is_slower_is_shown_and_no_fault(tmp_path):
    old = case(**{OURS: times(1.0), "polars": times(1.0), ROW_LOOP: times(10.0)})
    new = case(**{OURS: times(1.0), "polars": times(2.0), ROW_LOOP: times(10.0)})

    result = compared(tmp_path, old, new)

    assert result.exit_code == 0
    assert "polars" in result.output


def test_cases_that_are_gone_are_told(tmp_path):
    both = case(**{OURS: times(1.0)})
    base = folder(tmp_path / "base", both, case(rows=5, **{OURS: times(1.0)}))
    new = folder(tmp_path / "new", both, {**case(rows=5), "skipped": "time is up"})

    result = CliRunner().invoke(main, [str(base), str(new)])

    assert result.exit_code == 0
    assert "made: 1 of 2 cases are in the base only" in result.output


def test_what_cannot_be_compared_is_code_2_and_says_why(tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    (old / "made.json").write_text(json.dumps({"name": "made", "cases": []}))
    new = folder(tmp_path / "new", case(**{OURS: times(1.0)}))
    other = folder(tmp_path / "other", case(rows=7, **{OURS: times(1.0)}))

    for base, words in (
        (old, "made: format 1, this is 2"),
        (other, "no case in common"),
        (tmp_path / "nowhere", "neither a folder nor a git ref"),
    ):
        result = CliRunner().invoke(main, [str(base), str(new)])
        assert result.exit_code == 2
        assert words in result.output


def test_a_commit_is_a_base_too(tmp_path, monkeypatch):
    texts = {"made.json": (folder(tmp_path, case(**{OURS: times(1.0)})) / "made.json").read_text()}

    def git(command, *arguments):
        if command == "ls-tree":
            return "benchmarks/results/made.json\nbenchmarks/results/sizes.svg\n"
        return texts[arguments[0].rpartition("/")[2]]

    monkeypatch.setattr(compare, "_git", git)

    assert list(compare.read("some-ref")) == ["made"]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"times": {OURS: times(0.0)}}, "seconds 0.0, 0.0, 0.0"),
        ({"times": {}}, "neither skipped nor timed"),
        ({"rows": 0}, "rows"),
        ({"labels": {"from": 1.5}}, "labels"),
    ],
)
def test_a_result_of_another_shape_is_refused(tmp_path, broken, words):
    with pytest.raises(results.FormatError, match=words):
        folder(tmp_path, {**case(**{OURS: times(1.0)}), **broken})


def test_two_cases_that_nothing_tells_apart_are_refused(tmp_path):
    with pytest.raises(results.FormatError, match="two cases of the same labels and rows"):
        folder(tmp_path, case(**{OURS: times(1.0)}), case(**{OURS: times(2.0)}))
