"""The numbers of the performance page, printed from the committed results of `make bench`.

`python -m tests.docs.measured` puts them between their marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchmarks import machine, results, words
from benchmarks.tasks import scaling, whole_loops
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "performance.md"
OPEN, CLOSE = "<!-- measured -->\n", "<!-- /measured -->\n"
SECTION = re.compile(f"{OPEN}.*?{CLOSE}", re.DOTALL)
FIRST_CALLS = {
    "batchprep": '`backend="auto"` (NumPy at once), nothing cached',
    "batchprep_filled": '`backend="auto"` (NumPy at once), kernel on disk',
    "batchprep_numba": '`backend="numba"`, nothing cached',
    "batchprep_numba_filled": '`backend="numba"`, kernel on disk',
}
SPANS = ("import", "first", "second")


def section() -> str:
    """The marks and what stands between them."""
    found = results.read_all()
    article = found["article"]
    where = machine.in_words(article["machine"])
    lines = [
        f"`make bench` on {where}, load {article['machine']['load']} before it; medians,",
        "kernels compiled but for the first calls.",
        "",
        "| what | rows | row loop | batchprep from dicts | from Arrow |",
        "| --- | ---: | ---: | ---: | ---: |",
        *_root_value(article["cases"]),
        *_flights(found["flights"]["cases"]),
        "",
        *_loops(found.get("whole_loops")),
        *_cold(found["cold"]["cases"]),
        "",
        *_scaling(found.get("scaling")),
        *_remarks(found),
    ]
    return "\n".join([OPEN.rstrip(), *lines, CLOSE])


def _root_value(cases: list[Any]) -> Iterator[str]:
    """The loop runs over dicts in both forms, so its time is taken where the dicts are."""
    times = _by_form(cases, "sqrt")
    for rows in sorted({rows for rows, _ in times}):
        yield _line("root above 50,000", rows, times)


def _flights(cases: list[Any]) -> Iterator[str]:
    for function in dict.fromkeys(case["labels"]["function"] for case in cases):
        times = _by_form(cases, function)
        ((rows, _), *_) = times
        yield _line(f"flights, `{function}`", rows, times)


def _by_form(cases: list[Any], function: str) -> dict[tuple[int, str], Any]:
    return {
        (case["rows"], case["labels"]["from"]): case["times"]
        for case in cases
        if case["labels"]["function"] == function and case["times"]
    }


def _line(what: str, rows: int, times: dict[tuple[int, str], Any]) -> str:
    who = (("records", "row_loop"), ("records", "batchprep"), ("arrow", "batchprep"))
    seconds = [
        words.duration(times[rows, form][name]["median_seconds"]) if (rows, form) in times else ""
        for form, name in who
    ]
    return f"| {what} | {rows:,} | {' | '.join(seconds)} |"


def _loops(found: dict[str, Any] | None) -> Iterator[str]:
    """Whole loops: the loop's time over dicts that exist already, and ours in both forms."""
    if found is None:
        return
    yield "| whole loop | rows | the loop over dicts | batchprep from dicts | from Arrow |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name in dict.fromkeys(case["labels"]["loop"] for case in found["cases"]):
        cases = [case for case in found["cases"] if case["labels"]["loop"] == name]
        times = {(c["rows"], c["labels"]["from"]): c["times"] for c in cases if c["times"]}
        if times:
            yield _line(whole_loops.WORDS[name], cases[0]["rows"], times)
    yield ""


def _cold(cases: list[Any]) -> Iterator[str]:
    """Import, first and second call of a fresh process, by number of rows."""
    times = {(case["rows"], case["labels"]["span"]): case["times"] for case in cases}
    sizes = sorted({rows for rows, _ in times if all(times[rows, span] for span in SPANS)})
    yield "| fresh process, from Arrow | rows | import | first call | second call |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, what in FIRST_CALLS.items():
        for rows in sizes:
            spans = (times[rows, span][name]["median_seconds"] for span in SPANS)
            yield f"| {what} | {rows:,} | {' | '.join(map(words.duration, spans))} |"


def _scaling(found: dict[str, Any] | None) -> Iterator[str]:
    """What a second thread gains, and what Amdahl's law makes of it."""
    if found is None:
        return
    yield "| threads, from Arrow | rows | one | all | gain | serial, by report | by gain |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for case in found["cases"]:
        if case["times"]:
            seconds = [case["times"][n]["median_seconds"] for n in ("batchprep_one", "batchprep")]
            notes = case["notes"]
            shares = (notes[f"serial_share_by_{way}"] for way in ("report", "gain"))
            cells = [
                scaling.WORDS[case["labels"]["function"]],
                f"{case['rows']:,}",
                *map(words.duration, seconds),
                words.ratio(notes["gain"]),
                *(f"{share:.1%}" for share in shares),
            ]
            yield f"| {' | '.join(cells)} |"
    yield ""
    if timed := [case for case in found["cases"] if case["times"]]:
        yield from _estimates(timed)
    yield ""


def _estimates(cases: list[Any]) -> Iterator[str]:
    gains = ", ".join(_gains(case) for case in cases)
    bandwidth = words.ratio(cases[0]["notes"]["bandwidth_gain"])
    yield from words.paragraph(
        f"An estimate, not a measurement: by Amdahl's law 64 cores would gain {gains}. The first "
        "figure takes for serial what all threads did not gain here, the second only what the "
        "report counts outside of the stages. Both take bandwidth to grow with the cores: all "
        f"threads of this machine together move {bandwidth} times what one moves, which bounds the "
        "gain of whatever only moves memory."
    )


def _gains(case: Any) -> str:
    least, most = (words.ratio(case["notes"][f"gain_at_64_by_{way}"]) for way in ("gain", "report"))
    return f"{least} to {most} times for {scaling.WORDS[case['labels']['function']]}"


def _remarks(found: dict[str, Any]) -> Iterator[str]:
    (fallback,) = found["fallback"]["cases"]
    growth = found["growth"]["cases"]
    yield (
        f"A function that falls back whole takes {1 / fallback['times']['row_loop']['ratio']:.2f} "
        f"times the row loop ({fallback['rows']:,} rows)."
    )
    shown = [case for case in growth if case["labels"]["steps"] in {1, 10, 100} and case["times"]]
    grown = ", ".join(
        f"{words.duration(case['times']['batchprep']['median_seconds'])} "
        f"at {case['notes']['nodes']:,}"
        for case in shown
    )
    yield f"numba compiles longer the more operations a function has: {grown} operations."


if __name__ == "__main__":
    PAGE.write_text(SECTION.sub(section(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
