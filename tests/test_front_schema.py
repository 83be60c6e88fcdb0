"""The front's contents: stubs that say all and hold nothing, and analysts who can do nothing else."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from small_front import ALICE, BOB, DEPARTMENTS, PEOPLE, SCANS, VIEWS, VISITS, WORLD, Front

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.policy import Catalog, Link, Table, TableColumn
from dpproxy.catalog.types import BIGINT, DOUBLE, INTEGER, TEXT
from dpproxy.errors import ConfigFault, FeatureNotSupported, FrontUnavailable
from dpproxy.front import schema
from dpproxy.front.backstop import is_backstop_error
from dpproxy.front.comments import table_comment
from dpproxy.front.embedded_front import EmbeddedFront
from dpproxy.front.error_bars import EACH
from dpproxy.front.hidden_statistics import hide_others
from dpproxy.front.migrations import VERSION
from dpproxy.front.public_tables import PublicTables
from dpproxy.front.roles import AnalystRole, role_password, role_passwords
from dpproxy.front.schema import sync_front
from dpproxy.ledger import AccountRef, Ledger
from dpproxy.plan.error_bars import Bar
from dpproxy.rows import Column as ResultColumn
from dpproxy.rows import Rows

# What 0.2.0 made, for a policy of one table.
OF_0_4 = """
CREATE SCHEMA dp;
CREATE TABLE dp.roles (analyst text PRIMARY KEY, password text NOT NULL);
CREATE TABLE dp.stubs (name text PRIMARY KEY, relation oid NOT NULL, definition text NOT NULL);
CREATE TABLE dp.publics (
    name text PRIMARY KEY REFERENCES dp.stubs ON DELETE CASCADE, data_version text NOT NULL);
REVOKE ALL ON dp.roles, dp.stubs, dp.publics FROM PUBLIC;
CREATE FUNCTION dp.private() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RAISE EXCEPTION 'dpproxy_private: the rows of private tables are not here' USING ERRCODE = '55000';
END $$;
CREATE TABLE public.people (person_id bigint NOT NULL);
ALTER TABLE public.people ENABLE ROW LEVEL SECURITY;
CREATE POLICY "aggregates only" ON public.people USING (dp.private());
INSERT INTO dp.stubs VALUES ('people', 'people'::regclass, 'CREATE TABLE people …');
CREATE ROLE nina LOGIN NOINHERIT PASSWORD 'of old';
INSERT INTO dp.roles VALUES ('nina', 'of old'), ('gone', 'of a role that was dropped');
CREATE SCHEMA nina AUTHORIZATION nina;
CREATE TABLE nina.released AS SELECT 7 AS x;
ALTER TABLE nina.released OWNER TO nina;
"""
OF_0_2 = """
CREATE SCHEMA dp;
CREATE SCHEMA dp_backstop;
CREATE TABLE dp.stubs (
    name text PRIMARY KEY, relation oid NOT NULL, guarded boolean NOT NULL, definition text NOT NULL);
CREATE FOREIGN DATA WRAPPER dpproxy_private NO HANDLER NO VALIDATOR;
CREATE SERVER dpproxy_private FOREIGN DATA WRAPPER dpproxy_private;
CREATE TABLE people (person_id bigint PRIMARY KEY);
CREATE FOREIGN TABLE dp_backstop.people () INHERITS (people) SERVER dpproxy_private;
INSERT INTO dp.stubs VALUES ('people', 'people'::regclass, true, 'CREATE TABLE people …');
"""


# From a front of today one whose books are beside what analysts use.
BACK = r"""
DO $$
DECLARE
    moved record;
BEGIN
    ALTER TABLE dp_front.front SET SCHEMA dp;
    ALTER TABLE dp_front.roles SET SCHEMA dp;
    ALTER TABLE dp_front.stubs SET SCHEMA dp;
    ALTER TABLE dp_front.publics SET SCHEMA dp;
    FOR moved IN SELECT oid::regprocedure AS routine FROM pg_proc
        WHERE pronamespace IN ('dp_front'::regnamespace, 'dp_bars'::regnamespace)
    LOOP
        EXECUTE format('ALTER ROUTINE %s SET SCHEMA dp', moved.routine);
    END LOOP;
    UPDATE dp.stubs SET definition = replace(definition, 'USING (dp_front.', 'USING (dp.');
    UPDATE dp.front SET version = 5;
    DROP SCHEMA dp_front, dp_bars;
END $$;
"""

NEWEST = next(reversed(INSTALLATIONS), "none")
OLDER = [pytest.param(each, marks=pytest.mark.long) for each in INSTALLATIONS if each != NEWEST]


@pytest.fixture(scope="module", params=[*OLDER, NEWEST])
def server(request: pytest.FixtureRequest) -> Iterator[ScratchPostgres]:
    if request.param not in INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(INSTALLATIONS[request.param]) as running:
        yield running


@pytest.fixture(scope="module")
def front(server: ScratchPostgres) -> Iterator[Front]:
    made = Front(server)
    yield made
    made.close()


@pytest.fixture
def changing(server: ScratchPostgres) -> Iterator[Front]:
    """A front whose policy a test changes; afterwards it is as before."""
    made = Front(server)
    yield made
    made.sync(WORLD, ALICE, BOB)
    made.close()


# --- stubs ----------------------------------------------------------------------------------------------------------


def test_stubs_have_the_columns_of_the_policy_without_hidden_ones(front: Front) -> None:
    query = (
        "SELECT attname::text, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute"
        " WHERE attrelid = '{}'::regclass AND attnum > 0 ORDER BY attnum"
    )
    assert front.rows(query.format("people")) == [
        ("person_id", "bigint", True),
        ("age", "integer", True),
        ("sex", "text", False),
        ("income", "double precision", True),
        ("zip", "character varying(5)", False),
    ]
    assert front.rows(query.format("departments")) == [("dept", "text", True), ("building", "text", False)]


def test_stubs_have_keys_and_links(front: Front) -> None:
    constraints = front.rows(
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE contype IN ('p', 'u', 'f') AND conrelid IN"
        " ('people'::regclass, 'clinic.visits'::regclass, 'departments'::regclass) ORDER BY 1, 2"
    )
    assert constraints == [
        ("clinic.visits", "FOREIGN KEY (person_id) REFERENCES people(person_id)"),
        ("clinic.visits", "PRIMARY KEY (visit_id)"),
        ("departments", "PRIMARY KEY (dept)"),
        ("people", "PRIMARY KEY (person_id)"),
    ]


def test_a_link_to_a_proved_key_that_is_not_the_primary_one(changing: Front) -> None:
    people = replace(PEOPLE, primary_key=("name",))
    changing.sync(Catalog({"people": people, VISITS.name: VISITS}), ALICE)
    assert changing.rows(
        "SELECT contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'people'::regclass"
        " AND contype IN ('p', 'u')"
    ) == [("u", "UNIQUE (person_id)")]
    links = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = 'clinic.visits'::regclass"
    assert changing.rows(links) == [(1,)]
    changing.sync(Catalog({"people": replace(people, unique=frozenset()), VISITS.name: VISITS}), ALICE)
    assert changing.rows(links) == [(1,)]
    hidden = replace(PEOPLE, columns=(replace(PEOPLE.columns[0], hidden=True), *PEOPLE.columns[1:]))
    changing.sync(Catalog({"people": hidden, VISITS.name: VISITS}), ALICE)
    assert changing.rows(links) == [(0,)]
    comment = "SELECT description FROM pg_description WHERE objoid = 'clinic.visits'::regclass AND description ~ 'link'"
    assert changing.rows(comment) == [("links to people",)]


def test_keys_of_several_columns_and_chains_of_links(changing: Front) -> None:
    items = Table(
        "sales.items",
        (TableColumn("visit", BIGINT), TableColumn("at", INTEGER), TableColumn("price", DOUBLE, bounds=(0, 10))),
        unit="person",
        links=(Link("visit", "clinic.visits", "visit_id"),),
        primary_key=("visit", "at"),
        unique=frozenset({("visit", "at")}),
        max_rows_per_unit=100,
        max_groups_per_unit=8,
    )
    changing.sync(Catalog({table.name: table for table in (items, VISITS, PEOPLE)}), ALICE)
    assert changing.rows(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'f')"
        " AND connamespace IN ('sales'::regnamespace, 'clinic'::regnamespace) ORDER BY 1"
    ) == [
        ("FOREIGN KEY (person_id) REFERENCES people(person_id)",),
        ("FOREIGN KEY (visit) REFERENCES clinic.visits(visit_id)",),
        ("PRIMARY KEY (visit, at)",),
        ("PRIMARY KEY (visit_id)",),
    ]


def test_comments_tell_the_policy(front: Front) -> None:
    query = (
        "SELECT coalesce(attname::text, ''), description FROM pg_description LEFT JOIN pg_attribute"
        " ON attrelid = objoid AND attnum = objsubid AND attnum > 0"
        " WHERE objoid = '{}'::regclass AND classoid = 'pg_class'::regclass ORDER BY objsubid"
    )
    assert front.rows(query.format("people")) == [
        ("", "private: unit person. One row per inhabitant"),
        ("person_id", "key of unit person"),
        ("age", "bounds 0 to 120; in years"),
        ("sex", "public keys F, M, NULL"),
        ("income", "bounds 0 to 500000; step 1"),
    ]
    assert front.rows(query.format("clinic.visits")) == [
        ("", "private: unit person, caps of 100 rows and 8 groups"),
        ("person_id", "links to people.person_id"),
    ]
    assert front.rows(query.format("departments")) == [("", "public")]


@pytest.mark.parametrize(
    ("rows", "groups", "comment"),
    [
        (20, 3, "private: unit person, caps of 20 rows and 3 groups"),
        (20, None, "private: unit person, caps of 20 rows"),
        (None, 3, "private: unit person, caps of 3 groups"),
        (None, None, "private: unit person"),
    ],
)
def test_a_comment_tells_declared_caps_alone(rows: int | None, groups: int | None, comment: str) -> None:
    assert table_comment(replace(VISITS, max_rows_per_unit=rows, max_groups_per_unit=groups)) == comment


def test_the_catalog_of_the_front_names_stubs_and_types(front: Front) -> None:
    assert sorted(front.catalog.oids.values()) == sorted([*WORLD.tables, *VIEWS])
    for oid, name in front.sync(WORLD, ALICE, BOB).oids.items():
        assert front.rows(f"SELECT '{name}'::regclass::oid") == [(oid,)]
    assert front.catalog.types[20] == "bigint"
    assert front.catalog.server_version // 10000 >= 15


def test_the_views_have_the_columns_of_the_contract(front: Front) -> None:
    for name, columns in VIEWS.items():
        found = front.rows(
            f"SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute"
            f" WHERE attrelid = '{name}'::regclass AND attnum > 0 ORDER BY attnum"
        )
        assert found == [(column.name, column.type) for column in columns]


# --- the backstop ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", SCANS)
def test_a_scan_of_a_stub_is_an_error(front: Front, query: str) -> None:
    sqlstate, message = front.error(query)
    assert (sqlstate, message) == ("55000", "dpproxy_private: the rows of private tables are not here")
    assert is_backstop_error(sqlstate or "", message)


def test_views_and_prepared_statements_fail_when_they_are_run(front: Front) -> None:
    front.rows("CREATE VIEW alice.v AS SELECT count(*) FROM people")
    front.rows("PREPARE p (bigint) AS SELECT * FROM people WHERE person_id = $1")
    assert is_backstop_error(*front.error("SELECT * FROM alice.v"))
    assert is_backstop_error(*front.error("EXECUTE p (1)"))
    front.rows("DROP VIEW alice.v")
    front.rows("DEALLOCATE p")


def test_other_errors_are_not_taken_for_the_backstop(front: Front) -> None:
    assert not is_backstop_error(*front.error("SELECT currval('alice.nothing')"))
    assert not is_backstop_error(*front.error("SELECT 1 / 0"))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("WITH unused AS (SELECT * FROM people) SELECT 1", [(1,)]),
        ("CREATE TABLE alice.empty AS SELECT * FROM people WITH NO DATA; DROP TABLE alice.empty", []),
    ],
)
def test_what_goes_past_the_backstop_meets_an_empty_table(front: Front, query: str, answer: object) -> None:
    """None of these plans a scan, and there is nothing to scan."""
    assert front.rows(query) == answer


def test_copying_a_stub_out_is_an_error(front: Front) -> None:
    with (
        pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState),
        front.session("alice").cursor().copy("COPY people TO STDOUT") as copy,
    ):
        list(copy)


def test_a_session_without_row_security_reads_no_stub(front: Front) -> None:
    front.rows("SET row_security = off")
    assert front.error("SELECT * FROM people")[0] == "42501"
    front.rows("RESET row_security")


def test_the_backstop_leaves_no_other_tables_behind(front: Front) -> None:
    """What tools list is what the policy has: no children, no foreign tables, no wrappers."""
    for catalog in ("pg_inherits", "pg_foreign_table", "pg_foreign_server", "pg_foreign_data_wrapper"):
        assert front.rows(f"SELECT count(*) FROM {catalog}") == [(0,)]


def test_statements_over_stubs_are_described_without_running(front: Front) -> None:
    connection = front.session("alice").pgconn
    connection.prepare(b"typed", b"SELECT sex, avg(age) AS mean, sum(income) FROM people WHERE age > $1 GROUP BY 1")
    described = connection.describe_prepared(b"typed")
    assert [described.fname(at) for at in range(described.nfields)] == [b"sex", b"mean", b"sum"]
    assert [front.catalog.types[described.ftype(at)] for at in range(3)] == ["text", "numeric", "double precision"]
    assert [described.param_type(0)] == [23]
    connection.exec_(b"DEALLOCATE typed")


def oid_of(name: str) -> str:
    """The relation, for who may not enter its schema, too."""
    return f"(SELECT oid::oid FROM pg_class WHERE relnamespace::regnamespace || '.' || relname = '{name}')"


# --- what analysts may not do ----------------------------------------------------------------------------------------

FORBIDDEN = [
    "SELECT * FROM dp_front.roles",
    "SELECT * FROM dp_front.stubs",
    "SELECT * FROM dp_front.publics",
    "SELECT * FROM dp_own.pg_stat_activity",
    "SELECT * FROM dp_own.pg_stat_activity()",
    "SELECT dp_own.pg_table_size('people')",
    "SELECT pg_stat_get_activity(NULL)",
    "SELECT pg_stat_get_backend_activity(1)",
    "SELECT pg_stat_get_live_tuples(oid) FROM pg_class WHERE relname = 'roles'",
    "SELECT pg_stat_get_db_xact_commit(1)",
    "SELECT pg_lock_status()",
    "SELECT pg_current_wal_lsn()",
    "SELECT pg_control_checkpoint()",
    "SELECT pg_xact_status('1000')",
    "INSERT INTO departments VALUES ('x', 'y')",
    "TRUNCATE departments",
    "UPDATE departments SET building = 'x'",
    "COMMENT ON TABLE people IS 'x'",
    "ALTER TABLE people ADD x integer",
    "DROP TABLE people",
    "CREATE TABLE alice.child () INHERITS (people)",
    "CREATE TABLE alice.pointer (x bigint REFERENCES people)",
    "CREATE STATISTICS alice.s ON age, sex FROM people",
    "CREATE RULE r AS ON SELECT TO people DO INSTEAD NOTHING",
    "CREATE TABLE public.t (x integer)",
    "CREATE TABLE dp.t (x integer)",
    "CREATE TABLE clinic.t (x integer)",
    "CREATE TEMP TABLE t (x integer)",
    "CREATE SCHEMA another",
    "ALTER SCHEMA alice RENAME TO another",
    "CREATE ROLE carol",
    "CREATE DATABASE another",
    "CREATE EXTENSION plpgsql",
    "CREATE PUBLICATION p FOR TABLE people",
    "CREATE FOREIGN DATA WRAPPER w",
    "CREATE FUNCTION alice.f() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION alice.f() RETURNS integer LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
    "CREATE FUNCTION alice.f() RETURNS integer LANGUAGE internal AS 'pg_backend_pid'",
    "DO $$ BEGIN END $$",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT lo_get(1)",
    "SELECT loread(0, 1)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_try_advisory_lock_shared(1)",
    "SELECT pg_advisory_xact_lock(1, 2)",
    "SELECT pg_notify('a', 'b')",
    "SELECT pg_logical_emit_message(false, 'a', 'b')",
    "SELECT query_to_xml('SELECT * FROM people', true, true, '')",
    "SELECT table_to_xml('people', true, true, '')",
    "SELECT database_to_xml(true, true, '')",
    "SELECT ts_stat('SELECT 1')",
    "SELECT ts_rewrite('a'::tsquery, 'SELECT 1')",
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT pg_ls_dir('.')",
    "SELECT pg_reload_conf()",
    "SELECT * FROM pg_authid",
    "SELECT * FROM pg_hba_file_rules",
    "COPY departments TO PROGRAM 'cat'",
    "COPY departments TO '/tmp/x'",
    "SET ROLE owner",
    "SET SESSION AUTHORIZATION owner",
    "SET temp_file_limit = -1",
    "SET log_statement = 'all'",
    "SET session_replication_role = replica",
    "SET zero_damaged_pages = on",
    "SET session_preload_libraries = 'x'",
    "LOAD 'auto_explain'",
    "CHECKPOINT",
    "ALTER SYSTEM SET work_mem = '1GB'",
    "ALTER ROLE alice CONNECTION LIMIT -1",
    "ALTER ROLE alice SUPERUSER",
    "ALTER ROLE \"Bob's\" PASSWORD 'x'",
    'GRANT "Bob\'s" TO alice',
    'SELECT * FROM "Bob\'s".t',
    'CREATE TABLE "Bob\'s".t (x integer)',
]


@pytest.mark.parametrize("query", FORBIDDEN)
def test_analysts_may_not(front: Front, query: str) -> None:
    sqlstate, message = front.error(query)
    assert (sqlstate in ("42501", "42710")) or (sqlstate == "0A000" and "not available" in message), message


def test_no_analyst_holds_any_attribute(front: Front) -> None:
    assert (
        front.rows(
            "SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolinherit, rolreplication, rolbypassrls,"
            " rolconnlimit > 0 FROM pg_roles WHERE rolname IN ('alice', 'Bob''s')"
        )
        == [(True, False, False, False, False, False, False, True)] * 2
    )
    assert front.rows("SHOW temp_file_limit") == [("256MB",)]
    assert front.rows("SELECT count(*) FROM pg_auth_members WHERE member::regrole::text ~ 'alice|Bob'") == [(0,)]


def test_a_role_has_no_settings_and_no_memberships(front: Front) -> None:
    assert front.rows("SELECT count(*) FROM pg_db_role_setting WHERE setrole <> 0") == [(0,)]
    assert front.rows("SELECT count(*) FROM pg_roles WHERE rolconfig IS NOT NULL") == [(0,)]


# --- what analysts see of the others ----------------------------------------------------------------------------------


def test_other_sessions_are_not_to_be_seen(front: Front) -> None:
    front.rows("SELECT 'somebody''s statement'", "Bob's")
    front.rows("BEGIN; LOCK TABLE people IN ACCESS SHARE MODE", "Bob's")
    [(bobs,)] = front.rows("SELECT pg_backend_pid()", "Bob's")
    seen = front.rows("SELECT usename::text, pid = pg_backend_pid(), query ~ 'pg_stat_activity' FROM pg_stat_activity")
    assert seen == [("alice", True, True)]
    for view in ("pg_locks", "pg_stat_ssl", "pg_stat_gssapi"):
        assert front.rows(f"SELECT DISTINCT pid = pg_backend_pid() FROM {view}") in ([(True,)], [])
        assert front.rows(f"SELECT count(*) > 0 FROM {view} WHERE pid = {bobs}", "owner") in ([(True,)], [(False,)])
    assert front.rows(f"SELECT count(*) > 0 FROM pg_locks WHERE pid = {bobs}", "owner") == [(True,)]
    assert front.rows(f"SELECT pg_blocking_pids({bobs}), pg_blocking_pids(pg_backend_pid())") == [([], [])]
    for call in ("pg_terminate_backend", "pg_cancel_backend"):
        assert front.error(f"SELECT {call}({bobs})")[0] == "42501"
    front.rows("COMMIT", "Bob's")


def test_sessions_of_ones_own_are_seen_and_ended(front: Front) -> None:
    password = asyncio.run(role_password(front.server.conninfo, "alice"))
    with psycopg.connect(front.server.conninfo_of("alice", password), autocommit=True) as other:
        other.execute("SELECT 'the other one'")
        pid = other.info.backend_pid
        of_it = f"SELECT query, state FROM pg_stat_activity WHERE pid = {pid}"
        assert front.rows(of_it) == [("SELECT 'the other one'", "idle")]
        assert front.rows(f"SELECT pg_terminate_backend({pid}, 5000)") == [(True,)]


def test_every_statistic_is_there_to_be_read(front: Front) -> None:
    """No tool gets an error, and nothing that is counted over all sessions is told."""
    names = [str(name) for (name,) in front.rows("SELECT viewname FROM pg_views WHERE viewname ~ '^pg_stat(io)?_'")]
    assert len(names) > 40
    columns = "SELECT attname::text, atttypid FROM pg_attribute WHERE attrelid = 'dp_own.{0}'::regclass ORDER BY attnum"
    for name in (*names, "pg_locks", "pg_cursors", "pg_prepared_statements", "pg_replication_slots"):
        front.rows(f"SELECT * FROM {name}")
        if front.rows(f"SELECT to_regclass('dp_own.{name}') IS NOT NULL", "owner") == [(True,)]:
            kept = front.rows(columns.format(name), "owner")
            assert front.rows(columns.format(name).replace("dp_own", "pg_catalog"), "owner") == kept
    for name in ("pg_stat_database", "pg_stat_wal", "pg_stat_slru", "pg_stat_bgwriter", "pg_stat_archiver"):
        assert front.rows(f"SELECT * FROM {name}") == []
        assert front.rows(f"SELECT * FROM {name}", "owner")


def test_use_is_counted_for_ones_own_tables_alone(front: Front) -> None:
    front.rows("CREATE TABLE alice.used AS SELECT 1 AS x; SELECT * FROM alice.used; SELECT * FROM departments")
    front.rows('CREATE TABLE "Bob\'s".used AS SELECT 1 AS x', "Bob's")
    front.rows("SELECT pg_stat_force_next_flush()")
    front.rows("SELECT 1")
    tables = dict(front.rows("SELECT schemaname || '.' || relname, seq_scan FROM pg_stat_user_tables"))
    assert tables["alice.used"] == 1
    assert tables["public.departments"] is None
    assert "Bob's.used" not in tables
    assert not [name for name in tables if name in ("dp_ledger.charges", "dp_front.roles", "dp_front.stubs")]
    for role, name in (("alice", "alice.used"), ("Bob's", '"Bob\'s".used')):
        front.rows(f"DROP TABLE {name}", role)


def test_sizes_are_those_of_what_one_may_read(front: Front) -> None:
    front.rows("CREATE TABLE alice.mine AS SELECT repeat('x', 100) FROM generate_series(1, 1000)")
    [(mine,)] = front.rows("SELECT 'alice.mine'::regclass::oid")
    for size in ("pg_relation_size", "pg_table_size", "pg_total_relation_size"):
        assert front.rows(f"SELECT {size}('alice.mine') > 100000, {size}('people') <= 32768") == [(True, True)]
        for name in ("alice.mine", "dp_front.stubs", "dp_front.roles", "pg_catalog.pg_authid"):
            assert front.rows(f"SELECT {size}({oid_of(name)})", "Bob's") == [(None,)]
            assert front.rows(f"SELECT {size}({oid_of(name)}) > 0", "owner") == [(True,)]
    assert front.rows("SELECT pg_relation_size('people'), pg_relation_size('people', 'main')") == [(0, 0)]
    assert front.rows("SELECT pg_indexes_size('people') > 0, pg_relation_size('people_pkey') > 0") == [(True, True)]
    assert front.rows(f"SELECT pg_relation_size({mine}, 'fsm'), pg_table_size(NULL), pg_table_size(1)", "Bob's") == [
        (None, None, None)
    ]
    front.rows("DROP TABLE alice.mine")


def test_the_size_of_the_database_does_not_tell_what_others_did(front: Front) -> None:
    size = "SELECT pg_database_size(current_database()), pg_database_size(oid) FROM pg_database WHERE datname = 'front'"
    before, mine = front.rows(size), front.rows(size, "Bob's")
    front.rows("CREATE TABLE big AS SELECT repeat('x', 100) FROM generate_series(1, 10000)")
    assert front.rows(size, "Bob's") == mine
    assert front.rows(size)[0] > before[0]
    front.rows("DROP TABLE big")
    assert front.rows(size) == before
    assert front.rows("SELECT pg_database_size('template1'), pg_tablespace_size('pg_default')") == [(None, None)]
    assert front.rows("SELECT pg_tablespace_size('pg_default') > pg_database_size('front')", "owner") == [(True,)]


def test_a_database_restored_from_a_dump_hides_as_much(front: Front) -> None:
    """The operator's pg_dump works, and what it cannot hold, other names in pg_catalog, is made anew."""
    server = front.server
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("CREATE DATABASE restored")
        owner.execute("GRANT CONNECT ON DATABASE restored TO alice")
    conninfo = server.conninfo.replace("dbname=front", "dbname=restored")
    dumped = subprocess.run([server.binaries / "pg_dump", "-d", server.conninfo], check=True, capture_output=True)
    psql = [server.binaries / "psql", "-X", "-q", "-d", conninfo]
    subprocess.run(psql, input=dumped.stdout, check=True, capture_output=True)

    async def hide() -> None:
        async with await psycopg.AsyncConnection.connect(conninfo) as owner:
            await hide_others(owner)

    asyncio.run(hide())
    password = asyncio.run(role_password(server.conninfo, "alice"))
    with psycopg.connect(server.conninfo_of("alice", password, "restored")) as alice:
        size = f"pg_table_size({oid_of('dp_front.stubs')})"
        seen = alice.execute(f"SELECT DISTINCT usename::text, {size} FROM pg_stat_activity".encode())
        assert seen.fetchall() == [("alice", None)]


def test_statements_and_cursors_of_the_relay_are_not_listed(front: Front) -> None:
    front.rows("PREPARE dpproxy_1 AS SELECT 1; PREPARE mine AS SELECT 2")
    assert front.rows("SELECT name FROM pg_prepared_statements") == [("mine",)]
    front.rows("DEALLOCATE ALL")


def test_analysts_own_a_schema_where_unqualified_names_go(front: Front) -> None:
    front.rows("CREATE TABLE mine AS SELECT 1 AS x")
    assert front.rows("SELECT * FROM alice.mine") == [(1,)]
    assert front.error("SELECT * FROM alice.mine", "Bob's")[0] == "42501"
    front.rows("DROP TABLE alice.mine")


def test_tables_that_were_not_granted_carry_no_privilege(front: Front) -> None:
    """The backstop comes first when a statement is planned, so what the analyst reads of it is the proxy's to say."""
    privileges = (
        "SELECT has_table_privilege('Bob''s', name, 'SELECT'), has_table_privilege('Bob''s', name, 'INSERT')"
        " FROM unnest(ARRAY['people', 'clinic.visits', 'departments', 'dp.budget']) AS name"
    )
    assert front.rows(privileges) == [(True, False), (False, False), (True, False), (True, False)]
    assert is_backstop_error(*front.error("SELECT * FROM clinic.visits", "Bob's"))
    assert front.rows("SELECT * FROM departments", "Bob's") == []


def test_the_ledger_beside_the_views_is_nobodys_to_read(changing: Front) -> None:
    async def open_and_sync() -> None:
        ledger = await Ledger.open(changing.server.conninfo, Accounting.PURE)
        await sync_front(changing.server.conninfo, WORLD, (ALICE, BOB))
        half = Loss(Decimal("0.5"), Decimal(0))
        whole = terms(Accounting.PURE, half.main, half.delta)
        assert (await ledger.charge(AccountRef("alice"), half, whole, (), "SELECT 1", half.main)).spent == half
        await ledger.close()

    asyncio.run(open_and_sync())
    for table in ("ledger", "accounts", "charges", "grants", "alarms"):
        assert changing.error(f"SELECT * FROM dp_ledger.{table}")[0] == "42501"
    assert changing.error("SELECT nextval('dp_ledger.charges_id_seq')")[0] == "42501"
    mine = "has_schema_privilege(pronamespace, 'USAGE') AND has_function_privilege(oid, 'EXECUTE')"
    found = changing.rows(
        f"SELECT proname::text FROM pg_proc WHERE pronamespace::regnamespace::text ~ '^dp' AND {mine}"
    )
    names = {name for (name,) in found if not name.startswith("each_")}
    assert names == {"median", *(each.value for each in Bar)}


def test_a_median_is_postgres_own(front: Front) -> None:
    """Where all rows are public; and private ones are typed by it."""
    numbers = "SELECT dp.median(n), pg_typeof(dp.median(n)) FROM unnest(ARRAY[3, 1, 4, 1]) AS t(n)"
    assert front.rows(numbers.replace("pg_typeof(dp.median(n))", "pg_typeof(dp.median(n))::text")) == [
        (2.0, "double precision")
    ]
    days = (
        "SELECT dp.median(d) FILTER (WHERE d > '2020-01-01') FROM unnest(ARRAY[DATE '2020-01-01', '2021-02-03']) t(d)"
    )
    assert front.rows(days) == [(date(2021, 2, 3),)]
    assert front.rows("SELECT dp.median(n) FROM generate_series(1, 0) t(n)") == [(None,)]
    lengths = "SELECT dp.median(n * INTERVAL '1 day')::text FROM unnest(ARRAY[1, 2]) AS t(n)"
    assert front.rows(lengths) == [("1 day 12:00:00",)]


# --- error bars ------------------------------------------------------------------------------------------------------


def test_a_bar_has_no_value_by_itself(front: Front) -> None:
    assert front.error("SELECT dp.low(n) FROM generate_series(1, 3) t(n)")[0] == "0A000"
    assert front.rows("SELECT dp.low(n) FROM generate_series(1, 0) t(n)") == []


ARRAYS = "ARRAY[1.5, NULL, 0, -3, 1e200, 1e-200, 'NaN', 'Infinity', 1e149]::double precision[]"


def test_no_function_of_arrays_raises(front: Front) -> None:
    """Whatever is in them."""
    signatures = front.rows(
        "SELECT proname::text, pronargs::text FROM pg_proc WHERE pronamespace = 'dp_bars'::regnamespace"
        " AND proname LIKE 'each\\_%' AND prokind = 'f' AND prorettype = 'double precision[]'::regtype"
    )
    assert len(signatures) > 30
    turned = f"(SELECT array_agg(x ORDER BY i DESC) FROM unnest({ARRAYS}) WITH ORDINALITY AS t(x, i))"
    for name, count in signatures:
        for arrays in ([ARRAYS] * int(count), [ARRAYS, *[turned] * (int(count) - 1)]):
            ((size,),) = front.rows(f"SELECT cardinality(dp_bars.{name}({', '.join(arrays)}))::text")
            assert size == "9", name


def test_what_is_done_element_by_element_is_what_postgres_does(front: Front) -> None:
    numbers = [-7.0, -2.0, -0.5, 0.0, 1.0, 2.5, 6.0]
    pairs = [(x, y) for x in numbers for y in numbers]
    left, right = (f"ARRAY{[pair[at] for pair in pairs]}::double precision[]" for at in (0, 1))
    plain = {
        "add": "x + y",
        "subtract": "x - y",
        "multiply": "x * y",
        "divide": "x / nullif(y, 0)",
        "modulo": "(x::numeric % nullif(y, 0)::numeric)::double precision",
        "total": "x + y",
        "smaller": "least(x, y)",
        "larger": "greatest(x, y)",
        "unless": "nullif(x, y)",
        "below": "(x < y)::integer::double precision",
        "at_most": "(x <= y)::integer::double precision",
        "equal": "(x = y)::integer::double precision",
        "unequal": "(x <> y)::integer::double precision",
    }
    for name, expression in plain.items():
        expected = front.rows(f"SELECT {expression} FROM unnest({left}, {right}) AS t(x, y)")
        ((found,),) = front.rows(f"SELECT dp_bars.each_{name}({left}, {right})")
        assert [value for (value,) in expected] == pytest.approx(found), name


def test_ends_are_those_of_ranks(front: Front) -> None:
    numbers = "(SELECT array_agg(n::double precision) FROM generate_series(1, 399) t(n))"
    assert front.rows(f"SELECT dp_bars.each_low({numbers}, 10), dp_bars.each_high({numbers}, 10)") == [(10.0, 390.0)]
    assert front.rows(f"SELECT dp_bars.each_half_width({numbers}, 10)") == [(190.0,)]
    unknown = f"array_append({numbers}, NULL::double precision)"
    assert front.rows(f"SELECT dp_bars.each_low({unknown}, 1), dp_bars.each_high({unknown}, 2)") == [(None, 399.0)]


# --- a policy that changes -------------------------------------------------------------------------------------------


def test_syncing_again_changes_nothing(changing: Front) -> None:
    before = changing.rows("SELECT oid, relname::text FROM pg_class ORDER BY oid")
    passwords = asyncio.run(role_passwords(changing.server.conninfo))
    assert changing.sync(WORLD, ALICE, BOB) == changing.catalog
    assert changing.rows("SELECT oid, relname::text FROM pg_class ORDER BY oid") == before
    assert asyncio.run(role_passwords(changing.server.conninfo)) == passwords


def test_a_changed_stub_is_made_anew_and_what_analysts_own_stays(changing: Front) -> None:
    changing.rows("CREATE TABLE released AS SELECT 7 AS x")
    younger = replace(PEOPLE, columns=tuple(column for column in PEOPLE.columns if column.name != "zip"))
    tables = {"people": younger, VISITS.name: VISITS, "wards": replace(DEPARTMENTS, name="wards")}
    catalog = changing.sync(Catalog(tables), ALICE, replace(BOB, tables=("wards",)))
    assert sorted(set(catalog.oids.values()) - set(VIEWS)) == ["clinic.visits", "people", "wards"]
    kept = {name: oid for oid, name in catalog.oids.items()}
    known = {name: oid for oid, name in changing.catalog.oids.items()}
    assert kept["clinic.visits"] == known["clinic.visits"]
    assert kept["people"] != known["people"]
    assert changing.rows("SELECT x FROM released") == [(7,)]
    assert changing.error("SELECT * FROM departments")[0] == "42P01"
    assert changing.error("SELECT zip FROM people")[0] == "42703"
    assert is_backstop_error(*changing.error("SELECT age FROM people"))
    assert changing.rows("SELECT has_table_privilege('Bob''s', 'people', 'SELECT')") == [(False,)]
    assert changing.rows(
        "SELECT count(*) FROM pg_constraint WHERE confrelid = 'people'::regclass AND contype = 'f'"
    ) == [(1,)]
    changing.rows("DROP TABLE released")


def test_a_front_of_version_0_2_is_brought_up_to_date(server: ScratchPostgres) -> None:
    """Its backstop was a foreign table that inherited from each stub."""
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("CREATE DATABASE old")
    conninfo = server.conninfo.replace("dbname=front", "dbname=old")
    with psycopg.connect(conninfo, autocommit=True) as owner:
        owner.execute(OF_0_2)
        catalog = asyncio.run(sync_front(conninfo, WORLD, (AnalystRole("zoe"),)))
        assert sorted(catalog.oids.values()) == sorted([*WORLD.tables, *VIEWS])
        for left in ("pg_inherits", "pg_foreign_data_wrapper", "pg_namespace WHERE nspname = 'dp_backstop'"):
            assert owner.execute(f"SELECT count(*) FROM {left}").fetchone() == (0,)
    password = asyncio.run(role_password(conninfo, "zoe"))
    with (
        psycopg.connect(server.conninfo_of("zoe", password, "old")) as zoe,
        pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState),
    ):
        zoe.execute("SELECT count(*) FROM people")


@pytest.fixture
def empty(server: ScratchPostgres) -> Iterator[str]:
    """How to connect to a database with nothing in it."""
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("CREATE DATABASE empty")
        yield server.conninfo.replace("dbname=front", "dbname=empty")
        owner.execute("DROP DATABASE empty WITH (FORCE)")


def test_a_front_of_version_0_4_is_brought_up_to_date(server: ScratchPostgres, empty: str) -> None:
    with psycopg.connect(empty, autocommit=True) as owner:
        owner.execute(OF_0_4)
        catalog = asyncio.run(sync_front(empty, WORLD, (AnalystRole("nina"), AnalystRole("gone"))))
        assert sorted(catalog.oids.values()) == sorted([*WORLD.tables, *VIEWS])
        marks = "SELECT count(*) FROM dp_front.front JOIN pg_roles ON shobj_description(oid, 'pg_authid') = mark"
        assert owner.execute(marks).fetchone() == (2,)
        assert owner.execute("SELECT version FROM dp_front.front").fetchone() == (VERSION,)
        with psycopg.connect(server.conninfo_of("nina", "of old", "empty")) as nina:
            assert nina.execute("SELECT x FROM nina.released").fetchall() == [(7,)]
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                nina.execute("SELECT count(*) FROM people")
        psycopg.connect(server.conninfo_of("gone", "of a role that was dropped", "empty")).close()
        owner.execute("DROP OWNED BY nina, gone; DROP ROLE nina, gone")


def test_books_beside_what_analysts_use_are_moved(server: ScratchPostgres, empty: str) -> None:
    """Stubs are the same as before, so that what analysts made of them stays."""
    made = asyncio.run(sync_front(empty, WORLD, (AnalystRole("olga"),)))
    with psycopg.connect(empty, autocommit=True) as owner:
        owner.execute((BACK + EACH.replace("dp_bars.", "dp.")).encode())
        owner.execute(
            "CREATE VIEW olga.look AS SELECT dp.median(age) AS m FROM people; ALTER VIEW olga.look OWNER TO olga"
        )
        owner.execute("CREATE VIEW olga.half AS SELECT dp.each_half_width(ARRAY[1, 2, 3], 1) AS h")
        assert asyncio.run(sync_front(empty, WORLD, (AnalystRole("olga"),))) == made
        of_dp = "SELECT 'dp.' || relname FROM pg_class WHERE relnamespace = 'dp'::regnamespace AND relkind <> 'i'"
        assert sorted(name for (name,) in owner.execute(of_dp).fetchall()) == sorted(VIEWS)
        called = "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'dp'::regnamespace"
        assert {name for (name,) in owner.execute(called).fetchall()} == {"median", *(each.value for each in Bar)}
        assert owner.execute("SELECT version FROM dp_front.front").fetchone() == (VERSION,)
        assert owner.execute("SELECT h FROM olga.half").fetchone() == (1.0,)
        assert owner.execute("SELECT count(*) FROM dp_front.stubs WHERE definition ~ 'dp[.]private'").fetchone() == (0,)
    password = asyncio.run(role_password(empty, "olga"))
    with psycopg.connect(server.conninfo_of("olga", password, "empty")) as olga:
        assert olga.execute("SELECT dp.median(n) FROM generate_series(1, 3) t(n)").fetchone() == (2.0,)
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            olga.execute("SELECT * FROM olga.look")
    with psycopg.connect(empty, autocommit=True) as owner:
        owner.execute("DROP OWNED BY olga CASCADE; DROP ROLE olga")


def test_a_front_of_a_newer_dpproxy_is_left_alone(empty: str) -> None:
    asyncio.run(sync_front(empty, WORLD, ()))
    with psycopg.connect(empty, autocommit=True) as owner:
        owner.execute("UPDATE dp_front.front SET version = version + 1")
        with pytest.raises(ConfigFault) as caught:
            asyncio.run(sync_front(empty, Catalog({}), ()))
        assert f"made by a newer dpproxy (version {VERSION + 1}; this one knows {VERSION})" in str(caught.value.detail)
        assert owner.execute("SELECT count(*) FROM dp_front.stubs WHERE name = 'people'").fetchone() == (1,)


@pytest.mark.long
@pytest.mark.parametrize(
    ("theirs", "told"),
    [
        ("CREATE TABLE people (x integer)", "tables.people: the front's database has something of that name"),
        ("CREATE SCHEMA clinic; CREATE VIEW clinic.visits AS SELECT 1", "tables.clinic.visits: the front's database"),
        ("CREATE SCHEMA dp; CREATE TABLE dp.stubs_of_theirs ()", 'its schema "dp" is somebody else\'s'),
        ("CREATE SCHEMA dp_front; CREATE TABLE dp_front.stubs ()", 'its schema "dp_front" is somebody else\'s'),
        ("CREATE SCHEMA dp_bars; CREATE TABLE dp_bars.cafes ()", 'its schema "dp_bars" is somebody else\'s'),
        ("CREATE TABLE salaries (x integer); GRANT SELECT ON salaries TO PUBLIC", "could read: salaries"),
        (
            "CREATE TABLE salaries (x integer); GRANT SELECT (x) ON salaries TO PUBLIC",
            "could read: salaries",
        ),
        ("CREATE TABLE salaries (x integer)", None),
    ],
)
def test_what_others_have_in_the_database(empty: str, theirs: str, told: str | None) -> None:
    """It is never dropped, and no analyst gets to read it."""
    with psycopg.connect(empty, autocommit=True) as owner:
        owner.execute(theirs.encode())
        before = owner.execute("SELECT relname FROM pg_class ORDER BY 1").fetchall()
        if told is None:
            asyncio.run(sync_front(empty, WORLD, ()))
        else:
            with pytest.raises(ConfigFault) as caught:
                asyncio.run(sync_front(empty, WORLD, ()))
            assert told in str(caught.value.detail)
            assert owner.execute("SELECT relname FROM pg_class ORDER BY 1").fetchall() == before


def test_a_session_that_holds_a_stub_for_long_is_told_of(changing: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "_BEGIN", schema._BEGIN.replace("10s", "100ms"))
    changing.rows("BEGIN; LOCK TABLE departments IN ACCESS SHARE MODE", "Bob's")
    with pytest.raises(FrontUnavailable, match="a session of the front's holds"):
        changing.sync(Catalog({"people": PEOPLE}), ALICE, BOB)
    changing.rows("ROLLBACK", "Bob's")


def test_an_analyst_who_leaves_and_comes_back(changing: Front) -> None:
    changing.rows("CREATE TABLE released AS SELECT 7 AS x")
    changing.rows("ALTER ROLE alice SET work_mem = '1GB'")
    password = asyncio.run(role_password(changing.server.conninfo, "alice"))
    changing.sync(WORLD, BOB)
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(changing.server.conninfo_of("alice", password))
    assert changing.error("SELECT * FROM departments")[0] == "42501"
    changing.sync(WORLD, ALICE, BOB)
    with psycopg.connect(changing.server.conninfo_of("alice", password)) as back:
        assert back.execute("SELECT x, current_setting('work_mem') FROM released").fetchall() == [(7, "4MB")]
    changing.rows("DROP TABLE released")


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["owner", "public", "dp", "dp_front", "clinic", "pg_monitor", "information_schema", "x" * 64]
)
def test_analysts_cannot_take_somebody_elses_name(changing: Front, name: str) -> None:
    with pytest.raises(ConfigFault):
        changing.sync(WORLD, ALICE, AnalystRole(name))


@pytest.mark.parametrize("name", ["alice.t", "dp.budget", "dp_own.t", "dp_ledger.t", "pg_catalog.pg_class"])
def test_tables_cannot_lie_in_schemas_of_others(changing: Front, name: str) -> None:
    with pytest.raises(ConfigFault):
        changing.sync(Catalog({name: replace(PEOPLE, name=name)}), ALICE)


def test_two_proxies_sync_at_once(changing: Front) -> None:
    async def both() -> None:
        first, second = await asyncio.gather(
            *(sync_front(changing.server.conninfo, WORLD, (ALICE, BOB)) for _ in range(2))
        )
        assert first == second

    asyncio.run(both())


def test_names_and_words_that_need_quotes(changing: Front) -> None:
    odd = replace(
        DEPARTMENTS,
        name='Sch"ema.Ta"ble',
        columns=(TableColumn('se"lect', TEXT, note="it's; a 'note' \\ with %s"),),
        primary_key=('se"lect',),
        unique=frozenset({('se"lect',)}),
    )
    catalog = changing.sync(Catalog({odd.name: odd}), ALICE, BOB)
    assert odd.name in catalog.oids.values()
    assert changing.rows('SELECT "se""lect" FROM "Sch""ema"."Ta""ble"') == []


async def test_an_unreachable_front() -> None:
    for call in (sync_front("host=/nowhere", WORLD, ()), role_password("host=/nowhere", "alice")):
        with pytest.raises(FrontUnavailable):
            await call


def test_an_analyst_without_a_role(front: Front) -> None:
    with pytest.raises(FrontUnavailable):
        asyncio.run(role_password(front.server.conninfo, "nobody"))


async def test_the_embedded_front_holds_the_policy(tmp_path: Path) -> None:
    async with await EmbeddedFront.start(tmp_path / "front", "demo") as embedded:
        conninfo = embedded.address.conninfo()
        await sync_front(conninfo, WORLD, (ALICE,))
        password = await role_password(conninfo, "alice")
        analyst = psycopg.conninfo.make_conninfo(conninfo, user="alice", password=password)
        async with await psycopg.AsyncConnection.connect(analyst) as session:
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                await session.execute("SELECT count(*) FROM people")
        for database in ("postgres", "template1"):
            with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
                await psycopg.AsyncConnection.connect(psycopg.conninfo.make_conninfo(analyst, dbname=database))


# --- public tables ---------------------------------------------------------------------------------------------------


class Engine:
    """Serves one table and counts how often it was read."""

    def __init__(self, *rows: tuple[str | None, str | None]) -> None:
        self.rows = rows
        self.asked: list[tuple[str, tuple[str, ...], int]] = []

    async def __call__(self, name: str, columns: Sequence[str], limit: int) -> Rows:
        self.asked.append((name, tuple(columns), limit))
        await asyncio.sleep(0.01)
        return Rows(tuple(ResultColumn(column, "text") for column in columns), self.rows[:limit])


def test_a_public_table_is_copied_once_and_again_with_a_new_version(changing: Front) -> None:
    engine = Engine(("ER", "north"), ("ICU", None))
    conninfo = changing.server.conninfo

    async def use(version: str, times: int = 1) -> None:
        publics = PublicTables(conninfo, WORLD, engine, version)
        await asyncio.gather(*(publics.ensure(["departments", "people", "dp.budget"]) for _ in range(times)))

    asyncio.run(use("2026-10", 10))
    assert engine.asked == [("departments", ("dept", "building"), 1_000_001)]
    assert changing.rows("TABLE departments") == [("ER", "north"), ("ICU", None)]
    asyncio.run(use("2026-10"))
    assert len(engine.asked) == 1
    engine.rows = (("GP", "south"),)
    asyncio.run(use("2026-11"))
    assert changing.rows("TABLE departments", "Bob's") == [("GP", "south")]
    changed = replace(DEPARTMENTS, note="made anew")
    changing.sync(Catalog({"departments": changed}), ALICE, BOB)
    assert changing.rows("TABLE departments") == []
    asyncio.run(use("2026-11"))
    assert changing.rows("TABLE departments") == [("GP", "south")]


def test_two_proxies_copy_once(changing: Front) -> None:
    engine = Engine(("ER", "north"))

    async def race() -> None:
        proxies = [PublicTables(changing.server.conninfo, WORLD, engine, "race") for _ in range(3)]
        await asyncio.gather(*(publics.ensure(["departments"]) for publics in proxies))

    asyncio.run(race())
    assert len(engine.asked) == 1
    assert changing.rows("TABLE departments") == [("ER", "north")]


def test_a_session_that_looks_at_the_table_does_not_hold_up_the_copy(changing: Front) -> None:
    engine = Engine(("ER", "north"))
    changing.rows("BEGIN; SELECT * FROM departments")
    asyncio.run(PublicTables(changing.server.conninfo, WORLD, engine, "open").ensure(["departments"]))
    assert changing.rows("TABLE departments") == [("ER", "north")]
    changing.rows("COMMIT")


def test_a_public_table_with_too_many_rows_is_refused(changing: Front) -> None:
    publics = PublicTables(changing.server.conninfo, WORLD, Engine(("a", "b"), ("c", "d")), "many", most_rows=1)
    with pytest.raises(FeatureNotSupported) as refused:
        asyncio.run(publics.ensure(["departments"]))
    assert 'the public table "departments" has more than 1 rows' in str(refused.value)
    assert "public_rows" in (refused.value.hint or "")


@pytest.mark.parametrize("rows", [(("a", "x"), ("a", "y")), ((None, "x"),), (("a\0b", "x"),)])
def test_a_public_table_that_is_not_what_the_policy_says(changing: Front, rows: tuple[tuple[str, str], ...]) -> None:
    publics = PublicTables(changing.server.conninfo, WORLD, Engine(*rows), "wrong")
    with pytest.raises(ConfigFault, match="are not what the policy says"):
        asyncio.run(publics.ensure(["departments"]))
