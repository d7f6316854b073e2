"""What is said of rows that are shared among processes, and why others are not."""

from __future__ import annotations

from batchprep.errors.messages import missing_package_text, short_repr, type_name
from batchprep.run.units import duration_text, rows_text

SAY_PURE = "if it changes nothing, mark it with @bp.pure"

# --------------------------------------------------- why a function is not known to change nothing


def unknown_text(name: str, value: object) -> str:
    """It reaches something of which nothing is known."""
    what = f"{name}, of type {type_name(value)}"
    if callable(value):
        return f"{what}, is not known to change nothing; {SAY_PURE}"
    return f"{what}, may change between rows"


def does_text(name: str, what: str) -> str:
    """It does something that another process cannot do for it."""
    return f"{name} {what}"


def writes_text(name: str) -> str:
    """It writes into the caller's record."""
    return f"{name} writes into its record, which would not be seen from another process"


def writes_outside_text(name: str, target: str) -> str:
    """It sets something that lies outside of it."""
    return f"{name} sets {target}, which lies outside of it"


def table_text(name: str) -> str:
    """A mutable table goes where it may be changed or handed out."""
    return f"{name} is handed on as a whole, and might be changed there"


def argument_text(name: str, value: object) -> str:
    """It is bound to an argument that may change."""
    return f"{name} is bound to {short_repr(value)}, of type {type_name(value)}, which may change"


def default_text(name: str, value: object) -> str:
    """It keeps something in the default of a parameter."""
    return f"{name} keeps {short_repr(value)} as a default from call to call"


def set_text(name: str, text: str) -> str:
    """It makes a set whose order may show."""
    return f"{name} makes a set, {text}, whose order is another in each process"


# ------------------------------------------------------------------ why a call stays in one process


def small_text(rows: int, row_seconds: float) -> str:
    """There is too little to do."""
    each = f"{row_seconds * 1e6:.2g} us" if row_seconds < 1e-5 else duration_text(row_seconds)
    return f"{rows_text(rows)} of {each} each are too little work to share"


FEW_ROWS = "too few rows to share"
IN_WORKER = "this is a worker process already"
IN_DAEMON = "this is a daemonic process, which may not start others"


def missing_text() -> str:
    """A package that processes need is not installed."""
    return missing_package_text("loky and cloudpickle", "workers", "bp.use(python_workers=...)")


def unpicklable_text(error: Exception) -> str:
    """The function does not travel."""
    return f"it does not pickle: {short_repr(error)}"


def record_text(what: str) -> str:
    """A record does not travel as what it is."""
    return f"records hold {what}, and stay in this process"


def result_text(what: str) -> str:
    """A result does not travel as what it is."""
    return f"results hold {what}, and stay in this process"


A_SET = "a set, whose order is another in each process"
PARTS = "lists or dicts of their records, which must stay the same objects"
NESTED = "lists or dicts, into which the function may write"


def type_text(kind: type) -> str:
    """A type whose values are not known to come out of a pickle as what they were."""
    return f"values of type {kind.__module__}.{kind.__qualname__}"


# --------------------------------------------------------------------------------- what is reported


def where_text(workers: int, *, threads: bool) -> str:
    """Where the rows ran."""
    return f"interpreter on {workers} {'threads' if threads else 'processes'}"


def prospect_text(workers: int) -> str:
    """What explain() says of a function that may be shared."""
    return f"its rows among {workers} processes, where a batch is worth it"


def one_process_text(why: str) -> str:
    """What explain() says of a function that may not."""
    return f"no rows among processes: {why}"


def died_text(name: str, first: int, last: int) -> str:
    """A worker process ended in the middle of its rows."""
    return (
        f"a worker process ended while it ran {name} on rows {first:,} to {last:,}\n"
        "  It was killed, most often for want of memory, or the function ended it. No row of this "
        "call is lost: nothing was handed out\n"
        "  Type: bp.use(python_workers=1), which runs it in this process, or fewer workers"
    )
