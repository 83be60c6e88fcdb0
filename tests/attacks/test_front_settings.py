"""The front tells nothing of how the proxy works: no trees, plans, statistics or traces of what runs there.

In an ordinary Postgres a session sets what is printed, and gets it as LOG notices: first that. Before the proxy such
settings are not an analyst's, and whatever was set in a way that is not seen, nothing of it is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import psycopg
import pytest
from clients.backends import superuser_of_the_front
from clients.served import Served
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from scratch_postgres import MAJORS, scratch_postgres

from attacks.duel import Duel, Pair
from dpproxy.front.printing_settings import printing_settings

pytestmark = pytest.mark.long

COUNT = "SELECT sex, count(*) FROM people GROUP BY sex"
PRIVATE = (
    COUNT,
    "CREATE TABLE mallory.told AS SELECT sex, count(*) AS n FROM people GROUP BY sex",
    "SELECT n FROM mallory.told WHERE n > 0",
    "DROP TABLE mallory.told",
    "BEGIN",
    "DECLARE told CURSOR FOR SELECT sex, count(*) FROM people GROUP BY sex",
    "FETCH ALL FROM told",
    "COMMIT",
    "PREPARE told AS SELECT count(*) FROM people WHERE age > $1",
    "EXECUTE told (30)",
    "DEALLOCATE told",
    "COPY (SELECT count(*) FROM people) TO STDOUT",
    "SELECT epsilon FROM dp.budget",
    "EXPLAIN SELECT count(*) FROM people",
    "SELECT count(*) FROM people HAVING 1 / (count(*) - count(*)) > 0",
)
# What would end sessions, by an error or as they begin.
NOT_FOR_ALL = ("local_preload_libraries", "exit_on_error")
# By the names that settings have had for ever; the categories must find all of these in each version.
SPEAKING = re.compile(r"^(log|debug|trace|track)_|^(compute_query_id|exit_on_error|local_preload_libraries)$")
TOOLS = (
    *(f"SET client_min_messages = {level}" for level in ("notice", "warning", "error", "log", "debug1", "debug5")),
    "SET application_name = 'psql'",
    "SET extra_float_digits = 3",
    "SET DateStyle = 'ISO'",
    "SET bytea_output = hex",
    "SET statement_timeout = 0",
    "SET lock_timeout = 0",
    "SET idle_in_transaction_session_timeout = 0",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SET jit = off",
    "SELECT set_config('jit', 'off', false), set_config('bytea_output', 'hex', false)",
    "SET enable_seqscan = on",
    "SET work_mem = '4MB'",
    "SET NAMES 'UTF8'",
    "SET TIME ZONE 'UTC'",
    "SET row_security = on",
    "SET synchronize_seqscans TO off",
    "SET quote_all_identifiers = off",
    "RESET debug_print_plan",
    "SET debug_print_plan TO DEFAULT",
    "SHOW debug_print_plan",
    "RESET ALL",
    "DISCARD ALL",
)


class Listening:
    """A session, and the severity and text of each notice that it got."""

    def __init__(self, conninfo: str) -> None:
        self.connection: psycopg.Connection[Any] = psycopg.connect(conninfo, autocommit=True)
        self.told: list[tuple[str, str]] = []
        self.connection.add_notice_handler(
            lambda said: self.told.append((said.severity_nonlocalized or "", said.message_primary or ""))
        )

    def ask(self, sql: str, *parameters: object) -> str | None:
        """The SQLSTATE, or None."""
        cursor = psycopg.RawCursor(self.connection)
        try:
            if sql.startswith("COPY"):
                with cursor.copy(sql.encode()) as copy:
                    while copy.read():
                        pass
            else:
                cursor.execute(sql.encode(), parameters or None)
        except psycopg.Error as fault:
            return fault.sqlstate
        return None


@contextmanager
def set_behind_the_back(served: Served, values: Mapping[str, str]) -> Iterator[None]:
    """Settings that sessions of mallory's begin with, by a superuser of the front: no way of an analyst's."""
    with psycopg.connect(superuser_of_the_front(served), autocommit=True) as owner:
        for name, value in values.items():
            owner.execute(SQL("ALTER ROLE mallory SET {} = {}").format(Identifier(name), value))
        try:
            yield
        finally:
            owner.execute("ALTER ROLE mallory RESET ALL")


@pytest.fixture
def listening(duel: Duel) -> Iterator[tuple[Listening, Listening]]:
    """Sessions of mallory's with Zelda in the database, and without, in which everything that prints is on."""
    with ExitStack() as stack:
        for served in duel.served:
            found = operators(served).items()
            values = {name: value for name, (context, value) in found if context == "user" and name not in NOT_FOR_ALL}
            stack.enter_context(set_behind_the_back(served, values))
        opened = [Listening(each.conninfo("mallory")) for each in duel.served]
        for each in opened:
            stack.callback(each.connection.close)
        yield opened[0], opened[1]


def operators(served: Served) -> dict[str, tuple[str, str]]:
    """The settings of the front that are the operator's: type, and a value that makes them print."""
    with psycopg.connect(superuser_of_the_front(served)) as owner:
        rows = owner.execute("SELECT name, context, vartype, enumvals, max_val, category FROM pg_settings").fetchall()
    found = {}
    for name, context, kind, values, most, category in rows:
        ours = category.startswith(("Reporting and Logging", "Statistics", "Developer Options", "Error Handling"))
        if (ours or category.endswith("Shared Library Preloading")) and name != "application_name":
            value = {"bool": "on", "enum": (values or [""])[-1], "integer": most, "real": most}.get(kind, "x")
            if context in ("user", "backend", "superuser"):
                found[name] = (context, str(value))
    return found


def outlines(told: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(severity, re.sub(r"[\d.e+-]+", "#", text)) for severity, text in told]


# ── what is to be kept back ──


@pytest.mark.parametrize("version", MAJORS)
def test_an_ordinary_postgres_prints_trees_for_whoever_asks(version: int) -> None:
    with scratch_postgres(MAJORS[version]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as owner:
            owner.execute("SET password_encryption = 'scram-sha-256'")  # not the default of version 13
            owner.execute("CREATE ROLE eve LOGIN PASSWORD 'x'")
        eve = Listening(server.conninfo_of("eve", "x"))
        assert eve.ask("SET client_min_messages = log; SET debug_print_plan = on") is None
        assert eve.ask("SELECT 4711") is None
        assert [severity for severity, _ in eve.told] == ["LOG"]
        eve.connection.close()


@pytest.mark.parametrize("version", MAJORS)
async def test_each_setting_that_prints_is_found_in_each_version(version: int) -> None:
    with scratch_postgres(MAJORS[version]) as server:
        async with await psycopg.AsyncConnection.connect(server.conninfo) as owner:
            found = await printing_settings(owner)
            cursor = await owner.execute(
                "SELECT lower(name), category FROM pg_settings WHERE context IN ('user', 'backend', 'superuser')"
            )
            rows = await cursor.fetchall()
    assert {name for name, _ in rows if SPEAKING.search(name)} <= found
    assert "application_name" not in found and "client_min_messages" not in found
    assert {category.partition(" / ")[0] for name, category in rows if name in found} <= {
        *("Reporting and Logging", "Statistics", "Developer Options", "Error Handling", "Process Title"),
        "Client Connection Defaults",
    }


# ── the proxy ──


LATER = {
    "PREPARE": ("EXECUTE p('x')", "DEALLOCATE p"),
    "CREATE VIEW": ("SELECT * FROM mallory.v", "DROP VIEW mallory.v"),
}


def test_none_of_them_is_an_analysts_in_whichever_way(duel: Duel, mallory: Pair) -> None:
    for name, (_, value) in operators(duel.served[0]).items():
        for sql in (
            f"SET {name} = '{value}'",
            f"SET LOCAL {name.upper()} TO '{value}'",
            f"SET SESSION \"{name}\" = '{value}'",
            f"SET {name} FROM CURRENT",
            f"SELECT set_config('{name}', '{value}', false)",
            f"SELECT pg_catalog.set_config(('{name.upper()}'::text), '{value}', true)",
            f"SELECT set_config(new_value => '{value}', is_local => false, setting_name => '{name}')",
            f"SELECT count(*), set_config('{name}', '{value}', false) FROM people",
            f"PREPARE p AS SELECT set_config('{name}', $1, false)",
            f"CREATE VIEW mallory.v AS SELECT set_config('{name}', '{value}', false)",
            f"CREATE TABLE mallory.t AS SELECT set_config('{name}', '{value}', false)",
            f"DECLARE c CURSOR WITH HOLD FOR SELECT set_config('{name}', '{value}', false)",
            f"EXPLAIN ANALYZE SELECT set_config('{name}', '{value}', false)",
            f"UPDATE pg_settings SET setting = '{value}' WHERE name = '{name}'",
            f"ALTER ROLE mallory SET {name} = '{value}'",
            f"ALTER DATABASE demo SET {name} = '{value}'",
            f"ALTER SYSTEM SET {name} = '{value}'",
            f"CREATE FUNCTION mallory.f() RETURNS integer LANGUAGE sql SET {name} = '{value}' AS 'SELECT 1'",
        ):
            here, gone = mallory.ask(sql)
            if here.state is None and (made := next((each for each in LATER if sql.startswith(each)), None)):
                # What only a superuser may set is refused where it runs.
                run, drop = LATER[made]
                here, gone = mallory.ask(run)
                mallory.ask(drop)
            assert here.state in ("42501", "0A000", "42883") and here.outline == gone.outline, (sql, here)
        here, gone = mallory.ask(f"RESET {name}")
        assert here.outline == gone.outline, name


def test_none_of_them_is_set_by_a_name_that_the_gate_cannot_read(duel: Duel, mallory: Pair) -> None:
    """Computed, cut off, of another type, or a parameter: of a Bind, or an argument of EXECUTE by SQL."""
    for name, (_, value) in operators(duel.served[0]).items():
        code = name.encode().hex()
        for asked, parameters, state in (
            (f"SELECT set_config('{name[:3]}' || '{name[3:]}', '{value}', false)", (), "0A000"),
            (f"SELECT set_config(reverse('{name[::-1]}'), '{value}', false)", (), "0A000"),
            (f"SELECT set_config('{name}x'::varchar({len(name)}), '{value}', false)", (), "0A000"),
            (f"SELECT set_config('{name}  '::char(60)::text, '{value}', false)", (), "0A000"),
            (f"SELECT set_config(convert_from('\\x{code}', 'UTF8'), '{value}', false)", (), "0A000"),
            (f"SELECT set_config((SELECT '{name}'), '{value}', false)", (), "0A000"),
            (f"SELECT set_config(name, '{value}', false) FROM pg_settings WHERE name = '{name}'", (), "0A000"),
            (f"SELECT set_config(name, $1, false) FROM pg_settings WHERE name = '{name}'", (value,), "0A000"),
            (f"PREPARE p AS SELECT set_config($1, '{value}', false)", (), "0A000"),
            ("SELECT set_config($1, $2, false)", (name, value), "42501"),
            ("SELECT set_config($1::text, $2, false)", (name.upper(), value), "42501"),
            ("SELECT set_config($1::bpchar::text, $2, false)", (f"{name} ", value), "0A000"),
            ("SELECT set_config($1, $2, false)", (f"{name} ", value), "0A000"),
            ("SELECT set_config($2, $1, false), set_config($3, 'x', true)", (value, "my.own", name), "42501"),
        ):
            here, gone = mallory.ask(asked, *parameters)
            assert here.state == state and here.outline == gone.outline and here.charged is None, (asked, here)
    here, _ = mallory.ask("SELECT current_setting('debug_print_plan')")
    assert here.rows == (("off",),)


def test_execute_by_sql_names_no_setting(duel: Duel) -> None:
    """What the protocol prepared is executed by the protocol: arguments of SQL's EXECUTE are expressions."""
    with psycopg.connect(duel.served[0].conninfo("mallory"), autocommit=True) as connection:
        prepare = connection.pgconn.prepare(b"p", b"SELECT set_config($1, $2, false)")
        assert prepare.status == psycopg.pq.ExecStatus.COMMAND_OK
        for asked in (
            "EXECUTE p('debug_' || 'print_plan', 'on')",
            "SELECT 1; EXECUTE p('debug_print_plan', 'on')",
            "CREATE TABLE mallory.told AS EXECUTE p('debug_print_plan', 'on')",
            "EXPLAIN ANALYZE EXECUTE p('debug_print_plan', 'on')",
            "PREPARE q AS SELECT 1; EXECUTE p('debug_print_plan', 'on')",
        ):
            with pytest.raises(psycopg.errors.FeatureNotSupported, match="computed"):
                connection.execute(asked.encode())
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="computed"):
            connection.execute(b"EXECUTE p('debug_print_plan', 'on')", prepare=True)
        assert connection.execute("SHOW debug_print_plan").fetchone() == ("off",)
        done = connection.pgconn.exec_prepared(b"p", [b"my.own", b"x"])
        assert done.get_value(0, 0) == b"x"
        refused = connection.pgconn.exec_prepared(b"p", [b"debug_print_plan", b"on"])
        assert refused.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"42501"


def test_a_bound_name_is_a_text_and_nothing_else(duel: Duel) -> None:
    """A table may have the name of a setting; its OID is a number, and as regclass it is that name."""
    regclass = 2205
    with psycopg.connect(duel.served[0].conninfo("mallory"), autocommit=True) as connection:
        connection.execute("CREATE TABLE mallory.debug_print_plan (x int)")
        oid = connection.execute("SELECT 'mallory.debug_print_plan'::regclass::oid").fetchone()
        assert oid is not None
        for asked, types in (
            (b"SELECT set_config($1::text, 'on', false)", [regclass]),
            (b"SELECT $1::regclass, set_config($1::text, 'on', false)", None),
            (b"SELECT set_config($1::varchar, 'on', false) FROM pg_class WHERE oid = $1", None),
        ):
            told = connection.pgconn.exec_params(asked, [str(oid[0]).encode()], param_types=types)
            assert told.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"0A000", asked
        assert connection.execute("SHOW debug_print_plan").fetchone() == ("off",)
        connection.execute("DROP TABLE mallory.debug_print_plan")


def test_a_name_that_is_bound_is_anybodys(mallory: Pair) -> None:
    """As programs set what their policies read, for a transaction or a session."""
    for name in ("jit", "my.tenant", "search_path", "TimeZone", "größe.x"):
        for seen in mallory.ask("SELECT set_config($1, $2, false)", name, "UTC" if name == "TimeZone" else "off"):
            assert seen.state is None or name == "größe.x", (name, seen)
            assert seen.state not in ("0A000", "42501")
    for seen in mallory.ask("SELECT set_config($1::text, 'a', false)", "my.x"):
        assert seen.rows == (("a",),)
    for seen in mallory.ask("SELECT set_config($1, 'a', false)", None):
        assert seen.state == "22004"


def test_none_of_them_comes_with_a_session(duel: Duel) -> None:
    """In the packet by itself, and in its options, as Postgres reads them."""
    for name, (_, value) in operators(duel.served[0]).items():
        dashed, escaped = name.replace("_", "-"), name.replace("_", r"\_")
        for options in (
            f"-c {name}={value}",
            f"-c{name}={value}",
            f"--{dashed}={value}",
            rf"-c dp.epsilon=1 -c {escaped}={value}",
            f"-ec {name.upper()}={value}",
            f"-e --{name}={value}",
        ):
            with pytest.raises(psycopg.OperationalError, match="permission denied to set parameter"):
                psycopg.connect(duel.served[0].conninfo("mallory", options=options)).close()
    for options in ("-c client_min_messages=warning", "-c jit=off --application-name=x", r"-c search_path=a,\ b"):
        psycopg.connect(duel.served[0].conninfo("mallory", options=options)).close()
    quiet = conninfo_to_dict(duel.served[0].conninfo("mallory", application_name="debug_print_plan"))
    assert quiet["application_name"] == "debug_print_plan"
    psycopg.connect(**quiet).close()


def test_what_tools_set_is_theirs(mallory: Pair) -> None:
    for sql in TOOLS:
        for seen in mallory.ask(sql):
            assert seen.state is None, (sql, seen)


def test_whatever_was_set_nothing_is_printed(listening: tuple[Listening, Listening]) -> None:
    for side in listening:
        side.ask("SET client_min_messages = debug5")
        cursor = side.connection.execute("SELECT current_setting('debug_print_plan'), current_setting('trace_sort')")
        assert cursor.fetchone() == ("on", "on")
    for sql in PRIVATE:
        for side in listening:
            side.told.clear()
        here, gone = (side.ask(sql) for side in listening)
        assert here == gone, sql
        told = listening[0].told
        assert outlines(told) == outlines(listening[1].told), sql
        assert all(severity == "NOTICE" and text.startswith("dpproxy: ") for severity, text in told), (sql, told)


def test_a_session_that_ends_by_its_errors_tells_no_more(duel: Duel) -> None:
    """exit_on_error makes every error the last one: the proxy's stays the proxy's."""
    for asked, state in (
        ("INSERT INTO people VALUES (1)", "42501"),
        ("SELECT name FROM people", "42703"),
        ("SELECT person_id FROM people", "DP002"),
        ("SELECT exp(1000 + 0 * count(*)) FROM people", "22003"),
    ):
        for served in duel.served:
            with set_behind_the_back(served, {"exit_on_error": "on"}):
                side = Listening(served.conninfo("mallory"))
            try:
                side.connection.execute(asked.encode())
                raise AssertionError(asked)
            except psycopg.Error as fault:
                assert fault.sqlstate == state, (asked, fault)
                assert "dpproxy_refused" not in str(fault) and "unnest" not in str(fault)
                assert fault.diag.context is None and fault.diag.internal_query is None
            with suppress(psycopg.Error):
                side.connection.close()


def test_notices_of_the_analysts_own_statements_pass(mallory: Pair) -> None:
    """What Postgres says at NOTICE and WARNING of a statement is for who wrote it."""
    long = "x" * 70
    for sql, words in (
        ("DROP TABLE IF EXISTS mallory.none", "does not exist, skipping"),
        ("COMMIT", "there is no transaction in progress"),
        (f"SELECT 1 AS {long}", "will be truncated"),
        ("SELECT to_tsquery('english', 'the')", "contains only stop words"),
    ):
        here, gone = mallory.ask(sql)
        assert here.state is None and here.outline == gone.outline, (sql, here)
        assert sum(words in text for text in here.notices) == 1, (sql, here)
    mallory.ask("CREATE TABLE mallory.kept AS SELECT 1 AS x")
    here, _ = mallory.ask("CREATE TABLE IF NOT EXISTS mallory.kept AS SELECT count(*) AS x FROM people")
    assert any("already exists, skipping" in text for text in here.notices)
    mallory.ask("DROP TABLE mallory.kept")


def test_the_relays_own_statements_are_not_seen(mallory: Pair) -> None:
    """Of what the session has prepared, and of its cursors."""
    mallory.ask(COUNT)
    for sql in ("SELECT * FROM pg_prepared_statement()", "SELECT * FROM pg_cursor()"):
        here, gone = mallory.ask(sql)
        assert here.state == "42501" and here.outline == gone.outline, (sql, here)
    mallory.ask("BEGIN")
    mallory.ask(f"DECLARE seen CURSOR FOR {COUNT}")
    seen = mallory.ask("SELECT name, statement FROM pg_cursors WHERE name !~ '^dpproxy'")
    assert seen[0].rows == seen[1].rows and len(seen[0].rows) == 1
    mallory.ask("COMMIT")
