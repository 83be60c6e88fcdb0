"""Private rows joined with tables of the analyst's own: real clients, a real proxy, its front and DuckDB."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from decimal import Decimal

import duckdb
import psycopg
import pytest
from proxies import ServedProxy, serving, write_policy
from worlds import SCRIPT, plan, statements, world_catalog

from dpproxy.catalog.policy import Catalog
from dpproxy.front.embedded_front import running
from dpproxy.session.own_tables import TableGrew, read_rows

# Noise is far below half a row.
SETTINGS = "-c dp.epsilon=100000 -c dp.max_rows_per_unit=300 -c dp.max_groups_per_unit=8"
MINE = '''
SELECT * FROM (VALUES ('cardio', 1, DATE '2024-03-01', 0.25::numeric(6,2), 1.5::float8, true),
  ('cardio', 3, '2024-06-01', 0.50, 0.1, NULL), ('neuro', 5, '2025-01-01', 0.25, -1, false),
  (NULL, 7, NULL, NULL, NULL, true), ('nowhere', 9, '2024-03-01', 1.00, 'NaN', true)
) AS v (dept, weight, since, share, "Odd ""ñame""", flag)
'''


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    changes = {"epsilon = 100.0": "epsilon = 1e15", "epsilon = 1.0\ndelta": "epsilon = 1e15\ndelta"}
    with serving(write_policy(tmp_path_factory.mktemp("own"), changes)) as started:
        yield started


def fitted_world() -> Catalog:
    return world_catalog()


def connect(proxy: ServedProxy, user: str = "alice", **others: str) -> psycopg.Connection:
    return psycopg.connect(proxy.dsn(user), autocommit=True, options=SETTINGS, sslmode="disable", **others)


@pytest.fixture
def connection(proxy: ServedProxy) -> Iterator[psycopg.Connection]:
    """Alice, who owns a table `mine`, and nothing else."""
    with connect(proxy) as opened:
        owned = "SELECT relname FROM pg_class WHERE relnamespace = 'alice'::regnamespace AND relkind = 'r'"
        for (name,) in opened.execute(owned).fetchall():
            opened.execute(f'DROP TABLE alice."{name}" CASCADE')
        opened.execute(f"CREATE TABLE alice.mine AS {MINE}")
        yield opened


@pytest.fixture(scope="module")
def truth() -> Iterator[duckdb.DuckDBPyConnection]:
    """The world without rows of nobody, and the same table."""
    with duckdb.connect() as world:
        for statement in statements(SCRIPT):
            world.execute(statement)
        world.execute("DELETE FROM visits WHERE person_id IS NULL")
        world.execute(f"CREATE SCHEMA alice; CREATE TABLE alice.mine AS {MINE}; SET search_path = 'main,alice'")
        yield world


def spent(connection: psycopg.Connection) -> Decimal:
    (row,) = connection.execute("SELECT spent_epsilon FROM dp.budget").fetchall()
    return Decimal(row[0])


def refused(connection: psycopg.Connection, sql: str, *, prepare: bool = False) -> psycopg.Error:
    """The error of a statement, which is not charged for."""
    before = spent(connection)
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(sql, prepare=prepare)
    assert spent(connection) == before
    return caught.value


def value(connection: psycopg.Connection, sql: str) -> object:
    ((found,),) = connection.execute(sql).fetchall()
    return found


JOINS = [
    "SELECT v.dept, count(*) FROM visits v JOIN alice.mine m ON m.dept = v.dept WHERE m.weight > 2 GROUP BY v.dept",
    "SELECT m.dept, m.weight, count(*) FROM visits v JOIN mine m ON m.dept = v.dept AND v.day > m.since GROUP BY 1, 2",
    "SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM mine WHERE flag)",
    "SELECT count(*) FROM visits WHERE dept NOT IN (SELECT dept FROM mine WHERE dept IS NOT NULL)",
    "SELECT count(*) FROM visits v WHERE EXISTS (SELECT 1 FROM mine m WHERE m.dept = v.dept AND m.since < v.day)",
    "SELECT count(*) FROM visits v WHERE cost > (SELECT sum(weight) FROM mine)",
    'SELECT count(*) FROM visits v JOIN mine m USING (dept) WHERE m."Odd ""ñame""" = 0.1',
    "SELECT m.share, count(*) FROM visits v JOIN mine m ON m.dept = v.dept WHERE m.share < 0.5 GROUP BY m.share",
    "SELECT count(*) FROM people CROSS JOIN mine",
    "SELECT count(*) FROM visits v LEFT JOIN mine m ON m.dept = v.dept WHERE m.dept IS NULL",
    "SELECT d.building, count(*) FROM visits JOIN departments d USING (dept) JOIN mine m ON m.dept = d.dept GROUP BY 1",
    "WITH big AS (SELECT dept, max(weight) AS w FROM mine GROUP BY dept) SELECT sum(LEAST(GREATEST(w, 0), 10)) "
    "FROM visits JOIN big USING (dept)",
    "SELECT count(*) FROM visits v JOIN (SELECT dept FROM mine UNION SELECT dept FROM departments) m USING (dept)",
]


@pytest.mark.long
@pytest.mark.parametrize("sql", JOINS, ids=range(len(JOINS)))
@pytest.mark.parametrize("prepare", [False, True])
def test_joins_and_subqueries_are_those_of_the_plain_tables(
    connection: psycopg.Connection, truth: duckdb.DuckDBPyConnection, sql: str, prepare: bool
) -> None:
    told = set(truth.execute(sql).fetchall())
    for binary in (False, True) if prepare else (False,):
        found = connection.cursor(binary=binary).execute(sql, prepare=prepare).fetchall()
        # Public keys without a row are in the answer, with 0.
        assert {row for row in found if row[-1]} == told


@pytest.mark.long
def test_it_is_charged_once_and_the_front_reads_it_behind_a_release(connection: psycopg.Connection) -> None:
    before = spent(connection)
    rows = connection.execute(
        "SELECT m.weight, r.n FROM (SELECT dept, count(*) AS n FROM visits GROUP BY dept) r JOIN mine m USING (dept)"
        " WHERE r.n > 10 ORDER BY m.weight"
    ).fetchall()
    assert [weight for weight, _ in rows] == [1, 3, 5]
    assert spent(connection) > before
    (row,) = connection.execute("SELECT count(*) FROM dp.statements WHERE statement LIKE '%r.n > 10%'").fetchall()
    assert row == (1,)


@pytest.mark.long
def test_a_released_answer_can_be_kept_and_joined(connection: psycopg.Connection) -> None:
    """As far as CREATE TABLE AS is of released rows: what an earlier answer said, written down."""
    kept = connection.execute("SELECT city, count(*) FROM people WHERE city <> '' GROUP BY city").fetchall()
    listed = ", ".join(f"('{city}', {count})" for city, count in kept)
    connection.execute(f"CREATE TABLE alice.kept AS SELECT * FROM (VALUES {listed}) AS v (city, n)")
    most = max(count for _, count in kept)
    sql = f"SELECT count(*) FROM people JOIN kept USING (city) WHERE n = {most}"
    assert value(connection, sql) == most


def test_rows_of_the_clients_own_transaction(connection: psycopg.Connection) -> None:
    sql = "SELECT count(*) FROM people p JOIN alice.fresh f ON f.age = p.age"
    all_of_it = "SELECT count(*) FROM people WHERE age IN (20, 30)"
    expected = value(connection, all_of_it)
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.execute(sql)
    with connection.transaction(force_rollback=True):
        connection.execute("CREATE TABLE alice.fresh AS SELECT * FROM (VALUES (20), (30)) AS v (age)")
        assert value(connection, sql) == expected
        with connect_again(connection) as other, pytest.raises(psycopg.errors.UndefinedTable):
            other.execute(sql)
    assert refused(connection, sql).sqlstate == "42P01"


def connect_again(connection: psycopg.Connection) -> psycopg.Connection:
    info = connection.info
    return psycopg.connect(host=info.host, port=info.port, user=info.user, dbname=info.dbname, autocommit=True)


def test_several_statements_of_one_query(connection: psycopg.Connection) -> None:
    counted = "SELECT count(*) FROM people JOIN fresh USING (age)"
    cursor = connection.execute(f"CREATE TABLE alice.fresh AS SELECT 20 AS age; {counted}; DROP TABLE fresh")
    cursor.nextset()
    assert cursor.fetchone() == (value(connection, "SELECT count(*) FROM people WHERE age = 20"),)


def test_several_statements_of_one_query_are_a_block(connection: psycopg.Connection) -> None:
    """DECLARE without HOLD is an error outside of one."""
    cursor = connection.execute("DECLARE c CURSOR FOR SELECT 1; SELECT count(*) FROM people; FETCH c")
    assert cursor.nextset() and cursor.nextset()
    assert cursor.fetchall() == [(1,)]


def test_a_pipeline_and_a_failed_transaction(connection: psycopg.Connection) -> None:
    sql = "SELECT count(*) FROM people p JOIN alice.fresh f ON f.age = p.age"
    with connection.pipeline():
        connection.execute("CREATE TABLE alice.fresh AS SELECT 20 AS age")
        cursor = connection.execute(sql)
        (counted,) = cursor.fetchone()
    assert counted == value(connection, "SELECT count(*) FROM people WHERE age = 20")
    before = spent(connection)
    with pytest.raises(psycopg.errors.DivisionByZero), connection.pipeline():
        connection.execute("SELECT 1 / 0")
        connection.execute(sql)
    connection.execute("BEGIN")
    for failing, sqlstate in (("SELECT 1 / 0", "22012"), (sql, "25P02")):
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(failing)
        assert caught.value.sqlstate == sqlstate
    connection.execute("ROLLBACK")
    assert spent(connection) == before


ODD = ("it's", 'say "x"', "a\\b", "{NULL}", "NULL", "", " ", "ünïcode ✓", "表", "new\nline", "tab\t,", "$1", "E'", "é")


@pytest.mark.parametrize("encoding", ["utf8", "latin1"])
def test_texts_arrive_as_they_are(connection: psycopg.Connection, encoding: str) -> None:
    """Also those that the client's encoding does not have: the client does not see them."""
    listed = ", ".join(f"(${'q'}${text}${'q'}$, {number})" for number, text in enumerate(ODD))
    connection.execute(f"CREATE TABLE alice.odd AS SELECT * FROM (VALUES {listed}) AS v (t, n)")
    connection.execute(f"SET client_encoding = {encoding}")
    sql = "SELECT o.n, count(*) FROM people JOIN odd o ON age >= 0 AND length(o.t) = {} GROUP BY o.n"
    people = value(connection, "SELECT count(*) FROM people")
    for length in {len(text) for text in ODD}:
        found = connection.execute(sql.format(length)).fetchall()
        expected = {number for number, text in enumerate(ODD) if len(text) == length}
        assert {number for number, count in found if count == people} == expected
    if encoding == "utf8":
        names = connection.execute("SELECT t, count(*) FROM people CROSS JOIN odd GROUP BY t").fetchall()
        assert {name for name, _ in names} == set(ODD)


SESSIONS = [
    "SET extra_float_digits = -10",
    "SET datestyle = 'German, DMY'",
    "SET bytea_output = 'escape'",
    "SET intervalstyle = 'iso_8601'; SET timezone = 'Asia/Tokyo'",
    "SET search_path = alice, public, pg_catalog",
]


@pytest.mark.parametrize("setting", SESSIONS)
def test_no_setting_of_the_session_changes_the_values(connection: psycopg.Connection, setting: str) -> None:
    connection.execute(
        "CREATE TABLE alice.exact AS SELECT 0.1::float8 + 0.2 AS f, 1.1::real AS r, DATE '2024-02-01' AS d,"
        " TIMESTAMP '2024-02-01 03:04:05.678901' AS t, 123456789012345678901234567890.12::numeric(38,2) AS n,"
        " 'ffffffff-1111-2222-3333-444444444444'::uuid AS u, 9223372036854775807 AS i, false AS b, 's'::varchar(3) AS s"
    )
    connection.execute(setting)
    people = value(connection, "SELECT count(*) FROM people")
    for condition in (
        "f = 0.30000000000000004::float8",
        "r = 1.1::real",
        "d = DATE '2024-02-01'",
        "t = TIMESTAMP '2024-02-01 03:04:05.678901'",
        "n = 123456789012345678901234567890.12",
        "i = 9223372036854775807",
        "NOT b",
        "s = 's'",
    ):
        assert value(connection, f"SELECT count(*) FROM people JOIN alice.exact ON {condition}") == people, condition


def test_an_empty_table(connection: psycopg.Connection) -> None:
    connection.execute("CREATE TABLE alice.none (dept text, n int)")
    assert value(connection, "SELECT count(*) FROM visits JOIN alice.none USING (dept)") == 0
    assert value(connection, "SELECT count(*) FROM visits WHERE dept NOT IN (SELECT dept FROM alice.none)") > 1000
    sql = "SELECT n.n, count(*) FROM visits JOIN alice.none n USING (dept) GROUP BY n.n"
    assert connection.execute(sql).fetchall() == []


def test_as_many_rows_as_can_be_sent(connection: psycopg.Connection) -> None:
    connection.execute(
        "CREATE TABLE alice.many AS SELECT g AS n, repeat('x', 500) AS t FROM generate_series(1, 10000) g"
    )
    sql = "SELECT count(*) FROM people JOIN many ON n = age AND length(t) = 500"
    assert value(connection, sql) == value(connection, "SELECT count(*) FROM people")
    connection.execute("CREATE VIEW alice.more AS SELECT n, t FROM many UNION ALL SELECT 0, ''")
    fault = refused(connection, sql.replace("many", "more"))
    assert fault.sqlstate == "54000"
    assert "alice.more has more than 10000 rows" in str(fault)
    connection.execute("CREATE VIEW alice.wide AS SELECT n, repeat(t, 4) AS t FROM many")
    assert refused(connection, sql.replace("many", "wide")).sqlstate == "54000"
    assert value(connection, "SELECT count(*) FROM people JOIN wide ON n = age") > 0
    connection.execute("CREATE VIEW alice.endless AS SELECT generate_series(1, 1000000000) AS n, '' AS t")
    assert refused(connection, sql.replace("many", "endless")).sqlstate == "54000"


def test_a_table_that_changes_between_two_runs(connection: psycopg.Connection) -> None:
    """A prepared statement: the front says what it is now, in its own words."""
    sql = "SELECT count(*) FROM visits v JOIN mine m ON m.dept = v.dept WHERE m.weight > 2"
    first = connection.execute(sql, prepare=True).fetchall()
    connection.execute("CREATE TABLE alice.other AS SELECT * FROM mine WHERE dept = 'neuro'")
    connection.execute("ALTER TABLE mine RENAME TO old")
    assert refused(connection, sql, prepare=True).sqlstate == "42P01"
    connection.execute("ALTER TABLE other RENAME TO mine")
    assert connection.execute(sql, prepare=True).fetchall() < first
    connection.execute("ALTER TABLE mine RENAME COLUMN weight TO load")
    assert refused(connection, sql, prepare=True).sqlstate == "42703"
    connection.execute("ALTER TABLE mine RENAME COLUMN load TO weight")
    connection.execute("ALTER TABLE mine ALTER COLUMN weight TYPE float8")
    assert value(connection, sql) == value(connection, "SELECT count(*) FROM visits WHERE dept = 'neuro'")
    read = "SELECT m.share, n FROM mine m, (SELECT count(*) AS n FROM people) p"
    for type_ in ("numeric(6,2)", "numeric(8,1)", "text", "numeric(6,2)"):
        connection.execute(f"ALTER TABLE mine ALTER COLUMN share TYPE {type_} USING share::{type_}")
        ((share, people),) = connection.execute(read).fetchall()
        assert (float(share), people) == (0.3 if "1" in type_ else float(share), 400)
    connection.execute("DROP TABLE mine")
    assert refused(connection, sql, prepare=True).sqlstate == "42P01"


def test_a_table_that_is_called_like_one_of_the_policy(connection: psycopg.Connection) -> None:
    sql = "SELECT count(*) FROM visits JOIN {} d USING (dept)"
    connection.execute('SET search_path = "$user", public')
    everything = value(connection, sql.format("departments"))
    connection.execute("CREATE TABLE alice.departments AS SELECT 'neuro' AS dept")
    fewer = value(connection, sql.format("departments"))
    assert fewer == value(connection, "SELECT count(*) FROM visits WHERE dept = 'neuro'")
    assert value(connection, sql.format("public.departments")) == everything > fewer
    connection.execute("CREATE TABLE alice.people AS SELECT 1 AS person_id")
    assert value(connection, "SELECT count(*) FROM people") == 1
    assert value(connection, "SELECT count(*) FROM public.people p JOIN people o USING (person_id)") == 1


def test_names_with_dots_are_not_mistaken(connection: psycopg.Connection) -> None:
    connection.execute('CREATE TABLE alice."alice.mine" AS SELECT 1 AS weight')
    fault = refused(connection, 'SELECT count(*) FROM visits JOIN "alice.mine" ON true')
    assert fault.sqlstate == "0A000"
    assert value(connection, "SELECT count(*) FROM visits JOIN alice.mine USING (dept)") > 0


def test_other_relations_of_the_front_are_refused_as_ever(connection: psycopg.Connection, proxy: ServedProxy) -> None:
    for name in ("pg_class", "pg_catalog.pg_class", "information_schema.tables", "pg_stats"):
        fault = refused(connection, f"SELECT count(*) FROM people CROSS JOIN {name}")
        assert (fault.sqlstate, f'"{name}" cannot be combined' in str(fault)) == ("0A000", True)
    with connect(proxy, "bob") as bob:
        bob.execute("DROP TABLE IF EXISTS bob.his")
        bob.execute("CREATE TABLE bob.his AS SELECT 1 AS n")
        assert value(bob, "SELECT count(*) FROM people CROSS JOIN bob.his") == 400
    assert refused(connection, "SELECT count(*) FROM people CROSS JOIN bob.his").sqlstate == "42501"


def test_values_and_columns_that_the_engine_does_not_have(connection: psycopg.Connection) -> None:
    connection.execute("CREATE TABLE alice.far AS SELECT DATE '20000-01-01' AS d, 'NaN'::numeric(5,2) AS n, 1 AS i")
    connection.execute(
        "CREATE TABLE alice.infinite AS SELECT 'infinity'::timestamp AS d, 'NaN'::numeric AS n, 1 AS i,"
        " 'Infinity'::numeric AS m, '-infinity'::float8 AS f, 'infinity'::real AS r, 1e400::numeric AS h"
    )
    connection.execute(
        "CREATE TABLE alice.kinds AS SELECT '{}'::jsonb AS j, m AS r, 'x'::char(3) AS c, 1 AS i FROM mine AS m LIMIT 1"
    )
    for table in ("far", "infinite", "kinds"):
        assert value(connection, f"SELECT count(*) FROM people JOIN {table} ON i = 1") == 400
    for condition, table in (("d > joined", "far"), ("n > age", "far"), ("d > joined", "infinite")):
        fault = refused(connection, f"SELECT count(*) FROM people JOIN {table} ON {condition}")
        assert fault.sqlstate == "22003"
    beyond = "n > age AND m > age AND f < age AND r > age AND h > 1e300"
    assert value(connection, f"SELECT count(*) FROM people JOIN infinite ON {beyond}") == 400
    for name in ("j", "r", "c"):
        fault = refused(connection, f"SELECT count(*) FROM people JOIN kinds ON {name} IS NULL")
        assert (fault.sqlstate, f'column "{name}" is of type' in str(fault)) == ("0A000", True)


def test_a_view_fails_as_it_does_in_the_front(connection: psycopg.Connection) -> None:
    connection.execute("CREATE VIEW alice.failing AS SELECT 1 / (weight - 1) AS n FROM mine")
    fault = refused(connection, "SELECT count(*) FROM people JOIN failing ON n = age")
    assert (fault.sqlstate, fault.diag.statement_position, fault.diag.context) == ("22012", None, None)
    connection.execute("CREATE VIEW alice.good AS SELECT d.dept, m.weight FROM mine m JOIN departments d USING (dept)")
    assert value(connection, "SELECT count(*) FROM visits JOIN good USING (dept) WHERE weight = 5") > 100


def test_explain_names_the_table_and_reads_nothing(connection: psycopg.Connection) -> None:
    before = spent(connection)
    sql = "SELECT m.dept, count(*) FROM visits v JOIN mine m ON m.dept = v.dept WHERE m.weight > 2 GROUP BY 1"
    text = "\n".join(line for (line,) in connection.execute(f"EXPLAIN VERBOSE {sql}").fetchall())
    assert "  Reads $t1: column dept of alice.mine\n  Reads $t2: column weight of alice.mine" in text
    assert "UNNEST(CAST($t1 AS TEXT[])) AS c0, UNNEST(CAST($t2 AS INT[])) AS c1" in " ".join(text.split())
    (((plan,),),) = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchall()
    assert plan["Releases"][0]["Reads"][0] == {"Input": "$t1", "Table": "alice.mine", "Column": "dept"}
    connection.execute("CREATE VIEW alice.failing AS SELECT 1 / (weight - 1) AS n FROM mine")
    connection.execute("EXPLAIN SELECT count(*) FROM people JOIN failing ON n = age")
    assert spent(connection) == before


def test_temporary_tables_where_the_owner_gives_them(proxy: ServedProxy) -> None:
    async def give() -> None:
        async with (
            running(proxy.config.front.url.directory, proxy.config.server.database) as address,
            await psycopg.AsyncConnection.connect(address.conninfo(), autocommit=True) as owner,
        ):
            await owner.execute("GRANT TEMP ON DATABASE demo TO alice")

    asyncio.run(give())
    with connect(proxy) as connection:
        connection.execute("CREATE TEMP TABLE brief AS SELECT 'neuro' AS dept")
        expected = value(connection, "SELECT count(*) FROM visits WHERE dept = 'neuro'")
        for name in ("brief", "pg_temp.brief"):
            assert value(connection, f"SELECT count(*) FROM visits JOIN {name} b USING (dept)") == expected


def test_how_far_an_own_table_multiplies_is_counted_from_its_rows(
    proxy: ServedProxy, connection: psycopg.Connection
) -> None:
    sql = "SELECT count(*) FROM people, alice.series a, alice.series b"
    connection.execute("CREATE TABLE alice.series AS SELECT * FROM generate_series(1, 60) AS g(x)")
    assert connection.execute(sql).fetchone() is not None
    before = spent(connection)
    connection.execute("DROP TABLE alice.series")
    connection.execute("CREATE TABLE alice.series AS SELECT * FROM generate_series(1, 260) AS g(x)")
    with pytest.raises(psycopg.Error) as refused:
        connection.execute(sql)
    assert refused.value.sqlstate == "DP002"
    assert "alice.series: 512 × alice.series: 512" in str(refused.value)
    assert spent(connection) == before


def test_a_table_that_grew_since_it_was_counted_is_not_read() -> None:
    made = plan("SELECT count(*) FROM visits v JOIN mine m ON v.dept = m.dept", fitted_world())
    rows = json.dumps([["cardio"]] * (made.tables[0].rows + 1)).encode()
    with pytest.raises(TableGrew, match="got more rows"):
        read_rows(made, (rows,))
    assert TableGrew.sqlstate == "40001"
