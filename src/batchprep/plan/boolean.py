"""Boolean algebra over nodes: guards and path conditions stay small."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from batchprep.plan.node import FALSE, TRUE, Node, intern

# Only ints and `==`: `not (x < y)` is not `x >= y` where a float is NaN.
OPPOSITE: Final = {
    "ilt": "ige",
    "ige": "ilt",
    "igt": "ile",
    "ile": "igt",
    "ieq": "ine",
    "ine": "ieq",
    "feq": "fne",
    "fne": "feq",
    "seq": "sne",
    "sne": "seq",
}
_LIMIT: Final = 48  # literals looked at in one conjunction: folding stays linear in the graph

_conjuncts: weakref.WeakKeyDictionary[Node, frozenset[Node]] = weakref.WeakKeyDictionary()


def conjuncts(node: Node) -> frozenset[Node]:
    """The literals of a conjunction; a large one counts as a literal itself."""
    if node.op != "and":
        return frozenset((node,))
    found = _conjuncts.get(node)
    if found is None:
        left, right = node.args
        found = conjuncts(left) | conjuncts(right)
        if len(found) > _LIMIT:
            # The newest literals matter most: a path condition grows by few at a time.
            short, long = sorted((left, right), key=lambda part: len(conjuncts(part)))
            found = conjuncts(short) | {long}
        _conjuncts[node] = found
    return found


@lru_cache(maxsize=1 << 16)  # a chain of `or` is negated at each of its steps
def negation(node: Node) -> Node:
    """not x, pushed through `or` and into comparisons so that guards cancel."""
    if node is TRUE:
        return FALSE
    if node is FALSE:
        return TRUE
    if node.op == "not":
        return node.args[0]
    if node.op == "or":
        return conjunction(negation(node.args[0]), negation(node.args[1]))
    if node.op in OPPOSITE:
        return intern(OPPOSITE[node.op], node.args, None, "b")
    return intern("not", (node,), None, "b")


def _opposed(literal: Node, literals: frozenset[Node]) -> bool:
    if literal.op in {"not", "or"} or literal.op in OPPOSITE:
        # not x beside x; x or y beside not x and not y; not (x and y) beside x and y
        return conjuncts(negation(literal)) <= literals
    if literal.op == "has_kind":  # two kinds of one field exclude each other
        return any(
            other.op == "has_kind" and other.args == literal.args and other is not literal
            for other in literals
        )
    return False


def conjunction(left: Node, right: Node) -> Node:
    """Left and right: x and x -> x, x and not x -> False, (x and y) and y -> x and y."""
    if left is FALSE or right is FALSE:
        return FALSE
    if left is TRUE or left is right:
        return right
    if right is TRUE:
        return left
    ours, theirs = conjuncts(left), conjuncts(right)
    if any(_opposed(x, ours) for x in theirs) or any(_opposed(x, theirs) for x in ours):
        return FALSE
    if theirs <= ours:
        return left
    if ours <= theirs:
        return right
    return intern("and", _ordered(left, right), None, "b")


def _ordered(left: Node, right: Node) -> tuple[Node, Node]:
    # The higher one first, as in a path condition: then few values are alive at a time.
    return (left, right) if left.order >= right.order else (right, left)


def disjunction(left: Node, right: Node) -> Node:
    """Left or right: x or x -> x, x or (x and y) -> x, (p and x) or (p and not x) -> p."""
    if left is TRUE or right is TRUE:
        return TRUE
    if left is FALSE or left is right:
        return right
    if right is FALSE:
        return left
    if _is_negation(left, right):
        return TRUE
    ours, theirs = conjuncts(left), conjuncts(right)
    if ours <= theirs:
        return left
    if theirs <= ours:
        return right
    factored = _factored(left, right) or _resolved(left, right) or _resolved(right, left)
    return intern("or", _ordered(left, right), None, "b") if factored is None else factored


def _is_negation(left: Node, right: Node) -> bool:
    return negation(left) is right or negation(right) is left


def _factored(left: Node, right: Node) -> Node | None:
    # (p and x) or (p and not x) -> p: both branches of an `if` went on
    if left.op != "and" or right.op != "and":
        return None
    for shared, rest in (left.args, left.args[::-1]):
        if shared in right.args:
            other = right.args[1] if right.args[0] is shared else right.args[0]
            if negation(rest) is other or negation(other) is rest:
                return shared
    return None


def _resolved(left: Node, right: Node) -> Node | None:
    # x or (not x and y) -> x or y
    if right.op != "and":
        return None
    opposite = negation(left)
    for literal, rest in (right.args, right.args[::-1]):
        if literal is opposite:
            return disjunction(left, rest)
    return None


def any_of(nodes: Iterable[Node]) -> Node:
    """Whether one of many holds: a balanced tree, since a chain of thousands is deep."""
    level = list(nodes)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        rest = level[-1:] if len(level) % 2 else []
        level = [disjunction(left, right) for left, right in pairs] + rest
    return level[0] if level else FALSE
