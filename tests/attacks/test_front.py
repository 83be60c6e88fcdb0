"""The front: an analyst has a session in a real Postgres, and is no better off for it.

What an ordinary role does in an ordinary Postgres, `ordinary` shows: there each of WORKS_ELSEWHERE works.
See tests/test_front_schema.py and tests/test_front_given.py for what a front refuses behind the proxy's back,
tests/clients/test_catalog.py for what its catalog tells, tests/test_reload.py for policies that change meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal

import psycopg
import pytest
from clients.backends import Backend, superuser_of_the_front
from scratch_postgres import INSTALLATIONS, scratch_postgres

from attacks.duel import Connected, Duel, Pair, Seen, close

pytestmark = pytest.mark.long

Asking = Callable[[str], Pair]
REFUSED = ("42501", "0A000", "55P02", "3F000", "42P01", "42883", "22023", "42939", "42704")
COUNT = "SELECT count(*) FROM people"


@pytest.fixture(scope="module")
def ordinary() -> Iterator[Connected]:
    """A role without any attribute in a Postgres as it comes, with a schema of its own and SELECT on a table."""
    with (
        scratch_postgres(list(INSTALLATIONS.values())[-1]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as owner,
    ):
        owner.execute("CREATE ROLE eve LOGIN PASSWORD 'x'; CREATE ROLE bob; CREATE SCHEMA eve AUTHORIZATION eve")
        owner.execute("CREATE TABLE people AS SELECT 1000 AS person_id; GRANT SELECT ON people TO eve")
        owner.execute("CREATE TABLE eve.mine AS SELECT 1 AS x; ALTER TABLE eve.mine OWNER TO eve")
        opened = Connected.open(server.conninfo_of("eve", "x"))
        yield opened
        opened.connection.close()


# What everybody may do in a Postgres: it takes no privilege.
WORKS_ELSEWHERE = (
    "SELECT pg_advisory_lock(hashtext('dpproxy'))",
    "SELECT pg_try_advisory_lock_shared(1)",
    "SELECT lo_from_bytea(0, 'kept for others')",
    "SELECT lo_create(0)",
    "SELECT pg_notify('others', 'x')",
    "LISTEN others",
    "NOTIFY others, 'x'",
    "CREATE TEMP TABLE t (x integer)",
    "CREATE TEMP VIEW v AS SELECT 1",
    "DO $$ BEGIN PERFORM 1; END $$",
    "SELECT 1; LOCK TABLE people IN ACCESS SHARE MODE",
    "SELECT ts_stat('SELECT ''a''::tsvector')",
    "SELECT pg_current_wal_lsn()",
    "SELECT pg_current_wal_insert_lsn()",
    "SELECT pg_stat_get_activity(NULL)",
    "SELECT pg_lock_status()",
    "SELECT pg_stat_get_live_tuples('people'::regclass)",
    "ALTER ROLE {me} SET statement_timeout = 0",
    "ALTER ROLE {me} SET search_path = {me}",
    "ALTER ROLE {me} PASSWORD 'guessed'",
    "GRANT SELECT ON {me}.mine TO bob",
    "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO bob",
    "UPDATE pg_settings SET setting = 'on' WHERE name = 'debug_print_plan'",
    "CREATE VIEW {me}.settings AS SELECT name, setting FROM pg_settings",
    "CREATE VIEW {me}.more_settings AS SELECT * FROM (SELECT name, setting FROM pg_catalog.pg_settings) AS s",
    "UPDATE pg_catalog.pg_settings SET setting = '0.5' WHERE name = 'dp.epsilon'",
    "CREATE RULE r AS ON UPDATE TO {me}.mine DO INSTEAD NOTHING",
    "CREATE SEQUENCE {me}.s",
    "CREATE INDEX ON {me}.mine (x)",
    "VACUUM {me}.mine",
    "CREATE POLICY p ON {me}.mine USING (true)",
    # Names that the proxy's own statements, or what is put into the analyst's, would find instead of Postgres's.
    "CREATE FUNCTION {me}.unnest(bigint[]) RETURNS SETOF bigint LANGUAGE sql AS 'SELECT 9::bigint'",
    "CREATE FUNCTION {me}.current_setting(text, boolean) RETURNS text LANGUAGE sql AS 'SELECT ''1e-9''::text'",
    "CREATE FUNCTION {me}.to_regclass(text) RETURNS regclass LANGUAGE sql AS 'SELECT ''{me}.mine''::regclass'",
    "CREATE FUNCTION {me}.f() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN true; END'",
    "CREATE FUNCTION {me}.g() RETURNS integer LANGUAGE sql SET work_mem = '1GB' AS 'SELECT 1'",
    "CREATE PROCEDURE {me}.p() LANGUAGE sql AS 'SELECT 1'",
    "CREATE AGGREGATE {me}.count(*) (SFUNC = pg_catalog.int8inc, STYPE = bigint, INITCOND = '7')",
    "CREATE OPERATOR {me}.= (FUNCTION = pg_catalog.int8ne, LEFTARG = bigint, RIGHTARG = bigint)",
    "CREATE DOMAIN {me}.text AS pg_catalog.text",
    "CREATE TYPE {me}.date AS (a integer)",
    "CREATE TYPE {me}.sex AS ENUM ('F')",
    'CREATE COLLATION {me}.c FROM "C"',
    "CREATE CAST ({me}.date AS pg_catalog.date) WITH INOUT",
    "CREATE STATISTICS {me}.st ON x, (x + 1) FROM {me}.mine",
    "CREATE TEXT SEARCH DICTIONARY {me}.d (TEMPLATE = pg_catalog.simple)",
    "COMMENT ON SCHEMA {me} IS 'x'",
)

# What takes more than that, and is the owner's or the host's.
ESCALATIONS = (
    "INSERT INTO pg_settings SELECT * FROM pg_settings",
    "DELETE FROM pg_class",
    "SELECT query_to_xml('SELECT * FROM people', true, true, '')",
    "SELECT table_to_xml('people', true, true, '')",
    "ALTER SCHEMA {me} RENAME TO {me}2",
    "CREATE ROLE mine SUPERUSER",
    "ALTER ROLE {me} SUPERUSER",
    "ALTER ROLE {me} BYPASSRLS",
    "ALTER ROLE {me} CONNECTION LIMIT -1",
    "ALTER ROLE victor PASSWORD 'x'",
    "ALTER ROLE ALL SET dp.epsilon = 9",
    "GRANT victor TO {me}",
    "GRANT {owner} TO {me}",
    "GRANT pg_read_server_files TO {me}",
    "REVOKE ALL ON people FROM victor",
    "SET ROLE victor",
    'SET "ROLE" = {owner}',
    "SET LOCAL ROLE pg_monitor",
    "SET SESSION AUTHORIZATION {owner}",
    "SELECT set_config('role', 'victor', false)",
    "SELECT set_config('session_authorization', '{owner}', false)",
    "SELECT set_config('is_superuser', 'on', false)",
    "SET session_replication_role = replica",
    "SET allow_system_table_mods = on",
    "SET temp_file_limit = -1",
    "SET log_statement = 'all'",
    "SET log_min_messages = debug5",
    "SET session_preload_libraries = 'x'",
    "SET dynamic_library_path = '/tmp'",
    "SET lc_messages = 'C'",
    "LOAD 'auto_explain'",
    "ALTER DATABASE demo SET dp.epsilon = 9",
    "ALTER DATABASE demo OWNER TO {me}",
    "ALTER SYSTEM SET fsync = off",
    "ALTER SYSTEM RESET ALL",
    "SELECT pg_reload_conf()",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT pg_stat_file('base')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/dpproxy_attack')",
    "COPY people TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/dpproxy_attack'",
    "COPY {me}.mine FROM PROGRAM 'id'",
    "COPY {me}.mine FROM '/etc/passwd'",
    "CREATE EXTENSION dblink",
    "CREATE EXTENSION file_fdw",
    "SELECT dblink('dbname=demo', 'SELECT 1')",
    "CREATE SERVER s FOREIGN DATA WRAPPER file_fdw",
    "CREATE FOREIGN TABLE {me}.passwd (line text) SERVER s OPTIONS (filename '/etc/passwd')",
    "CREATE LANGUAGE plpython3u",
    "CREATE FUNCTION {me}.h() RETURNS integer LANGUAGE c AS 'libc.so.6', 'system'",
    "CREATE FUNCTION {me}.i() RETURNS integer LANGUAGE internal AS 'pg_backend_pid'",
    "CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION dp_front.private()",
    "CREATE TRIGGER t AFTER UPDATE ON people EXECUTE FUNCTION dp_front.private()",
    "CREATE PUBLICATION p FOR ALL TABLES",
    "CREATE SUBSCRIPTION s CONNECTION 'dbname=demo' PUBLICATION p",
    "SELECT pg_create_physical_replication_slot('x')",
    "CREATE TABLESPACE t LOCATION '/tmp'",
    "CREATE DATABASE d TEMPLATE demo",
    "CREATE SCHEMA another",
    "CREATE TABLE public.t (x integer)",
    "CREATE TABLE dp.t (x integer)",
    "CREATE TABLE pg_catalog.t (x integer)",
    "CREATE TABLE victor.t (x integer)",
    "CREATE VIEW pg_catalog.pg_class2 AS SELECT 1",
    "CREATE OR REPLACE VIEW dp.budget AS SELECT 1e9 AS remaining_epsilon",
    "CREATE TABLE {me}.child () INHERITS (public.people)",
    "CREATE TABLE {me}.part PARTITION OF public.people DEFAULT",
    "CREATE TABLE {me}.pointer (x bigint REFERENCES public.people)",
    "ALTER TABLE {me}.mine INHERIT public.people",
    "ALTER TABLE {me}.mine OWNER TO victor",
    "ALTER TABLE {me}.mine SET SCHEMA public",
    "ALTER TABLE {me}.mine SET TABLESPACE pg_global",
    "ALTER TABLE {me}.mine ALTER x TYPE text USING pg_read_file('/etc/passwd')",
    "ALTER TABLE {me}.mine ADD CHECK (pg_advisory_lock(x) IS NULL)",
    "ALTER TABLE people DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE public.people OWNER TO {me}",
    'DROP POLICY "aggregates only" ON people',
    "DROP TABLE people, departments CASCADE",
    "DROP OWNED BY {owner} CASCADE",
    "REASSIGN OWNED BY {owner} TO {me}",
    "TRUNCATE departments",
    "INSERT INTO departments VALUES ('mine', 'x', 1)",
    "WITH gone AS (DELETE FROM departments RETURNING *) SELECT * FROM gone",
    "EXPLAIN ANALYZE UPDATE departments SET beds = 0",
    "COMMENT ON TABLE people IS 'x'",
    "SECURITY LABEL ON TABLE people IS 'x'",
    "REINDEX TABLE people",
    "CLUSTER",
    "CHECKPOINT",
    "SELECT pg_promote()",
    "SELECT pg_switch_wal()",
    "SELECT pg_stat_reset()",
    "SELECT * FROM pg_authid",
    "SELECT * FROM pg_statistic",
    "SELECT * FROM pg_hba_file_rules",
    "SELECT pg_log_backend_memory_contexts(1)",
)

# The books: nothing of them is an analyst's to read or to move.
BOOKS = (
    *(f"SELECT * FROM dp_ledger.{table}" for table in ("accounts", "charges", "grants", "resets", "alarms", "ledger")),
    *(f"SELECT * FROM {table}" for table in ("dp_ledger.entries", "dp_ledger.releases", "dp_front.front")),
    *(f"SELECT * FROM dp_front.{table}" for table in ("roles", "stubs", "publics")),
    "CREATE TABLE {me}.of_it OF dp.ledger",
    "SELECT dp_front.private()",
    "UPDATE dp_ledger.accounts SET main = 0",
    "DELETE FROM dp_ledger.charges",
    "DELETE FROM dp_ledger.alarms",
    "INSERT INTO dp_ledger.grants VALUES (1)",
    "LOCK TABLE dp_ledger.accounts",
    "SELECT * FROM dp_ledger.accounts FOR UPDATE",
    "COPY dp_front.roles TO STDOUT",
    "TABLE dp_front.roles",
    "SELECT nextval('dp_ledger.charges_id_seq')",
    "SELECT setval('dp_ledger.charges_id_seq', 1)",
    "SELECT last_value FROM dp_ledger.charges_id_seq",
    "SELECT dp_ledger.charge(NULL)",
    "SELECT * FROM dp_own.pg_stat_activity",
    "SELECT dp_own.everything()",
    "SELECT dp_own.role(10)",
    "CREATE VIEW {me}.v AS SELECT * FROM dp_own.pg_stat_activity()",
)


def written(sql: str, duel: Duel) -> str:
    return sql.format(me="mallory", owner="dpproxy" if duel.backend is Backend.EMBEDDED else "keeper")


@pytest.fixture
def mine(mallory: Pair) -> Iterator[Pair]:
    """Mallory, with a table of her own."""
    mallory.ask("CREATE TABLE mallory.mine AS SELECT 1 AS x")
    yield mallory
    mallory.ask("RESET search_path")
    mallory.ask("DROP TABLE mallory.mine CASCADE")


def test_it_works_in_an_ordinary_postgres(ordinary: Connected) -> None:
    failed = {
        sql: seen.error for sql in WORKS_ELSEWHERE if (seen := ordinary.ask(sql.format(me="eve"))).error is not None
    }
    assert not failed


def test_what_everybody_may_and_analysts_may_not(duel: Duel, mine: Pair) -> None:
    for template in (*WORKS_ELSEWHERE, *ESCALATIONS, *BOOKS):
        sql = written(template, duel)
        here, gone = mine.ask(sql)
        assert here.state in REFUSED, (sql, here)
        assert (here.outline, here.charged) == (gone.outline, None), sql
    for catalog in ("pg_proc.pronamespace", "pg_operator.oprnamespace", "pg_collation.collnamespace"):
        table, _, column = catalog.partition(".")
        for seen in mine.ask(f"SELECT count(*) FROM {table} WHERE {column} = 'mallory'::regnamespace"):
            assert seen.rows == ((0,),), catalog
    role = "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication, rolconfig IS NULL"
    for seen in mine.ask(f"{role} FROM pg_roles WHERE rolname IN ('mallory', 'victor')"):
        assert seen.rows == ((False, True), (False, True))


# Ways to a function that the gate of a given front refuses by its name, and that Postgres itself locks in its own.
BY_ANOTHER_NAME = (
    "SELECT pg_advisory_lock(4711)",
    "SELECT PG_CATALOG . /* */ pg_Advisory_Lock(4711)",
    'SELECT "pg_advisory_lock"(4711)',
    'SELECT U&"pg\\005fadvisory_lock"(4711)',
    "SELECT 1 WHERE pg_advisory_lock(4711) IS NULL",
    "SELECT * FROM ROWS FROM (pg_advisory_lock(4711)) AS r",
    "SELECT * FROM generate_series(1, 2) AS g, LATERAL pg_advisory_lock(g) AS l",
    "SELECT CASE WHEN true THEN pg_try_advisory_lock(4711) END",
    "SELECT count(*) FILTER (WHERE pg_try_advisory_lock(4711)) FROM generate_series(1, 2)",
    "SELECT rank() OVER (ORDER BY pg_try_advisory_lock(4711))",
    "VALUES (pg_try_advisory_lock(4711))",
    "WITH a AS (SELECT pg_try_advisory_lock(4711)) SELECT 1 FROM a",
    "EXPLAIN ANALYZE SELECT pg_advisory_lock(4711)",
    "COPY (SELECT pg_try_advisory_lock(4711)) TO STDOUT",
    "PREPARE p AS SELECT pg_advisory_lock($1); EXECUTE p (4711)",
    "DECLARE c CURSOR WITH HOLD FOR SELECT pg_try_advisory_lock(4711)",
    "CREATE TABLE mallory.l AS SELECT pg_try_advisory_lock(4711)",
    "SELECT pg_try_advisory_lock(4711) INTO mallory.l",
    "SELECT 1; SELECT pg_advisory_lock(4711)",
    "SELECT (pg_lock_status()).pid",
    "SELECT pg_relation_size(oid) FROM pg_class WHERE pg_try_advisory_lock(4711)",
)


def test_no_spelling_reaches_a_locked_function(duel: Duel, mallory: Pair) -> None:
    for sql in BY_ANOTHER_NAME:
        here, gone = mallory.ask(sql)
        assert here.state == "42501", (sql, here)
        assert here.outline == gone.outline, sql
    mallory.ask("DROP VIEW IF EXISTS mallory.l")
    with psycopg.connect(superuser_of_the_front(duel.served[0])) as owner:
        assert owner.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (0,)


# ── names ──

# A table's name is a type's too, and so each of these stands for one, or for a catalog, where its schema comes first.
NAMES = ("text", "date", "uuid", "int8", "numeric", "float8", "pg_class", "pg_attribute", "pg_namespace", "unnest")
ASKED = (
    COUNT,
    "SELECT sex, count(*), sum(income) FROM people GROUP BY sex",
    "SELECT count(*) FROM people WHERE joined > '2020-01-01'",
    "SELECT avg(age) FROM people",
    "SELECT epsilon FROM dp.budget",
)


def test_shadows_on_the_search_path_change_nothing(mallory: Pair) -> None:
    """Where they come before Postgres's own it is refused uncharged; it failed, of answers after their charge."""
    for name in NAMES:
        mallory.ask(f"CREATE TABLE mallory.{name} AS SELECT 1 AS oid, 'x' AS attname")
    try:
        before = {sql: mallory.ask(sql) for sql in ASKED}
        for path in ("mallory, public", 'public, "$user"', "pg_catalog, mallory, public"):
            mallory.ask(f"SET search_path = {path}")
            for sql, (here, gone) in before.items():
                assert [each.outline for each in mallory.ask(sql)] == [here.outline, gone.outline], (path, sql)
        for path in ("mallory, pg_catalog, public", '"$user", public, pg_catalog', '"mallory" , "pg_catalog",public'):
            mallory.ask(f"SET search_path = {path}")
            for sql in (COUNT, "SELECT avg(age) FROM people"):
                for seen in mallory.ask(sql):
                    assert (seen.state, seen.charged) == ("DP002", None), (path, sql, seen)
                    assert seen.error is not None and "search_path" in str(seen.error[1])
    finally:
        mallory.ask("RESET search_path")
        mallory.ask("DROP TABLE " + ", ".join(f"mallory.{name}" for name in NAMES))


# Ways to the rows of a table called people; {people} is the real one.
WAYS = (
    "SELECT person_id FROM {people}",
    "TABLE {people}",
    "SELECT person_id FROM mallory.people UNION ALL SELECT person_id FROM {people}",
    "SELECT (SELECT p FROM {people} AS p LIMIT 1) AS whole",
    "SELECT p.* FROM mallory.people AS m, LATERAL (SELECT * FROM {people}) AS p",
    "SELECT row_to_json(p) FROM {people} AS p",
    "WITH people AS (SELECT * FROM {people}) SELECT * FROM people",
    "WITH RECURSIVE r AS (SELECT person_id FROM {people}) SELECT * FROM r",
    "SELECT person_id FROM ONLY {people}",
    "SELECT person_id FROM {people} TABLESAMPLE SYSTEM (100)",
    "SELECT ctid, xmin FROM {people}",
    "COPY {people} TO STDOUT",
    "COPY {people} (age) TO STDOUT (FORMAT binary)",
    "COPY (SELECT * FROM {people}) TO STDOUT",
    "DECLARE c CURSOR WITH HOLD FOR SELECT person_id FROM {people}",
    "CREATE TABLE mallory.stolen AS SELECT person_id FROM {people}",
    "CREATE TABLE mallory.stolen AS TABLE {people}",
    "SELECT * INTO mallory.stolen FROM {people}",
    "CREATE VIEW mallory.stolen AS SELECT person_id FROM {people}",
    "CREATE MATERIALIZED VIEW mallory.stolen AS SELECT person_id FROM {people}",
    "CREATE RECURSIVE VIEW mallory.stolen (n) AS SELECT person_id FROM {people}",
    "EXPLAIN ANALYZE SELECT person_id FROM {people}",
    "EXPLAIN (ANALYZE, BUFFERS) SELECT count(*) FROM {people}",
    "SELECT person_id FROM {people} FOR SHARE",
    "SELECT max(person_id) OVER () FROM {people}",
    "SELECT percentile_disc(1) WITHIN GROUP (ORDER BY city) FROM {people}",
    "SELECT array_agg(name) FROM {people}",
    "SELECT string_agg(city, ',') FROM {people}",
)


def test_private_rows_by_ways_of_ones_own(duel: Duel, mallory: Pair) -> None:
    """With a table of the same name beside it, which is as free to read as ever."""
    mallory.ask("CREATE TABLE mallory.people AS SELECT 7::bigint AS person_id, 'me' AS name")
    try:
        for template in WAYS:
            sql = template.format(people="public.people")
            here, gone = mallory.ask(sql)
            assert here.outline == gone.outline, sql
            assert here.state in ("DP002", "0A000", "42703", "42P16", "42P01"), (sql, here)
            assert here.charged is None
        mallory.ask("SET search_path = mallory, public")
        for seen in mallory.ask("TABLE people"):
            assert seen.rows == ((7, "me"),)
    finally:
        mallory.ask("RESET search_path; DROP TABLE mallory.people CASCADE")
    there = [duel.plain.ask(template.format(people="people")) for template in WAYS[:2]]
    assert all(len(here.rows) != len(gone.rows) for here, gone in there), "on the plain engine it is an attack"


def test_whether_there_is_a_row_is_told_with_noise(mallory: Pair) -> None:
    """And the least of texts is of values that many have: both are paid for, beside a table of one's own, too."""
    mallory.ask("CREATE TABLE mallory.people AS SELECT 7::bigint AS person_id")
    try:
        for sql in (
            "SELECT 1 FROM mallory.people WHERE EXISTS (SELECT FROM public.people WHERE person_id = 1000) OFFSET 0",
            "SELECT min(city) FROM public.people",
        ):
            for seen in mallory.ask(sql):
                assert seen.error is None and seen.charged is not None, (sql, seen)
                assert ("Zeldatown",) not in seen.rows
    finally:
        mallory.ask("DROP TABLE mallory.people")


def test_the_ends_of_a_column_are_no_persons_own(duel: Duel, mallory: Pair) -> None:
    """By a choice among values of a grid, whoever has them; free, and exact, of the table of one's own beside it."""
    plain = duel.plain.ask("SELECT max(person_id) FROM people")
    assert plain[0].rows != plain[1].rows, "on the plain engine it is an attack"
    mallory.ask("CREATE TABLE mallory.people AS SELECT 7::bigint AS person_id")
    try:
        sql = "SELECT max(person_id) FROM {}people"
        here, gone = mallory.ask(sql.format("public."))
        assert here.outline == gone.outline
        assert here.charged == (1, 0)
        ((document,),) = mallory.ask("EXPLAIN (FORMAT JSON) " + sql.format("public."))[0].rows
        (release,) = (document if isinstance(document, list) else json.loads(document))[0]["Releases"]
        (measure,) = release["Measures"]
        assert (measure["Kind"], measure["Mechanism"]) == ("histogram", "exponential mechanism")
        assert (measure["Sensitivity"], measure["Scale"] >= 1) == (1, True)
        mallory.ask("SET search_path = mallory, public")
        for seen in mallory.ask(sql.format("")):
            assert (seen.rows, seen.charged) == (((7,),), None)
    finally:
        mallory.ask("RESET search_path; DROP TABLE mallory.people CASCADE")


def test_a_name_that_changes_its_meaning_after_prepare(mallory: Pair) -> None:
    """The text was prepared, by SQL and by the protocol, while the name was that of a table of one's own."""
    for how in ("DROP TABLE mallory.people", "ALTER TABLE mallory.people RENAME TO other", "SET search_path = public"):
        mallory.ask("CREATE TABLE mallory.people AS SELECT 7::bigint AS person_id")
        mallory.ask("SET search_path = mallory, public")
        for side in (mallory.here, mallory.gone):
            assert isinstance(side, Connected)
            protocol = side.connection.pgconn
            protocol.prepare(b"there", b"SELECT person_id FROM people")
            assert protocol.exec_prepared(b"there", []).get_value(0, 0) == b"7"
        mallory.ask("PREPARE here AS SELECT person_id FROM people")
        assert [seen.rows for seen in mallory.ask("EXECUTE here")] == [((7,),)] * 2
        mallory.ask(how)
        for seen in (*mallory.ask("EXECUTE here"), *mallory.ask("EXPLAIN ANALYZE EXECUTE here")):
            assert (seen.state, seen.rows, seen.charged) == (seen.state, (), None)
            assert seen.state in ("DP002", "0A000"), (how, seen)
        for side in (mallory.here, mallory.gone):
            assert isinstance(side, Connected)
            result = side.connection.pgconn.exec_prepared(b"there", [])
            assert result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"DP002", how
        mallory.ask("DEALLOCATE ALL; RESET search_path; DROP TABLE IF EXISTS mallory.people, mallory.other")


def test_a_view_whose_table_is_another_by_now(mallory: Pair) -> None:
    """A view keeps the table that it was made over, and cannot be made over a private one by any name."""
    mallory.ask("CREATE TABLE mallory.people AS SELECT 7::bigint AS person_id")
    mallory.ask("SET search_path = mallory, public; CREATE VIEW mallory.v AS SELECT * FROM people")
    mallory.ask("ALTER TABLE mallory.people RENAME TO other")
    assert [seen.rows for seen in mallory.ask("TABLE mallory.v")] == [((7,),)] * 2
    for seen in mallory.ask("CREATE OR REPLACE VIEW mallory.v AS SELECT person_id FROM people"):
        assert seen.state == "DP002"
    mallory.ask("RESET search_path; DROP TABLE mallory.other CASCADE")


# ── settings ──

# Each may change how the front reads a text, a value or an array, or what the proxy is told of a setting.
SETTINGS = (
    "array_nulls = off",
    "standard_conforming_strings = off",
    "transform_null_equals = on",
    "client_encoding = 'LATIN1'",
    "DateStyle = 'German'",
    "DateStyle = 'SQL, MDY'",
    "IntervalStyle = 'sql_standard'",
    "TimeZone = 'Pacific/Kiritimati'",
    "lc_numeric = 'C'",
    "lc_monetary = 'C'",
    "bytea_output = 'escape'",
    "extra_float_digits = -15",
    "quote_all_identifiers = on",
    "backslash_quote = on",
    "xmloption = 'document'",
    "default_transaction_read_only = on",
    "default_transaction_isolation = 'serializable'",
    "default_transaction_deferrable = on",
    "row_security = off",
    "check_function_bodies = off",
    "plan_cache_mode = 'force_generic_plan'",
    "enable_seqscan = off",
    "synchronous_commit = off",
    "client_min_messages = 'error'",
    "client_min_messages = 'debug5'",
    "debug_print_plan = on",
    "work_mem = '64kB'",
    "lock_timeout = 1",
    "search_path = ''",
    "search_path = pg_temp, public",
    "application_name = E'x\\ny'",
)
KEYED = "SELECT sex, count(*), avg(income) FROM public.people GROUP BY sex ORDER BY 1"
OWN = "SELECT analyst, period_ends IS NULL, epsilon FROM dp.budget"


def test_settings_change_no_answer(mallory: Pair) -> None:
    """The same keys, columns and charge, or a refusal before the charge; and nothing else with Zelda than without."""
    plain, budget = mallory.ask(KEYED)[0], mallory.ask(OWN)[0]
    for setting in SETTINGS:
        mallory.ask(f"SET {setting}")
        for asked in (mallory.ask(KEYED), mallory.ask(OWN)):
            here, gone = asked
            assert here.outline == gone.outline, setting
            if here.state is not None:
                assert (here.state, here.charged) == ("DP002", None), (setting, here)
            elif here.columns == plain.columns:
                assert _keys(here) == _keys(gone) == _keys(plain), setting
                assert here.charged == plain.charged, setting
            else:
                assert here.rows == budget.rows, setting
        mallory.ask("RESET ALL")


def _keys(seen: Seen) -> list[object]:
    return [row[0] for row in seen.rows]


# How ε is set. What SHOW says is what is charged, however it came there.
SPELLINGS = (
    ("SET dp.epsilon = 0.5", "0.5"),
    ('SET "dp.epsilon" = 0.25', "0.25"),
    ("SET \"DP.EPSILON\" TO '0.125'", "0.125"),
    ('SET dp."epsilon" = 0.5', "0.5"),
    ("SET SESSION Dp.EpSiLoN = '0.25'", "0.25"),
    ("SELECT set_config('dP.ePsIlOn', '0.125', false)", "0.125"),
    ("SELECT set_config('dp.epsilon', (1.0 / 4)::text, false)", "0.25000000000000000000"),
    ("SELECT set_config(lower('DP.') || 'epsilon', '0.25', false)", None),
    ("UPDATE pg_settings SET setting = '0.5' WHERE name = 'dp.epsilon'", None),
    ("BEGIN; SET LOCAL dp.epsilon = 0.5; ROLLBACK", None),
    ("BEGIN; SET dp.epsilon = 0.5; SAVEPOINT a; SET dp.epsilon = 0.25; ROLLBACK TO a; COMMIT", "0.5"),
    ("BEGIN; SET dp.epsilon = 0.5; SELECT 1 / 0", None),
    ("SET dp.epsilon = 0.5; SET dp.epsilon TO DEFAULT", None),
    ("SET dp.epsilon = 0.5; RESET ALL", None),
    ("SET dp.epsilon = 0.5; DISCARD ALL", None),
)


def test_what_is_shown_is_what_is_charged(mallory: Pair) -> None:
    for sql, shown in SPELLINGS:
        for part in sql.split("; "):
            mallory.ask(part)
        mallory.ask("ROLLBACK")
        for side in (mallory.here, mallory.gone):
            assert side.ask("SHOW dp.epsilon").rows == ((shown or "1.0",),), sql
            charged = side.ask(COUNT).charged
            assert charged is not None and charged[0] == Decimal(shown or "1.0"), sql
        mallory.ask("RESET ALL")


@pytest.mark.parametrize("value", ["0", "-1", "NaN", "Infinity", "1e400", "1e-400", "1e309", "0x1", "1,5", "1e7"])
def test_no_odd_epsilon_is_taken(mallory: Pair, value: str) -> None:
    """More than the account has, or no number: refused before anything runs, and EXPLAIN says the same."""
    for way in (f"SELECT set_config('dp.epsilon', '{value}', false)", f"SET dp.epsilon = '{value}'"):
        here, gone = mallory.ask(way)
        assert (here.state, here.outline) == ("22023", gone.outline)
    mallory.ask(f"SELECT set_config('dp.epsilon', concat('{value}'), false)")
    for sql in (COUNT, f"EXPLAIN {COUNT}"):
        here, gone = mallory.ask(sql)
        assert (here.state, here.charged) == ("DP004", None), (value, here)
        assert here.outline == gone.outline


def test_settings_between_parse_and_bind_and_in_a_failed_transaction(mallory: Pair) -> None:
    """A statement costs what the setting says when it is bound: one that was prepared cheaply is not cheap for ever."""
    for side in (mallory.here, mallory.gone):
        assert isinstance(side, Connected)
        protocol = side.connection.pgconn
        side.ask("SET dp.epsilon = 0.125")
        protocol.prepare(b"cheap", COUNT.encode())
        for epsilon in ("2", "0.5"):
            side.ask(f"SET dp.epsilon = {epsilon}")
            before = side.ask("SELECT spent_epsilon FROM dp.budget").rows
            assert protocol.exec_prepared(b"cheap", []).status == psycopg.pq.ExecStatus.TUPLES_OK
            said = side.told[-1]
            assert said.startswith(f"dpproxy: charged epsilon {epsilon},"), said
            assert side.ask("SELECT spent_epsilon FROM dp.budget").rows > before
        side.ask("BEGIN")
        side.ask("SELECT 1 / 0")
        before = side.told[:]
        failed = protocol.exec_prepared(b"cheap", [])
        assert failed.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"25P02"
        assert side.told == before, "nothing was charged"
        side.ask("ROLLBACK")


# ── others ──


def test_what_one_holds_keeps_nobody_waiting(duel: Duel, asking: Asking) -> None:
    """An open transaction with every lock that an analyst can have: on stubs, catalogs, public tables, names."""
    mallory, victor = asking("mallory"), asking("victor")
    mallory.ask("BEGIN ISOLATION LEVEL SERIALIZABLE")
    for sql in (
        COUNT,
        "SELECT count(*) FROM departments, nation",
        "SELECT * FROM pg_class, pg_proc, pg_authid LIMIT 0",
        "SELECT * FROM people LIMIT 0",
        "DECLARE c CURSOR FOR SELECT * FROM departments, pg_attribute",
        "CREATE TABLE mallory.held AS SELECT 1 AS x",
        "CREATE VIEW mallory.held_too AS SELECT * FROM departments",
        "ALTER TABLE mallory.held ADD PRIMARY KEY (x)",
        "COMMENT ON TABLE mallory.held IS 'x'",
        "SELECT epsilon FROM dp.budget",
    ):
        mallory.ask("SAVEPOINT s")
        if mallory.ask(sql)[0].state is not None:
            mallory.ask("ROLLBACK TO s")
    victor.ask("SET statement_timeout = '20s'")
    for sql in (
        COUNT,
        "SELECT epsilon FROM dp.budget",
        "SELECT count(*) FROM departments, nation",
        "CREATE TABLE victor.free AS SELECT count(*) FROM people",
        "DROP TABLE victor.free",
    ):
        for seen in victor.ask(sql):
            assert seen.error is None, (sql, seen)
    for served in duel.served:
        with psycopg.connect(superuser_of_the_front(served), autocommit=True) as owner:
            owner.execute("SET statement_timeout = '20s'; SET lock_timeout = '10s'")
            for table in ("public.departments", "dp_front.stubs", "pg_class"):
                owner.execute(f"VACUUM {table}".encode())
            owner.execute("GRANT SELECT ON departments TO victor")
    mallory.ask("ROLLBACK")


def test_nothing_of_another_analyst_can_be_touched(mallory: Pair, asking: Asking) -> None:
    victor = asking("victor")
    victor.ask("CREATE TABLE victor.kept AS SELECT 4711 AS secret")
    victor.ask("CREATE VIEW victor.look AS TABLE victor.kept")
    victor.ask("PREPARE theirs AS SELECT 4711")
    victor.ask("BEGIN")
    victor.ask("DECLARE their_cursor CURSOR FOR TABLE victor.kept")
    for sql in (
        "TABLE victor.kept",
        "SELECT secret FROM victor.look",
        "SELECT count(*) FROM victor.kept",
        "COPY victor.kept TO STDOUT",
        "CREATE VIEW mallory.v AS TABLE victor.kept",
        "CREATE TABLE mallory.child () INHERITS (victor.kept)",
        "ALTER TABLE victor.kept OWNER TO mallory",
        "DROP TABLE victor.kept",
        "COMMENT ON TABLE victor.kept IS 'x'",
        "EXPLAIN ANALYZE TABLE victor.kept",
        "SELECT * FROM people JOIN victor.kept ON true",
        "SELECT count(*) FROM people WHERE age IN (SELECT secret FROM victor.kept)",
        "SET search_path = victor; TABLE kept",
        "RESET search_path; EXECUTE theirs",
        "FETCH ALL FROM their_cursor",
        "CLOSE their_cursor",
        "DEALLOCATE theirs",
        "SELECT 1 / count(*) FROM pg_stats WHERE tablename = 'kept'",
    ):
        here, gone = mallory.ask(sql)
        assert here.error is not None and here.outline == gone.outline, sql
        assert "4711" not in str(here), sql
    assert [seen.rows for seen in victor.ask("FETCH ALL FROM their_cursor")] == [((4711,),)] * 2
    victor.ask("COMMIT")
    victor.ask("DROP TABLE victor.kept CASCADE")


def test_temporary_files_are_bounded(duel: Duel, mallory: Pair) -> None:
    """In the front that is dpproxy's own; in a given one by what its administrator sets (see docs/postgres.md)."""
    spilled = "WITH x AS MATERIALIZED (SELECT repeat('x', 1000000) FROM generate_series(1, 300)) SELECT count(*) FROM x"
    mallory.ask("SET work_mem = '64kB'")
    assert mallory.ask(spilled)[0].state == ("53400" if duel.backend is Backend.EMBEDDED else None)
    assert mallory.ask("SET temp_file_limit = -1")[0].state == "42501"


def test_startup_packets_escalate_nothing(duel: Duel) -> None:
    """What comes with a session's first packet is no more than what SET could do."""
    for options in (
        {"options": "-c role=victor"},
        {"options": "-c session_authorization=victor"},
        {"options": "-c session_replication_role=replica"},
        {"options": "-c is_superuser=on"},
        {"options": "-c temp_file_limit=-1"},
        {"options": "-c session_preload_libraries=auto_explain"},
        {"options": "-c log_statement=all"},
        {"options": "-c allow_system_table_mods=on"},
        {"options": "-O"},
        {"options": "-s"},
        {"replication": "database"},
        {"replication": "true"},
        {"user": ""},
        {"dbname": "postgres"},
        {"dbname": "template1"},
    ):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(duel.served[0].conninfo(**{"user": "mallory", **options})).close()
    quiet = duel.served[0].conninfo(
        "mallory", options="-c dp.epsilon=0.5 -c search_path=mallory,public -c row_security=off"
    )
    opened = Connected.open(quiet)
    assert opened.ask("SHOW dp.epsilon").rows == (("0.5",),)
    assert opened.ask(COUNT).state == "DP002"
    close(Pair(opened, opened))
