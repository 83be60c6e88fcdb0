"""The duels: two proxies and two plain engines for each backend, started once for all files of a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import psycopg
import pytest
from clients.backends import Backend, made_world
from clients.served import Served, serving
from given import PASSWORDS
from psycopg.conninfo import make_conninfo
from worlds import READER, statements

from attacks.duel import Connected, Duel, Pair, PlainDuckDB, close
from dpproxy.config import load
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.engines.postgres.provider import PostgresDatabase

HERE = Path(__file__).parent
OWNER = "owner"


@pytest.fixture(scope="module", params=list(Backend))
def duel(request: pytest.FixtureRequest) -> Duel:
    """The duel before DuckDB, and before Postgres."""
    found: Duel = request.getfixturevalue(f"{request.param}_duel")
    return found


@pytest.fixture(scope="session")
def embedded_duel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Duel]:
    """The engine is DuckDB."""
    with _opened(Backend.EMBEDDED, tmp_path_factory.mktemp("embedded_duel")) as made:
        yield made


@pytest.fixture(scope="session")
def given_duel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Duel]:
    """The engine is Postgres, and so are the front and the ledger, without a superuser."""
    with _opened(Backend.GIVEN, tmp_path_factory.mktemp("given_duel")) as made:
        yield made


@pytest.fixture
def mallory(duel: Duel) -> Iterator[Pair]:
    """Mallory's sessions with both proxies, for one test."""
    pair = duel.proxied()
    yield pair
    close(pair)


@pytest.fixture
def asking(duel: Duel) -> Iterator[Callable[[str], Pair]]:
    """Sessions of any analyst with both proxies, which end with the test."""
    with ExitStack() as stack:

        def opened(analyst: str) -> Pair:
            pair = duel.proxied(analyst)
            stack.callback(close, pair)
            return pair

        yield opened


@contextmanager
def _opened(backend: Backend, directory: Path) -> Iterator[Duel]:
    with ExitStack() as stack:
        policies = [stack.enter_context(_world(backend, directory / name, name)) for name in ("here", "gone")]
        served = [stack.enter_context(serving(policy, "demo")) for policy in policies]
        plain = Pair(*(_plain(each) for each in served))
        stack.callback(close, plain)
        yield Duel(backend, plain, (served[0], served[1]))


@contextmanager
def _world(backend: Backend, directory: Path, name: str) -> Iterator[Path]:
    """The policy of the world with all that is odd in it; Zelda is in the one called `here`."""
    directory.mkdir()
    with made_world(backend, directory) as policy:
        script = (HERE / "world.sql").read_text() + ((HERE / "zelda.sql").read_text() if name == "here" else "")
        policy.write_text(policy.read_text() + (HERE / "world.toml").read_text())
        match load(policy, {}).engine.url:
            case DuckDBFile(path):
                with duckdb.connect(str(path)) as connection:
                    for statement in statements(script):
                        connection.execute(statement)
            case PostgresDatabase(url):
                with psycopg.connect(make_conninfo(url, user=OWNER), autocommit=True) as owner:
                    owner.execute(script.encode())
                    owner.execute(READER.encode())
        yield policy


def _plain(served: Served) -> PlainDuckDB | Connected:
    match load(served.policy, {}).engine.url:
        case DuckDBFile(path):
            return PlainDuckDB(duckdb.connect(str(path), read_only=True))
        case PostgresDatabase(url):
            assert PASSWORDS["reader"] in url
            return Connected.open(url)
