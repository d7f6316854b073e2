"""The times of every number of rows as a picture: how many times as fast as the row loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from benchmarks import machine, results
from benchmarks.contest import OURS, ROW_LOOP
from benchmarks.suite import Case
from benchmarks.tasks import sizes

FILE: Final = "sizes.svg"
# ours first and thick; colours that are told apart by those who see fewer of them (Okabe and Ito)
LINES: Final = {
    OURS: ("#D55E00", 2.5),
    "batchprep_numpy": ("#E69F00", 1.0),
    "batchprep_numba": ("#CC79A7", 1.0),
    "numpy": ("#0072B2", 1.5),
    "polars": ("#009E73", 1.5),
    "by_hand": ("#000000", 1.0),
}
Points = list[tuple[int, float]]


def draw(folder: Path = results.FOLDER) -> Path | None:
    """The picture beside the results, a text file that changes only where they do.

    None where the task `sizes` has no results yet.
    """
    if not (folder / "sizes.json").is_file():
        return None
    result = results.read("sizes", folder)
    path = folder / FILE
    import matplotlib as mpl

    # Texts as texts, and names of parts that no clock and no dice decide.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sizes", "font.size": 9}):
        _figure(result).savefig(path, metadata={"Date": None})
    # Spaces before the end of a line would be refused by every check of whitespace.
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n", encoding="utf-8")
    return path


def _figure(result: dict[str, Any]) -> Any:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.subplots(1, 2, sharey=True)
    titles = sizes.CONTESTANTS.titles()
    for axis, form in zip(axes, sizes.FORMS, strict=True):
        for name, (colour, width) in LINES.items():
            points = speed_ups(result["cases"], form, name)
            x, y = zip(*points, strict=True) if points else ((), ())
            axis.plot(x, y, color=colour, linewidth=width, label=titles[name])
        axis.axhline(1, color="grey", linewidth=0.8, linestyle="--")
        axis.set(xscale="log", yscale="log", xlabel="rows")
        axis.minorticks_off()  # half of the file
        axis.set_title(f"from {sizes.WORDS[form]}")
    axes[0].set_ylabel("times as fast as the row loop")
    axes[1].legend(fontsize=7)
    where = machine.in_words(result["machine"])
    figure.suptitle(f"price x volume > 50,000, then the root; {where}", fontsize=9)
    return figure


def speed_ups(cases: list[Case], form: str, name: str) -> Points:
    """By number of rows, how many times as fast as the row loop a contestant is."""
    return [
        (case["rows"], times[ROW_LOOP]["median_seconds"] / times[name]["median_seconds"])
        for case in sorted(cases, key=lambda case: case["rows"])
        if case["labels"]["from"] == form and name in (times := case["times"])
    ]
