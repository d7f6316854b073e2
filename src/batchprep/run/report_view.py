"""A report as text, as a table for rich, and as one for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from batchprep.run import report_messages
from batchprep.run.units import bytes_text, duration_text, rows_text

if TYPE_CHECKING:
    from rich.console import Group

    from batchprep.run.report import Report, StageReport

MOSTLY: Final = 0.5  # of the wall time: below it, nothing waited for one part alone
_COLUMNS: Final = (
    "stage", "ran on", "threads", "rows in", "rows out", "bytes", "time", "deviations",
)  # fmt: skip
# Steps that only choose and rename columns.
_COMPILED: Final = {"no kernel": "no kernel needed"}
_NUMBERS: Final = frozenset(_COLUMNS[2:-1])
# What a column says of a stage that has nothing to say; it is left out where all say so.
_SILENT: Final = {"ran on": "", "threads": "1", "bytes": "", "deviations": ""}
_CELL: Final = "padding:.2em .8em;vertical-align:top;white-space:pre-line;text-align:"


def text(report: Report) -> str:
    """The headline, what the run moved and waited for, then each stage and each reason."""
    lines = [_headline(report), *(f"  {fact}" for fact in _facts(report))]
    for stage in report.stages:
        lines.append(f"  {_stage_text(stage)}")
        lines += [f"    {rows_text(count)}: {why}" for why, count in stage.deviations.items()]
    return "\n".join(lines)


def rich_table(report: Report) -> Group:
    """The headline, a table of the stages, and the facts, for rich."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    rows, columns = _table(report)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        number = name in _NUMBERS
        table.add_column(
            name, justify="right" if number else "left", no_wrap=number, overflow="fold"
        )
    for row in rows:
        # As Text: a lambda's or a reason's brackets are no markup.
        table.add_row(*map(Text, row))
    head = Text(_headline(report), style="bold")
    return Group(head, table, *map(Text, _facts(report)))


def html_table(report: Report) -> str:
    """A table that needs nothing around it, with every text escaped."""
    rows, columns = _table(report)
    head = _html_row("th", columns, columns)
    body = "".join(_html_row("td", row, columns) for row in rows)
    caption = "<br>".join(map(html.escape, [_headline(report), *_facts(report)]))
    style = "text-align:left;white-space:normal"
    return f'<table><caption style="{style}">{caption}</caption>{head}{body}</table>'


def _html_row(tag: str, cells: Sequence[str], columns: Sequence[str]) -> str:
    pairs = zip(columns, cells, strict=True)
    return f"<tr>{''.join(_html_cell(tag, name, cell) for name, cell in pairs)}</tr>"


def _html_cell(tag: str, column: str, content: str) -> str:
    side = "right" if column in _NUMBERS else "left"
    return f'<{tag} style="{_CELL}{side}">{html.escape(content)}</{tag}>'


def _headline(report: Report) -> str:
    return report_messages.headline_text(
        report.rows, duration_text(report.seconds), report.failed_rows, report.stopped_at
    )


def _facts(report: Report) -> Iterator[str]:
    """What the whole run moved, and what it waited for: nothing for a call on data in memory."""
    if report.peak_memory is None and not (report.bytes_read or report.bytes_written):
        return
    yield report_messages.traffic_text(
        report.rows, report.seconds, report.bytes_read, report.bytes_written, report.peak_memory
    )
    if report.row_groups_skipped:
        yield report_messages.skipped_text(report.row_groups_skipped)
    if report.bottleneck is not None and report.bottleneck.share >= MOSTLY:
        yield f"bottleneck: {report.bottleneck}"


def _stage_text(stage: StageReport) -> str:
    facts = [
        _where(stage),
        f"{stage.threads} threads" if stage.threads > 1 else "",
        bytes_text(stage.bytes) if stage.bytes else "",
        duration_text(stage.seconds),
    ]
    return f"{stage.name}: {', '.join(fact for fact in facts if fact)}"


def _table(report: Report) -> tuple[list[list[str]], list[str]]:
    """The cells of each stage, and the columns that say something."""
    stages = [_cells(stage) for stage in report.stages]
    columns = [
        name
        for name in _COLUMNS
        if name not in _SILENT or any(cells[name] != _SILENT[name] for cells in stages)
    ]
    return [[cells[name] for name in columns] for cells in stages], columns


def _cells(stage: StageReport) -> dict[str, str]:
    return {
        "stage": stage.name,
        "ran on": _where(stage),
        "threads": str(stage.threads),
        "rows in": f"{stage.rows_in:,}",
        "rows out": f"{stage.rows_out:,}",
        "bytes": bytes_text(stage.bytes) if stage.bytes else "",
        "time": duration_text(stage.seconds),
        "deviations": "\n".join(f"{rows:,} {why}" for why, rows in stage.deviations.items()),
    }


def _where(stage: StageReport) -> str:
    if stage.kind != "compute":
        return ""
    where = _COMPILED.get(stage.backend, f"{stage.backend} on {stage.device}")
    where = where if stage.compiled else stage.backend
    remark = "; ".join(filter(None, (stage.reason, stage.note)))
    return f"{where} ({remark})" if remark else where
