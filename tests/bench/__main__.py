"""`python tests/bench` prints the figures of the README, `python tests/bench postgres` those with Postgres as engine.
`--short` is the smoke that runs with the tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import bounded, linked, postgres, racing, relay
from bench.postgres import Extent
from bench.rates import Size


def main(short: bool) -> None:
    """Print a line for each figure, ratios measured side by side in this run."""
    print("Bounded SQL against the plain query in the same engine")
    for line in bounded.lines(2_000, 50, 1) if short else bounded.lines(1_000_000, 100_000, 7):
        print(" ", line, flush=True)
    print("TPC-H: bounded SQL against the plain query, and planning")
    for line in linked.lines(0.01, 1) if short else linked.lines(1, 11):
        print(" ", line, flush=True)
    print("Through the proxy")
    few, many = Size(("-t", "3"), 1, 50, 2_000), Size(("-T", "2"), 5, 500, 1_000_000)
    for line in relay.lines(few, 2, 3) if short else relay.lines(many, 50, 1_000):
        print(" ", line, flush=True)


def on_postgres(short: bool) -> None:
    """The same with Postgres as engine."""
    few, many = Extent(0.01, 1, ("-t", "2"), (2,), 2), Extent(1, 7, ("-T", "10"), (1, 4, 16), 200)
    for line in postgres.lines(few if short else many):
        print(line, flush=True)
    print("A charge while fifty callers race, through three proxies' ledgers")
    for line in racing.lines(1 if short else 100):
        print(" ", line, flush=True)


if __name__ == "__main__":
    chosen = on_postgres if "postgres" in sys.argv else main
    chosen("--short" in sys.argv)
