"""A report as text for people, as JSON, and as SARIF for code scanning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from batchprep.lint import messages
from batchprep.lint.finding import Finding, Place, Problem, Report
from batchprep.lint.rules import RULES, Rule

SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
GUIDE: Final = "docs/lint.md"
JSON_VERSION: Final = 1
RULE_NUMBER: Final = {rule.id: number for number, rule in enumerate(RULES)}
LEVEL: Final = {"compiles": "warning", "unknown": "note", "no": "note"}


def as_text(report: Report, *, diff: bool) -> str:
    """One line for each finding and problem, with the replacement below it, and a summary."""
    lines = [text for found in report.findings for text in _finding_lines(found, diff=diff)]
    lines += [f"{problem.place}: {problem.message}" for problem in report.problems]
    return "\n".join([*lines, messages.summary_text(report)])


def _finding_lines(finding: Finding, *, diff: bool) -> Iterator[str]:
    yield f"{finding.place}: {messages.finding_text(finding)}"
    if finding.hint:
        yield f"    {finding.hint}"
    if diff and finding.diff:
        yield finding.diff


def as_json(report: Report, *, diff: bool) -> str:
    """The report as JSON; its `version` grows when a key changes its meaning."""
    return json.dumps(
        {
            "version": JSON_VERSION,
            "files": report.files,
            "findings": [_finding_json(found, diff=diff) for found in report.findings],
            "problems": [
                {**_place_json(problem.place), "message": problem.message}
                for problem in report.problems
            ],
        },
        indent=2,
    )


def _finding_json(finding: Finding, *, diff: bool) -> dict[str, Any]:
    verdict = finding.verdict
    return {
        "rule": finding.rule,
        **_place_json(finding.place),
        "message": messages.finding_text(finding),
        "verdict": verdict.status,
        "partly": verdict.partly,
        "reason": verdict.reason,
        "reason_line": verdict.line,
        "fields": dict(verdict.fields),
        "assumed": dict(verdict.assumed),
        "hint": finding.hint,
        "diff": finding.diff if diff else "",
    }


def _place_json(place: Place) -> dict[str, Any]:
    return {
        "path": place.path,
        "cell": place.cell or None,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


# ------------------------------------------------------------------------------------------- SARIF


def as_sarif(report: Report, version: str, *, diff: bool) -> str:
    """The report as SARIF 2.1.0; what could not be read is a notification of the run."""
    driver = {
        "name": "batchprep lint",
        "version": version,
        "rules": [_rule_sarif(rule) for rule in RULES],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.problems,
                "toolExecutionNotifications": [_notification(p) for p in report.problems],
            }
        ],
        "results": list(_results(report, diff=diff)),
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule_sarif(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name.title().replace("-", ""),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary}: Python runs it row by row."},
        "help": {"text": f"{rule.summary}. bp.vectorize(f) runs the same function on columns."},
        "defaultConfiguration": {"level": "warning"},
    }


def _notification(problem: Problem) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": problem.message},
        "locations": [_location(problem.place)],
    }


def _results(report: Report, *, diff: bool) -> Iterator[dict[str, Any]]:
    seen: dict[tuple[str, str, str], int] = {}
    for finding in report.findings:
        key = (finding.place.path, finding.rule, finding.line_text)
        seen[key] = seen.get(key, 0) + 1
        text = messages.finding_text(finding)
        if diff and finding.diff:
            text = f"{text}\n\n{finding.diff}"
        yield {
            "ruleId": finding.rule,
            "ruleIndex": RULE_NUMBER[finding.rule],
            "level": LEVEL[finding.verdict.status],
            "message": {"text": text},
            "locations": [_location(finding.place)],
            # The text of the line, and not its number, which changes with every line above.
            "partialFingerprints": {"primaryLocationLineHash": _hashed(key, seen[key])},
        } | _fixes(finding, diff=diff)


def _hashed(key: tuple[str, str, str], count: int) -> str:
    return f"{sha256(repr(key).encode()).hexdigest()[:16]}:{count}"


def _location(place: Place) -> dict[str, Any]:
    # SARIF counts the lines of the file itself, in which a notebook's cells are JSON.
    region: dict[str, int] = {"startLine": max(place.raw_line, 1)}
    if not place.cell:
        region = {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column + 1,
        }
    return {"physicalLocation": {"artifactLocation": _artifact(place), "region": region}}


def _artifact(place: Place) -> dict[str, str]:
    # Code scanning takes paths relative to the root of the repository, where the run should be.
    return {"uri": f"file://{quote(place.path)}" if place.path[:1] == "/" else quote(place.path)}


def _fixes(finding: Finding, *, diff: bool) -> dict[str, Any]:
    """The replacement; none for notebooks, whose lines are not those of their files."""
    if not diff or not finding.edits or finding.place.cell:
        return {}
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": edit.column + 1,
                "endLine": edit.end_line,
                "endColumn": edit.end_column + 1,
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in finding.edits
    ]
    change = {"artifactLocation": _artifact(finding.place), "replacements": replacements}
    return {
        "fixes": [
            {
                "description": {"text": "Run the row function on columns"},
                "artifactChanges": [change],
            }
        ]
    }
