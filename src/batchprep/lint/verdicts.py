"""Whether a row function would compile: asked of the front end itself.

The kinds of its fields are not known. So each field is taken to hold one kind, and those are
sought with which the front end compiles it and not every row would fail.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Final, cast

from batchprep.dtypes import Kind
from batchprep.errors import Unsupported
from batchprep.errors.messages import hint_of
from batchprep.lint import messages
from batchprep.lint.constants import NotKnown
from batchprep.lint.finding import Verdict
from batchprep.lint.functions import Functions
from batchprep.lint.row_code import SHIFT, RowCode
from batchprep.lint.scopes import binding_of
from batchprep.plan.node import TRUE, Node, in_order
from batchprep.rowfn.source import Call
from batchprep.rowfn.trace import Trace, trace
from batchprep.schema import Field, RecordForm

# The order in which kinds are tried: what most fields hold comes first.
TRIED: Final[tuple[Kind, ...]] = (
    "float", "int", "str", "datetime", "date", "timedelta", "bool", "list", "struct",
)  # fmt: skip
ROUNDS: Final = 3
MOST_TRACES: Final = 200
MOST_NODES: Final = 4_000  # of syntax: what is longer is not tried at all
# What a name of elsewhere may stand for where only its value is used.
ASSUMED: Final[Mapping[str, object]] = {
    "a number": 1.5,
    "an int": 3,
    "a text": "a",
    "a set of texts": frozenset({"a"}),
}
MOST_ASSUMED: Final = 8
CALLING: Final = frozenset({"call", "word"})
OBJECT: Final = "o"  # the dtype of what Python computes, whose kind is not known
KIND_WORDS: Final[Mapping[Kind, str]] = {
    "float": "number",
    "int": "int",
    "str": "text",
    "datetime": "datetime",
    "date": "date",
    "timedelta": "timedelta",
    "bool": "bool",
    "list": "list",
    "struct": "dict",
}
UNDEFINED: Final = " is not defined"


@dataclass
class TriedSchema:
    """Records whose every field holds one kind: the one set for it, else the usual one."""

    usual: Kind
    kinds: dict[str, Kind] = field(default_factory=dict[str, Kind])
    asked: dict[str, None] = field(default_factory=dict[str, None])
    form: RecordForm = "mapping"
    closed: bool = False

    def field(self, name: str) -> Field:
        """The field of that name, which every record has."""
        self.asked[name] = None
        return Field(name, frozenset({self.kind(name)}))

    def kind(self, name: str) -> Kind:
        """The kind that a field is taken to hold."""
        return self.kinds.get(name, self.usual)

    def names(self) -> tuple[str, ...]:
        """No names: which fields there are is not known."""
        return ()


@dataclass(frozen=True)
class Try:
    """What the front end said about one schema.

    certain   why every row would be left to the interpreter
    progress  higher where the front end came further, or where less is amiss
    """

    schema: TriedSchema
    progress: tuple[int, ...]
    found: Trace | None = None
    refused: Unsupported | None = None
    certain: tuple[str, ...] = ()

    @property
    def compiles(self) -> bool:
        """Whether it compiles, and not all rows fail."""
        return self.found is not None and not self.certain

    @property
    def settled(self) -> bool:
        """Whether it compiles, each field makes a difference, and Python is called for none.

        A number that is looked up in a table of texts makes none: it is never found.
        """
        return self.compiles and not any(self.progress)

    def better_than(self, other: Try) -> bool:
        """Whether it is a step from the other to a schema with which it compiles.

        How far the front end comes before it refuses, and how often a compiled function fails,
        cannot be compared: a text instead of a number may turn the one into the other.
        """
        if self.compiles or other.compiles:
            return (self.compiles, self.progress) > (other.compiles, other.progress)
        same = (self.refused is None) == (other.refused is None)
        return same and self.progress > other.progress


class Search:
    """Tries kinds of fields until a function compiles."""

    def __init__(self, function: FunctionType, code: RowCode, size: int) -> None:
        self._function = function
        self._code = code
        # Long functions take longer to trace; a count, for a clock would not give one answer.
        self._left = max(12, min(MOST_TRACES, 20_000 // size))

    def best(self) -> Try:
        """The schema with which it compiles best, else with which the front end came furthest."""
        best: Try | None = None
        for usual in TRIED:
            found = self._refined(self._try(TriedSchema(usual)))
            if best is None or found.better_than(best):
                best = found
            if best.settled or self._left <= 0:
                break
        return cast("Try", best)

    def _refined(self, best: Try) -> Try:
        """The same with other kinds for single fields, where those come further."""
        for _ in range(ROUNDS):
            before = best
            for name in list(best.schema.asked):
                for kind in TRIED:
                    if best.settled:
                        return best
                    if kind != best.schema.kind(name):
                        kinds: dict[str, Kind] = {**best.schema.kinds, name: kind}
                        best = self._better(best, TriedSchema(best.schema.usual, kinds))
            if best is before:
                break
        return best

    def _better(self, best: Try, schema: TriedSchema) -> Try:
        if self._left <= 0:
            return best
        other = self._try(schema)
        return other if other.better_than(best) else best

    def _try(self, schema: TriedSchema) -> Try:
        self._left -= 1
        try:
            found = trace(Call(self._function), schema, self._code.given, self._code.named)
        except Unsupported as refused:
            span = refused.span
            place = (span.line, span.column) if span else (0, 0)
            progress = (len(schema.asked), *place)
            return Try(schema, progress, refused=refused.with_traceback(None))
        certain = tuple(d.reason for d in found.stage.deviations if d.guard is TRUE)
        unused = len(set(found.reads) - set(found.stage.fields) - set(_handed_on(found)))
        calls = sum(node.op == "call" for node in _nodes(found))
        # Where a method of the kind is missing, Python is called to raise for each value.
        calls += sum(deviation.guard.op in CALLING for deviation in found.stage.deviations)
        progress = (-len(certain),) if certain else (-unused, -calls)
        return Try(schema, progress, found, certain=certain)


def verdict_of(code: RowCode, functions: Functions, local_line: Callable[[int], int]) -> Verdict:
    """Whether the function compiles, with which kinds, or why not."""
    try:
        return _verdict(code, functions, local_line)
    except NotKnown:
        return Verdict("unknown", messages.DEFAULT_ELSEWHERE)
    except (RecursionError, MemoryError):
        return Verdict("unknown", messages.TOO_DEEP)


def _verdict(code: RowCode, functions: Functions, local_line: Callable[[int], int]) -> Verdict:
    return judged(functions.fresh(code), code, functions, local_line)


def judged(
    function: FunctionType,
    code: RowCode,
    functions: Functions,
    local_line: Callable[[int], int],
    placed: Callable[[Unsupported], Unsupported] = lambda refused: refused,
) -> Verdict:
    """Whether a function that was made of that text compiles; `placed` finds a refusal's place."""
    size = sum(1 for text in functions.texts for _ in ast.walk(ast.parse(text)))
    if size > MOST_NODES:
        return Verdict("unknown", messages.TOO_LONG)
    search = functools.partial(Search, function, code, size)
    best = search().best()
    assumed: dict[str, str] = {}
    while (name := _missing(best)) is not None:
        found = None
        if name not in assumed and len(assumed) < MOST_ASSUMED and _is_value(name, functions.texts):
            found = _assuming(name, functions, search)
        if found is None:
            return Verdict("unknown", messages.elsewhere_text(name, binding_of(code.scope, name)))
        assumed[name], best = found
    return _said(best, assumed, local_line, placed)


def _nodes(found: Trace) -> list[Node]:
    stage = found.stage
    return in_order((*stage.outputs, *(deviation.guard for deviation in stage.deviations)))


def _handed_on(found: Trace) -> Iterator[str]:
    """The fields whose own values stand in the result."""
    todo = [found.stage.template]
    while todo:
        output = todo.pop()
        yield from [output.field] if output.field is not None else []
        todo += [part.output for _, parts in output.parts for part in parts.parts]
    yield from found.stage.refs


def _missing(tried: Try) -> str | None:
    """The name that the front end did not find."""
    reason = tried.refused.reason if tried.refused is not None else ""
    name = reason.removesuffix(UNDEFINED)
    return name if name != reason and name.isidentifier() else None


def _is_value(name: str, texts: Iterable[str]) -> bool:
    """Whether a name is only read: neither called nor asked for parts."""
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            match node:
                case (
                    ast.Call(func=ast.Name(id=used))
                    | ast.Attribute(value=ast.Name(id=used))
                    | ast.Subscript(value=ast.Name(id=used))
                ) if used == name:
                    return False
                case _:
                    pass
    return True


def _likely(name: str, texts: Iterable[str]) -> list[str]:
    """What a name may stand for, the likely first: arguments of methods are mostly texts."""
    first: list[str] = []
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=used)]):
                    first += ["a set of texts"] if used == name else []
                case ast.Subscript(slice=ast.Name(id=used)):
                    first += ["a text"] if used == name else []
                case ast.Call(func=ast.Attribute(), args=args):
                    given = any(isinstance(arg, ast.Name) and arg.id == name for arg in args)
                    first += ["a text"] if given else []
                case _:
                    pass
    return list(dict.fromkeys([*first, *ASSUMED]))


def _assuming(
    name: str, functions: Functions, search: Callable[[], Search]
) -> tuple[str, Try] | None:
    """(what the name was taken for, what comes of it); None where none of them helps."""
    taken: tuple[str, Try] | None = None
    for what in _likely(name, functions.texts):
        functions.assume(name, ASSUMED[what])
        best = search().best()
        if best.settled:
            return what, best
        # Where another name is missing next, what this one stands for cannot be told yet.
        if taken is None and (best.compiles or _missing(best) not in {None, name}):
            taken = what, best
    if taken is not None:
        functions.assume(name, ASSUMED[taken[0]])
    return taken


def _said(
    best: Try,
    assumed: Mapping[str, str],
    local_line: Callable[[int], int],
    placed: Callable[[Unsupported], Unsupported],
) -> Verdict:
    if best.refused is not None:
        span = placed(best.refused).span
        line = local_line(span.line - SHIFT) if span is not None else 0
        return Verdict("no", best.refused.reason, line, hint=hint_of(best.refused))
    if best.found is None or best.certain:
        return Verdict("no", messages.always_text(best.certain[0]))
    kinds = {name: KIND_WORDS[best.schema.kind(name)] for name in best.found.reads}
    objects = any(node.op == "call" and node.dtype == OBJECT for node in _nodes(best.found))
    partly = objects or bool(best.found.seams)
    gives = best.found.stage.template.kinds
    return Verdict("compiles", fields=kinds, assumed=assumed, gives=gives, partly=partly)
