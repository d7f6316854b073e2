"""Every text that a user reads when something goes wrong, built in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from os import PathLike
from typing import Final

from batchprep.errors import Unsupported
from batchprep.errors.excerpt import short_path, span_excerpt
from batchprep.errors.nearest import nearest_names

LONGEST_VALUE: Final = 60  # characters of a value's repr
KEEP_GOING: Final = 'Keep going: on_error="null" (failed rows are then in report().failures)'
QUIET: Final = 'on_unsupported="ignore"'
WRAP_IT: Final = "Write a function that calls it"
CLASS_INSIDE: Final = (
    "Make a constant of it above the function, or a helper with @bp.pure above it that calls it."
)
ACCEPTED: Final = (
    "a list or an iterator of records (dicts, dataclass instances, named tuples),\n"
    "  an Arrow, pandas or polars table, a Batch, or one record"
)


def failure_note(
    *,
    row: int,
    location: str,
    traceback_frame: tuple[str, int, str],
    excerpt: str,
    values: Mapping[str, object],
    nearest: Sequence[str] = (),
) -> str:
    """The note on a failing row's own exception: where it failed and with which values.

    `row` counts from 0, so that records[row] is the record. `location` names the data source
    ("" for data in memory), `traceback_frame` is (file, line, function), `excerpt` the source
    line with its carets (errors.excerpt.marked_line), "" where there is no source.
    """
    file, line, function = traceback_frame
    source = f" of {location}" if location else ""
    place = f", {short_path(file)}:{line}" if file else ""
    lines = [f"  row {row:,}{source}{place} in {function}"]
    lines += _indented(excerpt, 6)
    if values:
        lines.append(f"  {', '.join(f'{k}={short_repr(v)}' for k, v in values.items())}")
    if nearest:
        lines.append(f"  nearest names: {', '.join(nearest)}")
    lines.append(f"  {KEEP_GOING}")
    return "\n".join(lines)


def fallback_text(name: str, verdict: Unsupported) -> str:
    """What FallbackWarning says: which function, where, why, and what to write instead."""
    lines = [f"{name} runs in the interpreter", *verdict_lines(verdict)]
    lines.append(f"  To run it like this without the warning: {QUIET}")
    return "\n".join(lines)


def unsupported_text(name: str, verdict: Unsupported) -> str:
    """What is raised under on_unsupported="raise"."""
    return "\n".join([f"{name} cannot be compiled", *verdict_lines(verdict)])


def verdict_lines(verdict: Unsupported) -> list[str]:
    """The place with its carets, the reason and the hint, indented by two."""
    lines: list[str] = []
    if verdict.span is not None:
        place = f"  {short_path(verdict.span.file)}:{verdict.span.line}"
        excerpt = span_excerpt(verdict.span)
        if excerpt:
            first, *rest = excerpt.split("\n")
            lines.append(f"{place}      {first}")
            lines += _indented("\n".join(rest), len(place) + 6)
        else:
            lines.append(place)
    lines += _indented(verdict.reason, 2)
    lines += _indented(hint_of(verdict), 2)
    return lines


def hint_of(verdict: Unsupported) -> str:
    """What to write instead, "" where nothing simple helps.

    To write a function that calls it is advice for what was handed over, not for a call inside of
    the row function, which does just that.
    """
    if verdict.span is None or not verdict.hint.startswith(WRAP_IT):
        return verdict.hint
    return CLASS_INSIDE if "is a class" in verdict.reason else ""


def bad_option_text(name: str, value: object, allowed: Iterable[object]) -> str:
    """An option has a value that it cannot have."""
    choices = list(allowed)
    lines = [f"{name}={value!r} is not one of {', '.join(map(repr, choices))}"]
    close = nearest_names(value, choices)
    if close:
        lines.append(f"  nearest: {', '.join(map(repr, close))}")
    return "\n".join(lines)


def bad_value_text(name: str, value: object, wanted: str) -> str:
    """An argument is of the right type, but out of range."""
    return f"{name}={short_repr(value)}\n  {name} takes {wanted}"


def type_name_text(name: str, value: str) -> str:
    """explain() got the name of a type where it takes the type."""
    return (
        f"{name!r}: {value!r} is a text, not a type\n"
        f"  Write {{{name!r}: {value}}}, without quotes, or pass a list of records"
    )


def bad_type_text(name: str, value: object, wanted: str) -> str:
    """An argument is not of the type that it must have."""
    return f"{name}={short_repr(value)} is of type {type_name(value)}\n  {name} takes {wanted}"


def not_records_text(name: str, data: object) -> str:
    """A vectorized function was called on something that holds no records."""
    what = f"{short_repr(data)}, of type {type_name(data)}"
    text = f"{name} was called on {what}, which holds no records\n  It takes {ACCEPTED}"
    if isinstance(data, (str, PathLike)):
        text = f"{text}\n  Files: {name}(bp.scan({str(data)!r}))"
    return text


def no_schema_text(name: str) -> str:
    """explain() without data, before any call."""
    return (
        f"{name} has seen no data yet, so its fields have no kinds\n"
        f"  Pass records, an Arrow table, a pyarrow.Schema or "
        f'{{"price": float, "volume": int}} to explain()'
    )


def no_records_text(name: str, doing: str = "explaining {} on") -> str:
    """explain() on no records, or something else that asks for kinds."""
    return (
        f"{doing.format(name)} no records: its fields have no kinds\n"
        f"  Pass some records, an Arrow table, a pyarrow.Schema or "
        f'{{"price": float, "volume": int}}'
    )


def precompile_iterator_text(name: str) -> str:
    """precompile() on an iterator."""
    return (
        f"precompiling {name} for an iterator would use up its first records\n"
        f'  Pass a list of some records, or {{"price": float, "volume": int}}'
    )


def explain_iterator_text(name: str) -> str:
    """explain() on an iterator."""
    return (
        f"explaining {name} on an iterator would use up its first records\n"
        f'  Pass a list of some records, or {{"price": float, "volume": int}}'
    )


def no_report_text(name: str) -> str:
    """report() before any call in this thread."""
    return f"{name} has not run in this thread, so there is no report\n  Call it on data first"


def missing_package_text(package: str, extra: str, purpose: str) -> str:
    """An optional package is not installed."""
    return f"{purpose} needs {package}\n  Type: pip install 'batchprep[{extra}]'"


def missing_module_text(module: str, purpose: str) -> str:
    """A package that no extra brings is not installed."""
    return f"{purpose} needs {module}\n  Type: pip install {module}"


def differing_text(rows: int) -> str:
    """The demo found results that are not the row loop's."""
    return f"{rows:,} results differ from those of the row loop: please report it as a fault"


def few_codes_text(count: int, dtype: str) -> str:
    """A dictionary type has fewer codes than there are distinct values."""
    return (
        f"{count:,} distinct values are more than {dtype} can number\n"
        "  Pass a wider index type, for example returns=pyarrow.dictionary(pyarrow.int32(), ...)"
    )


def union_text(name: str, kinds: Sequence[str], path: str, target: str) -> str:
    """Results of several kinds cannot become a column of the target."""
    where = f" at {path}" if path else ""
    if path.startswith("[]"):
        where = " inside its lists"
    return (
        f"{name} gives values of several kinds{where} ({', '.join(kinds)}), "
        f"which no {target} column holds\n"
        f"  Give one kind (for example str(...) on each path), or call {name} on records"
    )


def misfit_advice(value: object, *, declared: bool) -> str:
    """What to do where a value does not fit the type of its result column.

    >>> from http import HTTPStatus
    >>> misfit_advice(HTTPStatus.OK, declared=False)
    'Give its .value or .name, or call the function on a list of records'
    """
    if isinstance(value, Enum):
        return "Give its .value or .name, or call the function on a list of records"
    if hasattr(value, "__dataclass_fields__") or hasattr(value, "_asdict"):
        return "Give a dict of its fields, or call the function on a list of records"
    if declared:
        return "Declare a type that holds it, or call the function on a list of records"
    return "Pass the type to hold it as returns=, or call the function on a list of records"


def short_repr(value: object) -> str:
    """The repr, cut in the middle at 60 characters, on one line."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  a broken __repr__ must not hide the failure
        text = f"<{type_name(value)}, whose repr raises {type(error).__name__}>"
    text = text.replace("\n", "\\n")
    if len(text) <= LONGEST_VALUE:
        return text
    head, tail = LONGEST_VALUE - 3 - 15, 15
    return f"{text[:head]}...{text[-tail:]}"


def type_name(value: object) -> str:
    """The name of the value's type, with its module unless it is a builtin."""
    kind = type(value)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def _indented(text: str, by: int) -> list[str]:
    return [f"{' ' * by}{line}".rstrip() for line in text.split("\n")] if text else []
