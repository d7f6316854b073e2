"""`precompile`: kernels made ahead of the first call, for this process and those after it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any, Final, Literal, get_args

import pyarrow as pa

from batchprep.api.given import source_of
from batchprep.api.options import check_choice, in_use, run_options
from batchprep.api.pipeline import Pipeline
from batchprep.api.schemas import typed_fields
from batchprep.api.vectorized import Vectorized, vectorize
from batchprep.batch.batch import Batch, from_arrow
from batchprep.dtypes import Kind
from batchprep.errors import messages
from batchprep.plan.stage import MathMode
from batchprep.records.source import Source
from batchprep.run.inputs import plans_of
from batchprep.run.program import Program
from batchprep.schema import Field

CompiledFor = Literal["numba", "numpy"]
Given = Callable[..., Any] | Vectorized | Pipeline

# A record of each kind that a field may have, where only the kinds are known.
_EXAMPLES: Final[dict[Kind, Any]] = {
    "none": None,
    "bool": True,
    "int": 1,
    "float": 1.5,
    "str": "a",
    "date": date(2000, 1, 1),
    "datetime": datetime(2000, 1, 1),  # noqa: DTZ001  records hold naive ones
    "timedelta": timedelta(1),
    "list": [1],
    "tuple": (1,),
    "struct": {"a": 1},
    "other": object(),
}


@dataclass(frozen=True)
class Precompiled:
    """What precompile() did for one function, or for the compiled steps of a pipeline.

    `cached` says that the kernel was there already, on disk or in this process. `reason` says why
    there is none, and is "" where there is one.
    """

    name: str
    backend: str
    seconds: float
    cached: bool
    reason: str = ""

    def __str__(self) -> str:
        """One line for a log."""
        if self.reason:
            return f"{self.name}: not compiled. {self.reason}"
        how = "was there already" if self.cached else "compiled"
        return f"{self.name}: {self.backend}, {how}, {self.seconds:.2f} s"


def precompile(
    f: Given | Sequence[Given], data: Any, /, *, backend: CompiledFor = "numba"
) -> tuple[Precompiled, ...]:
    """One entry for each function, whose kernel then lies on disk: no later call waits for it.

    `f` is a row function, what vectorize() gave, a Pipeline, or several of them. `data` is what
    they will be called with, or a part of it: records, a table, a source; or a pyarrow.Schema for
    columns, or a dict of types such as {"price": float, "note": str | None} for records. Kernels
    are made for these types; with other ones a call compiles as ever. No row is computed, but
    pure functions of texts may be run.

    Errors:  TypeError for an iterator, which this would use up; ValueError for no records

    >>> import batchprep as bp
    >>> @bp.vectorize
    ... def total(r):
    ...     return r["price"] * r["volume"]
    >>> [(one.name, one.backend, one.reason) for one in bp.precompile(
    ...     total, {"price": float, "volume": int}
    ... )]
    [('total', 'numba', '')]
    """
    check_choice("backend", backend, get_args(CompiledFor))
    given: Iterable[Any] = f if isinstance(f, Sequence) else [f]
    functions = [one if isinstance(one, Pipeline) else vectorized(one) for one in given]
    return tuple(made for one in functions for made in _made(one, data, backend))


def vectorized(function: Any) -> Vectorized:
    """The function with its own options, where it has some."""
    if not callable(function):
        wanted = "a row function, a vectorized one, a Pipeline, or a sequence of these"
        raise TypeError(messages.bad_type_text("f", function, wanted))
    return function if isinstance(function, Vectorized) else vectorize(function)


def _made(f: Vectorized | Pipeline, data: Any, backend: CompiledFor) -> Iterator[Precompiled]:
    begun = time.perf_counter()
    sources = _sources(data, f)
    found = [(_programs(f, source), source) for source in sources]
    # The parts of a pipeline are the same for all sources of a schema.
    for place, (program, math) in enumerate(found[0][0]):
        if program.trace is None:
            reason = "" if program.unsupported is None else program.unsupported.reason
            yield Precompiled(program.name, "interpreter", 0.0, cached=False, reason=reason)
            continue
        cached = [_compile(programs[place][0], source, math, backend) for programs, source in found]
        seconds, begun = time.perf_counter() - begun, time.perf_counter()
        yield Precompiled(program.name, backend, seconds, cached=all(cached))


def _programs(f: Vectorized | Pipeline, source: Source) -> list[tuple[Program, MathMode]]:
    """The programs that would run, and how they compute."""
    if isinstance(f, Vectorized):
        return [f.program_for(source)]
    math = run_options(f.settings, in_use()).math
    route, _ = f.router.route(source, math)
    return [(part, math) for part in route.parts]


def _compile(program: Program, source: Source, math: MathMode, backend: CompiledFor) -> bool:
    """Make the kernel for what the source's first batch looks like; whether it was there."""
    if program.trace is None:
        return True
    batch = _first_batch(source)
    plan = plans_of(program.trace).plan(batch)
    return plan.kernels.prepare(backend, math, plan.bind(batch).layout)


def _first_batch(source: Source) -> Batch:
    for batch in islice(source.batches(), 1):
        return batch
    return from_arrow(source.data)  # a table without rows has its columns all the same


def _sources(data: Any, f: Vectorized | Pipeline) -> list[Source]:
    """Data of that kind: columns with nulls and without, since these have kernels of their own."""
    if isinstance(data, pa.Schema):
        nulls = [pa.nulls(1, field.type) for field in data]
        nullable = pa.schema([pa.field(field.name, field.type) for field in data])
        tables = [data.empty_table()]
        if any(field.nullable for field in data):
            tables.append(pa.table(nulls, schema=nullable if len(data) else data))
        return [source_of(table) for table in tables]
    typed = typed_fields(data)
    source = source_of(data if typed is None else _records(typed))
    if source.kind == "iterator":
        raise TypeError(messages.precompile_iterator_text(_name(f)))
    if source.kind == "list" and source.length == 0:
        raise ValueError(messages.no_records_text(_name(f), "precompiling {} for"))
    return [source]


def _records(fields: Sequence[Field]) -> list[dict[str, Any]]:
    """Records in which each field takes all its kinds."""
    kinds = {field.name: sorted(field.kinds) for field in fields}
    most = max(map(len, kinds.values()))
    return [
        {
            name: _EXAMPLES[of_field[row % len(of_field)]]
            for name, of_field in kinds.items()
            if of_field[row % len(of_field)] != "absent"
        }
        for row in range(most)
    ]


def _name(f: Vectorized | Pipeline) -> str:
    return f.router.name if isinstance(f, Pipeline) else f.__name__
