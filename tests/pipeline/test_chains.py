"""Random chains over random functions, records and containers equal nested loops."""

from __future__ import annotations

import pytest

from tests.pipeline.campaign import Campaign, empty_on
from tests.pipeline.check import Difference, check, pasteable
from tests.pipeline.counts import shortfalls
from tests.pipeline.example import BACKENDS
from tests.pipeline.examples import EXAMPLES
from tests.pipeline.reached import COMPILED

SHARD = 100
SHARDS = [
    ("numpy", 0, SHARD),
    ("numpy", 100, SHARD),
    ("numpy", 200, SHARD),
    ("python", 300, SHARD),
    *(("numba", number, 10) for number in range(400, 440, 10)),
]
ALL_CHAINS = 400  # those of which tests.pipeline.reached speaks


@pytest.mark.parametrize(
    ("backend", "first", "chains"), [pytest.param(*s, id=f"{s[0]}-{s[1]}") for s in SHARDS]
)
def test_random_chains_equal_nested_loops(backend, first, chains):
    counts = Campaign(backend).run(first, chains)

    if chains == SHARD and backend != "python":
        assert shortfalls(counts, COMPILED) == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_was_wrong_once_equals_nested_loops(name, backend):
    try:
        check(EXAMPLES[name], empty_on(backend))
    except Difference as found:
        pytest.fail(pasteable(found), pytrace=False)
