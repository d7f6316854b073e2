"""Longer runs: `python -m tests.pipeline --chains 1000 --backend numba`."""

from __future__ import annotations

import argparse
import secrets
import sys

from tests.pipeline.campaign import Campaign
from tests.pipeline.counts import Counts, table
from tests.pipeline.example import BACKENDS


def main(arguments: list[str]) -> int:
    """Exit code: 0 when no chain differs from its nested loops."""
    parser = argparse.ArgumentParser(prog="python -m tests.pipeline", description=__doc__)
    parser.add_argument("--chains", type=int, default=200, help="so many on each backend")
    parser.add_argument("--seed", type=int, help="first seed, as a failure prints it")
    parser.add_argument("--backend", choices=BACKENDS, action="append", help="default: numpy")
    parser.add_argument("--all", action="store_true", help="show every difference, not only one")
    options = parser.parse_args(arguments)
    first = secrets.randbelow(2**40) if options.seed is None else options.seed
    found: list[str] = []
    counts = Counts()
    for backend in options.backend or ["numpy"]:
        campaign = Campaign(backend)
        for seed in range(first, first + options.chains):
            before = len(found)
            counts = campaign.run(seed, 1, found.append)
            for text in found[before:]:
                print(text, "\n", flush=True)
            if found and not options.all:
                return 1
        print(table(counts))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
