"""What explain() says of a loop's row part, in the user's own words and lines."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator
from typing import Final

from batchprep.api.explain import Explanation, FunctionView, LineView
from batchprep.errors import Span
from batchprep.loops import messages
from batchprep.loops.earlier import EARLIER
from batchprep.loops.generate import GIVEN
from batchprep.loops.inner import OUTER
from batchprep.loops.loop import PAIRED
from batchprep.loops.noted import NOTED, ROUND
from batchprep.loops.split import Step
from batchprep.loops.taps import TAP
from batchprep.loops.units import Analysis
from batchprep.rowfn.seams import Seam

GIVEN_FIELD: Final = re.compile(rf"record\['{GIVEN}(\w+)'\]|{GIVEN}(\w+)")
MADE: Final = re.compile(rf"(?:{TAP}|{OUTER}|{EARLIER})\w+")
NOTE: Final = re.compile(rf"{NOTED}(\d+)_(\d+)_\d+")
KEY: Final = re.compile(r"'(\d+(?:\.\d+)?)'(?=[?:])")


def in_own_words(rows: Explanation, analysis: Analysis, seams: tuple[Seam, ...]) -> Explanation:
    """The explanation of a row part without the names and lines that were made for it.

    The seams are those of the row part, with their places in the user's own file.
    """
    words = _Words(analysis)
    return dataclasses.replace(
        rows,
        fields=tuple(dataclasses.replace(f, name=words.told(f.name)) for f in rows.fields),
        nearest=tuple((words.told(name), near) for name, near in rows.nearest),
        plan="\n".join(map(words.line, rows.plan.split("\n"))),
        by_text=tuple(map(words.told, rows.by_text)),
        by_row=tuple(map(words.told, rows.by_row)),
        functions=(_lines(analysis, rows.backend, seams), *rows.functions),
    )


class _Words:
    """What stands for names that were made for the row part."""

    def __init__(self, analysis: Analysis) -> None:
        slots = [item for step in analysis.split.steps for item in step.slots.items()]
        self.slots = {key: ast.unparse(value) for key, value in slots}
        self.made = dict(_made(analysis))

    def told(self, text: str) -> str:
        """The text with the user's names and expressions."""
        text = text.replace(ROUND, "try: ...")
        text = GIVEN_FIELD.sub(lambda found: found[1] or found[2], text)
        text = NOTE.sub(lambda found: self.slots.get(f"{found[1]}.{found[2]}", found[0]), text)
        return MADE.sub(lambda found: self.made.get(found[0], found[0]), text)

    def line(self, text: str) -> str:
        """The same of a line of a plan, with what it gives named by its expressions."""
        if text.startswith("result:"):
            text = KEY.sub(lambda found: f"`{self.slots.get(found[1], 'step ' + found[1])}`", text)
        return self.told(text)


def _made(analysis: Analysis) -> Iterator[tuple[str, str]]:
    loop = analysis.split.loop
    before = f"{loop.parameter}[{loop.index} - 1]"
    if isinstance(loop.loop.target, ast.Tuple) and loop.form in PAIRED:
        before = ast.unparse(loop.loop.target.elts[0])
    for name, key in loop.earlier:
        yield name, before if key is None else f"{before}[{key!r}]"
    for level in analysis.levels:
        for node in ast.walk(ast.Module(list(level.split.loop.body), [])):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.startswith(TAP):
                    yield name, ast.unparse(value)
                case _:
                    pass
    for rounds in analysis.rounds:
        step = next(s for s in analysis.split.steps if s.inner is rounds.inner)
        for name, key in rounds.inner.outer:
            yield name, ast.unparse(step.slots[key])


def _lines(analysis: Analysis, backend: str, seams: tuple[Seam, ...]) -> FunctionView:
    """The lines of the user's function, each with who does it."""
    loop = analysis.split.loop
    source, node = loop.source, loop.node
    around = loop.node.body[loop.position]
    inside = range(around.lineno, (around.end_lineno or around.lineno) + 1)
    by_python = dict(_by_python(analysis))
    views = [
        LineView(
            line=number,
            text=source.lines[number - 1].rstrip(),
            compiled=number in inside,
            backend=backend,
            piece=by_python.get(number) or _piece(seams, number),
        )
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if number <= len(source.lines)
    ]
    return FunctionView(source.function, source.file, tuple(views))


def _by_python(analysis: Analysis) -> Iterator[tuple[int, str]]:
    """The lines of steps that run row after row; how at the first of each, "~" at its others."""
    units = [*analysis.units, *(unit for one in analysis.rounds for unit in one.units)]
    told: list[tuple[Step, str]] = [
        (step, messages.CARRIED)
        for level in analysis.levels
        if level.part is not None
        for step in level.split.steps
    ]
    told += [(s, messages.IN_SEQUENCE) for u in units if u.shapes is None for s in u.steps]
    for step, text in told:
        first, last = step.original.lineno, step.original.end_lineno
        yield from ((number, "~") for number in range(first + 1, (last or first) + 1))
        yield first, text


def _piece(seams: tuple[Seam, ...], number: int) -> str:
    """Why Python runs the line, at the first line of the piece; "~" at its others."""
    for seam in seams:
        span: Span = seam.span
        if span.line == number:
            return f"Python runs it {seam.often}: {seam.reason}"
        if span.line < number <= span.end_line:
            return "~"
    return ""
