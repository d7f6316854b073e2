"""Result and deviations -> stage: what is not needed for them is gone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from batchprep.dtypes import Kind
from batchprep.plan.boolean import any_of
from batchprep.plan.build import both, has_kind, kind_code, rebuild
from batchprep.plan.node import FALSE, TRUE, Node, in_order, kind_const
from batchprep.plan.stage import Deviation, Output, Part, Parts, Stage
from batchprep.plan.tables import Outcome
from batchprep.plan.values import Alternative, Slots, Sum

Replacement = Callable[[Node], Node | None]

TABLE_OPS = frozenset({"word", "call", "find", "gather"})
MOST_DEVIATIONS = 254  # a kernel numbers them in one byte a row
INPUT_OPS = frozenset({"kind", "buffer", "object", "regular", "text"})


Fields = Mapping[Sum, str]  # what reading a field gives -> its name
NO_FIELDS: Fields = MappingProxyType({})


def make_stage(result: Sum, deviations: Iterable[Deviation], fields: Fields = NO_FIELDS) -> Stage:
    """The stage that computes a (frozen) result; deviations in program order.

    A position that holds a field's own value takes it from there: nothing is converted.
    """
    return assemble_stage(_output(result, fields), _pruned(deviations))


def assemble_stage(template: Output, deviations: tuple[Deviation, ...]) -> Stage:
    """The stage of a template and its deviations: leaves collected, constants left out."""
    named = dict.fromkeys(node for node in output_nodes(template) if node.op != "const")
    texts = tuple(node for node in named if is_whole_text(node))
    outputs = [node for node in named if node not in texts]
    roots = [*outputs, *(deviation.guard for deviation in deviations)]
    nodes = in_order(roots)
    return Stage(
        inputs=tuple(node for node in nodes if node.op in INPUT_OPS),
        strings=_strings(nodes, template),
        tables=tuple(node for node in nodes if node.op in TABLE_OPS),
        outputs=tuple(outputs),
        deviations=deviations,
        template=template,
        refs=_refs(nodes, template),
        texts=texts,
    )


def is_whole_text(node: Node) -> bool:
    """Whether a result is a text that is there for all rows, and that no kernel writes."""
    return node.op == "text" and node.dtype == "s"


def output_nodes(output: Output) -> Iterator[Node]:
    """Every node that the template names, constants too."""
    yield output.code
    for _, node in output.payloads:
        yield node
    for _, parts in output.parts:
        yield parts.base
        yield parts.fresh
        for part in parts.parts:
            yield part.guard
            yield from output_nodes(part.output)


def specialise(stage: Stage, null_free: frozenset[str]) -> Stage:
    """The stage for a batch where these fields have no nulls: tests for them are folded."""
    if not any(leaf.op == "kind" and leaf.attr in null_free for leaf in stage.inputs):
        return stage
    return substitute(stage, lambda node: _never_null(node, null_free))


def _never_null(node: Node, null_free: frozenset[str]) -> Node | None:
    is_null_test = node.op == "has_kind" and node.attr == "none" and node.args[0].op == "kind"
    return FALSE if is_null_test and node.args[0].attr in null_free else None


def substitute(stage: Stage, replace: Replacement) -> Stage:
    """The stage with nodes replaced wherever `replace` gives one, and folded again."""
    roots = [*output_nodes(stage.template), *(d.guard for d in stage.deviations)]
    new: dict[Node, Node] = {}
    for node in in_order(roots):
        replacement = replace(node)
        if replacement is None:
            args = tuple(new[arg] for arg in node.args)
            replacement = node if args == node.args else rebuild(node, args)
        new[node] = replacement
    deviations = (dataclasses.replace(d, guard=new[d.guard]) for d in stage.deviations)
    return assemble_stage(_rewritten(stage.template, new), _pruned(deviations))


def _rewritten(output: Output, new: Mapping[Node, Node]) -> Output:
    if output.field is not None:
        return output
    possible: list[Kind] = [k for k in output.kinds if has_kind(new[output.code], k) is not FALSE]
    payloads, parts = dict(output.payloads), dict(output.parts)
    return Output(
        new[output.code],
        tuple(possible),
        tuple((kind, new[payloads[kind]]) for kind in possible if kind in payloads),
        tuple((kind, _rewritten_parts(parts[kind], new)) for kind in possible if kind in parts),
    )


def _rewritten_parts(parts: Parts, new: Mapping[Node, Node]) -> Parts:
    kept = (part for part in parts.parts if new[part.guard] is not FALSE)
    return Parts(
        tuple(Part(p.key, new[p.guard], _rewritten(p.output, new)) for p in kept),
        new[parts.base],
        new[parts.fresh],
    )


def _output(value: Sum, fields: Fields) -> Output:
    if value in fields:
        return Output(kind_const("other"), value.kinds, field=fields[value])
    code = kind_code(tuple((a.kind, a.guard) for a in _decided(value)))
    return Output(
        code=code,
        kinds=tuple(a.kind for a in _decided(value)),
        payloads=tuple((a.kind, a.payload) for a in value if isinstance(a.payload, Node)),
        parts=tuple(
            (a.kind, _parts(a.payload, fields)) for a in value if isinstance(a.payload, Slots)
        ),
    )


def _decided(value: Sum) -> tuple[Alternative, ...]:
    # A value without alternatives belongs to a path on which every row deviates.
    return value.alternatives or (Alternative("none", TRUE, None),)


def _parts(slots: Slots, fields: Fields) -> Parts:
    parts = (Part(slot.key, slot.guard, _output(slot.value, fields)) for slot in slots.slots)
    return Parts(tuple(p for p in parts if p.guard is not FALSE), slots.base, slots.fresh)


def _pruned(deviations: Iterable[Deviation]) -> tuple[Deviation, ...]:
    """Without those that cannot hold or that an earlier one covers."""
    deviations = list(deviations)
    kept: list[Deviation] = []
    seen: set[Node] = {FALSE, *_covered(deviations)}
    for deviation in deviations:
        if deviation.guard not in seen:
            seen.add(deviation.guard)
            kept.append(deviation)
    return tuple(kept if len(kept) <= MOST_DEVIATIONS else _coalesced(kept))


def _covered(deviations: Iterable[Deviation]) -> Iterator[Node]:
    """Guards of escapes that hold only where that of a function around them does."""
    for deviation in deviations:
        for path, raises in _under_path(deviation.guard):
            outcome = raises.attr
            assert isinstance(outcome, Outcome)  # noqa: S101  as _is_raises found
            yield from (both(path, covered) for covered in outcome.pure.covers)


def _under_path(guard: Node) -> Iterator[tuple[Node, Node]]:
    """(path, node "raises") of the guard of a call that raises."""
    if _is_raises(guard):
        yield TRUE, guard
    elif guard.op == "and":
        left, right = guard.args
        if _is_raises(left):
            yield right, left
        if _is_raises(right):
            yield left, right


def _is_raises(node: Node) -> bool:
    return isinstance(node.attr, Outcome) and node.attr.kind == "raises"


def _coalesced(deviations: list[Deviation]) -> list[Deviation]:
    """No more deviations than a byte numbers: those of one reason share a number."""
    by_reason: dict[tuple[str, str | None], list[Deviation]] = {}
    for deviation in deviations:
        by_reason.setdefault((deviation.reason, deviation.error), []).append(deviation)
    merged = [_joined(group) for group in by_reason.values()]
    if len(merged) <= MOST_DEVIATIONS:
        return merged
    rest = any_of(deviation.guard for deviation in merged[MOST_DEVIATIONS - 1 :])
    return [*merged[: MOST_DEVIATIONS - 1], Deviation(rest, "one of many reasons", None, ())]


def _joined(group: list[Deviation]) -> Deviation:
    return dataclasses.replace(group[0], guard=any_of(deviation.guard for deviation in group))


def _strings(nodes: Iterable[Node], template: Output) -> tuple[Node, ...]:
    named = [*nodes, *output_nodes(template)]
    return tuple(dict.fromkeys(n for n in named if n.op == "const" and n.dtype == "s"))


def _refs(nodes: Iterable[Node], template: Output) -> tuple[str, ...]:
    named = [*nodes, *output_nodes(template)]
    return tuple(dict.fromkeys(str(n.attr) for n in named if n.op == "ref"))
