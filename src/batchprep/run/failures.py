"""A row that fails: the note on its exception, and its line in the table of failures."""

from __future__ import annotations

import dataclasses
import json
import re
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, cast

from batchprep.errors.excerpt import marked_line
from batchprep.errors.messages import failure_note
from batchprep.errors.nearest import nearest_names
from batchprep.run.program import Options, Program
from batchprep.run.report import Failure

OWN_CODE: Final = str(Path(__file__).parents[1])
MOST_VALUES: Final = 6


def noted(error: Exception, record: Any, row: int, program: Program, options: Options) -> Exception:
    """The row's own exception with a note; its traceback starts in the user's code."""
    frames = _users_traceback(error.__traceback__)
    place = _place(frames, program)
    fields = _fields(record)
    error.add_note(
        failure_note(
            row=row,
            location=options.location,
            traceback_frame=(place.filename, place.lineno or 0, place.name),
            excerpt=_excerpt(place),
            values=_values(fields, place.line or "", program),
            nearest=_nearest(error, fields),
        )
    )
    return error.with_traceback(frames)


def failure(error: Exception, record: Any, row: int, program: Program) -> Failure:
    """The row's line in the table of failures."""
    place = _place(_users_traceback(error.__traceback__), program)
    return Failure(
        row=row,
        type=type(error).__name__,
        message=str(error),
        file=place.filename or None,
        line=place.lineno or None,
        record=_as_json(record),
    )


def _users_traceback(frames: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame that is not ours."""
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(OWN_CODE):
        frames = frames.tb_next
    return frames


def _place(frames: TracebackType | None, program: Program) -> traceback.FrameSummary:
    """The innermost frame in the row function's own file."""
    stack = traceback.extract_tb(frames)
    if not stack:
        file, line = _definition(program)
        return traceback.FrameSummary(file, line, program.name, lookup_line=False, line="")
    file = program.source.file if program.source is not None else stack[0].filename
    return next((frame for frame in reversed(stack) if frame.filename == file), stack[0])


def _definition(program: Program) -> tuple[str, int]:
    if program.source is None:
        return "", 0
    return program.source.file, program.source.node.lineno


def _excerpt(place: traceback.FrameSummary) -> str:
    line = _whole_line(place)
    if not line.strip():
        return ""
    start, end = getattr(place, "colno", None), getattr(place, "end_colno", None)
    if start is None or end is None:
        return line.strip()
    last = getattr(place, "end_lineno", place.lineno)
    raw = line.encode()
    return marked_line(
        line,
        len(raw[:start].decode(errors="ignore")),
        len(raw[:end].decode(errors="ignore")) if last == place.lineno else len(line),
    )


def _whole_line(place: traceback.FrameSummary) -> str:
    """The line with its indentation, which `line` has lost."""
    original = getattr(place, "_original_line", None)
    return (original or place.line or "").rstrip("\n")


def _values(fields: Mapping[Any, Any], line: str, program: Program) -> dict[str, Any]:
    """The fields that the line names; if it names none, those that the function reads."""
    named = [name for name in fields if _names(line, str(name))]
    if not named and program.trace is not None:
        named = [name for name in program.trace.reads if name in fields]
    return {str(name): fields[name] for name in named[:MOST_VALUES]}


def _names(line: str, name: str) -> bool:
    return re.search(rf"""(["']){re.escape(name)}\1|\.{re.escape(name)}\b""", line) is not None


def _nearest(error: Exception, fields: Mapping[Any, Any]) -> tuple[str, ...]:
    match error:
        case KeyError(args=(str(name),)) if name not in fields:
            return nearest_names(name, fields)
        case AttributeError(name=str(name)) if name not in fields:
            return nearest_names(name, fields)
        case _:
            return ()


def _fields(record: Any) -> Mapping[Any, Any]:
    """The record's fields by name; none where it is no record."""
    if isinstance(record, Mapping):
        return record
    if isinstance(record, tuple) and hasattr(record, "_asdict"):
        return cast("Any", record)._asdict()
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return dict(_attributes(record))
    return {}


def _attributes(record: Any) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(record):
        if hasattr(record, field.name):
            yield field.name, getattr(record, field.name)


def _as_json(record: Any) -> str:
    fields = _fields(record)
    try:
        return json.dumps(dict(fields) if fields else record, default=repr, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):  # keys that JSON does not have, cycles
        return json.dumps(repr(record))
