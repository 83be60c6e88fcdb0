"""A front in a Postgres of somebody else's, of every major version, with an owner who is no superuser and with one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import product

import psycopg
import pytest
from lanes import Lane, lane
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from small_front import DEPARTMENTS, SCANS, VISITS, WORLD, Front

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import ConfigFault
from dpproxy.front.backstop import is_backstop_error
from dpproxy.front.roles import AnalystRole, role_password
from dpproxy.front.schema import sync_front
from dpproxy.session.gate import examine
from dpproxy.session.verdicts import GateNames, Refuse

pytestmark = pytest.mark.long

# Locked by Postgres itself where its owner is a superuser, refused by the gate where not.
OPEN = [
    "SELECT * FROM pg_stat_activity",
    "SELECT n_tup_ins FROM pg_catalog.pg_stat_user_tables",
    "SELECT 1 FROM pg_locks",
    "SELECT tup_returned FROM (SELECT * FROM pg_stat_database) AS x",
    "SELECT pg_stat_get_tuples_inserted(1)",
    "SELECT pg_catalog.pg_stat_get_activity(NULL)",
    'SELECT U&"pg\\005fstat_get_db_xact_commit"(1)',
    "SELECT pg_current_wal_lsn()",
    "SELECT pg_database_size('postgres')",
    "SELECT pg_blocking_pids(1)",
    "SELECT lo_create(0)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_notify('a', 'b')",
    "SELECT query_to_xml('SELECT 1', true, true, '')",
    "SELECT ts_stat('SELECT 1')",
    "CREATE VIEW v AS SELECT * FROM pg_stat_activity",
    "PREPARE p AS SELECT pg_lock_status()",
    "CREATE TABLE t (x bigint DEFAULT pg_stat_get_tuples_inserted(1))",
    "COPY (SELECT * FROM pg_locks) TO STDOUT",
    "EXPLAIN SELECT * FROM pg_statio_user_tables",
    "WITH x AS (SELECT * FROM pg_stat_wal_receiver) SELECT * FROM x",
]
NOT_CLOSED = [
    "SELECT pg_total_relation_size('people')",
    "SELECT * FROM pg_stats",
    "SELECT relname FROM pg_class",
    "SELECT pg_get_viewdef(1)",
    "WITH pg_locks AS (SELECT 1) SELECT * FROM pg_locks",
    "SELECT 'pg_stat_activity', 1 AS pg_locks",
]
SIZES = {"pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"}  # of a ledger too
FORBIDDEN = [
    "SELECT * FROM dp_front.roles",
    "SELECT * FROM dp_front.front",
    "SELECT * FROM dp_front.stubs",
    "INSERT INTO departments VALUES ('x', 'y')",
    "UPDATE departments SET building = 'x'",
    "DROP TABLE people",
    "ALTER TABLE people DISABLE ROW LEVEL SECURITY",
    "CREATE TABLE mine.child () INHERITS (people)",
    "CREATE TABLE dp.t (x integer)",
    "CREATE TABLE clinic.t (x integer)",
    "CREATE TEMP TABLE t (x integer)",
    "CREATE SCHEMA another",
    "CREATE ROLE carol",
    "CREATE DATABASE another",
    "CREATE EXTENSION dblink",
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT * FROM pg_authid",
    "COPY departments TO PROGRAM 'cat'",
    "SET ROLE owner",
    "SET ROLE landlord",
    "SET SESSION AUTHORIZATION landlord",
    "GRANT landlord TO CURRENT_USER",
]
OUTSIDE = """
SELECT ARRAY(SELECT (datname, datacl)::text FROM pg_database WHERE datname IN ('postgres', 'template1') ORDER BY 1),
       ARRAY(SELECT (rolname, rolconfig)::text FROM pg_roles WHERE rolname !~ '_of_' ORDER BY 1),
       ARRAY(SELECT setdatabase::text FROM pg_db_role_setting WHERE setrole <> 0)
"""


class Hasty(ScratchPostgres):
    """Nothing here is looked for after a crash."""

    options = ("-c", "fsync=off")


class Servers:
    """One server at a time: to start one ends the one before."""

    def __init__(self) -> None:
        self._held = ExitStack()
        self._running: dict[int, ScratchPostgres] = {}

    def of(self, major: int) -> ScratchPostgres:
        if major not in self._running:
            self.close()
            self._running = {major: self._held.enter_context(scratch_postgres(MAJORS[major], Hasty))}
            _furnish(self._running[major])
        return self._running[major]

    def close(self) -> None:
        self._held.close()


def _furnish(server: ScratchPostgres) -> None:
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("SET password_encryption = 'scram-sha-256'")
        owner.execute("CREATE ROLE landlord LOGIN CREATEROLE PASSWORD 'x'; CREATE ROLE somebody LOGIN")
        owner.execute("CREATE DATABASE given OWNER landlord")
        if owner.info.server_version < 150000:
            with psycopg.connect(server.conninfo.replace("dbname=front", "dbname=given")) as there:
                there.execute("ALTER SCHEMA public OWNER TO landlord")


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    running = Servers()
    yield running
    running.close()


# Superusers' fronts of the versions in between are for the night.
NIGHTLY = lane() is Lane.NIGHTLY
OWNED = [
    (major, owner)
    for major, owner in product(MAJORS, ("landlord", "owner"))
    if NIGHTLY or owner == "landlord" or major in (min(MAJORS), max(MAJORS))
]


@pytest.fixture(scope="module", params=OWNED or [None], ids=str)
def front(request: pytest.FixtureRequest, servers: Servers) -> Iterator[Front]:
    """Of an owner who is no superuser, and of a superuser; roles belong to a server, so the analysts' names differ."""
    if request.param is None:
        pytest.skip("no Postgres on this machine")
    major, owner = request.param
    server = servers.of(major)
    conninfo = server.conninfo if owner == "owner" else server.conninfo_of("landlord", "x", "given")
    with psycopg.connect(server.conninfo) as connection:
        before = connection.execute(OUTSIDE).fetchall()
    made = Front(server, conninfo, *analysts(owner))
    yield made
    made.close()
    with psycopg.connect(server.conninfo) as connection:
        assert connection.execute(OUTSIDE).fetchall() == before


def analysts(owner: str) -> tuple[AnalystRole, AnalystRole]:
    return AnalystRole(f"ann_of_{owner}"), AnalystRole(f"Ben_of_{owner}", ("people", "departments"))


def roles(front: Front) -> tuple[AnalystRole, AnalystRole]:
    return analysts("landlord" if "landlord" in front.conninfo else "owner")


def test_nothing_reads_a_stub(front: Front) -> None:
    ann = roles(front)[0].name
    for query in SCANS:
        assert is_backstop_error(*front.error(query.replace("alice", ann), ann)), query
    with (
        pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState),
        front.session(ann).cursor().copy("COPY people TO STDOUT") as copy,
    ):
        list(copy)
    front.rows(f"CREATE VIEW {ann}.v AS SELECT count(*) FROM people; CREATE VIEW {ann}.w AS SELECT * FROM {ann}.v", ann)
    front.rows("PREPARE p (bigint) AS SELECT * FROM people WHERE person_id = $1", ann)
    for query in (f"SELECT * FROM {ann}.v", f"SELECT * FROM {ann}.w", "EXECUTE p (1)"):
        assert is_backstop_error(*front.error(query, ann))
    front.rows("SET row_security = off", ann)
    assert front.error("SELECT * FROM people", ann)[0] == "42501"
    front.rows(f"RESET row_security; DEALLOCATE p; DROP VIEW {ann}.w, {ann}.v", ann)


def test_analysts_may_not(front: Front) -> None:
    ann, ben = (each.name for each in roles(front))
    front.rows(f"CREATE TABLE {ann}.mine AS SELECT 1 AS x", ann)
    for query in [*FORBIDDEN, f'SELECT * FROM "{ben}".t', f'CREATE TABLE "{ben}".t ()', f'GRANT "{ben}" TO {ann}']:
        assert front.error(query, ann)[0] in ("42501", "0A000", "3F000"), query
    assert front.error(f"SELECT * FROM {ann}.mine", ben)[0] == "42501"
    assert front.rows("SELECT * FROM departments", ann) == []
    front.rows(f"DROP TABLE {ann}.mine", ann)


def test_statements_are_typed(front: Front) -> None:
    ann = roles(front)[0].name
    connection = front.session(ann).pgconn
    connection.prepare(b"typed", b"SELECT sex, avg(age) AS mean, sum(income) FROM people WHERE age > $1 GROUP BY 1")
    described = connection.describe_prepared(b"typed")
    assert [front.catalog.types[described.ftype(at)] for at in range(3)] == ["text", "numeric", "double precision"]
    connection.exec_(b"DEALLOCATE typed")


def test_what_tells_of_others_is_locked_or_closed(front: Front) -> None:
    """And what is closed is what a superuser would have locked."""
    ann = roles(front)[0].name
    names = GateNames(frozenset(), frozenset(), ann, front.catalog.closed)
    if "landlord" not in front.conninfo:
        assert not front.catalog.closed
        assert not [line for line in front.catalog.warnings if "superuser, so" in line]
        return
    assert len(front.catalog.closed) > 150
    assert any("is no superuser" in line for line in front.catalog.warnings)
    for query in OPEN:
        ((statement,)) = examine(query, names)
        assert isinstance(statement.verdict, Refuse), query
        assert statement.verdict.error.sqlstate == "42501"
    for query in NOT_CLOSED:
        assert not isinstance(examine(query, names)[0].verdict, Refuse), query
    locked = set(_locked(front.server))
    assert len(locked) > 150
    # What tools list tables by tells of the policy, and of nobody.
    listing = {"pg_table_is_visible"}
    assert locked - front.catalog.closed - listing == {"pg_stat_ssl", "pg_stat_gssapi", "pg_statio_all_tables", *SIZES}
    with psycopg.connect(front.conninfo, autocommit=True) as owner:
        owner.execute("CREATE SCHEMA dp_ledger CREATE TABLE charges ()")
        assert front.sync(WORLD, *roles(front)).closed - front.catalog.closed == {*SIZES, "pg_statio_all_tables"}
        owner.execute("DROP SCHEMA dp_ledger CASCADE")


def test_functions_of_others_are_closed(front: Front) -> None:
    """Such as tablefunc's crosstab: they may run SQL that they are given as text. Those with names of Postgres's own
    stay: tools use them."""
    if "landlord" not in front.conninfo:
        return
    with psycopg.connect(front.server.conninfo_of(front.server.owner, database="given"), autocommit=True) as somebody:
        for name in ("run_this", "split_part"):
            somebody.execute(f"CREATE FUNCTION public.{name}(text) RETURNS text LANGUAGE sql AS 'SELECT $1'")  # type: ignore[arg-type]
        try:
            closed = front.sync(WORLD, *roles(front)).closed
        finally:
            somebody.execute("DROP FUNCTION public.run_this(text), public.split_part(text)")
    assert closed - front.catalog.closed == {"run_this"}
    verdict = examine("SELECT run_this('SELECT 1')", GateNames(frozenset(), frozenset(), "ann", closed))[0].verdict
    assert isinstance(verdict, Refuse)


def _locked(server: ScratchPostgres) -> list[str]:
    """The functions that a superuser's front takes from everybody, and the views that it hides."""
    asyncio.run(sync_front(server.conninfo, WORLD, analysts("owner")))
    with psycopg.connect(server.conninfo) as locked, psycopg.connect(server.conninfo, dbname="postgres") as own:
        functions = "SELECT oid::regprocedure::text, proname::text FROM pg_proc WHERE pronamespace = 11 AND oid < 16384"
        public = " AND has_function_privilege('public', oid, 'EXECUTE')"
        before = dict(own.execute((functions + public).encode()).fetchall())
        after = dict(locked.execute((functions + public).encode()).fetchall())
        moved = dict(locked.execute(functions.replace("= 11", "= 'dp_own'::regnamespace").encode()).fetchall())
        views = locked.execute(
            "SELECT relname::text FROM pg_class WHERE relkind = 'v' AND relnamespace = 11"
            " AND pg_get_viewdef(oid) ~ 'dp_own' AND relname NOT IN ('pg_cursors', 'pg_prepared_statements')"
        )
        gone = [before[each] for each in before if each not in after]
        return [*gone, *moved.values(), *(name for (name,) in views.fetchall())]


def test_what_no_superuser_made_can_be_told(front: Front) -> None:
    """On 13 and 14 schema public is the superuser's, and everybody's to write in."""
    server = front.server
    if "landlord" not in front.conninfo:
        return
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("CREATE DATABASE plain OWNER landlord")
    conninfo = server.conninfo_of("landlord", "x", "plain")
    told = asyncio.run(sync_front(conninfo, WORLD, ())).warnings
    lines = [line for line in told if 'ALTER SCHEMA public OWNER TO "landlord"' in line]
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        assert len(lines) == (1 if owner.info.server_version < 150000 else 0)
        owner.execute("DROP DATABASE plain")


def test_three_proxies_start_at_once_while_sessions_come_and_go(front: Front) -> None:
    ann, ben = roles(front)
    third = replace(ann, name=f"cem{ann.name[3:]}")
    password = asyncio.run(role_password(front.conninfo, ann.name))
    dsn = front.session(ann.name).info.dsn
    session = psycopg.conninfo.make_conninfo(dsn, password=password)

    async def come_and_go() -> None:
        for _ in range(5):
            async with await psycopg.AsyncConnection.connect(session) as connection:
                await connection.execute("SELECT FROM departments")

    async def work() -> None:
        starts = [sync_front(front.conninfo, WORLD, (ann, ben, third)) for _ in range(3)]
        first, *others, _ = await asyncio.gather(*starts, come_and_go())
        assert others == [first, first]

    asyncio.run(work())
    assert front.rows("SELECT 1", ann.name) == [(1,)]
    assert asyncio.run(role_password(front.conninfo, ann.name)) == password
    front.sync(WORLD, ann, ben)


def test_a_policy_that_changes(front: Front) -> None:
    ann, ben = roles(front)
    front.rows(f"CREATE TABLE {ann.name}.released AS SELECT 7 AS x; CREATE VIEW {ann.name}.v AS TABLE people", ann.name)
    wards = replace(DEPARTMENTS, name="wards")
    front.sync(Catalog({VISITS.name: VISITS, "wards": wards}), ben)
    password = asyncio.run(role_password(front.conninfo, ann.name))
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(psycopg.conninfo.make_conninfo(front.session(ann.name).info.dsn, password=password))
    assert front.error("SELECT * FROM people", ben.name)[0] == "42P01"
    assert front.sync(WORLD, ann, ben).oids.keys() - front.catalog.oids.keys()
    assert front.rows(f"SELECT x FROM {ann.name}.released", ann.name) == [(7,)]
    front.rows(f"DROP TABLE {ann.name}.released", ann.name)


@pytest.mark.parametrize("name", ["somebody", "landlord", "owner", "pg_monitor"])
def test_roles_of_others_are_not_touched(front: Front, name: str) -> None:
    with pytest.raises(ConfigFault) as caught:
        front.sync(WORLD, *roles(front), AnalystRole(name))
    assert f"analysts.{name}: is a role of somebody else's on the front's server" in str(caught.value.detail)


def test_a_copy_of_the_database_takes_nobodys_role(front: Front) -> None:
    """dp_front.roles came with it, and the name is somebody else's on this server."""
    with psycopg.connect(front.conninfo, autocommit=True) as owner:
        owner.execute("INSERT INTO dp_front.roles VALUES ('somebody', 'x')")
        with pytest.raises(ConfigFault):
            front.sync(WORLD, *roles(front), AnalystRole("somebody"))
        front.sync(WORLD, *roles(front))
        assert owner.execute("SELECT rolcanlogin FROM pg_roles WHERE rolname = 'somebody'").fetchone() == (True,)
        owner.execute("DELETE FROM dp_front.roles WHERE analyst = 'somebody'")
