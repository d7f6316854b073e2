"""From a program to its explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from batchprep.api.cost_messages import after_kernel
from batchprep.api.costs import Tried, predicted, predicted_loop, verdict
from batchprep.api.explain import Check, Cost, Explanation, FieldView, FunctionView, LineView
from batchprep.batch.batch import from_records
from batchprep.dtypes import KINDS
from batchprep.errors import Span, Unsupported
from batchprep.errors.messages import hint_of, verdict_lines
from batchprep.errors.nearest import nearest_names
from batchprep.plan.node import TRUE
from batchprep.plan.printer import print_stage
from batchprep.plan.stage import Deviation, Stage
from batchprep.plan.tables import Outcome
from batchprep.rowfn.seams import Seam
from batchprep.rowfn.source import FunctionSource
from batchprep.rowfn.trace import Trace
from batchprep.run.failures import OWN_CODE
from batchprep.run.fallback import declared_type
from batchprep.run.inputs import plans_of
from batchprep.run.program import Options, Program
from batchprep.run.result_types import depends_on_batch, result_type
from batchprep.run.ways import Ways, known_ways
from batchprep.run.workers import prospect
from batchprep.run.workers_judge import judge_program
from batchprep.schema import Field

# Where the functions lie that chains, column expressions and transforms are built of.
BUILT = tuple(f"{OWN_CODE}{folder}" for folder in ("columns", "rowfn", "transforms"))
AUTO = "auto (NumPy at once, numba for many rows)"


def explain_program(
    program: Program,
    options: Options,
    names: Sequence[str],
    asked: Iterable[Field],
    *,
    columns: bool = False,
) -> Explanation:
    """The explanation of a program, whether it was compiled or not, on records or on columns."""
    found, verdict = program.trace, program.unsupported
    fields = tuple(_fields(asked if found is None else found.reads.values(), found))
    backend = AUTO if options.backend == "auto" else options.backend
    where = "interpreter" if found is None else options.backend
    cost = _cost(found, fields, options, columns=columns)
    return Explanation(
        name=program.name,
        compiled=found is not None,
        backend=backend if found is not None else "interpreter",
        math=options.math,
        reason=verdict.reason if verdict else "",
        hint=hint_of(verdict) if verdict else "",
        where="\n".join(verdict_lines(verdict)) if verdict else "",
        fields=fields,
        nearest=tuple((f.name, nearest_names(f.name, names)) for f in fields if f.missing),
        result_kinds=() if found is None else found.stage.template.kinds,
        result_type="" if found is None else _result_type(found, options),
        cost=cost,
        pays="" if found is None or cost is None else _pays(found, cost, options, columns=columns),
        functions=tuple(_functions(program, where)),
        plan="" if found is None else print_stage(found.stage),
        by_text=() if found is None else _evaluated(found.stage, "word"),
        by_row=() if found is None else _evaluated(found.stage, "call"),
        sharing="" if found is not None else _sharing(program, options),
    )


def _sharing(program: Program, options: Options) -> str:
    judged = partial(judge_program, program.function, copied=program.copies != "no")
    return prospect(judged, options)


def _cost(
    found: Trace | None, fields: Iterable[FieldView], options: Options, *, columns: bool
) -> Cost | None:
    """What a row costs; None where there is nothing to say: in the interpreter, or if all raise."""
    if found is None or any(field.missing and field.always for field in fields):
        return None
    read = () if columns else found.reads.values()
    return predicted(found.stage, read, options.backend, options.math)


def _pays(found: Trace, cost: Cost, options: Options, *, columns: bool) -> str:
    loop = predicted_loop(found.stage, found.reads.values(), columns=columns)
    if options.backend != "auto":
        return verdict(cost, loop, None)
    risen = plans_of(found).has_risen()
    tried = tried_of([ways for ways in known_ways(found) if not (risen and ways.brief)])
    text = verdict(cost, loop, tried)
    if tried is not None or risen:
        return text
    read = () if columns else found.reads.values()
    by_numpy = predicted(found.stage, read, "numpy", options.math)
    return after_kernel(text) if by_numpy.total > loop else text


def tried_of(known: Sequence[Ways]) -> Tried | None:
    """What both ways took over the largest batches that were tried, in nanoseconds a row."""
    for ways in reversed(known):
        if ways.tried is not None:
            by_python, compiled = (trial.seconds * 1e9 for trial in ways.tried)
            return Tried(compiled, by_python, ways.best == "compiled", ways.brief)
    return None


def _result_type(found: Trace, options: Options) -> str:
    declared = declared_type(options)
    if declared is not None:
        return str(declared)
    output = found.stage.template
    if output.open:
        return "as the values are"
    if depends_on_batch(output):
        return "as in the records"  # values handed through: their columns have the types
    return str(result_type(found, from_records([])))


def _fields(fields: Iterable[Field], found: Trace | None) -> Iterator[FieldView]:
    always = "" if found is None else " ".join(_certain_key_errors(found.stage))
    for field in fields:
        kinds = tuple(kind for kind in KINDS if kind in field.kinds)
        yield FieldView(field.name, kinds, field.name in always)


def _certain_key_errors(stage: Stage) -> Iterator[str]:
    for deviation in stage.deviations:
        if deviation.guard is TRUE and deviation.error == "KeyError":
            yield deviation.reason


# Steps between pieces, which are no code of the user's.
INNER = frozenset({"object", "piece", "no value", "status"})


def _evaluated(stage: Stage, op: str) -> tuple[str, ...]:
    """Names of the functions that Python evaluates by that op, in the order of the plan."""
    outcomes = [node.attr for node in stage.tables if node.op == op]
    names = dict.fromkeys(o.pure.name for o in outcomes if isinstance(o, Outcome))
    return tuple(n for n in names if n not in INNER and not n.startswith("item "))


def _functions(program: Program, backend: str) -> Iterator[FunctionView]:
    found = program.trace
    deviations = () if found is None else found.stage.deviations
    sources = [] if program.source is None else [program.source]
    sources += [] if found is None else found.helpers
    for source in dict.fromkeys(sources):
        if source.file.startswith(BUILT):
            continue
        seams = () if found is None else found.seams
        yield _function(source, backend, deviations, seams, program.unsupported)


def _function(
    source: FunctionSource,
    backend: str,
    deviations: Sequence[Deviation],
    seams: Sequence[Seam],
    verdict: Unsupported | None,
) -> FunctionView:
    node = source.node
    numbers = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    lines = [
        LineView(
            line=number,
            text=source.lines[number - 1].rstrip(),
            compiled=verdict is None,
            backend=backend,
            checks=tuple(_checks(source, number, deviations)),
            reason=_reason(source, number, verdict),
            piece=_piece(source, number, seams),
        )
        for number in numbers
        if number <= len(source.lines)
    ]
    return FunctionView(source.function, source.file, tuple(lines))


def _piece(source: FunctionSource, number: int, seams: Iterable[Seam]) -> str:
    """Why Python runs the line, at the first line of the piece; "~" at its others."""
    for seam in seams:
        span = seam.span
        if (span.file, span.function) == (source.file, source.function):
            if span.line == number:
                return f"Python runs it {seam.often}: {seam.reason}"
            if span.line < number <= span.end_line:
                return "~"
    return ""


def _checks(
    source: FunctionSource, number: int, deviations: Iterable[Deviation]
) -> Iterable[Check]:
    here = (
        Check(deviation.reason, deviation.error)
        for deviation in deviations
        if any(_stands_at(span, source, number) for span in deviation.spans)
    )
    return dict.fromkeys(here)


def _stands_at(span: Span, source: FunctionSource, number: int) -> bool:
    return (span.file, span.function, span.line) == (source.file, source.function, number)


def _reason(source: FunctionSource, number: int, verdict: Unsupported | None) -> str:
    span = verdict.span if verdict else None
    at_line = span is not None and (span.file, span.line) == (source.file, number)
    return verdict.reason if verdict and at_line else ""
