"""What the byte code of a row function tells of its record."""

from __future__ import annotations

import dis
from typing import Any, Final

from batchprep.rowfn.source import Call

LOADS: Final = frozenset({"LOAD_FAST", "LOAD_FAST_BORROW"})  # the latter since Python 3.14


def reads_fields_only(call: Call) -> bool:
    """Whether all that a function does with its record is r["name"]; False where that is not plain.

    Then it neither returns the record nor hands it on. The byte code tells that in a tenth of the
    time that the source takes, which of a long function is half of what tracing takes.

    >>> reads_fields_only(Call(lambda r: r["a"] + r["b"])), reads_fields_only(Call(lambda r: [r]))
    (True, False)
    """
    code = call.function.__code__
    record = len(call.args)
    if code.co_argcount <= record or code.co_varnames[record] in code.co_cellvars:
        return False
    name = code.co_varnames[record]
    found = list(dis.get_instructions(code))
    found += found[-1:] * 2  # so that the last ones are followed, too
    return all(
        one.opname in LOADS and key.opname == "LOAD_CONST" and _is_item(read)
        for one, key, read in zip(found, found[1:], found[2:], strict=False)
        if "FAST" in one.opname and name in _names(one.argval)
    )


def _is_item(read: dis.Instruction) -> bool:
    return read.opname == "BINARY_SUBSCR" or (read.opname == "BINARY_OP" and read.argrepr == "[]")


def _names(argument: Any) -> tuple[Any, ...]:
    """Of an instruction: newer Pythons load two variables with one."""
    return argument if isinstance(argument, tuple) else (argument,)
