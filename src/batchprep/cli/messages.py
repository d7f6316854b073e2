"""Every text of the command line, built in one place."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from batchprep.api import Precompiled
from batchprep.dtypes import KINDS
from batchprep.errors.messages import KEEP_GOING, QUIET
from batchprep.errors.nearest import nearest_names
from batchprep.run.report import Report
from batchprep.run.units import rows_text

MOST_NAMES: Final = 10  # a longer list is read by nobody
# Remedies in Python, and how they are typed here.
AS_TYPED: Final = {
    KEEP_GOING: "Keep going: --on-error drop (or null) --failures failed.parquet",
    "overwrite=True": "--overwrite",
    "infer=False": "--no-infer",
    "bp.use(threads=...)": "--threads",
    'math="fast"': "--math fast",
    'compression="snappy" or "none"': "--compression snappy or none",
    QUIET: "PYTHONWARNINGS=ignore",
    'format="parquet", "csv", "ndjson" or "ipc"': "--format parquet, csv, ndjson or ipc",
    "Leave out compression=": "Leave out --compression",
    "filter_map instead of map": "filter_map, in a bp.Pipeline of your file (FILE.py:PIPELINE)",
}
_OPTION: Final = re.compile(r"\b(compression|failures)=([\"'])(\S*?)\2")
# What only Python has a name for: the ending of INPUT says the rest here.
_OF_SCAN: Final = re.compile(
    r"\b(?:pass|that|with|in) ((?:format|delimiter|encoding|schema|header)=)"
)


def no_colon_text(spec: str, names: Sequence[str]) -> str:
    """A function was given without its name."""
    text = f"{spec!r} names no function\n  Type FILE.py:FUNCTION or package.module:FUNCTION"
    return f"{text}\n  {spec} has: {_listed(names)}" if names else text


def no_file_text(file: str, near: Iterable[str]) -> str:
    """The file of a function does not exist."""
    # Without the endings, which make all names alike.
    stems = nearest_names(Path(file).stem, (Path(name).stem for name in near))
    meant = f"; nearest: {', '.join(f'{stem}.py' for stem in stems)}" if stems else ""
    return f"there is no file {file!r}{meant}"


def no_module_text(module: str) -> str:
    """The module of a function cannot be found."""
    return (
        f"there is no module {module!r}\n"
        "  A file is named with its ending: FILE.py:FUNCTION; a module must be installed, or lie "
        "below the current folder"
    )


def no_function_text(place: str, name: str, names: Sequence[str]) -> str:
    """The file has no function of that name."""
    if not names:
        return f"{place} has no {name!r}, and no function at all"
    return f"{place} has no {name!r}{_nearest(name, names) or f'; it has: {_listed(names)}'}"


def not_function_text(spec: str, found: object) -> str:
    """The name leads to something that cannot run."""
    kind = type(found).__name__
    return f"{spec} is of type {kind}: name a function of one record, or a batchprep.Pipeline"


def filter_pipeline_text(spec: str) -> str:
    """A pipeline stands where a filter is wanted."""
    return f"{spec} is a pipeline: a filter is a function of one record"


def not_with_pipeline_text(spec: str) -> str:
    """A step of the command line is to go with a whole pipeline."""
    return f"{spec} is a pipeline already; write the step into it"


def not_loaded_text(place: str, error: BaseException) -> str:
    """The file, or the module, raised while it was loaded."""
    lines = error_text(error).split("\n")
    at = _last_line(place, error)
    return "\n".join([f"{place} cannot be loaded{at}", *(f"  {line}" for line in lines)])


def _last_line(place: str, error: BaseException) -> str:
    """Where in the file: the innermost of its lines that was running."""
    frames = traceback.extract_tb(error.__traceback__)
    file = Path(place).name
    lines = [frame.lineno for frame in frames if Path(frame.filename).name == file]
    return f": line {lines[-1]}" if lines else ""


def error_text(error: BaseException) -> str:
    """The exception with its notes, without a traceback."""
    return as_typed("".join(traceback.format_exception_only(error)).rstrip())


def as_typed(text: str) -> str:
    """The same advice in the words of the command line."""
    for python, typed in AS_TYPED.items():
        text = text.replace(python, typed)
    text = _OPTION.sub(r"--\1 \3", text)
    of_scan = _OF_SCAN.search(text)
    return f"{text}\n{_not_typed_text(of_scan[1])}" if of_scan else text


def _not_typed_text(option: str) -> str:
    """A remedy that the command line has no option for."""
    return f"  No option says that here; in Python: pipe.run(bp.scan(INPUT, {option}...), OUTPUT)"


def no_column_text(name: str, names: Sequence[str]) -> str:
    """A column to keep that the input does not have."""
    near = _nearest(name, names) or f"; it has: {_listed(names)}"
    return f"the input has no column {name!r}{near}"


def stopped_text(output: str, *, written: bool) -> str:
    """Ctrl-C ended the run."""
    if written:
        return f"stopped; {output} was complete already"
    return f"stopped; {nothing_written_text(output)}"


def nothing_written_text(output: str) -> str:
    """The run ended early: what stands under the final name is what stood there before."""
    return f"nothing was written to {output}"


def failed_rows_text(report: Report, failures: str | None) -> str:
    """Rows failed, and the run went on."""
    what = f"{rows_text(report.failed_rows)} failed"
    if failures is not None or not report.failed:
        return f"{what}; see {failures}"
    first = report.failed[0]
    return (
        f"{what}; the first is row {first.row:,}: {first.type}: {first.message}\n"
        "  To keep them all: --failures failed.parquet"
    )


def no_kernel_folder_text() -> str:
    """Kernels would be gone with the process."""
    return (
        "there is no folder for kernels that this user alone can write\n"
        "  Name one: BATCHPREP_CACHE_DIR=FOLDER batchprep precompile ..."
    )


def schema_or_fields_text(*, both: bool) -> str:
    """The types come from nowhere, or from two places."""
    if both:
        return "types come from --schema or from --field, not from both"
    return (
        "of which types? Name a file that has the columns: --schema trades.parquet\n"
        "  or the fields of dicts: --field price=float --field 'volume=int|None'"
    )


def bad_field_text(field: str, kind: str | None) -> str:
    """A field without types, or with one that no field has; `kind` is that one."""
    if kind is None:
        return f"{field!r} is no field: type NAME=TYPES, such as price=float or 'note=str|None'"
    spelled = {"none": "None", "struct": "dict"}
    names = [spelled.get(name, name) for name in KINDS]
    near = _nearest(kind, names) or f"; there are: {', '.join(names)}"
    return f"{field!r}: there is no type {kind!r}{near}"


def field_twice_text(name: str) -> str:
    """A field was typed twice."""
    return f"{name!r} is named twice; type all its types at once: '{name}=int|None'"


def precompiled_text(made: Sequence[Precompiled], folder: str, seconds: float) -> str:
    """What lies on disk now, in one line."""
    kernels = [one for one in made if not one.reason]
    there = sum(one.cached for one in kernels)
    counts = f"{len(kernels)} of {len(made)} with a kernel"
    before = f", {there} had it before" if there else ""
    return f"{counts}{before}; {seconds:.1f} s; kernels lie in {folder}"


def _nearest(name: str, names: Iterable[str]) -> str:
    near = nearest_names(name, names)
    return f"; nearest: {', '.join(near)}" if near else ""


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"
