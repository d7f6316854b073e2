"""From paths to a report."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from batchprep.lint import messages
from batchprep.lint.calls import CallFinder
from batchprep.lint.comprehensions import ComprehensionFinder
from batchprep.lint.diffs import unified_diff
from batchprep.lint.evidence import Evidence
from batchprep.lint.finding import Edit, Finding, Problem, Report, Verdict
from batchprep.lint.functions import Functions
from batchprep.lint.loops import LoopFinder
from batchprep.lint.paths import files_below
from batchprep.lint.reading import read
from batchprep.lint.row_loop import RowLoop
from batchprep.lint.rules import RULE
from batchprep.lint.scopes import Names, names_of
from batchprep.lint.suppressed import is_suppressed
from batchprep.lint.unit import Segment, Unit
from batchprep.lint.verdicts import verdict_of
from batchprep.lint.whole_loops import verdict_of_loop
from batchprep.lint.writing import Writer


def lint(paths: Iterable[str], rules: Iterable[str] = tuple(RULE)) -> Report:
    """The row loops of Python files, notebooks and folders of them, in the order of their names.

    Nothing that is read is executed or imported.

    Errors:  none; what cannot be read is among the report's problems

    >>> lint(["no_such_file.py"]).problems[0].message
    'there is no such file'
    """
    wanted = frozenset(rules)
    findings: list[Finding] = []
    problems: list[Problem] = []
    count = 0
    for path in files_below(paths):
        unit, unread = read(path)
        problems += unread
        count += unit is not None
        if unit is not None:
            findings += _findings(unit, wanted)
    return Report(count, tuple(findings), tuple(problems))


def _findings(unit: Unit, wanted: frozenset[str]) -> list[Finding]:
    names = names_of(unit.tree)
    evidence = Evidence(names)
    writer = Writer(unit, names, evidence)
    functions = Functions(unit, names)
    try:
        found = [
            _finding(loop, unit, functions, writer)
            for loop in _row_loops(unit, names, evidence, writer)
            if loop.rule in wanted and not _is_suppressed(loop, unit)
        ]
    finally:
        functions.close()
    return sorted(found, key=lambda finding: (finding.place, finding.rule))


def _row_loops(unit: Unit, names: Names, evidence: Evidence, writer: Writer) -> Iterator[RowLoop]:
    loops = LoopFinder(unit, names, evidence, writer)
    comprehensions = ComprehensionFinder(unit, names, evidence, writer)
    calls = CallFinder(unit, names, evidence, writer)
    for node in names.order:
        match node:
            case ast.For():
                found = loops.found(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                found = comprehensions.found(node)
            case ast.Call():
                found = calls.found(node)
            case _:
                found = None
        if found is not None:
            yield found


def _is_suppressed(loop: RowLoop, unit: Unit) -> bool:
    first = unit.span(loop.node)[0]
    # The header of a loop, for its body has comments of its own.
    last = (
        loop.node.body[0].lineno - 1 if isinstance(loop.node, ast.For) else unit.span(loop.node)[2]
    )
    return is_suppressed(unit.suppressed, loop.rule, first, max(first, last))


def _finding(loop: RowLoop, unit: Unit, functions: Functions, writer: Writer) -> Finding:
    verdict = _verdict(loop, unit, functions)
    edits: tuple[Edit, ...] = ()
    if loop.replace is not None and verdict.status != "no":
        edits = loop.replace(verdict)
    if edits:
        edits = (*edits, *writer.import_edits(edits))
    line = unit.span(loop.node)[0]
    return Finding(
        rule=loop.rule,
        place=unit.place(loop.node),
        what=loop.what,
        verdict=verdict,
        diff=_diff(unit, edits),
        edits=edits,
        hint=_hint(loop, verdict, edits),
        line_text=unit.lines[line - 1].strip(),
    )


def _verdict(loop: RowLoop, unit: Unit, functions: Functions) -> Verdict:
    if loop.code is None:
        return Verdict(loop.settles or "unknown", loop.obstacle)
    judge = verdict_of_loop if loop.whole else verdict_of
    verdict = judge(loop.code, functions, unit.local_line)
    return replace(verdict, hint=verdict.hint.replace("\n", " "))


def _hint(loop: RowLoop, verdict: Verdict, edits: Sequence[Edit]) -> str:
    if verdict.status == "no":
        return verdict.hint
    if loop.hint and (edits or loop.replace is None):
        return loop.hint
    if not edits and loop.code is not None:
        return messages.NO_REPLACEMENT
    return loop.hint


# ------------------------------------------------------------------------------------------- diffs


def _diff(unit: Unit, edits: Sequence[Edit]) -> str:
    """The edits as a unified diff of the file, or of the cells they lie in."""
    pieces = [_segment_diff(unit, s, [e for e in edits if unit.segment(e.line) is s])
              for s in unit.segments]  # fmt: skip
    return "".join(pieces)


def _segment_diff(unit: Unit, segment: Segment, edits: Sequence[Edit]) -> str:
    if not edits:
        return ""
    name = f"{unit.path}:cell {segment.cell}" if segment.cell else unit.path
    return unified_diff(segment.lines, edits, segment.first, name)
