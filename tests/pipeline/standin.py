"""A pipeline in plain Python that stands in for batchprep's: with faults, to test the tests."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

import batchprep as bp
from batchprep.api.options import in_use

ALL = ("with_columns", "select", "drop", "rename", "filter", "map", "filter_map", "flat_map")


@dataclass
class Report:
    """What the last call did."""

    rows: int
    failures: list[dict[str, Any]]
    stopped_at: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "failures": self.failures,
            "stages": [],
            "stopped_at": self.stopped_at,
        }


@dataclass(frozen=True)
class StandIn:
    """Steps one after the other for each record, as the contract has it."""

    copies: tuple[str, ...] = ()
    steps: tuple[tuple[str, Any], ...] = ()
    last: tuple[Report, ...] | list[Report] = ()

    def _with(self, kind: str, given: Any) -> StandIn:
        return replace(self, steps=(*self.steps, (kind, given)), last=[])

    def filter(self, f: Any) -> StandIn:
        return self._with("filter", f)

    def map(self, f: Any) -> StandIn:
        return self._with("map", f)

    def filter_map(self, f: Any) -> StandIn:
        return self._with("filter_map", f)

    def flat_map(self, f: Any) -> StandIn:
        return self._with("flat_map", f)

    def with_columns(self, **named: Any) -> StandIn:
        return self._with("with_columns", named)

    def select(self, *names: str) -> StandIn:
        return self._with("select", names)

    def drop(self, *names: str) -> StandIn:
        return self._with("drop", names)

    def rename(self, names: dict[str, str]) -> StandIn:
        return self._with("rename", names)

    def report(self) -> Report:
        return self.last[-1]

    def __call__(self, data: Any) -> Any:
        on_error = in_use().on_error or "raise"
        if isinstance(data, Iterator):
            return self._stream(data, on_error)
        if isinstance(data, pa.Table):
            data = bp.from_arrow(data).to_records()
        elif not isinstance(data, list):
            data = data.to_dict("records") if hasattr(data, "iloc") else data.to_dicts()
        return list(self._stream(iter(data), on_error))

    def _stream(self, records: Iterator[Any], on_error: str) -> Iterator[Any]:
        report = Report(0, [])
        self.last.append(report)
        for row, record in enumerate(records):
            report.rows = row + 1
            for value in self.results(record, self.steps):
                if not isinstance(value, Failed):
                    yield value
                elif on_error == "raise":
                    report.stopped_at = row
                    raise value.error
                else:
                    self.failed(report, row, record, value.error)
                    yield from [None] if on_error == "null" else []

    def failed(self, report: Report, row: int, record: Any, error: Exception) -> None:
        text = json.dumps(record, default=repr, ensure_ascii=False)
        report.failures.append(
            {"row": row, "type": type(error).__name__, "message": str(error), "record": text}
        )

    def results(self, value: Any, steps: tuple[tuple[str, Any], ...]) -> Iterator[Any]:
        if not steps:
            yield value
            return
        (kind, given), rest = steps[0], steps[1:]
        items = iter(())
        try:
            items = iter(getattr(self, f"do_{kind}")(given, value))
        except Exception as error:  # noqa: BLE001  a failed row
            yield Failed(error)
        while True:
            try:
                item = next(items)
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001  a failed row
                yield Failed(error)
                return
            yield from self.results(item, rest)

    def call(self, f: Any, value: Any) -> Any:
        if hasattr(f, "row_function"):
            f = f.row_function()
        return f(copy.deepcopy(value) if f.__name__ in self.copies else value)

    def do_filter(self, f: Any, value: Any) -> Any:
        return [value] if self.call(f, value) else []

    def do_map(self, f: Any, value: Any) -> Any:
        return [self.call(f, value)]

    def do_filter_map(self, f: Any, value: Any) -> Any:
        found = self.call(f, value)
        return [] if found is None else [found]

    def do_flat_map(self, f: Any, value: Any) -> Any:
        return self.call(f, value)

    def do_with_columns(self, named: Any, value: Any) -> Any:
        return [{**value, **{name: self.call(f, value) for name, f in named.items()}}]

    def do_select(self, names: Any, value: Any) -> Any:
        return [{name: value[name] for name in names if name in value}]

    def do_drop(self, names: Any, value: Any) -> Any:
        return [{name: value[name] for name in value if name not in names}]

    def do_rename(self, names: Any, value: Any) -> Any:
        return [{names.get(name, name): found for name, found in value.items()}]


@dataclass(frozen=True)
class Failed:
    """Stands where a row failed."""

    error: Exception


# ------------------------------------------------------------------------------ faults, one each


class DropsZero(StandIn):
    """filter_map takes what is false for None."""

    def do_filter_map(self, f, value):
        found = self.call(f, value)
        return [found] if found else []


class SeesNewColumns(StandIn):
    """The functions of with_columns see the columns that were written before them."""

    def do_with_columns(self, named, value):
        value = dict(value)
        for name, f in named.items():
            value[name] = self.call(f, value)
        return [value]


class SelectsInOldOrder(StandIn):
    """select keeps the order of the record, not that of the names."""

    def do_select(self, names, value):
        return [{name: value[name] for name in value if name in names}]


class ExplodesAtOnce(StandIn):
    """What a generator gave before it raised is lost."""

    def do_flat_map(self, f, value):
        return list(self.call(f, value))


class CountsResults(StandIn):
    """A failure has the number of its result, not of its source row."""

    def failed(self, report, row, record, error):
        super().failed(report, row + len(report.failures) // 2, record, error)


class ChangesRecords(StandIn):
    """A function that writes into its record gets the caller's own."""

    def call(self, f, value):
        return (f.row_function() if hasattr(f, "row_function") else f)(value)


class CopiesRecords(StandIn):
    """filter hands out copies of the records."""

    def do_filter(self, f, value):
        kept = super().do_filter(f, value)
        return [dict(kept[0])] if kept and isinstance(value, dict) else kept


class RaisesLate(StandIn):
    """Later rows run although one has failed."""

    def _stream(self, records, on_error):
        found = list(super()._stream(records, "null" if on_error == "raise" else on_error))
        yield from found
        if on_error == "raise" and self.last[-1].failures:
            raise ValueError(self.last[-1].failures[0]["message"])


class TakesNaNForFalse(StandIn):
    """filter drops rows whose test is NaN."""

    def do_filter(self, f, value):
        found = self.call(f, value)
        return [value] if found and found == found else []


FAULTS = {
    "filter_map drops what is false": DropsZero,
    "with_columns sees new columns": SeesNewColumns,
    "select keeps the old order": SelectsInOldOrder,
    "flat_map loses what came before an exception": ExplodesAtOnce,
    "a failure has another row's number": CountsResults,
    "a function writes into the caller's record": ChangesRecords,
    "filter hands out copies": CopiesRecords,
    "later rows run after a failure": RaisesLate,
    "filter drops NaN": TakesNaNForFalse,
}
