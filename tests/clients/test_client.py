"""`dpproxy.client`, by which one statement is asked: what comes back, what is set back, and what is not loaded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row
from sqlalchemy import create_engine

from dpproxy.client import StatementError, ask, explain
from dpproxy.client.answers import charge_of, intervals_of

from .served import Served, spent

BY_SEX = "SELECT sex, count(*) AS people, avg(age) AS age FROM people GROUP BY sex ORDER BY sex"
COLUMNS = ["sex", "people", "people_low", "people_high", "age", "age_low", "age_high"]
LOADED = "import sys; print(*sys.modules)"
HEAVY = {"asyncpg", "duckdb", "matplotlib", "numpy", "opendp", "pandas", "psycopg", "scipy", "sqlalchemy", "sqlglot"}


@pytest.fixture
def erna(world: Served) -> Iterator[psycopg.Connection[Any]]:
    """She may spend without an end."""
    with world.connect("erna") as connection:
        yield connection


def names(answer: Any) -> list[str]:
    return [each.name for each in answer.columns]


def test_an_answer_knows_its_charge_and_its_intervals(world: Served) -> None:
    answer = ask(BY_SEX, world.conninfo("erna"), epsilon=10, fresh=True)
    assert names(answer) == COLUMNS
    assert answer.intervals == {"people": ("people_low", "people_high"), "age": ("age_low", "age_high")}
    assert answer.charge is not None
    assert (answer.charge.epsilon, answer.charge.again) == (10, None)
    assert answer.charge.remaining_epsilon > 1000
    assert answer.confidence == "95 %"
    assert all(low <= people <= high for _, people, low, high, *_ in answer.rows)
    assert any(each.startswith("dpproxy: charged epsilon 10,") for each in answer.notices)


def test_settings_are_for_one_statement(erna: psycopg.Connection[Any]) -> None:
    erna.execute("SET dp.epsilon = 7")
    wide = ask(BY_SEX, erna, epsilon=10, confidence=0.99)
    assert wide.confidence == "99 %"
    assert ask(BY_SEX, erna, error_columns=False, confidence="90 %").columns[1:][1].name == "age"
    assert erna.execute("SHOW dp.epsilon").fetchone() == ("7",)
    assert len(erna.execute(BY_SEX).description or ()) == 3
    erna.execute("SET dp.error_columns = on")
    assert names(ask(BY_SEX, erna)) == COLUMNS
    assert erna.execute("SHOW dp.error_columns").fetchone() == ("on",)


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"epsilonn": 1}])
def test_what_a_refused_setting_leaves(erna: psycopg.Connection[Any], wrong: dict[str, float]) -> None:
    erna.execute("SET dp.epsilon = 7")
    with pytest.raises(StatementError) as refused:
        ask(BY_SEX, erna, **wrong)
    assert refused.value.sqlstate in ("22023", "42704")
    assert "dp.epsilon" in (refused.value.hint or "")
    assert erna.execute("SHOW dp.epsilon").fetchone() == ("7",)
    assert len(erna.execute(BY_SEX).description or ()) == 3


def test_a_refusal_reads_as_in_psql(erna: psycopg.Connection[Any]) -> None:
    with pytest.raises(StatementError) as refused:
        ask("SELECT age FROM people", erna)
    fault = refused.value
    assert (fault.sqlstate, fault.position) == ("DP002", 8)
    lines = str(fault).split("\n")
    assert lines[0] == "DP002: this statement would return rows of private tables"
    assert lines[1:3] == ["LINE 1: SELECT age FROM people", "               ^"]
    assert lines[3].startswith("HINT:  Select aggregates")
    assert fault.hint is not None and fault.hint.startswith("Select aggregates")
    assert fault._render_traceback_() == [f"StatementError {lines[0]}", *lines[1:]]
    assert fault.__suppress_context__
    assert len(erna.execute(BY_SEX).description or ()) == 3


def test_in_a_transaction(world: Served) -> None:
    with psycopg.connect(world.conninfo("erna"), row_factory=dict_row) as connection:
        answer = ask("SELECT count(*) AS n FROM people WHERE age > %s", connection, [30])
        assert names(answer) == ["n", "n_low", "n_high"]
        assert isinstance(answer.rows[0], tuple)
        with pytest.raises(StatementError):
            ask("SELECT age FROM people", connection)
        connection.rollback()
        assert list(connection.execute("SELECT count(*) AS n FROM people").fetchone() or {}) == ["n"]
        ask(BY_SEX, connection)
        connection.commit()
        assert list(connection.execute("SELECT count(*) AS n FROM people").fetchone() or {}) == ["n"]


def test_what_is_free_has_no_charge(erna: psycopg.Connection[Any]) -> None:
    answer = ask("SELECT dept FROM departments", erna)
    assert (answer.charge, answer.notices, answer.intervals) == (None, (), {})
    assert ask("SET search_path = public", erna).columns == ()
    assert names(ask("SELECT 1 AS a; SELECT 2 AS b; SET search_path = public", erna)) == ["b"]


def test_a_stored_release_is_told_again(erna: psycopg.Connection[Any]) -> None:
    text = "SELECT count(*) AS n FROM people WHERE age < 77"
    ask(text, erna)
    charge = ask(text, erna).charge
    assert charge is None or charge.epsilon > 0 or charge.again is not None


def test_explained_for_nothing(erna: psycopg.Connection[Any]) -> None:
    before = spent(erna)
    assert "epsilon 3, delta" in explain(BY_SEX, erna, epsilon=3)
    assert spent(erna) == before


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
def test_ways_to_connect(world: Served, scheme: str) -> None:
    url = f"{scheme}://erna@{world.host}:{world.port}/{world.database}"
    assert names(ask(BY_SEX, url)) == COLUMNS
    if scheme.endswith("psycopg"):
        engine = create_engine(url)
        assert names(ask(BY_SEX, engine)) == COLUMNS
        with engine.connect() as connection:
            assert names(ask(BY_SEX, connection)) == COLUMNS
        engine.dispose()


def test_other_connections_are_told_what_to_give(world: Served) -> None:
    engine = create_engine(f"postgresql+psycopg2://erna@{world.host}:{world.port}/{world.database}")
    with pytest.raises(TypeError, match=r"psycopg2.* is no connection that can be asked here; give a conninfo"):
        ask(BY_SEX, engine)
    with pytest.raises(TypeError, match=r"builtins\.int is no connection"):
        ask(BY_SEX, 3)  # type: ignore[arg-type]
    engine.dispose()


def test_a_connection_that_cannot_be_made_is_psycopg_s_error() -> None:
    with pytest.raises(psycopg.OperationalError) as fault:
        ask("SELECT 1", "host=127.0.0.1 port=1 user=erna")
    assert not isinstance(fault.value, StatementError)


def test_notices_as_they_are_written() -> None:
    stored = "stored release of 2026-11-22 14:25:28 UTC"
    again = f"dpproxy: charged epsilon 0, delta 0 ({stored}); remaining epsilon 3.2, delta 9e-07"
    paid = "dpproxy: charged epsilon 0.1, delta 1e-08; remaining epsilon 3.1, delta 8e-07; about 30 more of these"
    charge = charge_of([again, "another", paid])
    assert charge is not None
    assert (charge.epsilon, charge.delta, charge.remaining_epsilon, charge.remaining_delta) == (0.1, 1e-8, 3.1, 8e-7)
    assert charge.again is None
    only = charge_of([again])
    assert only is not None and only.again == stored
    assert charge_of(["dpproxy: mostly noise"]) is None


def test_ends_are_right_behind_their_number() -> None:
    found = intervals_of(["a", "a_low", "a_high", "b", "b_high", "b_low", "c_low", "c_high", "c", "c_low", "c_high"])
    assert found == {"a": ("a_low", "a_high"), "c": ("c_low", "c_high")}


@pytest.mark.parametrize(
    ("module", "may"),
    [
        ("dpproxy.client", {"psycopg"}),
        ("dpproxy.pandas", {"psycopg", "pandas", "numpy"}),
    ],
)
def test_nothing_of_the_proxy_is_loaded(module: str, may: set[str]) -> None:
    program = f"import {module}; {LOADED}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    own = {name.split(".")[1] for name in loaded if name.startswith("dpproxy.")}
    assert own == ({"client"} if module == "dpproxy.client" else {"client", "pandas"})
    assert HEAVY & set(loaded) == may
