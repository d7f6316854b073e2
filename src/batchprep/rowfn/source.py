"""The source of a row function: the AST node that its code object was compiled from.

Lines and names do not identify a function: two lambdas may share a line, and a file may have been
edited since. So a candidate is compiled again, in its surroundings, and must give the same code.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import sysconfig
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from batchprep.errors import Span, Unsupported
from batchprep.errors.excerpt import marked_line
from batchprep.rowfn.recompile import (
    Candidate,
    FunctionNode,
    compiled,
    first_line,
    quietly,
    same_code,
)

PARSED_FILES = 16
NOT_PLAIN = {
    inspect.CO_GENERATOR: "a generator",
    inspect.CO_COROUTINE: "a coroutine function",
    inspect.CO_ASYNC_GENERATOR: "an asynchronous generator",
}
# The second is what parts of Python's own library are called that it holds as compiled code only.
LIBRARIES: Final = (
    *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")),
    "<frozen ",
)


def is_library(file: str) -> bool:
    """Whether a file belongs to Python's own library or to an installed package."""
    return file.startswith(LIBRARIES)


@dataclass(frozen=True)
class FunctionSource:
    """A function's AST node and the text around it."""

    node: ast.FunctionDef | ast.Lambda
    file: str
    lines: tuple[str, ...]
    function: str

    def span(self, node: ast.AST) -> Span:
        """Where a node stands, or where the function stands if the node has no place."""
        placed = cast("ast.expr", node if getattr(node, "end_lineno", None) else self.node)
        end_line, end_offset = placed.end_lineno or placed.lineno, placed.end_col_offset or 0
        return Span(
            self.file,
            placed.lineno,
            _column(self._line(placed.lineno), placed.col_offset),
            end_line,
            _column(self._line(end_line), end_offset),
            self.function,
        )

    def excerpt(self, span: Span) -> str:
        """The first line of a span, with carets below it as in Python's tracebacks."""
        line = self._line(span.line).rstrip()
        end = span.end_column if span.end_line == span.line else len(line)
        return marked_line(line, span.column, end)

    def _line(self, number: int) -> str:
        # CPython 3.11 places nodes inside multi-line f-strings beyond the file.
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


class Call:
    """A callable taken apart: calling it is `function(*args, *more, **{**keywords, **others})`."""

    # No dataclass: as a class-level field, a function reads as a bound method to type checkers.
    __slots__ = ("args", "function", "keywords")

    def __init__(
        self,
        function: types.FunctionType,
        args: tuple[object, ...] = (),
        keywords: Mapping[str, object] = types.MappingProxyType({}),
    ) -> None:
        self.function = function
        self.args = args
        self.keywords = keywords


def find_source(function: types.FunctionType, *, plain: bool = True) -> FunctionSource:
    """The node that a function was compiled from, compared code object to code object.

    Errors:  Unsupported if there is no source, if it changed, or, where a plain function is
             wanted, for generators and coroutines
    """
    code, name = function.__code__, function_name(function)
    place = Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0, name)
    for flag, what in NOT_PLAIN.items():
        if plain and code.co_flags & flag:
            reason = f"{name} is {what}"
            raise Unsupported(reason, place, "Write a function that returns its row.")
    lines: tuple[str, ...] = ()
    for lines in _texts(function):
        node = _node_of(code, lines)
        if node is not None:
            return FunctionSource(node, code.co_filename, lines, name)
    # From CPython 3.13 on, the text of `python -c` is there: of exec and eval there is none.
    if lines and code.co_filename != "<string>":
        raise _mismatch(code, name, place, lines)
    raise _no_source(code, name, place)


def function_name(function: types.FunctionType) -> str:
    """The name of a function for messages: `clean`, `Orders.clean` or `<lambda>`."""
    return function.__qualname__.rpartition("<locals>.")[2]


# --------------------------------------------------------------------------------- text of the file


def _texts(function: types.FunctionType) -> Iterator[tuple[str, ...]]:
    """The lines that linecache holds, then, if the file is newer, those on disk."""
    code = function.__code__
    seen = tuple(linecache.getlines(code.co_filename, function.__globals__))
    if not seen and (registered := getattr(linecache, "_getlines_from_code", None)):
        seen = tuple(registered(code))  # the interactive prompt of CPython 3.13
    if seen:
        yield seen
    linecache.checkcache(code.co_filename)
    fresh = tuple(linecache.getlines(code.co_filename, function.__globals__))
    if fresh and fresh != seen:
        yield fresh


def _no_source(code: types.CodeType, name: str, place: Span) -> Unsupported:
    file, hint = code.co_filename, "Define it in a file or a notebook."
    if file == "<stdin>":
        reason = f"{name} was typed at the interactive prompt or piped into Python"
    elif file == "<string>":
        reason = f"{name} was made by exec, eval or python -c, which keep no text"
    elif file.startswith("<"):
        reason = f"{name} was generated by {file}, which keeps no text"
    elif Path(file).exists():
        reason = f"{file} cannot be read as Python text"
    else:
        reason, hint = f"{file} does not exist here", "Ship the .py file beside the compiled one."
    return Unsupported(f"no source: {reason}", place, hint)


def _mismatch(code: types.CodeType, name: str, place: Span, lines: tuple[str, ...]) -> Unsupported:
    if any(variable.startswith("@py_") for variable in code.co_varnames):
        reason = f"pytest rewrote the assert statements of {name}"
        return Unsupported(reason, place, "Move the assert out of the row function.")
    if _parsed(lines) is None:
        return Unsupported(f"the source of {name} cannot be parsed as Python", place)
    reason = f"the source of {name} has changed since it was loaded"
    return Unsupported(reason, place, "Reload its module or restart Python.")


# --------------------------------------------------------------------------- candidates in the tree


@dataclass(frozen=True)
class _Parsed:
    """The functions of a file by first line, its statements and the imports among them."""

    functions: Mapping[int, Sequence[Candidate]]
    statements: tuple[ast.stmt, ...]
    imports: tuple[ast.stmt, ...]


@functools.lru_cache(maxsize=PARSED_FILES)
def _parsed(lines: tuple[str, ...]) -> _Parsed | None:
    """The file taken apart; None if it is not Python."""
    try:
        with quietly():
            tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions: dict[int, list[Candidate]] = {}
    for statement in tree.body:
        for candidate in _functions_in(statement):
            functions.setdefault(first_line(candidate.node), []).append(candidate)
    statements = (s for s in tree.body if not _is_future(s))
    return _Parsed(functions, tuple(statements), tuple(_module_imports(tree)))


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _module_imports(tree: ast.Module) -> Iterator[ast.stmt]:
    stack: list[ast.AST] = list(tree.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            if not _is_future(node):
                yield node
        elif not isinstance(node, FunctionNode | ast.ClassDef | ast.expr):
            stack.extend(ast.iter_child_nodes(node))


def _functions_in(statement: ast.stmt) -> Iterator[Candidate]:
    stack: list[tuple[ast.AST, tuple[FunctionNode, ...]]] = [(statement, ())]
    while stack:
        node, enclosing = stack.pop()
        if isinstance(node, FunctionNode):
            yield Candidate(node, statement, enclosing)
            enclosing = (*enclosing, node)
        stack.extend((child, enclosing) for child in ast.iter_child_nodes(node))


def _code_name(node: FunctionNode) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _node_of(code: types.CodeType, lines: tuple[str, ...]) -> ast.FunctionDef | ast.Lambda | None:
    parsed = _parsed(lines)
    if parsed is None:
        return None
    for candidate in parsed.functions.get(code.co_firstlineno, ()):
        node = candidate.node
        if isinstance(node, ast.AsyncFunctionDef) or _code_name(node) != code.co_name:
            continue
        if any(same_code(compiled(candidate, code, b), code) for b in _beside(candidate, parsed)):
            return node
    return None


def _beside(candidate: Candidate, parsed: _Parsed) -> Iterator[tuple[ast.stmt, ...]]:
    """What to compile with a statement: the instructions in it may depend on the other ones.

    CPython calls functions of imported modules by other instructions than methods. Notebooks and
    the prompt compile statement by statement. The whole file (names such as `super` at module
    level matter from 3.12 on) costs most and comes last.
    """
    if parsed.imports:
        yield parsed.imports
    yield ()
    yield tuple(s for s in parsed.statements if s is not candidate.statement)


def _column(line: str, offset: int) -> int:
    """The character at a UTF-8 byte offset."""
    return offset if line.isascii() else len(line.encode()[:offset].decode(errors="ignore"))


# ---------------------------------------------------------------------------------------- callables


def unwrap(function: object) -> Call:
    """The Python function that runs when a callable is called, and the arguments it always gets.

    A decorated function is its wrapper, not what the wrapper wraps: the wrapper is what runs.

    Errors:  Unsupported for what has no Python function of its own
    """
    match function:
        case types.FunctionType():
            return Call(function)
        case functools.partial() if type(function).__call__ is functools.partial.__call__:
            return _unwrap_partial(cast("functools.partial[object]", function))
        case types.MethodType():
            return _bound(unwrap(function.__func__), function.__self__)
        case staticmethod():
            return unwrap(cast("object", function.__func__))
        case _:
            return _unwrap_instance(function)


def _unwrap_partial(partial: functools.partial[object]) -> Call:
    inner = unwrap(partial.func)
    if any(argument is getattr(functools, "Placeholder", inner) for argument in partial.args):
        reason = f"partial({function_name(inner.function)}) has placeholders"
        raise Unsupported(reason, hint="Write a lambda.")
    return Call(
        inner.function, (*inner.args, *partial.args), {**inner.keywords, **partial.keywords}
    )


def _unwrap_instance(instance: object) -> Call:
    call = inspect.getattr_static(type(instance), "__call__", None)
    if isinstance(call, types.FunctionType):
        return _bound(Call(call), instance)
    if isinstance(call, classmethod):
        return _bound(unwrap(cast("object", call.__func__)), type(instance))
    if isinstance(call, staticmethod):
        return unwrap(cast("object", call.__func__))
    raise _not_python(instance)


def _bound(call: Call, first: object) -> Call:
    return Call(call.function, (*call.args, first), call.keywords)


def _not_python(function: object) -> Unsupported:
    kind = type(function)
    name = str(getattr(function, "__name__", kind.__qualname__))
    hint = f"Write a function that calls it: lambda row: {name}(...)."
    if not callable(function):
        return Unsupported(f"{function!r} cannot be called", hint="Hand over a function.")
    if isinstance(function, type):
        return Unsupported(f"{name} is a class, not a Python function", hint=hint)
    if isinstance(getattr(function, "py_func", None), types.FunctionType):
        hint = f"Hand over the function beneath: {name}.py_func."
        return Unsupported(f"{name} is compiled by {_package(kind)} already", hint=hint)
    if isinstance(getattr(function, "__wrapped__", None), types.FunctionType):
        hint = f"Hand over the function beneath: {name}.__wrapped__."
        return Unsupported(f"{name} is wrapped by {kind.__module__}.{kind.__name__}", hint=hint)
    if kind.__module__ == "builtins":
        return Unsupported(f"{name} is a built-in, not a Python function", hint=hint)
    what = f"a {_package(kind)} {kind.__name__}"
    return Unsupported(f"{name} is {what}, not a Python function", hint=hint)


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]
