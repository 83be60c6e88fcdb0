"""The gate: what passes, what is private, what is refused, and where a refusal points."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.session import gate
from dpproxy.session.gate import examine
from dpproxy.session.verdicts import (
    ClosesCursor,
    Copies,
    Creates,
    Deallocates,
    Declares,
    Executes,
    Explains,
    Fetches,
    GateNames,
    Pass,
    Plain,
    Prepares,
    Private,
    Refuse,
    Sets,
    Statement,
    Unsupported,
    Wrapped,
)

NAMES = GateNames(
    frozenset({"people", "public.people", "visits", "public.visits", "dp.budget", "budget"}),
    frozenset({"departments", "public.departments"}),
    "alice",
)
RECORDINGS = Path(__file__).parents[2] / "shared" / "clients"


def only(sql: str) -> Statement:
    (statement,) = examine(sql, NAMES)
    return statement


PASSING = [
    "SELECT 1",
    "VALUES (1), (2)",
    "SELECT * FROM information_schema.tables t, information_schema.columns",
    "SELECT relname FROM pg_catalog.pg_class WHERE relname = 'people'",
    "WITH people AS (SELECT 1 AS x) SELECT * FROM people",
    "WITH RECURSIVE people AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM people WHERE x < 3) TABLE people",
    "WITH a AS (SELECT 1) SELECT 1 UNION ALL SELECT 2 LIMIT 1",
    "SELECT * FROM other.people",
    "SET search_path = alice",
    "SET LOCAL dp.epsilon = 0.1",
    "RESET ALL",
    "RESET ROLE",
    "SHOW dp.epsilon",
    "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY",
    "START TRANSACTION",
    "COMMIT",
    "ROLLBACK AND CHAIN",
    "SAVEPOINT a",
    "RELEASE a",
    "ROLLBACK TO a",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    "FETCH FORWARD 3 FROM c",
    "MOVE c",
    "CLOSE ALL",
    "PREPARE p AS SELECT $1::int",
    "EXECUTE p(1)",
    "DEALLOCATE p",
    "DISCARD ALL",
    "UNLISTEN *",
    "SELECT set_config('work_mem', '4MB', false), set_config('a.b'::text, 'c' || 'd', true), set_config($1, $2, true)",
    "SELECT set_config(is_local => false, setting_name => 'a.b', new_value => 'x'), set_config(NULL, '', false)",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "EXPLAIN EXECUTE p(1)",
    "COPY (SELECT 1) TO STDOUT (FORMAT binary)",
    "COPY pg_class TO STDOUT",
    "COPY t FROM STDIN (FORMAT csv, HEADER)",
    "COPY alice.t (a) FROM STDIN WHERE a > 0",
    "INSERT INTO t VALUES (1), (DEFAULT) ON CONFLICT (a) DO UPDATE SET a = excluded.a RETURNING a",
    "WITH x AS (SELECT 1 AS a) INSERT INTO alice.t SELECT * FROM x",
    "INSERT INTO alice.people SELECT * FROM departments",
    "UPDATE t SET a = 1 FROM alice.u RETURNING *",
    "DELETE FROM t USING u",
    "TRUNCATE t, alice.u RESTART IDENTITY",
    "CREATE TABLE t (a int)",
    "CREATE TABLE alice.t AS SELECT 1 AS x",
    "SELECT 1 AS x INTO t",
    "CREATE VIEW alice.v AS SELECT 1",
    "CREATE MATERIALIZED VIEW v AS SELECT 1",
    "DROP TABLE IF EXISTS t, alice.u CASCADE",
    "DROP VIEW v",
    "ALTER TABLE alice.t ADD COLUMN b int",
    "ALTER TABLE t RENAME COLUMN a TO b",
    "ALTER TABLE t RENAME TO u",
    "COMMENT ON TABLE alice.t IS 'kept'",
    "COMMENT ON COLUMN t.a IS 'kept'",
    "",
    "  -- nothing\n ; ",
]


@pytest.mark.parametrize("sql", PASSING)
def test_allowed_statements_pass(sql: str) -> None:
    assert all(isinstance(each.verdict, Pass) for each in examine(sql, NAMES))


REFUSED = [
    ("INSERT INTO people VALUES (1)", "42501"),
    ("INSERT INTO public.people SELECT 1", "42501"),
    ("INSERT INTO bob.t VALUES (1)", "42501"),
    ("INSERT INTO departments VALUES ('x')", "42501"),
    ("WITH a AS (SELECT 1) INSERT INTO dp.budget SELECT * FROM a", "42501"),
    ("UPDATE people SET age = 1", "42501"),
    ("UPDATE dp_front.roles SET password = ''", "42501"),
    ("UPDATE ONLY departments SET dept = ''", "42501"),
    ("DELETE FROM people", "42501"),
    ("DELETE FROM bob.t USING alice.t", "42501"),
    ("WITH d AS (DELETE FROM t RETURNING *) INSERT INTO t SELECT * FROM d", "42501"),
    ("MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE", "42501"),
    ("TRUNCATE alice.t, people", "42501"),
    ("TRUNCATE bob.t", "42501"),
    ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "42501"),
    ("EXPLAIN DELETE FROM t", "42501"),
    ("EXPLAIN ANALYZE INSERT INTO t VALUES (1)", "42501"),
    ("PREPARE p AS INSERT INTO t VALUES (1)", "42501"),
    ("COPY (WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d) TO STDOUT", "42501"),
    ("COPY (INSERT INTO t VALUES (1) RETURNING a) TO STDOUT", "42501"),
    ("COPY people FROM STDIN", "42501"),
    ("COPY bob.t FROM STDIN", "42501"),
    ("COPY t FROM '/tmp/x'", "42501"),
    ("COPY t FROM PROGRAM 'cat'", "42501"),
    ("COPY t TO '/tmp/x'", "42501"),
    ("COPY (SELECT 1) TO PROGRAM 'cat'", "42501"),
    ("CREATE TRIGGER x AFTER INSERT ON t EXECUTE FUNCTION f()", "0A000"),
    ("CREATE RULE r AS ON INSERT TO t DO ALSO SELECT 1", "0A000"),
    ("LOCK TABLE people", "42501"),
    ("GRANT SELECT ON people TO bob", "42501"),
    ("GRANT alice TO bob", "42501"),
    ("CREATE ROLE x", "42501"),
    ("ALTER ROLE alice PASSWORD 'x'", "42501"),
    ("ALTER ROLE alice SET search_path = x", "42501"),
    ("DROP ROLE bob", "42501"),
    ("SET ROLE bob", "42501"),
    ("SET SESSION AUTHORIZATION bob", "42501"),
    ("SET LOCAL role = bob", "42501"),
    ("ALTER SYSTEM SET work_mem = '1GB'", "42501"),
    ("CREATE SCHEMA s", "42501"),
    ("CREATE DATABASE d", "42501"),
    ("CREATE TABLE public.t (a int)", "42501"),
    ("CREATE TABLE dp.t AS SELECT 1", "42501"),
    ("SELECT 1 AS a INTO public.t", "42501"),
    ("CREATE VIEW public.v AS SELECT 1", "42501"),
    ("DROP TABLE people, public.people", "42501"),
    ("DROP SCHEMA alice", "42501"),
    ("DROP FUNCTION f()", "42501"),
    ("ALTER TABLE public.people ADD COLUMN x int", "42501"),
    ("ALTER TABLE dp.budget RENAME TO b", "42501"),
    ("COMMENT ON TABLE public.people IS ''", "42501"),
    ("COMMENT ON COLUMN public.people.age IS ''", "42501"),
    ("COMMENT ON ROLE alice IS ''", "42501"),
    ("DO $$ BEGIN END $$", "0A000"),
    ("CALL p()", "0A000"),
    ("VACUUM", "0A000"),
    ("ANALYZE", "0A000"),
    ("LISTEN x", "0A000"),
    ("NOTIFY x", "0A000"),
    ("LOAD 'x'", "0A000"),
    ("CHECKPOINT", "0A000"),
    ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "0A000"),
    ("CREATE EXTENSION x", "0A000"),
    ("CREATE TRIGGER x BEFORE INSERT ON t EXECUTE FUNCTION f()", "0A000"),
    ("CREATE RULE r AS ON SELECT TO t DO INSTEAD SELECT 1", "0A000"),
    ("CREATE INDEX ON t (a)", "0A000"),
    ("PREPARE TRANSACTION 'x'", "0A000"),
    ("COMMIT PREPARED 'x'", "0A000"),
    ("SELECT * FROM t FOR UPDATE", "0A000"),
    ("SELECT * FROM (SELECT * FROM t FOR SHARE) u", "0A000"),
    ("SELECT count(*) FROM ONLY people", "0A000"),
    ("SELECT set_config('a.' || 'b', 'x', false)", "0A000"),
    ("SELECT set_config(new_value => 'x', is_local => true, setting_name => name) FROM pg_settings", "0A000"),
    ("CREATE VIEW v AS SELECT set_config('a.bc'::varchar(3), 'x', false)", "0A000"),
    ("CREATE TABLE t (a text DEFAULT set_config(lower('a.b'), 'x', false))", "0A000"),
    ("PREPARE p AS SELECT set_config($1, 'x', false)", "0A000"),
    ("PREPARE dpproxy_1 AS SELECT 1", "42939"),
    ("EXECUTE dpproxy_1", "42939"),
    ("DEALLOCATE dpproxy_1", "42939"),
    ("SELEC 1", "42601"),
    ("SELECT 1; SELEC 1", "42601"),
]


@pytest.mark.parametrize(("sql", "sqlstate"), REFUSED)
def test_everything_else_is_refused(sql: str, sqlstate: str) -> None:
    verdict = only(sql).verdict
    assert isinstance(verdict, Refuse)
    assert verdict.error.sqlstate == sqlstate


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT count(*) FROM people", ("people",)),
        ("SELECT count(*) FROM public.people p JOIN visits USING (person_id)", ("public.people", "visits")),
        ("TABLE people", ("people",)),
        ('SELECT count(*) FROM "people"', ("people",)),
        ("SELECT (SELECT count(*) FROM PEOPLE)", ("people",)),
        ("WITH p AS (SELECT * FROM people) SELECT count(*) FROM p", ("people",)),
        ("WITH people AS (SELECT * FROM people) SELECT count(*) FROM people", ("people",)),
        ("SELECT count(*) FROM (WITH people AS (SELECT 1) SELECT 1) x, people", ("people",)),
        ("SELECT count(*) FROM visits JOIN departments USING (dept)", ("visits", "departments")),
        ("SELECT * FROM dp.budget", ("dp.budget",)),
        ("SELECT 1 UNION SELECT count(*) FROM people", ("people",)),
        ("SELECT 1 WHERE EXISTS (SELECT FROM people)", ("people",)),
    ],
)
def test_names_of_private_statements(sql: str, names: tuple[str, ...]) -> None:
    verdict = only(sql).verdict
    assert isinstance(verdict, Private)
    assert isinstance(verdict.form, Plain)
    assert sorted(verdict.names) == sorted(names)


@pytest.mark.parametrize(
    "sql",
    [
        "COPY people TO STDOUT",
        "CREATE VIEW v AS SELECT count(*) FROM people",
        "CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM people",
        "EXPLAIN ANALYZE SELECT count(*) FROM people",
        "EXPLAIN (ANALYZE on) SELECT count(*) FROM people",
        "EXPLAIN CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM people",
    ],
)
def test_forms_that_are_not_supported(sql: str) -> None:
    verdict = only(sql).verdict
    assert isinstance(verdict, Private)
    assert isinstance(verdict.form, Unsupported)
    assert verdict.form.error.sqlstate in ("0A000", "DP002")
    assert verdict.form.error.hint


COUNT = "SELECT count(*) FROM people"


@pytest.mark.parametrize(
    ("sql", "use", "select"),
    [
        (f"EXPLAIN {COUNT}", Explains("text"), COUNT),
        (
            f"explain verbose WITH p AS (SELECT 1) {COUNT}",
            Explains("text", verbose=True),
            f"WITH p AS (SELECT 1) {COUNT}",
        ),
        (f"EXPLAIN (FORMAT json, COSTS off) {COUNT}", Explains("json"), COUNT),
        (f"EXPLAIN (FORMAT 'YAML', ANALYZE off) ({COUNT})", Explains("yaml"), f"({COUNT})"),
        (f"EXPLAIN (FORMAT nosuch) {COUNT}", Explains("text"), COUNT),
        (f"EXPLAIN ({COUNT})", Explains("text"), f"({COUNT})"),
        ("EXPLAIN /* é */ TABLE people", Explains("text"), "TABLE people"),
        (f"EXPLAIN CREATE TABLE t AS {COUNT} WITH NO DATA", Explains("text"), f"{COUNT} "),
        (f"EXPLAIN DECLARE c CURSOR FOR {COUNT}", Explains("text"), COUNT),
        (f"EXPLAIN (GENERIC_PLAN) {COUNT}", Explains("text", True), COUNT),
        (f"DECLARE c CURSOR FOR {COUNT}", Declares("c", False), COUNT),
        (f'DECLARE "É" BINARY INSENSITIVE SCROLL CURSOR WITH HOLD FOR {COUNT}', Declares("É", True, True), COUNT),
        ("DECLARE c CURSOR WITHOUT HOLD FOR TABLE people", Declares("c", False), "TABLE people"),
        (f"COPY ({COUNT}) TO STDOUT", Copies(), COUNT),
        (f"COPY/*(*/( ({COUNT}) )TO STDOUT WITH (FORMAT csv, HEADER)", Copies(), f" ({COUNT}) "),
        (f"COPY ({COUNT} WHERE city = ')') TO STDOUT BINARY", Copies(), f"{COUNT} WHERE city = ')'"),
        (f"CREATE TABLE alice.t AS {COUNT}", Creates("alice", "t", False), COUNT),
        (
            f'CREATE TABLE IF NOT EXISTS alice."T" (a) WITH (fillfactor = 70) AS ({COUNT}) WITH DATA',
            Creates("alice", "T", True),
            f"({COUNT}) ",
        ),
        (
            f"CREATE UNLOGGED TABLE alice.t AS WITH x AS (SELECT 1) {COUNT}",
            Creates("alice", "t", False),
            f"WITH x AS (SELECT 1) {COUNT}",
        ),
    ],
)
def test_what_is_done_with_rows(sql: str, use: object, select: str) -> None:
    form = only(sql).verdict.form
    assert isinstance(form, Wrapped)
    assert form.use == use
    assert form.select == select
    assert form.around(form.select) == sql
    assert sql[form.start :].startswith(form.select)


@pytest.mark.parametrize(
    ("sql", "before", "select"),
    [
        (
            "SELECT count(*) INTO t FROM people",
            'CREATE TABLE "alice"."t" AS ',
            "SELECT count(*)" + " " * 16 + "FROM people",
        ),
        (
            "WITH a AS (SELECT 1) SELECT 'into x', count(*) /* INTO y */ INTO UNLOGGED TABLE alice.\"T t\" FROM people",
            'CREATE UNLOGGED TABLE "alice"."T t" AS ',
            "WITH a AS (SELECT 1) SELECT 'into x', count(*) /* INTO y */" + " " * 33 + "FROM people",
        ),
    ],
)
def test_select_into_is_create_table_as(sql: str, before: str, select: str) -> None:
    form = only(sql).verdict.form
    assert isinstance(form, Wrapped)
    assert (form.before, form.select, form.after, form.start) == (before, select, "", 0)


def test_into_may_stand_in_the_first_of_several_selects() -> None:
    form = only("SELECT 1 INTO U&\"d!0061\" UESCAPE '!' FROM people UNION ALL SELECT 2").verdict.form
    assert isinstance(form, Wrapped)
    assert form.select.split() == ["SELECT", "1", "FROM", "people", "UNION", "ALL", "SELECT", "2"]
    assert form.use == Creates("alice", "da", False)
    explained = only("EXPLAIN SELECT count(*) INTO t FROM people").verdict.form
    assert isinstance(explained, Wrapped)
    assert (explained.before, explained.select.split()) == ("EXPLAIN ", COUNT.split())


def test_long_texts_are_taken_apart_in_a_breath() -> None:
    """What stops the event loop stops everybody: work grows no faster than the text. By the square it took minutes."""
    many = ",".join(["1"] * 60_000)
    began = time.process_time()
    only(f"EXPLAIN SELECT count(*) FROM people WHERE age IN ({many})")
    only(f"EXECUTE p({many})")
    only(f"CREATE TABLE x ({','.join(['values'] * 20_000)}) AS {COUNT}")
    assert time.process_time() - began < 60


def test_a_table_without_data_is_the_fronts() -> None:
    assert isinstance(only("CREATE TABLE t AS SELECT * FROM people WITH NO DATA").verdict, Pass)
    assert only(f"CREATE TABLE t AS {COUNT}").verdict.names == ("people",)


def test_what_is_prepared_and_executed() -> None:
    prepared = only(f"PREPARE p(int, date) AS {COUNT} WHERE age > $1")
    assert isinstance(prepared.verdict, Pass)
    assert isinstance(prepared.effect, Prepares)
    assert prepared.effect.select is not None
    assert prepared.effect.select.sql == f"{COUNT} WHERE age > $1"
    sql = "EXPLAIN (FORMAT json) EXECUTE p (1, f(2, 3))"
    effect = only(sql).effect
    assert isinstance(effect, Executes)
    assert (effect.name, effect.arguments, effect.count) == ("p", "(1, f(2, 3))", 2)
    assert sql[effect.start :] == effect.arguments
    assert isinstance(effect.form, Wrapped)
    both = only("EXPLAIN CREATE TABLE alice.t AS EXECUTE p(1)").effect
    assert isinstance(both, Executes)
    assert (both.name, both.count) == ("p", 1)
    nothing = only("CREATE TABLE t AS EXECUTE p WITH NO DATA").effect
    assert isinstance(nothing, Executes)
    assert isinstance(nothing.form, Unsupported)
    assert only("EXECUTE p").effect == Executes("p", "", 0, len("EXECUTE p"))
    assert only("FETCH 2 FROM c").effect == Fetches("c")


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("CREATE TABLE t (a int)", "t"),
        ('CREATE UNLOGGED TABLE IF NOT EXISTS "é" (LIKE pg_class)', '"é"'),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", "v"),
        ("CREATE TABLE t (b) AS SELECT 1 AS t", "t"),
        ("SELECT 'é', count(*) INTO TABLE t FROM people", "t FROM"),
        ("CREATE MATERIALIZED VIEW v AS SELECT 1", "v"),
    ],
)
def test_what_has_no_schema_is_made_in_the_analysts_own(sql: str, name: str) -> None:
    first, statement = examine(f"SELECT 'é'; {sql}", NAMES)
    at = sql.index(f" {name}") + 1
    assert statement.sql == f'{sql[:at]}"alice".{sql[at:]}'
    assert (first.inserted, statement.inserted) == (0, len('"alice".'))
    assert statement.shift == statement.start - len('"alice".')


@pytest.mark.parametrize(
    "sql", ["CREATE TABLE alice.t (a int)", "CREATE TEMP TABLE t (a int)", "CREATE TABLE t AS SELEC", "DROP TABLE t"]
)
def test_what_has_a_schema_or_can_have_none_stays(sql: str) -> None:
    assert only(sql).inserted == 0


def test_long_texts_are_an_error_of_their_own() -> None:
    assert only(f"SELECT '{'x' * (1 << 18)}'").verdict.error.sqlstate == "54000"
    assert isinstance(only(f"SELECT '{'x' * (1 << 17)}'").verdict, Pass)


def test_effects() -> None:
    effects = [each.effect for each in examine("PREPARE p AS SELECT 1; EXECUTE p; DEALLOCATE p; DEALLOCATE ALL", NAMES)]
    assert effects == [Prepares("p"), Executes("p", start=9), Deallocates("p"), Deallocates(None)]
    effects = [each.effect for each in examine("DISCARD ALL; CLOSE c; CLOSE ALL; SET dp.Epsilon = 1", NAMES)]
    assert effects == [Deallocates(None), ClosesCursor("c"), ClosesCursor(None), Sets(frozenset({"epsilon"}))]


def test_statements_of_a_text_and_their_places() -> None:
    sql = "SELECT 'é;'; SELECT count(*) FROM ONLY people ;; select 3"
    first, second, third = examine(sql, NAMES)
    assert sql[first.start :].startswith(first.sql)
    assert sql[second.start :].startswith("SELECT count(*)")
    assert third.sql == "select 3"
    assert isinstance(second.verdict, Refuse)
    assert second.sql[second.verdict.error.position - 1 :].startswith("people")


def test_syntax_errors_point_as_postgres_does() -> None:
    error = only("SELECT 'é' FRM x y").verdict.error
    assert (error.message, error.position) == ('syntax error at or near "x"', 16 - 1)


def test_deep_texts_are_an_error_of_their_own() -> None:
    assert isinstance(only("SELECT " + "||".join(["'a'"] * 200)).verdict, Pass)
    assert only("SELECT " + "||".join(["'a'"] * 50_000)).verdict.error.sqlstate == "54001"
    assert isinstance(only("SELECT " + "(" * 3000 + "1" + ")" * 3000).verdict, Pass | Refuse)


def test_public_tables_are_named() -> None:
    assert only("SELECT * FROM departments d, public.departments").public in (
        ("departments", "public.departments"),
        ("public.departments", "departments"),
    )


ODD = [
    "SELECT 1e5, 1.5, .5, 5., 0x1F, 1_000, 5 FROM t5, a1",
    "SELECT 5::float(54), 6::float(55)",
    "SELECT $1, 5, $$ 5 $$, $a$ 6 $a$",
    "SELECT E'\\' 5', 'it''s 5', \"5\", \"a\"\" 5\", U&'5', u&\"5\" 5, b'1' 5, x'1F'",
    "SELECT 5 -- 7\n, 6 /* 7 /* 8 */ */",
    "SELECT '5",
    "SELECT 5; SELECT 6",
    " SELECT 5 ; ",
    "SELECT set_config('dp.epsilon', '1', false), 5",
    "SELECT 5é, é5, €5, 'é' 5",
    "SELECT * FROM people LIMIT 5",
    "SELECT 5 INTO t5",
    "SELECT c.oid FROM pg_class c WHERE c.oid = 16384 AND relname ~ '^(people)$' AND relnatts & 5 > 0 ORDER BY 1;",
    "SELECT beds FROM departments WHERE beds > 5",
    "EXPLAIN SELECT 5",
]


@pytest.mark.parametrize("sql", [*PASSING, *(sql for sql, _ in REFUSED), *ODD])
def test_what_is_said_of_a_text_holds_for_other_numbers(sql: str) -> None:
    """With other numbers in it, a text is what its own tree says that it is."""
    for numbers in (("7",), ("0", "12"), ("54", "999999999", "07"), (str(2**31), "9" * 10)):
        given = cycle(numbers)
        text = re.sub(r"[0-9]+", lambda _, given=given: next(given), sql)
        assert shown(gate._examined(text, NAMES)) == shown(gate._parsed(text, NAMES)), text


def shown(statements: tuple[Statement, ...]) -> list[object]:
    """What tells them apart; errors are compared by nothing."""
    return [
        each if isinstance(each.verdict, Pass) else (each.sql, each.kind, type(each.verdict)) for each in statements
    ]


def test_a_text_with_another_number_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is of no other kind."""
    text = "SELECT relname FROM pg_class WHERE oid = {} AND relkind IN ('r', 'v') LIMIT {}"
    (first,) = examine(text.format(16384, 7), NAMES)
    monkeypatch.setattr(gate, "parse", lambda _sql: pytest.fail("it was parsed"))
    (second,) = examine(text.format(16385, 10), NAMES)
    assert second == replace(first, sql=text.format(16385, 10))


@pytest.mark.larger
@settings(max_examples=sized(80, 300, 3000), deadline=None)
@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            ["SELECT", "people", "FROM", "(", ")", ";", "'", '"', "$$", "--", "/*", "é", "1", ",", "WITH", "AS"]
        )
    ).map(" ".join)
)
def test_any_text_has_a_verdict(sql: str) -> None:
    """Whatever is written, the gate answers, and a name of a private table never just passes outside of quotes."""
    for statement in examine(sql.replace("\0", ""), NAMES):
        assert isinstance(statement.verdict, Pass | Private | Refuse)


@pytest.mark.skipif(not RECORDINGS.exists(), reason="recordings of clients are not here")
def test_recorded_clients_are_let_through() -> None:
    """All catalog statements of real clients pass; what is refused is what they did to data."""
    refused = []
    for path in sorted(RECORDINGS.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if record["proto"] == "startup" or not record["sql"]:
                continue
            for each in examine(record["sql"], NAMES):
                if isinstance(each.verdict, Refuse) and each.verdict.error.sqlstate not in ("42601", "42501"):
                    refused.append((path.name, each.sql[:200], each.verdict.error.message))
    assert [sql for _, sql, _ in refused] == ['LISTEN "x"']
