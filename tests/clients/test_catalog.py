"""The catalog tells the story: what tools read of it through the proxy, and what it does not tell of anybody else."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from scratch_postgres import ScratchPostgres
from sqlalchemy import MetaData, create_engine, inspect

from dpproxy.front.binaries import find_binaries
from dpproxy.plan.error_bars import Bar
from dpproxy.plan.session_settings import MEANINGS

from .backends import (
    COMMANDS_REFUSED_WHERE_GIVEN,
    OPEN_WHERE_GIVEN,
    OWNERS,
    Backend,
    refused_in,
    superuser_of_the_front,
)
from .conftest import PASSWORD
from .served import Served, psql

Connection = psycopg.Connection[Any]
Row = tuple[Any, ...]

PRIVATE = ("people", "visits", "customer", "orders", "lineitem")
PUBLIC = ("departments", "nation")
OWN = ("dp.budget", "dp.statements", "dp.last_statement", "dp.tables", "dp.columns", "dp.functions")
FRONTS = tuple(f"dp_front.{name}" for name in ("front", "roles", "stubs", "publics"))
GROWING = tuple(
    f"dp_ledger.{name}"
    for name in (
        *(
            "acceptances",
            "accounts",
            "adoptions",
            "alarms",
            "approvals",
            "carried",
            "charges",
            "entries",
            "grants",
            "head",
        ),
        *("periods", "policies", "releases", "resets"),
    )
)
LEDGERS = ("dp_ledger.ledger", *GROWING)
CHANGES = ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN")


@pytest.fixture(scope="module")
def alice(world: Served) -> Iterator[Connection]:
    with world.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def dora(world: Served) -> Iterator[Connection]:
    """Who may use `people` and `departments`."""
    with world.connect("dora", password=PASSWORD) as connection:
        yield connection


@pytest.fixture(scope="module")
def owner(world: Served) -> Iterator[Connection]:
    """The front itself, as its owner."""
    with psycopg.connect(superuser_of_the_front(world), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def hidden(backend: Backend) -> tuple[str, ...]:
    """Tables in the front that nobody may read; a given ledger is in a database of its own."""
    return FRONTS if backend is Backend.GIVEN else (*FRONTS, *LEDGERS)


def programs() -> list[Path]:
    """The front's psql and the machine's, which may be of another version."""
    found = [find_binaries().psql, Path(shutil.which("psql") or "")]
    return [each for each in dict.fromkeys(found) if each is not None and each.is_file()]


def rows(connection: Connection, sql: str) -> list[Row]:
    return connection.execute(sql.encode()).fetchall()


def oid_of(name: str) -> str:
    """The relation, for who may not enter its schema, too."""
    return f"(SELECT oid::oid FROM pg_class WHERE relnamespace::regnamespace || '.' || relname = '{name}')"


def column(connection: Connection, sql: str) -> list[Any]:
    return [value for (value,) in rows(connection, sql)]


# Keys, links, notes


def test_keys_and_links_are_primary_and_foreign_keys(alice: Connection) -> None:
    """As drivers ask for them: the columns of both ends, by the constraint's arrays."""
    links = """
        SELECT c.conrelid::regclass::text, a.attname::text, c.confrelid::regclass::text, f.attname::text
        FROM pg_constraint c, LATERAL unnest(c.conkey, c.confkey) AS k (own, foreign_)
        JOIN pg_attribute a ON a.attnum = k.own JOIN pg_attribute f ON f.attnum = k.foreign_
        WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
        AND a.attrelid = c.conrelid AND f.attrelid = c.confrelid ORDER BY 1, 2"""
    assert rows(alice, links) == [
        ("lineitem", "orderkey", "orders", "orderkey"),
        ("orders", "custkey", "customer", "custkey"),
        ("visits", "person_id", "people", "person_id"),
    ]
    keys = """
        SELECT i.indrelid::regclass::text, string_agg(a.attname, ',' ORDER BY a.attnum)
        FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::regnamespace
        WHERE i.indisprimary GROUP BY i.indrelid ORDER BY 1"""
    assert rows(alice, keys) == [
        ("customer", "custkey"),
        ("departments", "dept"),
        ("nation", "nationkey"),
        ("orders", "orderkey"),
        ("people", "person_id"),
    ]
    usage = "SELECT table_name, column_name FROM information_schema.key_column_usage WHERE table_schema = 'public'"
    assert ("visits", "person_id") in rows(alice, usage)


def test_notes_tell_the_policy(alice: Connection) -> None:
    assert rows(
        alice,
        "SELECT relname::text, obj_description(oid, 'pg_class') FROM pg_class WHERE relkind = 'r'"
        " AND relnamespace = 'public'::regnamespace ORDER BY 1",
    ) == [
        ("customer", "private: unit customer"),
        ("departments", "public"),
        ("lineitem", "private: unit customer, caps of 100 rows and 8 groups"),
        ("nation", "public"),
        ("orders", "private: unit customer, caps of 40 rows and 8 groups"),
        ("people", "private: unit person"),
        ("visits", "private: unit person, caps of 20 rows and 3 groups"),
    ]
    notes = """
        SELECT a.attname::text, d.description FROM pg_attribute a LEFT JOIN pg_description d
        ON d.objoid = a.attrelid AND d.objsubid = a.attnum AND d.classoid = 'pg_class'::regclass
        WHERE a.attrelid = '{}'::regclass AND a.attnum > 0 ORDER BY a.attnum"""
    assert rows(alice, notes.format("people")) == [
        ("person_id", "key of unit person"),
        ("age", "bounds 0 to 120"),
        ("sex", "public keys F, M"),
        ("income", "bounds 0 to 500000; step 1"),
        ("city", None),
        ("smoker", "public keys false, true"),
        ("joined", "bounds 2019-01-01 to 2026-12-31"),
    ]
    assert dict(rows(alice, notes.format("visits")))["person_id"] == "key of unit person; links to people.person_id"
    assert dict(rows(alice, notes.format("lineitem")))["orderkey"] == "links to orders.orderkey"


def test_what_may_be_null_is_the_policys(alice: Connection) -> None:
    nullable = "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE is_nullable = 'YES'"
    private = f"{nullable} AND table_name = ANY (ARRAY{list(PRIVATE)}) ORDER BY 1"
    assert column(alice, private) == ["orders.custkey", "people.city", "people.income", "visits.person_id"]


def test_hidden_columns_are_nowhere(alice: Connection) -> None:
    for sql in (
        "SELECT count(*) FROM pg_attribute WHERE attname = 'name' AND attrelid = 'people'::regclass",
        "SELECT count(*) FROM information_schema.columns WHERE table_name = 'people' AND column_name = 'name'",
        "SELECT count(*) FROM dp.columns WHERE \"table\" = 'people' AND name = 'name'",
        "SELECT count(*) FROM pg_attribute WHERE attrelid = 'people'::regclass AND attisdropped",
    ):
        assert column(alice, sql) == [0]


NEARLY_NAMES = ("nam", "nme", "names", "name_", "naem", "nane")  # of a hidden column of people


@pytest.mark.parametrize(
    "asked", ["SELECT count(*) FROM people WHERE {} = 'x'", "SELECT p.{}, count(*) FROM people p GROUP BY 1"]
)
def test_a_hidden_column_is_never_what_was_perhaps_meant(alice: Connection, asked: str) -> None:
    """Postgres's hint to a name that is not there goes by the columns that there are."""
    hints = []
    for written in NEARLY_NAMES:
        with pytest.raises(psycopg.errors.UndefinedColumn) as caught:
            alice.execute(asked.format(written).encode())
        hints.append(caught.value.diag.message_hint or "")
        told = f"{caught.value.diag.message_primary} {caught.value.diag.message_detail} {hints[-1]}"
        assert not re.search(r"\bname\b", told.replace(written, "")), told
    with pytest.raises(psycopg.errors.UndefinedColumn) as caught:
        alice.execute(asked.format("incom").encode())
    assert 'Perhaps you meant to reference the column "' in (caught.value.diag.message_hint or "")


def test_tables_of_the_policy_are_all_that_there_is(alice: Connection, hidden: tuple[str, ...]) -> None:
    """The backstop leaves nothing that a tool would list: no child tables, foreign tables or servers."""
    own = "oid >= 16384 AND relnamespace IS DISTINCT FROM to_regnamespace('dp_own') AND relowner <> 'alice'::regrole"
    tables = f"SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p', 'f', 'v', 'm') AND {own}"
    assert set(column(alice, tables)) == {*PRIVATE, *PUBLIC, *OWN, *hidden}
    for sql in (
        "SELECT count(*) FROM pg_inherits",
        "SELECT count(*) FROM pg_class WHERE relhassubclass AND oid >= 16384",
        "SELECT count(*) FROM information_schema.foreign_tables",
        "SELECT count(*) FROM information_schema.foreign_servers",
        "SELECT count(*) FROM pg_foreign_data_wrapper",
    ):
        assert column(alice, sql) == [0]


# Privileges


def test_what_one_may_not_use_carries_no_privilege(dora: Connection, hidden: tuple[str, ...]) -> None:
    tables = column(
        dora,
        "SELECT table_schema || '.' || table_name FROM information_schema.tables WHERE NOT"
        " table_schema = ANY ('{pg_catalog,information_schema}')",
    )
    assert sorted(tables) == sorted(["public.people", "public.departments", *OWN])
    for view in ("columns", "column_privileges", "table_privileges", "role_table_grants", "key_column_usage"):
        sql = f"SELECT DISTINCT table_name::text FROM information_schema.{view} WHERE table_schema = 'public'"
        assert set(column(dora, sql)) <= {"people", "departments"}
    for name in ("public.visits", "public.customer", "public.orders", "public.lineitem", "public.nation", *hidden):
        may = "SELECT has_table_privilege({0}, 'SELECT, INSERT'), has_any_column_privilege({0}, 'SELECT')"
        assert rows(dora, may.format(oid_of(name))) == [(False, False)]
    for name in ("visits", "nation"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            dora.execute(f"SELECT count(*) FROM {name}".encode())
    assert column(dora, 'SELECT DISTINCT "table" FROM dp.columns ORDER BY 1') == ["departments", "people"]


def test_the_others_can_be_selected_from_and_nothing_else(alice: Connection) -> None:
    changes = CHANGES if alice.info.server_version >= 170000 else CHANGES[:-1]
    for name in (*PRIVATE, *PUBLIC, *OWN):
        assert column(alice, f"SELECT has_table_privilege('{name}', 'SELECT')") == [True]
        assert column(alice, f"SELECT has_table_privilege('{name}', '{', '.join(changes)}')") == [False]
        assert column(alice, f"SELECT has_any_column_privilege('{name}', 'INSERT, UPDATE, REFERENCES')") == [False]
    told = "SELECT DISTINCT privilege_type::text, is_grantable::text FROM information_schema.{}"
    for view in ("table_privileges", "column_privileges"):
        policys = f"{told.format(view)} WHERE table_schema IN ('public', 'dp')"
        assert rows(alice, policys) == [("SELECT", "NO")]
    # As pgjdbc reads privileges: from the access lists themselves.
    listed = "SELECT DISTINCT (aclexplode(relacl)).privilege_type FROM pg_class WHERE oid = 'people'::regclass"
    mine = f"{listed.replace('DISTINCT', '(aclexplode(relacl)).grantee,')}"
    assert rows(alice, f"SELECT privilege_type FROM ({mine}) AS x WHERE grantee = 'alice'::regrole") == [("SELECT",)]
    assert column(
        alice, "SELECT is_insertable_into::text FROM information_schema.tables WHERE table_name = 'people'"
    ) in (["YES"], ["NO"])


def test_nothing_can_be_made_but_in_ones_own_schema(alice: Connection, backend: Backend) -> None:
    create = (
        "SELECT nspname::text FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE') AND nspname !~ '^pg_temp'"
    )
    assert column(alice, create) == ["alice"]
    usage = "SELECT nspname::text FROM pg_namespace WHERE has_schema_privilege(oid, 'USAGE') AND nspname !~ '^pg_temp'"
    entered = ["alice", "dp", "dp_bars", "information_schema", "pg_catalog", "public"]
    assert sorted(column(alice, usage)) == entered
    whole = "has_database_privilege(current_database(), 'CREATE, TEMP')"
    assert rows(alice, f"SELECT {whole}, pg_has_role('{OWNERS[backend]}', 'USAGE')") == [(False, False)]
    sequences = "SELECT bool_or(has_sequence_privilege(oid, 'USAGE, SELECT, UPDATE')) FROM pg_class WHERE relkind = 'S'"
    assert column(alice, f"{sequences} AND relnamespace::regnamespace::text ~ '^dp'") in ([None], [False])


@pytest.mark.skipif(not programs(), reason="there is no psql")
def test_schema_dp_has_what_one_can_use_and_nothing_else(world: Served, alice: Connection) -> None:
    """As psql lists it, by its own queries: tables, views, functions, sequences, indexes, and what a tab completes."""
    script = "\n".join(rf"\d{each} dp.*" for each in ("t", "v", "m", "E", "s", "i", "f", "a"))
    told = psql(programs()[0], world.conninfo(), script=script)
    assert "ERROR" not in told.err
    assert {tuple(line.split("|")[:2]) for line in told.out.splitlines() if "|" in line} == {
        *(("dp", name.removeprefix("dp.")) for name in OWN),
        *(("dp", name) for name in ("median", *(each.value for each in Bar))),
    }
    for name in OWN:
        rows(alice, f"SELECT * FROM {name}")
    # What its tab key asks after `SELECT * FROM dp.`, where all of a kind are offered, whoever may read them.
    completed = "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'S', 'v', 'm', 'f', 'p')"
    assert column(alice, f"{completed} AND relnamespace = 'dp'::regnamespace ORDER BY 1") == sorted(
        name.removeprefix("dp.") for name in OWN
    )
    routines = "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'dp'::regnamespace"
    every = column(alice, f"{routines} ORDER BY 1")
    assert every == sorted(["median", *(each.value for each in Bar)])
    assert column(alice, f"{routines} AND has_function_privilege(oid, 'EXECUTE') ORDER BY 1") == every


# Sizes and counts


def test_private_tables_are_of_the_size_of_empty_ones(alice: Connection, backend: Backend) -> None:
    for name in PRIVATE:
        assert rows(alice, f"SELECT pg_relation_size('{name}'), pg_table_size('{name}') <= 8192") == [(0, True)]
        assert column(alice, f"SELECT pg_total_relation_size('{name}') <= 32768") == [True]
        assert rows(alice, f"SELECT reltuples <= 0, relpages FROM pg_class WHERE oid = '{name}'::regclass") == [
            (True, 0)
        ]
        used = f"FROM pg_stat_user_tables WHERE relid = '{name}'::regclass"
        found = seen(alice, backend, f"SELECT n_live_tup, seq_scan, n_tup_ins, last_analyze {used}")
        assert found == ([(0, None, None, None)] if backend is Backend.EMBEDDED else [])
        assert column(alice, f"SELECT count(*) FROM pg_stats WHERE tablename = '{name}'") == [0]


def test_public_tables_show_what_they_hold(alice: Connection) -> None:
    assert column(alice, "SELECT count(*) FROM departments") == [4]
    assert column(alice, "SELECT reltuples FROM pg_class WHERE oid = 'departments'::regclass") == [4]
    assert column(alice, "SELECT pg_relation_size('departments') > 0") == [True]
    assert column(alice, "SELECT count(*) FROM pg_stats WHERE tablename = 'departments'") == [3]


# All that an analyst might watch to see what the others do, besides the sizes of hidden tables.
WATCHED = (
    "SELECT oid, reltuples, relpages, pg_relation_size(oid) FROM pg_class"
    " WHERE relnamespace::regnamespace::text ~ '^dp' ORDER BY 1",
    "SELECT pg_database_size(current_database()), pg_tablespace_size('pg_default')",
    "SELECT schemaname, sequencename, last_value FROM pg_sequences",
    "SELECT * FROM pg_stat_user_tables WHERE schemaname <> 'alice' ORDER BY relid",
    "SELECT * FROM pg_statio_user_tables WHERE schemaname <> 'alice' ORDER BY relid",
    "SELECT * FROM pg_stat_user_indexes WHERE schemaname <> 'alice' ORDER BY indexrelid",
    "SELECT * FROM pg_statio_user_sequences",
    "SELECT * FROM pg_stat_database",
    "SELECT * FROM pg_stat_wal",
    "SELECT * FROM pg_stat_bgwriter",
    "SELECT * FROM pg_stat_slru",
    "SELECT usename, pid, application_name FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
    "SELECT * FROM pg_locks WHERE pid <> pg_backend_pid()",
    "SELECT * FROM pg_stat_ssl WHERE pid <> pg_backend_pid()",
    "SELECT * FROM pg_stat_progress_copy",
    "SELECT * FROM pg_prepared_xacts",
    "SELECT * FROM pg_replication_slots",
    "SELECT * FROM pg_db_role_setting ORDER BY 1, 2",
    "SELECT rolname, rolconfig FROM pg_roles ORDER BY 1",
    "SELECT * FROM pg_auth_members ORDER BY oid" if find_binaries().version >= (16, 0) else "SELECT 1",
    "SELECT * FROM dp.budget",
    "SELECT * FROM dp.statements",
)


def watched(backend: Backend, hidden: tuple[str, ...]) -> list[str]:
    """What there is to be watched before this front."""
    sizes = [
        "SELECT pg_total_relation_size({0}), pg_table_size({0}), pg_indexes_size({0})".format(oid_of(name))
        for name in hidden
    ]
    return [*sizes, *(sql for sql in WATCHED if backend is Backend.EMBEDDED or OPEN_WHERE_GIVEN not in sql)]


def seen(connection: Connection, backend: Backend, sql: str) -> list[Row]:
    """The rows; none where the gate refuses, for exactly what stands in the table of names."""
    if not refused_in(backend, sql):
        return rows(connection, sql)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for") as caught:
        connection.execute(sql.encode())
    assert (caught.value.diag.message_primary or "").rpartition(" ")[2] in refused_in(backend, sql)
    return []


def test_what_others_do_changes_nothing_that_one_reads(
    world: Served, owner: Connection, backend: Backend, hidden: tuple[str, ...]
) -> None:
    """Another analyst asks, makes tables, prepares and locks; the server looks at its tables; nothing is to be seen."""
    with world.connect("alice") as alice, world.connect("erna", application_name="ernas tool") as erna:
        alice.execute("SELECT count(*) FROM departments, nation")
        before = {sql: seen(alice, backend, sql) for sql in watched(backend, hidden)}
        for number in range(60):
            erna.execute(f"SELECT count(*) FROM people WHERE age > {number % 7}".encode())
        erna.execute("CREATE TABLE erna.many AS SELECT repeat('x', 1000) FROM generate_series(1, 3000)")
        erna.execute("PREPARE p AS SELECT 1")
        erna.execute("SET work_mem = '7MB'")
        with erna.transaction():
            erna.execute("SELECT pg_stat_force_next_flush()")
            erna.execute("DECLARE c CURSOR FOR SELECT * FROM erna.many, departments")
            owner.execute("CHECKPOINT")
            for sql, then in before.items():
                assert seen(alice, backend, sql) == then, sql
        erna.execute("DROP TABLE erna.many")


def test_the_ledgers_tables_are_left_uncounted(owner: Connection, backend: Backend) -> None:
    """How many rows it found is what the vacuum writes where everybody reads, unless they are in another database."""
    for name in GROWING:
        sql = f"SELECT reloptions @> ARRAY['autovacuum_enabled=off'] FROM pg_class WHERE oid = to_regclass('{name}')"
        assert column(owner, sql) == ([True] if backend is Backend.EMBEDDED else []), name


# Sessions


def test_one_sees_and_ends_ones_own_sessions(world: Served, alice: Connection, backend: Backend) -> None:
    with world.connect("alice", application_name="my other tool") as other:
        [pid] = column(other, "SELECT pg_backend_pid()")
        other.execute("SELECT 'what I asked'")
        own = f"SELECT application_name, usename::text, query, state FROM pg_stat_activity WHERE pid = {pid}"
        expected = ("my other tool", "alice", "SELECT 'what I asked'", "idle")
        assert seen(alice, backend, own) == ([expected] if backend is Backend.EMBEDDED else [])
        assert column(alice, f"SELECT pg_terminate_backend({pid}, 5000)") == [True]
        with pytest.raises(psycopg.OperationalError):
            other.execute("SELECT 1")


def test_nobody_ends_or_sees_the_sessions_of_others(
    world: Served, alice: Connection, owner: Connection, backend: Backend
) -> None:
    with world.connect("erna", application_name="ernas tool"):
        [pid] = column(owner, "SELECT pid FROM pg_stat_activity WHERE application_name = 'ernas tool'")
        assert set(seen(alice, backend, "SELECT DISTINCT usename::text FROM pg_stat_activity")) <= {("alice",)}
        assert seen(alice, backend, f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}") == []
        for call in ("pg_terminate_backend", "pg_cancel_backend", "pg_stat_get_backend_activity"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                alice.execute(f"SELECT {call}({pid})".encode())


# What tools ask in their first second, and where they show sessions, locks and sizes. None of it may fail, but by what
# is refused on a given front.
TOOLS = (
    "SELECT db.oid, db.* FROM pg_catalog.pg_database db WHERE db.datallowconn AND NOT db.datistemplate",
    "SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_description d"
    " ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass ORDER BY nspname",
    "SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr,"
    " pg_catalog.pg_get_partkeydef(c.oid) AS partition_key FROM pg_catalog.pg_class c"
    " LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0"
    " AND d.classoid = 'pg_class'::regclass"
    " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind NOT IN ('i', 'I', 'c')",
    "SELECT c.oid, pg_catalog.pg_total_relation_size(c.oid) AS total, pg_catalog.pg_relation_size(c.oid) AS size"
    " FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace",
    "SELECT sa.* FROM pg_catalog.pg_stat_activity sa",
    "SELECT pid, datname, usename, application_name, client_addr, backend_start, state, wait_event_type,"
    " pg_catalog.pg_blocking_pids(pid) AS blocking FROM pg_catalog.pg_stat_activity WHERE datname = current_database()",
    "SELECT pid, locktype, datname, relation::regclass, mode, granted FROM pg_locks l LEFT JOIN pg_database d"
    " ON l.database = d.oid",
    "SELECT a.oid, a.*, pd.description FROM pg_catalog.pg_roles a LEFT JOIN pg_catalog.pg_shdescription pd"
    " ON a.oid = pd.objoid",
    "SELECT sum(numbackends), sum(xact_commit), sum(tup_fetched) FROM pg_stat_database"
    " WHERE datname = current_database()",
    "SELECT st.relname, st.n_live_tup, st.last_vacuum, pg_size_pretty(pg_relation_size(st.relid) + coalesce("
    "pg_relation_size(cl.reltoastrelid), 0)) FROM pg_stat_all_tables st JOIN pg_class cl ON cl.oid = st.relid",
    "SELECT s.*, pg_catalog.pg_size_pretty(pg_catalog.pg_tablespace_size(s.oid)) FROM pg_catalog.pg_tablespace s",
    "SELECT t.relname, NULLIF(s.n_live_tup, 0) FROM pg_class t LEFT JOIN pg_stat_user_tables s ON s.relid = t.oid",
    "SELECT DISTINCT dep.deptype, dep.refclassid, cl.relkind FROM pg_depend dep LEFT JOIN pg_class cl"
    " ON dep.refobjid = cl.oid WHERE dep.objid = 'visits'::regclass",
    "SELECT * FROM pg_catalog.pg_settings WHERE name = 'standard_conforming_strings'",
    "SELECT * FROM pg_prepared_statements",
    "SELECT * FROM pg_cursors",
    "SELECT * FROM pg_policies",
    "SELECT * FROM pg_stat_io" if find_binaries().version >= (16, 0) else "SELECT 1",
    "SELECT * FROM information_schema.schemata",
    "SELECT * FROM information_schema.table_constraints",
    "SELECT * FROM information_schema.referential_constraints",
    "SELECT grantor, grantee, privilege_type FROM information_schema.role_table_grants",
    "SELECT case when pg_is_in_recovery() then null else txid_current() end, current_setting('timezone')",
)


@pytest.mark.parametrize("sql", TOOLS)
def test_tools_get_answers_of_the_form_that_they_know(
    sql: str, alice: Connection, plain: ScratchPostgres, backend: Backend
) -> None:
    if refused_in(backend, sql):
        assert seen(alice, backend, sql) == []
        return
    with psycopg.connect(plain.conninfo, autocommit=True) as bare:
        answers = [connection.execute(sql.encode()) for connection in (alice, bare)]
        ours, theirs = ([(each.name, each.type_code) for each in answer.description or ()] for answer in answers)
        assert ours == theirs


# The version, psql, SQLAlchemy


def test_the_version_is_the_fronts(alice: Connection) -> None:
    major, minor = find_binaries().version
    assert alice.info.parameter_status("server_version") == f"{major}.{minor}"
    assert alice.info.server_version == major * 10000 + minor
    [(told, number, text)] = rows(
        alice, "SELECT current_setting('server_version'), current_setting('server_version_num'), version()"
    )
    assert (told, number) == (f"{major}.{minor}", f"{major}{minor:04}")
    assert text.startswith(f"PostgreSQL {major}.{minor} ")


FAMILY = r"""
\d \d+ \dt+ \di+ \ds \dv+ \dm \dE \dn+ \du+ \dg \drds \dp \z \ddp \dd \df \da \dT+ \do \dO \dc+ \dC \dD+
\db+ \dx \dL \dF+ \dFd+ \dFp \dFt \des+ \det+ \deu+ \dew+ \dRp \dRs \dX \dy+ \dA+ \dAc \dAf \dAo \dAp \dP+
\dconfig \l \l+
"""
OF_TABLES = [rf"{command} {name}" for command in (r"\d", r"\d+", r"\dp") for name in ("people", "visits", "dp.budget")]


@pytest.mark.parametrize("program", programs() or [None], ids=str)
def test_psql_describes_everything(
    program: Path | None, world: Served, plain: ScratchPostgres, backend: Backend
) -> None:
    """A psql of another version than the server's may ask for columns that are not there: of any such server."""
    if program is None:
        pytest.skip("there is no psql")
    family = "\n".join(FAMILY.split())
    script = "\n".join([family, r"\t off", *OF_TABLES])
    ours = psql(program, world.conninfo(), "-v", "ON_ERROR_STOP=0", script=script)
    theirs = psql(program, plain.conninfo, "-v", "ON_ERROR_STOP=0", script=family)
    errors = [set(re.findall(r"ERROR:\s+(.*)", said.err)) for said in (ours, theirs)]
    refused = COMMANDS_REFUSED_WHERE_GIVEN.values() if backend is Backend.GIVEN else ()
    assert errors[0] == errors[1] | {f"permission denied for {name}" for name in refused}
    assert re.search(r"^person_id\|bigint\|\|not null\|\|plain\|+key of unit person$", ours.out, re.M)
    link = 'TABLE "visits" CONSTRAINT "visits_person_id_fkey" FOREIGN KEY (person_id) REFERENCES people(person_id)'
    assert link in ours.out
    assert "private: unit person, caps of 20 rows and 3 groups" in ours.out
    for line in ours.out.splitlines():
        if line.startswith("public|") and "|permanent|heap|" in line and "|table|" in line:
            assert re.search(r"\|(8192 bytes|16 kB|0 bytes)\|", line), line


def test_the_proxys_settings_are_listed(world: Served, backend: Backend) -> None:
    """With what is in force and what it means; where nobody may change the front's catalog, not."""
    with psycopg.connect(world.conninfo(), autocommit=True) as client:
        client.execute("SET dp.epsilon = 0.25")
        asked = "SELECT name, setting, short_desc FROM pg_settings WHERE name ~ '^dp[.]' ORDER BY name"
        found = client.execute(asked).fetchall()
        if backend is Backend.GIVEN:
            assert found == [] or len(found) == 1
            return
        assert [name for name, *_ in found] == sorted(f"dp.{name}" for name in MEANINGS)
        assert ("dp.epsilon", "0.25", MEANINGS["epsilon"]) in found
        for name, value, _ in found:
            assert client.execute(f"SHOW {name}".encode()).fetchone() == (value,)
        [(usual,)] = client.execute("SELECT count(*) FROM pg_settings WHERE name = 'work_mem'").fetchall()
        assert usual == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            client.execute("UPDATE pg_settings SET setting = '0.5' WHERE name = 'dp.epsilon'")
        assert client.execute("SHOW dp.epsilon").fetchone() == ("0.25",)


def test_sqlalchemy_reflects_all_of_it(world: Served) -> None:
    engine = create_engine("postgresql+psycopg://", creator=world.connect)
    try:
        seen = inspect(engine)
        assert {"public", "dp", "alice", "information_schema"} <= set(seen.get_schema_names())
        assert sorted(seen.get_table_names()) == sorted([*PRIVATE, *PUBLIC])
        assert seen.get_view_names() == []
        assert seen.get_foreign_table_names() == []
        described = {each["name"]: each for each in seen.get_columns("people")}
        assert list(described) == ["person_id", "age", "sex", "income", "city", "smoker", "joined"]
        assert (described["age"]["nullable"], described["age"]["comment"]) == (False, "bounds 0 to 120")
        assert str(described["income"]["type"]) == "DOUBLE PRECISION"
        assert seen.get_pk_constraint("people")["constrained_columns"] == ["person_id"]
        [link] = seen.get_foreign_keys("visits")
        assert (link["constrained_columns"], link["referred_table"]) == (["person_id"], "people")
        assert seen.get_table_comment("visits")["text"].startswith("private: unit person")
        for name in (*PRIVATE, *PUBLIC):
            assert seen.get_indexes(name) == seen.get_check_constraints(name) == seen.get_unique_constraints(name) == []
        metadata = MetaData()
        metadata.reflect(engine)
        assert [each.name for each in metadata.sorted_tables if each.name in ("people", "visits")] == [
            "people",
            "visits",
        ]
    finally:
        engine.dispose()


def test_what_may_not_be_read_is_not_listed(world: Served, backend: Backend) -> None:
    """As `\\dt` and most tools ask. Where the front's owner is no superuser, Postgres's own answers."""
    listed = """
        SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND pg_table_is_visible(oid) ORDER BY 1"""
    with world.connect("alice") as alice, world.connect("bob") as bob:
        every = column(alice, listed)
        assert {"people", "visits", "departments"} <= set(every)
        assert column(bob, listed) == (["departments", "people"] if backend is Backend.EMBEDDED else every)
        bob.execute("CREATE TABLE mine (n integer)")
        mine = "SELECT pg_table_is_visible('mine'::regclass), pg_table_is_visible('pg_class'::regclass)"
        assert rows(bob, mine) == [(True, True)]
        bob.execute("DROP TABLE mine")
