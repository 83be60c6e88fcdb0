"""`python tests/bench` prints the figures of docs/benchmarks.md, `python tests/bench postgres` those with Postgres
as engine, `python tests/bench forms` those of the forms of bounded SQL, with unit indexes and without, `python
tests/bench work` what a row operation costs in both, `python tests/bench ledger` what a charge
costs, `python tests/bench own [--beside CHECKOUT]` the proxy's CPU time for a statement, `python tests/bench planning`
how long statements take to plan and to check, `python tests/bench filled` how long those that come again with other
values, `python tests/bench accuracy` how far answers are from the truth,
`python tests/bench coverage` how often their intervals hold it, `python tests/bench robust` the errors of robust
estimators, `python tests/bench pairs` those of rows of two units, `python tests/bench growth` what grows with the rows
(and draws it), `python tests/bench lake` what DuckDB, Sail and a cluster of Spark's take for the files of a lake,
`python tests/bench peers` time and error of other libraries for the same questions, `python tests/bench cluster` those
of the ones that know Spark on one cluster (`SPARK_HOME`); `python tests/bench pictures` draws
the pictures of docs/mechanisms.md, `python tests/bench page` those of the budget page. `--short` is the smoke that the
tests run.

Each imports what it measures with and no more: all of it together takes seconds."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def main(short: bool) -> None:
    """Print a line for each figure, ratios measured side by side in this run."""
    from bench import bounded, linked, relay
    from bench.rates import Size

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
    from bench import postgres
    from bench.postgres import Extent

    few, many = Extent(0.01, 1, ("-t", "2"), (2,), 2), Extent(1, 7, ("-T", "10"), (1, 4, 16), 200)
    for line in postgres.lines(few if short else many):
        print(line, flush=True)


def of_charges(short: bool) -> None:
    """A charge, with others at the same time: in one process, and in three."""
    from bench import batching, racing

    for line in batching.lines(50, 1) if short else batching.lines(600, 9):
        print(line, flush=True)
    print("A charge while fifty callers race, through three proxies' ledgers")
    for line in racing.lines(1 if short else 100):
        print(" ", line, flush=True)


def of_own_time(short: bool) -> None:
    """CPU time of the proxy for a statement, beside pgbouncer and, with --beside CHECKOUT, another state."""
    from bench import own_time

    other = Path(sys.argv[sys.argv.index("--beside") + 1]) if "--beside" in sys.argv else None
    few, many = own_time.Extent(1, 5, 5, 3), own_time.Extent(5, 2_000, 500, 20)
    for line in own_time.lines(few if short else many, other):
        print(line, flush=True)


def of_work(short: bool) -> None:
    """Seconds for each row operation."""
    from bench import work

    few, many = work.Extent((1_000, 3_000), (10, 30), 1), work.Extent((100_000, 500_000), (1_000, 5_000), 5)
    for line in work.lines(few if short else many):
        print(line, flush=True)


def of_forms(short: bool) -> None:
    """The forms of bounded SQL, to the plain query that is joined to its unit; `only=` for some of them."""
    from bench import forms

    only = next((word.removeprefix("only=") for word in sys.argv[1:] if word.startswith("only=")), "")
    for line in forms.lines(0.01, 1, only) if short else forms.lines(1, 5, only):
        print(line, flush=True)


def of_delays(short: bool) -> None:
    """What the noise in time costs."""
    from bench import delays

    for line in delays.lines(3, (10,)) if short else delays.lines(100):
        print(line, flush=True)


def of_planning(short: bool) -> None:
    """What planning and checking a statement afresh takes."""
    from bench import planning

    for line in planning.lines(2, 20) if short else planning.lines(2):
        print(line, flush=True)


def of_filled(short: bool) -> None:
    """What it takes where a statement comes again with other values."""
    from bench import planning

    for line in planning.filled_lines(2, 20) if short else planning.filled_lines(5, 3):
        print(line, flush=True)


def of_accuracy(_: bool) -> None:
    """How far answers are from the truth."""
    from bench.accuracy import study

    study.main(sys.argv[1:])


def of_coverage(short: bool) -> None:
    """How often intervals hold the exact answer."""
    from bench.coverage import study

    study.main(short)


def of_robust(short: bool) -> None:
    """Errors of medians and means."""
    from bench import robust

    for line in robust.lines(3, (1_000,)) if short else robust.lines(30):
        print(line, flush=True)


def of_pairs(short: bool) -> None:
    """Errors of numbers of rows that belong to two units each."""
    from bench import pairs

    for line in pairs.lines(0.01, 2) if short else pairs.lines(1, 20):
        print(line, flush=True)


def of_scale(short: bool) -> None:
    """The ledger under 1,000 analysts and 50 proxies."""
    from bench import scale

    for line in scale.lines(4, 20) if short else scale.lines(200, 600):
        print(line, flush=True)


def of_pictures(short: bool) -> None:
    """The pictures of docs/mechanisms.md."""
    from bench import pictures

    with tempfile.TemporaryDirectory() as elsewhere:
        place = Path(elsewhere) if short else Path(__file__).parents[2] / "docs" / "pictures"
        for line in pictures.draw(place, 2 if short else 100):
            print(line, flush=True)


def of_growth(short: bool) -> None:
    """What a statement costs over more and more rows, and its picture."""
    from bench import growth

    with tempfile.TemporaryDirectory() as elsewhere:
        place = Path(elsewhere) if short else Path(__file__).parents[2] / "docs" / "pictures"
        for line in growth.lines((0.01, 0.02), 1, place) if short else growth.lines((0.1, 0.3, 1, 3, 10), 3, place):
            print(line, flush=True)


def of_lake(short: bool) -> None:
    """A lake's files by DuckDB, Sail and a cluster of Spark's; `engine=`, `scale=`, `rounds=` and `rows=DIRECTORY`."""
    from bench import lake

    told = [word.partition("=") for word in sys.argv[1:]]
    engines = tuple(value for name, _, value in told if name == "engine") or lake.asked_engines()
    scales = tuple(float(value) for name, _, value in told if name == "scale") or (1.0, 10.0)
    rounds = next((int(value) for name, _, value in told if name == "rounds"), 3)
    rows = next((Path(value) for name, _, value in told if name == "rows"), None)
    for line in lake.lines((0.01,), lake.ENGINES[:2], 1, None) if short else lake.lines(scales, engines, rounds, rows):
        print(line, flush=True)


def of_cluster(short: bool) -> None:
    """Other libraries and dpproxy on one cluster of Spark's; `scale=`, `rounds=` and `rows=DIRECTORY`."""
    from bench import lake_peers
    from bench.cluster_programs import programs

    told = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    rows = Path(told["rows"]) if "rows" in told else None
    scale, rounds = float(told.get("scale", "1")), int(told.get("rounds", "3"))
    for line in lake_peers.lines(0.01, 1, None, ()) if short else lake_peers.lines(scale, rounds, rows, [*programs()]):
        print(line, flush=True)


def of_peers(short: bool) -> None:
    """Other libraries beside dpproxy; the short form fetches none."""
    from bench import peers
    from bench.peer_programs import PEERS

    for line in peers.lines(0.01, 1, ()) if short else peers.lines(1, 5, tuple(PEERS)):
        print(line, flush=True)


def of_page(short: bool) -> None:
    """The pictures of the budget page in docs/operations.md."""
    from bench import budget_page

    with tempfile.TemporaryDirectory() as elsewhere:
        for line in budget_page.draw(Path(elsewhere) if short else Path(__file__).parents[2] / "docs" / "pictures"):
            print(line, flush=True)


WAYS = {
    "accuracy": of_accuracy,
    "coverage": of_coverage,
    "postgres": on_postgres,
    "own": of_own_time,
    "work": of_work,
    "forms": of_forms,
    "delays": of_delays,
    "ledger": of_charges,
    "planning": of_planning,
    "filled": of_filled,
    "pictures": of_pictures,
    "page": of_page,
    "robust": of_robust,
    "pairs": of_pairs,
    "scale": of_scale,
    "growth": of_growth,
    "lake": of_lake,
    "peers": of_peers,
    "cluster": of_cluster,
}

if __name__ == "__main__":
    chosen = next((way for name, way in WAYS.items() if name in sys.argv[1:]), main)
    chosen("--short" in sys.argv)
