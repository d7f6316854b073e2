"""What explain() gives: how a row function runs, line by line, before it runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from batchprep.api.cost_messages import digits
from batchprep.errors.excerpt import short_path

Styled: TypeAlias = "list[tuple[str, str]]"  # (text, style) pieces of one line

STYLES = {"good": "green", "bad": "yellow", "dim": "dim", "head": "bold", "": ""}
CSS = {
    "good": "color:#2a7d2a",
    "bad": "color:#a15c00",
    "dim": "opacity:.65",
    "head": "font-weight:bold",
}


@dataclass(frozen=True)
class Check:
    """Rows of a line that the interpreter answers, and why."""

    reason: str
    error: str | None  # the exception that those rows are known to raise


@dataclass(frozen=True)
class LineView:
    """One line of the source: compiled or not, where it runs, and its checks.

    `piece` says of a line that Python runs beside compiled ones how often, and why.
    """

    line: int
    text: str
    compiled: bool
    backend: str
    checks: tuple[Check, ...] = ()
    reason: str = ""
    piece: str = ""


@dataclass(frozen=True)
class FunctionView:
    """The lines of the row function or of a helper that was inlined into it."""

    name: str
    file: str
    lines: tuple[LineView, ...]


@dataclass(frozen=True)
class FieldView:
    """A field that the function reads."""

    name: str
    kinds: tuple[str, ...]
    always: bool  # read by every row, whatever its values are

    @property
    def missing(self) -> bool:
        """No record has it."""
        return self.kinds == ("absent",)


@dataclass(frozen=True)
class Cost:
    """Predicted nanoseconds a row (api/costs.py says from what).

    `distinct` are those of one distinct text or row, and no part of the total.
    """

    ingest: float
    kernel: float
    host: float
    results: float
    pieces: float = 0.0
    distinct: float = 0.0

    @property
    def total(self) -> float:
        """All of a row together."""
        return self.ingest + self.kernel + self.host + self.results + self.pieces


@dataclass(frozen=True)
class Explanation:
    """How a row function would run on data like that given to explain()."""

    name: str
    compiled: bool
    backend: str
    math: str
    reason: str
    hint: str
    where: str  # the line that cannot be compiled with its carets, and both of the above
    fields: tuple[FieldView, ...]
    nearest: tuple[tuple[str, tuple[str, ...]], ...]  # per missing field
    result_kinds: tuple[str, ...]
    result_type: str
    cost: Cost | None
    functions: tuple[FunctionView, ...]
    plan: str
    by_text: tuple[str, ...] = ()  # what Python computes once per distinct text
    by_row: tuple[str, ...] = ()  # and once per row, or per distinct row
    sharing: str = ""  # whether worker processes would take rows, where they were asked for
    pays: str = ""  # whether compiling does, as measured or as predicted
    rest: Explanation | None = None  # of a pipeline: the steps that the interpreter runs after it

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data, ready for JSON."""
        return dataclasses.asdict(self)

    def text(self, *, plan: bool = True) -> str:
        """The explanation as text, with or without the plan."""
        return "\n".join("".join(text for text, _ in line) for line in self.lines(plan=plan))

    def __str__(self) -> str:
        return self.text()

    def __rich__(self) -> object:
        from rich.text import Text

        pieces = [(text, STYLES[style]) for line in self.lines() for text, style in [*line, END]]
        return Text.assemble(*pieces[:-1])

    def _repr_html_(self) -> str:
        lines = ("".join(_html(text, style) for text, style in line) for line in self.lines())
        return f"<pre>{chr(10).join(lines)}</pre>"

    def lines(self, *, plan: bool = True) -> list[Styled]:
        """The explanation as lines of styled pieces."""
        lines = [self._title(), *self._verdict(), *self._facts()]
        for function in self.functions:
            lines += _function_lines(function)
        if plan and self.plan:
            lines += [[], [("plan", "head")]]
            lines += [[(f"  {line}", "dim")] for line in self.plan.split("\n")]
        if self.rest is not None:
            lines += [[], *self.rest.lines(plan=plan)]
        return lines

    def _title(self) -> Styled:
        state = ("compiled", "good") if self.compiled else ("runs in the interpreter", "bad")
        where = f", backend {self.backend}, {self.math} arithmetic" if self.compiled else ""
        return [(self.name, "head"), (": ", ""), state, (where, "")]

    def _verdict(self) -> list[Styled]:
        return [[(line, "bad")] for line in self.where.split("\n") if line]

    def _facts(self) -> list[Styled]:
        reads = ", ".join(f"{field.name} {' | '.join(field.kinds)}" for field in self.fields)
        lines = [_fact("reads", reads or "no field")]
        nearest = dict(self.nearest)
        lines += [_missing(f, nearest.get(f.name, ())) for f in self.fields if f.missing]
        if self.compiled:
            kinds = " | ".join(self.result_kinds)
            lines.append(_fact("gives", f"{kinds} (Arrow: {self.result_type})"))
        if self.by_text:
            lines.append(_fact("once per distinct text", ", ".join(self.by_text)))
        if self.by_row:
            lines.append(_fact("once per distinct row", ", ".join(self.by_row)))
        if self.sharing:
            lines.append(_fact("shares", self.sharing))
        if self.cost is not None:
            lines.append(_fact("costs", _cost_text(self.cost)))
        if self.pays:
            lines.append(_fact("pays", self.pays))
        return lines


# Front-end reasons that name the exception of a field which a record lacks, and the field.
NO_FIELD = frozenset({"KeyError", "AttributeError"})
END = ("\n", "")
RAISES = " that raises"
MOST_NAMED = 3


def _fact(word: str, text: str) -> Styled:
    return [(f"  {word:6} ", "dim"), (text, "")]


def _missing(field: FieldView, nearest: tuple[str, ...]) -> Styled:
    what = "every row raises KeyError" if field.always else "rows that read it raise KeyError"
    meant = f"; nearest names: {', '.join(nearest)}" if nearest else ""
    return [(f"  no record has {field.name!r}: {what}{meant}", "bad")]


def _cost_text(cost: Cost) -> str:
    parts = {
        "reading dicts": cost.ingest,
        "kernel": cost.kernel,
        "steps only Python can do": cost.host,
        "pieces that Python runs": cost.pieces,
        "results": cost.results,
    }
    listed = ", ".join(f"{word} {digits(value)}" for word, value in parts.items() if value)
    distinct = f", {digits(cost.distinct)} once per distinct value" if cost.distinct else ""
    return f"about {digits(cost.total)} ns a row ({listed}){distinct}"


def _function_lines(function: FunctionView) -> list[Styled]:
    lines: list[Styled] = [[], [(f"{short_path(function.file)}: {function.name}", "head")]]
    for view in function.lines:
        mark = ("+", "good") if view.compiled else ("-", "bad")
        mark = ("~", "dim") if view.piece else mark
        blank = not view.text.strip()
        lines.append([(f"  {view.line:5} ", "dim"), (" ", "") if blank else mark, (view.text, "")])
        at = 10 + len(view.text) - len(view.text.lstrip())
        lines += [[(" " * at + text, "dim")] for text in _check_texts(view)]
        if view.piece.strip("~"):
            lines.append([(" " * at + view.piece, "dim")])
        if view.reason:
            lines.append([(" " * at + view.reason, "bad")])
    return lines


def _check_texts(view: LineView) -> list[str]:
    """The checks of a line, those of what Python runs in one."""
    raising = [check for check in view.checks if check.reason.endswith(RAISES) and not check.error]
    texts = [_check_text(check) for check in view.checks if check not in raising]
    if raising:
        texts.insert(0, f"the interpreter answers where {_raising(view, raising)}")
    return texts


def _raising(view: LineView, checks: Sequence[Check]) -> str:
    names = [check.reason.removesuffix(RAISES) for check in checks]
    if len(names) > MOST_NAMED:
        return f"one of {len(names)} calls raises"
    if len(names) == 1 and view.piece:
        return "it raises"
    *others, last = names
    return f"{', '.join(others)} or {last} raises" if others else f"{last} raises"


def _check_text(check: Check) -> str:
    outcome = f"raises {check.error}" if check.error else "the interpreter answers"
    return f"{outcome} where {_condition(check.reason)}"


def _condition(reason: str) -> str:
    """A reason as the half of a sentence that follows "where"."""
    if reason == "KeyError of a constant table":
        return "the key is not in the table"
    error, colon, name = reason.partition(": ")
    return f"a record has no {name}" if colon and error in NO_FIELD else reason


def _html(text: str, style: str) -> str:
    import html

    escaped = html.escape(text)
    return f'<span style="{CSS[style]}">{escaped}</span>' if style else escaped
