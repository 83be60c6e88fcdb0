"""Recorded clients, replayed: each statement is answered by the proxy as a plain Postgres with the same schema does.

What may differ is written down in `replay/exceptions.py`, with the reason. The front here is the embedded one only: the
judge is its twin, with its settings, roles and privileges. What differs in a given one, test_catalog.py says.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from .record import Relay
from .replay.compared import Compared, compare
from .replay.essence import Mark, Part
from .replay.naming import Names
from .replay.recording import Bound, Extended, Simple, Startup, read
from .replay.sides import ANALYST, DATABASE, Side, judge, proxy
from .replay.verdict import differences

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
OURS = sorted((ROOT / "sql_fixtures" / "clients").glob("*.jsonl"))
SHARED = ROOT.parent / "shared" / "clients"
THEIRS = ("adbc_postgresql", "asyncpg", "node_pg", "pgjdbc", "psql15", "psycopg3", "sqlalchemy21_psycopg")
PATIENCE_SECONDS = 30.0


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side]]:
    """A proxy, and a plain Postgres."""
    with proxy(tmp_path_factory.mktemp("replayed")) as ours, judge() as theirs:
        yield ours, theirs


@pytest.mark.parametrize("name", THEIRS)
def test_a_shared_recording(sides: tuple[Side, Side], name: str) -> None:
    path = SHARED / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"no recording of {name} beside the checkout")
    _same(compare(read(path), path.stem, *sides))


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.stem)
def test_a_recording(sides: tuple[Side, Side], path: Path) -> None:
    _same(compare(read(path), path.stem, *sides))


def _same(compared: Compared) -> None:
    assert compared.statements
    if compared.faults:
        count = f"{len(compared.faults)} of {compared.statements} statements differ"
        pytest.fail("\n\n".join([count, *compared.faults]), pytrace=False)


COLUMNS = Mark("columns", (("a", "<public.people>", 1, "23", 4, -1, 0),))
ANSWER: list[Part] = [COLUMNS, (("1",), ("2",)), Mark("done", ("SELECT 2",)), Mark("ready", ("I",))]
OWN = Names({}, frozenset({"budget"}))


@pytest.mark.parametrize(
    "changed",
    [
        [Mark("columns", (("a", "<public.people>", 1, "23", 4, -1, 1),)), *ANSWER[1:]],
        [COLUMNS, (("1",), ("3",)), *ANSWER[2:]],
        [COLUMNS, (("1",), ("2",), ("2",)), Mark("done", ("SELECT 3",)), ANSWER[3]],
        [COLUMNS, (("2",), ("1",)), *ANSWER[2:]],
        [COLUMNS, Mark("error", ("42703", "no", None)), ANSWER[3]],
        [*ANSWER[:3], Mark("ready", ("T",))],
        ANSWER[:3],
    ],
)
def test_what_differs_is_told(changed: list[Part]) -> None:
    assert differences("select a from t order by 1", changed, ANSWER, OWN)


def test_what_may_differ_is_not_told() -> None:
    more: list[Part] = [COLUMNS, (("1",), ("budget",), ("2",)), Mark("done", ("SELECT 3",)), ANSWER[3]]
    assert not differences("select a from t order by 1", more, ANSWER, OWN)
    assert not differences("select a from t", [COLUMNS, (("2",), ("1",)), *ANSWER[2:]], ANSWER, OWN)


def test_what_the_relay_records_is_what_was_said(sides: tuple[Side, Side], tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_serve, args=(Relay(sides[1].address, file), listening), daemon=True).start()
        port = listening.getsockname()[1]
        with psycopg.connect(host="127.0.0.1", port=port, user=ANALYST, dbname=DATABASE, autocommit=True) as connection:
            _talk(connection)
        _wait_for(file)
    startup, *steps = read(file)
    assert isinstance(startup, Startup)
    prepared = partial(Extended, "talk", "select $1::int", (21,))
    assert steps == [
        Simple("talk", "begin"),
        prepared(Bound((b"\0\1",), (1,), (0,))),
        Simple("talk", "rollback"),
        prepared(None, "_pg3_0"),
        prepared(Bound((b"\0\2",), (1,), (1,)), "_pg3_0", again=True),
        prepared(Bound((b"\0\3",), (1,), (1,)), "_pg3_0", again=True),
    ]


def _talk(connection: psycopg.Connection[Any]) -> None:
    connection.execute("select 'mark: talk'")
    connection.execute("begin")
    for _ in range(2):  # the second time adds nothing
        connection.execute("select %s::int", [1], prepare=False)
    connection.execute("rollback")
    for number in (2, 3):
        connection.execute("select %s::int", [number], prepare=True, binary=True)


def _serve(relay: Relay, listening: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the listening socket was closed
        relay.serve(listening)


def _wait_for(file: Path) -> None:
    """The relay writes when the connection has ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not file.exists() or not file.read_text().endswith("\n"):
        assert time.monotonic() < end, "nothing was recorded"
        time.sleep(0.01)
