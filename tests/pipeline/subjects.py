"""Who answers a call: a pipeline of batchprep, or one that stands in for it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import batchprep as bp
from tests.fuzz.examples import OnError
from tests.pipeline.example import Example, Step
from tests.pipeline.sources import Data, Results, is_lazy, read

PipelineOf = Callable[[str], Any]  # an empty pipeline on a backend


@dataclass(frozen=True)
class Failure:
    """A failed row as the report has it."""

    row: int
    type: str
    message: str
    record: str


@dataclass
class Answer:
    """What a call gave."""

    results: Results
    error: Exception | None = None
    failures: list[Failure] = field(default_factory=list)
    rows: int | None = None  # of the source, as the report counts them
    stopped_at: int | None = None
    stages: list[dict[str, Any]] = field(default_factory=list)
    lazy: bool = False


def built(empty: Any, steps: tuple[Step, ...], namespace: Mapping[str, Any]) -> Any:
    """The pipeline with the steps added."""
    pipe = empty
    for step in steps:
        pipe = _added(pipe, step, namespace)
    return pipe


def _added(pipe: Any, step: Step, namespace: Mapping[str, Any]) -> Any:
    method = getattr(pipe, step.kind)
    if step.kind == "with_columns":
        return method(**{name: namespace[given] for name, given in step.given.items()})
    if step.kind == "rename":
        return method(step.given)
    if step.kind in {"select", "drop"}:
        return method(*step.given)
    return method(namespace[step.given])


def piped(backend: str) -> Any:
    """An empty pipeline of batchprep, which says nothing of what it cannot compile."""
    return bp.Pipeline(backend=backend, on_unsupported="ignore")


class Subject:
    """A pipeline of an example's steps, which is called again and again."""

    def __init__(self, example: Example, namespace: Mapping[str, Any], empty: Any) -> None:
        self.pipe = built(empty, example.steps, namespace)

    def __call__(self, data: Data, on_error: OnError) -> Answer:
        answer = Answer(Results([], ""))
        with bp.use(on_error=on_error, threads=1):
            try:
                self._run(answer, data)
            except Exception as error:  # noqa: BLE001  the row's own exception is the answer
                answer.error = error
        with contextlib.suppress(LookupError):  # no call went as far as a report
            _report(answer, self.pipe.report().to_dict())
        return answer

    def _run(self, answer: Answer, data: Data) -> None:
        result = self.pipe(data.value)
        answer.lazy = is_lazy(result)
        if not answer.lazy:
            answer.results = read(result)
            return
        values: list[Any] = []
        answer.results = Results(values, "iterator")
        for value in _items(result):
            values.append(value)  # noqa: PERF402  what comes before an exception counts


def _items(result: Iterator[Any]) -> Iterator[Any]:
    yield from result


def _report(answer: Answer, report: dict[str, Any]) -> None:
    answer.rows, answer.stopped_at = report["rows"], report.get("stopped_at")
    answer.stages = list(report["stages"])
    answer.failures = [
        Failure(failure["row"], failure["type"], failure["message"], failure["record"])
        for failure in report["failures"]
    ]
