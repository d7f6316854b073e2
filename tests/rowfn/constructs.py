"""Row functions of each construct, records for them, and the comparison with the loop."""

from __future__ import annotations

import copy
import math
import sys
from typing import Any

import batchprep as bp

LIMIT = 3
TABLE = {"a": 1, "b": None, "c": 2.5, "d": "text"}
NUMBERS = {1: "one", 2.0: "two", -7: None, 2.5: 3}
LADDER = (10, 20.5, None, "top")
NAN = float("nan")


def outcome(function: Any, record: Any) -> Any:
    try:
        return function(copy.deepcopy(record))
    except Exception as error:  # noqa: BLE001  the loop's exception is part of the result
        return type(error), str(error)


def text(value: Any) -> str:
    """Value, type and zero sign of a result: 1, 1.0 and True differ, nan is nan."""
    return repr(value)


def check(function: Any, records: list[Any], backend: str, share: float = 1.0) -> None:
    compiled = bp.vectorize(function, backend=backend, on_error="null", on_unsupported="raise")
    untouched = copy.deepcopy(records)
    answers = compiled(records)
    expected = [outcome(function, record) for record in records]
    failed = dict(zip(*_failures(compiled), strict=True))
    for row, (got, want) in enumerate(zip(answers, expected, strict=True)):
        if isinstance(want, tuple) and want and isinstance(want[0], type):
            assert failed.pop(row) == want[0].__name__
            assert got is None
        else:
            assert text(got) == text(want), (row, records[row])
    assert not failed
    assert text(records) == text(untouched)
    deviations = sum(compiled.report().to_dict()["stages"][0]["deviations"].values())
    assert deviations <= share * len(records)


def _failures(compiled: Any) -> tuple[list[int], list[str]]:
    table = compiled.report().failures
    return table["row"].to_pylist(), table["type"].to_pylist()


def half(x: float, by: float = 2) -> float:
    if x is None:
        return 0
    return x / by


def sign(x: float) -> int:
    if x > 0:
        return 1
    return -1 if x < 0 else 0


def early(r: dict[str, Any]) -> Any:
    value = r["x"]
    if value is None:
        return None
    if value > 10:
        return "big"
    elif value > 5:
        return value * 2
    return {"x": value, "neg": -value}


def nested(r: dict[str, Any]) -> Any:
    if r["x"] is not None:
        if r["x"] > 2:
            return 1
    return 2


def one_branch(r: dict[str, Any]) -> Any:
    if r["x"]:
        y = 1
    return y


def written(r: dict[str, Any]) -> Any:
    r["y"] = (r["x"] or 0) + 1
    r["x"] = None
    if r["y"] > 4:
        r["big"] = True
    return r


def aliased(r: dict[str, Any]) -> Any:
    out = {"a": 1}
    other = out
    other["b"] = r["x"]
    return out


def unpacked(r: dict[str, Any]) -> Any:
    a, (b, c) = r["x"] or 0, (1, 2)
    a, b = b, a
    a += c
    return a, b


def walrus(r: dict[str, Any]) -> Any:
    if (n := r.get("x") or 0) and n > LIMIT:
        return n
    return -n


def fallen(r: dict[str, Any]) -> Any:
    if r["x"] == 2:
        return "two"


def refused(r: dict[str, Any]) -> Any:
    if r["x"] is None:
        raise ValueError("no x", r)
    assert r["x"] != 7, "seven"
    if r["s"] == "b":
        raise LookupError
    return r["x"] * 2


def copied(r: dict[str, Any]) -> Any:
    out = dict(r)
    out["z"] = half(r["x"], by=4)
    return out


X = [
    {"x": x, "s": s}
    for x, s in zip(
        [1, 2, 0, -7, 2.5, -0.0, 0.0, NAN, math.inf, None, 12, 6, True, 2**62, -(2**63), 2**53 + 1],
        ["a", "b", "c", "d", "", "é", "a", "zz", "b", "ab", "x", "c", "a", "b", "d", "a"],
        strict=True,
    )
]

FUNCTIONS = {
    "raise and assert": refused,
    "add": lambda r: r["x"] + 1,
    "subtract": lambda r: 10 - r["x"],
    "multiply": lambda r: r["x"] * 3,
    "divide": lambda r: 1 / r["x"],
    "divide ints": lambda r: r["x"] / 7,
    "floor": lambda r: r["x"] // 2,
    "floor by row": lambda r: 7 // r["x"],
    "modulo": lambda r: r["x"] % 3,
    "modulo negative": lambda r: r["x"] % -3.5,
    "power": lambda r: r["x"] ** 2,
    "power of two": lambda r: 2 ** r["x"] if (r["x"] or 0) < 99 else 0,
    "root": lambda r: r["x"] ** 0.5,
    "negative power": lambda r: r["x"] ** -1,
    "negate": lambda r: -r["x"],
    "plus": lambda r: +r["x"],
    "invert": lambda r: ~r["x"],
    "shift": lambda r: r["x"] << 2,
    "shift back": lambda r: r["x"] >> 1,
    "shift by row": lambda r: 1 << r["x"] if (r["x"] or 0) < 99 else 0,
    "bits": lambda r: (r["x"] & 6) | (r["x"] ^ 1),
    "compare": lambda r: r["x"] > 1.5,
    "compare exactly": lambda r: r["x"] == 2.0**53,
    "chain": lambda r: 0 < r["x"] <= 6,
    "chain of chosen": lambda r: 7 if 2 > (r["x"] or 1) else 9,
    "chain of calls": lambda r: 0 < half(r["x"]) < (r["x"] and 5) != 3,
    "and": lambda r: r["x"] and r["s"],
    "or": lambda r: r["x"] or r["s"] or None,
    "not": lambda r: not r["x"],
    "ternary": lambda r: "yes" if r["x"] else r["x"],
    "is none": lambda r: (r["x"] is None, r["x"] is not None, r["x"] is True),
    "equal text": lambda r: r["s"] == "a" or r["s"] != "b",
    "order text": lambda r: r["s"] < "c",
    "in tuple": lambda r: r["s"] in ("a", "zz"),
    "in many": lambda r: r["s"] not in {"a", "b", "c", "d", "e", "f"},
    "in numbers": lambda r: r["x"] in (1, 2.5, None, 12, 6, 7, 8),
    "in list": lambda r: r["x"] in [2, -7],
    "table": lambda r: TABLE[r["s"]],
    "table get": lambda r: TABLE.get(r["s"], r["x"]),
    "table display": lambda r: {"a": 1, "b": 2.5}[r["s"]],
    "table display get": lambda r: {"a": 1, "b": None}.get(r["s"], r["x"]),
    "in dict display": lambda r: r["s"] in {"a": 1, "zz": 2},
    "number table": lambda r: NUMBERS[r["x"]],
    "number table get": lambda r: NUMBERS.get(r["x"]),
    "constant index": lambda r: LADDER[r["x"]],
    "get": lambda r: r.get("missing", 5) + (r.get("x") or 0),
    "has": lambda r: ("x" in r, "missing" in r, "missing" not in r),
    "missing": lambda r: r["missing"],
    "helper": lambda r: half(r["x"]) + half(2, by=r["x"]),
    "helper returns": lambda r: sign(r["x"]) * 2,
    "math": lambda r: math.sqrt(r["x"]) + math.log(r["x"]),
    "math log base": lambda r: math.log(r["x"], 10),
    "math exp": lambda r: math.exp(r["x"]),
    "math floor": lambda r: math.floor(r["x"]),
    "math tests": lambda r: (math.isnan(r["x"]), math.isinf(r["x"]), math.isfinite(r["x"])),
    "math two": lambda r: (math.atan2(r["x"], 2), math.hypot(r["x"], 1), math.fmod(r["x"], 3)),
    "math constant": lambda r: r["x"] * math.pi,
    "isclose": lambda r: math.isclose(r["x"], 2.0000000001),
    "gcd": lambda r: math.gcd(r["x"], 12),
    "abs": lambda r: abs(r["x"]),
    "min": lambda r: min(r["x"], 3, -0.0),
    "max": lambda r: max(0.0, r["x"]),
    "max of tuple": lambda r: max((r["x"], 2.0)),
    "round": lambda r: round(r["x"]),
    "round digits": lambda r: round(r["x"] / 3, 2) if r["x"] else 0,
    "round to none or digits": lambda r: round(r["x"] / 3, None if r["x"] > 2 else 1),
    "text repeated": lambda r: (r["x"] or "ab") * 2,
    "int": lambda r: int(r["x"]),
    "float": lambda r: float(r["x"]),
    "bool": lambda r: bool(r["x"]),
    "divmod": lambda r: divmod(r["x"], 4),
    "pow": lambda r: pow(r["x"], 3),
    "len": lambda r: len(r["s"]),
    "sum": lambda r: sum((r["x"], 1, 2), 10),
    "isinstance": lambda r: (isinstance(r["x"], int), isinstance(r["x"], (float, str))),
    "spread": lambda r: {**r, "b": r["x"], "s": None},
    "dict": lambda r: {"k": r["s"], "v": r["x"] or -1},
    "list": lambda r: [r["x"], r["s"], 1],
    "constant list": lambda r: ([1, 2.5], [], {"l": []}),
    "max of list": lambda r: max([r["x"] or 0, 1.5]),
    "whole record": lambda r: r,
    "nothing": lambda r: None,
    "constant": lambda r: (1, "a", None),
    "early": early,
    "nested": nested,
    "one branch": one_branch,
    "written": written,
    "aliased": aliased,
    "unpacked": unpacked,
    "walrus": walrus,
    "fallen": fallen,
    "copied": copied,
}
if sys.version_info >= (3, 12):
    del FUNCTIONS["sum"]  # of floats it is compensated there: it falls back, with that reason
