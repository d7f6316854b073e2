"""A row function as a stage: the front end's one entry."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Literal

from batchprep.errors import Unsupported
from batchprep.plan.finish import make_stage
from batchprep.plan.stage import MathMode, Stage
from batchprep.plan.verify import verify
from batchprep.rowfn.dependencies import CallRead, Dependency
from batchprep.rowfn.operands import refused_rows
from batchprep.rowfn.seams import Seam
from batchprep.rowfn.source import Call, FunctionSource
from batchprep.rowfn.sums import Value, constant, frozen, lifted
from batchprep.rowfn.tracer import MadeTwiceError, Tracer
from batchprep.schema import Field, Schema


@dataclass(frozen=True)
class Trace:
    """What became of a row function for one schema.

    reads    the fields that it asked for, with the kinds that the stage was made for
    writes   "shallow" where it writes into its record and returns it: results are copies
    helpers  the functions that were inlined
    names    the keys of the records, where the function lists them; None: it does not
    seams    pieces that Python runs
    """

    stage: Stage
    source: FunctionSource
    reads: Mapping[str, Field]
    writes: Literal["no", "shallow"]
    helpers: tuple[FunctionSource, ...]
    dependencies: tuple[Dependency, ...]
    names: tuple[str, ...] | None = None
    seams: tuple[Seam, ...] = ()

    def current(self, schema: Schema) -> bool:
        """Whether the schema, closures, globals and helpers are those it was made with."""
        if not self.unchanged():
            return False
        for name, known in self.reads.items():
            field = schema.field(name)
            if field is not known and field != known:
                return False
        return self.names is None or (schema.closed and schema.names() == self.names)

    def unchanged(self) -> bool:
        """Whether the closures, globals and helpers are those it was made with."""
        # A loop: it is asked at each call, and a generator takes it half as long again.
        for dependency in self.dependencies:  # noqa: SIM110
            if not dependency.current():
                return False
        return True

    def covers(self, schema: Schema) -> bool:
        """Whether the fields that it reads are of no kinds beyond those it was made for."""
        return self.names is None and all(
            schema.field(name).kinds <= known.kinds for name, known in self.reads.items()
        )


def trace(
    call: Call,
    schema: Schema,
    arguments: tuple[object, ...] = (),
    keywords: Mapping[str, object] | None = None,
    math: MathMode = "exact",
    *,
    target: object = None,
) -> Trace:
    """The stage of call.function(record, *arguments, **keywords).

    `target` is the callable that was unwrapped to `call`, watched for a change of it.

    Errors: Unsupported, with the reason and the place, where it cannot be compiled
    """
    leading = tuple(constant(value) for value in call.args)
    further = tuple(constant(value) for value in arguments)
    named = {key: constant(v) for key, v in {**call.keywords, **(keywords or {})}.items()}
    for composes in (True, False):
        tracer = Tracer(schema, math, composes=composes)
        if target is not None and not isinstance(target, FunctionType):  # that calls itself
            tracer.depend(CallRead(target, call))
        given = (*leading, tracer.record_sum(), *further)
        with contextlib.suppress(MadeTwiceError):
            return _traced(tracer, call, given, named)
    raise AssertionError  # only a trace that composes makes objects twice


def _traced(
    tracer: Tracer, call: Call, given: tuple[Value, ...], named: Mapping[str, Value]
) -> Trace:
    try:
        result, heap = tracer.run(call.function, given, named)
        if tracer.touched and not tracer.wrote:
            reason = f"{call.function.__name__} writes into its record without returning it"
            raise Unsupported(reason)
        found = frozen(lifted(result), heap)
        stage = make_stage(found, tracer.deviations, tracer.fields)
        refused = tuple(refused_rows(stage.tables))
        if refused:
            stage = make_stage(found, [*tracer.deviations, *refused], tracer.fields)
        stage = verify(stage)
    except RecursionError:
        reason = "the function is nested more deeply than can be compiled"
        raise Unsupported(reason) from None
    sources = tuple(tracer.sources.values())
    return Trace(
        stage=stage,
        source=sources[0],
        reads=dict(tracer.reads),
        writes="shallow" if tracer.wrote else "no",
        helpers=sources[1:],
        dependencies=tuple(tracer.dependencies),
        names=tracer.names,
        seams=tuple(dict.fromkeys(tracer.seams)),
    )
