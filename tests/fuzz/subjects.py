"""Who answers a call: batchprep on a backend, or the row loop itself (to test the fuzzer)."""

from __future__ import annotations

import contextlib
import copy
import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

import batchprep as bp
from tests.fuzz.examples import OnError


@dataclass(frozen=True)
class Failure:
    """A row that raised, as the failures table tells it."""

    row: int
    type: str
    message: str


@dataclass
class Answer:
    """What a call gave: results or the exception, and what the report says of it."""

    results: Any = None
    error: Exception | None = None
    failures: list[Failure] = field(default_factory=list)
    compiled: bool = False
    unsupported: str = ""
    deviations: dict[str, int] = field(default_factory=dict)


class Subject(Protocol):
    """Runs a row function over data."""

    def __call__(self, data: Any, on_error: OnError, *args: Any, **kwargs: Any) -> Answer: ...


class Compiled:
    """`bp.vectorize` of the function on a backend."""

    def __init__(self, function: Callable[..., Any], backend: str) -> None:
        self._backend = backend
        self._strict = bp.vectorize(function, on_unsupported="raise")
        self._loose = bp.vectorize(function, on_unsupported="ignore")
        self._unsupported = ""

    def __call__(self, data: Any, on_error: OnError, *args: Any, **kwargs: Any) -> Answer:
        # What is refused has read from its iterator: the second attempt needs another.
        again = itertools.tee(data) if isinstance(data, Iterator) else (data, data)
        with bp.use(backend=self._backend, on_error=on_error, threads=1):
            # No rows: nothing tells whether r.a or r["a"] reads a field, and nothing is refused.
            if not self._unsupported and not _is_empty(data):
                with self._noting_unsupported():
                    return self._run(self._strict, again[0], args, kwargs)
            return self._run(self._loose, again[1], args, kwargs)

    @contextlib.contextmanager
    def _noting_unsupported(self) -> Iterator[None]:
        try:
            yield
        except bp.Unsupported as verdict:
            self._unsupported = verdict.reason

    def _run(self, function: Any, data: Any, args: Any, kwargs: Any) -> Answer:
        answer = Answer(unsupported=self._unsupported)
        try:
            answer.results = _plain(function(data, *args, **kwargs))
        except bp.Unsupported:
            raise
        except Exception as error:  # noqa: BLE001  the row's own exception is the answer
            answer.error = error
        with contextlib.suppress(LookupError):  # no report: batchprep itself failed, not a row
            _report(answer, function.report().to_dict())
        return answer


def _is_empty(data: Any) -> bool:
    return hasattr(data, "__len__") and len(data) == 0


def _plain(results: Any) -> list[Any]:
    return results.to_pylist() if hasattr(results, "to_pylist") else list(results)


def _report(answer: Answer, report: dict[str, Any]) -> None:
    for stage in report["stages"]:
        answer.compiled = stage["compiled"]
        answer.deviations = dict(stage["deviations"])
    answer.failures = [
        Failure(failure["row"], failure["type"], failure["message"])
        for failure in _rows_of(report["failures"])
    ]


def _rows_of(failures: Any) -> list[dict[str, Any]]:
    return failures if isinstance(failures, list) else failures.to_pylist()


class Loop:
    """The row loop with the same options: what is tested when the fuzzer is tested."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._writes = '    r["' in inspect.getsource(function)
        self._returns_record = "return r\n" in inspect.getsource(function)

    def __call__(self, data: Any, on_error: OnError, *args: Any, **kwargs: Any) -> Answer:
        answer = Answer(results=[], compiled=True)
        for row, record in enumerate(_records(data)):
            try:
                answer.results.append(self._function(self._own(record), *args, **kwargs))
            except Exception as error:  # noqa: BLE001  as above
                if on_error == "raise":
                    return Answer(error=error, compiled=True)
                answer.failures.append(Failure(row, type(error).__name__, str(error)))
                answer.results += [None] if on_error == "null" else []
        return answer

    def _own(self, record: Any) -> Any:
        return copy.deepcopy(record) if self._writes and self._returns_record else record


def _records(data: Any) -> Any:
    return data.to_pylist() if isinstance(data, pa.Table) else data
