"""Programs with hand-built stages: the runner is tested without the front end."""

from dataclasses import dataclass

from batchprep.batch.batch import from_arrow, from_records
from batchprep.dtypes import SCALAR_DTYPE
from batchprep.plan.build import build, has_kind
from batchprep.plan.finish import make_stage
from batchprep.plan.node import FALSE, TRUE, const, intern
from batchprep.plan.stage import Deviation
from batchprep.plan.values import Alternative, Slot, Slots, Sum
from batchprep.records import open_source
from batchprep.rowfn.source import unwrap
from batchprep.rowfn.trace import trace
from batchprep.run.program import Options, Program
from batchprep.run.report import ReportBuilder
from batchprep.run.runner import run_batch
from batchprep.schema import Field


@dataclass(eq=False)
class HandTrace:
    stage: object
    reads: dict
    writes: str = "no"
    helpers: tuple = ()


@dataclass
class Ran:
    results: object
    report: object


NUMPY = Options(backend="numpy")


def program(function, result, reads, deviations=(), copies="no"):
    fields = {name: Field(name, frozenset(kinds.split("|"))) for name, kinds in reads.items()}
    trace = HandTrace(make_stage(result, deviations), fields, copies)
    return Program(function=function, name=function.__name__, trace=trace, copies=copies)


def run(program, batch, options=NUMPY, *, first_row=0, form="python"):
    report = ReportBuilder(program)
    results = run_batch(program, batch, options, report, first_row=first_row, form=form)
    return Ran(results, report.build())


def value(name, kind):
    return intern("buffer", (), (name, kind), SCALAR_DTYPE[kind])


def kind(name):
    return intern("kind", (), name, "k")


def is_kind(name, asked):
    return has_kind(kind(name), asked)


def own(name):
    return intern("ref", (), name, "r")


def word(table, code):
    return intern("word", (code,), table, table.dtype)


def one(kind, payload=None):
    return Sum((Alternative(kind, TRUE, payload),))


def mix(*alternatives):
    return Sum(tuple(Alternative(*a) for a in alternatives))


def struct(slots, base=FALSE, fresh=FALSE):
    return Slots(tuple(Slot(*s) for s in slots), base, fresh)


# ----------------------------------------------------------------------------- ready-made programs


def root_value(r):
    total = r["price"] * r["volume"]
    if total > 50_000:
        return total**0.5


def root_value_program():
    total = build("fmul", value("price", "float"), build("i2f", value("volume", "int")))
    large = build("fgt", total, const(50_000.0))
    result = mix(
        ("none", build("not", large), None),
        ("float", large, build("sqrt", total)),
    )
    return program(root_value, result, {"price": "float", "volume": "int"})


def share(r):
    return r["n"] // r["d"]


def share_program(function=share, copies="no"):
    n, d = value("n", "int"), value("d", "int")
    zero = Deviation(build("ieq", d, const(0)), "division by zero", "ZeroDivisionError", ())
    result = one("int", build("ifloordiv", n, d))
    return program(function, result, {"n": "int", "d": "int"}, (zero,), copies)


# ------------------------------------------------------------------------------- real row functions


def traced(function, data, *, returns=None, **options):
    """What a compiled function gives for data: a list for records, Arrow for Arrow."""
    form = "python" if isinstance(data, list) else "arrow"
    compiled = traced_program(function, data)
    chosen = Options(**{"backend": "numpy", "returns": returns, **options})
    batch = from_arrow(data) if form == "arrow" else from_records(data)
    return run(compiled, batch, chosen, form=form)


def traced_program(function, data):
    found = trace(unwrap(function), open_source(data))
    return Program(
        function=function,
        name=function.__name__,
        trace=found,
        copies=found.writes,
        source=found.source,
    )
