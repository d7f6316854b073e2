"""Shards of random functions, each checked on backends; a failure is shrunk by Hypothesis."""

from __future__ import annotations

import faulthandler
import resource
import sys
from functools import partial
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from tests.fuzz.check import Difference, SubjectOf, check, pasteable, smaller
from tests.fuzz.counts import Counts, operations_of, reason_group
from tests.fuzz.examples import Call, Example, OnError
from tests.fuzz.functions import Case, cases
from tests.fuzz.records import OTHERS, Grammar, rows_of
from tests.fuzz.subjects import Answer, Compiled

# Results of all rows are compared under "null"; under "raise" only the first failure is.
MODES: tuple[OnError, ...] = ("null", "null", "raise", "drop")
BATCHES = {"numba": 20}  # compiling is the cost there: more batches for each kernel
FEW_BATCHES = 4
LARGEST_BATCH = 30
# One function in so many also meets values of kinds that inference did not see: a batch of
# 80 times the rows of others, in which the interpreter computes most of a nested function.
STRAY_SHARE: dict[Grammar, int] = {"core": 16, "nested": 64}
FUNCTIONS_PER_SEED = 100_000
MEMORY = 8 << 30  # bytes of address space


def subject_on(backend: str) -> SubjectOf:
    """What answers the calls: the function compiled for that backend."""
    return partial(Compiled, backend=backend)


def example_of(case: Case, batches: int, grammar: Grammar = "core") -> Example:
    """The case with rows: the first call is the largest, an empty one is among them."""
    random = Random(case.seed)
    calls = [_call(case, random, number, batches) for number in range(batches)]
    if random.randrange(STRAY_SHARE[grammar]) == 0:
        calls.append(_stray_call(case, random))
    return Example(
        source=case.source,
        calls=tuple(calls),
        form=case.form,
        arguments=case.arguments,
        keywords=case.keywords,
        effect=case.effect,
    )


def _call(case: Case, random: Random, number: int, batches: int) -> Call:
    count = LARGEST_BATCH if number == 0 else random.randrange(5, LARGEST_BATCH + 1)
    rows = rows_of(random, case.fields, count) if number != 1 else []
    rebind = case.rebind if number == batches // 2 else {}
    return Call(rows, MODES[number % len(MODES)], case.via, rebind)


def _stray_call(case: Case, random: Random) -> Call:
    rows = rows_of(random, case.fields, LARGEST_BATCH)
    strays = tuple(
        {
            **rows[0],
            random.choice(case.fields).name: random.choice(("stray", 7, 0.5, True, *OTHERS)),
        }
        for _ in range(3)
    )
    return Call(rows, "null", "list", strays=strays)


class Shard:
    """Some random functions of one seed, run on some backends in turn."""

    def __init__(
        self,
        backends: tuple[str, ...],
        subject_of: Any = subject_on,
        *,
        grammar: Grammar = "core",
        shrinking: bool = True,
    ) -> None:
        self.counts = Counts()
        self._phases = (Phase.generate, Phase.shrink) if shrinking else (Phase.generate,)
        self._subjects = {backend: subject_of(backend) for backend in backends}
        self._failing = False
        self._grammar: Grammar = grammar

    def run(self, number: int, functions: int) -> Counts:
        """The counts of so many functions; the first difference is raised at its smallest."""
        for position in range(functions):
            self._run_one(number * FUNCTIONS_PER_SEED + position)
        return self.counts

    def _run_one(self, seed_of_function: int) -> None:
        try:
            self._property(seed_of_function)()
        except Difference as found:
            text = pasteable(self._smaller(found))
            raise AssertionError(f"{text}\n# seed {seed_of_function}") from None

    def _smaller(self, found: Difference) -> Difference:
        for subject_of in self._subjects.values():
            try:
                check(found.example, subject_of)
            except Difference as again:
                return smaller(again, subject_of)
        return found

    def _property(self, seed_of_function: int) -> Any:
        # One run of Hypothesis for each function: in a run of many, half are variations of others.
        @seed(seed_of_function)
        @settings(
            max_examples=1,
            database=None,
            deadline=None,
            derandomize=False,  # the seed decides
            phases=self._phases,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(cases(grammar=self._grammar))
        def equals_the_loop(case: Case) -> None:
            self._check(case)

        return equals_the_loop

    def _check(self, case: Case) -> None:
        operations = operations_of(case.source)
        # Every run begins with the simplest function there is: it is of use in shrinking only.
        assume(self._failing or operations)
        try:
            for backend, subject_of in self._subjects.items():
                batches = BATCHES.get(backend, FEW_BATCHES)
                answers = check(example_of(case, batches, self._grammar), subject_of)
                self._count(case, backend, answers)
        except Difference as found:
            # "red" * 2**31 runs out of memory, or does not: nothing can be said of such a row.
            assume("MemoryError" not in found.text)
            self._failing = True
            raise
        except BaseException:
            self._failing = True
            raise
        self.counts.operations[operations] += 1

    def _count(self, case: Case, backend: str, answers: list[Answer]) -> None:
        counts, unsupported = self.counts, [a.unsupported for a in answers if a.unsupported]
        counts.functions[backend] += 1
        counts.compiled[backend] += not unsupported
        counts.unsupported.update(map(reason_group, unsupported[:1]))
        counts.rows["rows"] += sum(len(a.results or ()) for a in answers)
        counts.rows["failed"] += sum(len(a.failures) for a in answers)
        # The floor for compiled functions is one for the core: others are counted in any case.
        counted = not unsupported or self._grammar == "nested"
        if backend == next(iter(self._subjects)) and counted:
            counts.constructs.update(case.labels.keys())
            counts.reasons.update({reason_group(r) for a in answers for r in a.deviations})
        for answer in answers:
            for reason, rows in answer.deviations.items():
                counts.deviations[reason_group(reason)] += rows


def run_shard(
    backends: tuple[str, ...], number: int, functions: int, grammar: Grammar = "core"
) -> dict[str, Any]:
    """The counts of a shard as plain data: what a worker process sends back."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))
    return Shard(backends, grammar=grammar).run(number, functions).to_dict()


def bound_process() -> None:
    """A process that crashes says where, and one that wants all memory gets a MemoryError."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
