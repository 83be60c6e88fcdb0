"""The time limit is a mechanism: what runs into it is charged, told as Postgres tells it, and stops nobody."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import psycopg
import pytest
from proxies import ServedProxy, serving, write_policy

from dpproxy.engines.duckdb.provider import DuckDBFile

pytestmark = pytest.mark.long

ROWS = 4_000_000
HEAVY = """SELECT count(*) FROM visits WHERE upper(dept) || lower(dept) || reverse(dept) LIKE '%a%b%c%'
OR dept SIMILAR TO '(a|b)+c' OR length(upper(dept) || dept) = {}"""
LIGHT = "SELECT count(*) FROM people WHERE age >= {}"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    """A world with many people of one visit each, and a limit that reading them all takes longer than."""
    changes = {"duckdb:///": "duckdb:///", 'world.duckdb"': 'world.duckdb"\nstatement_timeout = "200ms"'}
    config = write_policy(tmp_path_factory.mktemp("limit") / "world", changes)
    assert isinstance(config.engine.url, DuckDBFile)
    with duckdb.connect(str(config.engine.url.path)) as connection:
        connection.execute(
            "INSERT INTO visits SELECT 10000 + i, 10000 + i, DATE '2024-01-01', 1, 'dept ' || i % 1000"
            f" FROM range({ROWS}) AS r(i)"
        )
    with serving(config) as served:
        yield served


def test_what_runs_into_it_is_an_ordinary_outcome(proxy: ServedProxy) -> None:
    with psycopg.connect(proxy.dsn("alice"), autocommit=True) as connection:
        before = connection.execute("SELECT spent_epsilon FROM dp.budget").fetchall()
        with pytest.raises(psycopg.errors.QueryCanceled) as told:
            connection.execute(HEAVY.format(0))
        assert told.value.diag.message_primary == "canceling statement due to statement timeout"
        assert "charged" in (told.value.diag.message_hint or "")
        assert connection.execute("SELECT spent_epsilon FROM dp.budget").fetchall() > before
        last = connection.execute("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1").fetchall()
        assert last == [("timed out",)]
        # Nobody is stopped, and the session goes on; also behind an extended query and in a transaction.
        assert connection.execute(LIGHT.format(1)).fetchall()
        with pytest.raises(psycopg.errors.QueryCanceled), connection.transaction():
            connection.execute(HEAVY.replace("%", "%%").format("%s"), (1,), prepare=True)
        assert connection.execute(LIGHT.format(2)).fetchall()
    assert "engine failure" not in proxy.log.read_text()
