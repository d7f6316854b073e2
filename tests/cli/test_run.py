import json

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import csv, parquet

from batchprep.cli import main
from tests.cli.files import TRADES, batchprep

# vars() may do anything: it is not compiled.
SLOW = "import json\ndef f(r):\n    return json.dumps(r) if vars() else ''\n"
RUN = ("run", "features.py:rate", "trades.parquet", "-o", "out.parquet")
ROOTS = [None, 100_000**0.5, None, None]


def invoke(*arguments):
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run(function, source, output, *options):
    result = invoke("run", f"features.py:{function}", source, "-o", output, *options)
    assert result.exit_code == 0, result.output
    return result


def names_in(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


def rows_of(path):
    return parquet.read_table(path).to_pylist()


# ----------------------------------------------------------------------------------- what it writes


@pytest.mark.parametrize("source", ["trades.parquet", "trades.csv"])
def test_function_over_a_file(folder, source):
    run("root_value", source, "out.parquet")

    assert rows_of("out.parquet") == [{"root_value": value} for value in ROOTS]


def test_output_format_follows_the_ending(folder):
    run("features", "trades.parquet", "out.csv")

    assert csv.read_csv("out.csv").to_pylist()[1] == {"value": 100_000.0, "day": "tuesday"}


def test_function_that_gives_dicts(folder):
    run("features", "trades.parquet", "out.parquet")

    assert rows_of("out.parquet")[1] == {"value": 100_000.0, "day": "tuesday"}


def test_pipeline_of_a_file(folder):
    run("pipe", "trades.parquet", "out.parquet")

    assert [r["day"] for r in rows_of("out.parquet")] == ["mon", "tuesday"]


def test_filters_apply_one_after_the_other(folder):
    filters = ("--filter", "features.py:is_large", "--filter", "features.py:is_monday")
    run("rate", "trades.parquet", "out.parquet", *filters)

    assert rows_of("out.parquet") == [{"rate": 2.5 / 4}]


def test_several_inputs_are_read_in_order(folder):
    csv.write_csv(TRADES.slice(1, 1), "a.csv")
    invoke("run", "features.py:root_value", "trades.csv", "a.csv", "-o", "out.parquet")

    assert [r["root_value"] for r in rows_of("out.parquet")] == [*ROOTS, ROOTS[1]]


def test_no_infer_leaves_csv_as_text(folder):
    (folder / "text.py").write_text("def f(r):\n    return r['volume']\n")
    invoke("run", "text.py:f", "trades.csv", "-o", "out.parquet", "--no-infer")

    assert [r["f"] for r in rows_of("out.parquet")] == ["4", "200", "1", "0"]


def test_unicode_paths(folder):
    target = folder / "ergebnis ü" / "größe.parquet"
    target.parent.mkdir()
    (folder / "trades.parquet").rename(folder / "data å.parquet")
    run("root_value", folder / "data å.parquet", target)

    assert [r["root_value"] for r in rows_of(target)] == ROOTS


def test_rows_per_file_makes_a_folder(folder):
    run("root_value", "trades.parquet", "parts/", "--rows-per-file", 3)

    assert sorted(p.name for p in (folder / "parts").iterdir()) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]


def test_options_reach_the_sink(folder):
    run("root_value", "trades.parquet", "out.bin", "--format", "parquet", "--compression", "gzip")
    column = parquet.ParquetFile("out.bin").metadata.row_group(0).column(0)

    assert column.compression == "GZIP"


@pytest.mark.parametrize("backend", ["python", "numpy", "numba"])
def test_backend_is_the_one_asked_for(folder, backend):
    result = run("rate", "trades.parquet", "out.parquet", "--report", "json", "--backend", backend,
                 "--filter", "features.py:is_large")  # fmt: skip
    stages = json.loads(result.stdout)["stages"]

    assert {s["backend"] for s in stages if s["kind"] == "compute"} == {backend}


# --------------------------------------------------------------------------------------- --keep


@pytest.mark.parametrize(
    ("keep", "columns"),
    [
        (["day"], ["day", "root_value"]),
        (["volume,day"], ["volume", "day", "root_value"]),
        (["volume", "day"], ["volume", "day", "root_value"]),
        (["*"], ["price", "volume", "day", "root_value"]),
    ],
)
def test_kept_columns_stand_beside_the_result(folder, keep, columns):
    run("root_value", "trades.parquet", "out.parquet", *(x for k in keep for x in ("--keep", k)))
    table = parquet.read_table("out.parquet")

    assert table.column_names == columns
    assert table["root_value"].to_pylist() == ROOTS
    assert table["day"].to_pylist() == ["mon", "tue", "mon", "wed"]


def test_kept_columns_stand_beside_the_keys_of_a_dict(folder):
    run("features", "trades.parquet", "out.parquet", "--keep", "price,day")
    table = parquet.read_table("out.parquet")

    assert table.column_names == ["price", "value", "day"]
    assert table["day"].to_pylist() == ["mon", "tuesday", "mon", "wed"]


def test_rows_without_a_result_keep_their_columns(folder):
    (folder / "some.py").write_text(
        "def f(r):\n    if r['volume'] > 3:\n        return {'twice': r['volume'] * 2, 'n': 1}\n"
    )
    done = batchprep("run", "some.py:f", *RUN[2:], "--keep", "day", folder=folder)

    assert done.returncode == 0, done.stderr
    assert rows_of("out.parquet") == [
        {"day": "mon", "twice": 8, "n": 1},
        {"day": "tue", "twice": 400, "n": 1},
        {"day": "mon", "twice": None, "n": None},
        {"day": "wed", "twice": None, "n": None},
    ]


def test_rows_without_a_result_are_refused_where_nothing_is_kept(folder):
    (folder / "some.py").write_text("def f(r):\n    return {'n': 1} if r['volume'] > 3 else None\n")
    result = invoke("run", "some.py:f", *RUN[2:])

    assert result.exit_code == 1
    assert "in a bp.Pipeline of your file (FILE.py:PIPELINE)" in result.stderr
    assert not (folder / "out.parquet").exists()


def test_fallback_beside_kept_columns_is_said_once(folder):
    (folder / "slow.py").write_text(
        SLOW.replace("(r)", "(r['day'])", 2).replace("f(r['day'])", "f(r)")
    )
    done = batchprep("run", "slow.py:f", *RUN[2:], "--keep", "price", folder=folder)

    assert done.returncode == 0
    assert done.stderr.count("FallbackWarning") == 1
    assert rows_of("out.parquet")[0] == {"price": 2.5, "f": '"mon"'}


def test_unknown_column_to_keep(folder):
    result = invoke(*RUN, "--keep", "volum")

    assert result.exit_code == 2
    assert "the input has no column 'volum'; nearest: volume" in result.stderr
    assert not (folder / "out.parquet").exists()


# --------------------------------------------------------------------------------------- failures


def test_failing_row_is_named_and_nothing_is_written(folder):
    done = batchprep(*RUN, folder=folder)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("ZeroDivisionError: float division by zero\n  row 3")
    assert "trades.parquet" in done.stderr
    assert "features.py:12 in rate" in done.stderr
    assert "price=8.0, volume=0" in done.stderr
    assert "--on-error drop" in done.stderr
    assert done.stderr.endswith("nothing was written to out.parquet\n")
    assert "Traceback" not in done.stderr
    assert names_in(folder) == ["features.py", "trades.csv", "trades.parquet"]


def test_traceback_on_request(folder):
    result = invoke(*RUN, "--traceback")

    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr


@pytest.mark.parametrize(("on_error", "rates"), [("drop", []), ("null", [None])])
def test_failing_rows_are_left_out_or_null_and_said(folder, on_error, rates):
    result = run("rate", "trades.parquet", "out.parquet", "--on-error", on_error)

    assert [r["rate"] for r in rows_of("out.parquet")] == [2.5 / 4, 2.5, 3.0, *rates]
    assert "1 row failed; the first is row 3: ZeroDivisionError" in result.stderr


def test_failed_rows_go_to_their_file(folder):
    result = run("rate", "trades.parquet", "out.parquet", "--on-error", "drop",
                 "--failures", "failed.parquet")  # fmt: skip
    (failure,) = rows_of("failed.parquet")

    assert (failure["row"], failure["type"]) == (3, "ZeroDivisionError")
    assert json.loads(failure["record"])["day"] == "wed"
    assert "1 row failed; see failed.parquet" in result.stderr


def test_cut_input_is_bad_data(folder):
    whole = (folder / "trades.parquet").read_bytes()
    (folder / "trades.parquet").write_bytes(whole[: len(whole) // 2])
    result = invoke(*RUN)

    assert result.exit_code == 1
    assert "trades.parquet" in result.stderr
    assert not (folder / "out.parquet").exists()


# ------------------------------------------------------------------------------------ wrong usage


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "features.py:rat", "trades.parquet", "-o", "o.parquet"), "nearest: rate"),
        (("run", "feature.py:rate", "trades.parquet", "-o", "o.parquet"), "nearest: features.py"),
        (("run", "features.py:rate", "trade.parquet", "-o", "o.parquet"), "trade.parquet"),
        (("run", "features.py:rate", "trades.parquet"), "-o"),
        (("run", "features.py:rate", "-o", "o.parquet"), "INPUT"),
        ((*RUN[:-1], "out.parket"), ".parquet"),
        ((*RUN[:-1], "nowhere/out.parquet"), "nowhere"),
        ((*RUN, "--compression", "zst"), "zstd"),
        ((*RUN, "--on-error", "dropp"), "drop"),
        ((*RUN, "--filter", "features.py:pipe"), "a filter is a function"),
        ((*RUN, "--failures", "failed.xyz"), "--failures"),
        ((*RUN, "--threads", "0"), "--threads"),
        (("run", "features.py:pipe", *RUN[2:], "--keep", "day"), "pipeline already"),
        (("run", "features.py:pipe", *RUN[2:], "--filter", "features.py:is_large"), "already"),
    ],
)
def test_wrong_usage_ends_with_2(folder, arguments, text):
    before = names_in(folder)
    result = invoke(*arguments)

    assert result.exit_code == 2, result.output
    assert text in result.stderr
    assert names_in(folder) == before


def test_output_that_exists_is_kept_unless_told(folder):
    (folder / "out.parquet").write_text("mine")
    result = invoke(*RUN, "--on-error", "drop")
    assert result.exit_code == 2
    assert "--overwrite" in result.stderr
    assert "overwrite=True" not in result.stderr
    assert (folder / "out.parquet").read_text() == "mine"

    assert invoke(*RUN, "--on-error", "drop", "--overwrite").exit_code == 0
    assert len(rows_of("out.parquet")) == 3


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        ((*RUN[:-1], "out.parket"), "Or pass --format parquet, csv, ndjson or ipc"),
        ((*RUN[:-1], "out.csv.gz", "--compression", "zstd"), "Leave out --compression, or"),
        ((*RUN[:-1], "out.parquet.gz"), 'Write "out.parquet" with --compression gzip'),
        ((*RUN, "--compression", "zst"), "--compression zst is not one of"),
        (
            ("run", "features.py:rate", "trades.txt", "-o", "o.csv"),
            "No option says that here; in Python: pipe.run(bp.scan(INPUT, format=...), OUTPUT)",
        ),
    ],
)
def test_a_remedy_is_what_can_be_typed(folder, arguments, typed):
    (folder / "trades.txt").write_text("a\n1\n")
    assert typed in invoke(*arguments).stderr


# ----------------------------------------------------------------------------- what it says


def test_a_pipe_gets_nothing_on_stdout_and_no_bar_on_stderr(folder):
    done = batchprep("run", "features.py:root_value", *RUN[2:], folder=folder)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_report_as_text(folder):
    result = run("root_value", "trades.parquet", "out.parquet", "--report", "text")

    assert result.stdout.startswith("4 rows in ")
    assert "\n  read: " in result.stdout
    assert "\n  write: " in result.stdout


def test_report_as_json(folder):
    result = run("root_value", "trades.parquet", "out.parquet", "--report", "json")
    report = json.loads(result.stdout)

    assert (report["rows"], report["rows_out"], report["failed_rows"]) == (4, 4, 0)
    assert report["bytes_written"] == (folder / "out.parquet").stat().st_size
    assert report["bytes_read"] > 0
    assert report["peak_memory"] > 10**6


def test_progress_on_request_without_a_terminal(folder):
    result = run("root_value", "trades.parquet", "out.parquet", "--progress")

    assert "4 rows" in result.stderr


def test_fallback_is_said_in_its_own_words(folder):
    (folder / "slow.py").write_text(SLOW)
    done = batchprep("run", "slow.py:f", *RUN[2:], folder=folder)

    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("FallbackWarning: map(f) runs in the interpreter\n")
    assert "slow.py:3" in done.stderr
    assert "cli/run.py" not in done.stderr
    assert "without the warning: PYTHONWARNINGS=ignore" in done.stderr


def test_fallback_is_not_said_where_warnings_are_off(folder):
    (folder / "slow.py").write_text(SLOW)
    done = batchprep("run", "slow.py:f", *RUN[2:], folder=folder, PYTHONWARNINGS="ignore")

    assert (done.returncode, done.stderr) == (0, "")


def test_output_is_the_same_as_that_of_the_row_loop(folder):
    rows = [{"price": float(n), "volume": n % 7 * 10_000, "day": "mon"} for n in range(1_000)]
    parquet.write_table(pa.Table.from_pylist(rows), "many.parquet")
    run("root_value", "many.parquet", "out.parquet", "--threads", 2)

    def root_value(r):
        value = r["price"] * r["volume"]
        return value**0.5 if value > 50_000 else None

    assert [r["root_value"] for r in rows_of("out.parquet")] == list(map(root_value, rows))
