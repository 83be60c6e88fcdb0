"""`python tests/bench` prints the figures of the README; `--short` is the smoke that runs with the tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import bounded, linked, relay
from bench.rates import Size


def main(short: bool) -> None:
    """Print a line for each figure, ratios measured side by side in this run."""
    print("Bounded SQL against the plain query in the same engine")
    for line in bounded.lines(20_000, 200, 2) if short else bounded.lines(1_000_000, 100_000, 7):
        print(" ", line, flush=True)
    print("TPC-H: bounded SQL against the plain query, and planning")
    for line in linked.lines(0.01, 2) if short else linked.lines(1, 11):
        print(" ", line, flush=True)
    print("Through the proxy")
    few, many = Size(("-t", "20"), 1, 50, 2_000), Size(("-T", "2"), 5, 500, 1_000_000)
    for line in relay.lines(few, 2, 20) if short else relay.lines(many, 50, 1_000):
        print(" ", line, flush=True)


if __name__ == "__main__":
    main("--short" in sys.argv)
