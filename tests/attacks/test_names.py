"""Names and parsers: statements that read a private row past the analysis, were they to run as they are written.

Each is run on the plain engine first, where it tells with Zelda from without; then before both proxies, whatever the
engine behind them. There it is refused in the same words, or means what it means to Postgres, and is paid for: that
meaning is compared in test_parsers.py. What answers for nothing answers the same to both.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from clients.backends import Backend

from attacks.duel import STOPPED, Connected, Duel, Pair, Seen, Side
from dpproxy.errors import InternalFault

pytestmark = pytest.mark.long

# Rows of units, and all that names a whole one of them.
ROWS = (
    "TABLE people",
    "SELECT * FROM people",
    "SELECT people.* FROM people",
    "SELECT p FROM people p",
    "SELECT row(p) FROM people p",
    "SELECT min(name) FROM people",
    "SELECT count(p) FROM people p",
    "SELECT p.name FROM people AS p",
    "SELECT count(*) FROM people p WHERE p IS NOT NULL",
    "SELECT count(DISTINCT p) FROM people p",
    "SELECT p, count(*) FROM people p GROUP BY p",
    "SELECT array_agg(p) FROM people p",
    "SELECT max(p) FROM people p",
    "SELECT count(*) FROM people p WHERE p = p",
    "SELECT EXISTS (SELECT 1 FROM people WHERE name = 'Zelda')",
    "SELECT 1 WHERE 'Zelda' IN (SELECT name FROM people)",
    "SELECT (SELECT name FROM people WHERE person_id = 1000)",
    "SELECT ARRAY(SELECT name FROM people ORDER BY 1)",
    "SELECT * FROM (SELECT name AS n FROM people) t ORDER BY n LIMIT 1",
    "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t, people WHERE name = 'Zelda' AND n < 3) "
    "SELECT count(*) FROM t",
    "SELECT count(*) FROM people NATURAL JOIN (SELECT 'Zelda' AS name) z",
    "SELECT count(*) FROM people JOIN (SELECT 'Zelda' AS name) z USING (name)",
    "SELECT count(*) FROM people p, LATERAL (SELECT p.name AS n) l WHERE l.n = 'Zelda'",
    "SELECT string_agg(name, ',') FROM people",
    "SELECT count(*) FROM people GROUP BY name HAVING name = 'Zelda'",
    "SELECT count(*) OVER (PARTITION BY name) FROM people",
    "SELECT count(*) FILTER (WHERE name = 'Zelda') FROM people",
    "SELECT max(person_id) FROM people",
    "VALUES ((SELECT min(name) FROM people))",
    "SELECT x FROM (VALUES (1)) v(x) LIMIT (SELECT count(*) FROM people WHERE name = 'Zelda')",
)
# What Postgres alone takes: columns of its own, functions as columns, functions that take SQL or a table's name.
POSTGRES = (
    "SELECT 1 ORDER BY (SELECT 1 / (count(*) - 1) FROM people WHERE name = 'Zelda')",
    "SELECT ctid FROM people",
    "SELECT max(ctid) FROM people",
    "SELECT xmin, name FROM people",
    "SELECT count(tableoid) FROM people",
    "SELECT count(*) FROM people WHERE ctid > '(0,1)'",
    "SELECT count(cmin) FROM people WHERE xmax = 0",
    "SELECT (p).name FROM people p",
    "SELECT name(p) FROM people p",
    "SELECT min(name(p)) FROM people p",
    "SELECT max(age(p)) FROM people p WHERE name(p) = 'Zelda'",
    "SELECT (SELECT p) FROM people p",
    "SELECT min(p::text) FROM people p WHERE city = 'Zeldatown'",
    "SELECT min(people::text) FROM public.people WHERE city = 'Zeldatown'",
    "SELECT count(*) FROM people p WHERE p::text LIKE '%Zelda%'",
    "SELECT row_to_json(p) FROM people p",
    "SELECT json_agg(p) FROM people p",
    "SELECT to_jsonb(p) ->> 'name' FROM people p",
    "SELECT format('%s', p) FROM people p",
    "SELECT x.* FROM people p, LATERAL (SELECT p.*) x",
    "SELECT j.value FROM people p, json_each_text(row_to_json(p)) j WHERE j.key = 'name'",
    "SELECT g FROM people p, generate_series(p.person_id, 1000) g WHERE name = 'Zelda'",
    "SELECT u FROM people p, unnest(ARRAY[p.name]) u",
    "SELECT * FROM ONLY people",
    "SELECT * FROM ONLY (people)",
    "SELECT * FROM people *",
    "SELECT count(*) FROM people TABLESAMPLE SYSTEM (100)",
    "SELECT query_to_xml('SELECT * FROM people', true, false, '')",
    "SELECT table_to_xml('people', true, false, '')",
    "SELECT schema_to_xml('public', true, false, '')",
    "SELECT database_to_xml(true, false, '')",
    "SELECT query_to_xml($$SELECT min(name) FROM people$$, true, false, '')::text",
    "SELECT ts_stat.word FROM ts_stat('SELECT to_tsvector(''simple'', name) FROM people')",
    'SELECT U&"n\\0061me" FROM people',
    'SELECT "name" FROM U&"peopl\\0065"',
    "SELECT * FROM U&\"p!0065ople\" UESCAPE '!'",
    "SELECT count(*) FROM people WHERE name = E'Z\\x65lda'",
    "SELECT count(*) FROM people WHERE name = U&'Z\\0065lda'",
    "SELECT count(*) FROM people WHERE name = $$Zelda$$",
    "SELECT count(*) FROM people WHERE name = $z$Zelda$z$",
    "SELECT count(*) FROM people WHERE name = 'Zel'\n'da'",
    "SELECT count(*) FROM people WHERE name OPERATOR(pg_catalog.=) 'Zelda'",
    "SELECT count(*) FROM people WHERE name ~~ 'Zeld_'",
    "SELECT count(*) FROM people WHERE name ^@ 'Zelda'",
    "SELECT DISTINCT ON (name) name FROM people ORDER BY name LIMIT 1",
    "SELECT name FROM people ORDER BY name USING < LIMIT 1",
    "SELECT name FROM people ORDER BY 1 FETCH FIRST 1 ROW WITH TIES",
    "SELECT count(*) FROM (people CROSS JOIN departments) AS j WHERE j.name = 'Zelda'",
    "SELECT count(*) FROM people AS t(a, b) WHERE b = 'Zelda'",
    "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT * FROM people",
    "DECLARE c CURSOR WITH HOLD FOR SELECT name FROM people; FETCH LAST FROM c",
    "PREPARE z AS SELECT min(name) FROM people; EXECUTE z",
    "SET search_path = public, pg_temp; SELECT min(name) FROM people",
    "SET search_path = ''; SELECT min(name) FROM public.people",
    "SELECT set_config('search_path', 'public', false); SELECT min(name) FROM people",
    "SELECT min(name) /* FROM departments */ FROM -- departments\r people",
    "SELECT min(name)FROM/**/people",
    "SELECT min(name) FROM /* /* */ departments -- */ people",
    "select min(NAME) from PEOPLE",
    "SELECT pg_catalog.min(name) FROM public.people",
    "SELECT count(*) FROM people WHERE name=ANY('{Zelda}')",
)
# What DuckDB alone takes: FROM first, stars with patterns, PIVOT, lambdas, structs, positions, rowid, SQL in a string.
DUCKDB = (
    "FROM people",
    "FROM people SELECT min(name)",
    "SELECT COLUMNS(*) FROM people",
    "SELECT min(COLUMNS(*)) FROM people",
    "SELECT COLUMNS('n.*') FROM people",
    "SELECT COLUMNS(lambda c : c LIKE 'n%') FROM people",
    "SELECT * EXCLUDE (age) FROM people",
    "SELECT * EXCEPT (age) FROM people",
    "SELECT * REPLACE (upper(name) AS name) FROM people",
    "SELECT * RENAME (name AS n) FROM people",
    "SELECT * LIKE 'n%' FROM people",
    "SELECT #2 FROM people",
    "SELECT min(#2) FROM people",
    "SELECT name AS n, n || '!' FROM people",
    "PIVOT people ON city USING count(*)",
    "SELECT * FROM (PIVOT people ON sex USING count(*) GROUP BY city)",
    "UNPIVOT (SELECT name, city FROM people) ON name, city",
    "SUMMARIZE people",
    "SELECT list_transform(list(name), lambda x : x || '!') FROM people",
    "SELECT list_filter(list(name), lambda x : x = 'Zelda') FROM people",
    "SELECT [x FOR x IN list(name) IF x = 'Zelda'] FROM people",
    "SELECT list(name)[-1] FROM (SELECT name FROM people ORDER BY person_id)",
    "SELECT struct_pack(a := name).a FROM people",
    "SELECT {'a': name}.a FROM people",
    "SELECT p.name.upper() FROM people p",
    "SELECT name.upper() FROM people",
    "SELECT p['name'] FROM people p",
    "SELECT unnest(p) FROM people p",
    "SELECT p::VARCHAR FROM people p",
    "SELECT hash(p) FROM people p",
    "SELECT rowid FROM people",
    "SELECT max(rowid) FROM people",
    "SELECT count(*) FROM people WHERE rowid = 400",
    "SELECT first(name ORDER BY person_id DESC) FROM people",
    "SELECT arg_max(name, person_id) FROM people",
    "SELECT histogram(city) FROM people",
    "SELECT * FROM query('SELECT * FROM people')",
    "SELECT * FROM query_table('people')",
    "SELECT * FROM query('FROM ' || 'people')",
    "SELECT count(*) FROM people SEMI JOIN (SELECT 'Zelda' AS name) z USING (name)",
    "SELECT count(*) FROM people ANTI JOIN (SELECT 'Zelda' AS name WHERE false) z USING (name)",
    "SELECT count(*) FROM people POSITIONAL JOIN people AS q",
    "SELECT count(*) FROM people ASOF JOIN (SELECT 999 AS person_id) z ON people.person_id >= z.person_id",
    "SELECT name FROM people QUALIFY row_number() OVER (ORDER BY person_id DESC) = 1",
    "SELECT count(*) FROM people USING SAMPLE 100%",
    "SELECT city, count(*) FROM people GROUP BY ALL ORDER BY ALL",
    "SELECT * FROM main.people",
    "SELECT min(name) FROM world.main.people",
    "SELECT main.people.name FROM main.people",
    "SELECT estimated_size FROM duckdb_tables() WHERE table_name = 'people'",
    "SELECT stats FROM pragma_storage_info('people')",
    "SELECT * FROM 'people'",
    'SELECT * FROM "people"',
    "SELECT min(name) FROM PEOPLE",
    "COPY (SELECT name FROM people) TO '/dev/null'",
    "SELECT getvariable('z') FROM (SELECT 1) WHERE (SELECT max(person_id) FROM people) = 1000",
    "SET VARIABLE z = (SELECT min(name) FROM people); SELECT getvariable('z')",
    "SELECT count(*)\u00a0FROM\u3000people",
    "SELECT count(*)\u2003FROM\u2003people",
    "PREPARE z AS SELECT min(name) FROM people; EXECUTE z",
)
COPIES = ("COPY people TO STDOUT", "COPY (SELECT * FROM people) TO STDOUT", "COPY people (name) TO STDOUT")
# Ways to a file, or to another database; {file} is one with a word in it.
FILES = (
    "SELECT * FROM '{file}'",
    'SELECT * FROM "{file}"',
    "FROM '{file}'",
    "SELECT * FROM read_csv('{file}', header = false)",
    "SELECT * FROM read_csv_auto('{file}')",
    "SELECT content FROM read_text('{file}')",
    "SELECT content FROM read_blob('{file}')",
    "SELECT content FROM read_text('{file}') WHERE (SELECT count(*) FROM people) > 0",
    "SELECT count(*), (SELECT content FROM read_text('{file}')) FROM people",
    "SELECT count(*) FROM people, '{file}' AS f GROUP BY f.column0",
    "SELECT sniff.* FROM sniff_csv('{file}') AS sniff",
    "SELECT * FROM glob('{file}')",
    "SELECT pg_read_file('{file}')",
    "SELECT pg_read_binary_file('{file}')",
    "SELECT * FROM pg_ls_dir('{folder}')",
    "SELECT pg_stat_file('{file}')",
    "SELECT lo_import('{file}')",
    "COPY people FROM '{file}'",
    "COPY (SELECT 1) TO '{file}'",
    "COPY (SELECT 1) TO PROGRAM 'cat {file}'",
    "ATTACH '{file}' AS f",
    "INSTALL httpfs",
    "LOAD '{file}'",
    "SELECT * FROM postgres_scan('host={folder}', 'public', 'people')",
    "SELECT * FROM sqlite_scan('{file}', 't')",
    "SELECT * FROM dblink('host={folder}', 'SELECT 1') AS t(x int)",
    "SELECT dblink_connect('host={folder}')",
    "CREATE EXTENSION file_fdw",
    "CREATE FOREIGN TABLE f (x text) SERVER s OPTIONS (filename '{file}')",
    "DO $$ BEGIN PERFORM pg_read_file('{file}'); END $$",
)
WORD = "canary-7f3a"
_UNBUILT = "0A000"


def _same(pair: Pair, sqls: Sequence[str]) -> list[str]:
    """What must not be seen of statements over the proxies: a line for each that tells, fails within, or is free."""
    return [f"{sql!r}: {fault}" for sql in sqls if (fault := _fault(*pair.ask(sql)))]


def _fault(here: Seen, gone: Seen) -> str:
    if here.outline != gone.outline:
        return f"{here.outline} with her, {gone.outline} without"
    if here.state in (STOPPED, InternalFault.sqlstate):
        return f"a failure within: {here.error}"
    if here.state is None and here.charged is None and here.rows != gone.rows:
        return f"for nothing, {here.rows[:2]} with her, {gone.rows[:2]} without"
    return ""


def _plain(duel: Duel) -> Sequence[str]:
    return (*ROWS, *(DUCKDB if duel.backend is Backend.EMBEDDED else POSTGRES))


def test_each_tells_on_the_plain_engine(duel: Duel) -> None:
    """But for what the server was built without, such as XML."""
    asked = [(sql, *duel.plain.ask(sql)) for sql in _plain(duel)]
    assert [sql for sql, here, gone in asked if repr(here) == repr(gone) and here.state != _UNBUILT] == []


@pytest.mark.parametrize("which", ["ROWS", "POSTGRES", "DUCKDB"])
def test_none_tells_over_the_proxy(which: str, mallory: Pair) -> None:
    assert _same(mallory, globals()[which]) == []


def test_rows_are_not_copied(duel: Duel, mallory: Pair) -> None:
    if duel.backend is Backend.GIVEN:
        assert all(_copied(duel.plain.here, sql) != _copied(duel.plain.gone, sql) for sql in COPIES)
    assert _same(mallory, COPIES) == []
    assert all(seen.state not in (None, "python") for sql in COPIES for seen in mallory.ask(sql))


def _copied(side: Side, sql: str) -> bytes:
    assert isinstance(side, Connected)
    with side.connection.cursor().copy(sql.encode()) as copy:
        return b"".join(map(bytes, copy))


def test_files_are_read_by_duckdb(embedded_duel: Duel, tmp_path: Path) -> None:
    """The reader of the plain Postgres may read none."""
    read = [sql for sql in _files(tmp_path)[:8] if WORD not in str(embedded_duel.plain.here.ask(sql).rows)]
    assert read == []


def test_no_file_is_read_over_the_proxy(mallory: Pair, tmp_path: Path) -> None:
    told = [(sql, seen) for sql in _files(tmp_path) for seen in mallory.ask(sql) if seen.state is None]
    assert told == []
    assert all(WORD not in str(mallory.here.ask(sql)) for sql in _files(tmp_path))


def _files(directory: Path) -> list[str]:
    file = directory / "secret.csv"
    file.write_text(f"{WORD},1\n{WORD},2\n")
    return [sql.replace("{file}", str(file)).replace("{folder}", str(directory)) for sql in FILES]
