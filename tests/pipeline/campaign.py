"""Random chains by seed, each checked on a backend; a failure is made as small as can be."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzz.examples import OnError
from tests.fuzz.records import rows_of
from tests.pipeline.chains import Chain, draw_chain
from tests.pipeline.check import Difference, EmptyOf, check, pasteable, smaller
from tests.pipeline.choices import Recorded, shortest
from tests.pipeline.counts import Counts
from tests.pipeline.example import Call, Example, Via
from tests.pipeline.subjects import piped

VIAS: tuple[Via, ...] = ("list", "iterator", "arrow", "pandas", "polars")
# A table is what compiles best: the beginning of a chain, too, of which the rest is interpreted.
COLUMNAR_VIAS: tuple[Via, ...] = (*VIAS, "arrow", "arrow")
ON_ERROR: tuple[OnError, ...] = ("null", "raise", "drop")
LARGEST_CALL, SMALLEST_CALL, EMPTY_SHARE = 30, 6, 12
CALLS = {"numba": 6}  # compiling is the cost there: more calls for each kernel
FEW_CALLS = 4
MOST_STEPS = {"numba": 4}
STEPS = 6
SHRINKING = 30.0  # seconds

Show = Callable[[str], None]


def empty_on(backend: str) -> EmptyOf:
    """Chains are added to an empty pipeline of batchprep on that backend."""
    return lambda example: piped(backend)


def example_of(chain: Chain, calls: int) -> Example:
    """The chain with calls: the first is the largest, some are of no rows."""
    random = Random(chain.seed)
    return Example(
        source=chain.source,
        steps=tuple(chain.steps),
        calls=tuple(_call(chain, random, number) for number in range(calls)),
        copies=tuple(chain.copies),
        effects=tuple(chain.effects),
    )


def _call(chain: Chain, random: Random, number: int) -> Call:
    count = LARGEST_CALL if number == 0 else random.randrange(SMALLEST_CALL, LARGEST_CALL)
    rows = rows_of(random, chain.fields, count)
    if number and random.randrange(EMPTY_SHARE) == 0:
        rows = []
    columns = chain.plain and chain.shape.certain and not chain.effects
    via = random.choice(COLUMNAR_VIAS) if columns else VIAS[number % 2]
    on_error = ON_ERROR[0] if number == 0 else random.choice(ON_ERROR)
    return Call(rows, "list" if number == 0 else via, on_error)


class Campaign:
    """Chains of seeds on one backend."""

    def __init__(
        self, backend: str, empty_of: EmptyOf | None = None, *, shrinking: float = SHRINKING
    ) -> None:
        self.counts = Counts()
        self._backend = backend
        self._empty_of = empty_of or empty_on(backend)
        self._shrinking = shrinking

    def run(self, first: int, chains: int, show: Show | None = None) -> Counts:
        """The counts; the first difference is raised at its smallest, or each is shown."""
        for seed in range(first, first + chains):
            try:
                self._one(seed)
            except Difference as found:
                text = f"{self._smallest(seed, found)}\n# --seed {seed} --backend {self._backend}"
                if show is None:
                    raise AssertionError(text) from None
                show(text)
        return self.counts

    def _one(self, seed: int) -> None:
        choices = Recorded(seed)
        chain, example = self._example(choices)
        checked = check(example, self._empty_of)
        self.counts.chain(chain, example, self._backend, checked)

    def _example(self, choices: Recorded) -> tuple[Chain, Example]:
        chain = draw_chain(choices, MOST_STEPS.get(self._backend, STEPS))
        return chain, example_of(chain, CALLS.get(self._backend, FEW_CALLS))

    def _smallest(self, seed: int, found: Difference) -> str:
        def attempt(script: list[int]) -> Difference | None:
            try:
                check(self._example(Recorded(seed, script))[1], self._empty_of)
            except Difference as again:
                return again
            except SyntaxError:  # only a whole script is sure to give a function that is one
                return None
            return None

        choices = Recorded(seed)
        self._example(choices)
        script = shortest(choices.made, lambda tried: attempt(tried) is not None, self._shrinking)
        return pasteable(smaller(attempt(script) or found, self._empty_of))
