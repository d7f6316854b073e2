"""Files and notebooks as units; nothing of them is executed."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from batchprep.errors.excerpt import short_path
from batchprep.lint import messages
from batchprep.lint.finding import Place, Problem
from batchprep.lint.suppressed import suppressed_lines
from batchprep.lint.unit import Segment, Unit
from batchprep.rowfn.recompile import quietly

LONGEST: Final = 2_000_000  # characters of code; what is longer was generated
LARGEST: Final = 100_000_000  # bytes of a notebook, which holds its pictures
MAGIC: Final = re.compile(r"\s*[%!?]|.*\?\s*$|\w+\s*=\s*[%!]")
SOURCE_BEGINS: Final = '"source": ['  # in a notebook as Jupyter writes it
OTHER_LANGUAGE: Final = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b)")


class Unreadable(Exception):  # noqa: N818  it is what became of a file
    """A file or cell that cannot be looked through; `line` and `column` count from 1."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        """Keep the message and its place."""
        super().__init__(message)
        self.line = line
        self.column = column


def read(path: Path) -> tuple[Unit | None, list[Problem]]:
    """The unit of a file and what could not be read of it."""
    # Bytes that are no text in a name are shown as such, so that any terminal takes them.
    shown = short_path(str(path)).encode(errors="surrogateescape").decode(errors="replace")
    try:
        data = _bytes(path)
        if path.suffix == ".ipynb":
            return _notebook(shown, data)
        return _module(shown, _decoded(data)), []
    except Unreadable as error:
        return None, [_problem(shown, 0, error, error.line)]


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise Unreadable(messages.no_file_text(exists=path.exists()))
        if path.stat().st_size > LARGEST:
            raise Unreadable(messages.too_large_text(path.stat().st_size))
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(messages.os_error_text(error)) from error


def _decoded(data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding, newline="").read()
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise Unreadable(messages.not_text_text(error), _line_of(data, error)) from error


def _line_of(data: bytes, error: Exception) -> int:
    start = error.start if isinstance(error, UnicodeDecodeError) else 0
    return data[:start].count(b"\n") + 1


def _module(shown: str, text: str) -> Unit:
    text = text.removeprefix("\ufeff")
    lines = _lines(text)
    segment = Segment(1, lines)
    return Unit(shown, lines, _parsed(text), (segment,), suppressed_lines(text))


def _lines(text: str) -> tuple[str, ...]:
    """The lines that Python counts: a form feed or U+2028 ends none."""
    return tuple(re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text))


def _parsed(text: str) -> ast.Module:
    if len(text) > LONGEST:
        raise Unreadable(messages.too_long_text(len(text)))
    try:
        with quietly():
            return ast.parse(text)
    except SyntaxError as error:
        raise Unreadable(
            messages.syntax_text(error), error.lineno or 1, error.offset or 1
        ) from error
    except ValueError as error:  # null bytes
        raise Unreadable(messages.not_python_text(error)) from error
    except (RecursionError, MemoryError) as error:
        raise Unreadable(messages.TOO_DEEP) from error


# -------------------------------------------------------------------------------------- notebooks


def _notebook(shown: str, data: bytes) -> tuple[Unit, list[Problem]]:
    texts = _cell_texts(data)
    raw = _RawLines(data)
    problems: list[Problem] = []
    segments: list[Segment] = []
    code: list[str] = []
    for number, text in texts:
        lines = _lines(text if text.endswith("\n") else f"{text}\n")
        segment = Segment(len(code) + 1, lines, number, raw.of(lines))
        segments.append(segment)
        try:
            plain = _python_of(lines)
            _parsed("".join(plain))
        except Unreadable as error:
            plain = tuple("\n" for _ in lines)
            at = segment.raw_lines[error.line - 1] if error.line <= len(segment.raw_lines) else 0
            problems.append(_problem(shown, number, error, at))
        code += plain
    whole = "".join(code)
    tree = _parsed(whole)
    unit = Unit(shown, tuple(code), tree, tuple(segments), suppressed_lines(whole))
    return unit, problems


def _problem(shown: str, cell: int, error: Unreadable, raw_line: int) -> Problem:
    line, column = error.line, error.column
    return Problem(Place(shown, cell, line, column, line, column, raw_line), str(error))


def _cell_texts(data: bytes) -> Iterator[tuple[int, str]]:
    """(number, text) of each code cell."""
    try:
        notebook = json.loads(data)
        cells = notebook["cells"]
        kinds = [(cell["cell_type"], cell["source"]) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable(messages.not_notebook_text(error), getattr(error, "lineno", 1)) from error
    for number, (kind, source) in enumerate(kinds, start=1):
        if kind == "code":
            yield number, source if isinstance(source, str) else "".join(map(str, source))


def _python_of(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of a cell; those for IPython or the shell become blank, or `pass` in a block."""
    if lines and OTHER_LANGUAGE.match(lines[0]):
        return tuple("\n" for _ in lines)
    return tuple(_without_magic(line) if MAGIC.match(line) else line for line in lines)


def _without_magic(line: str) -> str:
    if line.lstrip().startswith(("%", "!", "?")):
        return f"{line[: len(line) - len(line.lstrip())]}pass\n"
    # A `?` may stand at the end of a comment or in a text too, and `x = %magic` binds a name.
    head, equals, tail = line.partition("=")
    if equals and tail.lstrip().startswith(("%", "!")):
        return f"{head}= None\n"
    return "pass\n" if re.fullmatch(r"[\w.]+\?{1,2}\s*", line) else line


class _RawLines:
    """Finds the lines of cells in the notebook's own text, where each stands on a line."""

    def __init__(self, data: bytes) -> None:
        text = data.decode(errors="replace").split("\n")
        self._lines = [line.strip().removesuffix(",") for line in text]
        self._next = 0

    def of(self, lines: Sequence[str]) -> tuple[int, ...]:
        """Their numbers from 1; none where the notebook is laid out in another way."""
        start = self._begin(lines[0]) if lines else None
        for number, line in enumerate(lines):
            if start is None or not self._stands(start + number, line):
                self._lines = []  # this notebook has no lines to name
                return ()
        if start is None:
            return ()
        self._next = start + len(lines)
        return tuple(range(start + 1, start + len(lines) + 1))

    def _begin(self, first: str) -> int | None:
        for at in range(self._next, len(self._lines)):
            if self._lines[at - 1] == SOURCE_BEGINS and self._stands(at, first):
                return at
        return None

    def _stands(self, at: int, line: str) -> bool:
        if at >= len(self._lines):
            return False
        texts = (line, line.removesuffix("\n"))
        return any(
            json.dumps(text, ensure_ascii=ascii_only) == self._lines[at]
            for text in texts
            for ascii_only in (True, False)
        )
