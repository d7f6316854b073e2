"""What a run of chains reached: steps, neighbours, failures by position, containers, compiling."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.fuzz.counts import reason_group
from tests.pipeline.chains import Chain
from tests.pipeline.check import Checked
from tests.pipeline.example import Example

COLUMNAR = {"arrow", "pandas", "polars"}


@dataclass
class Counts:
    """Counts of a run, by group; a name counts once per chain."""

    groups: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        self.groups.update(other.groups)

    def chain(self, chain: Chain, example: Example, backend: str, checked: list[Checked]) -> None:
        """Count a chain whose answers are right."""
        kinds = [step.kind for step in example.steps]
        found = {("chains", backend), ("length", str(len(kinds)))}
        found |= {("step", kind) for kind in kinds}
        found |= {("neighbours", f"{one}, {other}") for one, other in pairwise(kinds)}
        found |= {("construct", label) for label in chain.labels}
        for one in checked:
            found |= _of_call(kinds, one)
        found |= {("compiled", _compiled(one)) for one in checked}
        if "flat_map" not in kinds:
            found |= {("why not compiled", reason) for reason in _reasons(checked)}
        self.groups.update(found)
        self.groups["rows", "out"] += sum(len(outcomes) for _, _, outcomes, _ in checked)
        self.groups["rows", "failed"] += sum(
            outcome.error is not None for _, _, outcomes, _ in checked for outcome in outcomes
        )

    def to_dict(self) -> list[list[Any]]:
        """Plain data, for the trip to the process that prints."""
        return [[*key, count] for key, count in sorted(self.groups.items())]

    @staticmethod
    def from_dict(data: list[list[Any]]) -> Counts:
        return Counts(Counter({(group, name): count for group, name, count in data}))


def _of_call(kinds: list[str], checked: Checked) -> set[tuple[str, str]]:
    call, data, outcomes, answer = checked
    found = {("source", data.via), ("on_error", f"{call.on_error} of {data.via}")}
    for outcome in outcomes:
        if outcome.error is not None:
            found |= {
                ("failure in step", kinds[outcome.position]),
                ("failure at position", str(outcome.position + 1)),
            }
    for stage in answer.stages:
        found |= {("deviation", reason_group(reason)) for reason in stage["deviations"]}
    if answer.error is not None and not any(outcome.error for outcome in outcomes):
        found.add(("refused", f"{type(answer.error).__name__} of {data.via}"))
    if call.on_error == "raise" and data.via == "iterator" and answer.error:
        found.add(("results before a failure", str(bool(answer.results.values))))
    return found


def _reasons(checked: list[Checked]) -> set[str]:
    """Why stages ran in the interpreter."""
    stages = [stage for *_, answer in checked for stage in answer.stages]
    return {reason_group(stage["reason"]) for stage in stages if not stage["compiled"]}


def _compiled(checked: Checked) -> str:
    """How much of the chain ran compiled in a call."""
    _, data, _, answer = checked
    stages = [stage["compiled"] for stage in answer.stages]
    if not stages:
        return "no stages"
    part = "whole chain" if all(stages) else "part of it" if any(stages) else "nothing of it"
    return f"{part}, {'columns' if data.via in COLUMNAR else 'records'}"


def shortfalls(counts: Counts, wanted: dict[tuple[str, str], int]) -> list[str]:
    """What the run did not reach, one sentence each."""
    return [
        f"{group} {name!r}: {counts.groups[group, name]} chains, at least {least} wanted"
        for (group, name), least in sorted(wanted.items())
        if counts.groups[group, name] < least
    ]


def table(counts: Counts) -> str:
    """The counts as text, a line for each group."""
    lines: dict[str, list[str]] = {}
    for (group, name), count in sorted(counts.groups.items(), key=lambda item: -item[1]):
        lines.setdefault(group, []).append(f"{name} {count:,}")
    return "\n".join(f"{group}: {', '.join(found)}" for group, found in sorted(lines.items()))
