"""Path facts: what a path condition implies about numbers, so that checks fall away."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from batchprep.dtypes import INT64_MAX, INT64_MIN, TIME_BOUNDS
from batchprep.plan.boolean import conjuncts
from batchprep.plan.build import LARGEST_EXPONENT, both
from batchprep.plan.node import FALSE, TRUE, Node

Number = int | float


@dataclass(frozen=True)
class Range:
    """Inclusive bounds of a number; `nan` tells whether it may be NaN besides."""

    low: Number
    high: Number
    nan: bool = False

    def meet(self, other: Range) -> Range:
        """What both say."""
        return Range(max(self.low, other.low), min(self.high, other.high), self.nan and other.nan)


ANY_INT: Final = Range(INT64_MIN, INT64_MAX)
ANY_FLOAT: Final = Range(-math.inf, math.inf, nan=True)
BOOL: Final = Range(0, 1)

Facts = Mapping[Node, Range]

_MIRROR: Final = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_DEPTH: Final = 8  # how far below a node its range is looked for


@lru_cache(maxsize=1 << 10)  # many checks are made on one path
def facts_of(condition: Node) -> Facts:
    """Ranges of nodes that hold where the condition does."""
    facts: dict[Node, Range] = {}
    for literal in conjuncts(condition):
        for node, known in _told_by(literal):
            facts[node] = facts.get(node, known).meet(known)
    return facts


def simplify(check: Node, condition: Node) -> Node:
    """`check`, given that `condition` holds: literals that it decides are folded."""
    return decide(check, facts_of(condition))


def decide(check: Node, facts: Facts) -> Node:
    """`check` with the literals folded that the facts settle."""
    result = TRUE
    for literal in sorted(conjuncts(check), key=lambda node: node.order):
        verdict = _verdict(literal, facts)
        if verdict is False:
            return FALSE
        if verdict is None:
            result = both(result, literal)
    return check if _same_literals(check, result) else result


def _same_literals(check: Node, result: Node) -> bool:
    return conjuncts(check) == conjuncts(result)


def _comparison(literal: Node) -> tuple[str, Node, Node, bool] | None:
    """(relation, left, right, negated) of a comparison of numbers."""
    negated = literal.op == "not"
    node = literal.args[0] if negated else literal
    if len(node.args) == 2 and node.op[:1] in "if" and node.op[1:] in _MIRROR:
        return node.op[1:], node.args[0], node.args[1], negated
    return None


@lru_cache(maxsize=1 << 14)  # and paths grow by a literal or two
def _told_by(literal: Node) -> tuple[tuple[Node, Range], ...]:
    """What a literal says of nodes."""
    found = _comparison(literal)
    if found is None:
        return ()
    relation, left, right, negated = found
    told: list[tuple[Node, Range]] = []
    for one, other, name in ((left, right, relation), (right, left, _MIRROR[relation])):
        if other.op == "const" and one.op != "const":
            known = _implied(name, other, negated=negated)
            if known is not None:
                told += _spread(one, known)
    return tuple(told)


def _spread(node: Node, known: Range) -> Iterator[tuple[Node, Range]]:
    yield node, _unconditional(node).meet(known)
    # The int below has the same bounds, widened to whole numbers; beyond infinity lies none.
    if node.op == "i2f" and known.low < math.inf and known.high > -math.inf:
        low = INT64_MIN if known.low == -math.inf else math.ceil(max(known.low, -(2.0**53)))
        high = INT64_MAX if known.high == math.inf else math.floor(min(known.high, 2.0**53))
        if known.low < -(2.0**53):
            low = INT64_MIN
        if known.high > 2.0**53:
            high = INT64_MAX
        if low <= high:
            yield from _spread(node.args[0], Range(low, high))


def _implied(relation: str, constant: Node, *, negated: bool) -> Range | None:
    value = constant.attr
    assert isinstance(value, (int, float))  # noqa: S101  a comparison of numbers
    if math.isnan(value):
        return None
    whole = constant.dtype == "i"
    if negated:
        relation = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}[
            relation
        ]
    # The negation of a float comparison holds for NaN too; `x == c` or its like never does.
    nan = (negated and relation != "eq" and not whole) or (relation == "ne" and not whole)
    if relation == "eq":
        return Range(value, value, nan=False)
    lowest, highest = (INT64_MIN, INT64_MAX) if whole else (-math.inf, math.inf)
    if relation in ("gt", "ge"):
        return Range(_above(value, whole) if relation == "gt" else value, highest, nan)
    if relation in ("lt", "le"):
        return Range(lowest, _below(value, whole) if relation == "lt" else value, nan)
    return None


def _above(value: Number, whole: bool) -> Number:  # noqa: FBT001
    return value + 1 if whole else math.nextafter(value, math.inf)


def _below(value: Number, whole: bool) -> Number:  # noqa: FBT001
    return value - 1 if whole else math.nextafter(value, -math.inf)


def _verdict(literal: Node, facts: Facts) -> bool | None:
    if literal is TRUE or literal is FALSE:
        return literal is TRUE
    found = _comparison(literal)
    if found is not None:
        relation, left, right, negated = found
        answer = _compare(relation, range_of(left, facts), range_of(right, facts))
        return (not answer) if negated and answer is not None else answer
    check = _CHECKS.get(literal.op)
    return None if check is None else check(*(range_of(arg, facts) for arg in literal.args))


def _compare(relation: str, left: Range, right: Range) -> bool | None:
    if left.nan or right.nan:
        return _compare_with_nan(relation, left, right)
    if relation == "eq":
        if left.low == left.high == right.low == right.high:
            return True
        return False if left.high < right.low or right.high < left.low else None
    if relation == "ne":
        equal = _compare("eq", left, right)
        return None if equal is None else not equal
    if relation in ("gt", "ge"):
        return _compare(_MIRROR[relation], right, left)
    certain = left.high < right.low if relation == "lt" else left.high <= right.low
    excluded = left.low >= right.high if relation == "lt" else left.low > right.high
    return True if certain else False if excluded else None


def _compare_with_nan(relation: str, left: Range, right: Range) -> bool | None:
    # NaN makes every comparison False but `!=`: only that answer can still be certain.
    plain = _compare(relation, Range(left.low, left.high), Range(right.low, right.high))
    return plain if plain is (relation == "ne") else None


def range_of(node: Node, facts: Facts, depth: int = _DEPTH) -> Range:
    """Bounds of a number, from the facts and from how it is computed."""
    known = facts.get(node)
    derived = _derived(node, facts, depth) if depth else _unconditional(node)
    return derived if known is None else known.meet(derived)


def _unconditional(node: Node) -> Range:
    if node.op == "const":
        value = node.attr
        assert isinstance(value, (int, float))  # noqa: S101
        return ANY_FLOAT if math.isnan(value) else Range(value, value)
    if node.op == "buffer" and node.dtype == "i" and isinstance(node.attr, tuple):
        return Range(*node.attr[2:4]) if len(node.attr) == 4 else ANY_INT
    if node.op == "b2i" or node.dtype == "b":
        return BOOL
    return ANY_INT if node.dtype == "i" else ANY_FLOAT


def _derived(node: Node, facts: Facts, depth: int) -> Range:
    rule = _RANGES.get(node.op)
    base = _unconditional(node)
    if node.op == "select" and node.dtype in "if":
        yes, no = (range_of(arg, facts, depth - 1) for arg in node.args[1:])
        return Range(min(yes.low, no.low), max(yes.high, no.high), yes.nan or no.nan)
    if rule is None:
        return base
    result = rule(*(range_of(arg, facts, depth - 1) for arg in node.args))
    wraps = node.dtype == "i" and not (result.low >= INT64_MIN and result.high <= INT64_MAX)
    return base if wraps else result


def _corners(function: Callable[[int, int], int], left: Range, right: Range) -> Range:
    values = [function(int(a), int(b)) for a in _ends(left) for b in _ends(right)]
    return Range(min(values), max(values))


def _ends(span: Range) -> Iterable[Number]:
    return (span.low, span.high)


def _magnitude(span: Range) -> Range:
    smallest = 0 if span.low <= 0 <= span.high else min(abs(span.low), abs(span.high))
    return Range(smallest, max(abs(span.low), abs(span.high)), span.nan)


def _modulo(_: Range, right: Range) -> Range:
    return Range(min(int(right.low) + 1, 0), max(int(right.high) - 1, 0))


def _floor_divide(left: Range, right: Range) -> Range:
    if right.low != right.high or right.low <= 0:
        return ANY_INT
    return Range(int(left.low) // int(right.low), int(left.high) // int(right.low))


def _add(left: Range, right: Range) -> Range:
    return Range(left.low + right.low, left.high + right.high)


def _subtract(left: Range, right: Range) -> Range:
    return Range(left.low - right.high, left.high - right.low)


def _multiply(left: Range, right: Range) -> Range:
    return _corners(lambda a, b: a * b, left, right)


def _exponential(x: Range) -> Range:
    return Range(0.0, math.inf if x.high > LARGEST_EXPONENT else sys.float_info.max, x.nan)


_RANGES: Final[dict[str, Callable[..., Range]]] = {
    "iadd": _add,
    "isub": _subtract,
    "imul": _multiply,
    "ineg": lambda x: Range(-x.high, -x.low),
    "iabs": _magnitude,
    "fabs": _magnitude,
    "imod": _modulo,
    "ifloordiv": _floor_divide,
    "year_of_day": lambda _: Range(1, 9999),
    "month_of_day": lambda _: Range(1, 12),
    "day_of_month": lambda _: Range(1, 31),
    "day_of_civil": lambda *_: Range(*TIME_BOUNDS["date"]),
    # Rounding is monotonic, so bounds convert like values.
    "i2f": lambda x: Range(float(x.low), float(x.high)),
    "sqrt": lambda x: Range(0.0, math.inf, x.nan or x.low < 0),
    "exp": _exponential,
}


def _outside(result: Range) -> bool | None:
    return False if result.low >= INT64_MIN and result.high <= INT64_MAX else None


_CHECKS: Final[dict[str, Callable[..., bool | None]]] = {
    "iadd_overflows": lambda a, b: _outside(_add(a, b)),
    "isub_overflows": lambda a, b: _outside(_subtract(a, b)),
    # The op's own test is on float products and errs on the safe side, near 2**63 only.
    "imul_overflows": lambda a, b: _outside(_multiply(a, b)),
    "fisnan": lambda x: None if x.nan else False,
    "fisinf": lambda x: False if -math.inf < x.low and x.high < math.inf else None,
}
