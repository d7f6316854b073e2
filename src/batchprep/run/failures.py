"""A row that fails: the note on its exception, and its line in the table of failures."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import io
import json
import linecache
import math
import os
import re
import tokenize
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, cast

from batchprep.errors.excerpt import marked_line
from batchprep.errors.messages import failure_note
from batchprep.errors.nearest import nearest_names
from batchprep.run.program import Program
from batchprep.run.report import Failure

OWN_CODE: Final = f"{Path(__file__).parents[1]}{os.sep}"
MOST_VALUES: Final = 6
LONGEST_RECORD: Final = 1_000_000  # characters of a failed record's JSON


def noted(error: Exception, record: Any, row: int, program: Program, location: str) -> Exception:
    """The row's own exception with a note; its traceback starts in the user's code.

    `location` names the file that the row was read from, "" for data in memory.
    """
    frames = _users_traceback(error.__traceback__)
    frame = _innermost(frames, program)
    fields = _fields(record)
    note = failure_note(
        row=row,
        location=location,
        traceback_frame=(*_place(frame, program), _function_name(frame, program)),
        excerpt=_excerpt(frame),
        values=_values(fields, frame, record, program),
        nearest=_nearest(error, fields),
    )
    with contextlib.suppress(Exception):  # a class may refuse new attributes
        # One and the same exception may be raised by every call.
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    return error.with_traceback(frames)


def failure(error: Exception, record: Any, row: int, program: Program) -> Failure:
    """The row's line in the table of failures."""
    file, line = _place(_innermost(_users_traceback(error.__traceback__), program), program)
    return Failure(
        row=row,
        type=type(error).__name__,
        message=_message(error),
        file=file or None,
        line=line or None,
        record=_as_json(record),
    )


def _message(error: Exception) -> str:
    try:  # Arrow and JSON hold no lone surrogates
        return str(error).encode(errors="backslashreplace").decode()
    except Exception as broken:  # noqa: BLE001  a broken __str__ must not hide the failure
        return f"<its __str__ raises {type(broken).__name__}>"


def _users_traceback(frames: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame that is not ours."""
    while frames is not None and _file(frames).startswith(OWN_CODE):
        frames = frames.tb_next
    return frames


def _innermost(frames: TracebackType | None, program: Program) -> TracebackType | None:
    """The innermost frame in the row function's own file."""
    if frames is None:
        return None
    file = program.source.file if program.source is not None else _file(frames)
    found = frames
    while frames is not None:
        found = frames if _file(frames) == file else found
        frames = frames.tb_next
    return found


def _file(frame: TracebackType) -> str:
    return frame.tb_frame.f_code.co_filename


def _place(frame: TracebackType | None, program: Program) -> tuple[str, int]:
    """File and line of a frame; those of the row function where no frame is the user's."""
    if frame is not None:
        return _file(frame), frame.tb_lineno
    source = program.source
    return ("", 0) if source is None else (source.file, source.node.lineno)


def _function_name(frame: TracebackType | None, program: Program) -> str:
    return program.name if frame is None else frame.tb_frame.f_code.co_name


def _line(frame: TracebackType | None) -> str:
    """The source line of a frame, "" where it cannot be read."""
    if frame is None:
        return ""
    return linecache.getline(_file(frame), frame.tb_lineno, frame.tb_frame.f_globals).rstrip()


def _excerpt(frame: TracebackType | None) -> str:
    line = _line(frame)
    if frame is None or not line:
        return ""
    positions = frame.tb_frame.f_code.co_positions()
    _, last, start, end = next(islice(positions, frame.tb_lasti // 2, None))
    if start is None or end is None:  # Python runs without columns
        return line.strip()
    return marked_line(
        line,
        _characters(line, start),
        _characters(line, end) if last == frame.tb_lineno else len(line),
    )


def _characters(line: str, offset: int) -> int:
    """Characters before a byte offset."""
    return len(line.encode()[:offset].decode(errors="ignore"))


def _values(
    fields: Mapping[Any, Any], frame: TracebackType | None, record: Any, program: Program
) -> dict[str, Any]:
    """The fields and the local variables that the line names; else the fields that are read."""
    line = _line(frame)
    named: dict[str, Any] = {str(name): fields[name] for name in fields if _names(line, str(name))}
    for name, value in _locals(frame, line, record):
        named.setdefault(name, value)
    if not named and program.trace is not None:
        named = {name: fields[name] for name in program.trace.reads if name in fields}
    return dict(islice(named.items(), MOST_VALUES))


def _locals(frame: TracebackType | None, line: str, record: Any) -> Iterator[tuple[str, Any]]:
    """The variables of the frame that the line names, without the record itself."""
    if frame is None:
        return
    code, values = frame.tb_frame.f_code, frame.tb_frame.f_locals
    parameters = code.co_varnames[: code.co_argcount]
    for name in _variables(line):
        # A parameter of the record's type is the record, or the copy that the function writes to.
        is_record = name in parameters and type(values.get(name)) is type(record)
        if name in values and not is_record and _tells_something(values[name]):
            yield name, values[name]


def _tells_something(value: Any) -> bool:
    """Whether a reader learns from a value's repr; an address says nothing."""
    return not callable(value) and type(value).__repr__ is not object.__repr__


def _variables(line: str) -> Iterator[str]:
    """Names of a line that are no attributes; of one line of several, as far as it can be read."""
    before = ""
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(line.strip()).readline):
            if token.type == tokenize.NAME and before != ".":
                yield token.string
            before = token.string


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
    """The record as JSON, whole up to LONGEST_RECORD: NaN and the infinities are texts there."""
    fields = _fields(record)
    content: Any = dict(fields) if fields else record
    try:
        text = _json(content)
    except ValueError:  # NaN, or a cycle
        text = _json_of_unusual(content, record)
    except (TypeError, RecursionError):  # keys that JSON does not have
        text = _json(_repr(record))
    return text if len(text) <= LONGEST_RECORD else _json(_repr(record)[:LONGEST_RECORD])


def _json(content: Any) -> str:
    text = json.dumps(content, default=_plain, ensure_ascii=False, allow_nan=False)
    return text.encode(errors="backslashreplace").decode()  # Arrow holds no lone surrogates


def _plain(value: Any) -> str:
    """A value that JSON has no form for: dates and times as ISO 8601, others by their repr."""
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return _repr(value)


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception as broken:  # noqa: BLE001  a broken __repr__ must not hide the failure
        return f"<its __repr__ raises {type(broken).__name__}>"


def _json_of_unusual(content: Any, record: Any) -> str:
    try:
        return _json(_finite(content))
    except (TypeError, ValueError, RecursionError):
        return _json(_repr(record))


def _finite(value: Any) -> Any:
    """The same with "NaN", "Infinity" and "-Infinity", for which JSON has no numbers."""
    match value:
        case float() if not math.isfinite(value):
            return json.dumps(float(value))
        case dict():
            return {_finite(k): _finite(v) for k, v in cast("dict[Any, Any]", value).items()}
        case list() | tuple():
            return [_finite(item) for item in cast("list[Any]", value)]
        case _:
            return value
