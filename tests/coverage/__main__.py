"""`python -m tests.coverage FOLDER …` prints for each folder what is answered, and what is refused for which reason."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import psycopg
from proxies import serving
from rich.console import Console
from rich.progress import track
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from worlds import READER, fitted

from coverage.asked import Asked, asked, faults
from coverage.corpus import SCHEMA, questions
from coverage.judged import Judged, judged, private_of, runs_on
from coverage.report import report
from coverage.rows import copy, fill
from coverage.served import analysts, over_duckdb, policy_of
from coverage.timed import Taken, spread, taken
from dpproxy.answering.garbage import collect_seldom
from dpproxy.config import load
from dpproxy.server.large_pages import use_large_pages


def main() -> None:
    """Ask all statements of each folder, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.coverage", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--unit", help="TABLE[.COLUMN] of the unit, where the policy is drafted")
    parser.add_argument("--refused", action="store_true", help="list the refused statements, too")
    parser.add_argument("--rows", type=int, help="ask them all, over so many rows in each table, and print what failed")
    parser.add_argument("--times", action="store_true", help="how long they take to plan and to check, in this process")
    parser.add_argument("--engine", choices=("postgres", "duckdb"), default="duckdb", help="that has these rows")
    chosen = parser.parse_args()
    collect_seldom()  # as a server does
    use_large_pages()
    for folder in chosen.folders:
        if chosen.rows is not None:
            Console().print(*faults(folder.name, told(folder, chosen.unit, chosen.rows, chosen.engine)), sep="\n")
            continue
        if chosen.times:
            Console().print(*spread(folder.name, timed(folder, chosen.unit)), sep="\n")
            continue
        Console().print(*report(folder.name, measured(folder, chosen.unit), chosen.refused), sep="\n")


def measured(folder: Path, unit: str | None) -> list[Judged]:
    """What became of each statement of the folder, before a proxy over its empty tables in a Postgres."""
    every = list(questions(folder))
    (binaries, *_) = INSTALLATIONS.values()
    with tempfile.TemporaryDirectory() as here, scratch_postgres(binaries) as server, _owner(server, folder) as owner:
        config = load(policy_of(folder, Path(here), server, unit), {})
        with serving(config) as proxy:
            analyst = proxy.dsn(analysts(config)[0])
            found = judged(every, owner, analyst, private_of(config))
            return list(track(found, folder.name, len(every), console=Console(stderr=True)))


def told(folder: Path, unit: str | None, rows: int, engine: str) -> list[Asked]:
    """What became of each statement that Postgres runs, asked before a proxy over tables of so many rows."""
    (binaries, *_) = INSTALLATIONS.values()
    with tempfile.TemporaryDirectory() as here, scratch_postgres(binaries) as server, _owner(server, folder) as owner:
        runs = [each for each in questions(folder) if runs_on(owner, each.sql)]
        fill(owner, runs, rows)
        policy = policy_of(folder, Path(here), server, unit)
        if engine == "duckdb":
            copy(owner, f"{here}/rows.duckdb")
            policy = over_duckdb(policy, Path(here) / "rows.duckdb")
        config = load(policy, {})
        with serving(config) as proxy:
            given = asked(runs, [proxy.dsn(name) for name in analysts(config)])
            return list(track(given, folder.name, len(runs), console=Console(stderr=True)))


def timed(folder: Path, unit: str | None) -> list[Taken]:
    """How long each statement that Postgres runs takes, over its empty tables."""
    (binaries, *_) = INSTALLATIONS.values()
    with tempfile.TemporaryDirectory() as here, scratch_postgres(binaries) as server, _owner(server, folder) as owner:
        runs = [each for each in questions(folder) if runs_on(owner, each.sql)]
        config, catalog = fitted(policy_of(folder, Path(here), server, unit))
        given = taken(runs, catalog, "postgres", config.terms(analysts(config)[0]), owner)
        return list(track(given, folder.name, len(runs), console=Console(stderr=True)))


def _owner(server: ScratchPostgres, folder: Path) -> psycopg.Connection[object]:
    """A connection to the server, which has the folder's tables then."""
    connection: psycopg.Connection[object] = psycopg.connect(server.conninfo, autocommit=True)
    connection.execute((folder / SCHEMA).read_bytes())
    connection.execute(READER)
    return connection


if __name__ == "__main__":
    main()
